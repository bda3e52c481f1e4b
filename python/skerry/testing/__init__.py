# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Aids for testing multi-device code on a machine without a GPU."""

from __future__ import annotations

import contextlib
import gc
import importlib.util
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from skerry import _core, _emulator
from skerry._numba_simulator import numba_simulator

if TYPE_CHECKING:
    from skerry_emulator import KernelReport as KernelReport
    from skerry_emulator import emulated_gpu as emulated_gpu

#: Names of the package skerry_emulator.
_EMULATED = ("KernelReport", "emulated_gpu")
__all__ = ["count_cuda_calls", "guarded_numpy", "numba_simulator"]
if importlib.util.find_spec("skerry_emulator") is not None:
    __all__ += _EMULATED


def __dir__() -> list[str]:
    return sorted({*__all__, *globals()})


def __getattr__(name: str) -> Any:
    """Take what the emulated GPU has from its package at the first use."""
    if name in _EMULATED:
        return getattr(_emulator.emulator(name), name)
    raise AttributeError(f"module 'skerry.testing' has no attribute {name!r}")


@contextlib.contextmanager
def count_cuda_calls() -> Iterator[dict[str, int]]:
    """Count the calls of the CUDA runtime that skerry makes in the body, on all threads.

    Works on GPUs and on rehearsed devices alike: each call goes through one table, whose entries are counted. Not
    in the table are the launches of kernels on a GPU, and what CUDA's own libraries call; on a rehearsed device a
    launch is one call of ``launch_host_kernel``. Python's collection of cycles is held off in the body, as it would
    free arrays of before.

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
    collects = gc.isenabled()
    _core.count_cuda_calls(True)
    gc.disable()
    try:
        old_counts = _core.counted_cuda_calls()
        yield calls
    finally:
        new_counts = _core.counted_cuda_calls()
        _core.count_cuda_calls(False)
        if collects:
            gc.enable()
        calls.update(
            {name: n - old_counts[name] for name, n in new_counts.items() if n > old_counts[name]}
        )


@contextlib.contextmanager
def guarded_numpy() -> Iterator[None]:
    """Put the NumPy arrays that the body makes into guarded memory, as those of skerry are.

    With ``SKERRY_ALLOCATOR=guard`` an access beyond a NumPy array is a fault, too, whoever makes it: each array made
    in this context ends at an inaccessible page, with ``guard-front`` it begins behind one. The memory of NumPy's
    arrays is a setting of the context (:mod:`contextvars`), so that other threads keep theirs.

    Raises
    ------
    ValueError
        Unless ``SKERRY_ALLOCATOR`` was guard or guard-front when skerry was imported.

    Examples
    --------
    >>> with guarded_numpy():  # doctest: +SKIP
    ...     x = numpy.ones(7, dtype=numpy.int8)
    ...     skerry.sum(skerry.asarray(x, copy=False))

    """
    old_handler = _core.guard_numpy_memory()
    try:
        yield
    finally:
        _core.set_numpy_memory(old_handler)
