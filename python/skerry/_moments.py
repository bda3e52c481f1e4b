# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""``mean``, ``std`` and ``var`` with where= or mean=: python/bindings/reduction_options.cpp calls them."""

from __future__ import annotations

from typing import Any

import numpy as np

import skerry as sk
from skerry import _core
from skerry._arrays import arrays_in
from skerry._core import Array
from skerry._data_types import is_stored_only, kind_of, limits_of
from skerry._ufunc_calls import mask_argument
from skerry.exceptions import ShapeError


def mean(
    x: Array, *, axis: Any = None, dtype: Any = None, keepdims: bool = False, where: Any = True
) -> Array:
    """Return the mean of the selected elements; NaN if there are none."""
    elements, mask, result_dtype = _operands("mean", x, dtype, where)
    result = _sum(elements, mask, axis) / _count(elements, mask, axis)
    return _reduced(result, result_dtype, axis, keepdims)


def var(
    x: Array,
    *,
    axis: Any = None,
    dtype: Any = None,
    keepdims: bool = False,
    correction: float = 0.0,
    where: Any = True,
    mean: Any = None,
) -> Array:
    """Return the variance of the selected elements."""
    result, result_dtype = _variance("var", x, axis, dtype, correction, where, mean)
    return _reduced(result, result_dtype, axis, keepdims)


def std(
    x: Array,
    *,
    axis: Any = None,
    dtype: Any = None,
    keepdims: bool = False,
    correction: float = 0.0,
    where: Any = True,
    mean: Any = None,
) -> Array:
    """Return the standard deviation of the selected elements."""
    result, result_dtype = _variance("std", x, axis, dtype, correction, where, mean)
    return _reduced(sk.sqrt(result), result_dtype, axis, keepdims)


def _operands(
    name: str, x: Array, dtype: Any, condition: Any
) -> tuple[Array, Array, np.dtype[Any]]:
    """Return the elements, as they are summed, the mask, and the dtype of the result."""
    one = sk.zeros((1,), dtype=x.dtype, device="cpu:0")
    result_dtype = getattr(sk, name)(one, dtype=dtype).dtype  # raises for other dtypes
    mask = mask_argument(name, condition, x)
    _core.require_one_device(name, (x, mask))
    if sk.broadcast_shapes(x.shape, mask.shape) != x.shape:
        raise ShapeError(
            f"{name}: where has shape {mask.shape}, which does not broadcast to {x.shape}"
        )
    elements_dtype = dtype or (x.dtype if kind_of(x.dtype) in "fc" else result_dtype)
    x = sk.astype(x, elements_dtype, copy=False)
    x = sk.astype(x, sk.float32) if is_stored_only(x.dtype) else x
    return x, sk.broadcast_to(mask, x.shape), result_dtype


def _sum(x: Array, mask: Array, axis: Any) -> Array:
    zero = sk.zeros((), dtype=x.dtype, device=x.device)
    return sk.sum(sk.where(mask, x, zero), axis=axis, keepdims=True)


def _count(x: Array, mask: Array, axis: Any) -> Array:
    return sk.astype(sk.sum(mask, axis=axis, keepdims=True), limits_of(x.dtype).dtype)


def _variance(
    name: str, x: Array, axis: Any, dtype: Any, correction: float, condition: Any, mean: Any
) -> tuple[Array, np.dtype[Any]]:
    """Return the variance with the reduced axes, and the dtype of the result."""
    elements, mask, result_dtype = _operands(name, x, dtype, condition)
    count = _count(elements, mask, axis)
    if mean is None:
        center = _sum(elements, mask, axis) / count
    else:
        _core.require_one_device(name, (x, *arrays_in(mean)))
        center = mean if isinstance(mean, Array) else sk.asarray(mean, device=x.device)
        if sk.broadcast_shapes(x.shape, center.shape) != x.shape:
            raise ShapeError(
                f"{name}: mean has shape {center.shape}, which does not broadcast to {x.shape}; "
                "compute it with keepdims=True"
            )
        center = sk.astype(center, elements.dtype, copy=False)
    deviations = elements - center
    squares = sk.square(sk.real(deviations))
    if kind_of(elements.dtype) == "c":
        squares = squares + sk.square(sk.imag(deviations))
    return _sum(squares, mask, axis) / sk.maximum(count - correction, 0), result_dtype


def _reduced(result: Array, dtype: np.dtype[Any], axis: Any, keepdims: bool) -> Array:
    """Remove the reduced axes, which have length 1."""
    axes = tuple(range(result.ndim)) if axis is None else axis
    return sk.astype(result if keepdims else sk.squeeze(result, axis=axes), dtype, copy=False)
