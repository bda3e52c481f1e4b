# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Arrays that dask and xarray make on the host for arrays on a device: indices, and numbers beside the data.

``d[[3, 1]]`` is a list, which has no device; dask makes NumPy arrays of it, one for each chunk, and xarray makes one of
a label's places. Both give them to ``x[...]`` with no table to say otherwise. So NumPy's arrays in a key are put
beside the array where one of these libraries itself indexes; the same key of a user's function (of ``map_blocks``,
say) is refused as everywhere, and so are values to assign, but for a number of which the library made an array.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from skerry import _core

LIBRARIES = ("dask", "xarray")
# Functions of which xarray has all arguments but the data on the host: coordinates, and what it made of quantiles' q.
WITH_NUMBERS_OF_THE_HOST = {"gradient", "nanquantile", "quantile"}


def beside_the_data(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Put numbers beside the data where a library calls one of these functions.

    Called by the wrapper of a function in Python.
    """
    caller: str = sys._getframe(2).f_globals.get("__name__", "")
    if caller.partition(".")[0] not in LIBRARIES or not isinstance(args[0], _core.Array):
        return args, kwargs
    x = args[0]
    return tuple(_on_device(x, argument) for argument in args), {
        key: _on_device(x, argument) for key, argument in kwargs.items()
    }


def number_again(x: _core.Array, value: np.ndarray[Any, Any]) -> Any:
    """Return a NumPy array of one element as that number for ``x`` if a library assigns it, else as it is.

    ``a[0] = 1.0`` of xarray comes as such an array, of as many axes as what is assigned to.
    """
    caller: str = sys._getframe(1).f_globals.get("__name__", "")
    if caller.partition(".")[0] not in LIBRARIES or value.dtype.kind not in "biufc":
        return value
    return _core.full(value.shape, value.item(), dtype=x.dtype, device=x.device)


def placed(x: _core.Array, key: Any) -> Any:
    """Return ``key`` with NumPy's arrays on the device of ``x`` if a library is who indexes, else as it is.

    Parameters
    ----------
    x : Array
        What is indexed.
    key : object
        An index or a tuple of them, with a NumPy array.

    Returns
    -------
    object
        The same for ``x``.

    """
    # The indexing itself is a slot of the type, without a frame.
    caller: str = sys._getframe(1).f_globals.get("__name__", "")
    if caller.partition(".")[0] not in LIBRARIES:
        return key
    if isinstance(key, tuple):
        return tuple(_on_device(x, part) for part in key)
    return _on_device(x, key)


def _on_device(x: _core.Array, part: Any) -> Any:
    if not isinstance(part, np.ndarray):
        return part
    if part.ndim == 0 and part.dtype.kind in "biufc":
        return part.item()
    return _core.asarray(np.ascontiguousarray(part), device="cpu:0").to_device(x.device)
