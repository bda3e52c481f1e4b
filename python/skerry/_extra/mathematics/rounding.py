# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Rounding."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

import skerry as sk
from skerry._core import Array
from skerry._data_types import kind_of
from skerry._extra._operands import as_array, by_pieces, cast, complex_of, in_passes, to_nearest
from skerry._outputs import output_argument, store

__all__ = ["around", "fix"]


def around(a: Any, decimals: int = 0, out: Array | None = None) -> Array:
    """Round to the given number of decimals, halves to even.

    Parameters
    ----------
    a : {numbers}
    decimals : int, default 0
        Number of decimal places; negative numbers count places to the left of the decimal point.
    out : {out}

    Returns
    -------
    Array
        Array of the dtype of ``a``, float16 for bool. As in NumPy, floating-point numbers are multiplied, rounded and
        divided in float64, so the last digit may differ from that of the exact decimal number. Integers are exact; they
        wrap around if the rounded number is out of range.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.around(sk.asarray([1.25, 3.14159]), 1)
    Array([1.2, 3.1], dtype=float64, device='cpu:0')

    """
    decimals = operator.index(decimals)
    x = as_array("around", a)
    result = _around(x, decimals)
    return result if out is None else store("around", result, output_argument("around", out, x))


def _around(x: Array, decimals: int) -> Array:
    if kind_of(x.dtype) == "b":
        x = cast(x, sk.float16)
    if decimals == 0 or (decimals > 0 and kind_of(x.dtype) in "iu"):
        return sk.round(x)
    if kind_of(x.dtype) in "iu":
        return _rounded_integers(x, 10**-decimals)
    if kind_of(x.dtype) == "c":
        real, imag = (_rounded(part(x), decimals) for part in (sk.real, sk.imag))
        return complex_of(real, imag, x.dtype)
    result: Array = _rounded(x, decimals)
    return result


@in_passes
def _rounded(x: Array, decimals: int) -> Array:
    number = cast(x, sk.float64)
    if decimals > 0:
        # float64 can represent 10**308. More than 324 decimals have no effect: the smallest number is 4.9e-324.
        scale, further = 10.0 ** min(decimals, 308), 10.0 ** min(max(decimals - 308, 0), 16)
        scaled = number * scale * further
        result = sk.round(scaled) / further / scale
        # Scaled numbers of 2**53 and more have no fraction to round, and may have overflowed.
        result = sk.where(sk.abs(scaled) < 2.0**53, result, number)
    elif decimals < -308:
        result = sk.where(sk.isinf(number), number, number * 0.0)
    else:
        scale = 10.0**-decimals
        result = sk.where(sk.isinf(number), number, sk.round(number / scale) * scale)
    return cast(result, x.dtype)


def _rounded_integers(x: Array, unit: int) -> Array:
    """Round to multiples of ``unit``, halves to even multiples."""
    limits, half = np.iinfo(x.dtype), unit // 2
    if half >= limits.max:
        return sk.zeros_like(x)
    if unit > limits.max:  # numbers may still round to it, and wrap around
        quotient = cast(x > half, x.dtype)
        if limits.min < 0:
            quotient -= cast(x < -half, x.dtype)
        return quotient * int(np.asarray(unit % 2**limits.bits, np.uint64).astype(x.dtype))

    def rounded(x: Array) -> Array:
        quotient = x // unit
        return to_nearest(quotient, x - quotient * unit, unit) * unit

    return by_pieces(rounded, x)


def fix(x: Any, out: Array | None = None) -> Array:
    """Round towards zero.

    Parameters
    ----------
    x : {real}
    out : {out}

    Returns
    -------
    Array
        Array of the dtype of ``x``.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.fix(sk.asarray([1.7, -1.7]))
    Array([ 1., -1.], dtype=float64, device='cpu:0')

    """
    x = as_array("fix", x)
    result = sk.astype(x, x.dtype) if kind_of(x.dtype) == "b" else sk.trunc(x)
    return result if out is None else store("fix", result, output_argument("fix", out, x))
