# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Distributions: moments, chi-square tests of counts, Kolmogorov-Smirnov tests of numbers, with fixed seeds.

Distribution functions are mpmath's or SciPy's where they are installed, else written here.
"""

import math

import numpy as np
import pytest
import skerry as sk
from libraries import library
from skerry.random import default_rng

SIZE = 200_000
# The seeds are fixed: a test that passes does so always. One in a million of correct generators would fail.
RARE = 1e-6


def drawn(x):
    return np.asarray(x.to_device("cpu"), dtype=np.float64).reshape(-1)


def is_close_to(sample, cdf):
    """Kolmogorov and Smirnov: the greatest distance to the distribution function, and how rare it is."""
    ordered = np.sort(sample)
    n = ordered.size
    expected = cdf(ordered)
    steps = np.arange(n + 1) / n
    distance = max(np.max(steps[1:] - expected), np.max(expected - steps[:-1]))
    scaled = distance * math.sqrt(n)
    chance = 2 * sum((-1) ** (k - 1) * math.exp(-2 * (k * scaled) ** 2) for k in range(1, 20))
    assert chance > RARE, f"distance {distance}: a chance of {chance}"


def are_as_expected(counts, probabilities):
    """The chi-square test; classes of few are joined with the next."""
    expected = np.asarray(probabilities, dtype=np.float64) * np.sum(counts)
    classes, seen, total = [], 0.0, 0.0
    for number, mean in zip(counts, expected, strict=True):
        seen, total = seen + number, total + mean
        if total >= 10:
            classes.append((seen, total))
            seen = total = 0.0
    last_seen, last_total = classes.pop()
    classes.append((last_seen + seen, last_total + total))
    degrees = len(classes) - 1
    statistic = sum((a - b) ** 2 / b for a, b in classes)
    # Wilson and Hilferty: its third root is about normal.
    cut = 2 / (9 * degrees)
    deviation = ((statistic / degrees) ** (1 / 3) - (1 - cut)) / math.sqrt(cut)
    assert deviation < 4.8, f"chi-square {statistic} of {degrees} degrees of freedom"


def normal_cdf(x):
    return np.asarray([0.5 * math.erfc(-each / math.sqrt(2)) for each in x])


REAL = {
    "random": (lambda r: r.random(SIZE), lambda x: x),
    "random float32": (lambda r: r.random(SIZE, dtype=sk.float32), lambda x: x),
    "uniform": (lambda r: r.uniform(-2, 6, SIZE), lambda x: (x + 2) / 8),
    "standard_normal": (lambda r: r.standard_normal(SIZE), normal_cdf),
    "standard_normal float32": (lambda r: r.standard_normal(SIZE, dtype=sk.float32), normal_cdf),
    "normal": (lambda r: r.normal(5, 3, SIZE), lambda x: normal_cdf((x - 5) / 3)),
    "lognormal": (lambda r: r.lognormal(1, 0.5, SIZE), lambda x: normal_cdf((np.log(x) - 1) / 0.5)),
    "standard_exponential": (lambda r: r.standard_exponential(SIZE), lambda x: -np.expm1(-x)),
    "standard_exponential float32": (
        lambda r: r.standard_exponential(SIZE, dtype=sk.float32),
        lambda x: -np.expm1(-x),
    ),
    "exponential": (lambda r: r.exponential(4, SIZE), lambda x: -np.expm1(-x / 4)),
    "laplace": (
        lambda r: r.laplace(1, 2, SIZE),
        lambda x: 0.5 + np.sign(x - 1) * -np.expm1(-np.abs(x - 1) / 2) / 2,
    ),
    # A sum of three exponential numbers.
    "gamma of 3": (
        lambda r: r.standard_gamma(3, SIZE),
        lambda x: 1 - np.exp(-x) * (1 + x + x * x / 2),
    ),
    # Half of the square of a normal number.
    "gamma of 1/2": (
        lambda r: r.standard_gamma(0.5, SIZE),
        lambda x: 2 * normal_cdf(np.sqrt(2 * x)) - 1,
    ),
    "gamma of 1": (lambda r: r.gamma(1, 3, SIZE), lambda x: -np.expm1(-x / 3)),
    "chisquare": (lambda r: r.chisquare(2, SIZE), lambda x: -np.expm1(-x / 2)),
    "beta": (lambda r: r.beta(2, 3, SIZE), lambda x: x * x * (6 - 8 * x + 3 * x * x)),
    "beta of 1/2": (lambda r: r.beta(0.5, 0.5, SIZE), lambda x: 2 / np.pi * np.arcsin(np.sqrt(x))),
    # The first share of three of 1 is a beta number of 1 and 2.
    "dirichlet": (lambda r: r.dirichlet([1, 1, 1], SIZE)[:, 0], lambda x: 1 - (1 - x) ** 2),
}


@pytest.mark.parametrize("name", REAL)
def test_numbers_follow_their_distribution_function(name):
    draw, cdf = REAL[name]
    is_close_to(drawn(draw(default_rng(11))), cdf)


@pytest.mark.parametrize("shape", [0.05, 0.7, 1.3, 12.5, 1000.0])
def test_gamma_numbers_against_scipy(shape):
    stats = library("scipy.stats")
    is_close_to(drawn(default_rng(12).standard_gamma(shape, SIZE)), stats.gamma(shape).cdf)


def poisson_probabilities(mean, most):
    return np.asarray(
        [math.exp(k * math.log(mean) - mean - math.lgamma(k + 1)) for k in range(most)]
    )


def binomial_probabilities(n, p):
    return np.asarray(
        [
            math.exp(
                math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
                + k * math.log(p) + (n - k) * math.log1p(-p)
            )
            for k in range(n + 1)
        ]
    )  # fmt: skip


@pytest.mark.parametrize("mean", [0.01, 1.0, 9.99, 10.0, 12.5, 40.0, 300.0])
def test_poisson_counts(mean):
    most = int(mean + 12 * math.sqrt(mean) + 20)
    counts = np.bincount(drawn(default_rng(13).poisson(mean, SIZE)).astype(int), minlength=most)
    are_as_expected(counts[:most], poisson_probabilities(mean, most))


@pytest.mark.parametrize(
    ("n", "p"), [(1, 0.5), (20, 0.1), (20, 0.9), (33, 0.3), (40, 0.5), (100, 0.95), (1000, 0.4)]
)
def test_binomial_counts(n, p):
    counts = np.bincount(drawn(default_rng(14).binomial(n, p, SIZE)).astype(int), minlength=n + 1)
    are_as_expected(counts, binomial_probabilities(n, p))


@pytest.mark.parametrize("p", [0.9, 0.3, 0.02])
def test_geometric_counts(p):
    most = int(20 / p) + 10
    counts = np.bincount(drawn(default_rng(15).geometric(p, SIZE)).astype(int), minlength=most)
    expected = [0.0] + [p * (1 - p) ** (k - 1) for k in range(1, most)]
    are_as_expected(counts[:most], expected)


@pytest.mark.parametrize("mean", [1e4, 1e9, 1e15])
def test_great_poisson_counts_are_nearly_normal(mean):
    standardized = (drawn(default_rng(16).poisson(mean, SIZE)) - mean + 0.5) / math.sqrt(mean)
    sample = standardized
    assert abs(np.mean(sample)) < 5 / math.sqrt(SIZE) + 1 / math.sqrt(mean)
    assert abs(np.var(sample) - 1) < 5 * math.sqrt(2 / SIZE)
    assert abs(np.mean(sample**3) - 1 / math.sqrt(mean)) < 5 * math.sqrt(15 / SIZE)
    assert abs(np.mean(sample**4) - 3) < 5 * math.sqrt(96 / SIZE)


@pytest.mark.parametrize("count", [2, 3, 10, 100, 257])
@pytest.mark.parametrize("dtype", ["int16", "uint32", "int64"])
def test_integers_are_equally_frequent(count, dtype):
    counts = np.bincount(
        drawn(default_rng(17).integers(0, count, SIZE, dtype=dtype)).astype(int), minlength=count
    )
    assert counts.size == count
    are_as_expected(counts, np.full(count, 1 / count))


@pytest.mark.parametrize(
    "name", ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
)
def test_integers_of_the_whole_range_of_a_dtype(name):
    info = np.iinfo(name)
    rng = default_rng(18)
    whole = np.asarray(rng.integers(info.min, info.max, SIZE, dtype=name, endpoint=True))
    assert whole.dtype == name
    # Each of the bits is set in half of them.
    bits = np.unpackbits(whole.view(np.uint8)).reshape(SIZE, -1).mean(axis=0)
    assert np.max(np.abs(bits - 0.5)) < 6 * 0.5 / math.sqrt(SIZE)
    for low, high in [(info.min, info.min + 1), (info.max - 1, info.max)]:
        ends = np.asarray(rng.integers(low, high, 1000, dtype=name, endpoint=True))
        assert set(ends.tolist()) == {low, high}


def test_two_thirds_of_64_bits_are_not_biased():
    """By words modulo or by multiplication without refusals, a third would be twice as probable."""
    count = 3 << 62
    x = np.asarray(default_rng(19).integers(0, count, SIZE, dtype=sk.uint64))
    thirds = np.bincount((x >> np.uint64(62)).astype(int), minlength=3)
    are_as_expected(thirds, [1 / 3] * 3)
    odd = np.bincount((x & np.uint64(1)).astype(int), minlength=2)
    are_as_expected(odd, [0.5, 0.5])


def test_orders_of_four_are_equally_frequent():
    rng = default_rng(20)
    rows = sk.broadcast_to(sk.arange(4), (48_000, 4))
    orders = np.asarray(rng.permuted(rows, axis=1)) @ np.asarray([64, 16, 4, 1])
    _, counts = np.unique(orders, return_counts=True)
    assert counts.size == 24
    are_as_expected(counts, [1 / 24] * 24)


def test_choices_have_their_probabilities():
    p = [0.5, 0.0, 0.2, 0.3]
    rng = default_rng(21)
    counts = np.bincount(drawn(rng.choice(4, SIZE, p=p)).astype(int), minlength=4)
    assert counts[1] == 0
    are_as_expected(counts[[0, 2, 3]], [0.5, 0.2, 0.3])


def test_choices_without_replacement_have_the_probabilities_of_drawing_in_turn():
    p = np.asarray([0.5, 0.3, 0.2])
    rng = default_rng(22)
    pairs = np.zeros((3, 3))
    for _ in range(3000):
        first, second = rng.choice(3, 2, replace=False, p=p).tolist()
        pairs[first, second] += 1
    expected = p[:, None] * p[None, :] / (1 - p[:, None]) * (1 - np.eye(3))
    assert np.all(np.diag(pairs) == 0)
    are_as_expected(pairs[~np.eye(3, dtype=bool)], expected[~np.eye(3, dtype=bool)])


@pytest.mark.parametrize("lag", [1, 2, 3, 4, 512])
def test_neighbours_are_not_correlated(lag):
    for x in (default_rng(23).standard_normal(SIZE), default_rng(23).random(SIZE) - 0.5):
        sample = drawn(x)
        scaled = np.mean(sample[lag:] * sample[:-lag]) / np.var(sample)
        assert abs(scaled) < 5 / math.sqrt(SIZE)
