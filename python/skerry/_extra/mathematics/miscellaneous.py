# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Convolution, interpolation and other functions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import skerry as sk
from skerry import _core
from skerry._core import Array
from skerry._data_types import kind_of, limits_of
from skerry._extra._operands import (
    as_array,
    as_arrays,
    cast,
    complex_of,
    floating,
    indices,
    promoted,
    real_floating,
    require_beside,
)
from skerry._outputs import require_cast
from skerry.exceptions import ShapeError

__all__ = ["bitwise_count", "cbrt", "convolve", "fabs", "heaviside", "interp", "nan_to_num"]


def bitwise_count(x: Any, /) -> Array:
    """Count the ones in the bits of the absolute values.

    Parameters
    ----------
    x : Array
        Input array of an integer dtype or bool.

    Returns
    -------
    Array
        Array of dtype uint8.

    Raises
    ------
    TypeError
        If the dtype is floating-point.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.bitwise_count(sk.asarray([0, 7, -8]))
    Array([0, 3, 1], dtype=uint8, device='cpu:0')

    """
    x = as_array("bitwise_count", x)
    return cast(x, sk.uint8) if kind_of(x.dtype) == "b" else _core.bitwise_count(x)


def cbrt(x: Any, /) -> Array:
    """Compute the cube roots, which have the sign of ``x``.

    Parameters
    ----------
    x : {real}

    {Returns: floating}

    Examples
    --------
    >>> import skerry as sk
    >>> sk.cbrt(sk.asarray([27, -8]))
    Array([ 3., -2.], dtype=float64, device='cpu:0')

    """
    return _core.cbrt(*real_floating("cbrt", x))


def convolve(a: Any, v: Any, mode: str = "full") -> Array:
    """Return the discrete, linear convolution of two vectors.

    Products are summed in the order of the shorter vector, with the same bits on every device; integers wrap around.
    If both vectors and the result have 384 elements or more, finite floating-point numbers are convolved by Fourier
    transforms in float64 or complex128: the error relative to the norm is below 1e-13. Whether all numbers are finite
    is then read from the device: the call waits for it.

    Parameters
    ----------
    a, v : Array
        1-D arrays.
    mode : {"full", "same", "valid"}, default "full"
        The full convolution; its central part, as long as the longer vector; or the part where the vectors overlap
        completely.

    {Returns: common dtype}

    Raises
    ------
    {DeviceMismatchError}
    ValueError
        If an array is empty or not 1-D.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.convolve(sk.asarray([1, 2, 3]), sk.asarray([0, 1]), "same")
    Array([0, 1, 2], dtype=int64, device='cpu:0')

    """
    x, y = promoted("convolve", a, v)
    result: Array = _core.convolve(x, y, mode)
    return result


def interp(
    x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: float | None = None
) -> Array:
    """Interpolate piecewise linearly between points.

    Parameters
    ----------
    x : Array or scalar
        Coordinates at which to interpolate.
    xp, fp : Array
        Coordinates and values of the points, 1-D. ``xp`` must increase; as in NumPy this is not checked, and the
        results are meaningless otherwise.
    left, right : scalar, optional
        Values to the left of the first point and to the right of the last; by default those of the points.
    period : float, optional
        Period of the coordinates; ``xp`` need not increase then.

    Returns
    -------
    Array
        Values of float64 or complex128, with the shape of ``x``.

    Raises
    ------
    {DeviceMismatchError}
    ValueError
        If there are no points, or ``xp`` and ``fp`` have different shapes.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.interp(sk.asarray([0.5, 3.0]), sk.asarray([0.0, 1.0, 2.0]), sk.asarray([0.0, 10.0, 15.0]))
    Array([ 5., 15.], dtype=float64, device='cpu:0')

    """
    coordinates, points, values = as_arrays("interp", x, xp, fp)
    if points.ndim != 1 or values.shape != points.shape:
        raise ShapeError(
            f"interp: xp and fp must be 1-D and of the same length: {points.shape} and {values.shape}"
        )
    if points.size == 0:
        raise ValueError("interp: xp is empty; pass at least one point")
    if period is not None:
        coordinates, points, values = _in_one_period(coordinates, points, values, period)
        left = right = None
    result = _interpolated(coordinates, points, values)
    if left is not None:
        result = sk.where(coordinates < points[0, ...], left, result)
    if right is not None:
        result = sk.where(coordinates > points[-1, ...], right, result)
    return result


def _interpolated(coordinates: Array, points: Array, values: Array) -> Array:
    if kind_of(values.dtype) != "c":
        return _core.interp(coordinates, points, values)
    # Interpolate the parts separately, so that an infinite part does not affect the other.
    real, imag = (_core.interp(coordinates, points, part(values)) for part in (sk.real, sk.imag))
    return complex_of(real, imag, sk.complex128)


def _in_one_period(
    coordinates: Array, points: Array, values: Array, period: float
) -> tuple[Array, Array, Array]:
    """Reduce coordinates to one period, sort the points, and add one point at each end."""
    if period == 0:
        raise ValueError("interp: period must not be 0")
    period = abs(period)
    coordinates, points = cast(coordinates, sk.float64) % period, cast(points, sk.float64) % period
    order = sk.argsort(points, stable=True)
    points, values = sk.take(points, order), sk.take(values, order)
    points = sk.concat([points[-1:] - period, points, points[:1] + period])
    return coordinates, points, sk.concat([values[-1:], values, values[:1]])


def fabs(x: Any, /) -> Array:
    """Compute the absolute values in a floating-point dtype.

    Parameters
    ----------
    x : {real}

    {Returns: floating}

    Examples
    --------
    >>> import skerry as sk
    >>> sk.fabs(sk.asarray([-1, 2]))
    Array([1., 2.], dtype=float64, device='cpu:0')

    """
    return _core.fabs(*floating("fabs", x))


def heaviside(x1: Any, x2: Any, /) -> Array:
    """Compute the Heaviside step function: 0 if ``x1 < 0``, 1 if ``x1 > 0``, and ``x2`` if ``x1 == 0``.

    Parameters
    ----------
    x1, x2 : {real, one array}

    Returns
    -------
    Array
        Array of a floating-point dtype; NaN where ``x1`` is NaN.

    {Raises: DeviceMismatchError}

    Examples
    --------
    >>> import skerry as sk
    >>> sk.heaviside(sk.asarray([-1.5, 0.0, 2.0]), 0.5)
    Array([0. , 0.5, 1. ], dtype=float64, device='cpu:0')

    """
    return _core.heaviside(*floating("heaviside", x1, x2))


def nan_to_num(
    x: Any,
    copy: bool = True,
    nan: Any = 0.0,
    posinf: Any = None,
    neginf: Any = None,
) -> Array:
    """Replace NaN and infinities by finite numbers.

    Parameters
    ----------
    x : Array
        Input array of any dtype; only floating-point values change.
    copy : bool, default True
        Whether to return a new array; otherwise ``x`` is modified and returned.
    nan, posinf, neginf : scalar or Array
        Replacements of NaN and of the infinities; by default 0, and the largest and smallest finite numbers of the
        dtype. Arrays broadcast to the shape of ``x``.

    Returns
    -------
    Array
        Array of the dtype of ``x``; the parts of complex numbers are replaced separately.

    Raises
    ------
    {DeviceMismatchError}
    DTypeError
        If the dtype of an array of replacements does not cast to that of ``x``.
    ShapeError
        If an array of replacements does not broadcast to the shape of ``x``.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.nan_to_num(sk.asarray([1.0, sk.nan, -sk.inf]), neginf=0.0)
    Array([1., 0., 0.], dtype=float64, device='cpu:0')

    """
    x = as_array("nan_to_num", x)
    require_beside("nan_to_num", x, nan, posinf, neginf)
    if kind_of(x.dtype) not in "fc":
        return sk.asarray(x, copy=True) if copy else x  # the copy keeps the axis order
    replacements = [
        _replacement(name, value, x)
        for name, value in (("nan", nan), ("posinf", posinf), ("neginf", neginf))
    ]
    if kind_of(x.dtype) == "c":
        real, imag = (_numbers(part(x), *replacements) for part in (sk.real, sk.imag))
        result = complex_of(real, imag, x.dtype)
    else:
        result = _numbers(x, *replacements)
    if copy:
        return result
    x[...] = result
    written: Array = x
    return written


def _replacement(name: str, value: Any, x: Array) -> Any:
    """Return a scalar or None itself; convert an array or a list to the dtype of the parts of ``x``."""
    if not isinstance(value, Array | np.ndarray | list | tuple):
        return value
    array = indices("nan_to_num", value, x)
    dtype = limits_of(x.dtype).dtype
    require_cast("nan_to_num", name, array.dtype, "x", dtype, "same_kind")
    if sk.broadcast_shapes(array.shape, x.shape) != x.shape:
        raise ShapeError(
            f"nan_to_num: {name} must broadcast to the shape of x, {x.shape}, but has shape {array.shape}"
        )
    return cast(array, dtype)


def _numbers(x: Array, nan: Any, posinf: Any, neginf: Any) -> Array:
    has_arrays = isinstance(nan, Array)
    if not has_arrays and nan == 0 and math.copysign(1.0, nan) > 0 and posinf is neginf is None:
        return _core.nan_to_num(x)
    most = float(limits_of(x.dtype).max)
    above = most if posinf is None else posinf
    below = -most if neginf is None else neginf
    # clip keeps NaN and replaces both infinities in one pass.
    if posinf is None and neginf is None:
        x = sk.clip(x, -most, most)
    else:
        x = sk.where(x == sk.inf, above, sk.where(x == -sk.inf, below, x))
    if x.ndim == 0 or has_arrays:  # a 0-d mask as an index would be read from the device
        return sk.where(sk.isnan(x), nan, x)
    x[sk.isnan(x)] = nan
    return x
