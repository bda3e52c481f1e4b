# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Tools to test multi-device code on a machine without a GPU."""

from __future__ import annotations

import contextlib
import gc
import importlib.util
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from skerry import _core, _emulator
from skerry._numba_simulator import numba_simulator

if TYPE_CHECKING:
    from skerry_emulator import KernelReport as KernelReport
    from skerry_emulator import emulated_gpu as emulated_gpu
    from skerry_emulator import nccl_faults as nccl_faults
    from skerry_emulator import nccl_link_bytes as nccl_link_bytes
    from skerry_emulator import nccl_settings as nccl_settings

#: Names that the package skerry_emulator provides.
_EMULATED = ("KernelReport", "emulated_gpu", "nccl_faults", "nccl_link_bytes", "nccl_settings")
__all__ = [
    "assert_allclose",
    "assert_equal",
    "count_cuda_calls",
    "guarded_numpy",
    "numba_simulator",
]
if importlib.util.find_spec("skerry_emulator") is not None:
    __all__ += _EMULATED


def __dir__() -> list[str]:
    return sorted({*__all__, *globals()})


def __getattr__(name: str) -> Any:
    """Import the names of the package skerry_emulator at the first use."""
    if name in _EMULATED:
        return getattr(_emulator.emulator(name), name)
    raise AttributeError(f"module 'skerry.testing' has no attribute {name!r}")


def assert_equal(actual: Any, desired: Any, err_msg: str = "") -> None:
    """Raise an AssertionError unless two arrays have the same shape, device and elements.

    Parameters
    ----------
    actual, desired : Array or array_like
        The values to compare. Elements of arrays on CUDA devices are copied to the host. A value that is not an
        `Array`, such as a NumPy array or a list, is compared with an array on any device. NaN equals NaN.
    err_msg : str, default ""
        Text to print with a failure.

    Raises
    ------
    AssertionError
        With the positions and values that differ, or the two devices.

    Examples
    --------
    >>> x = skerry.ones(3, device="cuda:0")
    >>> skerry.testing.assert_equal(x + 1, [2.0, 2.0, 2.0])
    >>> skerry.testing.assert_equal(x, skerry.ones(3))
    Traceback (most recent call last):
        ...
    AssertionError: actual is on cuda:0, desired on cpu:0

    """
    left, right = _host_values(actual, desired)
    np.testing.assert_array_equal(left, right, err_msg=err_msg)


def assert_allclose(
    actual: Any,
    desired: Any,
    rtol: float = 1e-7,
    atol: float = 0.0,
    equal_nan: bool = True,
    err_msg: str = "",
) -> None:
    """Raise an AssertionError unless two arrays have the same shape and device, and elements within a tolerance.

    Parameters
    ----------
    actual, desired : Array or array_like
        As for `assert_equal`.
    rtol, atol : float
        Tolerance: ``atol + rtol * abs(desired)``.
    equal_nan : bool, default True
        If True, NaN equals NaN.
    err_msg : str, default ""
        Text to print with a failure.

    Raises
    ------
    AssertionError
        With the positions and values that differ, or the two devices.

    Examples
    --------
    >>> x = skerry.linspace(0, 1, 3, device="cuda:0")
    >>> skerry.testing.assert_allclose(skerry.exp(x), [1.0, 1.6487213, 2.7182818])

    """
    left, right = _host_values(actual, desired)
    np.testing.assert_allclose(
        left, right, rtol=rtol, atol=atol, equal_nan=equal_nan, err_msg=err_msg
    )


def _host_values(actual: Any, desired: Any) -> list[Any]:
    """Return the elements of two values on the host. Two arrays must be on one device."""
    arrays = [x for x in (actual, desired) if isinstance(x, _core.Array)]
    if len(arrays) == 2 and actual.device != desired.device:
        raise AssertionError(f"actual is on {actual.device}, desired on {desired.device}")
    return [x.to_numpy() if isinstance(x, _core.Array) else x for x in (actual, desired)]


@contextlib.contextmanager
def count_cuda_calls() -> Iterator[dict[str, int]]:
    """Count the CUDA runtime calls that skerry makes in the body, on all threads.

    It works on GPUs and on rehearsed devices: each call goes through one table, whose entries are counted. The table
    does not contain kernel launches on a GPU or the calls of CUDA's own libraries; on a rehearsed device a launch is
    one call of ``launch_host_kernel``. Python's garbage collector is disabled in the body, as it could free earlier
    arrays.

    Yields
    ------
    dict[str, int]
        Number of calls by function name, without functions that were not called. Filled at the end of the body.

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
    """Allocate the NumPy arrays that the body creates in guarded memory, like skerry's arrays.

    With ``SKERRY_ALLOCATOR=guard`` any out-of-bounds access to these NumPy arrays faults, too: each array ends at an
    inaccessible page; with ``guard-front`` it begins after one. NumPy's allocator is a context variable
    (:mod:`contextvars`), so other threads keep theirs.

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
