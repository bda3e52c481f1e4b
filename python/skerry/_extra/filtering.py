# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Convolution and interpolation."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import skerry as sk
from skerry import _core
from skerry._core import Array
from skerry._extra._operands import as_arrays, by_pieces, cast, common_dtype, flat, promoted
from skerry.exceptions import ShapeError

__all__ = ["convolve", "correlate", "interp"]

FLOAT64 = np.dtype(np.float64)
# From so many sums of so many products on, transforms take less time (1e5 float64, Zen 5).
MANY_TAPS = 384
FEW_SUMS = 12


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
    x, y = _vectors("convolve", a, v)
    short = min(x.size, y.size)
    return _convolution("convolve", x, y, mode, (short - 1) // 2)


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
    x, y = _vectors("correlate", a, v)
    y = sk.flip(sk.conj(y) if y.dtype.kind == "c" else y)
    middle = (y.size - 1) // 2 if x.size >= y.size else x.size // 2
    return _convolution("correlate", x, y, mode, middle)


def _vectors(name: str, a: Any, v: Any) -> tuple[Array, Array]:
    x, y = promoted(name, a, v)
    if x.ndim == y.ndim == 1 and x.size and y.size:
        return x, y
    for each, which in ((x, "a"), (y, "v")):
        if each.ndim > 1:
            raise ShapeError(f"{name}: {which} has {each.ndim} axes; vectors have 1")
        if each.size == 0:
            raise ValueError(f"{name}: {which} has no elements; give one or more")
    return flat(x), flat(y)


def _convolution(name: str, x: Array, y: Array, mode: str, middle: int) -> Array:
    """Return the sums of ``mode``; "same" begins at ``middle`` of all."""
    if x.size < y.size:
        x, y = y, x
    if mode == "full":
        start, stop = 0, x.size + y.size - 1
    elif mode == "same":
        start, stop = middle, middle + x.size
    elif mode == "valid":
        start, stop = y.size - 1, x.size
    else:
        raise ValueError(f"{name}: mode {mode!r} is not known; it is full, same or valid")
    if x.dtype.kind == "b":
        counts = _sums(cast(x, sk.int32), cast(y, sk.int32), start, stop)
        return counts != 0
    return _sums(x, y, start, stop)


def _sums(x: Array, y: Array, start: int, stop: int) -> Array:
    """Return elements ``start`` to ``stop`` of the convolution of ``x`` with the shorter ``y``."""
    taps, count = y.size, stop - start
    is_long = taps >= MANY_TAPS and count >= MANY_TAPS and x.dtype.kind in "fc"
    # Transforms mix all: an infinity would spread.
    if is_long and sk.all(sk.isfinite(x)) and sk.all(sk.isfinite(y)):
        return _transformed_sums(x, y)[start:stop]
    if taps > FEW_SUMS >= count and start >= taps - 1 and stop <= x.size:
        turned = sk.flip(y)
        if turned.dtype.kind == "c":
            turned = sk.conj(turned)
        sums = [sk.vecdot(turned, x[i - taps + 1 : i + 1]) for i in range(start, stop)]
        return sk.stack(sums)
    return _core.convolved_items(x, y, start, count)


def _transformed_sums(x: Array, y: Array) -> Array:
    dtype, n = x.dtype, x.size + y.size - 1
    real = dtype.kind == "f"
    wide = sk.float64 if real else sk.complex128
    x, y, length = cast(x, wide), cast(y, wide), _smooth(n)
    if real:
        product = sk.fft.rfft(x, n=length) * sk.fft.rfft(y, n=length)
        return cast(sk.fft.irfft(product, n=length)[:n], dtype)
    product = sk.fft.fft(x, n=length) * sk.fft.fft(y, n=length)
    return cast(sk.fft.ifft(product)[:n], dtype)


def _smooth(n: int) -> int:
    """Return the least even number from ``n`` on that has no prime factor above 5: its transform is fast."""
    best = 1 << max(n - 1, 1).bit_length()
    fives = 1
    while fives < best:
        part = fives
        while part < best:
            twos = max(-(-n // part) - 1, 1).bit_length()
            best = min(best, part << twos)
            part *= 3
        fives *= 5
    return best


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
    where, places, values = as_arrays("interp", x, xp, fp)
    where, places = cast(where, FLOAT64), cast(places, FLOAT64)
    if values.dtype is not FLOAT64:
        values = cast(values, common_dtype("interp", FLOAT64, values.dtype))
    if places.ndim != 1 or values.shape != places.shape:
        raise ShapeError(
            f"interp: points of shapes {places.shape} and {values.shape}; both have one axis"
        )
    if places.size == 0:
        raise ValueError("interp: no points; give one or more")
    if period is not None:
        if period == 0:
            raise ValueError("interp: period=0; leave it out, or give a length")
        period = abs(period)
        where, places = where % period, places % period
        order = sk.argsort(places, stable=True)
        places, values = sk.take(places, order), sk.take(values, order)
        places = sk.concat([places[-1:] - period, places, places[:1] + period])
        values = sk.concat([values[-1:], values, values[:1]])
        left = right = None
    steps = cast(sk.diff(places), values.dtype)
    slopes = sk.diff(values) / steps if places.size > 1 else None
    points = _Points(places, values, slopes, left, right)
    return by_pieces(points.at, where)


class _Points(NamedTuple):
    """What is interpolated between."""

    places: Array
    values: Array
    slopes: Array | None
    left: Any
    right: Any

    def at(self, where: Array) -> Array:
        places = self.places
        first, last = places[0, ...], places[-1, ...]
        inside = sk.clip(where, first, last)
        if self.slopes is None:
            found = self.values[0, ...] + sk.zeros_like(inside)
        else:
            # The clipped places are never before the first point, which need not be searched; NaN counts as beyond the
            # last one. So every index is that of a point, also of places that do not rise.
            before = sk.searchsorted(places[1:], inside, side="right")
            near = sk.take(self.values, before)
            beyond = inside - sk.take(places, before)
            # At the last point and beyond it nothing rises, whatever the slope before it is.
            slopes = sk.take(self.slopes, sk.minimum(before, places.size - 2))
            steps = slopes * cast(beyond, near.dtype) + near
            # An infinite slope makes NaN of a point itself.
            found = sk.where(beyond == 0, near, steps)
        if self.left is not None:
            found = sk.where(where < first, self.left, found)
        if self.right is not None:
            found = sk.where(where > last, self.right, found)
        return found
