# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Reductions of recorded expressions: bits equal eager ones, and the elements are not stored."""

import itertools

import numpy as np
import pytest
import skerry as sk
from skerry.testing import instruments

from tests.python.fuse.recorded_sizes import USUAL_LIMIT, all_sizes_recorded  # noqa: F401
from tests.python.loops import loop_over
from tests.python.oracle import DTYPES, kind_of, to_numpy

REDUCTIONS = ["all", "any", "argmax", "count_nonzero", "max", "mean", "min", "prod", "std", "sum", "var"]  # fmt: skip
# Few and many rows and columns, on both sides of the kernels' limits and of the chunks for threads.
SHAPES = [
    (5,), (1000,), (200_003,), (1, 9), (3, 5), (9, 1), (16, 1000), (1000, 16), (3, 300), (9, 40_000), (40_000, 9),
    (700, 600), (50_000, 2), (50_000, 4), (300, 500), (6, 7, 8), (20, 30, 40),
]  # fmt: skip


def sample(seed, dtype, shape):
    rng = np.random.default_rng(seed)
    values = rng.normal(scale=3, size=shape)
    if kind_of(dtype) == "c":
        values = values + 1j * rng.normal(size=shape)
    values = np.abs(values) if kind_of(dtype) == "u" else values
    return np.asarray(np.round(values, 1)).astype(dtype)  # includes zeros of both signs


def axes_of(rank):
    for count in range(1, rank + 1):
        yield from itertools.combinations(range(rank), count)


def outcome(run, *args):
    """Returns a result, or the type and text of an error."""
    try:
        return run(*args)
    except (TypeError, ValueError, IndexError) as error:
        return type(error), str(error)


def assert_same(run, *args):
    want, got = outcome(run, *args), outcome(sk.fuse(run), *args)
    if isinstance(want, tuple):
        assert got == want
        return
    assert type(got) is sk.Array
    assert (got.dtype, got.shape, got.strides) == (want.dtype, want.shape, want.strides)
    assert to_numpy(got).tobytes() == to_numpy(want).tobytes()


@pytest.mark.parametrize("name", REDUCTIONS)
@loop_over("shape", SHAPES)
def test_reductions_equal_eager_bits(name, shape):
    reduce = getattr(sk, name)
    for number, dtype in enumerate(["float32", "float64", "float16", "int32", "uint8", "bool"]):
        x, y = (
            sk.asarray(sample(seed, dtype, shape), copy=True) for seed in (number, number + 100)
        )
        for axes in axes_of(len(shape)):
            axis = axes[0] if len(axes) == 1 or name == "argmax" else axes
            assert_same(lambda x, y, axis=axis: reduce(x * y, axis=axis), x, y)
        assert_same(lambda x, y: reduce(x * y, axis=None, keepdims=True), x, y)


@loop_over("dtype", DTYPES)
@pytest.mark.parametrize("device", ["cpu:0", "cuda:0"])
def test_reductions_of_each_dtype(dtype, device):
    x, y = (sk.asarray(sample(seed, dtype, (70, 130)), device=device, copy=True) for seed in (1, 2))
    for name, axis in itertools.product(REDUCTIONS, (None, 0, 1)):
        assert_same(lambda x, y, n=name, a=axis: getattr(sk, n)(x + y, axis=a), x, y)


@pytest.mark.parametrize(
    "layout",
    [
        lambda x: x.T,
        lambda x: x[:, ::3],
        lambda x: x[::-1, ::-1],
        lambda x: x[:, 1:],
        lambda x: x[0],
        lambda x: x[:, :1],
    ],
)
def test_reductions_of_any_layout(layout):
    x = sk.asarray(sample(5, "float32", (301, 401)), copy=True)
    y = sk.asarray(sample(6, "float32", layout(x).shape), copy=True)
    for name, axis in itertools.product(["sum", "max", "var"], (None, 0, -1)):
        assert_same(lambda x, y, n=name, a=axis: getattr(sk, n)(layout(x) * y - 1, axis=a), x, y)
        assert_same(lambda x, n=name, a=axis: getattr(sk, n)(x - layout(x)[..., :1][:1], axis=a), x)


def test_reductions_of_broadcast_operands():
    x = sk.asarray(sample(7, "float64", (200, 1, 16)), copy=True)
    y = sk.asarray(sample(8, "float64", (1, 150, 16)), copy=True)
    for axis in (None, -1, 0, (1, 2), (0, 1), (0, 2)):
        assert_same(lambda x, y, a=axis: sk.sum((x - y) ** 2, axis=a), x, y)


def test_methods_with_dtype_and_correction():
    x = sk.asarray(sample(9, "float32", (90, 200)), copy=True)
    assert_same(lambda x: (x * 2).sum(axis=1), x)
    assert_same(lambda x: (x * 2).std(axis=1, correction=1), x)
    assert_same(lambda x: sk.sum(x * 2, dtype=sk.float64), x)
    assert_same(lambda x: sk.sum(x * 2, axis=5), x)
    assert_same(lambda x: sk.max((x * 2)[:0]), x)


def test_reduced_expression_is_not_stored():
    x = sk.asarray(sample(10, "float32", (1000, 1000)), copy=True)
    run = sk.fuse(lambda x: sk.sum((x - 1) ** 2, axis=1))
    run(x)
    sk.reset_peak("cpu:0")
    old_live_bytes = sk.memory_statistics("cpu:0").live_bytes
    run(x)
    assert sk.memory_statistics("cpu:0").peak_bytes - old_live_bytes < x.nbytes / 4


def test_reduced_arrays_keep_their_values():
    x = sk.asarray(sample(11, "float64", (300, 200)), copy=True)

    def normalise(x):
        apart = x - sk.mean(x, axis=1, keepdims=True)
        spread = sk.mean(apart * apart, axis=1, keepdims=True)
        total = sk.sum(apart)
        return apart / sk.sqrt(spread + 1e-5) + total

    def softmax(x):
        grown = sk.exp(x - sk.max(x, axis=1, keepdims=True))
        return grown / sk.sum(grown, axis=1, keepdims=True)

    for run in (normalise, softmax):
        assert_same(run, x)


def test_expensive_reduced_array_is_computed_once():
    x = sk.asarray(sample(12, "float64", (300, 200)), copy=True)
    pending = []

    @sk.fuse
    def run(x):
        cheap = x * 2
        first = sk.sum(cheap)
        pending.append(instruments.fused_work())
        grown = sk.exp(x)
        second = sk.sum(grown)
        pending.append(instruments.fused_work())
        return cheap, grown, first + second

    run(x)
    assert pending == [2, 1]  # the call and `cheap`, which is recomputed; then the call only


def test_several_reductions_in_one_expression():
    x = sk.asarray(sample(13, "float32", (100_000,)), copy=True)
    y = sk.asarray(sample(14, "float32", (100_000,)), copy=True)
    assert_same(lambda x, y: sk.sum(x * y) / sk.sqrt(sk.sum(x * x) * sk.sum(y * y)), x, y)
    assert_same(lambda x: sk.log(sk.sum(sk.exp(x - sk.max(x)))), x)


def test_reduction_of_more_operands_than_one_pass_takes():
    arrays = [sk.asarray(sample(seed, "float32", (5000,)), copy=True) for seed in range(20)]
    assert_same(lambda *arrays: sk.sum(sum(arrays[1:], arrays[0])), *arrays)
    assert_same(lambda *arrays: sk.max(sum(arrays[1:], arrays[0]), axis=0), *arrays)


def test_reduction_succeeds_after_failed_allocation():
    x = sk.asarray(sample(15, "float32", (1000,)), copy=True)

    @sk.fuse
    def run(x):
        y = x * 2
        with (
            instruments.failing_allocation(from_then_on=True),
            pytest.raises(sk.exceptions.OutOfMemoryError),
        ):
            sk.sum(y)
        return y, sk.sum(y)

    y, total = run(x)
    assert to_numpy(y).tobytes() == to_numpy(x * 2).tobytes()
    assert to_numpy(total).tobytes() == to_numpy(sk.sum(x * 2)).tobytes()


@instruments.recorded_from(USUAL_LIMIT)
def test_small_arrays_are_not_recorded():
    pending = []

    def run(x, y):
        z = x * y + 1
        pending.append(instruments.fused_work())
        z += x
        return sk.where(z > 0, z, -z), sk.clip(z, 0, 1), z.astype("float32"), sk.sum(z)

    small, large = (sk.asarray(sample(16, "float64", (n,)), copy=True) for n in (100, USUAL_LIMIT))
    row, column = small[:, None], large[:1000]
    for args in ((small, small), (large, large), (row, column), (small, small[:1])):
        for got, want in zip(sk.fuse(run)(*args), run(*args), strict=True):
            assert to_numpy(got).tobytes() == to_numpy(want).tobytes()
    assert pending[::2] == [1, 2, 2, 1]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("n", [100_000, 300_001, 1_000_000])
def test_variances_of_long_arrays_equal_eager_bits(n, dtype):
    """Partial variances have the same length and order, whether elements are computed or loaded."""
    for seed in range(4):
        x = sk.asarray((np.random.default_rng(seed).random(n) + 5).astype(dtype), copy=True)
        fused = sk.fuse(lambda x: sk.var(x * 3.0))
        for _ in range(2):
            assert to_numpy(fused(x)).tobytes() == to_numpy(sk.var(x * 3.0)).tobytes(), seed
