# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Chains of operations that pass results on in registers: eager bits, in full vectors and remainders."""

import numpy as np
import pytest
import skerry as sk

from tests.python.fuse.recorded_sizes import all_sizes_recorded  # noqa: F401
from tests.python.oracle import to_numpy

SIZES = [1, 7, 15, 16, 31, 32, 33, 127, 128, 129, 511, 512, 513, 1000, 5003]


def in_both_orders(x, y, scalar):
    """Applies all operations of a chain to its value as first and as second operand. Some intermediate results are returned."""
    product = (x - y) * scalar + scalar
    reflected = scalar - (scalar / (scalar * (scalar + -(x * y))))
    rest = product * 3.0 - product
    square = ((x + y) ** 2 / 4.0) ** 2 / 3.0
    return product, reflected, rest, square, (x / y) ** -1 / 1e-310, -(y - x) * product - reflected


def in_place(x, y, scalar):
    total = x + y
    total *= scalar
    total -= y
    total /= 8.0
    return total, total * total


def bits(results):
    return [to_numpy(result).tobytes() for result in results]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("function", [in_both_orders, in_place])
def test_chains_equal_eager_bits(function, dtype):
    for n in SIZES:
        rng = np.random.default_rng(n)
        x = rng.normal(scale=3, size=n).astype(dtype)
        special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, -np.nan, 1e-40, -1e-310], dtype)
        x[rng.integers(0, n, n // 8 + 1)] = rng.choice(special, n // 8 + 1)
        arrays = [sk.asarray(x, copy=True), sk.asarray(rng.normal(size=n).astype(dtype), copy=True)]
        for scalar in (0.75, 0.5, -4.0, 1e-3):
            assert bits(sk.fuse(function)(*arrays, scalar)) == bits(function(*arrays, scalar)), (
                n,
                scalar,
            )


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_chains_pass_on_the_same_nan_as_eager(dtype):
    for n in SIZES:
        for x, y, scalar in [
            (np.nan, -np.nan, 2.5),
            (-np.nan, np.nan, -np.nan),
            (1.0, np.nan, -np.nan),
        ]:
            arrays = [sk.asarray(np.full(n, value, dtype), copy=True) for value in (x, y)]
            assert bits(sk.fuse(in_both_orders)(*arrays, scalar)) == bits(
                in_both_orders(*arrays, scalar)
            )


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_chains_over_strided_rows(dtype):
    rng = np.random.default_rng(2)
    whole = sk.asarray(rng.normal(size=(60, 310)).astype(dtype), copy=True)
    column = sk.asarray(rng.normal(size=(60, 1)).astype(dtype), copy=True)
    for x in (whole, whole[:, 3:-4], whole[:, ::2], whole.T[5:40].T):
        arrays = [x, x + 1, column]
        assert bits(sk.fuse(in_both_orders)(*arrays)) == bits(in_both_orders(*arrays))


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_comparisons_of_complex_magnitudes_equal_eager(dtype):
    """Magnitudes near the bound on both sides, and NaN and infinite ones."""
    rng = np.random.default_rng(3)
    angles = np.exp(1j * rng.uniform(0, 7, 1000))
    around = np.array([1 - 1e-16, 1 + 3e-16, 1 - 1e-7, 1 + 1e-7, 1 - 1e-4, 1, 1 + 1e-4, 0.3, 4])
    special = [np.nan, np.inf, complex(np.inf, np.nan), complex(np.nan, 1), 1e300, 1e-300, 0, 1e25]
    for bound in (2.0, 0.1, 3.0, 0.0, -1.0, 1e-25, 1e30, np.inf, np.nan):
        size = bound if 0 < bound < 1e30 else 1
        z = angles * rng.choice(around, 1000) * size
        mixed = angles * rng.choice([0.3, 4], 1000) * size
        mixed[rng.integers(0, 1000, 9)] = rng.choice(special, 9)
        for values in (z, mixed, z[:100] * 0.9, z[:64] * 1.1, np.full(200, bound)):
            with np.errstate(over="ignore"):
                x = sk.asarray(np.asarray(values).astype(dtype), copy=True)

            def compare(x, bound=bound):
                y = x * 1.0
                return (abs(y) < bound, abs(y) <= bound, abs(x) > bound, bound <= abs(x),
                        sk.where(abs(y) < bound, y, x), abs(x[3:]) < bound, abs(x[:1]) < bound)  # fmt: skip

            assert bits(sk.fuse(compare)(x)) == bits(compare(x)), (bound, len(values))


@pytest.mark.parametrize(("dtype", "real"), [("complex64", "float32"), ("complex128", "float64")])
def test_complex_magnitudes_with_other_uses_or_as_second_operand(dtype, real):
    rng = np.random.default_rng(4)
    z = sk.asarray((rng.normal(size=1000) + 1j * rng.normal(size=1000)).astype(dtype), copy=True)
    y = sk.asarray(rng.random(1000).astype(real), copy=True)

    def compare(z, y):
        length = abs(z)
        is_short = length < 1
        is_long = length > 0.5
        double_length = abs(z * 2)
        return (
            is_short,
            is_long,
            y > abs(z),
            sk.greater(1.5, abs(z)),
            abs(z) > y,
            double_length > 1,
            double_length,
        )

    assert bits(sk.fuse(compare)(z, y)) == bits(compare(z, y))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_in_place_chain_with_nan_updates_once(dtype):
    def update(x, y, scalar):
        x *= scalar
        total = x + scalar
        return x, total, total * y - 1.0

    for n in SIZES:
        y = np.random.default_rng(n).normal(size=n).astype(dtype)
        y[:: max(n // 3, 1)] = np.nan
        x = [sk.asarray(np.arange(n, dtype=dtype), copy=True) for _ in range(2)]
        y = sk.asarray(y, copy=True)
        assert bits(sk.fuse(update)(x[0], y, 3.0)) == bits(update(x[1], y, 3.0)), n
        assert bits(x[:1]) == bits(x[1:])
