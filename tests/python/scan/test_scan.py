# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Running sums and products along every axis against NumPy, in every layout, dtype and device."""

import itertools

import numpy as np
import pytest
import skerry as sk

from tests.python.loops import loop_over
from tests.python.oracle import (
    BASE_SHAPE,
    DTYPES,
    HALVES,
    SIZES,
    assert_same,
    assert_within_a_unit,
    kind_of,
    layouts_of,
    sample,
    to_device,
    to_numpy,
)

NAMES = ("cumulative_prod", "cumulative_sum")
WHERE = ("cpu:0", "cuda:0")
# Maximum error of a sum, relative to the sum of magnitudes. Results of halves are float32 results, rounded.
ULPS = {"float32": 64, "float64": 64, "complex64": 64, "complex128": 64}


def result_dtype(dtype):
    """Returns the standard's result dtype: floating dtypes are kept, integers become the default integer of their sign."""
    kind = kind_of(dtype)
    return np.dtype({"b": "int64", "i": "int64", "u": "uint64"}.get(kind, np.dtype(dtype).name))


def values(name, dtype, shape):
    kind = kind_of(dtype)
    if name == "cumulative_prod":
        return sample(dtype, shape, 3, *((0, 3) if kind in "iu" else (0.7, 1.3)))
    return sample(dtype, shape, 3)


def reference(name, x, axis, dtype, include_initial):
    wide = {"f": np.float64, "c": np.complex128}.get(kind_of(dtype), dtype)
    function = {"cumulative_sum": np.cumsum, "cumulative_prod": np.cumprod}[name]
    with np.errstate(all="ignore"):
        result = function(x.astype(dtype), axis=axis, dtype=wide)
        if include_initial:
            shape = list(x.shape)
            shape[axis] = 1
            first = np.full(shape, 0 if name == "cumulative_sum" else 1, wide)
            result = np.concatenate([first, result], axis=axis)
        return result.astype(dtype)


def check(name, array, theirs, axis, device, label, **options):
    got = getattr(sk, name)(array, axis=axis, **options)
    dtype = options.get("dtype") or result_dtype(theirs.dtype)
    include_initial = options.get("include_initial", False)
    scan_axis = 0 if axis is None else axis
    want = reference(name, theirs, scan_axis, dtype, include_initial)
    assert got.device == sk.Device(device), label
    assert got.dtype == dtype, label
    assert got.shape == want.shape, label
    value = to_numpy(got)
    if kind_of(want.dtype) in "biu":
        np.testing.assert_array_equal(value, want, err_msg=label)
        return
    accumulated = np.dtype("float32" if np.dtype(dtype).name in HALVES else dtype)
    scale = np.abs(want)
    if name == "cumulative_sum":
        scale = reference(name, np.abs(theirs), scan_axis, accumulated, include_initial).real
    else:
        scale = scale * max(1, theirs.shape[scan_axis] / 16)
    bound = ULPS[accumulated.name] * np.finfo(accumulated).eps * np.maximum(scale, 1e-30)
    if np.dtype(dtype).name in HALVES:
        assert_within_a_unit(value, want, slack=bound, label=label)
        return
    assert np.all(np.abs(value - want) <= bound), f"{label}: {np.max(np.abs(value - want) / bound)}"


@pytest.mark.parametrize("name", NAMES)
@loop_over("dtype", DTYPES)
def test_scans_in_every_layout(name, dtype, device):
    for layout, array, theirs in layouts_of(values(name, dtype, BASE_SHAPE), device):
        for axis, initial in itertools.product(range(-theirs.ndim, theirs.ndim), (False, True)):
            label = f"{name} {dtype} {layout} axis={axis} initial={initial}"
            check(name, array, theirs, axis, device, label, include_initial=initial)


@pytest.mark.parametrize("name", NAMES)
@loop_over("dtype", DTYPES)
def test_scans_of_every_size(name, dtype):
    for size, device in itertools.product(SIZES, ("cpu:0", "cuda:1")):
        if name == "cumulative_prod" and size > 5000:
            continue
        x = values(name, dtype, (size,))
        if name == "cumulative_prod" and kind_of(x.dtype) in "fc":
            x /= np.abs(x)  # otherwise thousands of factors overflow
        check(name, to_device(device, x), x, None, device, f"{name} {dtype} size {size}")
        check(
            name, to_device(device, x), x, 0, device, f"{name} {dtype} {size}", include_initial=True
        )


@pytest.mark.parametrize("device", WHERE)
@pytest.mark.parametrize(
    "shape",
    [(4097, 4), (4, 4097), (3, 4097, 5), (70, 300, 3), (2, 3, 5, 7), (1, 129, 1, 33), (300_000, 2)],
)
def test_scans_along_every_axis_of_any_shape(shape, device):
    x = values("cumulative_sum", "float32", shape)
    array = to_device(device, x)
    reverse = tuple(reversed(range(x.ndim)))
    for axis, initial in itertools.product(range(x.ndim), (False, True)):
        label = f"{shape} axis={axis} initial={initial}"
        check("cumulative_sum", array, x, axis, device, label, include_initial=initial)
        across = x.ndim - 1 - axis
        check(
            "cumulative_sum",
            sk.permute_dims(array, reverse),
            x.T,
            across,
            device,
            label + " transposed",
            include_initial=initial,
        )


# Items of a tile on CUDA devices: 256 threads with 15, 9 or 5 items each, by the size of the accumulator.
TILES = {"float32": 3840, "uint8": 2304, "complex128": 1280}


def check_exact(x, axis, device, label):
    """Sums of small integers are exact in every dtype."""
    for initial in (False, True):
        options = {"axis": axis, "include_initial": initial}
        got = to_numpy(sk.cumulative_sum(to_device(device, x), **options))
        want = reference("cumulative_sum", x, axis, result_dtype(x.dtype), initial)
        np.testing.assert_array_equal(got, want, f"{label} {options}")


@pytest.mark.parametrize("device", WHERE)
@pytest.mark.parametrize("dtype", TILES)
def test_scans_at_the_edges_of_tiles(dtype, device):
    """Totals of 32 tiles, and of 32 times 32, are combined once for all tiles after them."""
    for tiles in (1, 2, 31, 32, 33, 64):
        for more in (-1, 0, 1):
            x = np.random.default_rng(tiles).integers(0, 3, tiles * TILES[dtype] + more)
            check_exact(x.astype(dtype), 0, device, f"{tiles} tiles, {more} more")


@pytest.mark.parametrize("device", WHERE)
def test_scan_of_more_than_1024_tiles(device):
    x = np.ones(1025 * TILES["complex128"] + 1, dtype=np.complex128)
    got = to_numpy(sk.cumulative_sum(to_device(device, x)))
    np.testing.assert_array_equal(got, np.arange(1, x.size + 1))


@pytest.mark.parametrize("device", WHERE)
@pytest.mark.parametrize("dtype", TILES)
def test_scans_of_short_rows_of_every_length(dtype, device):
    """Several rows per tile, and a last tile with fewer."""
    for length in (*range(1, 40), *range(40, 600, 37), 599, 600):
        x = np.random.default_rng(length).integers(0, 3, (301, length)).astype(dtype)
        check_exact(x, 1, device, f"rows of {length}")


@pytest.mark.parametrize("device", WHERE)
@loop_over("dtype", TILES)
@loop_over("width", [2, 3, 31, 32, 33, 1000])
def test_column_scans_of_every_width(dtype, width, device):
    for length in (1, 2, 14, 15, 16, 119, 120, 121, 2000):
        x = np.random.default_rng(length).integers(0, 3, (length, width)).astype(dtype)
        check_exact(x, 0, device, f"{width} columns of {length}")


@pytest.mark.parametrize("device", WHERE)
def test_column_scans_of_many_tiles(device):
    x = np.random.default_rng(0).integers(0, 3, (5000, 70)).astype(np.float32)
    check_exact(x, 0, device, "42 tiles of 70 columns")
    check_exact(np.stack((x, x[::-1])), 1, device, "of two matrices")
    check_exact(np.asfortranarray(x), 1, device, "of a transposed one")


@pytest.mark.parametrize("device", WHERE)
@pytest.mark.parametrize("name", NAMES)
def test_scans_without_elements(name, device):
    identity = 0 if name == "cumulative_sum" else 1
    for shape, axis in (((0,), 0), ((3, 0), 1), ((0, 3), 0), ((3, 0), 0), ((2, 0, 2), 1)):
        x = np.empty(shape, dtype=np.float32)
        got = getattr(sk, name)(to_device(device, x), axis=axis)
        assert got.shape == shape
        got = getattr(sk, name)(to_device(device, x), axis=axis, include_initial=True)
        longer = tuple(n + (a == axis) for a, n in enumerate(shape))
        assert got.shape == longer
        assert np.array_equal(to_numpy(got), np.full(longer, identity, np.float32))


@pytest.mark.parametrize("device", WHERE)
@pytest.mark.parametrize("name", NAMES)
def test_scans_cast_to_dtype_first(name, device):
    x = np.array([[100, 100, 3], [7, 1, 2]], dtype=np.int64)
    for dtype in DTYPES[1:]:
        check(
            name,
            to_device(device, x),
            x,
            1,
            device,
            f"{name} int64 as {dtype}",
            dtype=np.dtype(dtype),
        )
    y = np.array([0.5, 1.5, 2.5])
    for dtype in ("float32", "int8", "complex64"):
        check(
            name,
            to_device(device, y),
            y,
            0,
            device,
            f"{name} float64 as {dtype}",
            dtype=np.dtype(dtype),
        )


@pytest.mark.parametrize("device", WHERE)
def test_initial_is_exact_and_zeros_keep_their_sign(device):
    x = to_device(device, np.array([-0.0, -0.0, 0.0, -0.0], dtype=np.float32))
    assert np.array_equal(np.signbit(to_numpy(sk.cumulative_sum(x))), [True, True, False, False])
    first = to_numpy(sk.cumulative_sum(x, include_initial=True))[0]
    assert first == 0
    assert not np.signbit(first)
    assert to_numpy(sk.cumulative_prod(x, include_initial=True))[0] == 1


@pytest.mark.parametrize("device", WHERE)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_scans_propagate_nan_and_infinities(dtype, device):
    for size, fraction in itertools.product((9, 100, 5000, 9001), (0, 0.4, 0.8)):
        start = int(fraction * size)
        for special in (np.nan, np.inf, -np.inf):
            x = np.ones(size, dtype=dtype)
            x[start] = special
            want = np.arange(1, size + 1, dtype=dtype)
            want[start:] = special
            got = to_numpy(sk.cumulative_sum(to_device(device, x)))
            np.testing.assert_array_equal(got, want)
            x[-1] = -special  # the sum of opposite infinities
            want[-1] = np.nan
            got = to_numpy(sk.cumulative_sum(to_device(device, x)))
            np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("device", WHERE)
def test_complex_products_do_not_start_from_one(device):
    x = to_device(device, np.array([complex(np.inf, 1), 2]))
    assert to_numpy(sk.cumulative_prod(x))[0] == complex(np.inf, 1)


def test_scan_error_does_not_grow_with_the_length():
    x = np.random.default_rng(0).random(4_000_000, dtype=np.float32)
    exact = np.cumsum(x, dtype=np.float64)
    got = to_numpy(sk.cumulative_sum(sk.asarray(x, device="cpu:0")))
    assert np.max(np.abs(got - exact) / exact) < 1e-6
    column = to_numpy(sk.cumulative_sum(sk.asarray(x.reshape(-1, 2), device="cpu:0"), axis=0))
    exact = np.cumsum(x.reshape(-1, 2), axis=0, dtype=np.float64)
    assert np.max(np.abs(column - exact) / exact) < 1e-6


@pytest.mark.usefixtures("restore_threads")
@loop_over("dtype", ["float16", "float32", "float64", "complex64", "int32"])
@loop_over("shape", [(3_000_000,), (3, 1_000_000), (9, 300_000), (400_000, 3), (500, 2000)])
def test_scans_do_not_depend_on_the_number_of_threads(dtype, shape):
    x = sk.asarray(sample(dtype, shape, 5), device="cpu:0")
    results = []
    for threads in (1, 2, 3):
        sk.set_num_threads(threads)
        results.append([to_numpy(sk.cumulative_sum(x, axis=axis)) for axis in range(len(shape))])
    for others in results[1:]:
        for one, other in zip(results[0], others, strict=True):
            assert np.array_equal(one, other)


def test_scans_of_more_axes_than_a_kernel_takes():
    x = np.arange(1 << 12, dtype=np.int64).reshape((2,) * 12)
    order = tuple(range(1, 12, 2)) + tuple(range(0, 12, 2))
    for device, axis in itertools.product(WHERE, (0, 5, 11)):
        array = sk.permute_dims(to_device(device, x), order)
        check("cumulative_sum", array, x.transpose(order), axis, device, f"12 axes, {axis}")


@pytest.mark.parametrize("name", NAMES)
def test_invalid_scan_arguments_raise(name):
    function = getattr(sk, name)
    x = sk.ones((2, 3))
    with pytest.raises(ValueError, match="axis is required"):
        function(x)
    with pytest.raises(ValueError, match="no axis"):
        function(sk.ones(()), axis=0)
    for axis in (2, -3):
        with pytest.raises(IndexError):
            function(x, axis=axis)
    with pytest.raises(TypeError):
        function(x, axis=0, dtype=sk.bool)
    with pytest.raises(TypeError):
        function(sk.ones((2,), dtype=sk.complex64), dtype=sk.float32)
    with pytest.raises(TypeError):
        function(x, axis=0.5)
    with pytest.raises(TypeError):
        function(x, 0)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int64", "uint64"])
def test_integer_cumulative_products_of_every_length(dtype, device):
    """The kernel takes pairs, and a single item at the end of a block."""
    limits = np.iinfo(dtype)
    host = np.random.default_rng(3).integers(limits.min, limits.max, 9000, dtype=dtype) | 1
    for n in (1, 2, 3, 4, 5, 33, 34, 4095, 4096, 4097, 8193):
        x = to_device(device, host)
        assert_same(sk.cumulative_prod(x[:n]), np.cumulative_prod(host[:n]), device, label=str(n))
        assert_same(
            sk.cumulative_prod(x[:n][::-1]),
            np.cumulative_prod(host[:n][::-1]),
            device,
            label=str(n),
        )
