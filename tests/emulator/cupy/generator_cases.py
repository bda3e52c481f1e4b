# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""cupy.random.Generator, by CuPy's own kernels: run by test_cupy.py in a new process."""

import types

import cupy as cp
import numpy as np
import pytest

COUNT = 20_000
# Calls of a generator, with the mean and the deviation of the distribution.
DISTRIBUTIONS = {
    "random": (lambda r: r.random(COUNT), 0.5, 12**-0.5),
    "random float32": (lambda r: r.random(COUNT, dtype="float32"), 0.5, 12**-0.5),
    "uniform": (lambda r: r.uniform(1, 3, COUNT), 2, 3**-0.5),
    "integers": (lambda r: r.integers(0, 10, COUNT), 4.5, 8.25**0.5),
    "integers of 64 bits": (lambda r: r.integers(0, 2**40, COUNT), 2**39, 2**40 * 12**-0.5),
    "standard_normal": (lambda r: r.standard_normal(COUNT), 0, 1),
    "standard_normal float32": (lambda r: r.standard_normal(COUNT, dtype="float32"), 0, 1),
    "exponential": (lambda r: r.exponential(2.0, COUNT), 2, 2),
    "beta": (lambda r: r.beta(2.0, 3.0, COUNT), 0.4, 0.2),
    "gamma": (lambda r: r.gamma(2.0, 3.0, COUNT), 6, 18**0.5),
    "poisson": (lambda r: r.poisson(3.0, COUNT), 3, 3**0.5),
    "binomial": (lambda r: r.binomial(10, 0.3, COUNT), 3, 2.1**0.5),
    "geometric": (lambda r: r.geometric(0.25, COUNT), 4, 12**0.5),
    "hypergeometric": (lambda r: r.hypergeometric(10, 5, 6, COUNT), 4, (6 / 7) ** 0.5),
    "logseries": (lambda r: r.logseries(0.5, COUNT), 1.4427, 0.8973),
}

KINDS = [cp.random.XORWOW, cp.random.MRG32k3a, cp.random.Philox4x3210]


def generator(seed=0, kind=cp.random.XORWOW, size=1000):
    return cp.random.Generator(kind(seed, size=size))


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_distributions(name):
    draw, mean, deviation = DISTRIBUTIONS[name]
    values = cp.asnumpy(draw(generator())).astype("float64")
    assert abs(values.mean() - mean) < 5 * deviation / COUNT**0.5
    assert abs(values.std() / deviation - 1) < 0.05


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("device", [0, 1])
def test_numbers_follow_from_the_seed(kind, device):
    with cp.cuda.Device(device):
        first, second, other = generator(1, kind), generator(1, kind), generator(2, kind)
        values = first.random(3000)
        assert len(np.unique(cp.asnumpy(values))) == 3000
        assert (second.random(3000) == values).all()
        assert not (first.random(3000) == values).any()
        assert not (other.random(3000) == values).any()
        assert len(np.unique(cp.asnumpy(kind(1, size=100).random_raw(100)))) == 100


def test_default_rng():
    x = cp.random.default_rng(0).random(100)
    assert ((x >= 0) & (x < 1)).all()


@pytest.mark.parametrize("kind", KINDS)
def test_a_generator_with_few_states_stays_in_its_memory(kind):
    cp.cuda.set_allocator(None)
    try:
        assert (generator(kind=kind, size=5).random(12) < 1).all()
        cp.cuda.Device().synchronize()
    finally:
        cp.cuda.set_allocator(cp.get_default_memory_pool().malloc)


def test_choice_without_replacement():
    choice = cp.random.choice(1000, 600, replace=False)
    assert len(np.unique(cp.asnumpy(choice))) == 600


def test_another_signature_is_rejected(monkeypatch):
    from skerry_emulator import _cupy_generators, _cupy_kernels

    api = types.SimpleNamespace(__name__="api", init_curand=None, random_raw=None)
    _cupy_kernels.REPLACEMENTS["cupy.random._generator_api"](api)
    assert api.init_curand is None
    monkeypatch.setitem(_cupy_generators._DISTRIBUTIONS, "interval_32", ("int32_t",) * 3)
    _cupy_kernels.REPLACEMENTS["cupy.random._generator_api"](api)
    with pytest.raises(
        NotImplementedError, match=r"api\.init_curand: its kernels are machine code"
    ):
        api.init_curand()
