# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Bins by exact comparison of items and edges, edges at the limits of each dtype, and sums of integer weights."""

import bisect
import itertools
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


def exact_counts(items, edges):
    bins = len(edges) - 1
    counts = [0] * bins
    for x in items:
        if math.isnan(x) or not edges[0] <= x <= edges[-1]:
            continue
        counts[min(bisect.bisect_right(edges, x) - 1, bins - 1)] += 1
    return counts


@pytest.mark.parametrize("device", TWO_DEVICES)
@pytest.mark.parametrize("dtype", [*INTEGERS, *FLOATS])
def test_even_bins_at_the_limits_of_dtypes(dtype, device):
    rng = random.Random(dtype)
    numbers = [
        x for x in ends_of(dtype) if dtype not in FLOATS or abs(x) >= float(np.finfo(dtype).eps)
    ]
    for _ in range(20):
        items = [rng.choice(numbers) for _ in range(20)]
        x = sk.asarray(items, dtype=dtype, device=device)
        counts, edges = sk.histogram(x, bins=4)
        bounds = edges.tolist()
        assert bounds[0] <= min(items)
        assert bounds[-1] >= max(items)
        assert counts.tolist() == exact_counts(items, bounds), (items, bounds)
        assert sum(counts.tolist()) == len(items)
        width = (Fraction(bounds[-1]) - Fraction(bounds[0])) / 4
        scale = max(map(abs, bounds))
        for i, edge in enumerate(bounds):
            result = edges.dtype.name
            units = {"float16": 2**42, "float32": 2**29, "float64": 1}[result] * 3
            assert_close(
                edge, Fraction(bounds[0]) + i * width, result, scale=scale, scale_units=units
            )


#: Dtypes of items and of edges that have values which their common float dtype cannot represent.
PAIRS = [
    *itertools.product(("int64", "uint64"), ("int64", "uint64", *FLOATS)),
    *itertools.product(FLOATS, ("int64", "uint64")),
    ("int32", "float32"),
    ("float32", "float64"),
    ("float16", "int32"),
]


@pytest.mark.parametrize("device", TWO_DEVICES)
@pytest.mark.parametrize(("of_items", "of_edges"), PAIRS)
def test_items_are_compared_with_edges_exactly(of_items, of_edges, device):
    rng = random.Random(f"{of_items} {of_edges}")
    among = {dtype: ends_of(dtype) for dtype in (of_items, of_edges)}
    for dtype, numbers in among.items():
        if dtype == "float64":
            numbers += [2.0**53, 2.0**53 + 2, 2.0**62, 2.0**63, 2.0**64, -(2.0**53), -(2.0**63)]
        if dtype in FLOATS:
            numbers += [INF, -INF, 0.5, -0.5]
    for _ in range(30):
        items = [rng.choice(among[of_items]) for _ in range(20)]
        edges = sorted(rng.choice(among[of_edges]) for _ in range(6))
        x = sk.asarray(items, dtype=of_items, device=device)
        bins = sk.asarray(edges, dtype=of_edges, device=device)
        label = f"{items} in {edges}"
        assert sk.histogram(x, bins)[0].tolist() == exact_counts(items, edges), label
        ones = sk.ones((20,), device=device)
        assert sk.histogram(x, bins, weights=ones)[0].tolist() == exact_counts(items, edges), label
        below = [bisect.bisect_right(edges, item) for item in items]
        assert sk.digitize(x, bins).tolist() == below, label
        at_most = [bisect.bisect_left(edges, item) for item in items]
        assert sk.digitize(x, bins, right=True).tolist() == at_most, label
        falling = sk.digitize(x, sk.flip(bins))
        assert edges[0] == edges[-1] or falling.tolist() == [6 - n for n in below], label


@pytest.mark.parametrize("device", TWO_DEVICES)
@pytest.mark.parametrize("dtype", INTEGERS)
def test_sums_of_integer_weights_are_exact(dtype, device):
    """They wrap around, like sums of their dtype."""
    rng = random.Random(dtype)
    limits = np.iinfo(dtype)
    weights = [rng.choice(ends_of(dtype)) for _ in range(1000)]
    items = [rng.random() for _ in weights]
    arrays = (sk.asarray(items, device=device), sk.asarray(weights, dtype=dtype, device=device))
    got = sk.histogram(arrays[0], bins=3, range=(0, 1), weights=arrays[1])[0]
    assert got.dtype == np.dtype(dtype)
    want = [0, 0, 0]
    for item, weight in zip(items, weights, strict=True):
        want[bisect.bisect_right([Fraction(1, 3), Fraction(2, 3)], item)] += weight
    low = int(limits.min)
    assert got.tolist() == [(total - low) % 2**limits.bits + low for total in want]


@pytest.mark.parametrize("device", TWO_DEVICES)
def test_histogram_rejects_infinite_ranges(device):
    x = sk.asarray([1.0, 2.0], device=device)
    for limits in ((0, INF), (-INF, 0), (NAN, 1), (0, NAN)):
        with pytest.raises(ValueError, match="range"):
            sk.histogram(x, range=limits)
    for items in ([1.0, INF], [NAN, 1.0]):
        with pytest.raises(ValueError, match="range"):
            sk.histogram(sk.asarray(items, device=device))
    counts = sk.histogram(sk.asarray([1.0, INF, NAN, -INF], device=device), bins=2, range=(0, 2))[0]
    assert counts.tolist() == [0, 1]
