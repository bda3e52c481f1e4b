# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Order statistics, partitions and topk of rows, over dtypes and lengths, against a full sort."""

import numpy as np
import pytest
import skerry as sk
from skerry.testing import instruments

from tests.python.loops import loop_over
from tests.python.oracle import to_device, to_numpy

DTYPES = "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 float32 float64".split()
# Rows below 512 are sorted, longer ones are sampled; vectors take 64 bytes at a time.
LENGTHS = (1, 2, 3, 24, 25, 31, 33, 63, 64, 65, 100, 129, 511, 512, 1025, 4095, 4096, 5000)


def items(dtype, shape, few, seed=0):
    """Returns items of few or many values, with NaN, zeros of both signs and infinity."""
    rng = np.random.default_rng(seed)
    if dtype == "bool":
        return rng.integers(0, 2, shape).astype(bool)
    if np.dtype(dtype).kind in "iu":
        limits = np.iinfo(dtype)
        low, high = (max(limits.min, -3), 4) if few else (limits.min, limits.max)
        return rng.integers(low, high, shape, dtype=dtype)
    x = (rng.integers(-3, 3, shape) if few else rng.normal(size=shape)).astype(dtype)
    flat = x.reshape(-1)
    flat[rng.integers(0, flat.size, flat.size // 20)] = np.nan
    flat[: flat.size // 3 : 2] *= 0
    flat[0], flat[-1] = -0.0, -np.inf
    return x


def comparable(x):
    """Converts float16, as NumPy's sort of it misplaces items next to NaN (2.4.6, AVX-512)."""
    return x.astype("float32") if x.dtype == "float16" else x


def best_first(x, largest):
    x = comparable(x)
    if not largest:
        return np.argsort(x, axis=-1, kind="stable")
    return x.shape[-1] - 1 - np.argsort(x[:, ::-1], axis=-1, kind="stable")[:, ::-1]


@loop_over("few", [True, False])
@loop_over("dtype", DTYPES)
def test_order_statistics_and_partitions_of_rows(dtype, few, device):
    for length in LENGTHS:
        x = items(dtype, (3, length), few, length)
        s = to_device(device, x)
        ordered = np.sort(comparable(x), axis=-1)
        ranks = sorted({0, length // 2, (length - 1) // 2, length - 1, length // 3})
        np.testing.assert_array_equal(
            to_numpy(instruments.order_statistics(s, ranks)), ordered[:, ranks]
        )
        for kth in (ranks, ranks[1:2]):
            if not kth:
                continue
            parted = to_numpy(sk.partition(s, kth))
            indices = to_numpy(sk.argpartition(s, kth))
            np.testing.assert_array_equal(np.take_along_axis(x, indices, -1), parted)
            np.testing.assert_array_equal(np.sort(indices, -1), np.tile(np.arange(length), (3, 1)))
            np.testing.assert_array_equal(comparable(parted)[:, kth], ordered[:, kth])
            for k in kth:
                below = np.sort(comparable(parted[:, :k]), -1)
                np.testing.assert_array_equal(below, ordered[:, :k])


@loop_over("largest", [True, False])
@loop_over("dtype", DTYPES)
def test_topk_of_rows(dtype, largest, device):
    for length in LENGTHS:
        for few in (True, False):
            x = items(dtype, (2, length), few, length)
            order = best_first(x, largest)
            for k in {1, length // 7, length}:
                values, indices = sk.topk(to_device(device, x), k, largest=largest)
                np.testing.assert_array_equal(to_numpy(indices), order[:, :k])
                want = np.take_along_axis(x, order[:, :k], -1)
                assert to_numpy(values).tobytes() == want.tobytes()


@pytest.mark.parametrize("dtype", ["int8", "int64", "float32"])
def test_order_statistics_of_a_long_row(dtype):
    """Threads take parts of the row, which does not change results."""
    x = items(dtype, (1, 300_001), few=False)
    s = sk.asarray(x)
    ordered = np.sort(x, axis=-1)
    for rank in (0, 3, 77_777, 150_000, 299_999, 300_000):
        ranks = [rank] if rank == 300_000 else [rank, rank + 1]
        result = instruments.order_statistics(s, ranks)
        np.testing.assert_array_equal(to_numpy(result), ordered[:, ranks])
    values, indices = sk.topk(s, 1000)
    np.testing.assert_array_equal(to_numpy(indices), best_first(x, largest=True)[:, :1000])
    np.testing.assert_array_equal(to_numpy(values)[0], x[0][to_numpy(indices)[0]])


@pytest.mark.parametrize("dtype", ["uint16", "int32"])
def test_order_statistics_of_rows_with_a_pattern(dtype):
    """Rows whose sample, or the part between its bounds, is sorted or all equal."""
    n = 20_000
    for x in (
        np.arange(n),
        np.arange(n)[::-1],
        np.arange(n) % 2,
        np.full(n, 7),
        np.arange(n) // 100,
    ):
        result = instruments.order_statistics(sk.asarray(x.astype(dtype)), [n // 2])
        assert to_numpy(result)[0] == np.sort(x.astype(dtype))[n // 2]


def sampled_places(n):
    """Returns the positions from which the bounds of a long row's ranks are sampled."""
    size = min(512, n // 4)
    step, state, positions = n // size, 1, []
    for i in range(size):
        state = (state * 1664525 + 1013904223) % 2**32
        positions.append(i * step + (state * step >> 32))
    return positions


@pytest.mark.parametrize("dtype", DTYPES[1:])
def test_order_statistics_with_misleading_samples(dtype):
    """A rank outside the bounds of the sample is found all the same."""
    for n in (1025, 5000):
        others = np.random.default_rng(n).integers(40, 90, n)
        for sampled in (1, 100):
            x = others.copy()
            x[sampled_places(n)] = sampled
            x = x.astype(dtype)
            ordered = np.sort(x)
            ranks = [n // 3, n // 2, n - n // 3]
            result = to_numpy(instruments.order_statistics(sk.asarray(x), ranks))
            assert result.tolist() == ordered[ranks].tolist()
            values, _ = sk.topk(sk.asarray(x), n // 2, largest=False)
            assert to_numpy(values).tolist() == ordered[: n // 2].tolist()


@pytest.mark.parametrize("dtype", ["int32", "int64", "uint64", "float32", "float64"])
def test_partition_of_rows_that_go_to_one_end(dtype):
    """All keys of a row may go to one end, with the longest possible remainder for the last vectors."""
    for n in (*range(1030, 1064), 5003):
        rng = np.random.default_rng(n)
        for x in (np.arange(n), np.arange(n)[::-1], rng.integers(0, 3, n), rng.permutation(n)):
            x = x.astype(dtype)
            ordered = np.sort(x)
            for kth in (0, 7, n // 2, n - 1):
                parted = to_numpy(sk.partition(sk.asarray(x), kth))
                assert parted[kth] == ordered[kth]
                assert parted[:kth].max(initial=ordered[0]) <= ordered[kth] <= parted[kth:].min()
                np.testing.assert_array_equal(np.sort(parted), ordered)


def test_more_order_statistics_than_one_launch_takes(device):
    x = items("float64", (2, 500), few=False)
    ranks = list(range(0, 500, 20))
    parted = to_numpy(sk.partition(to_device(device, x), ranks))
    np.testing.assert_array_equal(parted[:, ranks], np.sort(x, -1)[:, ranks])
    got = to_numpy(
        sk.quantile(to_device(device, np.nan_to_num(x)), [i / 30 for i in range(31)], axis=1)
    )
    np.testing.assert_array_equal(
        got, np.quantile(np.nan_to_num(x), [i / 30 for i in range(31)], axis=1)
    )


def test_nonzero_bytes_of_imported_bools_are_true():
    memory = np.asarray([0, 2, 255, 0, 1], "uint8")
    x = sk.asarray(memory.view(bool), copy=False)
    _, indices = sk.topk(x, 3)
    assert to_numpy(indices).tolist() == [1, 2, 4]
    assert to_numpy(sk.partition(x, 2)).astype("uint8").astype(bool).tolist() == [
        False,
        False,
        True,
        True,
        True,
    ]
