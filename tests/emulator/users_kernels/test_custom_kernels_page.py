# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""The programs of the page "Custom kernels" run without a GPU, each in its own process."""

import pathlib
import re
import textwrap

import pytest

from tests.emulator.users_kernels.test_users_kernels import NUMBA_CUDA, REDIRECT, child
from tests.python.libraries import installed, missing

PAGE = pathlib.Path(__file__).parents[3] / "python" / "docs" / "custom_kernels.rst"
BLOCK = re.compile(r"^\.\. code-block:: python\n\n((?:   .*\n|\n)+)", re.MULTILINE)
PROGRAMS = [textwrap.dedent(block) for block in BLOCK.findall(PAGE.read_text())]


@pytest.mark.parametrize("number", range(len(PROGRAMS)))
def test_programs_of_the_page_run(number):
    installed("cuda.core")
    program = PROGRAMS[number]
    if "numba" in program and not NUMBA_CUDA.exists():
        missing(f"numba-cuda is not in {NUMBA_CUDA}")
    done = child(f"import sys\n{REDIRECT}{program}" if "numba" in program else program)
    assert done.returncode == 0, done.stdout + done.stderr
