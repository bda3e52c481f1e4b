# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Distributions: moments, chi-square tests of counts, Kolmogorov-Smirnov tests of numbers, with fixed seeds.

Distribution functions come from mpmath or SciPy where installed, and are written out here otherwise.
"""

import math

import numpy as np
import pytest
import skerry as sk
from skerry.random import default_rng

from tests.python.libraries import library

SIZE = 200_000
# The seeds are fixed, so a test that passes always does. One in a million correct generators would fail a test.
RARE = 1e-6


def drawn(x):
    return np.asarray(x.to_device("cpu"), dtype=np.float64).reshape(-1)


def is_close_to(sample, cdf):
    """Kolmogorov-Smirnov test: the largest distance to the distribution function must not be too improbable."""
    ordered = np.sort(sample)
    n = ordered.size
    expected = cdf(ordered)
    steps = np.arange(n + 1) / n
    distance = max(np.max(steps[1:] - expected), np.max(expected - steps[:-1]))
    scaled = distance * math.sqrt(n)
    chance = 2 * sum((-1) ** (k - 1) * math.exp(-2 * (k * scaled) ** 2) for k in range(1, 20))
    assert chance > RARE, f"distance {distance}: a chance of {chance}"


def are_as_expected(counts, probabilities):
    """Chi-square test; classes with few counts are merged with the next."""
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
    # Wilson-Hilferty: the cube root of chi-square is nearly normal.
    cut = 2 / (9 * degrees)
    deviation = ((statistic / degrees) ** (1 / 3) - (1 - cut)) / math.sqrt(cut)
    assert deviation < 4.8, f"chi-square {statistic} of {degrees} degrees of freedom"


def normal_cdf(x):
    return np.asarray([0.5 * math.erfc(-value / math.sqrt(2)) for value in x])


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
    # The sum of three exponential variates.
    "gamma of 3": (
        lambda r: r.standard_gamma(3, SIZE),
        lambda x: 1 - np.exp(-x) * (1 + x + x * x / 2),
    ),
    # Half the square of a normal variate.
    "gamma of 1/2": (
        lambda r: r.standard_gamma(0.5, SIZE),
        lambda x: 2 * normal_cdf(np.sqrt(2 * x)) - 1,
    ),
    "gamma of 1": (lambda r: r.gamma(1, 3, SIZE), lambda x: -np.expm1(-x / 3)),
    "chisquare": (lambda r: r.chisquare(2, SIZE), lambda x: -np.expm1(-x / 2)),
    "beta": (lambda r: r.beta(2, 3, SIZE), lambda x: x * x * (6 - 8 * x + 3 * x * x)),
    "beta of 1/2": (lambda r: r.beta(0.5, 0.5, SIZE), lambda x: 2 / np.pi * np.arcsin(np.sqrt(x))),
    # The first component of three with alpha 1 is beta-distributed with 1 and 2.
    "dirichlet": (lambda r: r.dirichlet([1, 1, 1], SIZE)[:, 0], lambda x: 1 - (1 - x) ** 2),
}


@pytest.mark.parametrize("name", REAL)
def test_samples_follow_their_distribution(name):
    draw, cdf = REAL[name]
    is_close_to(drawn(draw(default_rng(11))), cdf)


@pytest.mark.parametrize("shape", [0.05, 0.7, 1.3, 12.5, 1000.0])
def test_gamma_samples_follow_their_distribution(shape):
    stats = library("scipy.stats")
    is_close_to(drawn(default_rng(12).standard_gamma(shape, SIZE)), stats.gamma(shape).cdf)


@pytest.mark.parametrize("trials", [1, 7, 2000])
def test_multinomial_samples_have_mean_and_covariance(trials):
    shares = np.asarray([0.1, 0.0, 0.35, 0.05, 0.5])
    x = np.asarray(default_rng(23).multinomial(trials, shares, (2, SIZE // 2)))
    assert (x.shape, x.dtype) == ((2, SIZE // 2, 5), np.int64)
    assert (x.sum(axis=-1) == trials).all()
    assert x.min() == 0 or trials == 2000
    x = x.reshape(-1, 5)
    variances = trials * shares * (1 - shares)
    assert (np.abs(x.mean(axis=0) - trials * shares) <= 5 * np.sqrt(variances / SIZE)).all()
    covariances = np.diag(trials * shares) - trials * np.outer(shares, shares)
    allowed = 8 * np.sqrt((np.outer(variances, variances) + covariances**2) / SIZE) + 5 / SIZE**0.5
    assert (np.abs(np.cov(x.T) - covariances) <= allowed).all()


def test_multinomial_broadcasts_trials_and_probabilities():
    rng = default_rng(24)
    x = np.asarray(rng.multinomial([[3], [10]], [[0.2, 0.3, 0.5], [1.0, 0.0, 0.0]]))
    assert x.shape == (2, 2, 3)
    assert x.sum(axis=-1).tolist() == [[3, 3], [10, 10]]
    assert x[:, 1].tolist() == [[3, 0, 0], [10, 0, 0]]
    assert rng.multinomial(2**53, [1.0]).tolist() == [2**53]
    assert rng.multinomial(5, [0.0, 0.0]).tolist() == [0, 5]  # the last outcome has the rest
    assert rng.multinomial(0, [0.5, 0.5], 2).tolist() == [[0, 0]] * 2
    assert rng.multinomial(3, [0.5, 0.5], (0, 4)).shape == (0, 4, 2)


@pytest.mark.parametrize("method", ["svd", "eigh", "cholesky"])
def test_multivariate_normal_samples_have_mean_and_covariance(method):
    mean, cov = np.array([1.0, -2.0, 30.0]), np.array([[2, 0.5, 0], [0.5, 1, -0.9], [0, -0.9, 4]])
    x = default_rng(21).multivariate_normal(mean, cov, (2, SIZE // 2), method=method)
    assert x.shape == (2, SIZE // 2, 3)
    x = np.asarray(x).reshape(-1, 3)
    spread = np.sqrt(np.diag(cov))
    assert np.all(np.abs(x.mean(axis=0) - mean) < 5 * spread / math.sqrt(SIZE))
    # An element of the sample covariance has the variance (v_ii v_jj + v_ij^2) / n.
    allowed = 5 * np.sqrt((np.outer(spread, spread) ** 2 + cov**2) / SIZE)
    assert np.all(np.abs(np.cov(x.T) - cov) < allowed)
    for direction in ([1, 0, 0], [1, 1, 1], [0.5, -2, 1]):
        scale = math.sqrt(direction @ cov @ np.asarray(direction))
        is_close_to((x @ direction - mean @ direction) / scale, normal_cdf)


@pytest.mark.parametrize("method", ["svd", "eigh"])
def test_multivariate_normal_with_singular_covariance(method):
    x = default_rng(22).multivariate_normal([0, 0], [[1, 2], [2, 4]], SIZE, method=method)
    x = np.asarray(x)
    np.testing.assert_allclose(x[:, 1], 2 * x[:, 0], rtol=1e-6, atol=1e-6)
    is_close_to(x[:, 0], normal_cdf)


@pytest.mark.parametrize("method", ["svd", "eigh"])
@pytest.mark.parametrize("cov", [[[1, 3], [3, 1]], [[1, 0.5], [0.1, 1]]])
def test_multivariate_normal_warns_of_invalid_covariance(method, cov):
    with pytest.warns(RuntimeWarning, match="cov must be symmetric"):
        default_rng(23).multivariate_normal([0, 0], cov, 3, method=method)
    default_rng(23).multivariate_normal([0, 0], cov, 3, check_valid="ignore", method=method)


# SciPy's name and parameters of the distribution.
COMPOSED = {
    "gumbel": (lambda r: r.gumbel(1, 2, SIZE), ("gumbel_r", 1, 2)),
    "logistic": (lambda r: r.logistic(1, 2, SIZE), ("logistic", 1, 2)),
    "pareto": (lambda r: r.pareto(3, SIZE), ("lomax", 3)),
    "power": (lambda r: r.power(3, SIZE), ("powerlaw", 3)),
    "rayleigh": (lambda r: r.rayleigh(2, SIZE), ("rayleigh", 0, 2)),
    "weibull": (lambda r: r.weibull(1.5, SIZE), ("weibull_min", 1.5)),
    "triangular": (lambda r: r.triangular(0, 1, 4, SIZE), ("triang", 0.25, 0, 4)),
    "triangular without a fall": (lambda r: r.triangular(0, 4, 4, SIZE), ("triang", 1, 0, 4)),
    "standard_cauchy": (lambda r: r.standard_cauchy(SIZE), ("cauchy",)),
    "standard_t": (lambda r: r.standard_t(2.5, SIZE), ("t", 2.5)),
    "f": (lambda r: r.f(3, 7, SIZE), ("f", 3, 7)),
    "wald": (lambda r: r.wald(2, 3, SIZE), ("invgauss", 2 / 3, 0, 3)),
    "vonmises of 0": (lambda r: r.vonmises(0, 0, SIZE), ("uniform", -np.pi, 2 * np.pi)),
    "vonmises": (lambda r: r.vonmises(0, 4, SIZE), ("vonmises", 4)),
    "vonmises, narrow": (lambda r: r.vonmises(0, 700, SIZE), ("vonmises", 700)),
}
COMPOSED_COUNTS = {
    "negative_binomial": (lambda r: r.negative_binomial(3, 0.4, SIZE), ("nbinom", 3, 0.4)),
    "logseries": (lambda r: r.logseries(0.8, SIZE), ("logser", 0.8)),
    "logseries near 1": (lambda r: r.logseries(0.99, SIZE), ("logser", 0.99)),
    "zipf near 1": (lambda r: r.zipf(1.5, SIZE), ("zipf", 1.5)),
    "zipf": (lambda r: r.zipf(4, SIZE), ("zipf", 4)),
    "hypergeometric, few": (lambda r: r.hypergeometric(10, 5, 6, SIZE), ("hypergeom", 15, 10, 6)),
    "hypergeometric, few left": (
        lambda r: r.hypergeometric(5, 10, 13, SIZE),
        ("hypergeom", 15, 5, 13),
    ),
    "hypergeometric": (
        lambda r: r.hypergeometric(100, 50, 40, SIZE),
        ("hypergeom", 150, 100, 40),
    ),
    "hypergeometric, most": (
        lambda r: r.hypergeometric(50, 100, 120, SIZE),
        ("hypergeom", 150, 50, 120),
    ),
    "hypergeometric, few good": (
        lambda r: r.hypergeometric(3, 1000, 500, SIZE),
        ("hypergeom", 1003, 3, 500),
    ),
}


@pytest.mark.parametrize("name", COMPOSED)
def test_composed_samples_follow_their_distribution(name):
    draw, (distribution, *parameters) = COMPOSED[name]
    is_close_to(
        drawn(draw(default_rng(31))), getattr(library("scipy.stats"), distribution)(*parameters).cdf
    )


def test_noncentral_samples_have_their_moments():
    """SciPy takes minutes for their distribution functions."""
    rng, stats = default_rng(32), library("scipy.stats")
    for numbers, distribution in (
        (rng.noncentral_chisquare(3, 2, SIZE), stats.ncx2(3, 2)),
        (rng.noncentral_chisquare(0.5, 2, SIZE), stats.ncx2(0.5, 2)),
        (rng.noncentral_f(3, 20, 2, SIZE), stats.ncf(3, 20, 2)),
    ):
        mean, variance, _, excess = (float(moment) for moment in distribution.stats("mvsk"))
        sample = drawn(numbers)
        assert abs(np.mean(sample) - mean) < 5 * math.sqrt(variance / SIZE)
        assert abs(np.var(sample) / variance - 1) < 5 * math.sqrt((excess + 2) / SIZE)


@pytest.mark.parametrize("name", COMPOSED_COUNTS)
def test_composed_counts_follow_their_distribution(name):
    draw, (distribution, *parameters) = COMPOSED_COUNTS[name]
    numbers = drawn(draw(default_rng(33)))
    most = 1500
    counts = np.bincount(np.minimum(numbers, most).astype(int), minlength=most + 1)
    expected = getattr(library("scipy.stats"), distribution)(*parameters).pmf(np.arange(most))
    are_as_expected(counts, np.append(expected, max(0.0, 1 - np.sum(expected))))


def test_invalid_parameters_of_composed_distributions_raise():
    rng = default_rng(34)
    old_state = rng.bit_generator.state
    for wrong in (
        lambda: rng.pareto(0),
        lambda: rng.weibull(-1),
        lambda: rng.triangular(0, 5, 4),
        lambda: rng.triangular(1, 1, 1),
        lambda: rng.standard_t([1.0, 0.0]),
        lambda: rng.logseries(1),
        lambda: rng.negative_binomial(3, 0),
        lambda: rng.zipf(1),
        lambda: rng.hypergeometric(3, 4, 8),
        lambda: rng.hypergeometric(-1, 4, 2),
        lambda: rng.vonmises(0, -1),
        lambda: rng.wald(0, 1),
    ):
        with pytest.raises(ValueError, match="must be"):
            wrong()
    assert rng.bit_generator.state == old_state


@pytest.mark.parametrize("device", ["cpu:0", "cuda:0"])
def test_triangular_stays_within_bounds_of_any_width(device):
    for left, mode, right in (
        (0, 1, 1.7e308),
        (0, 1e308, 1.7e308),
        (0, 5e-324, 1e-300),
        (-1e300, 0, 1),
    ):
        drawn_numbers = drawn(default_rng(3, device).triangular(left, mode, right, size=1000))
        assert np.all((drawn_numbers >= left) & (drawn_numbers <= right))
        share = (drawn_numbers / 2 - left / 2) / (right / 2 - left / 2)
        peak = (mode / 2 - left / 2) / (right / 2 - left / 2)
        assert abs(np.mean(share) - (1 + peak) / 3) < 0.05


def test_extreme_parameters_of_composed_distributions():
    rng = default_rng(35)
    assert rng.weibull([0.0, 0.0]).tolist() == [0, 0]
    assert rng.zipf(1e6, 5).tolist() == rng.logseries(0, 5).tolist() == [1] * 5
    assert rng.hypergeometric(3, 4, 7, 3).tolist() == [3, 3, 3]
    assert rng.hypergeometric([0, 5], [3, 0], 2).tolist() == [0, 2]
    assert bool(sk.all(rng.zipf(1.0001, 100) >= 1))
    assert bool(sk.all(rng.logseries(1 - 1e-16, 100) >= 1))
    assert bool(sk.all(rng.wald(1e10, 1e-3, 1000) > 0))
    assert bool(sk.all(abs(rng.vonmises(3.1, 0.1, 1000)) <= math.pi))
    assert rng.hypergeometric(3, 4, 2).shape == rng.vonmises(0, 1).shape == ()
    assert rng.zipf(2, (0, 3)).shape == (0, 3)


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
def test_poisson_counts_follow_their_distribution(mean):
    most = int(mean + 12 * math.sqrt(mean) + 20)
    counts = np.bincount(drawn(default_rng(13).poisson(mean, SIZE)).astype(int), minlength=most)
    are_as_expected(counts[:most], poisson_probabilities(mean, most))


@pytest.mark.parametrize(
    ("n", "p"), [(1, 0.5), (20, 0.1), (20, 0.9), (33, 0.3), (40, 0.5), (100, 0.95), (1000, 0.4)]
)
def test_binomial_counts_follow_their_distribution(n, p):
    counts = np.bincount(drawn(default_rng(14).binomial(n, p, SIZE)).astype(int), minlength=n + 1)
    are_as_expected(counts, binomial_probabilities(n, p))


@pytest.mark.parametrize("p", [0.9, 0.3, 0.02])
def test_geometric_counts_follow_their_distribution(p):
    most = int(20 / p) + 10
    counts = np.bincount(drawn(default_rng(15).geometric(p, SIZE)).astype(int), minlength=most)
    expected = [0.0] + [p * (1 - p) ** (k - 1) for k in range(1, most)]
    are_as_expected(counts[:most], expected)


@pytest.mark.parametrize("mean", [1e4, 1e9, 1e15])
def test_large_poisson_counts_are_nearly_normal(mean):
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
    # Each bit is set in half of them.
    bits = np.unpackbits(whole.view(np.uint8)).reshape(SIZE, -1).mean(axis=0)
    assert np.max(np.abs(bits - 0.5)) < 6 * 0.5 / math.sqrt(SIZE)
    for low, high in [(info.min, info.min + 1), (info.max - 1, info.max)]:
        ends = np.asarray(rng.integers(low, high, 1000, dtype=name, endpoint=True))
        assert set(ends.tolist()) == {low, high}


def test_bounded_integers_of_64_bits_are_not_biased():
    """Words modulo the bound, or multiplied without rejection, would make one third twice as probable."""
    count = 3 << 62
    x = np.asarray(default_rng(19).integers(0, count, SIZE, dtype=sk.uint64))
    thirds = np.bincount((x >> np.uint64(62)).astype(int), minlength=3)
    are_as_expected(thirds, [1 / 3] * 3)
    odd = np.bincount((x & np.uint64(1)).astype(int), minlength=2)
    are_as_expected(odd, [0.5, 0.5])


def test_permutations_are_equally_frequent():
    rng = default_rng(20)
    rows = sk.broadcast_to(sk.arange(4), (48_000, 4))
    orders = np.asarray(rng.permuted(rows, axis=1)) @ np.asarray([64, 16, 4, 1])
    _, counts = np.unique(orders, return_counts=True)
    assert counts.size == 24
    are_as_expected(counts, [1 / 24] * 24)


def test_choices_follow_their_probabilities():
    p = [0.5, 0.0, 0.2, 0.3]
    rng = default_rng(21)
    counts = np.bincount(drawn(rng.choice(4, SIZE, p=p)).astype(int), minlength=4)
    assert counts[1] == 0
    are_as_expected(counts[[0, 2, 3]], [0.5, 0.2, 0.3])


def test_choices_without_replacement_follow_successive_draws():
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
def test_samples_are_not_autocorrelated(lag):
    for x in (default_rng(23).standard_normal(SIZE), default_rng(23).random(SIZE) - 0.5):
        sample = drawn(x)
        scaled = np.mean(sample[lag:] * sample[:-lag]) / np.var(sample)
        assert abs(scaled) < 5 / math.sqrt(SIZE)
