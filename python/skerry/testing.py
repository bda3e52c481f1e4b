# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Aids for testing multi-device code on a machine without a GPU."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from skerry import _core
from skerry._emulated_gpu_context import emulated_gpu
from skerry._kernel_reports import KernelReport
from skerry._numba_simulator import numba_simulator

__all__ = ["KernelReport", "count_cuda_calls", "emulated_gpu", "numba_simulator"]


@contextlib.contextmanager
def count_cuda_calls() -> Iterator[dict[str, int]]:
    """Count the calls of the CUDA runtime that skerry makes in the body, on all threads.

    Works on GPUs and on rehearsed devices alike: each call goes through one table, whose entries are counted. Not
    in the table are the launches of kernels on a GPU, and what CUDA's own libraries call; on a rehearsed device a
    launch is one call of ``launch_host_kernel``.

    Yields
    ------
    dict[str, int]
        Filled at the end of the body: name in the table -> calls, of those that were made at all.

    Raises
    ------
    DeviceUnavailableError
        If there is no CUDA device.

    Examples
    --------
    >>> with count_cuda_calls() as calls:
    ...     skerry.synchronize("cuda:0")
    >>> calls
    {'get_device': 1, 'device_synchronize': 1}

    """
    calls: dict[str, int] = {}
    _core.count_cuda_calls(True)
    try:
        before = _core.counted_cuda_calls()
        yield calls
    finally:
        after = _core.counted_cuda_calls()
        _core.count_cuda_calls(False)
        calls.update({name: n - before[name] for name, n in after.items() if n > before[name]})
