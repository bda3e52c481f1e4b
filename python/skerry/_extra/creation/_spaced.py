# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Ranges between bounds that are arrays: one range for each pair of their elements, along a new axis."""

from __future__ import annotations

import contextlib
import operator
from typing import Any

import numpy as np

import skerry as sk
from skerry import _core
from skerry._arrays import arrays_in
from skerry._core import Array
from skerry._data_types import as_dtype, is_stored_only, kind_of
from skerry._extra._operands import as_arrays, axis_within, cast, floating


def have_axes(*values: Any) -> bool:
    """Return whether a value is an array with axes, or a list."""
    return any(
        isinstance(x, list | tuple) or (isinstance(x, Array | np.ndarray) and x.ndim > 0)
        for x in values
    )


def are_complex(*values: Any) -> bool:
    """Return whether a value is complex: a number, or an array of any rank."""
    return any(
        isinstance(x, complex) or kind_of(getattr(x, "dtype", np.dtype(int))) == "c" for x in values
    )


def _bounds(name: str, device: Any, *values: Any) -> list[Array]:
    """Return bounds as floating-point arrays of one dtype, on the device of the arrays among them or on ``device``."""
    if device is not None:
        _core.require_one_device(name, (sk.empty((0,), device=device), *arrays_in(values)))
    with contextlib.nullcontext() if device is None else sk.device(device):
        arrays = as_arrays(name, *values)
    return list(floating(name, *arrays))


def _may_overflow(difference: Array) -> bool:
    """Return whether a difference may be infinite; this is not read from a GPU."""
    return difference.device.kind != "cpu" or bool(sk.any(sk.isinf(difference)))


def _spaced(name: str, start: Array, stop: Array, num: int, endpoint: bool) -> tuple[Array, Array]:
    """Return ranges along a new first axis, and their steps; NaN if there is only one number."""
    if num < 0:
        raise ValueError(f"{name}: num must not be negative: {num}")
    dtype = start.dtype
    if is_stored_only(dtype):  # it can't count the numbers
        start, stop = cast(start, sk.float32), cast(stop, sk.float32)
    intervals = num - 1 if endpoint else num
    difference = stop - start
    shape = (num,) + (1,) * difference.ndim
    index = sk.reshape(sk.arange(num, dtype=start.dtype, device=start.device), shape)
    step = difference / max(intervals, 1)
    result = index * step + start
    if kind_of(start.dtype) == "f" and _may_overflow(difference):
        share = index / max(intervals, 1)
        result = sk.where(sk.isinf(difference), start * (1 - share) + stop * share, result)
    if endpoint and num > 1:
        result[-1] = sk.broadcast_to(stop, difference.shape)
    if intervals <= 0:
        step = sk.full_like(step, sk.nan)
    return cast(result, dtype), cast(step, dtype)


def linspace(
    start: Any,
    stop: Any,
    num: Any = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: Any = None,
    axis: int = 0,
    device: Any = None,
) -> Any:
    """Compute ``linspace`` between arrays."""
    first, last = _bounds("linspace", device, start, stop)
    ranges, step = _spaced("linspace", first, last, operator.index(num), endpoint)
    if dtype is not None and kind_of(as_dtype(dtype)) in "iu":
        ranges = sk.floor(ranges)
    result = _along("linspace", ranges, axis, dtype)
    return (result, step) if retstep else result


def _along(name: str, ranges: Array, axis: int, dtype: Any) -> Array:
    """Move the axis of the ranges, which is the first one, and convert to a dtype."""
    axis = axis_within(name, axis, ranges.ndim)
    ranges = ranges if dtype is None else sk.astype(ranges, dtype, copy=False)
    return sk.moveaxis(ranges, 0, axis)


def logspace(
    start: Any, stop: Any, num: Any, endpoint: bool, base: Any, dtype: Any, axis: int, device: Any
) -> Array:
    """Compute ``logspace`` between arrays."""
    first, last, radix = _bounds("logspace", device, start, stop, base)
    first, last, _ = sk.broadcast_arrays(first, last, radix)
    ranges, _ = _spaced("logspace", first, last, num, endpoint)
    return _along("logspace", sk.pow(radix, ranges), axis, dtype)


def geomspace(
    start: Any, stop: Any, num: Any, endpoint: bool, dtype: Any, axis: int, device: Any
) -> Array:
    """Compute ``geomspace`` between arrays or complex numbers."""
    first, last = sk.broadcast_arrays(*_bounds("geomspace", device, start, stop))
    if bool(sk.any((first == 0) | (last == 0))):
        raise ValueError("geomspace: start and stop must be nonzero")
    # Rotate to a positive real start, as the logarithm of others has an imaginary part.
    sign = sk.sign(first)
    origin, end = sk.log10(first / sign), sk.log10(last / sign)
    ranges, _ = _spaced("geomspace", origin, end, num, endpoint)
    result = sk.pow(sk.asarray(10.0, dtype=ranges.dtype, device=ranges.device), ranges) * sign
    if num > 0:
        result[0] = first
    if num > 1 and endpoint:
        result[-1] = last
    return _along("geomspace", result, axis, dtype)
