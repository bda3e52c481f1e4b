# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Means and variances that ignore NaN."""

from __future__ import annotations

from typing import Any

import numpy as np

import skerry as sk
from skerry._core import Array
from skerry._data_types import kind_of
from skerry._extra._operands import (
    Axis,
    as_arrays,
    cast,
    filled,
    floating_dtype,
    in_passes,
    indices,
    wide,
)
from skerry.exceptions import DTypeError


def _numbers_counted(x: Array, axis: Axis, dtype: Any) -> Array:
    """Count the elements that are not NaN, with axes kept, as an array of the real dtype ``dtype``."""
    return cast(sk.count_nonzero(~sk.isnan(x), axis=axis, keepdims=True), dtype)


def _real(dtype: np.dtype[Any]) -> np.dtype[Any]:
    return np.zeros((), dtype).real.dtype


def drop_reduced_axes(x: Array, operand: Array, axis: Axis, keepdims: bool) -> Array:
    """Drop the axes of length 1 that a reduction of ``operand`` kept."""
    if keepdims:
        return x
    axes = range(operand.ndim) if axis is None else axis if np.iterable(axis) else (axis,)
    return sk.squeeze(x, tuple(axes)) if operand.ndim else x


@in_passes
def means(x: Array, axis: Axis) -> tuple[Array, Array]:
    """Return the means and counts of the elements that are not NaN, with axes kept."""
    count = _numbers_counted(x, axis, _real(x.dtype))
    total = sk.sum(filled(x, 0), axis=axis, keepdims=True)
    return total / cast(count, x.dtype), count


def lost(name: str, ddof: float, correction: float | None) -> float:
    """Return the degrees of freedom to subtract, which are passed as ``ddof`` or as ``correction``."""
    if correction is None:
        return ddof
    if ddof != 0:
        raise ValueError(
            f"{name}: ddof={ddof} and correction={correction} are names of the same parameter; pass one"
        )
    return correction


def selected(name: str, x: Array, mask: Any) -> Array:
    """Return a floating-point array with NaN where the mask, the argument of ``where``, is false."""
    if mask is True:
        return x
    mask = indices(name, mask, x)
    if kind_of(mask.dtype) != "b":
        raise DTypeError(f"{name}: where must be of bool, not {mask.dtype}; compare first")
    return sk.where(mask, x, sk.nan)


def variances(
    name: str, x: Array, axis: Axis, dtype: Any, ddof: float, keepdims: bool, mean: Any, mask: Any
) -> tuple[Array, np.dtype[Any]]:
    """Return the variances, computed in float32 for float16, and the dtype of the result."""
    x = cast(x, dtype or floating_dtype(x.dtype))
    if kind_of(x.dtype) not in "fc":
        raise DTypeError(f"{name}: dtype must be floating, not {x.dtype}; leave it out")
    x, dtype = selected(name, x, mask), _real(x.dtype)
    if mean is not None:
        x, mean = as_arrays(name, x, mean)
    return _variance(wide(x), axis, ddof, keepdims, mean), dtype


@in_passes
def _variance(x: Array, axis: Axis, ddof: float, keepdims: bool, mean: Array | None) -> Array:
    if mean is None:
        mean, count = means(x, axis)
    else:
        count = _numbers_counted(x, axis, _real(x.dtype))
    # Test the elements, not the differences: inf - inf is also NaN.
    away = sk.where(sk.isnan(x), 0, x - cast(mean, x.dtype))
    if kind_of(x.dtype) == "c":
        away = sk.real(away * sk.conj(away))
    else:
        away *= away
    total = sk.sum(away, axis=axis, keepdims=True)
    free = count - ddof
    return drop_reduced_axes(total / sk.where(free > 0, free, sk.nan), x, axis, keepdims)
