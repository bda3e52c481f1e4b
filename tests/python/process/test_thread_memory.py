# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Size of the extension's thread-local memory, which is scarce for libraries that a process loads late."""

import pathlib
import struct

from skerry.testing import instruments

PT_TLS = 7
MOST = 512  # bytes; all libraries loaded by dlopen share glibc's static TLS reserve of 1,664


def bytes_of_threads(path):
    """Return the size of the segment of thread-local variables of a 64-bit ELF file."""
    data = pathlib.Path(path).read_bytes()
    assert data[:5] == b"\x7fELF\x02"
    table, size, count = (
        struct.unpack_from("<Q", data, 0x20)[0],
        *struct.unpack_from("<HH", data, 0x36),
    )
    headers = [struct.unpack_from("<IIQQQQQQ", data, table + k * size) for k in range(count)]
    return sum(header[6] for header in headers if header[0] == PT_TLS)


def test_thread_local_memory_of_the_extension_is_small():
    assert 0 < bytes_of_threads(instruments.extension_path()) <= MOST
