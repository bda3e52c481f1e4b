# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Differences and integrals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import skerry as sk
from skerry._arrays import shown
from skerry._core import Array
from skerry._data_types import can_cast, kind_of
from skerry._extra._operands import (
    FLOAT64,
    as_array,
    as_arrays,
    axes_within,
    axis_within,
    cast,
    common_dtype,
    distances,
    flat,
    floating,
    floating_dtype,
    high_and_low,
    in_passes,
    indices,
    is_long_integer,
    slice_along,
    wide,
    without_overflow,
)
from skerry.exceptions import ShapeError

__all__ = ["ediff1d", "gradient", "trapezoid"]


def ediff1d(ary: Any, to_end: Any = None, to_begin: Any = None) -> Array:
    """Return the differences of consecutive elements of the flattened array.

    Parameters
    ----------
    ary : {numbers}
    to_end, to_begin : Array, scalar or sequence, optional
        Numbers to append at the end and to prepend at the beginning.

    Returns
    -------
    Array
        1-D array of the dtype of ``ary``.

    Raises
    ------
    {DeviceMismatchError}
    TypeError
        If ``to_end`` or ``to_begin`` can't be cast to the dtype of ``ary``.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.ediff1d(sk.asarray([1, 2, 4]), to_begin=0)
    Array([0, 1, 2], dtype=int64, device='cpu:0')

    """
    x = flat(as_array("ediff1d", ary))
    parts = []
    for part, name in ((to_begin, "to_begin"), (x, ""), (to_end, "to_end")):
        if part is None:
            continue
        if name:
            part = flat(indices("ediff1d", part, x))
            if not can_cast(part.dtype, x.dtype, "same_kind"):
                raise TypeError(
                    f"ediff1d: {name} can't be cast from {part.dtype} to {x.dtype}; use astype"
                )
            parts.append(cast(part, x.dtype))
        else:
            parts.append(x[1:] - x[:-1])
    return parts[0] if len(parts) == 1 else sk.concat(parts)


def trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1) -> Array:
    """Integrate by the trapezoidal rule.

    Parameters
    ----------
    y : Array
        Values to integrate.
    x : Array, optional
        Sample points of the values: 1-D, or the shape of ``y``.
    dx : float or Array, default 1.0
        Spacing of the sample points if ``x`` is not given.
    axis : int, default -1
        Axis to integrate along.

    Returns
    -------
    Array
        Integrals of a floating-point dtype, without the axis.

    {Raises: DeviceMismatchError}

    Examples
    --------
    >>> import skerry as sk
    >>> sk.trapezoid(sk.asarray([1.0, 2.0, 3.0]), dx=2)
    Array(8., dtype=float64, device='cpu:0')

    """
    if x is None:
        if isinstance(dx, (Array, np.ndarray)):
            values, step = floating("trapezoid", y, dx)
        else:
            values, step = as_array("trapezoid", y), dx
        axis = axis_within("trapezoid", axis, values.ndim)
    else:
        values, positions = as_arrays("trapezoid", y, x)
        values = cast(values, _dtype_beside("trapezoid", values, positions))
        axis = axis_within("trapezoid", axis, values.ndim)
        step = distances(positions, 0 if positions.ndim == 1 else axis, wide(values).dtype)
        if positions.ndim == 1:
            step = sk.reshape(step, (-1,) + (1,) * (values.ndim - axis - 1))
    dtype = floating_dtype(values.dtype)
    return cast(_area(cast(wide(values), floating_dtype(wide(values).dtype)), step, axis), dtype)


def _dtype_beside(name: str, values: Array, positions: Array) -> np.dtype[Any]:
    """Return the common dtype of the floating-point operands, float64 without one."""
    dtypes = [x.dtype for x in (values, positions) if kind_of(x.dtype) in "fc"]
    return common_dtype(name, *dtypes) if dtypes else FLOAT64


def _area(values: Array, step: Any, axis: int) -> Array:
    area: Array = _sum_of_areas(values, step, axis, may_overflow=False)
    if area.device.kind == "cpu" and sk.all(sk.isfinite(area)):
        return area
    area = _sum_of_areas(values, step, axis, may_overflow=True)
    return area


@in_passes
def _sum_of_areas(values: Array, step: Any, axis: int, *, may_overflow: bool) -> Array:
    later, earlier = (slice_along(values, axis, *ends) for ends in ((1, None), (None, -1)))
    area = step * 0.5 * (later + earlier)
    if may_overflow:
        area = sk.where(sk.isinf(area), step * (later * 0.5 + earlier * 0.5), area)
    return sk.sum(area, axis=axis)


def gradient(
    f: Any, *varargs: Any, axis: int | Sequence[int] | None = None, edge_order: int = 1
) -> Any:
    """Estimate derivatives with central differences, and one-sided differences at the ends.

    Parameters
    ----------
    f : Array
        Sampled values.
    *varargs : scalar, Array or sequence
        Spacing: one number for all axes, or for each axis a number or the coordinates along it. By default 1.
    axis : {None is all}
    edge_order : {1, 2}, default 1
        Order of accuracy of the differences at the ends.

    Returns
    -------
    Array or tuple of Array
        Derivatives of a floating-point dtype; a single array for a single axis.

    Raises
    ------
    {DeviceMismatchError}
    ValueError
        If an axis has fewer than ``edge_order + 1`` elements, or the shape of coordinates does not match.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.gradient(sk.asarray([1.0, 2.0, 4.0, 7.0]), 0.5)
    Array([2., 3., 5., 6.], dtype=float64, device='cpu:0')

    """
    x = as_array("gradient", f)
    axes = axes_within("gradient", axis, x.ndim)
    if edge_order not in (1, 2):
        raise ValueError(f"gradient: edge_order must be 1 or 2, not {shown(edge_order)}")
    steps = _steps(x, axes, varargs)
    for axis_index in axes:
        if (n := x.shape[axis_index]) < edge_order + 1:
            raise ShapeError(
                f"gradient: {n} elements along axis {axis_index}; needs at least {edge_order + 1}"
            )
    pairs = zip(axes, steps, strict=True)
    derivatives = tuple(_derivative(x, along, step, edge_order) for along, step in pairs)
    return derivatives[0] if len(derivatives) == 1 else derivatives


def _steps(x: Array, axes: tuple[int, ...], spacings: tuple[Any, ...]) -> list[Any]:
    """Return for each axis its spacing: a number or an array of the distances of its elements."""
    if not spacings:
        return [1.0] * len(axes)
    only = spacings[0]
    if len(spacings) == 1 and (only.ndim if isinstance(only, Array) else np.ndim(only)) == 0:
        spacings = spacings * len(axes)
    if len(spacings) != len(axes):
        raise TypeError(
            f"gradient: {len(spacings)} spacings in varargs for {len(axes)} axes; pass one for each"
        )
    steps: list[Any] = []
    for axis, spacing in zip(axes, spacings, strict=True):
        if isinstance(spacing, (int, float, np.generic)):
            steps.append(float(spacing) if not isinstance(spacing, complex) else spacing)
            continue
        positions = indices("gradient", spacing, x)
        if positions.ndim == 0:
            dtype = _dtype_beside("gradient", x, positions)
            steps.append(cast(positions, dtype))
        elif positions.shape != (x.shape[axis],):
            raise ShapeError(
                f"gradient: coordinates must have shape ({x.shape[axis]},) for axis {axis}, not {positions.shape}"
            )
        else:
            dtype = _dtype_beside("gradient", x, positions)
            apart = distances(positions, 0, dtype)
            steps.append(sk.reshape(apart, (-1,) + (1,) * (x.ndim - axis - 1)))
    return steps


def _derivative(x: Array, axis: int, step: Any, edge_order: int) -> Array:
    """Compute the derivative: float16 in float32, 64-bit integers in two float64 parts."""
    dtype = floating_dtype(x.dtype)
    if isinstance(step, Array):
        if kind_of(step.dtype) == "c" != kind_of(dtype):
            dtype = common_dtype("gradient", dtype, step.dtype)
        step = wide(step)
    if is_long_integer(x.dtype):
        high, low = (_differences(part, axis, step, edge_order) for part in high_and_low(x))
        return cast(high + low, dtype)
    numbers = cast(wide(x), floating_dtype(wide(x).dtype))
    return cast(_differences(numbers, axis, step, edge_order), dtype)


def _half_slope(later: Array, earlier: Array, run: Any) -> Array:
    """Return ``(later - earlier) / run / 2``."""
    slope = (later - earlier) / (2.0 * run)
    return without_overflow(slope, lambda: (later * 0.5 - earlier * 0.5) / run)


def _differences(x: Array, axis: int, step: Any, edge_order: int) -> Array:
    def part(start: int | None, stop: int | None) -> Array:
        return slice_along(x, axis, start, stop)

    even = not isinstance(step, Array) or step.ndim == 0
    if even:
        inner = _half_slope(part(2, None), part(None, -2), step)
    else:
        # Use ratios, as products of distances may overflow or underflow.
        previous_step, next_step = step[:-1, ...], step[1:, ...]
        both = previous_step + next_step
        inner = (
            part(None, -2) * (-(next_step / both) / previous_step)
            + part(1, -1) * ((next_step - previous_step) / previous_step / next_step)
            + part(2, None) * (previous_step / both / next_step)
        )
    if edge_order == 1:
        first_step, last_step = (step, step) if even else (step[:1, ...], step[-1:, ...])
        first = 2.0 * _half_slope(part(1, 2), part(0, 1), first_step)
        last = 2.0 * _half_slope(part(-1, None), part(-2, -1), last_step)
    else:
        first = _edge(part(0, 1), part(1, 2), part(2, 3), step if even else step[:2, ...])
        end_steps = step if even else sk.flip(step[-2:, ...], axis=0)
        last = -_edge(part(-1, None), part(-2, -1), part(-3, -2), end_steps)
    parts = [first, inner, last]
    dtype = common_dtype("gradient", *(array.dtype for array in parts))
    result: Array = sk.concat([cast(array, dtype) for array in parts], axis=axis)
    return result


def _edge(first: Array, second: Array, third: Array, step: Any) -> Array:
    """Return the derivative at the first of three elements of the parabola through them."""
    if not isinstance(step, Array) or step.ndim == 0:
        result: Array = (-1.5 / step) * first + (2.0 / step) * second + (-0.5 / step) * third
        return result
    first_step, second_step = step[:1, ...], step[1:, ...]
    return (
        first * (-(2.0 * first_step + second_step) / (first_step + second_step) / first_step)
        + second * ((first_step + second_step) / first_step / second_step)
        + third * (-first_step / (first_step + second_step) / second_step)
    )
