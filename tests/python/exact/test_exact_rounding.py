# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Rounding to decimals against exact decimal numbers, and signs of complex numbers of every size."""

import math
import random
from fractions import Fraction

import numpy as np
import pytest
import skerry as sk

from tests.python.exact.exact_oracle import (
    FLOATS,
    INF,
    INTEGERS,
    NAN,
    TWO_DEVICES,
    assert_close,
    ends_of,
)
from tests.python.oracle import to_numpy

DECIMALS = (
    -400,
    -309,
    -308,
    -20,
    -5,
    -4,
    -1,
    0,
    1,
    2,
    5,
    7,
    20,
    25,
    40,
    300,
    308,
    309,
    315,
    330,
    400,
)


def exact_around(x, decimals):
    """Rounds exactly, ties to even. Returns None close to a tie, as the scaled number may be rounded to the tie."""
    scaled = Fraction(x) * Fraction(10) ** decimals
    to_half = abs(abs(scaled - math.floor(scaled)) - Fraction(1, 2))
    if 0 < to_half < Fraction(abs(scaled)) / 2**50:
        return None
    return Fraction(round(scaled)) / Fraction(10) ** decimals


@pytest.mark.parametrize("device", TWO_DEVICES)
@pytest.mark.parametrize("dtype", FLOATS)
def test_around_of_floats(dtype, device):
    rng = random.Random(dtype)
    numbers = ends_of(dtype)
    numbers += [rng.uniform(-1, 1) * 10.0 ** rng.uniform(-8, 4) for _ in range(60)]
    numbers = to_numpy(sk.asarray(numbers, dtype=dtype)).tolist()
    x = sk.asarray(numbers, dtype=dtype, device=device)
    for decimals in DECIMALS:
        result = sk.around(x, decimals)
        assert result.dtype == x.dtype
        for got, number in zip(result.tolist(), numbers, strict=True):
            want = exact_around(number, decimals)
            if want is not None:
                assert_close(got, want, dtype, label=f"{number} to {decimals}")
        np.testing.assert_array_equal(to_numpy(x.round(decimals)), to_numpy(result))


@pytest.mark.parametrize("device", TWO_DEVICES)
def test_around_keeps_numbers_with_few_decimals(device):
    for dtype, number, decimals in (
        ("float16", 1.5, 5),
        ("float32", 1e20, 25),
        ("float64", 1.5, 400),
        ("float64", 5e-324, 324),
        ("float64", 0.1, 17),
    ):
        x = sk.asarray([number, INF, -INF, NAN], dtype=dtype, device=device)
        np.testing.assert_array_equal(to_numpy(sk.around(x, decimals)), to_numpy(x))
        z = sk.asarray(complex(number, -number), dtype=sk.complex128, device=device)
        assert dtype != "float64" or complex(sk.around(z, decimals)) == complex(number, -number)
    x = sk.asarray([INF, -INF, NAN], device=device)
    for decimals in DECIMALS:
        np.testing.assert_array_equal(to_numpy(sk.around(x, decimals)), to_numpy(x))
        assert np.signbit(to_numpy(sk.around(sk.asarray([-0.0], device=device), decimals)))[0]


@pytest.mark.parametrize("device", TWO_DEVICES)
@pytest.mark.parametrize("dtype", INTEGERS)
def test_around_of_integers(dtype, device):
    """Results that do not fit wrap around, like products."""
    limits = np.iinfo(dtype)
    numbers = ends_of(dtype)
    numbers += [x for ten in (1, 10, 100) for x in (5 * ten, 15 * ten, 25 * ten) if x <= limits.max]
    numbers += [x for x in (5 * 10**18, 5 * 10**18 + 1, 15 * 10**17) if x <= limits.max]
    x = sk.asarray(numbers, dtype=dtype, device=device)
    for decimals in (3, 0, -1, -2, -3, -5, -18, -19, -20, -40):
        result = sk.around(x, decimals)
        assert result.dtype == x.dtype
        exact = [number if decimals > 0 else round(number, decimals) for number in numbers]
        wrapped = [
            (number - int(limits.min)) % 2**limits.bits + int(limits.min) for number in exact
        ]
        assert result.tolist() == wrapped, decimals
        assert x.round(decimals).tolist() == wrapped


@pytest.mark.parametrize("device", TWO_DEVICES)
def test_around_of_bools_is_float16(device):
    x = sk.asarray([False, True], device=device)
    for decimals, want in ((0, [0, 1]), (2, [0, 1]), (-1, [0, 0])):
        assert sk.around(x, decimals).tolist() == want
        assert sk.around(x, decimals).dtype == sk.float16


@pytest.mark.parametrize("device", TWO_DEVICES)
@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_signs_of_complex_numbers_have_length_1(dtype, device):
    half = math.sqrt(0.5)
    limits = np.finfo(dtype)
    for size in (1.0, float(limits.max), float(limits.smallest_subnormal), INF):
        small = 1.0 if math.isinf(size) else 0.0
        for z, want in (
            (complex(size, small), 1),
            (complex(-size, small), -1),
            (complex(small, size), 1j),
            (complex(small, -size), -1j),
            (complex(size, -size), complex(half, -half)),
            (complex(-size, size), complex(-half, half)),
        ):
            got = complex(sk.sign(sk.asarray(z, dtype=dtype, device=device)))
            assert abs(got - want) <= float(limits.eps), z
    nan = sk.sign(sk.asarray([complex(INF, NAN), complex(NAN, 0)], dtype=dtype, device=device))
    assert np.all(np.isnan(to_numpy(nan)))
