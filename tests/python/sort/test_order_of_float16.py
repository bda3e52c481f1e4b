# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""sort, argsort, searchsorted, isin and unique of float16, for all of its 65,536 bit patterns."""

import numpy as np
import pytest
import skerry as sk

from tests.python.loops import loop_over
from tests.python.oracle import assert_same, to_device, to_numpy
from tests.python.sort.test_sorting import DESCENDING, check

SPECIAL = np.asarray(
    [np.nan, -np.nan, 0.0, -0.0, np.inf, -np.inf, 1.0, -1.0, 6e-8, -6e-8, 65504], np.float16
)
# Lengths of rows that are sorted by insertion, by bytes, and by counting.
LENGTHS = [1, 2, 31, 32, 33, 100, 1000, 8191, 8192, 65_536, 262_143, 262_144, 300_001]


def all_patterns(seed=0, times=1):
    """Returns every bit pattern, including every NaN, in random order."""
    patterns = np.tile(np.arange(65_536, dtype=np.uint16), times)
    return np.random.default_rng(seed).permutation(patterns).view(np.float16)


def same_bits(got, want, label=""):
    np.testing.assert_array_equal(
        np.ascontiguousarray(got).view(np.uint16), np.ascontiguousarray(want).view(np.uint16), label
    )


@np.errstate(invalid="ignore")  # signalling NaNs: NumPy warns of them on aarch64
def in_order(x, descending=False):
    """Returns x sorted stably, with NaNs last in their order and -0 equal to +0, and the indices."""
    wide = x.astype(np.float32)
    keys = np.where(np.isnan(wide), np.inf, -wide if descending else wide)
    indices = np.lexsort((np.arange(len(x)), keys, np.isnan(x)))
    return x[indices], indices


@DESCENDING
@pytest.mark.parametrize("times", [1, 5])
def test_float16_sort_of_all_bit_patterns(times, descending, device):
    x = all_patterns(times, times)
    want, indices = in_order(x, descending)
    array = to_device(device, x)
    same_bits(to_numpy(sk.sort(array, descending=descending)), want)
    assert_same(sk.argsort(array, descending=descending), indices, device, dtype="int64")
    if not descending:
        np.testing.assert_array_equal(want, np.sort(x))


@DESCENDING
@loop_over("length", LENGTHS)
def test_float16_sort_of_rows_of_any_length(length, descending):
    rng = np.random.default_rng(length)
    rows = {
        "normal": rng.standard_normal(length).astype(np.float16),
        "bits": rng.integers(0, 65_536, length, np.uint16).view(np.float16),
        "special": rng.choice(SPECIAL, length),
        "zeros": rng.choice(np.asarray([0.0, -0.0], np.float16), length),
        "all NaN": rng.integers(0x7C01, 0x8000, length, np.uint16).view(np.float16),
        "equal": np.full(length, 2.5, np.float16),
    }
    for name, x in rows.items():
        want, indices = in_order(x, descending)
        array = to_device("cpu:0", x)
        same_bits(to_numpy(sk.sort(array, descending=descending)), want, name)
        assert_same(sk.argsort(array, descending=descending), indices, "cpu:0", dtype="int64")
    if length <= 8192:
        x = np.stack(list(rows.values()))
        want = np.stack([in_order(row, descending)[0] for row in x])
        same_bits(to_numpy(sk.sort(to_device("cpu:0", x), descending=descending)), want)
        sorted_columns = sk.sort(to_device("cpu:0", x.T.copy()), axis=0, descending=descending)
        same_bits(to_numpy(sorted_columns), want.T)


@DESCENDING
@loop_over("length", [1, 17, 100, 4353, 9000, 20_000])
def test_float16_sort_of_rows_with_nan_and_both_zeros(length, descending, device):
    x = np.random.default_rng(length).choice(SPECIAL, (3, length))
    check(to_device(device, x), x, -1, descending, device, "rows")
    check(to_device(device, x), x, 0, descending, device, "columns")


@DESCENDING
def test_float16_sort_along_axes_of_views(descending, device):
    x = all_patterns()[: 7 * 33 * 5].reshape(7, 33, 5)
    array = to_device(device, x)
    for axis in (0, 1, 2, -2):
        check(array, x, axis, descending, device, f"axis={axis}")
    check(array[::-1, 1::2], x[::-1, 1::2], 1, descending, device, "stepped")
    check(array[3].T, x[3].T, 0, descending, device, "transposed")


@pytest.mark.usefixtures("restore_threads")
@DESCENDING
@pytest.mark.parametrize("threads", [1, 2, 3, 8])
@loop_over("dtype", ["float16", "int16", "uint16"])
def test_16_bit_sort_of_long_rows_with_any_number_of_threads(dtype, threads, descending):
    sk.set_num_threads(threads)
    rng = np.random.default_rng(threads)
    for n in (262_144, 1_300_001):
        x = rng.integers(0, 65_536, n, np.uint16).view(dtype)
        few = rng.choice(SPECIAL, n) if dtype == "float16" else rng.integers(0, 3, n).astype(dtype)
        for row in (x, few):
            if dtype == "float16":
                want = in_order(row, descending)[0]
            else:
                want = np.sort(row)[::-1] if descending else np.sort(row)
            same_bits(to_numpy(sk.sort(to_device("cpu:0", row), descending=descending)), want)


def test_float16_sort_at_odd_addresses():
    for n in (20, 5000, 200_000):
        raw = np.zeros(2 * n + 1, np.uint8)
        x = raw[1:].view(np.float16)
        x[:] = np.random.default_rng(n).standard_normal(n)
        same_bits(to_numpy(sk.sort(sk.asarray(x))), np.sort(x))


@loop_over("side", ["left", "right"])
@loop_over("size", [0, 1, 2, 1000, 65_536])
def test_float16_searchsorted(size, side, device):
    values = all_patterns(1)
    x = in_order(all_patterns(2)[:size])[0]
    want = np.searchsorted(x, values, side)
    assert_same(
        sk.searchsorted(to_device(device, x), to_device(device, values), side=side), want, device
    )
    shuffled = all_patterns(2)[:size]
    sorter = in_order(shuffled)[1]
    got = sk.searchsorted(
        to_device(device, shuffled),
        to_device(device, values),
        side=side,
        sorter=to_device(device, sorter),
    )
    assert_same(got, want, device)


@loop_over("invert", [False, True])
@pytest.mark.parametrize("among", [0, 1, 8, 9, 500, 40_000])
@np.errstate(invalid="ignore")  # signalling NaNs: NumPy warns of them on aarch64
def test_float16_isin(among, invert, device):
    x = all_patterns(3)
    few = all_patterns(4)[:among].copy()
    few[: among // 2 : 3] = np.nan
    few[among // 2 : among // 2 + 1] = -0.0
    want = np.isin(x.astype(np.float32), few.astype(np.float32), invert=invert)
    assert_same(sk.isin(to_device(device, x), to_device(device, few), invert=invert), want, device)


@loop_over("few", [False, True])
@loop_over("size", [1, 32, 33, 3000, 65_536, 200_000])
def test_float16_unique(size, few, device):
    """Each NaN is distinct, so there may be more distinct elements than numbers in the dtype."""
    rng = np.random.default_rng(size)
    x = rng.choice(SPECIAL[2:], size) if few else np.resize(all_patterns(size), size)
    want, firsts, inverse, counts = unique_by_numpy(x)
    array = to_device(device, x)
    assert_same(sk.unique_values(array), want, device)
    values, got_counts = sk.unique_counts(array)
    assert_same(values, want, device)
    assert_same(got_counts, counts, device, dtype="int64")
    values, got_inverse = sk.unique_inverse(array)
    assert_same(got_inverse, inverse, device, dtype="int64")
    result = sk.unique_all(array)
    assert_same(result.values, want, device)
    assert_same(result.indices, firsts, device, dtype="int64")
    assert_same(result.inverse_indices, inverse, device, dtype="int64")
    assert_same(result.counts, counts, device, dtype="int64")
    same_bits(to_numpy(result.values), x[firsts])


def unique_by_numpy(x):
    ordered, indices = in_order(x)
    begins = np.ones(len(x), bool)
    begins[1:] = (ordered[1:] != ordered[:-1]) | np.isnan(ordered[1:])
    inverse = np.empty(len(x), np.int64)
    inverse[indices] = np.cumsum(begins) - 1
    starts = np.flatnonzero(begins)
    return ordered[starts], indices[starts], inverse, np.diff([*starts, len(x)])
