# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""The programs of the page on CuPy run as printed, each in a process."""

import re
import textwrap

import pytest

from tests.emulator.users_kernels.test_users_kernels import child
from tests.python.libraries import CUPY, cupy_installed
from tests.python.project.test_docs import DOCS

BLOCK = re.compile(r"^\.\. code-block:: python\n\n((?:   .*\n|\n)+)", re.MULTILINE)
OUTPUT = {
    "first": ["45.0 <CUDA Device 0>", "<CUDA Device 1> [ 0.  2.  4.  6.  8. 10. 12. 14. 16. 18.]"],
    "errors": ["0 bytes past the end of 20 bytes", "// one too many"],
}


def programs():
    page = (DOCS / "cupy_without_gpu.rst").read_text()
    return [textwrap.dedent(text) for text in BLOCK.findall(page)]


def test_every_program_is_run():
    assert len(programs()) == len(OUTPUT)


@pytest.mark.parametrize("name", OUTPUT)
def test_program(name, tmp_path):
    cupy_installed()
    path = f"import sys\nsys.path.append({str(CUPY)!r})\n"
    program = programs()[[*OUTPUT].index(name)]
    done = child(path + program, CUPY_CACHE_DIR=str(tmp_path))
    for text in OUTPUT[name]:
        assert text in done.stdout, done.stdout + done.stderr
