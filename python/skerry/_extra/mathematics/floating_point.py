# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Floating-point routines."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

import skerry as sk
from skerry._core import Array
from skerry._data_types import kind_of, limits_of
from skerry._extra._operands import as_arrays, cast, real_floating, wide
from skerry.exceptions import DTypeError

__all__ = ["frexp", "ldexp", "spacing"]

#: Exponents with a greater magnitude make every number 0 or infinite.
MAX_EXPONENT = 1 << 13


def frexp(x: Any, /) -> tuple[Array, Array]:
    """Decompose numbers into mantissas and exponents of 2.

    Parameters
    ----------
    x : {real}

    Returns
    -------
    tuple of Array
        Mantissas of a floating-point dtype, with magnitudes in [0.5, 1), and exponents of dtype int32:
        ``x == mantissa * 2**exponent``. For 0, infinities and NaN the mantissa is ``x`` and the exponent 0.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.frexp(sk.asarray([1.0, -3.0]))
    (Array([ 0.5 , -0.75], dtype=float64, device='cpu:0'), Array([1, 2], dtype=int32, device='cpu:0'))

    """
    (x,) = real_floating("frexp", x)
    mantissa, exponent = _parts(wide(x))
    return cast(mantissa, x.dtype), exponent


def _format(dtype: Any) -> tuple[Any, int, int]:
    """Return the unsigned dtype of a floating-point dtype's bits, its fraction bits and its bias."""
    return (sk.uint64, 52, 1023) if dtype == np.float64 else (sk.uint32, 23, 127)


def _parts(x: Array) -> tuple[Array, Array]:
    integers, fraction, bias = _format(x.dtype)
    lift = fraction + 2
    is_small = sk.abs(x) < float(limits_of(x.dtype).tiny)
    bits = sk.where(is_small, x * 2.0**lift, x).view(integers)
    exponent_mask = (2 * bias + 1) << fraction
    everything = (1 << (8 * x.itemsize)) - 1
    mantissa = ((bits & (everything ^ exponent_mask)) | ((bias - 1) << fraction)).view(x.dtype)
    exponent = sk.astype((bits & exponent_mask) >> fraction, sk.int32) - (bias - 1)
    is_regular = sk.isfinite(x) & (x != 0)
    exponent = exponent - sk.astype(is_small, sk.int32) * lift
    return sk.where(is_regular, mantissa, x), exponent * sk.astype(is_regular, sk.int32)


def ldexp(x1: Any, x2: int | Array, /) -> Array:
    """Compute ``x1 * 2**x2``, rounded once.

    Parameters
    ----------
    x1 : Array or scalar
        Numbers of a real dtype.
    x2 : Array or scalar
        Exponents of an integer dtype.

    Returns
    -------
    Array
        Array of a floating-point dtype: that of ``x1``, or float64 for integers.

    Raises
    ------
    {DeviceMismatchError}
    TypeError
        If ``x2`` does not have an integer dtype.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.ldexp(sk.asarray([0.5, -0.75]), sk.asarray([1, 2]))
    Array([ 1., -3.], dtype=float64, device='cpu:0')

    """
    if not isinstance(x2, Array) and hasattr(x2, "__index__"):
        x2 = max(-MAX_EXPONENT, min(operator.index(x2), MAX_EXPONENT))
    x1, exponents = as_arrays("ldexp", x1, x2, names=("x1", "indices"))
    powers = _bounded(exponents)
    (x,) = real_floating("ldexp", x1)
    numbers = wide(x)
    _, fraction, bias = _format(numbers.dtype)
    mantissa, exponent = _parts(numbers)
    # The first product is exact, so that the second one rounds once.
    total = sk.clip(exponent + powers, -bias - fraction - 8, bias + 8)
    first = sk.clip(total, -bias + 8, bias - 8)
    result = mantissa * _power(first, numbers.dtype) * _power(total - first, numbers.dtype)
    return cast(result, x.dtype)


def _bounded(x: Array) -> Array:
    """Convert exponents to int32; large ones make no difference."""
    if kind_of(x.dtype) not in "iub":
        raise DTypeError(f"ldexp: x2 takes integers, not {x.dtype}; convert with skerry.astype")
    if x.dtype == np.uint64:
        x = sk.minimum(x, MAX_EXPONENT)
    return sk.astype(sk.clip(sk.astype(x, sk.int64), -MAX_EXPONENT, MAX_EXPONENT), sk.int32)


def _power(exponent: Array, dtype: Any) -> Array:
    """Return ``2**exponent``, which must be normal."""
    integers, fraction, bias = _format(dtype)
    return (sk.astype(exponent + bias, integers) << fraction).view(dtype)


def spacing(x: Any, /) -> Array:
    """Return the distance from each number to the next one with a greater magnitude, with the sign of ``x``.

    Parameters
    ----------
    x : {real}

    {Returns: floating}

    Examples
    --------
    >>> import skerry as sk
    >>> sk.spacing(sk.asarray([1.0, -4.0]))
    Array([ 2.22044605e-16, -8.88178420e-16], dtype=float64, device='cpu:0')

    """
    (x,) = real_floating("spacing", x)
    size = sk.abs(x)
    distance = sk.nextafter(size, sk.inf) - size
    return sk.where(x < 0, -distance, distance)
