# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""sort and argsort against NumPy: dtypes, layouts, devices, and a stable order with NaN last in both directions."""

import numpy as np
import pytest
import skerry as sk

from tests.python.loops import loop_over
from tests.python.oracle import (
    BASE_SHAPE,
    DTYPES,
    SIZES,
    assert_same,
    kind_of,
    layouts_of,
    sample,
    to_device,
    to_numpy,
)

REAL = [d for d in DTYPES if not d.startswith("complex")]
DESCENDING = loop_over("descending", [False, True])


def is_nan(x):
    """As numpy.isnan, which warns of signaling NaN of bfloat16."""
    with np.errstate(invalid="ignore"):
        return np.isnan(x)


def reference_places(x, axis=-1, descending=False):
    """Returns stable indices by an argsort of ranks: equal items, and -0 and +0, share a rank; NaN has the last."""
    flat = np.unique(x[~is_nan(x)]) if kind_of(x.dtype) == "f" else np.unique(x)
    rank = np.searchsorted(flat, np.where(is_nan(x), 0, x) if kind_of(x.dtype) == "f" else x)
    if descending:
        rank = len(flat) - rank
    if kind_of(x.dtype) == "f":
        rank = np.where(is_nan(x), len(flat) + 1, rank)
    return np.argsort(rank, axis=axis, kind="stable")


def check(array, theirs, axis, descending, device, label):
    indices = reference_places(theirs, axis, descending)
    got = sk.argsort(array, axis=axis, descending=descending)
    assert_same(got, indices, device, dtype="int64", label=f"argsort {label}")
    got = sk.sort(array, axis=axis, descending=descending)
    want = np.take_along_axis(theirs, indices, axis)
    assert_same(got, want, device, label=f"sort {label}")
    if kind_of(theirs.dtype) == "f":
        np.testing.assert_array_equal(np.signbit(to_numpy(got)), np.signbit(want), label)


def bits(dtype, n, seed=0):
    """Returns values of the whole range of a dtype."""
    dtype = np.dtype(dtype)
    rng = np.random.default_rng(seed)
    if kind_of(dtype) == "b":
        return rng.integers(0, 2, n).astype(bool)
    if kind_of(dtype) == "f":
        unsigned = np.dtype(f"u{dtype.itemsize}")
        return rng.integers(0, np.iinfo(unsigned).max, n, unsigned, endpoint=True).view(dtype)
    info = np.iinfo(dtype)
    return rng.integers(info.min, info.max, n, dtype, endpoint=True)


@DESCENDING
@loop_over("dtype", REAL)
def test_sort_of_every_layout(dtype, descending, device):
    for name, array, theirs in layouts_of(sample(dtype, BASE_SHAPE, 5, *range_of(dtype)), device):
        if theirs.ndim == 0:
            continue
        for axis in (0, 1, -1, -2):
            check(array, theirs, axis, descending, device, f"{name} axis={axis}")


def range_of(dtype):
    """Returns bounds for `sample`: few different integers, for ties."""
    return (0, 5) if kind_of(dtype) in "iu" else (None, None)


@DESCENDING
@loop_over("dtype", REAL)
def test_sort_of_every_size(dtype, descending):
    for n in SIZES:
        for kind in ("whole range", "ties", "sorted", "reversed", "all equal"):
            x = (
                bits(dtype, n, n)
                if kind == "whole range"
                else sample(dtype, n, n, *range_of(dtype))
            )
            if kind == "sorted":
                x = np.sort(x)
            elif kind == "reversed":
                x = np.sort(x)[::-1].copy()
            elif kind == "all equal":
                x = np.full(n, x[0] if n else 0, dtype=dtype)
            check(to_device("cpu:0", x), x, -1, descending, "cpu:0", f"{kind} n={n}")


WIDE = ["int64", "uint64", "float64", "int32", "float32"]


@pytest.mark.slow
@DESCENDING
@loop_over("dtype", WIDE)
@loop_over("n", [3000, 20_000, 300_000])
def test_sort_of_unevenly_distributed_keys(dtype, n, descending):
    rng = np.random.default_rng(n)
    kind = kind_of(dtype)
    small = rng.integers(0, 50, n)
    cases = {
        "few values": small,
        "one far away": np.where(np.arange(n) == n // 2, 2**30, small),
        "two levels": rng.integers(0, 2, n) * 2**30 + rng.integers(0, 300, n),
        "steps of 2^20": rng.integers(0, 100, n) * 2**20 + rng.integers(0, 3, n),
        "permutation": rng.permutation(n),
    }
    if np.dtype(dtype).itemsize == 8 and kind != "f":
        cases["high and low"] = rng.integers(0, 20, n) * 2**40 + rng.integers(0, 2**20, n)
        cases["runs"] = (rng.integers(0, 200, n) << 52) + rng.integers(0, 2**31, n)
        cases["only the lowest"] = (1 << 62) + rng.integers(0, 1000, n)
        cases["far only once"] = np.where(np.arange(n) == 7, 2**62, small)
    if kind == "f":
        cases["normal"] = rng.standard_normal(n)
        cases["wide"] = np.exp(rng.uniform(-80, 80, n)) * rng.choice([-1, 1], n)
    for name, x in cases.items():
        values = np.asarray(x).astype(dtype)
        if kind == "i":
            values = values * rng.choice(np.asarray([-1, 1], dtype), n)
        check(to_device("cpu:0", values), values, -1, descending, "cpu:0", name)


@DESCENDING
@loop_over("dtype", ["float32", "float64"])
@loop_over("n", [7, 32, 40, 5000, 20_000, 300_000])
def test_sort_puts_nan_last_and_keeps_the_order_of_zeros(dtype, n, descending, device):
    if n > 20_000 and device != "cpu:0":
        return
    rng = np.random.default_rng(n)
    special = np.asarray([np.nan, -np.nan, 0.0, -0.0, np.inf, -np.inf, 1.0, -1.0, 5e-324], dtype)
    x = rng.choice(special, n)
    check(to_device(device, x), x, -1, descending, device, "special values")
    got = to_numpy(sk.sort(to_device(device, x), descending=descending))
    nans = is_nan(x).sum()
    assert is_nan(got[n - nans :]).all()
    assert not is_nan(got[: n - nans]).any()


@DESCENDING
@loop_over("dtype", ["float32", "float64"])
@loop_over("length", [1, 17, 18, 100, 4353, 9000])
def test_sort_of_rows_with_nan_and_both_zeros(dtype, length, descending, device):
    rng = np.random.default_rng(length)
    special = np.asarray([np.nan, -np.nan, 0.0, -0.0, np.inf, -np.inf, 1.0, -1.0, 5e-324], dtype)
    x = rng.choice(special, (3, length))
    check(to_device(device, x), x, -1, descending, device, "special values")


@DESCENDING
@loop_over("dtype", REAL)
@loop_over("length", range(1, 10))
def test_sort_of_many_short_rows(length, dtype, descending):
    """They are sorted by a network of keys joined with indices, which could reorder ties and special values."""
    x = np.stack([bits(dtype, 200 * length, 1), sample(dtype, 200 * length, 2, *range_of(dtype))])
    if kind_of(x.dtype) == "f":
        special = np.asarray([np.nan, -np.nan, 0.0, -0.0, np.inf, -np.inf, 1.0], dtype)
        x = np.concatenate([x, np.random.default_rng(3).choice(special, (1, 200 * length))])
    x = x.reshape(-1, length)
    check(to_device("cpu:0", x), x, -1, descending, "cpu:0", "rows")
    x = x.T.copy()
    check(to_device("cpu:0", x), x, 0, descending, "cpu:0", "columns")


@DESCENDING
def test_sort_along_any_axis(descending, device):
    x = sample("float32", (7, 65, 4, 3), 1)
    for axis in range(-4, 4):
        check(to_device(device, x), x, axis, descending, device, f"axis={axis}")
    x = sample("int16", (300, 40), 1, 0, 9)
    check(to_device(device, x), x, -1, descending, device, "rows")
    check(to_device(device, x), x, 0, descending, device, "columns")


def test_sort_of_ten_axes(device):
    x = sample("int32", (2, 1, 3, 1, 2, 1, 2, 2, 1, 3), 1)
    for axis in (0, 2, 9):
        check(to_device(device, x), x, axis, False, device, f"axis={axis}")


def test_sort_returns_c_order_and_keeps_x(device):
    x = sample("float64", (40, 50), 3)
    array = to_device(device, x)
    for axis in (0, 1):
        for function in (sk.sort, sk.argsort):
            got = function(array, axis=axis)
            np.testing.assert_array_equal(np.asarray(got.to_device("cpu")).flags.c_contiguous, True)
    np.testing.assert_array_equal(to_numpy(array), x)


def test_sort_without_elements(device):
    for shape in [(0,), (3, 0), (0, 3), (2, 0, 4)]:
        x = sk.zeros(shape, dtype=sk.float32, device=device)
        for axis in range(-len(shape), len(shape)):
            assert_same(sk.sort(x, axis=axis), np.zeros(shape, "float32"), device)
            assert_same(sk.argsort(x, axis=axis), np.zeros(shape, "int64"), device)


def test_unstable_is_allowed_to_be_stable(device):
    x = sample("int8", (500,), 1, 0, 3)
    check_places = reference_places(x, -1, True)
    got = sk.argsort(to_device(device, x), stable=False, descending=True)
    assert_same(got, check_places, device, dtype="int64")


@pytest.mark.parametrize("function", [sk.sort, sk.argsort], ids=["sort", "argsort"])
def test_invalid_sort_arguments_raise(function, device):
    x = sk.ones((2, 3), device=device)
    for axis in (2, -3, 2**70):
        with pytest.raises(sk.exceptions.AxisError):
            function(x, axis=axis)
    with pytest.raises(IndexError):
        function(sk.ones((), device=device))
    with pytest.raises(ValueError):
        function(sk.ones((), device=device), axis=0)
    for dtype in (sk.complex64, sk.complex128):
        with pytest.raises(TypeError, match="complex"):
            function(sk.ones((2,), dtype=dtype, device=device))
    with sk.device(device):  # a list without arrays is converted as by asarray
        assert function([3, 1, 2]).device == sk.Device(device)
    with pytest.raises(TypeError):
        function(["b", "a"])
    with pytest.raises(TypeError):
        function(x, axis=1.5)
    with pytest.raises(TypeError):
        function(x, 0, None, None, True)
    with pytest.raises(ValueError, match="kind must be"):
        function(x, kind="fast")
    with pytest.raises(ValueError, match="order= is for fields"):
        function(x, order="a")


def large_rows(dtype, n):
    """Yields names and rows: some split evenly among threads, others are unevenly distributed."""
    rng = np.random.default_rng(n)
    if kind_of(dtype) == "f":
        yield "normal", rng.standard_normal(n)
        yield "log-normal", np.exp(4 * rng.standard_normal(n))
        yield "two clusters", rng.choice([1.0, 1e6], n) + rng.random(n)
        x = rng.standard_normal(n)
        x[rng.integers(0, n, 1000)] = rng.choice([np.nan, np.inf, -np.inf, 0.0, -0.0], 1000)
        yield "special", x
        yield "huge", rng.choice([-1.7e38, 1.7e38, 3e38], n) * rng.random(n)
    else:
        info = np.iinfo(dtype)
        yield "whole range", rng.integers(info.min, info.max, n, dtype, endpoint=True)
        cluster = rng.integers(0, 1000, n).astype(dtype)
        yield (
            "far outliers",
            np.where(rng.random(n) < 1e-4, np.dtype(dtype).type(info.max), cluster),
        )
    yield "permutation", rng.permutation(n)
    yield "sorted", np.arange(n)
    yield "few", rng.integers(0, 7, n)


@pytest.mark.usefixtures("restore_threads")
@DESCENDING
@pytest.mark.parametrize("threads", [1, 2, 5])
@loop_over("dtype", ["float32", "float64", "int32", "int64", "uint64", "int16"])
def test_sort_of_large_rows_with_any_number_of_threads(dtype, threads, descending):
    sk.set_num_threads(threads)
    for name, x in large_rows(dtype, 700_001):
        values = np.asarray(x).astype(dtype)
        want = np.sort(values)
        if descending:
            numbers = len(want) - is_nan(want).sum()
            want = np.concatenate([want[:numbers][::-1], want[numbers:]])
        got = to_numpy(sk.sort(to_device("cpu:0", values), descending=descending))
        np.testing.assert_array_equal(got, want, name)
        if name == "special":
            assert np.signbit(got[got == 0]).tolist() == np.signbit(values[values == 0]).tolist()


def lengths_around_vectors():
    """All lengths that fit registers, for vectors of any width, and some that are partitioned first."""
    return [*range(1, 290), 383, 511, 512, 513, 1023, 1025, 4095, 4097]


def patterns(dtype, n):
    """Yields names and rows whose order makes a naive quicksort slow or wrong."""
    rng = np.random.default_rng(n)
    half = np.minimum(np.arange(n), np.arange(n)[::-1])
    yield "whole range", bits(dtype, n, n)
    yield "permutation", rng.permutation(n).astype(dtype)
    yield "organ pipe", half.astype(dtype)
    yield "two values", rng.integers(0, 2, n).astype(dtype)
    yield "all equal but one", np.where(np.arange(n) == n // 3, 5, 3).astype(dtype)
    if kind_of(dtype) == "f":
        yield "one NaN", np.where(np.arange(n) == n // 2, np.nan, half).astype(dtype)
        yield "NaN at the ends", np.where(half == 0, np.nan, rng.standard_normal(n)).astype(dtype)
        yield "all NaN", np.full(n, np.nan, dtype)
        yield "zeros", rng.choice(np.asarray([0.0, -0.0], dtype), n)
        yield "one -0", np.where(np.arange(n) == n // 2, -0.0, rng.integers(-1, 2, n)).astype(dtype)
        yield "infinities", rng.choice(np.asarray([np.inf, -np.inf, np.nan], dtype), n)


@DESCENDING
@pytest.mark.parametrize("dtype", WIDE)
def test_sort_of_lengths_around_vectors(dtype, descending):
    for n in lengths_around_vectors():
        rows = list(patterns(dtype, n))
        x = np.stack([row for _, row in rows])
        check(to_device("cpu:0", x), x, -1, descending, "cpu:0", f"rows of {n}")
        name, row = rows[n % len(rows)]
        check(to_device("cpu:0", row), row, -1, descending, "cpu:0", f"{name} n={n}")


@pytest.mark.usefixtures("restore_threads")
@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("dtype", WIDE)
def test_sort_of_large_patterns(dtype, threads):
    sk.set_num_threads(threads)
    for n in (65_536, 300_001):
        for name, x in patterns(dtype, n):
            got = to_numpy(sk.sort(to_device("cpu:0", x)))
            np.testing.assert_array_equal(got, np.sort(x), name)
            if kind_of(dtype) == "f":
                zeros = np.signbit(x[x == 0])
                np.testing.assert_array_equal(np.signbit(got[got == 0]), zeros, name)


def slow_for_quicksort(n, lanes):
    """Returns float64 numbers whose smallest ones are quicksort's samples at each step, for vectors of `lanes` items."""
    ranks = np.full(n, n)
    rest = np.arange(n)
    least = 0
    for _ in range(2 * n.bit_length() + 1):
        state, sample = len(rest), []
        for _ in range(lanes):
            state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
            sample.append(rest[state * len(rest) >> 64])
        for item in sample:
            if ranks[item] == n:
                ranks[item] = least
                least += 1
        above = ranks[rest] >= sorted(ranks[sample])[lanes // 2]
        blocks = [rest[i : i + lanes][above[i : i + lanes]] for i in range(0, len(rest), lanes)]
        rest = np.concatenate(blocks)
    assert len(rest) > 1000
    unset = ranks == n
    ranks[unset] = least + np.random.default_rng(n).permutation(unset.sum())
    return ranks.astype(np.float64)


@pytest.mark.parametrize("lanes", [4, 8])
def test_sort_of_worst_cases_of_quicksort(lanes):
    for n in (3000, 4001):
        x = slow_for_quicksort(n, lanes)
        got = to_numpy(sk.sort(to_device("cpu:0", x)))
        np.testing.assert_array_equal(got, np.sort(x))
        got = to_numpy(sk.sort(to_device("cpu:0", -x), descending=True))
        np.testing.assert_array_equal(got, -np.sort(x))


def test_sort_at_odd_addresses():
    raw = np.zeros(8 * 1000 + 1, np.uint8)
    x = raw[1:].view(np.float64)
    x[:] = np.random.default_rng(0).standard_normal(1000)
    got = to_numpy(sk.sort(sk.asarray(x)))
    np.testing.assert_array_equal(got, np.sort(x))


@DESCENDING
@pytest.mark.parametrize("dtype", ["int64", "uint64", "float64"])
def test_sort_of_keys_that_differ_in_the_bits_of_indices(dtype, descending):
    """8-byte keys whose differences are in the bits that an index takes up."""
    rng = np.random.default_rng(1)
    for n in (2, 5, 8, 17, 33, 100, 128):
        low = rng.integers(0, 200, n).astype(np.uint64)
        high = rng.integers(0, 2, n).astype(np.uint64) << np.uint64(62)
        x = (low | high).view(dtype) if dtype != "float64" else (low + high).view(np.float64)
        check(to_device("cpu:0", x), x, -1, descending, "cpu:0", f"n={n}")
