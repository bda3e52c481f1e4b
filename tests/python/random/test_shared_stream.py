# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Functions of skerry.random that draw from the shared stream, and RandomState."""

import copy
import inspect
import pickle
import threading

import numpy as np
import pytest
import skerry as sk
from skerry.random._legacy import FLOAT_DISTRIBUTIONS, INTEGER_DISTRIBUTIONS

from tests.python.oracle import to_numpy

# Arguments by function; those of the methods of Generator are the same.
CALLS = {
    "beta": (2.0, 3.0, 4),
    "binomial": (10, 0.3, 4),
    "chisquare": (3.0, 4),
    "choice": (10, 4),
    "dirichlet": ([1.0, 2.0], 4),
    "exponential": (2.0, 4),
    "f": (3.0, 4.0, 4),
    "gamma": (2.0, 3.0, 4),
    "geometric": (0.3, 4),
    "gumbel": (1.0, 2.0, 4),
    "hypergeometric": (5, 6, 7, 4),
    "laplace": (1.0, 2.0, 4),
    "logistic": (1.0, 2.0, 4),
    "lognormal": (1.0, 2.0, 4),
    "logseries": (0.3, 4),
    "multinomial": (10, [0.2, 0.3, 0.5], 4),
    "negative_binomial": (4, 0.3, 4),
    "noncentral_chisquare": (3.0, 2.0, 4),
    "noncentral_f": (3.0, 4.0, 2.0, 4),
    "normal": (1.0, 2.0, (2, 2)),
    "pareto": (2.0, 4),
    "permutation": (5,),
    "poisson": (3.0, 4),
    "power": (2.0, 4),
    "random": ((2, 2),),
    "rayleigh": (2.0, 4),
    "standard_cauchy": (4,),
    "standard_exponential": (4,),
    "standard_gamma": (2.0, 4),
    "standard_normal": (4,),
    "standard_t": (3.0, 4),
    "triangular": (0.0, 1.0, 2.0, 4),
    "uniform": (1.0, 2.0, 4),
    "vonmises": (0.0, 1.0, 4),
    "wald": (1.0, 2.0, 4),
    "weibull": (2.0, 4),
    "zipf": (3.0, 4),
}
OTHERS = {
    "bytes", "get_state", "multivariate_normal", "rand", "randint", "randn", "random_sample", "ranf", "sample", "seed",
    "set_state", "shuffle",
}  # fmt: skip


@pytest.fixture(autouse=True)
def restore_stream():
    """Leaves the shared stream as it was."""
    state = sk.random.get_state()
    yield
    sk.random.set_state(state)


def test_every_function_is_tested():
    functions = {
        name for name in sk.random.__all__ if not inspect.isclass(getattr(sk.random, name))
    }
    assert functions == {*CALLS, *OTHERS, "default_rng"}
    methods = {name for name in dir(sk.random.Generator) if not name.startswith("_")}
    left = methods - functions
    assert left == {"bit_generator", "device", "integers", "permuted", "spawn"}


@pytest.mark.parametrize("name", CALLS)
def test_functions_equal_the_methods_of_a_generator_with_that_seed(name, device):
    want = getattr(sk.random.default_rng(7, device), name)(*CALLS[name])
    sk.random.seed(7)
    with sk.device(device):
        got = getattr(sk.random, name)(*CALLS[name])
    assert (got.device, got.dtype) == (sk.Device(device), want.dtype)
    np.testing.assert_array_equal(to_numpy(got), to_numpy(want))


@pytest.mark.parametrize("name", sorted({*CALLS, "bytes", "multivariate_normal", "shuffle"}))
def test_signatures_are_those_of_the_methods(name):
    method = inspect.signature(getattr(sk.random.Generator, name))
    function = inspect.signature(getattr(sk.random, name))
    parameters = list(function.parameters.values())
    if name in INTEGER_DISTRIBUTIONS + FLOAT_DISTRIBUTIONS:
        assert parameters.pop().name == "dtype"
    assert parameters == list(method.parameters.values())[1:]
    assert getattr(sk.random, name).__name__ == name
    assert "rng" not in (getattr(sk.random, name).__doc__ or "")


@pytest.mark.parametrize("name", INTEGER_DISTRIBUTIONS + FLOAT_DISTRIBUTIONS)
def test_distributions_take_dtype_as_in_cupy(name, device):
    args = CALLS.get(name, ([1.0, 2.0], [[2.0, 0.5], [0.5, 1.0]], 3))
    want = getattr(sk.random.default_rng(7, device), name)(*args)
    is_integer = name in INTEGER_DISTRIBUTIONS
    by_position = () if name == "multivariate_normal" else (("float32",),)
    with sk.device(device):
        for dtype in ("float16", "float32", "float64", *("int8", "uint64") * is_integer):
            for owner in (sk.random, sk.random.RandomState(7)):
                for more in ((), *by_position):
                    sk.random.seed(7)
                    if owner is not sk.random:
                        owner.seed(7)
                    kwargs = {} if more else {"dtype": dtype}
                    got = getattr(owner, name)(*args, *more, **kwargs)
                    result_dtype = np.dtype(*more or (dtype,))
                    assert (got.device, got.dtype) == (sk.Device(device), result_dtype)
                    host = to_numpy(want).astype(result_dtype)
                    np.testing.assert_array_equal(to_numpy(got), host)
        state = sk.random.get_state()
        for dtype in ("complex64", "bool", *("int32",) * (not is_integer)):
            kind = "real" if is_integer else "floating"
            with pytest.raises(TypeError, match=f"^{name}: dtype must be {kind}, not {dtype}; use"):
                getattr(sk.random, name)(*args, dtype=dtype)
        assert sk.random.get_state() == state
    assert "\ndtype : dtype, optional\n" in getattr(sk.random, name).__doc__


def test_older_names(device):
    with sk.device(device):
        for call, same in [
            (lambda m: m.rand(2, 3), lambda g: g.random((2, 3))),
            (lambda m: m.rand(), lambda g: g.random()),
            (lambda m: m.rand(3, dtype="float32"), lambda g: g.random(3, "float32")),
            (lambda m: m.randn(2, 3), lambda g: g.standard_normal((2, 3))),
            (lambda m: m.randint(5, size=6), lambda g: g.integers(5, size=6)),
            (lambda m: m.randint(2, 9, (2, 2), "int8"), lambda g: g.integers(2, 9, (2, 2), "int8")),
            (lambda m: m.randint([1, 5], [3, 9]), lambda g: g.integers([1, 5], [3, 9])),
            (lambda m: m.random_sample((2, 2)), lambda g: g.random((2, 2))),
            (lambda m: m.random_sample(3, "float32"), lambda g: g.random(3, "float32")),
        ]:
            sk.random.seed(3)
            want = same(sk.random.default_rng(3))
            for got in (call(sk.random), call(sk.random.RandomState(3))):
                assert (got.device, got.dtype, got.shape) == (
                    sk.Device(device),
                    want.dtype,
                    want.shape,
                )
                np.testing.assert_array_equal(to_numpy(got), to_numpy(want))
        assert sk.random.ranf is sk.random.sample is sk.random.random_sample
        sk.random.seed(3)
        assert sk.random.bytes(5) == sk.random.default_rng(3).bytes(5)
        mean, covariance = [1.0, 2.0], [[2.0, 0.5], [0.5, 1.0]]
        sk.random.seed(3)
        got = sk.random.multivariate_normal(mean, covariance, 3)
        want = sk.random.default_rng(3).multivariate_normal(mean, covariance, 3)
        np.testing.assert_array_equal(to_numpy(got), to_numpy(want))


def test_shuffle_writes_in_place(device):
    x = sk.arange(20, device=device)
    sk.random.seed(5)
    with sk.device(device):
        assert sk.random.shuffle(x) is None
        assert to_numpy(x).tolist() != list(range(20))
        assert sorted(to_numpy(x).tolist()) == list(range(20))
    host = np.arange(20)
    with sk.device("cpu:0"):
        sk.random.shuffle(host)
    assert sorted(host.tolist()) == list(range(20)) != host.tolist()


def test_devices_draw_from_one_stream():
    device_names = ["cpu:0", "cpu:1", "cuda:0", "cpu:0"]
    sk.random.seed(9)
    numbers = []
    for device_name in device_names:
        with sk.device(device_name):
            x = sk.random.rand(3)
        assert x.device == sk.Device(device_name)
        numbers.append(to_numpy(x))
    generator = sk.random.default_rng(9)
    for got in numbers:
        np.testing.assert_array_equal(got, to_numpy(generator.random(3)))


def test_device_of_arguments_is_the_default_device(device):
    x = sk.arange(4, device=device)
    with sk.device(device):
        assert sk.random.permutation(x).device == sk.Device(device)
    other = "cpu:0" if device != "cpu:0" else "cuda:0"
    with sk.device(other), pytest.raises(sk.exceptions.DeviceMismatchError, match="permutation"):
        sk.random.permutation(x)


def test_seeds_repeat_the_numbers_and_no_seed_does_not():
    sk.random.seed([1, 2])
    first = sk.random.rand(4)
    sk.random.seed([1, 2])
    assert bool(sk.all(sk.random.rand(4) == first))
    sk.random.seed()
    assert not bool(sk.all(sk.random.rand(4) == first))


def test_state_is_saved_and_restored():
    sk.random.seed(1)
    sk.random.rand(5)
    state = sk.random.get_state()
    first = to_numpy(sk.random.rand(5))
    sk.random.seed(2)
    sk.random.set_state(state)
    np.testing.assert_array_equal(to_numpy(sk.random.rand(5)), first)


def test_threads_get_disjoint_parts_of_the_stream():
    sk.random.seed(11)
    results, start = [], threading.Barrier(8)

    def draw():
        start.wait()
        for _ in range(50):
            results.append(to_numpy(sk.random.randint(0, 2**62, size=4)))

    threads = [threading.Thread(target=draw) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    drawn = np.concatenate(results).tolist()
    assert len(drawn) == len(set(drawn)) == 1600
    generator = sk.random.default_rng(11)
    want = {x for _ in range(400) for x in to_numpy(generator.integers(0, 2**62, size=4)).tolist()}
    assert set(drawn) == want


def test_random_state_is_seeded_copied_and_pickled(device):
    state = sk.random.RandomState(4, device)
    assert repr(state) == f"RandomState(Philox(4), device='{device}')"
    state.rand(3)
    for clone in (copy.copy(state), copy.deepcopy(state), pickle.loads(pickle.dumps(state))):
        assert type(clone) is sk.random.RandomState
        assert clone.device == state.device
    clone = copy.copy(state)
    first = to_numpy(state.randn(3))
    np.testing.assert_array_equal(to_numpy(clone.randn(3)), first)
    saved = state.get_state()
    second = to_numpy(state.rand(2))
    state.seed(4)
    np.testing.assert_array_equal(
        to_numpy(state.rand(3)), to_numpy(sk.random.default_rng(4, device).random(3))
    )
    state.set_state(saved)
    np.testing.assert_array_equal(to_numpy(state.rand(2)), second)


@pytest.mark.parametrize(
    ("call", "kind", "text"),
    [
        ("seed(-1)", ValueError, "seed: seed must not be negative: -1; use abs(seed)"),
        (
            "RandomState(-1)",
            ValueError,
            "RandomState: seed must not be negative: -1; use abs(seed)",
        ),
        ("rand(-1)", ValueError, "rand: size must not be negative: (-1,)"),
        ("rand('a')", TypeError, "rand: size must be an int or a tuple of ints, not ('a',)"),
        (
            "randn(2, dtype='int64')",
            TypeError,
            "randn: dtype must be float32 or float64, not int64",
        ),
        ("randint(5, 2)", ValueError, "randint: no integers from 5 to 1; low must be below high"),
        (
            "randint(300, dtype='uint8')",
            ValueError,
            "randint: 299 is out of range of uint8; use another dtype=",
        ),
        ("randint(1.5)", TypeError, "randint: high must be a whole number, not 1.5"),
        ("normal(scale=-1)", ValueError, "normal: scale must be 0 or more: -1.0"),
        ("set_state(3)", TypeError, "state: must be a dict, not int"),
        (
            "shuffle([1, 2])",
            TypeError,
            "shuffle: x must be an Array or a numpy.ndarray, not list; use permutation(x)",
        ),
    ],
)
def test_wrong_arguments(call, kind, text):
    with pytest.raises(kind) as caught:
        eval(f"sk.random.{call}", {"sk": sk})
    assert str(caught.value) == text


@pytest.mark.parametrize("seed", [sk.random.seed, sk.random.RandomState().seed])
def test_a_stream_is_no_seed(seed):
    with pytest.raises(TypeError, match=r"seed: seed must be an int, .* not a Philox"):
        seed(sk.random.Philox(3))
