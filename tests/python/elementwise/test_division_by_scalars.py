# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Quotients and remainders by a scalar, which a CPU computes as products by its reciprocal, and of int64 arrays, as doubles."""

import numpy as np
import pytest
import skerry as sk

from tests.python.loops import loop_over
from tests.python.oracle import assert_same, to_device, to_numpy

DTYPES = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]


def dividends(dtype, divisor):
    """Returns random numbers of every width, the limits, and neighbours of multiples of the divisor."""
    limits = np.iinfo(dtype)
    rng = np.random.default_rng(abs(divisor) % 1000)
    width = rng.integers(0, limits.bits, 4000)
    wide = rng.integers(limits.min, limits.max, 4000, dtype=dtype, endpoint=True) >> width.astype(
        dtype
    )
    multiples = np.asarray(
        [
            value
            for k in (*range(-50, 50), limits.max // divisor, limits.min // divisor)
            for value in (k * divisor - 1, k * divisor, k * divisor + 1)
            if limits.min <= value <= limits.max
        ],
        dtype,
    )
    ends = np.asarray([limits.min, limits.min + 1, 0, 1, limits.max - 1, limits.max], dtype)
    return np.concatenate([wide, multiples, ends])


def divisors(dtype):
    """Returns small divisors, powers of two and their neighbours, the largest, and negative ones."""
    limits = np.iinfo(dtype)
    powers = [1 << k for k in range(1, limits.bits - (limits.min < 0))]
    values = {
        1,
        2,
        3,
        5,
        6,
        7,
        10,
        100,
        127,
        *powers,
        *(p - 1 for p in powers),
        *(p + 1 for p in powers),
    }
    values |= {limits.max, limits.max - 1}
    values |= {-value for value in values} | {limits.min, limits.min + 1}
    return sorted(value for value in values if value != 0 and limits.min <= value <= limits.max)


@loop_over("dtype", DTYPES)
def test_quotients_and_remainders_by_scalars_equal_numpy(dtype, device):
    for divisor in divisors(dtype):
        host = dividends(dtype, divisor)
        x = to_device(device, host)
        with np.errstate(over="ignore"):
            assert_same(
                x // divisor, host // np.dtype(dtype).type(divisor), device, label=f"// {divisor}"
            )
            assert_same(
                x % divisor, host % np.dtype(dtype).type(divisor), device, label=f"% {divisor}"
            )


@loop_over("dtype", DTYPES)
def test_shifts_by_scalars_equal_shifts_by_arrays(dtype, device):
    limits = np.iinfo(dtype)
    host = np.arange(max(limits.min, -300), min(limits.max, 300) + 1).astype(dtype)
    x = to_device(device, host)
    for shift in (*range(limits.bits + 2), limits.max, limits.min):
        shifts = to_device(device, np.full_like(host, shift))
        assert_same(x >> shift, to_numpy(x >> shifts), device, label=f">> {shift}")
        assert_same(x << shift, to_numpy(x << shifts), device, label=f"<< {shift}")


def test_in_place_quotients_of_few_elements(device):
    for n in (1, 31, 32, 33):
        host = np.arange(-5, n - 5)
        x = to_device(device, host)
        x //= 7
        assert_same(x, host // 7, device)


@loop_over("dtype", ["int64", "uint64"])
@loop_over("bits", [8, 50, 51, 52, 53, 63])
def test_quotients_of_integers_of_every_width(dtype, bits, device):
    rng = np.random.default_rng(bits)
    limits = np.iinfo(dtype)
    most = min((1 << bits) - 1, limits.max)
    least = -most - 1 if limits.min < 0 else 0
    few = [least, least + 1, 0, 1, 2, 3, most // 2, most // 2 + 1, most - 1, most]
    few += [-1, -2, -3] if least < 0 else []
    ends = np.asarray(few, dtype)
    drawn = rng.integers(least, most, (2, 2000), dtype=dtype, endpoint=True)
    a = np.concatenate([drawn[0], np.repeat(ends, len(ends))])
    b = np.concatenate(
        [drawn[1] >> rng.integers(0, bits, 2000, dtype=dtype), np.tile(ends, len(ends))]
    )
    x, y = to_device(device, a), to_device(device, b)
    with np.errstate(over="ignore", divide="ignore"):
        assert_same(x // y, a // b, device)
        assert_same(x % y, a % b, device)
        assert_same(sk.fmod(x, y), np.fmod(a, b), device)
        assert_same(x[::-2] // y[::-2], a[::-2] // b[::-2], device)
        for i in range(0, len(ends)):
            assert_same(int(ends[i]) // y, ends[i] // b, device, label=f"{ends[i]} //")
            assert_same(int(ends[i]) % y, ends[i] % b, device, label=f"{ends[i]} %")
            assert_same(x // int(ends[i]), a // ends[i], device, label=f"// {ends[i]}")
            assert_same(x % int(ends[i]), a % ends[i], device, label=f"% {ends[i]}")
            assert_same(
                sk.fmod(x, int(ends[i])), np.fmod(a, ends[i]), device, label=f"fmod {ends[i]}"
            )


def test_one_wide_integer_among_narrow_ones(device):
    for position in (0, 511, 512, 700):
        a = np.arange(-400, 400)
        b = np.full(800, 7)
        a[position], b[position] = np.iinfo("int64").min, -3
        x = to_device(device, a)
        x %= to_device(device, b)
        assert_same(x, a % b, device)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_quotients_by_powers_of_two_are_correctly_rounded(dtype, device):
    """All powers of the dtype, multiples without an exact reciprocal, 0, infinity and NaN, of values up to the limits."""
    limits = np.finfo(dtype)
    values = np.random.default_rng(1).normal(size=100) * 2.0 ** np.arange(-50, 50)
    ends = [limits.max, limits.tiny, limits.smallest_subnormal, limits.smallest_subnormal * 3]
    with np.errstate(all="ignore"):
        host = np.concatenate([values, ends, np.negative(ends), [0, -0.0, np.inf, -np.inf, np.nan]])
        host = host.astype(dtype)
        powers = 2.0 ** np.arange(limits.minexp - limits.nmant, limits.maxexp).astype(dtype)
        divisors = [*powers, *-powers[::7], *(powers * 3)[::5], 0.0, -0.0, np.inf, np.nan]
        x = to_device(device, host)
        for divisor in divisors:
            got, want = x / float(divisor), host / np.asarray(divisor, dtype)
            assert_same(got, want, device, label=f"/ {divisor}")
            is_zero = want == 0
            np.testing.assert_array_equal(
                np.signbit(to_numpy(got))[is_zero], np.signbit(want)[is_zero]
            )
