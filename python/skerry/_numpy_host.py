# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""NumPy's own functions on the memory of arrays on cpu:0, for functions without a counterpart in skerry.

Nothing is copied, and arrays on other devices are never accessed.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from skerry import _core
from skerry._arrays import DTYPES, HOME, Array, Function, arrays_in, as_array, mapped
from skerry._data_types import is_bfloat16

HOST = 'to work on the host: np.asarray(x.to_device("cpu"))'


class NoCounterpartError(TypeError):
    """skerry has no equivalent function or parameter; on cpu:0 NumPy's function runs instead."""


def is_home(*values: Any) -> bool:
    """Return whether all arrays are on cpu:0, where NumPy's functions can use them."""
    return all(x.device == HOME for x in arrays_in(values) if isinstance(x, Array))


def run(function: Function, args: Any, kwargs: Any) -> Any:
    """Run NumPy's function on arrays on cpu:0 without copies; convert arrays and NumPy scalars in the result."""
    views: dict[int, tuple[Any, Array]] = {}

    def to_numpy(x: Any) -> Any:
        if not isinstance(x, Array):
            return x
        view = np.asarray(x)
        views[id(view)] = view, x
        return view

    def to_skerry(x: Any) -> Any:
        if id(x) in views:  # an array passed as out=
            return views[id(x)][1]
        if isinstance(x, np.generic):
            return _core.asarray(x, device=HOME) if x.dtype.name in DTYPES else x
        return as_array(x)

    result = function(*mapped(args, to_numpy), **mapped(kwargs, to_numpy))
    return mapped(result, to_skerry)


#: kDLCUDAManaged of dlpack.h.
_MANAGED_MEMORY = 13


def _memory_of(x: Any) -> _core.Device | str:
    """Return the device whose memory an array is in, and "host" for what the host accesses: also managed memory."""
    if not isinstance(x, Array) or x.device.kind == "cpu":
        return "host"
    kind, _ = x.__dlpack_device__()
    return "host" if kind == _MANAGED_MEMORY else x.device


class _Memory:
    """The address range of an array, for NumPy's functions that compare addresses; elements are never read."""

    def __init__(self, x: Array) -> None:
        # The interface has no type string for bfloat16.
        interface = (x.view("uint16") if is_bfloat16(x.dtype) else x).__cuda_array_interface__
        self.__array_interface__ = {
            key: interface[key] for key in ("shape", "typestr", "data", "strides")
        } | {"version": 3}


def share_memory(function: Function, a: Any, b: Any, *args: Any, **kwargs: Any) -> bool:
    """Run np.may_share_memory or np.shares_memory on arrays of any device: they compare addresses only.

    Arrays on CPU devices and in managed memory may share memory with each other and with NumPy arrays, other arrays on
    a CUDA device only with arrays on that device.
    """
    if _memory_of(a) != _memory_of(b):
        return False
    on_devices = [isinstance(x, Array) and x.device.kind != "cpu" for x in (a, b)]
    if any(on_device and x.size == 0 for on_device, x in zip(on_devices, (a, b), strict=True)):
        return False  # NumPy before 2.3 rejects a null pointer
    views = (
        np.asarray(_Memory(x)) if on_device else np.asarray(x) if isinstance(x, Array) else x
        for on_device, x in zip(on_devices, (a, b), strict=True)
    )
    return bool(function(*views, *args, **kwargs))


#: NumPy's functions that read no elements and accept arrays on any devices.
OF_ANY_DEVICES: dict[Function, Function] = {
    function: partial(share_memory, function._implementation)  # type: ignore[attr-defined]
    for function in (np.may_share_memory, np.shares_memory)
}
