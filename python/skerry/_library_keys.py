# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Host arrays that dask and xarray pass along with arrays on a device: indices and numbers.

The list in ``d[[3, 1]]`` has no device; dask converts it to a NumPy array for each chunk, and xarray converts the
positions of labels to one. Both pass these arrays to ``x[...]``, without a way to register another conversion. So NumPy
arrays in a key are moved to the device of ``x`` if the caller is one of these libraries. A user's function, for example
one called by ``map_blocks``, gets DeviceMismatchError for the same key. The same holds for NumPy arrays
as values to assign, except a single number that the library has converted to an array.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from skerry import _core
from skerry._data_types import kind_of

LIBRARIES = ("dask", "xarray")
# Functions that xarray calls with host arrays for all arguments but the data: coordinates, and q of quantiles.
WITH_NUMBERS_OF_THE_HOST = {"gradient", "nanquantile", "quantile"}


def beside_the_data(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Move NumPy arguments to the device of the first argument if dask or xarray is the caller.

    The wrapper of a Python function calls this: the library's frame is two up.
    """
    caller: str = sys._getframe(2).f_globals.get("__name__", "")
    if caller.partition(".")[0] not in LIBRARIES or not isinstance(args[0], _core.Array):
        return args, kwargs
    x = args[0]
    return tuple(_on_device(x, argument) for argument in args), {
        key: _on_device(x, argument) for key, argument in kwargs.items()
    }


def number_again(x: _core.Array, value: np.ndarray[Any, Any]) -> Any:
    """Return a one-element NumPy array as an array on the device of ``x`` if dask or xarray assigns it, else unchanged.

    xarray passes the value of ``a[0] = 1.0`` as such an array, with the rank of the target.
    """
    caller: str = sys._getframe(1).f_globals.get("__name__", "")
    if caller.partition(".")[0] not in LIBRARIES or kind_of(value.dtype) not in "biufc":
        return value
    return _core.full(value.shape, value.item(), dtype=x.dtype, device=x.device)


def placed(x: _core.Array, key: Any) -> Any:
    """Return ``key`` with its NumPy arrays on the device of ``x`` if dask or xarray is the caller, else unchanged.

    Parameters
    ----------
    x : Array
        The indexed array.
    key : object
        An index or a tuple of indices, with a NumPy array among them.

    Returns
    -------
    object
        The converted key.

    """
    # The caller is one frame up: the indexing itself is a C slot of the type and has no frame.
    caller: str = sys._getframe(1).f_globals.get("__name__", "")
    if caller.partition(".")[0] not in LIBRARIES:
        return key
    if isinstance(key, tuple):
        return tuple(_on_device(x, part) for part in key)
    return _on_device(x, key)


def _on_device(x: _core.Array, part: Any) -> Any:
    if not isinstance(part, np.ndarray):
        return part
    if part.ndim == 0 and kind_of(part.dtype) in "biufc":
        return part.item()
    return _core.asarray(np.ascontiguousarray(part), device="cpu:0").to_device(x.device)
