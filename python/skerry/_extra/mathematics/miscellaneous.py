# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Convolution and interpolation."""

from __future__ import annotations

from typing import Any

import skerry as sk
from skerry import _core
from skerry._core import Array
from skerry._extra._operands import as_arrays, cast, complex_of, promoted
from skerry.exceptions import ShapeError

__all__ = ["convolve", "correlate", "interp"]


def convolve(a: Any, v: Any, mode: str = "full") -> Array:
    """Return the discrete convolution of two vectors.

    Products are added up in the order of the shorter vector, with the same bits on every device; integers wrap around.
    Floating vectors of 384 elements and more are transformed in float64 or complex128: the error relative to the norm
    is below 1e-13. For that it is read from the device whether all numbers are finite: the call waits for it.

    Parameters
    ----------
    a, v : Array
        One axis each.
    mode : {"full", "same", "valid"}, default "full"
        All sums; those in the middle, as many as the longer vector has; those of whole overlaps.

    Returns
    -------
    Array
        Of the common dtype.

    Raises
    ------
    DeviceMismatchError
        For arrays on different devices.
    ValueError
        For no elements, or more axes than one.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.convolve(sk.asarray([1, 2, 3]), sk.asarray([0, 1]), "same")
    Array([0, 1, 2], dtype=int64, device='cpu:0')

    """
    x, y = promoted("convolve", a, v)
    result: Array = _core.convolve(x, y, mode)
    return result


def correlate(a: Any, v: Any, mode: str = "valid") -> Array:
    """Return the cross-correlation of two vectors, the second one conjugated.

    Computed as ``convolve`` computes, which may read from the device whether all numbers are finite.

    Parameters
    ----------
    a, v : Array
        One axis each.
    mode : {"valid", "same", "full"}, default "valid"
        As of ``convolve``.

    Returns
    -------
    Array
        Of the common dtype.

    Raises
    ------
    DeviceMismatchError
        For arrays on different devices.
    ValueError
        For no elements, or more axes than one.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.correlate(sk.asarray([1, 2, 3]), sk.asarray([0, 1, 0.5]), "full")
    Array([0.5, 2. , 3.5, 3. , 0. ], dtype=float64, device='cpu:0')

    """
    x, y = promoted("correlate", a, v)
    result: Array = _core.correlate(x, y, mode)
    return result


def interp(
    x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: float | None = None
) -> Array:
    """Interpolate linearly between points.

    Parameters
    ----------
    x : Array or scalar
        Where to.
    xp, fp : Array
        Places, rising, and values of the points: one axis each. Places that do not rise are no error, as in NumPy; the
        results mean nothing then.
    left, right : scalar, optional
        Values beyond the points; the first and the last one by default.
    period : float, optional
        Of the places, which then need not rise.

    Returns
    -------
    Array
        Float64, or complex128, of the shape of ``x``.

    Raises
    ------
    DeviceMismatchError
        For arrays on different devices.
    ValueError
        For no points, or places and values of different shapes.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.interp(sk.asarray([0.5, 3.0]), sk.asarray([0.0, 1.0, 2.0]), sk.asarray([0.0, 10.0, 15.0]))
    Array([ 5., 15.], dtype=float64, device='cpu:0')

    """
    coordinates, points, values = as_arrays("interp", x, xp, fp)
    if points.ndim != 1 or values.shape != points.shape:
        raise ShapeError(
            f"interp: points of shapes {points.shape} and {values.shape}; both have one axis"
        )
    if points.size == 0:
        raise ValueError("interp: no points; give one or more")
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
    if values.dtype.kind != "c":
        return _core.interp(coordinates, points, values)
    # Each part by itself, as infinities of one are none of the other.
    real, imag = (_core.interp(coordinates, points, part(values)) for part in (sk.real, sk.imag))
    return complex_of(real, imag, sk.complex128)


def _in_one_period(
    coordinates: Array, points: Array, values: Array, period: float
) -> tuple[Array, Array, Array]:
    """Return places within a period in order, and one more at each end."""
    if period == 0:
        raise ValueError("interp: period=0; leave it out, or give a length")
    period = abs(period)
    coordinates, points = cast(coordinates, sk.float64) % period, cast(points, sk.float64) % period
    order = sk.argsort(points, stable=True)
    points, values = sk.take(points, order), sk.take(values, order)
    points = sk.concat([points[-1:] - period, points, points[:1] + period])
    return coordinates, points, sk.concat([values[-1:], values, values[:1]])
