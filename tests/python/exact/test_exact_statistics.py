# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Means, variances, extrema and correlations against exact arithmetic: with NaN, infinities, and float16 overflow."""

import itertools
import math
import random
from fractions import Fraction

import numpy as np
import pytest
import skerry as sk

from tests.python.exact.exact_oracle import FLOATS, INF, NAN, TWO_DEVICES, assert_close, ends_of
from tests.python.oracle import to_numpy


@pytest.mark.parametrize("device", TWO_DEVICES)
@pytest.mark.parametrize("dtype", FLOATS)
def test_variances_with_infinities_are_nan(dtype, device):
    for row in (
        [INF],
        [-INF],
        [INF, 1.0, 2.0],
        [1.0, INF],
        [INF, -INF],
        [INF] * 40,
        [2.0] * 5000 + [INF],
    ):
        x = sk.asarray(row, dtype=dtype, device=device)
        longer = sk.asarray([*row, NAN], dtype=dtype, device=device)
        for function in (sk.nanvar, sk.nanstd):
            assert math.isnan(float(function(x))), row[:3]
            assert math.isnan(float(function(longer))), row[:3]
            assert math.isnan(float(function(longer, mean=sk.nanmean(longer, keepdims=True))))
        assert math.isnan(float(sk.var(x)))
        assert math.isnan(float(sk.std(x)))


@pytest.mark.parametrize("device", TWO_DEVICES)
def test_float16_statistics_accumulate_in_higher_precision(device):
    """Sums and squares above 65504, and counts above 2048."""
    row = [100.0, 500.0] * 5000
    x = sk.asarray([*row, NAN], dtype=sk.float16, device=device)
    ones = sk.ones((len(row),), dtype=sk.float16, device=device)
    for got, want in (
        (sk.nanmean(x), 300),
        (sk.nanvar(x), 40_000),
        (sk.nanstd(x), 200),
        (sk.nanstd(sk.asarray([0.0, 60_000, NAN], dtype=sk.float16, device=device)), 30_000),
        (sk.average(x[:-1], weights=ones), 300),
        (sk.average(x[:-1], weights=ones, returned=True)[0], 300),
    ):
        assert got.dtype == sk.float16
        assert float(got) == want


@pytest.mark.parametrize("device", TWO_DEVICES)
@pytest.mark.parametrize("dtype", FLOATS)
def test_statistics_of_numbers_of_many_sizes(dtype, device):
    """Numbers are below the square root of the largest one, so that squares and sums do not overflow."""
    rng = random.Random(dtype)
    top = math.sqrt(float(np.finfo(dtype).max) / 100)
    numbers = [x for x in ends_of(dtype) if abs(x) <= top] + [top, -top / 3]
    for _ in range(60):
        row = to_numpy(sk.asarray([rng.choice(numbers) for _ in range(6)], dtype=dtype)).tolist()
        left = [Fraction(x) for x in row]
        mean = sum(left) / len(left)
        variance = sum((x - mean) ** 2 for x in left) / (len(left) - 1)
        x = sk.asarray([*row[:3], NAN, *row[3:]], dtype=dtype, device=device)
        scale = max(map(abs, left))
        more = 1 if dtype == "float64" else 2**29
        label = f"{row}"
        assert_close(
            float(sk.nanmean(x)), mean, dtype, scale=scale, scale_units=8 * more, label=label
        )
        got = float(sk.nanvar(x, ddof=1))
        assert_close(got, variance, dtype, scale=scale**2, scale_units=16 * more, label=label)
        assert float(sk.nanvar(x, correction=1)) == got
        assert_close(float(sk.nansum(x)), sum(left), dtype, scale=6 * scale, scale_units=8 * more)


@pytest.mark.parametrize("device", TWO_DEVICES)
@pytest.mark.parametrize("name", ["nanvar", "nanstd"])
def test_ddof_together_with_correction_raises(name, device):
    x = sk.asarray([1.0, 2.0, NAN], device=device)
    for both in ({"ddof": 1, "correction": 1}, {"ddof": 2, "correction": 0}):
        with pytest.raises(ValueError, match=f"{name}: ddof"):
            getattr(sk, name)(x, **both)
        with pytest.raises(ValueError, match=f"{name}: ddof"):
            getattr(sk, name)(sk.asarray([1, 2], device=device), **both)


@pytest.mark.parametrize("device", TWO_DEVICES)
@pytest.mark.parametrize("dtype", FLOATS)
def test_positions_of_extrema_skip_nan(dtype, device):
    """The extremum may equal the value that replaces NaN."""
    for row in itertools.product((NAN, INF, -INF, 0.0, 1.0), repeat=3):
        left = [x for x in row if not math.isnan(x)]
        x = sk.asarray(row, dtype=dtype, device=device)
        if not left:
            continue
        assert int(sk.nanargmin(x)) == row.index(min(left)), row
        assert int(sk.nanargmax(x)) == row.index(max(left)), row
        rows = sk.asarray([row, row], dtype=dtype, device=device)
        assert sk.nanargmin(rows, axis=1).tolist() == [row.index(min(left))] * 2
        assert sk.nanargmax(rows, axis=1, keepdims=True).tolist() == [[row.index(max(left))]] * 2
        assert float(sk.nanmin(x)) == min(left)
        assert float(sk.nanmax(x)) == max(left)


@pytest.mark.parametrize("device", TWO_DEVICES)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_correlations_do_not_depend_on_scale(dtype, device):
    rows = np.asarray([[1.0, 2, 4], [1, -2, 3], [0, 0, 1]])
    want = np.corrcoef(rows)
    most = 120 if dtype == "float32" else 1015
    for powers in itertools.product((-most, 0, most), repeat=3):
        scales = [[2.0**power] for power in powers]
        x = sk.asarray(rows * scales, dtype=dtype, device=device)
        got = to_numpy(sk.corrcoef(x, dtype=dtype))
        np.testing.assert_allclose(got, want, rtol=1e-6 if dtype == "float32" else 1e-14)
    constant = sk.corrcoef(sk.asarray([[1.0, 2.0], [3.0, 3.0]], device=device))
    np.testing.assert_array_equal(np.isnan(to_numpy(constant)), [[False, True], [True, True]])


@pytest.mark.parametrize("device", TWO_DEVICES)
def test_covariances_of_small_integers_are_exact(device):
    rows = [[-128, 127, 0, 4], [3, -5, 100, 2]]
    x = sk.asarray(rows, dtype=sk.int8, device=device)
    fractions = [[Fraction(v) - Fraction(sum(row), 4) for v in row] for row in rows]
    want = [
        [sum(a * b for a, b in zip(p, q, strict=True)) / 3 for p in fractions] for q in fractions
    ]
    for got, exact in zip(np.ravel(to_numpy(sk.cov(x))), np.ravel(want), strict=True):
        assert_close(float(got), exact, "float64", units=2)
