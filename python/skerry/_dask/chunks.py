# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Functions on chunks that dask.array looks up in its own tables.

dask calls other functions through NumPy's (``numpy.concatenate``, ``numpy.tensordot``), which dispatch to skerry.
"""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np
import numpy.typing as npt
from dask.array import dispatch

import skerry as sk
from skerry import _core
from skerry._data_types import kind_of

Array = _core.Array


def index_on(x: Array, index: Any) -> Any:
    """Move host indices of dask to the device of the array."""
    if isinstance(index, np.ndarray):
        return sk.asarray(np.ascontiguousarray(index), device=x.device)
    return index


def take(x: Array, indices: Any, axis: int | None = None) -> Array:
    if axis is None:
        x, axis = sk.reshape(x, (-1,)), 0
    return sk.take(x, sk.asarray(index_on(x, indices), device=x.device), axis=axis)


def divide(a: Any, b: Any, out: Array | None = None, dtype: Any = None) -> Any:
    function: Any = np.divide
    x = function(a, b) if out is None else function(a, b, out=out)
    return x if dtype is None else sk.astype(x, dtype, copy=False)


def einsum(*operands: Any, dtype: Any = None, **options: Any) -> Any:
    """Run ``numpy.einsum``; casting and order don't affect values here."""
    options.pop("casting", None)
    options.pop("order", None)
    if dtype is not None:
        operands = tuple(
            sk.astype(x, dtype, copy=False) if isinstance(x, Array) else x for x in operands
        )
    return np.einsum(*operands, **options)


def empty(shape: Any, dtype: Any = None, **_: Any) -> Array:
    """Make an array for ``dask.array.percentile`` on the device of the requested percentiles.

    dask passes no array, since other libraries have one current device. So the percentiles are looked up in the local
    variables of the calling function.
    """
    asking = sys._getframe(1).f_locals
    percentiles = asking.get("finalq", asking.get("q"))
    return sk.empty(
        shape, dtype=dtype, device=percentiles.device if isinstance(percentiles, Array) else None
    )


def numel(
    x: Array,
    axis: Any = None,
    keepdims: bool = False,
    dtype: Any = np.float64,
    **_: Any,
) -> Array:
    """Return the number of elements, without reading them, as an array on the device of ``x``."""
    every = range(x.ndim)
    axes = every if axis is None else axis if isinstance(axis, tuple | list) else [axis]
    along = {i % x.ndim for i in axes} if x.ndim else set()
    count = math.prod(x.shape[i] for i in along)
    if keepdims:
        shape = tuple(1 if i in along else x.shape[i] for i in every)
    else:
        shape = tuple(x.shape[i] for i in every if i not in along)
    return sk.full(shape, count, dtype=dtype, device=x.device)


def nannumel(
    x: Array, axis: Any = None, keepdims: bool = False, dtype: Any = np.float64, **_: Any
) -> Array:
    """Count the elements that are not NaN."""
    if kind_of(x.dtype) not in "fc":
        return numel(x, axis, keepdims, dtype)
    along = tuple(axis) if isinstance(axis, list) else axis
    return sk.sum(~sk.isnan(x), axis=along, keepdims=keepdims, dtype=dtype)


def percentile(a: Array, q: Any, method: str = "linear") -> tuple[Array | None, int]:
    n = a.shape[0]
    if n == 0:
        return None, n
    return np.percentile(a, q, method=method), n  # type: ignore[call-overload]


def to_numpy(data: Array, **_: Any) -> npt.NDArray[Any]:
    """Copy to the host, for ``x.to_backend("numpy")``."""
    return np.asarray(data.to_device("cpu"))


def register() -> None:
    dispatch.concatenate_lookup.register(Array, np.concatenate)
    dispatch.divide_lookup.register(Array, divide)
    dispatch.einsum_lookup.register(Array, einsum)
    dispatch.empty_lookup.register(Array, empty)
    dispatch.nannumel_lookup.register(Array, nannumel)
    dispatch.numel_lookup.register(Array, numel)
    dispatch.percentile_lookup.register(Array, percentile)
    dispatch.take_lookup.register(Array, take)
    dispatch.tensordot_lookup.register(Array, np.tensordot)
    dispatch.to_numpy_dispatch.register(Array, to_numpy)
