# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Equal bits on every device, for any number of threads and with every instruction set."""

import hashlib
import os
import subprocess
import sys
import threading

import numpy as np
import pytest
import skerry as sk
from skerry.random import default_rng
from skerry.testing import instruments

DEVICES = ["cpu:0", "cpu:1", "cuda:0", "cuda:1"]  # this file is also a program
EMULATED = os.environ.get("SKERRY_EMULATED") == "1"
SIZE = 3001 if EMULATED else 40_003
METHODS = {
    "random": lambda r, n: r.random(n),
    "random float32": lambda r, n: r.random(n, dtype=sk.float32),
    "uniform": lambda r, n: r.uniform(-3, 7, n),
    "standard_normal": lambda r, n: r.standard_normal(n),
    "standard_normal float32": lambda r, n: r.standard_normal(n, dtype=sk.float32),
    "normal": lambda r, n: r.normal(3, 0.1, n),
    "standard_exponential": lambda r, n: r.standard_exponential(n),
    "standard_exponential float32": lambda r, n: r.standard_exponential(n, dtype=sk.float32),
    "laplace": lambda r, n: r.laplace(1, 2, n),
    "lognormal": lambda r, n: r.lognormal(0, 2, n),
    "integers": lambda r, n: r.integers(0, 2**31 + 1, n),
    "integers of 64 bits": lambda r, n: r.integers(-(2**62), 2**62 + 1, n),
    "integers uint8": lambda r, n: r.integers(3, 200, n, dtype=sk.uint8),
    "integers bool": lambda r, n: r.integers(0, 2, n, dtype=sk.bool),
    "integers of arrays": lambda r, n: r.integers([0, -5, 2**40], [3, 7, 2**61], (n, 3)),
    "gamma": lambda r, n: r.standard_gamma(2.5, n),
    "gamma below 1": lambda r, n: r.standard_gamma(0.3, n),
    "gamma float32": lambda r, n: r.standard_gamma(1.5, n, dtype=sk.float32),
    "gamma of arrays": lambda r, n: r.standard_gamma([0.0, 0.5, 20.0], (n, 3)),
    "beta": lambda r, n: r.beta(0.5, 3, n),
    "multinomial": lambda r, n: r.multinomial(100, [0.2, 0.3, 0.1, 0.4], n),
    "dirichlet": lambda r, n: r.dirichlet([1, 2, 3, 0.1, 7], n),
    **{
        f"multivariate_normal by {method}": lambda r, n, method=method: r.multivariate_normal(
            [1, 0, -3], [[2, 0.3, -0.4], [0.3, 1, 0.1], [-0.4, 0.1, 3]], n, method=method
        )
        for method in ("svd", "eigh", "cholesky")
    },
    "geometric": lambda r, n: r.geometric(0.01, n),
    "poisson, few": lambda r, n: r.poisson(3, n),
    "poisson": lambda r, n: r.poisson(1000, n),
    "poisson of arrays": lambda r, n: r.poisson([0, 9.99, 10, 1e6], (n, 4)),
    "binomial, few": lambda r, n: r.binomial(100, 0.95, n),
    "binomial": lambda r, n: r.binomial(1000, 0.7, n),
    "binomial of arrays": lambda r, n: r.binomial([0, 10, 10**9], [0.5, 1.0, 0.3], (n, 3)),
    "permutation": lambda r, n: r.permutation(n),
    "permuted": lambda r, n: r.permuted(sk.zeros((3, 50), device=r.device) + r.random(50), axis=1),
    "choice": lambda r, n: r.choice(n, 100, replace=False),
    "choice of probabilities": lambda r, n: r.choice(4, n, p=[0.1, 0.2, 0.3, 0.4]),
    "choice of probabilities, once": lambda r, n: r.choice(
        4, 3, replace=False, p=[0.1, 0.2, 0.3, 0.4]
    ),
}

# Composed from others by array functions, whose last place may differ on processors older than x86-64-v3.
COMPOSED = {
    "gumbel": lambda r, n: r.gumbel(1, 2, n),
    "logistic": lambda r, n: r.logistic(1, 2, n),
    "pareto": lambda r, n: r.pareto(3, n),
    "power": lambda r, n: r.power(3, n),
    "rayleigh": lambda r, n: r.rayleigh(2, n),
    "weibull": lambda r, n: r.weibull([0.0, 0.5, 3.0], (n, 3)),
    "triangular": lambda r, n: r.triangular(0, 1, 4, n),
    "standard_cauchy": lambda r, n: r.standard_cauchy(n),
    "standard_t": lambda r, n: r.standard_t(2.5, n),
    "f": lambda r, n: r.f(3, 7, n),
    "wald": lambda r, n: r.wald(2, [0.1, 3], (n, 2)),
    "noncentral_chisquare": lambda r, n: r.noncentral_chisquare(3, 2, n),
    "noncentral_f": lambda r, n: r.noncentral_f(3, 20, 2, n),
    "negative_binomial": lambda r, n: r.negative_binomial(3, 0.4, n),
    "logseries": lambda r, n: r.logseries([0.0, 0.8, 0.999], (n, 3)),
    "vonmises": lambda r, n: r.vonmises(1, [0.0, 4.0, 1e7], (n // 4, 3)),
    "zipf": lambda r, n: r.zipf([1.5, 4.0], (n // 4, 2)),
    "hypergeometric": lambda r, n: r.hypergeometric(10, [5, 500], [6, 300], (n // 4, 2)),
}
EVERY = METHODS | COMPOSED


def drawn(method, device, size=SIZE):
    rng = default_rng(2025, device)
    x = EVERY[method](rng, size)
    assert str(x.device) == device
    return np.asarray(x.to_device("cpu"))


def same(x, y):
    return x.dtype == y.dtype and x.shape == y.shape and x.tobytes() == y.tobytes()


@pytest.mark.parametrize("device", DEVICES[1:])
@pytest.mark.parametrize("method", EVERY)
def test_samples_are_equal_on_every_device(method, device):
    assert same(drawn(method, device), drawn(method, "cpu:0"))


@pytest.mark.parametrize("method", EVERY)
def test_samples_do_not_depend_on_the_number_of_threads(method, restore_threads):
    sk.set_num_threads(1)
    alone = drawn(method, "cpu:0")
    for threads in (2, 3, 4):
        sk.set_num_threads(threads)
        assert same(drawn(method, "cpu:0"), alone)


@pytest.mark.parametrize(
    "method",
    [
        name
        for name in METHODS
        if "array" not in name
        and name.split()[0]
        in ("random", "standard_normal", "integers", "gamma", "poisson", "binomial", "lognormal")
    ],
)
def test_first_samples_do_not_depend_on_the_size(method):
    few = drawn(method, "cpu:0", 37)
    assert same(few, drawn(method, "cpu:0", 40_000)[:37])


def checksums():
    """Returns a line for each method, with a checksum of its bits."""
    return [
        f"{name} {hashlib.sha256(drawn(name, 'cpu:0', 5000).tobytes()).hexdigest()}"
        for name in METHODS
    ]


@pytest.mark.parametrize("level", instruments.instruction_sets())
def test_samples_are_equal_with_every_instruction_set(level):
    environment = {**os.environ, "SKERRY_ISA": level.rpartition("-")[2]}
    done = subprocess.run(
        [sys.executable, __file__], env=environment, capture_output=True, text=True, check=True
    )
    used, *sums = done.stdout.splitlines()
    assert used == level
    assert sums == checksums()


def test_threads_share_a_generator_without_overlap():
    rng = default_rng(1)
    parts = []

    def work():
        for _ in range(50):
            parts.append(tuple(rng.integers(2**62, size=100).tolist()))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(parts) == {
        tuple(row) for row in default_rng(1).integers(2**62, size=(200, 100)).tolist()
    }


if __name__ == "__main__":
    print(instruments.instruction_set(), *checksums(), sep="\n")
