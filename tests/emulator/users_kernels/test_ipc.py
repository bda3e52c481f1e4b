# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Programs of two processes that share memory of the emulated GPU, in new processes."""

from tests.emulator.users_kernels.test_users_kernels import NUMBA_CUDA, REDIRECT, run_cases
from tests.python.libraries import installed, missing


def test_processes_share_memory_and_events():
    installed("cuda.core")
    run_cases("ipc_cases.py")


def test_processes_share_arrays_of_numba():
    installed("cuda.core")
    if not NUMBA_CUDA.exists():
        missing(f"numba-cuda is not in {NUMBA_CUDA}")
    run_cases("numba_ipc_cases.py", REDIRECT)
