# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Graphs of skerry that contain kernels of other libraries, in a new process."""

from tests.emulator.users_kernels.test_users_kernels import NUMBA_CUDA, REDIRECT, run_cases
from tests.python.libraries import installed, missing


def test_kernels_of_other_libraries_are_captured():
    installed("cuda.core")
    if not NUMBA_CUDA.exists():
        missing(f"numba-cuda is not in {NUMBA_CUDA}")
    run_cases("captured_cases.py", REDIRECT)
