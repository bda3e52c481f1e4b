# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Quantiles and medians against exact arithmetic: limits of each dtype, infinities and NaN, by each method."""

import itertools
import math
import random
from fractions import Fraction

import pytest
import skerry as sk
from skerry._extra.statistics._quantiles import ALPHA_BETA, METHODS, OF_ELEMENTS

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

#: Values of q that are exact in float16, also when multiplied by small counts.
SHARES = [0.0, 0.125, 0.25, 0.40625, 0.5, 0.8125, 1.0]
LENGTHS = (1, 2, 5)


def exact_index(method, n, q):
    """Returns the position of a quantile among n elements (Hyndman and Fan)."""
    q = Fraction(q)
    if method in ALPHA_BETA:
        alpha, beta = (Fraction(parameter).limit_denominator(8) for parameter in ALPHA_BETA[method])
        return n * q + alpha + q * (1 - alpha - beta) - 1
    if method in ("inverted_cdf", "averaged_inverted_cdf"):
        return n * q - 1
    if method == "closest_observation":
        return n * q - Fraction(3, 2)
    return (n - 1) * q


def exact_quantile(row, q, method):
    """Returns the quantile of a row in ascending order."""
    n, index = len(row), exact_index(method, len(row), q)
    low = math.floor(index)
    part = index - low
    element = lambda i: row[min(max(i, 0), n - 1)]  # noqa: E731
    if method in OF_ELEMENTS:
        chosen = {
            "lower": low,
            "higher": math.ceil(index),
            "nearest": round(index),
            "inverted_cdf": low if part == 0 else low + 1,
            "closest_observation": low if part == 0 and low % 2 == 1 else low + 1,
        }
        return element(chosen[method])
    if method == "averaged_inverted_cdf":
        part = Fraction(1, 2) if part == 0 else Fraction(1)
    elif method == "midpoint":
        part = Fraction(0) if part == 0 else Fraction(1, 2)
    return between(element(low), element(low + 1), part)


def rows_of(dtype, length, count, special=()):
    rng = random.Random(f"{dtype} {length}")
    numbers = [*ends_of(dtype), *special]
    return [[rng.choice(numbers) for _ in range(length)] for _ in range(count)]


def assert_row(got, row, q, method, dtype):
    result = dtype if dtype in FLOATS else "float64"
    ordered = sorted(row)
    sizes = [abs(Fraction(x)) for x in row if not (isinstance(x, float) and math.isinf(x))]
    # float64 cannot represent alpha and beta of these methods.
    loose = method in ("median_unbiased", "normal_unbiased")
    assert_close(
        got,
        exact_quantile(ordered, q, method),
        result,
        scale=max(sizes, default=0),
        scale_units=40 if loose else 3,
        label=f"{method} {q} of {row}",
    )


@pytest.mark.parametrize("device", TWO_DEVICES)
@pytest.mark.parametrize("dtype", [*INTEGERS, *FLOATS])
def test_quantiles_at_the_limits_of_dtypes(dtype, device):
    for length, method in itertools.product(LENGTHS, METHODS):
        rows = rows_of(dtype, length, 10)
        x = sk.asarray(rows, dtype=dtype, device=device)
        quantiles = sk.quantile(x, SHARES, axis=1, method=method)
        percents = sk.percentile(x, [100 * q for q in SHARES], axis=1, method=method)
        assert (quantiles == percents).tolist() == [[True] * len(rows)] * len(SHARES)
        for q, results in zip(SHARES, quantiles.tolist(), strict=True):
            for got, row in zip(results, rows, strict=True):
                assert_row(got, row, q, method, dtype)
            # A scalar q does not affect the dtype of the result.
            alone = sk.quantile(x, q, axis=1, method=method)
            if dtype in FLOATS:
                assert alone.dtype == x.dtype
            for got, row in zip(alone.tolist(), rows, strict=True):
                assert_row(got, row, q, method, dtype)


@pytest.mark.parametrize("device", TWO_DEVICES)
@pytest.mark.parametrize("dtype", FLOATS)
def test_quantiles_with_infinities_and_nan(dtype, device):
    for length, method in itertools.product(LENGTHS, METHODS):
        rows = rows_of(dtype, length, 12, [INF, -INF] * 4)
        x = sk.asarray(rows, dtype=dtype, device=device)
        longer = sk.asarray([[*row, NAN, NAN] for row in rows], dtype=dtype, device=device)
        for q in SHARES:
            quantiles = sk.quantile(x, q, axis=1, method=method).tolist()
            left = sk.nanquantile(longer, q, axis=1, method=method).tolist()
            assert all(map(math.isnan, sk.quantile(longer, q, axis=1, method=method).tolist()))
            for got, numbers, row in zip(quantiles, left, rows, strict=True):
                assert_row(got, row, q, method, dtype)
                assert_row(numbers, row, q, method, dtype)


@pytest.mark.parametrize("device", TWO_DEVICES)
@pytest.mark.parametrize("dtype", [*INTEGERS, *FLOATS])
def test_medians_are_rounded_once(dtype, device):
    result = dtype if dtype in FLOATS else "float64"
    special = [INF, -INF] if dtype in FLOATS else []
    for length in LENGTHS:
        rows = rows_of(dtype, length, 40, special)
        x = sk.asarray(rows, dtype=dtype, device=device)
        for function in (sk.median, sk.nanmedian):
            for got, row in zip(function(x, axis=1).tolist(), rows, strict=True):
                want = exact_quantile(sorted(row), 0.5, "linear")
                assert_close(got, want, result, units=0.5, label=f"{function.__name__} of {row}")


@pytest.mark.parametrize("device", TWO_DEVICES)
def test_quantile_positions_do_not_depend_on_the_dtype_of_q(device):
    """float16 ends at 65504, and float32 has no odd integers above 2**24."""
    x = sk.arange(70_001, dtype=sk.float32, device=device)
    for dtype in FLOATS:
        q = sk.asarray([0.25, 0.9375], dtype=dtype, device=device)
        assert sk.quantile(x, q).tolist() == [17_500.0, 65_625.0]
        assert sk.nanquantile(x, q).tolist() == [17_500.0, 65_625.0]
        assert sk.percentile(x, q * 64).tolist() == [0.16 * 70_000, 0.6 * 70_000]


@pytest.mark.parametrize("device", TWO_DEVICES)
@pytest.mark.parametrize("size", [1e308, 1.0, 2**62])
def test_weights_whose_sum_overflows(size, device):
    x = sk.asarray([3.0, 1.0, 2.0, 4.0], device=device)
    weights = sk.asarray([size, size, size, 0], device=device)
    for q, want in ((0.25, 1.0), (0.5, 2.0), (0.75, 3.0), (1.0, 3.0)):
        assert float(sk.quantile(x, q, method="inverted_cdf", weights=weights)) == want
        assert float(sk.nanquantile(x, q, method="inverted_cdf", weights=weights)) == want
