# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Interpolation against exact arithmetic, with infinities and NaN, and with equal bits in every implementation."""

import bisect
import itertools
import math
import random
from fractions import Fraction

import numpy as np
import pytest
import skerry as sk

from tests.python.exact.exact_oracle import INF, NAN, TWO_DEVICES, assert_close, between, ends_of
from tests.python.oracle import to_numpy

ENDS = ends_of("float64")
NEARLY_NOTHING = Fraction(1, 10**700)


def exact_share(x, start, end):
    """Returns the position between start and end as a fraction; an infinite end is infinitely distant."""
    if math.isinf(start) and math.isinf(end):
        return NAN
    if math.isinf(start) or math.isinf(end):
        return 1 - NEARLY_NOTHING if math.isinf(start) else NEARLY_NOTHING
    return (Fraction(x) - Fraction(start)) / (Fraction(end) - Fraction(start))


def exact_interp(x, positions, values):
    if math.isnan(x):
        return NAN
    index = bisect.bisect_right(positions, x) - 1
    if index < 0:
        return values[0]
    if index == len(positions) - 1 or x == positions[index]:
        return values[index]
    share = exact_share(x, positions[index], positions[index + 1])
    return between(values[index], values[index + 1], share)


def cases(count, special=()):
    rng = random.Random(count)
    for _ in range(count):
        size = rng.choice((2, 3, 6))
        positions = sorted(rng.sample([*ENDS, *special], size))
        values = [rng.choice([*ENDS, *special]) for _ in positions]
        among = [rng.uniform(-1, 1) * abs(rng.choice(ENDS)) for _ in range(6)]
        yield [*positions, *rng.sample(ENDS, 6), *among, *special], positions, values


@pytest.mark.parametrize("device", TWO_DEVICES)
@pytest.mark.parametrize("special", [(), (INF, -INF)])
def test_interp_at_the_limits_of_float64(special, device):
    for xs, positions, values in cases(120, special):
        arrays = (sk.asarray(numbers, device=device) for numbers in (xs, positions, values))
        for x, got in zip(xs, sk.interp(*arrays).tolist(), strict=True):
            want = exact_interp(x, positions, values)
            sizes = [abs(y) for y in values if math.isfinite(y)]
            label = f"{x} among {positions}, {values}"
            assert_close(got, want, "float64", scale=max(sizes, default=0), label=label)


@pytest.mark.parametrize("device", TWO_DEVICES)
def test_nan_affects_only_adjacent_segments(device):
    positions, values = [0.0, 1.0, 2.0, 3.0], [0.0, 1.0, NAN, 5.0]
    xs = [-1.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 9.0, NAN]
    want = [0, 0.5, 1, NAN, NAN, NAN, 5, 5, NAN]
    got = sk.interp(*(sk.asarray(numbers, device=device) for numbers in (xs, positions, values)))
    np.testing.assert_array_equal(to_numpy(got), want)
    got = sk.interp(
        *(sk.asarray(v, device=device) for v in ([0.5, 1.5, 2.5], [0.0, 1.0, NAN], [0.0, 1.0, 5.0]))
    )
    np.testing.assert_array_equal(to_numpy(got), [0.5, NAN, NAN])


def test_every_implementation_of_interp_gives_equal_bits():
    """Few elements one at a time, many as arrays in blocks with threads, on each device, with unsorted points and NaN."""
    rng = np.random.default_rng(7)
    special = np.asarray([NAN, INF, -INF, 0.0, 1e308, -1e308, 5e-324])
    for size, shuffled in itertools.product((2, 3, 7, 40), (False, True)):
        positions = np.sort(
            np.where(rng.random(size) < 0.3, rng.choice(special, size), rng.normal(size=size))
        )
        if shuffled:
            rng.shuffle(positions)
        values = np.where(rng.random(size) < 0.3, rng.choice(special, size), rng.normal(size=size))
        x = np.concatenate([special, positions, rng.normal(size=300)])
        results = []
        for device in TWO_DEVICES:
            xp, fp = (
                sk.asarray(numbers, device=device, copy=True) for numbers in (positions, values)
            )
            whole = sk.asarray(x, device=device, copy=True)
            results.append(to_numpy(sk.interp(whole, xp, fp)))
            results.append(
                np.concatenate(
                    [to_numpy(sk.interp(whole[i : i + 10], xp, fp)) for i in range(0, x.size, 10)]
                )
            )
            both = sk.interp(whole, xp, sk.astype(fp, sk.complex128))
            results.append(to_numpy(sk.real(both)))
        for result in results[1:]:
            np.testing.assert_array_equal(result, results[0])


@pytest.mark.parametrize("device", TWO_DEVICES)
def test_complex_values_are_interpolated_componentwise(device):
    values = [complex(INF, 0), complex(3, 2), complex(3, -INF), complex(NAN, 1)]
    arrays = [sk.asarray(v, device=device) for v in ([0.5, 1.5, 2.5], [0.0, 1, 2, 3], values)]
    result = sk.interp(*arrays)
    np.testing.assert_array_equal(to_numpy(sk.real(result)), [INF, 3, NAN])
    np.testing.assert_array_equal(to_numpy(sk.imag(result)), [1, -INF, -INF])


@pytest.mark.parametrize("device", TWO_DEVICES)
def test_periodic_interp_with_infinities(device):
    arrays = [
        sk.asarray(v, device=device) for v in ([0.5, 3.5, -0.5], [0.0, 1, 2], [INF, 3.0, 5.0])
    ]
    np.testing.assert_array_equal(to_numpy(sk.interp(*arrays, period=3)), [INF, INF, INF])
