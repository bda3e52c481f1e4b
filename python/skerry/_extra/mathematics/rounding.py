# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Rounding, angles and kinds of numbers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import skerry as sk
from skerry import _core
from skerry._core import Array
from skerry._extra._operands import (
    as_array,
    by_pieces,
    cast,
    complex_of,
    floating,
    in_passes,
    to_nearest,
)

__all__ = [
    "angle", "around", "deg2rad", "degrees", "fix", "iscomplex",
    "isneginf", "isposinf", "isreal", "rad2deg", "radians", "real_if_close",
]  # fmt: skip


def around(a: Any, decimals: int = 0) -> Array:
    """Round to decimals, halves to even.

    Parameters
    ----------
    a : Array
        Numbers.
    decimals : int, default 0
        Digits after the point; before it, if negative.

    Returns
    -------
    Array
        Of the dtype of ``a``, float16 for bool. As in NumPy, by a product, ``round`` and a quotient, in float64: the
        last digit is not always that of the exact decimal number. Integers are exact; where the dtype does not hold the
        rounded number they wrap around, as in a product.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.around(sk.asarray([1.25, 3.14159]), 1)
    Array([1.2, 3.1], dtype=float64, device='cpu:0')

    """
    x = as_array("around", a)
    if x.dtype.kind == "b":
        x = cast(x, sk.float16)
    if decimals == 0 or (decimals > 0 and x.dtype.kind in "iu"):
        return sk.round(x)
    if x.dtype.kind in "iu":
        return _rounded_integers(x, 10**-decimals)
    if x.dtype.kind == "c":
        real, imag = (_rounded(part(x), decimals) for part in (sk.real, sk.imag))
        return complex_of(real, imag, x.dtype)
    result: Array = _rounded(x, decimals)
    return result


@in_passes
def _rounded(x: Array, decimals: int) -> Array:
    number = cast(x, sk.float64)
    if decimals > 0:
        # float64 holds 10**308; beyond 10**324 nothing changes, as its least number is 4.9e-324.
        scale, further = 10.0 ** min(decimals, 308), 10.0 ** min(max(decimals - 308, 0), 16)
        scaled = number * scale * further
        result = sk.round(scaled) / further / scale
        # From here on numbers have no more digits, and products may be infinite.
        result = sk.where(sk.abs(scaled) < 2.0**53, result, number)
    elif decimals < -308:
        result = sk.where(sk.isinf(number), number, number * 0.0)
    else:
        scale = 10.0**-decimals
        result = sk.where(sk.isinf(number), number, sk.round(number / scale) * scale)
    return cast(result, x.dtype)


def _rounded_integers(x: Array, unit: int) -> Array:
    """Round to multiples of ``unit``, halves to even ones."""
    limits, half = np.iinfo(x.dtype), unit // 2
    if half >= limits.max:
        return sk.zeros_like(x)
    if unit > limits.max:  # which is no number of the dtype, but rounded to it
        quotient = cast(x > half, x.dtype)
        if limits.min < 0:
            quotient -= cast(x < -half, x.dtype)
        return quotient * int(np.asarray(unit % 2**limits.bits, np.uint64).astype(x.dtype))

    def rounded(x: Array) -> Array:
        quotient = x // unit
        return to_nearest(quotient, x - quotient * unit, unit) * unit

    return by_pieces(rounded, x)


def fix(x: Any) -> Array:
    """Round towards zero.

    Parameters
    ----------
    x : Array
        Real.

    Returns
    -------
    Array
        Of the dtype of ``x``.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.fix(sk.asarray([1.7, -1.7]))
    Array([ 1., -1.], dtype=float64, device='cpu:0')

    """
    x = as_array("fix", x)
    return sk.astype(x, x.dtype) if x.dtype.kind == "b" else sk.trunc(x)


def deg2rad(x: Any, /) -> Array:
    """Convert degrees to radians.

    Parameters
    ----------
    x : Array
        Real.

    Returns
    -------
    Array
        ``x * pi / 180``; float64 for integers.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.deg2rad(sk.asarray([180.0]))
    Array([3.14159265], dtype=float64, device='cpu:0')

    """
    return _core.deg2rad(*floating("deg2rad", x))


def rad2deg(x: Any, /) -> Array:
    """Convert radians to degrees.

    Parameters
    ----------
    x : Array
        Real.

    Returns
    -------
    Array
        ``x * 180 / pi``; float64 for integers.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.rad2deg(sk.asarray([sk.pi]))
    Array([180.], dtype=float64, device='cpu:0')

    """
    return _core.rad2deg(*floating("rad2deg", x))


# NumPy has two names for each.
radians = deg2rad
degrees = rad2deg


def angle(z: Any, deg: bool = False) -> Array:
    """Return the angle of complex numbers to the positive real axis.

    Parameters
    ----------
    z : Array
        Numbers; real ones have the angles 0 and pi.
    deg : bool, default False
        Whether in degrees.

    Returns
    -------
    Array
        Real, from -pi to pi.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.angle(sk.asarray([1j, -1.0]), deg=True)
    Array([ 90., 180.], dtype=float64, device='cpu:0')

    """
    if isinstance(z, Array) and z.dtype.kind in "iu":
        return sk.where(z < 0, 180.0 if deg else math.pi, 0.0)
    (x,) = floating("angle", z)
    is_complex = x.dtype.kind == "c"
    result = sk.atan2(sk.imag(x), sk.real(x)) if is_complex else _core.angle(x)
    return result * (180 / math.pi) if deg else result


def _infinite(name: str, x: Any, sign: float) -> Array:
    x = as_array(name, x)
    if x.dtype.kind == "c":
        raise TypeError(f"{name}: takes real numbers, not {x.dtype}; pass real(x)")
    return x == sign * sk.inf if x.dtype.kind == "f" else sk.zeros_like(x, dtype=bool)


def isposinf(x: Any) -> Array:
    """Tell which elements are positive infinity.

    Parameters
    ----------
    x : Array
        Real.

    Returns
    -------
    Array
        Of bool.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.isposinf(sk.asarray([1.0, sk.inf, -sk.inf]))
    Array([False,  True, False], dtype=bool, device='cpu:0')

    """
    return _infinite("isposinf", x, 1.0)


def isneginf(x: Any) -> Array:
    """Tell which elements are negative infinity.

    Parameters
    ----------
    x : Array
        Real.

    Returns
    -------
    Array
        Of bool.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.isneginf(sk.asarray([1.0, sk.inf, -sk.inf]))
    Array([False, False,  True], dtype=bool, device='cpu:0')

    """
    return _infinite("isneginf", x, -1.0)


def iscomplex(x: Any) -> Array:
    """Tell which elements have an imaginary part that is not zero.

    Parameters
    ----------
    x : Array
        Numbers.

    Returns
    -------
    Array
        Of bool.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.iscomplex(sk.asarray([1 + 1j, 2]))
    Array([ True, False], dtype=bool, device='cpu:0')

    """
    x = as_array("iscomplex", x)
    return sk.astype(x.imag, bool) if x.dtype.kind == "c" else sk.zeros_like(x, dtype=bool)


def isreal(x: Any) -> Array:
    """Tell which elements have no imaginary part, or one of zero.

    Parameters
    ----------
    x : Array
        Numbers.

    Returns
    -------
    Array
        Of bool.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.isreal(sk.asarray([1 + 1j, 2]))
    Array([False,  True], dtype=bool, device='cpu:0')

    """
    return ~iscomplex(as_array("isreal", x))


def real_if_close(a: Any, tol: float = 100) -> Array:
    """Return the real parts, if all imaginary parts are nearly zero.

    Reads from the device whether they are: the call waits for it.

    Parameters
    ----------
    a : Array
        Numbers.
    tol : float, default 100
        The bound of imaginary parts: in units of the dtype's eps, if above 1.

    Returns
    -------
    Array
        Real, or ``a``.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.real_if_close(sk.asarray([1 + 1e-15j]))
    Array([1.], dtype=float64, device='cpu:0')

    """
    x = as_array("real_if_close", a)
    if x.dtype.kind != "c":
        return x
    bound = tol * float(np.finfo(x.dtype).eps) if tol > 1 else tol
    return sk.real(x) if _are_real(x, bound) else x


@in_passes
def _are_real(x: Array, bound: float) -> bool:
    return bool(sk.all(sk.abs(sk.imag(x)) < bound))
