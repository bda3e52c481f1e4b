# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Reductions over any axes against NumPy, in every layout, dtype and device."""

import itertools
import warnings

import numpy as np
import pytest
import skerry as sk
from skerry.testing import instruments

from tests.python.loops import loop_over
from tests.python.oracle import (
    BASE_SHAPE,
    DTYPES,
    HALVES,
    SIZES,
    assert_same,
    assert_within_a_unit,
    comparable,
    kind_of,
    layouts_of,
    sample,
    to_device,
    to_numpy,
)

TABLE = {entry["name"]: entry for entry in instruments.reduction_table()}
REAL = [name for name in DTYPES if kind_of(name) in "iuf"]
CASES = [(name, dtype) for name, entry in TABLE.items() for dtype in entry["loops"]]


def reference(name, x, axis, keepdims):
    wide = {"f": np.float64, "c": np.complex128}.get(kind_of(x.dtype))
    function = getattr(np, name)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # "Mean of empty slice"
        if name in ("sum", "prod"):
            dtype = {"b": np.int64, "i": np.int64, "u": np.uint64}.get(
                kind_of(x.dtype), wide or x.dtype
            )
            result = function(x, axis=axis, keepdims=keepdims, dtype=dtype)
        elif name in ("mean", "std", "var"):
            result = function(x, axis=axis, keepdims=keepdims, dtype=wide)
        else:
            result = function(x, axis=axis, keepdims=keepdims)
        return np.asarray(result).astype(TABLE[name]["loops"][x.dtype.name])


def check(name, array, theirs, axis, keepdims, device, label):
    got = getattr(sk, name)(array, axis=axis, keepdims=keepdims)
    want = reference(name, theirs, axis, keepdims)
    assert got.device == sk.Device(device)
    assert got.dtype == want.dtype
    assert got.shape == want.shape, label
    if kind_of(want.dtype) in "biu" or name in ("max", "min"):  # includes argmax and count_nonzero
        np.testing.assert_array_equal(comparable(to_numpy(got)), comparable(want), err_msg=label)
        return
    # Sums cancel, as may distances from a mean: the bound is relative to the sum of magnitudes, as for pairwise summation.
    half = want.dtype.name in HALVES
    scale = np.abs(want)
    if name in ("mean", "sum"):
        sizes = np.abs(theirs)
        scale = reference(name, sizes.astype("float32") if half else sizes, axis, keepdims)
    elif name in ("std", "var"):  # the result may be 0, as for equal elements
        scale = np.max(np.abs(theirs)) ** (2 if name == "var" else 1) if theirs.size else scale
    if half:  # accumulated in float32, and rounded once
        slack = 30 * np.finfo("float32").eps * np.nan_to_num(scale.astype("float64"))
        assert_within_a_unit(to_numpy(got), want, slack=slack, label=label)
        return
    tolerance = 30 * np.finfo(want.dtype).eps
    assert np.array_equal(np.isnan(to_numpy(got)), np.isnan(want)), label
    error = np.nan_to_num(np.abs(to_numpy(got) - want))
    least = max(1e-30 * tolerance, np.finfo(want.dtype).smallest_subnormal)
    assert np.all(error <= np.maximum(tolerance * np.nan_to_num(np.abs(scale)), least)), (
        f"{label}: {error.max()}"
    )


def axes_of(name, ndim):
    if TABLE[name]["has_one_axis"]:
        return [None, *range(-ndim, ndim)]
    return [None, ()] + ([0, 1, -1, (0, 1), (1, 0)] if ndim == 2 else [])


def values(name, dtype, shape):
    if name == "prod":
        x = sample(
            dtype,
            shape,
            3,
            0 if kind_of(dtype) in "iu" else 0.5,
            2 if kind_of(dtype) in "iu" else 1.5,
        )
        return x
    x = sample(dtype, shape, 3)
    if name == "all" and kind_of(dtype) == "b":
        x[x.shape[0] // 2 :] = True
    return x


@loop_over(("name", "dtype"), CASES, items="name")
def test_reductions_in_every_layout(name, dtype, device):
    for layout, array, theirs in layouts_of(values(name, dtype, BASE_SHAPE), device):
        axes = axes_of(name, theirs.ndim)
        for axis, keepdims in itertools.product(axes, (False, True)):
            check(
                name, array, theirs, axis, keepdims, device, f"{name} {dtype} {layout} axis={axis}"
            )


@loop_over(("name", "dtype"), CASES, items="name")
def test_reductions_of_every_size(name, dtype):
    for size in SIZES:
        if size == 0 and TABLE[name]["needs_elements"]:
            continue
        if name == "prod" and size > 200:
            continue
        x = values(name, dtype, (size,))
        for device in ("cpu:0", "cuda:1"):
            check(name, to_device(device, x), x, None, False, device, f"{name} {dtype} size {size}")


@pytest.mark.parametrize("name", TABLE)
@loop_over(
    "shape",
    [(4097, 4), (4, 4097), (3, 4097, 5), (2, 3, 5, 7), (1, 129, 1, 33), (65, 64, 63), (0, 5)],
)
def test_reductions_along_any_axes_of_any_shape(name, shape):
    dtype = "float32" if name != "prod" else "int64"
    x = values(name, dtype, shape)
    for device in ("cpu:0", "cuda:0"):
        array = to_device(device, x)
        one_axis = TABLE[name]["has_one_axis"]
        for count in range(1, 2 if one_axis else x.ndim + 1):
            for axes in itertools.combinations(range(x.ndim), count):
                if TABLE[name]["needs_elements"] and any(shape[a] == 0 for a in axes):
                    continue
                axes = axes[0] if one_axis else axes
                check(name, array, x, axes, False, device, f"{name} {shape} axis={axes}")
                permuted = sk.permute_dims(array, tuple(reversed(range(x.ndim))))
                reverse = x.ndim - 1 - axes if one_axis else tuple(x.ndim - 1 - a for a in axes)
                check(
                    name, permuted, x.T, reverse, True, device, f"{name} {shape}.T axis={reverse}"
                )


@pytest.mark.parametrize("device", ["cpu:0", "cuda:0"])
def test_reductions_cast_to_dtype_first(device):
    x = to_device(device, np.full((1000,), 100, dtype=np.int8))
    assert_same(
        sk.sum(x, dtype=sk.int8), np.asarray(np.full(1000, 100, np.int8).sum(dtype=np.int8)), device
    )
    assert_same(sk.sum(x, dtype=sk.float32), np.asarray(100_000, dtype=np.float32), device)
    y = to_device(device, np.full((1000,), 0.1))
    assert sk.sum(y, dtype=sk.float32).dtype == np.float32
    assert_same(
        sk.prod(to_device(device, np.full((3,), 200, np.uint8)), dtype=sk.uint8),
        np.asarray(200**3 % 256, np.uint8),
        device,
    )


@pytest.mark.parametrize("device", ["cpu:0", "cuda:0"])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_nan_propagates_from_every_position(dtype, device):
    for size in (1, 7, 33, 129, 5000):
        for position in {0, size // 2, size - 1}:
            x = np.arange(size, dtype=dtype)
            x[position] = np.nan
            array = to_device(device, x)
            for name in ("max", "min", "sum", "mean", "prod"):
                assert np.isnan(to_numpy(getattr(sk, name)(array))), (
                    f"{name} of {size} with NaN at {position}"
                )
            assert bool(sk.any(array))


@pytest.mark.parametrize("device", ["cpu:0", "cuda:0"])
def test_reductions_of_empty_arrays(device):
    x = sk.empty((0, 3), device=device)
    assert_same(sk.sum(x), np.asarray(0.0), device)
    assert_same(sk.prod(x), np.asarray(1.0), device)
    assert_same(sk.sum(x, axis=0), np.zeros(3), device)
    assert np.isnan(to_numpy(sk.mean(x)))
    assert_same(sk.all(x), np.asarray(True), device)
    assert_same(sk.any(x), np.asarray(False), device)
    assert sk.max(x, axis=1).shape == (0,)


def test_pairwise_sum_of_float32_keeps_its_accuracy():
    x = np.random.default_rng(0).random(4_000_000, dtype=np.float32)
    exact = x.astype(np.float64).sum()
    got = float(sk.sum(sk.asarray(x, device="cpu:0")))
    assert abs(got - exact) / exact < 2e-7 * 4


@pytest.mark.usefixtures("restore_threads")
def test_reductions_do_not_depend_on_the_number_of_threads():
    x = sk.asarray(np.random.default_rng(0).random((3000, 1000), dtype=np.float32), device="cpu:0")
    results = []
    for threads in (1, 2, 3):
        sk.set_num_threads(threads)
        results.append(
            [
                to_numpy(function(x, axis=axis))
                for function in (sk.sum, sk.var, sk.argmax)
                for axis in (None, 0, 1)
            ]
        )
    for others in results[1:]:
        for one, other in zip(results[0], others, strict=True):
            assert np.array_equal(one, other)


def test_reduction_table_has_all_dtypes():
    assert set(TABLE["all"]["loops"]) == set(DTYPES)
    assert set(TABLE["sum"]["loops"]) == set(DTYPES)
    assert set(TABLE["mean"]["loops"]) == {
        *HALVES,
        "float32",
        "float64",
        "complex64",
        "complex128",
    }


@loop_over("dtype", DTYPES)
@pytest.mark.parametrize("name", ["all", "any", "count_nonzero"])
def test_all_and_any_of_short_rows_of_any_number(name, dtype):
    # All remainders of a vector. Values differ in their lowest bits, so that a mask is not mistaken for a count.
    rng = np.random.default_rng(11)
    for rows, length in itertools.product((*range(1, 70), 1000), (2, 3, 4, 5)):
        x = rng.integers(0, 3, (rows, length)).astype(dtype)
        for axis in (0, 1):
            got = getattr(sk, name)(sk.asarray(x), axis=axis)
            np.testing.assert_array_equal(to_numpy(got), getattr(np, name)(x, axis=axis))


@loop_over("dtype", REAL)
@pytest.mark.parametrize("name", ["argmax", "argmin", "max", "min"])
def test_extrema_of_short_and_few_rows_of_any_number(name, dtype):
    # All remainders of a vector, many ties, and rows with one or several NaNs.
    rng = np.random.default_rng(12)
    for rows, length in itertools.product((*range(1, 70), 1000), (2, 3, 4, 5, 16, 17)):
        x = rng.integers(0, 3, (rows, length)).astype(dtype)
        if kind_of(x.dtype) == "f":
            x[rng.random(x.shape) < 0.1] = np.nan
        for array, axis in ((x, 1), (np.ascontiguousarray(x.T), 0)):
            got = getattr(sk, name)(sk.asarray(array), axis=axis)
            want = getattr(np, name)(comparable(array), axis=axis)
            np.testing.assert_array_equal(comparable(to_numpy(got)), want)


@loop_over(
    ("name", "dtype"),
    [
        *itertools.product(
            ["argmax", "max", "min", "sum", "any"], ["int8", "int32", "float32", "float64"]
        ),
        *itertools.product(["mean", "var"], ["float32", "float64"]),
    ],
    items="name",
)
def test_reductions_of_middle_axes_of_any_length(name, dtype):
    # Adjacent blocks of up to 1 KiB each are reduced together, larger ones are not (ops/reduce/cpu/cut.hpp).
    rng = np.random.default_rng(14)
    shapes = itertools.product((15, 16, 100), (2, 3, 16, 60, 127, 128, 200), (1, 2, 3, 4, 8, 9))
    for shape in (*shapes, (3000, 5, 4), (7, 90, 6, 2)):
        x = rng.integers(-2, 3, shape).astype(dtype)
        if kind_of(x.dtype) == "f" and name != "any":
            x[rng.random(shape) < 0.01] = np.nan
        for array, axis in ((x, 1), (x[::-1], 1), (x[:, ::2], 1), (x, 0)):
            got = to_numpy(getattr(sk, name)(sk.asarray(array), axis=axis))
            want = getattr(np, name)(
                array.astype("float64") if name in ("mean", "var") else array, axis=axis
            )
            np.testing.assert_allclose(got, want, rtol=2e-5, atol=1e-5)


@pytest.mark.usefixtures("restore_threads")
@pytest.mark.parametrize("threads", [1, 2])
def test_reductions_with_out_of_cache_results(threads):
    # An odd number, so that blocks end within a cache line.
    count = (1 << 22) + 5
    x = np.random.default_rng(13).integers(0, 100, (count, 4)).astype(np.int8)
    sk.set_num_threads(threads)
    for array, axis in ((x, 1), (np.ascontiguousarray(x.T), 0), (x[:, :3], 1), (x[::-1], 1)):
        for name in ("argmax", "sum"):
            got = getattr(sk, name)(sk.asarray(array), axis=axis)
            want = getattr(np, name)(array, axis=axis)
            assert np.array_equal(to_numpy(got), want), (name, array.strides, axis)


@pytest.mark.usefixtures("restore_threads")
@pytest.mark.parametrize("length", [2, 3, 4, 16])
def test_large_reductions_of_short_rows(length):
    sk.set_num_threads(1)
    count = (1 << 20) + 261
    x = np.random.default_rng(15).integers(0, 9, (count, length)).astype("float64")
    x[::1000, -1] = np.nan
    for name in ("argmax", "max", "sum", "mean", "var"):
        want = getattr(np, name)(x, axis=1)
        for array, axis in ((x, 1), (np.ascontiguousarray(x.T), 0)):
            got = to_numpy(getattr(sk, name)(sk.asarray(array), axis=axis))
            np.testing.assert_allclose(got, want, rtol=1e-15, atol=1e-15)


@pytest.mark.parametrize("rows", [1, 3, 4, 5, 7, 8, 9, 11, 12, 130, 4099])
def test_column_reductions_out_of_cache(rows):
    # Rows are prefetched four rows ahead.
    columns = (1 << 20) // rows + 37
    x = np.random.default_rng(16).integers(-9, 9, (rows, columns)).astype("float32")
    for name in ("argmax", "argmin", "max", "min", "sum", "prod", "any"):
        data = np.sign(x) if name == "prod" else x
        got = to_numpy(getattr(sk, name)(sk.asarray(data), axis=0))
        np.testing.assert_array_equal(got, getattr(np, name)(data, axis=0))


@loop_over("dtype", REAL)
@pytest.mark.parametrize("name", ["argmax", "argmin", "max", "min"])
def test_extrema_of_rows_of_any_length(name, dtype):
    rng = np.random.default_rng(17)
    function, oracle = getattr(sk, name), getattr(np, name)
    for length in (*range(60, 140), 255, 257, 1000, 4097, 16384, 16385, 17000, 70000):
        x = rng.integers(0, 5, (7, length)).astype(dtype)
        cases = [x]
        if kind_of(x.dtype) == "f":
            cases += [np.where(rng.random(x.shape) < 0.01, np.nan, x).astype(dtype)]
            cases += [np.where(rng.random(x.shape) < 0.5, -0.0, 0.0).astype(dtype)]
        else:
            one = x.copy()
            one[range(7), rng.integers(0, length, 7)] = np.iinfo(dtype).max
            cases += [one]
        for case in cases:
            got = comparable(to_numpy(function(sk.asarray(case), axis=1)))
            np.testing.assert_array_equal(got, oracle(comparable(case), axis=1))


@pytest.mark.parametrize("dtype", ["bool", "float32", "complex128"])
def test_any_and_all_find_an_element_anywhere(dtype):
    """The array has several chunks; chunks after the one with the element are not read."""
    n = 1_000_000
    for index in (0, 5, 65_535, 65_536, 500_000, n - 1):
        x = np.zeros(n, dtype)
        assert not bool(sk.any(to_device("cpu:0", x)))
        x[index] = 1
        assert bool(sk.any(to_device("cpu:0", x)))
        x = np.ones(n, dtype)
        assert bool(sk.all(to_device("cpu:0", x)))
        x[index] = 0
        assert not bool(sk.all(to_device("cpu:0", x)))


@loop_over("dtype", ["int8", "int64", "float32", "float64", "complex128"])
@loop_over("n", [1, 2, 1365, 1366, 5461, 5462, 20_000])
def test_full_reductions_of_short_rows_with_gaps(n, dtype):
    # Rows are gathered into blocks of 16 KiB, where the last one may be split.
    memory = (np.arange(n * 5) * 7919 % 251 - 125).astype(dtype).reshape(n, 5)
    host, x = memory[:, 1:4], sk.asarray(memory)[:, 1:4]
    for view, want in ((x, host), (x.T, host.T), (x[::2], host[::2])):
        assert sk.sum(view) == want.sum()
        assert sk.count_nonzero(view) == np.count_nonzero(want)
        if kind_of(dtype) != "c":
            assert sk.max(view) == want.max()
            assert sk.argmin(view) == want.argmin()


@loop_over("dtype", ["int8", "int64", "uint64", "float32", "float64", "complex128"])
@loop_over("n", [1, 100, 1023, 1025, 2047, 2048, 2049, 6150, 200_003])
def test_strided_reductions_have_equal_bits_for_every_step(n, dtype):
    """The order of summation does not depend on the step."""
    x = sample(dtype, n)
    names = ["sum", "prod", "count_nonzero", "any"]
    names += ["max", "argmin"] if kind_of(dtype) != "c" else []
    names += ["mean"] if kind_of(dtype) in "fc" else []
    names += ["var"] if kind_of(dtype) == "f" else []
    wide = {step: to_device("cpu:0", np.repeat(x, step))[::step] for step in (2, 3, 5)}
    for name in names:
        results = [getattr(sk, name)(view) for view in wide.values()]
        assert len({to_numpy(got).tobytes() for got in results}) == 1, name
        if name != "prod":  # prod overflows
            check(name, wide[2], x, None, False, "cpu:0", f"{name} {dtype} {n}")


@pytest.mark.parametrize("dtype", ["int16", "float16", "float32", "float64", "complex64"])
def test_reductions_of_empty_axes_with_gaps(dtype, device):
    host = np.zeros((8, 3, 5, 3), dtype)
    theirs, array = host[::2, :0], to_device(device, host)[::2, :0]
    for axis in (1, (1, 3), (1, 2), (0, 1)):
        for name in ("sum", "prod", "count_nonzero", "all", "any"):
            check(name, array, theirs, axis, False, device, f"{name} of {dtype} over {axis}")


@pytest.mark.parametrize("dtype", ["int8", "float32", "float64"])
@pytest.mark.parametrize("shape", [(40, 20, 5, 4), (20, 40, 5, 4), (30, 7, 17, 3, 2)])
def test_reductions_of_adjacent_columns_in_many_blocks(dtype, shape):
    # The axis before the last is reduced; blocks are along the longest other axis, which is not contiguous.
    rows = (shape[0], *(n + 1 for n in shape[1:-2]), *shape[-2:])
    host = sample(dtype, rows)
    part = tuple(slice(n) for n in shape)
    theirs, array = host[part], to_device("cpu:0", host)[part]
    for name in ("sum", "max", "argmin", "any"):
        check(name, array, theirs, len(shape) - 2, False, "cpu:0", f"{name} of {dtype} {shape}")


@pytest.mark.usefixtures("restore_threads")
@pytest.mark.parametrize("threads", [1, 2])
@loop_over("dtype", ["int32", "float32", "float64"])
@loop_over(
    ("shape", "rows", "axis"),
    [
        ((12, 400_000), 12, 0),
        ((5, 900_000), 5, 0),
        ((5500, 3, 256), 3, 1),
        ((170, 103, 256), 100, (0, 1)),
    ],
)
def test_column_reductions_of_strided_out_of_cache_arrays(shape, rows, axis, dtype, threads):
    """In arrays of 16 MiB and more, rows are prefetched or combined one at a time. Sums of integers are exact."""
    sk.set_num_threads(threads)
    host = np.random.default_rng(7).integers(-9, 10, shape).astype(dtype)
    part = np.s_[:rows] if len(shape) == 2 else np.s_[:, :rows]
    theirs, array = host[part], sk.asarray(host, device="cpu:0")[part]
    got = sk.sum(array, axis=axis)
    assert_same(got, theirs.sum(axis=axis, dtype=got.dtype), "cpu:0")
    assert_same(sk.max(array, axis=axis), theirs.max(axis=axis), "cpu:0")


@pytest.mark.usefixtures("restore_threads")
@pytest.mark.parametrize("threads", [1, 2])
def test_large_results_in_another_order_than_computed(threads):
    # Four results are adjacent, while distant ones are computed together.
    sk.set_num_threads(threads)
    host = np.random.default_rng(8).integers(-9, 10, (3, 2_200_000, 5)).astype(np.float32)
    theirs, array = host[..., :4], sk.asarray(host, device="cpu:0")[..., :4]
    assert_same(sk.sum(array, axis=0), theirs.sum(axis=0), "cpu:0")
    assert_same(sk.argmax(array, axis=0), theirs.argmax(axis=0), "cpu:0")
