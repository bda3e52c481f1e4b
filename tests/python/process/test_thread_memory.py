# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""How much memory of each thread the extension takes, which a process grants libraries that are opened late little of."""

import pathlib
import struct

import pytest
from skerry import _core

PT_TLS = 7
MOST = 512  # bytes; glibc has 1,664 for all libraries of a process


def bytes_of_threads(path):
    """Size of the segment of thread-local variables: ELF, 64 bits."""
    data = pathlib.Path(path).read_bytes()
    assert data[:5] == b"\x7fELF\x02"
    table, size, count = (
        struct.unpack_from("<Q", data, 0x20)[0],
        *struct.unpack_from("<HH", data, 0x36),
    )
    headers = [struct.unpack_from("<IIQQQQQQ", data, table + k * size) for k in range(count)]
    return sum(header[6] for header in headers if header[0] == PT_TLS)


EMULATOR = pathlib.Path(_core.__file__).parent / "emulator" / "libskerry_emulator.so"


@pytest.mark.parametrize("path", [_core.__file__, str(EMULATOR)])
def test_libraries_take_little_of_each_threads_memory(path):
    if not pathlib.Path(path).exists():
        pytest.skip("this build has no emulated GPU")
    assert 0 < bytes_of_threads(path) <= MOST
