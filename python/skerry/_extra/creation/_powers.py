# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Powers with evenly spaced exponents, which have two float64 parts each: one would not be precise enough.

A relative rounding error of an exponent e becomes ``e * log(base)`` times as large in the power.
"""

from __future__ import annotations

import decimal
import math
from typing import Any

import numpy as np

import skerry as sk
from skerry import _core
from skerry._core import Array
from skerry._data_types import as_dtype, kind_of
from skerry._extra._operands import in_passes

#: More digits than two float64 numbers have.
DIGITS = decimal.Context(prec=50)


def numbers_of(name: str, device: Any, **values: Any) -> tuple[list[Any], Any]:
    """Return the values as Python numbers, and the device of the result: that of 0-d arrays among them, if any."""
    values = {key: x.item() if isinstance(x, np.generic) else x for key, x in values.items()}
    arrays = {key: x for key, x in values.items() if isinstance(x, Array | np.ndarray)}
    if not arrays:
        return list(values.values()), device
    for key, x in arrays.items():
        if x.ndim:
            raise TypeError(
                f"{name}: {key} must be a number or a 0-d array, not an array of shape {x.shape}"
            )
    operands = {
        key: sk.asarray(x, device="cpu:0") if isinstance(x, np.ndarray) else x
        for key, x in arrays.items()
    }
    mark = [] if device is None else [sk.empty((0,), device=device)]
    _core.require_one_device(name, (*mark, *operands.values()))
    result_device = next(iter(operands.values())).device
    return [
        operands[key].tolist() if key in operands else x for key, x in values.items()
    ], result_device


def logarithm(x: float) -> Any:
    """Return the logarithm to base 10, with more digits than float64; NaN and infinities are returned as they are."""
    return DIGITS.log10(decimal.Decimal(x)) if math.isfinite(x) else x


def outer_exponents(start: Any, stop: Any, num: int, endpoint: bool) -> tuple[float, float]:
    """Return the first and the last exponent."""
    if endpoint and num > 1:
        return start, stop
    return start, start + (num - 1) * ((stop - start) / max(num, 1))


def power(base: float, exponent: float) -> float:
    """Return a power, or infinity on overflow."""
    try:
        return float(base**exponent)
    except OverflowError:
        return math.inf


def powers(base: float, start: Any, stop: Any, num: int, endpoint: bool, device: Any) -> Array:
    """Return powers with evenly spaced exponents between floats or decimals."""
    if num < 1 or not _are_plain(base, start, stop):
        first, last = (float(x) if isinstance(x, decimal.Decimal) else x for x in (start, stop))
        return sk.pow(base, sk.linspace(first, last, num, endpoint=endpoint, device=device))
    first, last = decimal.Decimal(start), decimal.Decimal(stop)
    intervals = decimal.Decimal(max(num - 1 if endpoint else num, 1))
    step = DIGITS.divide(DIGITS.subtract(last, first), intervals)
    origin, least_of_origin = _two_parts(first, 53)
    stride, least_of_stride = _two_parts(step, 53 - num.bit_length())
    index = sk.arange(num, dtype=sk.float64, device=device)
    result: Array = _powers(index, base, (origin, least_of_origin), (stride, least_of_stride))
    return result


@in_passes
def _powers(
    index: Array, base: float, origin: tuple[float, float], stride: tuple[float, float]
) -> Array:
    """Return ``base ** (origin + index * stride)``, with both summands in two parts."""
    way = index * stride[0]  # exact
    exponents = way + origin[0]
    rounded_origin = exponents - way
    lost = (way - (exponents - rounded_origin)) + (origin[0] - rounded_origin)  # TwoSum (Knuth)
    lost = lost + (index * stride[1] + origin[1])
    result = sk.pow(base, exponents)
    further = result * (lost * math.log(base))
    return result + sk.where(sk.isfinite(further), further, 0.0)


def _are_plain(base: Any, start: Any, stop: Any) -> bool:
    """Return whether the base is positive and finite and the exponents are finite real numbers."""
    if any(isinstance(x, complex) for x in (base, start, stop)):
        return False
    return 0 < base < math.inf and math.isfinite(start) and math.isfinite(stop)


def _two_parts(x: decimal.Decimal, bits: int) -> tuple[float, float]:
    """Split a number into a float of the given number of bits and the remainder."""
    significand, exponent = math.frexp(float(x))
    high = math.ldexp(float(round(math.ldexp(significand, bits))), exponent - bits)
    return high, float(DIGITS.subtract(x, decimal.Decimal(high)))


def require_in_range(name: str, x: float, dtype: Any) -> int:
    """Truncate a number to an integer; raise if it is out of range of the dtype."""
    limits = np.iinfo(dtype)
    if not (math.isfinite(x) and limits.min <= int(x) <= limits.max):
        raise OverflowError(
            f"{name}: {x} is out of range of {as_dtype(dtype)}, which is {limits.min} to {limits.max}"
        )
    return int(x)


def converted(x: Array, dtype: Any) -> Array:
    """Convert to a dtype; for integer dtypes numbers within rounding error of an integer become that integer."""
    if dtype is None:
        return x
    if kind_of(as_dtype(dtype)) in "iu":
        nearest = sk.round(x)
        x = sk.where(sk.abs(x - nearest) <= sk.abs(nearest) * 2.0**-51, nearest, x)
    return sk.astype(x, dtype, copy=False)


def multiples(start: Any, stop: Any, num: int, endpoint: bool, dtype: Any, device: Any) -> Array:
    """Compute ``geomspace``."""
    name = "geomspace"
    if start == 0 or stop == 0 or (start < 0) != (stop < 0):
        raise ValueError(
            f"{name}: start and stop must be nonzero and of the same sign: {start}, {stop}"
        )
    ends = {0: start} if num > 0 else {}
    if num > 1 and endpoint:
        ends[num - 1] = stop
    if dtype is not None and kind_of(as_dtype(dtype)) in "iu":
        ends = {i: require_in_range(name, end, dtype) for i, end in ends.items()}
    logarithms = (logarithm(abs(start)), logarithm(abs(stop)))
    result = powers(10.0, *logarithms, num, endpoint, device)
    result = converted(-result if start < 0 else result, dtype)
    for i, end in ends.items():
        result[i] = end
    return result
