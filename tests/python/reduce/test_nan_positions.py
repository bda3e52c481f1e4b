# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""One NaN anywhere: extrema, their positions and sorting find it at all edges of vectors, blocks, chunks and threads."""

import numpy as np
import pytest
import skerry as sk

from tests.python.loops import loop_over
from tests.python.oracle import DTYPES, to_numpy

FLOATS = [
    np.dtype(name) for name in ("float16", "float32", "float64") if name in {"float16", *DTYPES}
]
# Loops change at 64 items (a plain scan below), at blocks of 8 KiB, at 16 KiB (two passes above), at rows of 32,768 items
# and at chunks of multiples of 1,024 and 65,536 items.
EDGES = [1 << bits for bits in range(18)] + [24 * 1024, 40 * 1024, 96 * 1024]
SIZES = sorted({size + d for size in EDGES for d in (-1, 0, 1) if size + d > 0} | {200_003})
EXTREMA = [sk.argmax, sk.argmin, sk.max, sk.min]
SHAPES = [
    (2, 70_001),
    (70_001, 2),
    (3, 40_000),
    (40_000, 3),
    (8, 20_000),
    (20_000, 9),
    (64, 2_049),
    (2_049, 64),
    (300, 500),
    (5_000, 17),
    (5, 30_000, 2),
    (40, 33, 129),
]


def positions(size, random):
    candidates = {index + d for index in [0, *EDGES, size] for d in (-2, -1, 0, 1)}
    return sorted(
        index
        for index in candidates | set(random.integers(0, size, 8).tolist())
        if 0 <= index < size
    )


@pytest.fixture(params=[1, 2, 5])
def threads(request, restore_threads):
    sk.set_num_threads(request.param)
    return request.param


@loop_over("dtype", FLOATS)
@loop_over("step", [1, -1, 3])
def test_extrema_find_a_nan_at_every_position(threads, dtype, step):
    random = np.random.default_rng(threads)
    for size in SIZES:
        x = random.standard_normal(size * abs(step)).astype(dtype)[::step]
        x[random.integers(0, size, 2)] = [np.inf, -np.inf]
        array = sk.asarray(x, copy=False)
        for index in positions(size, random):
            old_value = x[index]
            x[index] = -np.nan if index % 2 else np.nan
            results = [float(function(array)) for function in EXTREMA]
            assert results[:2] == [index, index], (size, index)
            assert np.isnan(results[2:]).all(), (size, index)
            x[index] = old_value
        assert [float(function(array)) for function in EXTREMA] == [
            x.argmax(),
            x.argmin(),
            x.max(),
            x.min(),
        ], size


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_argmax_finds_the_first_of_several_nans(threads, dtype):
    random = np.random.default_rng(threads)
    for size in (70, 2_048, 20_000, 65_536, 131_072, 200_003):
        x = np.zeros(size, dtype)
        array = sk.asarray(x, copy=False)
        for _ in range(60):
            indices = random.integers(0, size, random.integers(2, 5))
            x[indices] = np.nan
            assert int(sk.argmax(array)) == int(sk.argmin(array)) == indices.min(), (size, indices)
            x[indices] = 0


def layouts(shape, dtype, random):
    """Yields a name and an array whose lines have no, one or several NaNs."""
    for share in (0.2, 3.0):  # NaNs per line of the longest axis
        x = random.integers(-50, 50, shape).astype(dtype)
        x[random.random(shape) < share / max(shape)] = np.nan
        yield f"C {share}", x
        yield f"F {share}", np.asfortranarray(x)
        yield f"transposed {share}", x.T
        yield f"stepped {share}", np.repeat(x, 2, axis=-1)[..., 1::2]
        yield f"reversed {share}", x[::-1, ..., ::-1]


@loop_over("shape", SHAPES)
@loop_over("dtype", FLOATS)
def test_extrema_along_axes_with_nans(threads, dtype, shape):
    random = np.random.default_rng(threads)
    for name, x in layouts(shape, dtype, random):
        array = sk.asarray(x, copy=False)
        for axis in (*range(len(shape)), None):
            for function in EXTREMA:
                want = getattr(np, function.__name__)(x, axis=axis)
                got = to_numpy(function(array, axis=axis))
                np.testing.assert_array_equal(got, want, err_msg=f"{name} {function} {axis}")


@loop_over("dtype", FLOATS)
@loop_over("size", [1, 7, 64, 100, 1_024, 4_097, 66_000, 140_001])
def test_sorting_and_searching_with_nans(threads, dtype, size):
    random = np.random.default_rng(size)
    for nans in (1, 2, size // 3, size):
        x = random.integers(-100, 100, size).astype(dtype)
        x[random.integers(0, size, nans)] = np.nan
        array = sk.asarray(x, copy=False)
        order = np.argsort(x, kind="stable")
        np.testing.assert_array_equal(to_numpy(sk.sort(array)), x[order])
        np.testing.assert_array_equal(to_numpy(sk.argsort(array)), order)
        for side in ("left", "right"):
            want = np.searchsorted(x[order], x, side=side)
            got = sk.searchsorted(sk.asarray(x[order]), array, side=side)
            np.testing.assert_array_equal(to_numpy(got), want)
            got = sk.searchsorted(array, array, side=side, sorter=sk.asarray(order))
            np.testing.assert_array_equal(to_numpy(got), want)
        # NumPy 2.4 sorts float16 wrongly on machines with AVX-512, so its values come unsorted.
        values, counts = np.unique_counts(x.astype("float64"))
        got = sk.unique_counts(array)
        np.testing.assert_array_equal(to_numpy(got.values), values)
        np.testing.assert_array_equal(to_numpy(got.counts), counts)
