# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Padding."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

import skerry as sk
from skerry import _core
from skerry._arrays import shown
from skerry._core import Array
from skerry._data_types import kind_of
from skerry._extra._operands import (
    as_array,
    axis_within,
    cast,
    host_values,
    mean_of_two,
    reduced,
    slice_along,
    to_nearest,
)
from skerry.exceptions import DTypeError

__all__ = ["pad"]

Fill = Callable[[Array, int, tuple[int, int], int], None]

OPTIONS: dict[str, tuple[str, ...]] = {
    "constant": ("constant_values",),
    "edge": (),
    "empty": (),
    "linear_ramp": ("end_values",),
    "maximum": ("stat_length",),
    "mean": ("stat_length",),
    "median": ("stat_length",),
    "minimum": ("stat_length",),
    "reflect": ("reflect_type",),
    "symmetric": ("reflect_type",),
    "wrap": (),
}
_NAMES = ("constant_values", "end_values", "stat_length", "reflect_type")


def pad(
    array: Any,
    pad_width: Any,
    mode: str | Callable[..., Any] = "constant",
    *,
    constant_values: Any = None,
    end_values: Any = None,
    stat_length: Any = None,
    reflect_type: str | None = None,
    **kwargs: Any,
) -> Array:
    """Pad an array.

    Parameters
    ----------
    array : {any dtype}
    pad_width : int, pairs of int, or dict of axis and pair
        Number of elements to add before and after, for all axes or for each axis.
    mode : str or callable, default "constant"
        Values of the added elements: "constant", "edge", "linear_ramp", "maximum", "mean", "median", "minimum",
        "reflect", "symmetric", "wrap", or "empty" for uninitialized. A function is called with each padded vector
        along each axis, which it changes in place, its pair of widths, the axis, and ``kwargs`` as a dict.
    constant_values, end_values : scalar or pairs of them, optional
        Values for "constant" and end values for "linear_ramp", 0 by default.
    stat_length : int or pairs of int, optional
        Number of elements at each end for statistics; by default all. Mean and median of no floats are NaN.
    reflect_type : {"even", "odd"}, optional
        For "reflect" and "symmetric": "odd" subtracts the reflected values from twice the edge value.
    **kwargs
        Options of a function that is the mode.

    Returns
    -------
    Array
        Padded array of the dtype of ``array``.

    Raises
    ------
    ValueError, OverflowError
        If the mode is unknown, does not have one of the options, or needs elements of an empty axis; or if a number is
        out of range of an integer dtype.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.pad(sk.asarray([1, 2, 3]), (1, 2), mode="reflect")
    Array([2, 1, 2, 3, 2, 1], dtype=int64, device='cpu:0')

    """
    x = as_array("pad", array)
    widths = _widths(host_values("pad", pad_width, x), x.ndim)
    if callable(mode):
        return _padded_by_function(mode, x, widths, kwargs)
    if not kwargs and mode == "constant" and end_values is stat_length is reflect_type is None:
        value = 0 if constant_values is None else constant_values
        if isinstance(value, int | float | complex):
            return _padded_with(x, widths, value)
    values = (constant_values, end_values, stat_length, reflect_type)
    return _padded_by(mode, dict(zip(_NAMES, values, strict=True)) | kwargs, x, widths)


def _padded_by_function(
    function: Callable[..., Any], x: Array, widths: list[tuple[int, int]], options: dict[str, Any]
) -> Array:
    """Pad with zeros, and call a function for each vector along each axis, which it changes in place."""
    result = _padded_with(x, widths, 0)
    for axis, pair in enumerate(widths):
        vectors = sk.moveaxis(result, axis, -1)
        for index in np.ndindex(vectors.shape[:-1]):
            function(vectors[(*index, slice(None))], pair, axis, options)
    return result


def _padded_by(
    mode: str, options: dict[str, Any], x: Array, widths: list[tuple[int, int]]
) -> Array:
    """Pad axis by axis according to the mode."""
    values = host_values("pad", options, x)
    options = {key: value for key, value in values.items() if value is not None}
    fill = _filler(mode, options, x.ndim)
    if mode not in ("constant", "empty"):
        for axis, pair in enumerate(widths):
            if x.shape[axis] == 0 and any(pair):
                raise ValueError(
                    f"pad: axis {axis} has no elements; use mode='constant' or 'empty'"
                )
    return _padded(x, widths, fill)


def _padded_with(x: Array, widths: list[tuple[int, int]], value: complex) -> Array:
    """Pad with a single number."""
    if value:
        value = _element(value, x.dtype)
    shape = tuple(
        [
            n + before_width + after_width
            for n, (before_width, after_width) in zip(x.shape, widths, strict=True)
        ]
    )
    result = _core.empty_in_order(x, shape)
    inside = result
    for axis, (before_width, after_width) in enumerate(widths):
        front = (slice(None),) * axis
        if before_width:
            inside[(*front, slice(before_width))] = value
        if after_width:
            inside[(*front, slice(-after_width, None))] = value
        inside = inside[(*front, slice(before_width, shape[axis] - after_width))]
    inside[...] = x
    return result


def _padded(x: Array, widths: list[tuple[int, int]], fill: Fill | None) -> Array:
    shape = tuple(n + sum(pair) for n, pair in zip(x.shape, widths, strict=True))
    result = _core.empty_in_order(x, shape)
    inside = [slice(pair[0], pair[0] + n) for n, pair in zip(x.shape, widths, strict=True)]
    result[tuple(inside)] = x
    for axis, pair in enumerate(widths):
        if fill is not None and any(pair):
            # The axes before this one are padded already, those after it are not.
            part = result[(*(slice(None),) * (axis + 1), *inside[axis + 1 :])]
            fill(part, axis, pair, x.shape[axis])
    return result


def _widths(pad_width: Any, ndim: int) -> list[tuple[int, int]]:
    if type(pad_width) is int and pad_width >= 0:
        return [(pad_width, pad_width)] * ndim
    if isinstance(pad_width, dict):
        widths = [(0, 0)] * ndim
        for axis, pair in pad_width.items():
            both_widths = np.broadcast_to(np.asarray(pair), (2,)).tolist()
            widths[axis_within("pad", axis, ndim)] = (both_widths[0], both_widths[1])
    else:
        host = np.asarray(pad_width)
        if kind_of(host.dtype) not in "iu":
            if all(isinstance(n, int) for n in np.asarray(pad_width, dtype=object).flat):
                raise OverflowError(
                    "pad: pad_width does not fit 64 bits"
                )  # NumPy converted it to floats or objects
            raise DTypeError(f"pad: pad_width must be integers, not {host.dtype}")
        widths = [
            (before_width, after_width)
            for before_width, after_width in np.broadcast_to(host, (ndim, 2)).tolist()
        ]
    if any(n < 0 for pair in widths for n in pair):
        raise ValueError(
            f"pad: pad_width must not be negative: {pad_width}; use a slice to shorten axes"
        )
    return widths


def _filler(mode: str, options: dict[str, Any], ndim: int) -> Fill | None:
    """Return the function that fills the padding of one axis; None to leave it uninitialized."""
    if mode not in OPTIONS:
        raise ValueError(f"pad: unknown mode: {shown(mode)}; use one of {', '.join(OPTIONS)}")
    unknown = set(options) - set(OPTIONS[mode])
    if unknown:
        raise ValueError(f"pad: mode {mode!r} does not accept {', '.join(sorted(unknown))}")
    if mode == "empty":
        return None
    if mode == "constant":
        values = _pairs(options.get("constant_values", 0), ndim)
        return lambda part, axis, pair, n: _set_ends(part, axis, pair, n, values[axis])
    if mode == "linear_ramp":
        ends = _pairs(options.get("end_values", 0), ndim)
        return lambda part, axis, pair, n: _set_ramps(part, axis, pair, n, ends[axis])
    if "stat_length" in OPTIONS[mode]:
        lengths = options.get("stat_length")
        counts = _pairs(lengths, ndim) if lengths is not None else [(None, None)] * ndim
        return lambda part, axis, pair, n: _set_statistics(part, axis, pair, n, mode, counts[axis])
    kind = options.get("reflect_type", "even")
    if kind not in ("even", "odd"):
        raise ValueError(f"pad: unknown reflect_type: {shown(kind)}; use 'even' or 'odd'")
    return lambda part, axis, pair, n: _set_repeated(part, axis, pair, n, mode, kind == "odd")


def _pairs(values: Any, ndim: int) -> list[Any]:
    return [tuple(pair) for pair in np.broadcast_to(np.asarray(values), (ndim, 2)).tolist()]


def _ends(part: Array, axis: int, pair: tuple[int, int], n: int) -> list[Array]:
    """Return views of the padding before and after the elements."""
    before_width, _ = pair
    return [
        slice_along(part, axis, 0, before_width),
        slice_along(part, axis, before_width + n, None),
    ]


def _element(value: Any, dtype: np.dtype[Any]) -> Any:
    """Convert a number to a dtype; floats are truncated to integers."""
    if kind_of(dtype) in "iu":
        limits = np.iinfo(dtype)
        is_number = isinstance(value, int) or (isinstance(value, float) and math.isfinite(value))
        if not (is_number and limits.min <= int(value) <= limits.max):
            raise OverflowError(
                f"pad: {value} is out of range of {dtype}, which is {limits.min} to {limits.max}"
            )
    return np.asarray(value).astype(dtype).item()


def _set_ends(part: Array, axis: int, pair: tuple[int, int], n: int, values: Any) -> None:
    for view, value in zip(_ends(part, axis, pair, n), values, strict=True):
        view[...] = sk.asarray(_element(value, part.dtype), dtype=part.dtype, device=part.device)


def _edges(part: Array, axis: int, pair: tuple[int, int], n: int) -> list[Array]:
    first, last = pair[0], pair[0] + n - 1
    return [slice_along(part, axis, i, i + 1) for i in (first, last)]


def _set_ramps(part: Array, axis: int, pair: tuple[int, int], n: int, ends: Any) -> None:
    views, edges = _ends(part, axis, pair, n), _edges(part, axis, pair, n)
    for view, edge, end, width, first in zip(views, edges, ends, pair, (True, False), strict=True):
        if not width:
            continue
        steps = sk.arange(width, device=part.device)
        steps = sk.reshape(
            steps if first else sk.flip(steps), (-1,) + (1,) * (part.ndim - axis - 1)
        )
        whole = _element(end, edge.dtype) if kind_of(edge.dtype) in "iu" else None
        if whole is not None and whole == end:
            view[...] = _ramp_of_integers(edge, whole, steps, width)
            continue
        number = edge if kind_of(edge.dtype) == "c" else cast(edge, sk.float64)
        ramp = _ramp(number, end, cast(steps, number.dtype), width)
        view[...] = cast(sk.floor(ramp) if kind_of(edge.dtype) in "iu" else ramp, part.dtype)


def _ramp(edge: Array, end: Any, steps: Array, width: int) -> Array:
    """Return ``end + (edge - end) * steps / width``, without intermediate overflow."""
    risen = (edge - end) * steps
    share = steps / width
    mixed = sk.where(share == 0, end, edge * share + end * (1 - share))
    return sk.where(sk.isfinite(risen), risen / width + end, mixed)


def _ramp_of_integers(edge: Array, end: int, steps: Array, width: int) -> Array:
    """Return the exact ramp of integers, rounded down: differences fit unsigned 64-bit integers."""

    def bits_of(x: Array) -> Array:
        return cast(x, sk.int64).view(sk.uint64) if x.dtype != np.uint64 else x

    steps = bits_of(steps)
    rises = edge >= end
    start = bits_of(sk.asarray(end, dtype=edge.dtype, device=edge.device))
    distance = sk.where(rises, bits_of(edge) - start, start - bits_of(edge))
    quotient, rest = distance // width, distance % width
    # Round the way of a falling ramp up: it is subtracted, so the result is rounded down.
    carried = (rest * steps + cast(~rises, sk.uint64) * (width - 1)) // width
    way = quotient * steps + carried
    result = sk.where(rises, start + way, start - way)
    return result if edge.dtype == np.uint64 else cast(result.view(sk.int64), edge.dtype)


def _set_statistics(
    part: Array, axis: int, pair: tuple[int, int], n: int, mode: str, lengths: Any
) -> None:
    inside = slice_along(part, axis, pair[0], pair[0] + n)
    statistics = []
    for length, first in zip(lengths, (True, False), strict=True):
        count = n if length is None else min(int(length), n)
        if count < 0 or (
            count == 0 and (mode not in ("mean", "median") or kind_of(part.dtype) not in "fc")
        ):
            raise ValueError(f"pad: stat_length must be at least 1, not {length}")
        if count == 0:
            statistics.append(sk.asarray(sk.nan, dtype=part.dtype, device=part.device))
            continue
        chunk = (
            slice_along(inside, axis, 0, count)
            if first
            else slice_along(inside, axis, n - count, n)
        )
        statistics.append(_statistic(chunk, axis, mode))
    for view, value in zip(_ends(part, axis, pair, n), statistics, strict=True):
        view[...] = value


def _statistic(x: Array, axis: int, mode: str) -> Array:
    """Return the statistic with the axis kept; integers are rounded."""
    if mode in ("maximum", "minimum"):
        return (sk.max if mode == "maximum" else sk.min)(x, axis=axis, keepdims=True)
    if mode == "mean":
        return _mean(x, axis)
    n = x.shape[axis]
    ordered = sk.sort(x, axis=axis)
    if kind_of(x.dtype) != "f":
        return _mean(slice_along(ordered, axis, (n - 1) // 2, n // 2 + 1), axis)
    low, high = (slice_along(ordered, axis, i, i + 1) for i in ((n - 1) // 2, n // 2))
    missing = sk.any(sk.isnan(x), axis=axis, keepdims=True)
    return sk.where(missing, sk.nan, mean_of_two(low, high))


def _mean(x: Array, axis: int) -> Array:
    """Return means with the axis kept; exact means of integers are rounded, halves to even."""
    if kind_of(x.dtype) not in "iu":
        return cast(reduced(x, sk.mean, axis=axis, keepdims=True), x.dtype)
    n = x.shape[axis]
    numbers = x if x.dtype == np.uint64 else cast(x, sk.int64)
    # Sum quotients and remainders separately, as the sum of the elements may overflow.
    quotient = numbers // n
    rest = sk.sum(numbers - quotient * n, axis=axis, keepdims=True)
    whole = sk.sum(quotient, axis=axis, keepdims=True) + rest // n
    return cast(to_nearest(whole, rest % n, n), x.dtype)


def _set_repeated(
    part: Array, axis: int, pair: tuple[int, int], n: int, mode: str, odd: bool
) -> None:
    before_width, after_width = pair
    inside = slice_along(part, axis, before_width, before_width + n)
    ranges = ((-before_width, 0), (n, n + after_width))
    for view, (start, stop) in zip(_ends(part, axis, pair, n), ranges, strict=True):
        if start == stop:
            continue
        indices = sk.arange(start, stop, device=part.device)
        if mode == "edge":
            view[...] = (
                slice_along(inside, axis, 0, 1)
                if start < 0
                else slice_along(inside, axis, n - 1, n)
            )
        elif mode == "wrap":
            view[...] = sk.take(inside, indices % n, axis=axis)
        else:
            view[...] = _reflected(inside, indices, axis, mode == "symmetric", odd)


def _reflected(inside: Array, indices: Array, axis: int, with_edge: bool, odd: bool) -> Array:
    """Return the elements at ``indices`` of the array mirrored repeatedly at both ends.

    An odd reflection about the last element e is ``2 * e - x``. So copy number k of the array is raised by k times the
    difference of its ends if k is even; the copies between are reversed and mirrored.
    """
    n = inside.shape[axis]
    period = n if with_edge else n - 1
    if period == 0:
        return sk.take(inside, indices * 0, axis=axis)
    turn, rest = indices // period, indices % period
    reversed_ = turn % 2 == 1
    source = sk.where(reversed_, (n - 1) - rest, rest)
    elements = sk.take(inside, source, axis=axis)
    if not odd:
        return elements
    first, last = slice_along(inside, axis, 0, 1), slice_along(inside, axis, n - 1, n)
    shape = (-1,) + (1,) * (inside.ndim - axis - 1)
    turn = cast(sk.reshape(turn, shape), inside.dtype)
    raised = elements + _times(turn, last - first)
    mirrored = (last + last) - elements + _times(turn - 1, last - first)
    return sk.where(sk.reshape(reversed_, shape), mirrored, raised)


def _times(turns: Array, rise: Array) -> Array:
    """Multiply; 0 turns give 0, even for an infinite rise."""
    product = turns * rise
    return sk.where(turns == 0, 0, product) if kind_of(product.dtype) in "fc" else product
