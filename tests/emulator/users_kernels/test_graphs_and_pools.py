# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Programs that use graphs, memory pools and the CUDA runtime on the emulated GPU, in a new process."""

from tests.emulator.users_kernels.test_users_kernels import run_cases
from tests.python.libraries import installed


def test_graphs_and_pools_run():
    installed("cuda.core")
    run_cases("graph_and_pool_cases.py")


def test_arrays_of_skerry_are_in_memory_of_cuda_core():
    installed("cuda.core")
    run_cases("allocator_cases.py")


def test_cuda_bindings_runtime_runs():
    installed("cuda.bindings")
    run_cases("runtime_cases.py")
