# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""The generator's methods: signatures, shapes, dtypes, devices and errors."""

import inspect
import itertools
import math

import numpy as np
import pytest
import skerry as sk
from skerry.exceptions import AxisError, DeviceMismatchError, DeviceUnavailableError, ReadOnlyError
from skerry.random import Generator, default_rng
from skerry.testing import instruments

from tests.python.loops import loop_over
from tests.python.oracle import assert_same, to_device, to_numpy

METHODS = (
    "random integers uniform normal standard_normal exponential standard_exponential poisson binomial gamma "
    "standard_gamma choice permutation permuted shuffle bytes spawn beta chisquare lognormal laplace geometric dirichlet "
    "multivariate_normal multinomial"
).split()


def parameters(function):
    """Returns the names of parameters, and their defaults as text."""
    signature_parameters = inspect.signature(function).parameters.values()
    return [
        (
            parameter.name,
            parameter.default if parameter.default is parameter.empty else repr(parameter.default),
        )
        for parameter in signature_parameters
        if parameter.name != "self"
    ]


@pytest.mark.parametrize("name", METHODS)
def test_generator_signatures_equal_numpy(name):
    theirs = getattr(np.random.Generator, name)
    ours = parameters(getattr(Generator, name))
    try:
        expected = parameters(theirs)
    except ValueError:  # NumPy before 2.4 writes them into the docstring's first line
        names = theirs.__doc__.strip().splitlines()[0].partition("(")[2].rpartition(")")[0]
        assert [name for name, _ in ours] == [
            part.split("=")[0].strip() for part in names.split(",") if part.strip() != "*"
        ]
        return
    assert [name for name, _ in ours] == [name for name, _ in expected]
    for (_, our), (name, their) in zip(ours, expected, strict=True):
        assert name == "dtype" or our == their or (our, their) == ("0.0", "0") or our is their


@loop_over(
    ("size", "shape"),
    [(None, ()), (0, (0,)), (5, (5,)), ((), ()), ((2, 3),) * 2, ([3, 1], (3, 1)), ((0, 4),) * 2]
    + [(np.int64(2), (2,))],
)
def test_samples_have_the_shape_of_size(device, size, shape):
    rng = default_rng(1, device)
    for x in (
        rng.random(size),
        rng.normal(size=size),
        rng.integers(10, size=size),
        rng.standard_gamma(2, size),
        rng.poisson(3, size),
        rng.choice(5, size),
    ):
        assert x.shape == shape
        assert str(x.device) == device


def test_dtypes_of_samples():
    rng = default_rng(1)
    for method in (rng.random, rng.standard_normal, rng.standard_exponential):
        assert method(3).dtype == sk.float64
        assert method(3, dtype=sk.float32).dtype == sk.float32
        with pytest.raises(TypeError, match="float32 or float64"):
            method(3, dtype=sk.int64)
    assert rng.standard_gamma(1, 3, dtype=sk.float32).dtype == sk.float32
    assert rng.integers(5, size=3).dtype == sk.int64
    assert rng.integers(2, size=3, dtype=bool).dtype == sk.bool
    with pytest.raises(TypeError, match="integer or bool"):
        rng.integers(5, dtype=sk.float64)
    for counts in (rng.poisson(1, 3), rng.binomial(3, 0.5, 3), rng.geometric(0.5, 3)):
        assert counts.dtype == sk.int64


def test_out_is_filled(device):
    whole = sk.zeros((4, 6), device=device)
    assert default_rng(1, device).random(out=whole) is whole
    assert whole.tolist() == default_rng(1, device).random((4, 6)).tolist()
    steps = whole[:, ::2]
    default_rng(2, device).standard_normal(out=steps)
    assert steps.tolist() == default_rng(2, device).standard_normal((4, 3)).tolist()
    default_rng(3, device).standard_gamma(2.5, out=steps)
    assert steps.tolist() == default_rng(3, device).standard_gamma(2.5, (4, 3)).tolist()
    single = sk.zeros((7,), dtype=sk.float32, device=device)
    default_rng(1, device).standard_exponential(out=single, dtype=sk.float32)
    assert single.tolist() == default_rng(1).standard_exponential(7, dtype=sk.float32).tolist()


def test_invalid_out_raises():
    rng = default_rng(1)
    old_state = rng.bit_generator.state
    out = sk.zeros(3)
    with pytest.raises(ValueError, match="not the shape of out"):
        rng.random(4, out=out)
    with pytest.raises(TypeError, match="must be equal"):
        rng.random(out=sk.zeros(3, dtype=sk.float32))
    with pytest.raises(TypeError, match="out must be an Array"):
        rng.random(out=[1.0])
    with pytest.raises(DeviceMismatchError):
        rng.random(out=sk.zeros(3, device="cuda:0"))
    with pytest.raises(ReadOnlyError):
        rng.random(out=sk.broadcast_to(out, (2, 3)))
    assert out.tolist() == [0, 0, 0]
    assert rng.bit_generator.state == old_state


def test_array_parameters_broadcast(device):
    rng = default_rng(1, device)
    low = sk.asarray([0.0, 10.0, 20.0], device=device)
    x = rng.uniform(low, low + 1, size=(100, 3))
    assert bool(sk.all((x >= low) & (x <= low + 1)))
    assert rng.normal(low, 0).tolist() == low.tolist()
    assert rng.poisson(sk.asarray([0, 0], device=device), size=(3, 2)).tolist() == [[0, 0]] * 3
    assert rng.binomial([3, 5], [1.0, 0.0]).tolist() == [3, 0]
    assert rng.integers([1, 5], [2, 6], size=(2, 2)).tolist() == [[1, 5]] * 2
    wide = rng.integers([-(2**63)], [2**63 - 1], size=1000, endpoint=True)
    assert int(sk.min(wide)) < -(2**62)
    assert int(sk.max(wide)) > 2**62
    with pytest.raises(ValueError, match="do not broadcast to size"):
        rng.normal(low, 1, size=2)


def test_integers_of_scalar_bounds_equal_those_of_array_bounds(device):
    size, low, span = 3000, -5, 3 * 2**40
    arrays = [to_device(device, np.full(size, value)) for value in (low, span)]
    drawn = []
    for a, b in itertools.product((low, arrays[0]), (span, arrays[1])):
        out = sk.empty((size,), dtype=sk.int64, device=device)
        instruments.draw(out, "integer_of_each", (1, 2, 3), a, b)
        drawn.append(to_numpy(out))
    for other in drawn[1:]:
        np.testing.assert_array_equal(other, drawn[0])
    assert low <= drawn[0].min()
    assert 2**41 < drawn[0].max() <= low + span


def test_numpy_parameters_are_on_cpu_0():
    scale = np.asarray([1.0, 0.0])
    assert default_rng(1).normal(3, scale)[1] == 3
    x = np.arange(20)
    default_rng(1).shuffle(x)
    assert sorted(x.tolist()) == list(range(20)) != x.tolist()
    with pytest.raises(DeviceMismatchError):
        default_rng(1, "cuda:0").normal(3, scale)


@pytest.mark.parametrize("other", ["cpu:1", "cuda:1"])
def test_parameters_on_another_device_raise(device, other):
    if device == other:
        return
    rng = default_rng(1, device)
    x = sk.ones(3, device=other)
    n = sk.ones(3, dtype=sk.int64, device=other)
    old_state = rng.bit_generator.state
    calls = [
        lambda: rng.normal(x),
        lambda: rng.uniform(0, x),
        lambda: rng.gamma(x, 1),
        lambda: rng.poisson(x),
        lambda: rng.integers(n),
        lambda: rng.choice(x),
        lambda: rng.choice(3, p=x / 3),
        lambda: rng.permutation(x),
        lambda: rng.permuted(x),
        lambda: rng.shuffle(x),
        lambda: rng.random(3, out=x),
    ]
    for call in calls:
        with pytest.raises(DeviceMismatchError):
            call()
    assert rng.bit_generator.state == old_state


BAD = {
    "negative size": (lambda r: r.random(-1), ValueError),
    "fractional size": (lambda r: r.random(2.5), TypeError),
    "negative scale": (lambda r: r.normal(0, -1), ValueError),
    "an element of a negative scale": (lambda r: r.normal(0, [1, -1]), ValueError),
    "NaN": (lambda r: r.exponential(float("nan")), ValueError),
    "text": (lambda r: r.normal("x"), TypeError),
    "low above high": (lambda r: r.uniform(2, 1), ValueError),
    "bounds too far apart": (lambda r: r.uniform(-1.7e308, 1.7e308), OverflowError),
    "an infinite bound": (lambda r: r.uniform(0, math.inf), OverflowError),
    "an element too far": (lambda r: r.uniform([0, -1.7e308], 1.7e308), OverflowError),
    "too wide a triangle": (lambda r: r.triangular(-1.7e308, 0, 1.7e308), OverflowError),
    "an infinite triangle": (lambda r: r.triangular(0, 1, math.inf), OverflowError),
    "empty range of integers": (lambda r: r.integers(3, 3), ValueError),
    "no integers below 0": (lambda r: r.integers(0), ValueError),
    "an element without integers": (lambda r: r.integers([0, 3], [1, 3]), ValueError),
    "beyond the dtype": (lambda r: r.integers(0, 257, dtype=sk.uint8), ValueError),
    "below the dtype": (lambda r: r.integers(-1, 3, dtype=sk.uint8), ValueError),
    "an element beyond the dtype": (lambda r: r.integers([3], [300], dtype=sk.uint8), ValueError),
    "integers below a fraction": (lambda r: r.integers(2.5), TypeError),
    "negative shape": (lambda r: r.standard_gamma(-1), ValueError),
    "negative lam": (lambda r: r.poisson(-1), ValueError),
    "lam beyond int64": (lambda r: r.poisson(1e19), ValueError),
    "p above 1": (lambda r: r.binomial(3, 1.1), ValueError),
    "negative n": (lambda r: r.binomial(-3, 0.5), ValueError),
    "p of 0": (lambda r: r.geometric(0), ValueError),
    "df of 0": (lambda r: r.chisquare(0), ValueError),
    "a sum of pvals above 1": (lambda r: r.multinomial(3, [0.6, 0.6, 0.0]), ValueError),
    "a negative pval": (lambda r: r.multinomial(3, [-0.1, 0.6]), ValueError),
    "no pvals": (lambda r: r.multinomial(3, []), ValueError),
    "a number as pvals": (lambda r: r.multinomial(3, 0.5), ValueError),
    "negative n of multinomial": (lambda r: r.multinomial([1, -1], [0.5, 0.5]), ValueError),
    "another size of multinomial": (lambda r: r.multinomial([1, 2], [0.5, 0.5], 3), ValueError),
    "an alpha of two axes": (lambda r: r.dirichlet([[1, 2]]), ValueError),
    "a mean of two axes": (lambda r: r.multivariate_normal([[1, 2]], [[1]]), ValueError),
    "a cov of another size": (lambda r: r.multivariate_normal([1, 2], [[1]]), ValueError),
    "unknown method": (lambda r: r.multivariate_normal([1], [[1]], method="lu"), ValueError),
    "check_valid": (lambda r: r.multivariate_normal([1], [[1]], check_valid="no"), ValueError),
    "invalid cov": (
        lambda r: r.multivariate_normal([1, 2], [[1, 3], [3, 1]], check_valid="raise"),
        ValueError,
    ),
    "cov without Cholesky factor": (
        lambda r: r.multivariate_normal([1, 2], [[1, 3], [3, 1]], method="cholesky"),
        np.linalg.LinAlgError,
    ),
    "method": (lambda r: r.standard_exponential(method="x"), ValueError),
    "choice of an empty range": (lambda r: r.choice(0, 2), ValueError),
    "choice of more than there are": (lambda r: r.choice(3, 4, replace=False), ValueError),
    "sum of p": (lambda r: r.choice(2, p=[0.5, 0.6]), ValueError),
    "negative p": (lambda r: r.choice(2, p=[1.5, -0.5]), ValueError),
    "shape of p": (lambda r: r.choice(3, p=[0.5, 0.5]), ValueError),
    "too few nonzero p": (lambda r: r.choice(2, 2, replace=False, p=[1.0, 0.0]), ValueError),
    "axis": (lambda r: r.permutation(sk.zeros((2, 2)), axis=2), AxisError),
    "negative bytes": (lambda r: r.bytes(-1), ValueError),
    "permutation of a float": (lambda r: r.permutation(2.5), TypeError),
}


@pytest.mark.parametrize("name", BAD)
def test_invalid_arguments_raise_and_keep_the_state(name):
    call, error = BAD[name]
    rng = default_rng(1)
    old_state = rng.bit_generator.state
    with pytest.raises(error):
        call(rng)
    if name != "too few nonzero p":
        assert rng.bit_generator.state == old_state


def test_permutations_keep_the_elements(device):
    rng = default_rng(1, device)
    assert sorted(rng.permutation(100).tolist()) == list(range(100))
    x = sk.reshape(sk.arange(60, device=device), (20, 3))
    rows = rng.permutation(x).tolist()
    assert sorted(rows) == x.tolist() != rows
    columns = rng.permutation(x, axis=1)
    assert sorted(columns[0, :].tolist()) == [0, 1, 2]
    mixed = rng.permuted(x, axis=0)
    assert sk.sort(mixed, axis=0).tolist() == x.tolist()
    assert sorted(sk.reshape(rng.permuted(x), (-1,)).tolist()) == list(range(60))
    out = sk.zeros_like(x)
    assert rng.permuted(x, axis=0, out=out) is out
    old_rows = x.tolist()
    rng.shuffle(x)
    assert sorted(x.tolist()) == old_rows != x.tolist()
    every_other = x[::2]
    sorted_rows = sorted(every_other.tolist())
    rng.shuffle(every_other)
    assert sorted(x[::2].tolist()) == sorted_rows


def test_shuffle_rejects_what_it_could_not_change_in_place():
    """A list was converted to an array, which was shuffled and dropped."""
    rng = default_rng(1)
    for sequence in ([1, 2, 3], (1, 2, 3), range(3)):
        with pytest.raises(
            TypeError, match=r"shuffle: x must be an Array or a numpy\.ndarray, not"
        ):
            rng.shuffle(sequence)
    host = np.arange(100)
    rng.shuffle(host)
    assert sorted(host.tolist()) == list(range(100)) != host.tolist()


def test_choices_have_the_shape_of_size(device):
    rng = default_rng(1, device)
    x = sk.reshape(sk.arange(24, device=device), (2, 3, 4))
    assert rng.choice(x, (5, 6), axis=1).shape == (2, 5, 6, 4)
    assert rng.choice(x, axis=-1).shape == (2, 3)
    assert rng.choice(x, 2, replace=False).shape == (2, 3, 4)
    assert sorted(rng.choice(10, 10, replace=False).tolist()) == list(range(10))
    assert rng.choice(3, 100, p=[0, 1, 0]).tolist() == [1] * 100


def test_generators_use_the_default_device():
    assert str(default_rng(1).device) == "cpu:0"
    with sk.device("cuda:1"):
        rng = default_rng(1)
    assert str(rng.random().device) == "cuda:1"
    with pytest.raises(DeviceUnavailableError):
        default_rng(1, "cuda:7")


def test_parameters_at_their_limits():
    rng = default_rng(1)
    assert rng.poisson(0, 3).tolist() == [0, 0, 0]
    assert rng.binomial(0, 0.5, 3).tolist() == [0, 0, 0]
    assert rng.binomial(7, 1, 3).tolist() == [7, 7, 7]
    assert rng.binomial(7, 0, 3).tolist() == [0, 0, 0]
    assert rng.geometric(1, 3).tolist() == [1, 1, 1]
    assert rng.standard_gamma(0, 3).tolist() == [0, 0, 0]
    assert rng.normal(2, 0, 3).tolist() == [2, 2, 2]
    assert rng.integers(5, 6, 3).tolist() == [5, 5, 5]
    assert rng.bytes(0) == b""
    assert bool(sk.all(sk.isfinite(rng.beta(1e-9, 1e-9, 100))))


@pytest.mark.parametrize("dtype", ["int64", "uint8"])
def test_array_of_one_number_is_an_int(dtype, device):
    make = lambda: sk.random.default_rng(3, device=device)  # noqa: E731
    n = sk.asarray(9, dtype=dtype, device=device)
    assert_same(make().choice(n, 4), make().choice(9, 4).to_numpy(), device)
    assert_same(
        make().choice(n, 4, replace=False), make().choice(9, 4, replace=False).to_numpy(), device
    )
    assert_same(make().permutation(n), make().permutation(9).to_numpy(), device)
    if device == "cpu:0":
        assert_same(make().choice(np.asarray(9), 4), make().choice(9, 4).to_numpy(), device)
    elsewhere = "cuda:1" if device == "cuda:0" else "cuda:0"
    with pytest.raises(sk.exceptions.DeviceMismatchError):
        make().choice(sk.asarray(9, device=elsewhere))
    with pytest.raises(sk.exceptions.AxisError, match="choice: axis 0 is out of bounds"):
        make().choice(sk.asarray(9.0, device=device))
