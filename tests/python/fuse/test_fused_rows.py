# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Row reductions are recorded with the operations before and after them: bits equal eager ones."""

import random

import numpy as np
import pytest
import skerry as sk
from skerry.testing import instruments

from tests.python.fuse.recorded_sizes import USUAL_LIMIT, all_sizes_recorded  # noqa: F401
from tests.python.loops import loop_over
from tests.python.oracle import kind_of, to_numpy

REDUCTIONS = ["all", "any", "count_nonzero", "max", "mean", "min", "prod", "std", "sum", "var"]
LENGTHS = [1, 2, 3, 4, 7, 16, 63, 64, 65, 66, 127, 511, 1000, 1024, 1025, 4097]


def sample(seed, dtype, shape, *, has_nan=False):
    rng = np.random.default_rng(seed)
    values = np.round(rng.normal(scale=2, size=shape), 1)
    if np.dtype(dtype).kind == "c":
        values = values + 1j * rng.normal(size=shape)
    if np.dtype(dtype).kind == "u":
        values = np.abs(values)
    if has_nan and kind_of(dtype) in "fc":
        values = np.where(rng.random(shape) < 0.001, np.nan, values)
    return np.asarray(values).astype(dtype)


def array(seed, dtype, shape, device="cpu:0", **options):
    return sk.asarray(sample(seed, dtype, shape, **options), device=device, copy=True)


@pytest.fixture(params=[1, 2])
def threads(request):
    old_count = sk.get_num_threads()
    sk.set_num_threads(request.param)
    yield request.param
    sk.set_num_threads(old_count)


def assert_same_bits(got, want):
    assert type(got) is sk.Array
    assert (got.dtype, got.shape, got.strides, got.device) == (
        want.dtype,
        want.shape,
        want.strides,
        want.device,
    )
    assert to_numpy(got).tobytes() == to_numpy(want).tobytes()


def assert_same(run, *args):
    want, got = run(*args), sk.fuse(run)(*args)
    if isinstance(want, sk.Array):
        want, got = [want], [got]
    for one, other in zip(got, want, strict=True):
        assert_same_bits(one, other)


def passes_of(run, *args):
    """Returns (operations, rows at a time) of each pass."""
    seen = []
    with instruments.watched_passes(lambda operations, *rest: seen.append((operations, rest[-1]))):
        sk.fuse(run)(*args)
    return seen


def softmax(x, axis=-1):
    grown = sk.exp(x - sk.max(x, axis=axis, keepdims=True))
    return grown / sk.sum(grown, axis=axis, keepdims=True)


def log_sum_exp(x):
    most = sk.max(x, axis=1, keepdims=True)
    return sk.log(sk.sum(sk.exp(x - most), axis=1, keepdims=True)) + most


def layer_norm(x, scale, shift):
    apart = x - sk.mean(x, axis=1, keepdims=True)
    spread = sk.mean(apart * apart, axis=1, keepdims=True)
    return apart / sk.sqrt(spread + 1e-5) * scale + shift


def cosine(x, y):
    lengths = sk.sum(x * x, axis=1) * sk.sum(y * y, axis=1)
    return sk.sum(x * y, axis=1) / sk.sqrt(lengths)


@loop_over("dtype", ["float16", "float32", "float64"])
@loop_over("length", LENGTHS)
def test_row_chains_equal_eager_bits_in_one_pass(threads, dtype, length):
    rows = max(40, min(3000, 60_000 // length))
    x, y = (array(seed, dtype, (rows, length), has_nan=True) for seed in (1, 2))
    row, other = (array(seed, dtype, (length,)) for seed in (3, 4))
    for run, args in (
        (softmax, (x,)),
        (log_sum_exp, (x,)),
        (layer_norm, (x, row, other)),
        (cosine, (x, y)),
    ):
        assert_same(run, *args)
        if length > 1:
            assert [rows > 0 for _, rows in passes_of(run, *args)] == [True]


@loop_over(
    ("name", "dtype"),
    [
        (name, dtype)
        for name in REDUCTIONS
        for dtype in ["bool", "uint8", "int32", "float16", "float32", "complex64"]
        if dtype != "complex64" or name not in ("max", "min", "std", "var")
    ],
    items="name",
)
def test_each_row_reduction_of_arrays_and_expressions(threads, name, dtype):
    reduce = getattr(sk, name)
    for length in (2, 5, 64, 300, 1100):
        x, y = (array(seed, dtype, (150, length)) for seed in (5, 6))
        for keepdims in (False, True):

            def run(x, y, keepdims=keepdims):
                product = x * y
                first = reduce(x, axis=1, keepdims=keepdims)
                second = reduce(product, axis=-1, keepdims=keepdims)
                both = sk.where(first != second, first, second)
                return (product, first, both, x + both) if keepdims else (product, first, both)

            assert_same(run, x, y)


@pytest.mark.parametrize("device", ["cpu:0", "cuda:0"])
@pytest.mark.parametrize("axis", [-1, 2, (1, 2), (-1, -2), (0, 1, 2), 0, 1, (0, 2), ()])
def test_row_reductions_along_any_axes(device, axis):
    x = array(7, "float32", (20, 30, 40), device)
    for keepdims in (False, True):

        def run(x, keepdims=keepdims):
            total = sk.sum(x * x, axis=axis, keepdims=keepdims)
            return total * 2, sk.mean(total) + 1

        assert_same(run, x)
    assert_same(lambda x: softmax(x, axis), x)
    assert_same(
        lambda x: sk.sum(softmax(x, axis) * x, axis=-1) + sk.max(x, axis=(1, 2))[:, None], x
    )


@pytest.mark.parametrize(
    "layout",
    [
        lambda x: x[::2],
        lambda x: x[::-1],
        lambda x: x[:, ::-1],
        lambda x: x[:, ::3],
        lambda x: x[:, 5:-7],
        lambda x: x.T,
        lambda x: x[:1],
        lambda x: x[:, :1],
        lambda x: sk.broadcast_to(x[:1], x.shape),
        lambda x: sk.broadcast_to(x[:, :1], x.shape),
        lambda x: sk.permute_dims(sk.reshape(x, (20, 10, 300)), (1, 0, 2)),
    ],
)
def test_row_reductions_of_any_layout(layout):
    x, y = (array(seed, "float64", (200, 300)) for seed in (8, 9))
    assert_same(lambda x: softmax(layout(x)), x)

    def run(x, y):
        apart = layout(x) - sk.mean(layout(y), axis=-1, keepdims=True)
        return apart, sk.sum(apart * layout(y), axis=-1), sk.max(layout(x), axis=-1)

    assert_same(run, x, y)


def test_row_vectors_broadcast_along_rows_need_another_pass():
    """In a square array, a vector of row sums broadcasts along the columns, so it needs a pass of its own."""
    x = array(10, "float32", (300, 300))

    def run(x):
        total = sk.sum(x, axis=1)
        down = sk.sum(x * total, axis=0)
        return total, x * total, x - total * sk.max(x * down, axis=1), down

    assert_same(run, x)


def test_several_row_shapes_in_one_function():
    x, y, z = (array(11, "float32", shape) for shape in ((60, 50, 7), (60, 50, 1), (60, 9)))

    def run(x, y, z):
        inner = sk.sum(x * y, axis=-1, keepdims=True)
        outer = sk.max(x + inner, axis=(1, 2), keepdims=True)
        return inner * outer, sk.sum(z * z, axis=1), x / outer

    assert_same(run, x, y, z)


def random_chain(seed):
    """Returns a program that the seed chooses."""
    chance = random.Random(seed)
    steps = [
        (chance.randrange(6), chance.choice(REDUCTIONS), *(chance.randrange(99) for _ in range(3)))
        for _ in range(chance.choice([3, 8, 20, 40]))
    ]

    def run(*arrays):
        values = list(arrays)
        results = []
        for kind, name, first, second, keep in steps:
            a, b = values[first % len(values)], values[second % len(values)]
            try:
                if kind < 2:
                    result = getattr(sk, name)(a, axis=-1, keepdims=kind == 0 or keep % 2 == 0)
                elif kind == 2:
                    result = sk.tanh(a) * 1.5
                else:
                    result = (
                        a * b + 0.5 if kind == 3 else a - b if kind == 4 else sk.where(a > b, a, b)
                    )
            except (TypeError, ValueError, IndexError):
                continue
            values.append(result)
            if keep % 6 == 0:
                results.append(result)
        return [*results, values[-1]]

    return run


@loop_over("seed", range(120))
def test_random_row_programs_equal_eager_bits(threads, seed):
    chance = random.Random(seed + 1000)
    dtype = chance.choice(["float16", "float32", "float64", "int32", "int64"])
    length = chance.choice(LENGTHS)
    rows = max(4, min(2000, 30_000 // length))
    shapes = [(rows, length), (rows, length), (rows, 1), (length,), (1, length), ()]
    arrays = [array(seed + k, dtype, shape, has_nan=True) for k, shape in enumerate(shapes)]
    with np.errstate(all="ignore"):
        assert_same(random_chain(seed), *arrays)


def test_row_reductions_of_empty_arrays_and_few_rows():
    for shape in ((0, 5), (5, 0), (1, 100), (3, 100)):
        x = array(12, "float32", shape)
        assert_same(lambda x: x - sk.sum(x, axis=1, keepdims=True), x)
    with pytest.raises(ValueError, match="no elements to reduce"):
        sk.fuse(lambda x: sk.max(x, axis=1))(array(12, "float32", (50, 0)))


def test_row_pass_with_empty_rows():
    x, empty = array(12, "float32", (50, 30)), array(12, "float32", (50, 0))

    def run(x, empty):
        return sk.sum(x, axis=1), empty * 2, sk.max(x * 2, axis=1, keepdims=True) + empty

    assert_same(run, x, empty)
    assert len(passes_of(lambda x, empty: (sk.sum(x, axis=1), empty * 2), x, empty)) == 1


def test_invalid_row_reductions_raise_eager_errors():
    x = array(13, "float32", (100, 200))
    for bad in (
        lambda x: sk.sum(x, axis=2),
        lambda x: sk.sum(x * 2, axis=(1, 1)),
        lambda x: sk.max(x, axis=1) + x,
        lambda x: sk.var(x + 1, axis=1, correction="a"),
    ):
        with pytest.raises(Exception) as eager:
            bad(x)
        with pytest.raises(type(eager.value)) as fused:
            sk.fuse(bad)(x)
        assert str(fused.value) == str(eager.value)


def test_values_read_between_row_reductions():
    x = array(14, "float64", (100, 200))

    def run(x):
        total = sk.sum(x, axis=1)
        apart = x - sk.mean(x, axis=1, keepdims=True)
        if float(total[0]) > 0:
            apart = apart * 2
        spread = sk.std(apart, axis=1)
        return total, apart, spread + np.asarray(total).sum(), sk.sum(spread)

    assert_same(run, x)


def test_in_place_row_updates_equal_eager_bits():
    """All reads of the old values precede the write of the new ones."""
    row = array(16, "float32", (300,))

    def run(x, v):
        x -= sk.mean(x, axis=1, keepdims=True)
        old_x = x * 1
        x /= sk.sqrt(sk.mean(x * x, axis=1, keepdims=True))
        total = sk.sum(x * v, axis=1)
        v += total
        return old_x, x, v, total * v

    def make():
        return array(15, "float32", (300, 300)), row + 0

    eager, fused = make(), make()
    addresses = [np.asarray(argument).ctypes.data for argument in fused]
    want, got = run(*eager), sk.fuse(run)(*fused)
    for one, other in zip(got, want, strict=True):
        assert_same_bits(one, other)
    for one, other in zip(fused, eager, strict=True):
        assert_same_bits(one, other)
    assert [np.asarray(argument).ctypes.data for argument in fused] == addresses


def test_in_place_row_updates_follow_reads_by_reductions_and_wider_passes():
    """The update is a later step than the reads, and is written in place where possible."""

    def by_row(x, y):
        most = sk.max(x, axis=1, keepdims=True)
        x -= y - most
        return most

    def wider(x, y):
        total = sk.sum(x * y, axis=1, keepdims=True)
        x -= total
        return total

    def narrower(x, y):
        apart = y - sk.max(x, axis=1, keepdims=True)
        half_x = x * 0.5
        x -= apart
        return half_x, sk.sum(x + half_x, axis=1)

    for run, width in ((by_row, 30), (wider, 1), (narrower, 30)):
        eager, fused = (array(23, "float32", (400, width)) for _ in range(2))
        address = np.asarray(fused).ctypes.data
        y = array(24, "float32", (400, 30))
        want, got = run(eager, y), sk.fuse(run)(fused, y)
        is_tuple = isinstance(want, tuple)
        for one, other in zip(
            got if is_tuple else [got], want if is_tuple else [want], strict=True
        ):
            assert_same_bits(one, other)
        assert_same_bits(fused, eager)
        assert np.asarray(fused).ctypes.data == address


def test_in_place_row_update_allocates_no_array():
    x = array(17, "float32", (1000, 1000))

    @sk.fuse
    def run(x):
        x -= sk.mean(x, axis=1, keepdims=True)

    want = x - sk.mean(x, axis=1, keepdims=True)
    run(x)
    assert_same_bits(x, want)
    sk.reset_peak("cpu:0")
    old_live_bytes = sk.memory_statistics("cpu:0").live_bytes
    run(x)
    assert sk.memory_statistics("cpu:0").peak_bytes - old_live_bytes < 65536


def test_row_intermediates_are_not_stored():
    x = array(18, "float32", (1000, 1000))
    row = array(19, "float32", (1000,))
    for run, args, results in ((softmax, (x,), x.nbytes), (layer_norm, (x, row, row), x.nbytes), (cosine, (x, x + 1), 4000)):  # fmt: skip
        fused = sk.fuse(run)
        fused(*args)
        sk.reset_peak("cpu:0")
        old_live_bytes = sk.memory_statistics("cpu:0").live_bytes
        fused(*args)
        assert sk.memory_statistics("cpu:0").peak_bytes - old_live_bytes < results + 65536


def test_more_row_temporaries_than_fit():
    x = array(20, "float64", (40, 8000))

    def run(x):
        values = [x * k for k in range(1, 20)]
        most = [sk.max(value, axis=1, keepdims=True) for value in values]
        return [value / top for value, top in zip(values, most, strict=True)]

    assert_same(run, x)
    assert_same(lambda x: sk.stack([run(x)[k] for k in range(0, 19, 3)]), x)


def test_row_expression_survives_failed_allocation():
    x = array(21, "float32", (300, 400))

    @sk.fuse
    def run(x):
        y = softmax(x * 2)
        with (
            instruments.failing_allocation(from_then_on=True),
            pytest.raises(sk.exceptions.OutOfMemoryError),
        ):
            float(y[0, 0])
        return y, sk.sum(y, axis=1)

    y, total = run(x)
    assert_same_bits(y, softmax(x * 2))
    assert_same_bits(total, sk.sum(softmax(x * 2), axis=1))


@instruments.recorded_from(USUAL_LIMIT)
def test_row_reductions_of_small_arrays_are_not_recorded():
    pending = []

    @sk.fuse
    def run(x):
        total = sk.sum(x, axis=1)
        pending.append(instruments.fused_work())
        return total

    small, large = (array(22, "float32", (n, 100)) for n in (10, 1000))
    for x in (small, large):
        assert_same_bits(run(x), sk.sum(x, axis=1))
    assert pending == [1, 2]


def test_row_passes_are_reported():
    x = sk.ones((1000, 1000), dtype="float32")
    assert [operations for operations, _ in passes_of(softmax, x)] == [5]
    assert passes_of(lambda x: sk.sum(x, axis=1), x) == [(1, 0)]  # the ordinary reduction
    assert passes_of(lambda x: sk.sum((x - 1) * 2), x) == [(2, 0)]
