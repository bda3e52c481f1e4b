# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""``skerry.capture`` of random numbers: replays draw what calls of the function would draw, bit for bit."""

import contextlib
import copy
import gc
import pickle
import subprocess
import sys
import threading

import numpy as np
import pytest
import skerry as sk
from skerry.exceptions import DeviceError, GuardError
from skerry.testing import instruments

from tests.python.devices.live_bytes import live_bytes
from tests.python.session import HAS_GPU

needs_rehearsal = pytest.mark.skipif(HAS_GPU, reason="failures are injected into rehearsed devices")


def default_rng(seed=7, device="cuda:0"):
    return sk.random.default_rng(seed, device=device)


def permutation_of_array(rng):
    return rng.permutation(sk.arange(9, device=rng.device))


def shuffle(rng):
    x = sk.arange(9, device=rng.device)
    rng.shuffle(x)
    return x


def permuted(rng):
    return rng.permuted(sk.reshape(sk.arange(12, device=rng.device), (3, 4)), axis=1)


DRAWS = {
    "beta": lambda rng: rng.beta(2, 3, 5),
    "binomial": lambda rng: rng.binomial(100, 0.3, 600),
    "chisquare": lambda rng: rng.chisquare(3, 5),
    "choice": lambda rng: rng.choice(10, 4, replace=False),
    "choice with replacement": lambda rng: rng.choice(10, 40),
    "exponential": lambda rng: rng.exponential(2, 5),
    "f": lambda rng: rng.f(2, 3, 5),
    "gamma": lambda rng: rng.gamma(0.5, 2, 600),
    "geometric": lambda rng: rng.geometric(0.3, 5),
    "gumbel": lambda rng: rng.gumbel(1, 2, 5),
    # A third of the words is rejected, and drawn again.
    "integers": lambda rng: rng.integers(0, 3 << 30, 600),
    "integers of 64 bits": lambda rng: rng.integers(-(1 << 60), 1 << 62, 600),
    "laplace": lambda rng: rng.laplace(1, 2, 5),
    "logistic": lambda rng: rng.logistic(1, 2, 5),
    "lognormal": lambda rng: rng.lognormal(1, 0.5, 5),
    "logseries": lambda rng: rng.logseries(0.5, 5),
    "negative_binomial": lambda rng: rng.negative_binomial(5, 0.5, 5),
    "normal": lambda rng: rng.normal(1, 2, 5),
    "pareto": lambda rng: rng.pareto(3, 5),
    "permutation": lambda rng: rng.permutation(9),
    "permutation of an array": permutation_of_array,
    "permuted": permuted,
    "poisson": lambda rng: rng.poisson(50, 600),
    "power": lambda rng: rng.power(3, 5),
    "random": lambda rng: rng.random((3, 5)),
    "random float32": lambda rng: rng.random(3, dtype="float32"),
    "random with out": lambda rng: rng.random(out=sk.zeros((5, 3), device=rng.device).T),
    "random of no elements": lambda rng: rng.random(0),
    "rayleigh": lambda rng: rng.rayleigh(2, 5),
    "shuffle": shuffle,
    "standard_cauchy": lambda rng: rng.standard_cauchy(5),
    "standard_exponential": lambda rng: rng.standard_exponential(5),
    "standard_gamma": lambda rng: rng.standard_gamma(2.5, 600),
    "standard_normal": lambda rng: rng.standard_normal(5),
    "standard_t": lambda rng: rng.standard_t(3, 5),
    "triangular": lambda rng: rng.triangular(1, 2, 4, 5),
    "uniform": lambda rng: rng.uniform(1, 3, 5),
    "wald": lambda rng: rng.wald(1, 2, 5),
    "weibull": lambda rng: rng.weibull(2, 5),
}
# They redraw as many elements as were rejected, check values of arrays, or compute on the host.
WAITING = {
    "bytes": lambda rng: rng.bytes(5),
    "choice with probabilities": lambda rng: rng.choice(3, 5, p=[0.5, 0.25, 0.25]),
    "dirichlet": lambda rng: rng.dirichlet([1.0, 2.0], 5),
    "hypergeometric": lambda rng: rng.hypergeometric(5, 5, 4, 5),
    "multinomial": lambda rng: rng.multinomial(5, [0.5, 0.5], 5),
    "multivariate_normal": lambda rng: rng.multivariate_normal([0.0, 0.0], np.eye(2), 5),
    "noncentral_chisquare": lambda rng: rng.noncentral_chisquare(3, 1, 5),
    "noncentral_f": lambda rng: rng.noncentral_f(3, 4, 1, 5),
    "normal of arrays": lambda rng: rng.normal(0, sk.ones(4, device=rng.device)),
    "vonmises": lambda rng: rng.vonmises(0, 1, 5),
    "zipf": lambda rng: rng.zipf(2, 5),
}


def test_all_methods_are_listed():
    methods = {name for name in dir(sk.random.Generator) if not name.startswith("_")} - {
        "bit_generator",
        "device",
        "spawn",
    }
    listed = {name.split()[0] for name in [*DRAWS, *WAITING]}
    assert methods == listed


@pytest.mark.parametrize("name", DRAWS)
def test_replays_draw_as_calls_do(name):
    draw = DRAWS[name]
    rng, eager_rng = default_rng(), default_rng()
    graph = sk.capture(draw, rng)
    for _ in range(3):
        for _ in range(2):
            np.testing.assert_array_equal(graph(rng).to_numpy(), draw(eager_rng).to_numpy())
        np.testing.assert_array_equal(rng.random(3).to_numpy(), eager_rng.random(3).to_numpy())
    assert rng.bit_generator.state == eager_rng.bit_generator.state


@pytest.mark.parametrize("name", WAITING)
def test_methods_that_wait_are_rejected(name):
    rng = default_rng()
    with pytest.raises(GuardError, match="captured function"):
        sk.capture(WAITING[name], rng)
    assert rng.bit_generator.state == default_rng().bit_generator.state


def test_the_capture_draws_nothing():
    rng = default_rng()
    graph = sk.capture(lambda: rng.random(4))
    assert rng.bit_generator.state["position"] == 0
    assert graph().tolist() == default_rng().random(4).tolist()


def test_several_draws_and_generators():
    def function(first, second, x):
        y = first.normal(size=5) + second.random(5)
        second.shuffle(y)
        return y * x, first.integers(0, 100, 7), first.poisson(20, 5)

    x = sk.arange(5.0, device="cuda:0")
    ours, eager = [(default_rng(1), default_rng(2)) for _ in range(2)]
    graph = sk.capture(function, *ours, x)
    for i in range(3):
        for result, expected in zip(graph(*ours, x + i), function(*eager, x + i), strict=True):
            assert result.tolist() == expected.tolist()


def test_two_graphs_over_one_generator():
    rng, eager_rng = default_rng(), default_rng()
    first = sk.capture(lambda: rng.random(5))
    second = sk.capture(lambda: rng.integers(0, 9, 3))
    for _ in range(3):
        assert first().tolist() == eager_rng.random(5).tolist()
        assert second().tolist() == eager_rng.integers(0, 9, 3).tolist()


def test_one_stream_on_two_devices():
    def function(generators):
        return [rng.random(5) for rng in generators] + [generators[0].random(3)]

    def generators():
        bits = sk.random.Philox(3)
        return [sk.random.Generator(bits, device) for device in ("cuda:0", "cuda:1")]

    ours, eager = generators(), generators()
    sk.synchronize("cuda:1")
    graph = sk.capture(function, ours)
    for _ in range(3):
        for result, expected in zip(graph(ours), function(eager), strict=True):
            assert result.device == expected.device
            assert result.tolist() == expected.tolist()


def test_a_position_that_is_set():
    rng, eager_rng = default_rng(), default_rng()
    graph = sk.capture(lambda: rng.random(5))
    graph()
    for state in (
        sk.random.Philox(99).state,
        default_rng().bit_generator.state | {"position": (1 << 64) - 2},  # wraps around
    ):
        rng.bit_generator.state = eager_rng.bit_generator.state = state
        for _ in range(2):
            assert graph().tolist() == eager_rng.random(5).tolist()
    assert rng.bit_generator.state == eager_rng.bit_generator.state


def test_seeds_of_random_state():
    rng, eager_rng = sk.random.RandomState(1, "cuda:0"), sk.random.RandomState(1, "cuda:0")
    graph = sk.capture(lambda: rng.rand(5))
    for seed in (5, [1, 2], 5):
        rng.seed(seed)
        eager_rng.seed(seed)
        for _ in range(2):
            assert graph().tolist() == eager_rng.rand(5).tolist()


@pytest.fixture
def shared_stream():
    state = sk.random.get_state()
    yield
    sk.random.set_state(state)


@pytest.mark.usefixtures("shared_stream")
def test_functions_without_a_generator():
    def function():
        return sk.random.rand(4), sk.random.randint(0, 9, 5)

    with sk.device("cuda:0"):
        graph = sk.capture(function)
        for seed in (1, 2, 1):
            sk.random.seed(seed)
            replayed = [x.tolist() for _ in range(2) for x in graph()]
            sk.random.seed(seed)
            assert replayed == [x.tolist() for _ in range(2) for x in function()]


def test_the_device_of_a_generator_takes_part():
    """In a new process, where no device is in use yet."""
    program = (
        "import skerry as sk\n"
        "rng = sk.random.default_rng(7, device='cuda:1')\n"
        "graph = sk.capture(lambda r: r.random(3), rng)\n"
        "print(graph(rng).tolist() == sk.random.default_rng(7, device='cuda:1').random(3).tolist())\n"
    )
    printed = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout
    assert printed == "True\n"


def test_another_generator_is_rejected():
    graph = sk.capture(lambda r: r.random(3), sk.random.default_rng(9, device="cuda:0"))
    with pytest.raises(ValueError, match=r"Generator\(Philox\(9\).*, captured with another one"):
        graph(sk.random.default_rng(9, device="cuda:0"))


def test_a_stream_that_was_started_again_is_not_given_back():
    bits = sk.random.Philox(1)
    part = bits.reserve(4)
    bits._restart(2)
    first = bits.reserve(4)
    bits.give_back(part, 4)
    assert bits.reserve(4) != first


def test_copies_and_pickles_between_replays():
    rng = default_rng()
    graph = sk.capture(lambda: rng.random(5))
    graph()
    for other in (copy.copy(rng), pickle.loads(pickle.dumps(rng))):
        assert other.bit_generator.state["position"] == 3
        assert graph().tolist() == other.random(5).tolist()
        rng.bit_generator.state = rng.bit_generator.state | {"position": 3}
    (child,) = rng.spawn(1)
    (expected,) = default_rng().spawn(1)
    graph = sk.capture(lambda: child.random(5))
    assert graph().tolist() == expected.random(5).tolist()


def test_a_generator_that_is_deleted_before_its_graph():
    rng = default_rng()
    graph = sk.capture(rng.random, 5)
    del rng
    gc.collect()
    others = [sk.full(3, 5, dtype=sk.uint64, device="cuda:0") for _ in range(20)]
    eager_rng = default_rng()
    for _ in range(3):
        assert graph(5).tolist() == eager_rng.random(5).tolist()
    del others


def test_replays_in_threads_draw_different_parts():
    rng = default_rng()
    graphs = [sk.capture(lambda: rng.random(64)) for _ in range(4)]
    drawn = [[] for _ in graphs]

    def replay(graph, values):
        for _ in range(5):
            values.append(sk.asarray(graph(), copy=True))

    threads = [
        threading.Thread(target=replay, args=pair) for pair in zip(graphs, drawn, strict=True)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    parts = {tuple(x.tolist()) for values in drawn for x in values}
    eager_rng = default_rng()
    assert parts == {tuple(eager_rng.random(64).tolist()) for _ in range(20)}


def test_fused_functions():
    rng, eager_rng = default_rng(), default_rng()

    @sk.fuse
    def function(rng, x):
        return sk.sqrt(x + rng.random(4)) * 2 - rng.random(4)

    x = sk.arange(4.0, device="cuda:0")
    graph = sk.capture(function, rng, x)
    for _ in range(3):
        assert graph(rng, x).tolist() == function(eager_rng, x).tolist()


def test_replays_make_no_transfer():
    rng = default_rng()
    graph = sk.capture(lambda: rng.random(5))
    with sk.guard(transfers="raise", syncs="raise"):
        result = graph()
    assert result.tolist() == default_rng().random(5).tolist()


def test_a_draw_that_fails_inside_draws_nothing():
    rng, eager_rng = default_rng(), default_rng()

    def function(rng):
        out = sk.empty(3, device="cuda:0")
        with pytest.raises(sk.exceptions.ReadOnlyError):
            rng.random(out=sk.broadcast_to(out, (3, 3)))
        return rng.random(5)

    graph = sk.capture(function, rng)
    assert graph(rng).tolist() == eager_rng.random(5).tolist()


def set_state(rng):
    rng.bit_generator.state = rng.bit_generator.state


REJECTED = {
    "created": (lambda rng: default_rng(5).random(4), "generator that it creates"),
    "copied": (lambda rng: copy.copy(rng).random(4), "generator that it creates"),
    "unpickled": (lambda rng: pickle.loads(pickle.dumps(rng)).random(4), "that it creates"),
    "spawned": (lambda rng: rng.spawn(1)[0].random(4), "generator that it creates"),
    "state": (set_state, "can't set the state of a generator"),
    "seed": (lambda rng: sk.random.seed(3), "can't set the state of a generator"),
    "cpu": (lambda rng: default_rng(5, "cpu").random(4), "random numbers on cpu:0"),
}


@pytest.mark.parametrize("name", REJECTED)
def test_what_a_replay_would_not_repeat(name):
    function, text = REJECTED[name]
    rng = default_rng()
    with pytest.raises(ValueError, match=text):
        sk.capture(function, rng)
    assert rng.random(4).tolist() == default_rng().random(4).tolist()


def test_a_failing_replay_draws_nothing():
    rng = default_rng()
    graph = sk.capture(lambda x: x + rng.random(4), sk.zeros(4, device="cuda:0"))
    with pytest.raises(ValueError, match="argument 0"):
        graph(sk.zeros(3, device="cuda:0"))
    with pytest.raises(TypeError, match="argument 0"):
        graph()
    assert rng.bit_generator.state["position"] == 0
    assert graph(sk.zeros(4, device="cuda:0")).tolist() == default_rng().random(4).tolist()


@needs_rehearsal
def test_calls_that_fail_in_a_replay():
    rng, eager_rng = default_rng(), default_rng()
    graph = sk.capture(lambda: rng.random(4))
    count = 0
    met = True
    while met:
        result = None
        with (
            instruments.failing_cuda_call(count + 1, 1) as fault,
            contextlib.suppress(DeviceError),
        ):
            result = graph()
        if result is not None:
            assert result.tolist() == eager_rng.random(4).tolist()
        met = fault.was_met
        count += met
        assert graph().tolist() == eager_rng.random(4).tolist()
    assert count > 1


def test_memory_comes_back():
    rng = default_rng()
    old = live_bytes()
    graph = sk.capture(lambda: rng.random(4))
    graph()
    del graph
    assert live_bytes() == old
