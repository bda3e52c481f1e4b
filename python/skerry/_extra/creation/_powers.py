# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Powers of evenly spaced exponents, which have two parts: one rounding would count e * log(base) times as much."""

from __future__ import annotations

import decimal
import math
from typing import Any

import numpy as np

import skerry as sk
from skerry import _core
from skerry._core import Array
from skerry._extra._operands import in_passes

#: More digits than two numbers of float64 have.
DIGITS = decimal.Context(prec=50)


def numbers_of(name: str, device: Any, **values: Any) -> tuple[list[Any], Any]:
    """Return Python's numbers, and the device of a result: that of the 0-d arrays among them, if there are any."""
    values = {key: x.item() if isinstance(x, np.generic) else x for key, x in values.items()}
    arrays = {key: x for key, x in values.items() if isinstance(x, Array | np.ndarray)}
    if not arrays:
        return list(values.values()), device
    for key, x in arrays.items():
        if x.ndim:
            raise TypeError(
                f"{name}: {key} must be a number or a 0-d array, not of shape {x.shape}"
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
    """Return the logarithm to base 10, of numbers that have one by more digits than float64 has."""
    return DIGITS.log10(decimal.Decimal(x)) if math.isfinite(x) else x


def outer_exponents(start: Any, stop: Any, num: int, endpoint: bool) -> tuple[float, float]:
    """Return the first exponent and the last one."""
    if endpoint and num > 1:
        return start, stop
    return start, start + (num - 1) * ((stop - start) / max(num, 1))


def power(base: float, exponent: float) -> float:
    """Return a power, or an infinity."""
    try:
        return float(base**exponent)
    except OverflowError:
        return math.inf


def powers(base: float, start: Any, stop: Any, num: int, endpoint: bool, device: Any) -> Array:
    """Return powers whose exponents are evenly spaced: floats or decimals."""
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
    """Return ``base ** (origin + index * stride)`` of numbers in two parts."""
    way = index * stride[0]  # exact
    exponents = way + origin[0]
    rounded_origin = exponents - way
    lost = (way - (exponents - rounded_origin)) + (origin[0] - rounded_origin)  # by the sum (Knuth)
    lost = lost + (index * stride[1] + origin[1])
    result = sk.pow(base, exponents)
    further = result * (lost * math.log(base))
    return result + sk.where(sk.isfinite(further), further, 0.0)


def _are_plain(base: Any, start: Any, stop: Any) -> bool:
    """Tell whether a logarithm of the base is defined, and the exponents have digits."""
    if any(isinstance(x, complex) for x in (base, start, stop)):
        return False
    return 0 < base < math.inf and math.isfinite(start) and math.isfinite(stop)


def _two_parts(x: decimal.Decimal, bits: int) -> tuple[float, float]:
    """Return a float of so many bits, and what is left."""
    significand, exponent = math.frexp(float(x))
    high = math.ldexp(float(round(math.ldexp(significand, bits))), exponent - bits)
    return high, float(DIGITS.subtract(x, decimal.Decimal(high)))


def require_in_range(name: str, x: float, dtype: Any) -> int:
    """Return a number as an integer of that dtype."""
    limits = np.iinfo(dtype)
    if not (math.isfinite(x) and limits.min <= int(x) <= limits.max):
        raise OverflowError(
            f"{name}: {x} is out of range of {np.dtype(dtype)}: it is not in {limits.min} to {limits.max}"
        )
    return int(x)


def converted(x: Array, dtype: Any) -> Array:
    """Convert; a number next to an integer is that integer."""
    if dtype is None:
        return x
    if np.dtype(dtype).kind in "iu":
        nearest = sk.round(x)
        x = sk.where(sk.abs(x - nearest) <= sk.abs(nearest) * 2.0**-51, nearest, x)
    return sk.astype(x, dtype, copy=False)


def multiples(start: Any, stop: Any, num: int, endpoint: bool, dtype: Any, device: Any) -> Array:
    """Return what ``geomspace`` does."""
    name = "geomspace"
    if isinstance(start, complex) or isinstance(stop, complex):
        raise TypeError(f"{name}: complex ends are not taken; use exp of linspace")
    if start == 0 or stop == 0 or (start < 0) != (stop < 0):
        raise ValueError(f"{name}: {start} to {stop} passes 0; give numbers of one sign")
    ends = {0: start} if num > 0 else {}
    if num > 1 and endpoint:
        ends[num - 1] = stop
    if dtype is not None and np.dtype(dtype).kind in "iu":
        ends = {i: require_in_range(name, end, dtype) for i, end in ends.items()}
    logarithms = (logarithm(abs(start)), logarithm(abs(stop)))
    result = powers(10.0, *logarithms, num, endpoint, device)
    result = converted(-result if start < 0 else result, dtype)
    for i, end in ends.items():
        result[i] = end
    return result
