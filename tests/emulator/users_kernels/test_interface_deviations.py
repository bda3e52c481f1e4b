# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""The programs of tests/cai_suite/deviations: each shows a deviation of another library from the CUDA Array Interface."""

import pytest

from tests.emulator.users_kernels.test_users_kernels import (
    REDIRECT,
    ROOT,
    START,
    child,
)
from tests.python.libraries import CUPY, cupy_installed, installed, numba_cuda_installed

PROGRAMS = sorted((ROOT / "tests" / "cai_suite" / "deviations").glob("*.py"))


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_program_shows_a_deviation(program):
    installed("cuda.core")
    redirect = ""
    if program.stem.startswith("numba_cuda"):
        numba_cuda_installed()
        redirect = REDIRECT
    if program.stem.startswith("cupy"):
        cupy_installed()
        redirect = f"sys.path.append({str(CUPY)!r})"
    done = child(f"{START}\n{redirect}\nimport runpy\nrunpy.run_path({str(program)!r})")
    assert done.returncode == 0, done.stderr
    assert "deviates:" in done.stdout, f"{done.stdout}: the library no longer deviates: remove it"
