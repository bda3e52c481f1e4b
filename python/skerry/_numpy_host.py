# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""NumPy's own functions on the memory of arrays on cpu:0, for what skerry has no function for.

Nothing is copied, and nothing here touches an array of another device.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from skerry import _core
from skerry._arrays import DTYPES, HOME, Array, Function, arrays_in, as_array, mapped

HOST = 'to work on the host: np.asarray(x.to_device("cpu"))'


class NoCounterpartError(TypeError):
    """skerry has no function, or no parameter, of that meaning; on cpu:0 NumPy's does."""


def is_home(*values: Any) -> bool:
    """Whether all arrays are where NumPy's functions can work on them."""
    return all(x.device == HOME for x in arrays_in(values) if isinstance(x, Array))


def run(function: Function, args: Any, kwargs: Any) -> Any:
    """Run NumPy's function on the memory of arrays on cpu:0; arrays and NumPy's scalars become arrays there."""
    views: dict[int, tuple[Any, Array]] = {}

    def to_numpy(x: Any) -> Any:
        if not isinstance(x, Array):
            return x
        view = np.asarray(x)
        views[id(view)] = view, x
        return view

    def to_skerry(x: Any) -> Any:
        if id(x) in views:  # what came by out=
            return views[id(x)][1]
        if isinstance(x, np.generic):
            return _core.asarray(x, device=HOME) if x.dtype.name in DTYPES else x
        return as_array(x)

    result = function(*mapped(args, to_numpy), **mapped(kwargs, to_numpy))
    return mapped(result, to_skerry)


class _Memory:
    """Where the elements of an array are, for NumPy's questions about addresses; they are never read."""

    def __init__(self, x: Array) -> None:
        interface = x.__cuda_array_interface__
        self.__array_interface__ = {
            key: interface[key] for key in ("shape", "typestr", "data", "strides")
        } | {"version": 3}


def share_memory(function: Function, a: Any, b: Any, *args: Any, **kwargs: Any) -> bool:
    """Answer np.may_share_memory and np.shares_memory on every device: what is asked is where elements are.

    Arrays of CPU devices may share memory with each other and with NumPy's; those of a CUDA device with its own only.
    """
    devices = {x.device for x in (a, b) if isinstance(x, Array) and x.device.kind != "cpu"}
    if not devices:
        return bool(
            function(
                *(np.asarray(x) if isinstance(x, Array) else x for x in (a, b)), *args, **kwargs
            )
        )
    if len(devices) > 1 or not all(isinstance(x, Array) and x.device in devices for x in (a, b)):
        return False
    return bool(function(np.asarray(_Memory(a)), np.asarray(_Memory(b)), *args, **kwargs))


#: NumPy's functions that read no elements, and so take arrays of any devices.
OF_ANY_DEVICES: dict[Function, Function] = {
    function: partial(share_memory, function._implementation)  # type: ignore[attr-defined]
    for function in (np.may_share_memory, np.shares_memory)
}
