# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""The programs of the pages "Custom kernels" and "From NUMBA_ENABLE_CUDASIM" run without a GPU, each in a process."""

import pathlib
import re
import textwrap

import pytest

from tests.emulator.users_kernels.test_users_kernels import REDIRECT, child
from tests.python.libraries import installed, numba_cuda_installed

DOCS = pathlib.Path(__file__).parents[3] / "python" / "docs"
BLOCK = re.compile(r"^\.\. code-block:: python\n\n((?:   .*\n|\n)+)", re.MULTILINE)
PROGRAMS = {
    f"{page} {number}": textwrap.dedent(block)
    for page in ("custom_kernels", "from_cudasim")
    for number, block in enumerate(BLOCK.findall((DOCS / f"{page}.rst").read_text()))
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_of_the_pages_run(name):
    installed("cuda.core")
    program = PROGRAMS[name]
    if "numba" in program:
        numba_cuda_installed()
    done = child(f"import sys\n{REDIRECT}{program}" if "numba" in program else program)
    assert done.returncode == 0, done.stdout + done.stderr
