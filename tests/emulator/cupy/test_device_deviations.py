# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""The programs that show how CuPy deviates from the standard's recommendations on devices, on two emulated GPUs."""

import pytest

from tests.emulator.users_kernels.test_users_kernels import child
from tests.python.libraries import CUPY, cupy_installed
from tests.python.project.test_device_suite import PROGRAMS

OF_CUPY = [program for program in PROGRAMS if program.stem.startswith("cupy_")]


@pytest.mark.parametrize("program", OF_CUPY, ids=lambda path: path.stem)
def test_program_shows_a_deviation(program, tmp_path):
    cupy_installed()
    code = (
        "import runpy, sys, warnings\n"
        f"sys.path.append({str(CUPY)!r})\n"
        "warnings.simplefilter('ignore')\n"
        f"runpy.run_path({str(program)!r})\n"
    )
    done = child(code, CUPY_CACHE_DIR=str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert "deviates:" in done.stdout, f"{done.stdout}: CuPy no longer deviates: remove it"
