# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Ramps, means and medians of padding against exact arithmetic."""

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
    between,
    ends_of,
)
from tests.python.oracle import to_numpy


@pytest.mark.parametrize("device", TWO_DEVICES)
@pytest.mark.parametrize("dtype", INTEGERS)
def test_integer_ramps_are_exact(dtype, device):
    """They are rounded down."""
    rng = random.Random(dtype)
    for _ in range(40):
        edge, end = (rng.choice(ends_of(dtype)) for _ in range(2))
        for width in (1, 3, 7):
            x = sk.asarray([edge], dtype=dtype, device=device)
            got = sk.pad(x, width, mode="linear_ramp", end_values=end).tolist()
            ramp = [math.floor(between(end, edge, Fraction(i, width))) for i in range(width)]
            assert got == [*ramp, edge, *reversed(ramp)], (edge, end)


@pytest.mark.parametrize("device", TWO_DEVICES)
@pytest.mark.parametrize("dtype", FLOATS)
def test_float_ramps_do_not_overflow(dtype, device):
    rng = random.Random(dtype)
    numbers = ends_of(dtype)
    for _ in range(60):
        edge, end = (rng.choice(numbers) for _ in range(2))
        x = sk.asarray([edge], dtype=dtype, device=device)
        got = sk.pad(x, (4, 0), mode="linear_ramp", end_values=end).tolist()
        more = 2**29 if dtype == "float32" else 1
        for i, actual in enumerate(got[:4]):
            want = between(end, edge, Fraction(i, 4))
            scale = max(abs(edge), abs(end))
            assert_close(
                actual, want, dtype, scale=scale, scale_units=4 * more, label=f"{end} to {edge}"
            )
    x = sk.asarray([INF, 1.0], dtype=dtype, device=device)
    want = [0.0, INF, INF, 1.0, 0.5, 0.0]
    assert sk.pad(x, 2, mode="linear_ramp").tolist() == want


@pytest.mark.parametrize("device", TWO_DEVICES)
@pytest.mark.parametrize("dtype", INTEGERS)
def test_integer_means_and_medians_are_exact(dtype, device):
    """They are rounded, ties to even."""
    rng = random.Random(dtype)
    for length in (1, 2, 3, 4, 7):
        for _ in range(12):
            row = [rng.choice(ends_of(dtype)) for _ in range(length)]
            x = sk.asarray(row, dtype=dtype, device=device)
            mean = round(Fraction(sum(row), length))
            assert sk.pad(x, 1, mode="mean").tolist() == [mean, *row, mean]
            ordered = sorted(row)
            median = round(Fraction(ordered[(length - 1) // 2] + ordered[length // 2], 2))
            assert sk.pad(x, 1, mode="median").tolist() == [median, *row, median]


@pytest.mark.parametrize("device", TWO_DEVICES)
def test_float_medians_do_not_overflow(device):
    for dtype in FLOATS:
        top = float(np.finfo(dtype).max)
        x = sk.asarray([top, top], dtype=dtype, device=device)
        assert sk.pad(x, 1, mode="median").tolist() == [top] * 4
        x = sk.asarray([NAN, 1.0, 2.0], dtype=dtype, device=device)
        assert math.isnan(sk.pad(x, 1, mode="median").tolist()[0])


@pytest.mark.parametrize("device", TWO_DEVICES)
@pytest.mark.parametrize("dtype", INTEGERS)
def test_pad_values_out_of_range_raise(dtype, device):
    x = sk.asarray([1, 2], dtype=dtype, device=device)
    limits = np.iinfo(dtype)
    for value in (int(limits.max) + 1, int(limits.min) - 1, NAN, INF, 1e30):
        for options in (
            {"constant_values": value},
            {"constant_values": (0, value)},
            {"mode": "linear_ramp", "end_values": value},
        ):
            with pytest.raises(OverflowError, match="pad"):
                sk.pad(x, 1, **options)
    assert sk.pad(x, 1, constant_values=2.75).tolist() == [2, 1, 2, 2]


@pytest.mark.parametrize("device", TWO_DEVICES)
def test_odd_reflections_with_infinities(device):
    x = sk.asarray([INF, 1.0, 3.0], device=device)
    got = to_numpy(sk.pad(x, (0, 1), mode="reflect", reflect_type="odd"))
    np.testing.assert_array_equal(got, [INF, 1, 3, 5])
