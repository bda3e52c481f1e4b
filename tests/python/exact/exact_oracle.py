# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Exact arithmetic as the oracle: fractions, numbers at the limits of each dtype, and a comparison.

NumPy computes in the dtype, so it can't be the oracle where intermediate results overflow or lose digits.
"""

import math
from fractions import Fraction

import numpy as np

FLOATS = ("float16", "float32", "float64")
INTEGERS = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")
NAN, INF = math.nan, math.inf
#: One CPU and one CUDA device, as these tests are about arithmetic.
TWO_DEVICES = ("cpu:0", "cuda:0")


def ends_of(dtype):
    """Returns numbers at the limits of a dtype, in ascending order, as Python numbers."""
    dtype = np.dtype(dtype)
    if dtype.kind in "iu":
        low, high = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
        numbers = {low, low + 1, low // 2, 0, 1, 2, 3, high // 3, high // 2, high - 1, high}
        if dtype.itemsize == 8:  # beyond 2**53, where float64 skips integers
            numbers |= {2**53 + 1, 2**53 + 2, 2**53 + 3, 2**62 + 1}
            numbers |= {-(2**53) - 1, -(2**53) - 3} if low < 0 else set()
        return sorted(numbers)
    limits = np.finfo(dtype)
    sizes = [
        limits.smallest_subnormal,
        limits.smallest_normal,
        limits.eps,
        1,
        1.5,
        3,
        limits.max / 2,
        limits.max,
    ]
    sizes += [limits.smallest_subnormal * 3]
    sizes = [float(dtype.type(size)) for size in sizes]
    return sorted([*sizes, 0.0, *(-size for size in sizes)])


def unit(x, dtype):
    """Returns the distance of adjacent numbers of a dtype at the size of x."""
    limits = np.finfo(dtype)
    size = abs(Fraction(x))
    exponent = limits.minexp
    if size:
        exponent = size.numerator.bit_length() - size.denominator.bit_length()
        exponent -= Fraction(2) ** exponent > size
    return Fraction(2) ** (max(exponent, limits.minexp) - limits.nmant)


def assert_close(got, want, dtype, *, units=1.0, scale=0, scale_units=4.0, label=""):
    """``got`` equals ``want`` within ``units`` in the last place, and ``scale_units`` of float64 at the size of ``scale``.

    ``want`` is a fraction, or an infinity or NaN.
    """
    if isinstance(want, float) and not math.isfinite(want):
        assert got == want or (math.isnan(got) and math.isnan(want)), f"{label}: {got}, not {want}"
        return
    want = Fraction(want)
    allowed = Fraction(units) * unit(want, dtype) + Fraction(scale_units) * unit(
        scale, "float64"
    ) * bool(scale)
    most = Fraction(float(np.finfo(dtype).max))
    if not math.isfinite(got):
        assert abs(want) + allowed > most, f"{label}: {got}, not {shown(want)!r}"
        assert got == (INF if want > 0 else -INF), f"{label}: {got}"
        return
    error = abs(Fraction(got) - want)
    assert error <= allowed, (
        f"{label}: {got!r}, not {shown(want)!r}: {shown(error / unit(want, dtype))} units"
    )


def shown(x):
    """Returns a number for a message, which may exceed float64."""
    return float(x) if abs(x) < Fraction(2) ** 1023 else x


def is_infinite(x):
    return isinstance(x, float) and math.isinf(x)


def between(low, high, share):
    """Interpolates exactly. Ignores an infinite end whose share is 0."""
    if any(isinstance(x, float) and math.isnan(x) for x in (low, high, share)):
        return NAN
    if share == 0 or low == high:
        return low
    if share == 1:
        return high
    if is_infinite(low) and is_infinite(high):
        return NAN
    if is_infinite(low) or is_infinite(high):
        return low if is_infinite(low) else high
    return Fraction(low) + (Fraction(high) - Fraction(low)) * Fraction(share)
