# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Quotients and remainders of integers by a scalar, which are products by its reciprocal on a CPU."""

import numpy as np
import pytest
from oracle import assert_same, on

DTYPES = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]


def dividends(dtype, divisor):
    """Random numbers of every width, the limits, and those next to multiples of the divisor."""
    limits = np.iinfo(dtype)
    rng = np.random.default_rng(abs(divisor) % 1000)
    width = rng.integers(0, limits.bits, 4000)
    wide = rng.integers(limits.min, limits.max, 4000, dtype=dtype, endpoint=True) >> width.astype(
        dtype
    )
    multiples = np.asarray(
        [
            near
            for k in (*range(-50, 50), limits.max // divisor, limits.min // divisor)
            for near in (k * divisor - 1, k * divisor, k * divisor + 1)
            if limits.min <= near <= limits.max
        ],
        dtype,
    )
    ends = np.asarray([limits.min, limits.min + 1, 0, 1, limits.max - 1, limits.max], dtype)
    return np.concatenate([wide, multiples, ends])


def divisors(dtype):
    """Small ones, powers of two and their neighbours, the greatest; negative ones."""
    limits = np.iinfo(dtype)
    powers = [1 << k for k in range(1, limits.bits - (limits.min < 0))]
    found = {
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
    found |= {limits.max, limits.max - 1}
    found |= {-each for each in (1, 2, 3, 7, 100)} if limits.min < 0 else set()
    return sorted(each for each in found if each != 0 and limits.min <= each <= limits.max)


@pytest.mark.parametrize("dtype", DTYPES)
def test_quotients_and_remainders_are_numpys(dtype, device):
    for divisor in divisors(dtype):
        host = dividends(dtype, divisor)
        x = on(device, host)
        with np.errstate(over="ignore"):
            assert_same(
                x // divisor, host // np.dtype(dtype).type(divisor), device, what=f"// {divisor}"
            )
            assert_same(
                x % divisor, host % np.dtype(dtype).type(divisor), device, what=f"% {divisor}"
            )


def test_in_place_and_few_elements(device):
    for n in (1, 31, 32, 33):
        host = np.arange(-5, n - 5)
        x = on(device, host)
        x //= 7
        assert_same(x, host // 7, device)
