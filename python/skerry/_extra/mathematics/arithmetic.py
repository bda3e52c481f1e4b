# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Arithmetic."""

from __future__ import annotations

from typing import Any

import skerry as sk
from skerry import _core
from skerry._core import Array
from skerry._data_types import kind_of
from skerry._extra._operands import FLOAT64, cast, in_passes, promoted, real_floating, with_literals

__all__ = ["divmod", "float_power", "fmod", "modf"]

#: Number of elements from which a vector may be out of cache.
LONG = 1 << 17


def fmod(x1: Any, x2: Any, /) -> Array:
    """Return the remainder of a division that rounds towards zero, with the sign of ``x1``.

    Parameters
    ----------
    x1, x2 : {real, one array}

    Returns
    -------
    Array
        Exact remainders, of the common dtype.

    {Raises: DeviceMismatchError}

    Examples
    --------
    >>> import skerry as sk
    >>> sk.fmod(sk.asarray([-7, 7]), 3)
    Array([-1,  1], dtype=int64, device='cpu:0')

    """
    x, y = promoted("fmod", x1, x2)
    return sk.remainder(x, y) if kind_of(x.dtype) == "b" else _core.fmod(x, y)


def float_power(x1: Any, x2: Any, /) -> Array:
    """Raise ``x1`` to the power of ``x2`` in float64 or complex128.

    Parameters
    ----------
    x1, x2 : Array or scalar
        Operands of any dtypes. Each is converted, so they need not promote.

    Returns
    -------
    Array
        Array of dtype float64, or complex128 if an operand is complex. Negative numbers have real powers for integral
        exponents only: the others are NaN.

    {Raises: DeviceMismatchError}

    Examples
    --------
    >>> import skerry as sk
    >>> sk.float_power(sk.asarray([2, 4]), -1)
    Array([0.5 , 0.25], dtype=float64, device='cpu:0')

    """
    x, y = with_literals("float_power", x1, x2)
    dtype = sk.complex128 if "c" in (kind_of(x.dtype), kind_of(y.dtype)) else FLOAT64
    result: Array = sk.pow(cast(x, dtype), cast(y, dtype))
    return result


def divmod(x1: Any, x2: Any, /) -> tuple[Array, Array]:
    """Return the floored quotients and the remainders.

    Parameters
    ----------
    x1, x2 : {real, one array}

    Returns
    -------
    tuple of Array
        The results of ``floor_divide`` and ``remainder``.

    {Raises: DeviceMismatchError}

    Examples
    --------
    >>> import skerry as sk
    >>> sk.divmod(sk.asarray([7, -7]), 3)
    (Array([ 2, -3], dtype=int64, device='cpu:0'), Array([1, 2], dtype=int64, device='cpu:0'))

    """
    x, y = promoted("divmod", x1, x2)
    if x.size >= LONG:
        x, y = _together(x), _together(y)
    return sk.floor_divide(x, y), sk.remainder(x, y)


def _together(x: Array) -> Array:
    """Copy a strided vector, so that its cache lines are loaded once, not by each of two passes over it."""
    return x.copy() if x.ndim == 1 and x.strides[0] not in (0, x.itemsize) else x


def modf(x: Any, /) -> tuple[Array, Array]:
    """Return the fractional and integral parts, both with the sign of ``x``.

    Parameters
    ----------
    x : {real}

    Returns
    -------
    tuple of Array
        Fractional and integral parts, of a floating-point dtype.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.modf(sk.asarray([1.5, -2.25]))[0]
    Array([ 0.5 , -0.25], dtype=float64, device='cpu:0')

    """
    kind = kind_of(x.dtype) if isinstance(x, Array) else ""
    if kind and kind in "biu":
        whole = sk.astype(x, FLOAT64)
        return whole * 0.0, whole
    if kind != "f":
        (x,) = real_floating("modf", x)
    parts: tuple[Array, Array] = _rest_and_whole(x)
    return parts


@in_passes
def _rest_and_whole(x: Array) -> tuple[Array, Array]:
    whole = sk.trunc(x)
    rest = sk.where(sk.isinf(x), 0.0, x - whole)
    return sk.copysign(rest, x), whole
