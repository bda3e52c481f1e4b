# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Graphs of skerry that contain kernels of other libraries, in a new process."""

from tests.emulator.users_kernels.test_users_kernels import REDIRECT, run_cases
from tests.python.libraries import numba_cuda_installed


def test_kernels_of_other_libraries_are_captured():
    numba_cuda_installed()
    run_cases("captured_cases.py", REDIRECT)
