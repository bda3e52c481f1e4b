# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""unique_* and isin against NumPy and the standard: NaNs are distinct, zeros are equal, first occurrences win."""

import numpy as np
import pytest
import skerry as sk

from tests.python.loops import loop_over
from tests.python.oracle import (
    DTYPES,
    assert_same,
    kind_of,
    layouts_of,
    sample,
    to_device,
    to_numpy,
)

ALL = loop_over("dtype", DTYPES)


def reference(x):
    """Returns the standard's values, indices, inverse and counts, by a dictionary with a separate key for every NaN."""
    flat = x.reshape(-1)
    if np.any(flat != flat) or flat.size < 2000:
        groups = {}
        for i, item in enumerate(flat.tolist()):
            key = ("nan", i) if item != item else item
            groups.setdefault(key, []).append(i)
        order = sorted(
            groups.items(),
            key=lambda g: (
                isinstance(g[0], tuple),
                0 if isinstance(g[0], tuple) else np.real(g[0]),
                0 if isinstance(g[0], tuple) else np.imag(g[0]),
                g[1][0],
            ),
        )
        indices = np.asarray([group[0] for _, group in order], "int64")
        counts = np.asarray([len(group) for _, group in order], "int64")
        inverse = np.empty(flat.size, "int64")
        for number, (_, group) in enumerate(order):
            inverse[group] = number
        return flat[indices], indices, inverse.reshape(x.shape), counts
    _, indices, inverse, counts = np.unique(
        flat, return_index=True, return_inverse=True, return_counts=True
    )
    return flat[indices], indices, inverse.reshape(x.shape), counts


def same_values(got, want, device, label):
    """Compares values, and the signs of zeros and NaNs."""
    assert_same(got, want, device, label=label)
    if kind_of(want.dtype) in "fc":
        values = to_numpy(got)
        for part in (np.real, np.imag):
            np.testing.assert_array_equal(np.signbit(part(values)), np.signbit(part(want)), label)


def check(array, theirs, device, label=""):
    values, indices, inverse, counts = reference(theirs)
    result = sk.unique_all(array)
    same_values(result.values, values, device, f"all values {label}")
    assert_same(result.indices, indices, device, dtype="int64", label=f"all indices {label}")
    assert_same(
        result.inverse_indices, inverse, device, dtype="int64", label=f"all inverse {label}"
    )
    assert_same(result.counts, counts, device, dtype="int64", label=f"all counts {label}")
    result = sk.unique_counts(array)
    same_values(result.values, values, device, f"counts values {label}")
    assert_same(result.counts, counts, device, dtype="int64", label=f"counts {label}")
    result = sk.unique_inverse(array)
    same_values(result.values, values, device, f"inverse values {label}")
    assert_same(result.inverse_indices, inverse, device, dtype="int64", label=f"inverse {label}")
    same_values(sk.unique_values(array), values, device, f"values {label}")


@ALL
def test_unique_of_every_layout(dtype, device):
    low_high = (0, 9) if kind_of(dtype) in "iu" else (None, None)
    for name, array, theirs in layouts_of(sample(dtype, (9, 14), 5, *low_high), device):
        check(array, theirs, device, name)


@ALL
def test_unique_of_many_sizes(dtype):
    rng = np.random.default_rng(0)
    for n in (0, 1, 2, 31, 32, 33, 127, 3000, 30_000):
        for distinct in (1, 3, 2000, 2100, 10**9):
            limit = min(distinct, 100 if np.dtype(dtype).itemsize == 1 else 30_000)
            x = (
                rng.integers(0, limit, n).astype(dtype)
                if limit < 30_000
                else sample(dtype, n, n, *((-(2**15), 2**15 - 1) if dtype == "int16" else ()))
            )
            if kind_of(dtype) == "c":
                x = x + (1j * rng.integers(0, 3, n)).astype(dtype)
            check(to_device("cpu:0", x), x, "cpu:0", f"n={n} distinct={distinct}")


@pytest.mark.parametrize("dtype", ["int64", "uint64", "float64", "float32", "complex64"])
def test_unique_of_many_distinct_values(dtype):
    rng = np.random.default_rng(1)
    n = 200_000
    cases = {
        "permutation": rng.permutation(n),
        "pairs": rng.permutation(n) // 2,
        "wide": rng.integers(0, 2**62, n) // 3,
        "two levels": rng.integers(0, 90, n) * 2**50 + rng.integers(0, 5000, n),
    }
    for name, x in cases.items():
        values = x.astype(dtype)
        check(to_device("cpu:0", values), values, "cpu:0", name)


def test_unique_complex_numbers_larger_than_the_l2_cache():
    """Both parts matter, and equal real parts are far apart in memory."""
    rng = np.random.default_rng(2)
    x = rng.permutation(150_000) % 70_000 + 1j * rng.integers(-2, 3, 150_000)
    check(to_device("cpu:0", x), x, "cpu:0")
    x = rng.standard_normal(150_000) + 1j * rng.standard_normal(150_000)
    check(to_device("cpu:0", x), x, "cpu:0")


@loop_over("dtype", ["float32", "float64", "complex64", "complex128"])
@loop_over("n", [5, 32, 40, 500, 4000])
def test_unique_of_nan_and_zeros(dtype, n, device):
    if n > 500 and device != "cpu:0":
        return
    rng = np.random.default_rng(n)
    special = [np.nan, 0.0, -0.0, 1.0, -1.0, np.inf, -np.inf]
    x = rng.choice(np.asarray(special, dtype), n)
    if kind_of(dtype) == "c":
        x.imag = rng.choice(np.asarray(special), n)
    check(to_device(device, x), x, device, "special")
    x = np.where(x != x, 0, x).astype(dtype)
    check(to_device(device, x), x, device, "zeros only")
    only_nan = np.full(n, np.nan, dtype)
    check(to_device(device, only_nan), only_nan, device, "only nan")


def test_unique_results_are_named_tuples(device):
    x = sk.asarray([[2, 1], [2, 2]], device=device)
    result = sk.unique_all(x)
    assert isinstance(result, tuple)
    assert result._fields == ("values", "indices", "inverse_indices", "counts")
    assert sk.unique_counts(x)._fields == ("values", "counts")
    assert sk.unique_inverse(x)._fields == ("values", "inverse_indices")
    assert isinstance(sk.unique_values(x), sk.Array)
    values, inverse = sk.unique_inverse(x)
    assert inverse.shape == (2, 2)
    assert values.shape == (2,)


def test_unique_of_empty_and_0d_arrays(device):
    for shape in [(0,), (3, 0)]:
        x = sk.zeros(shape, dtype=sk.int8, device=device)
        result = sk.unique_all(x)
        assert [part.shape for part in result] == [(0,), (0,), shape, (0,)]
        assert result.values.dtype == sk.int8
        assert all(part.device == sk.Device(device) for part in result)
    result = sk.unique_all(sk.asarray(7.0, device=device))
    assert [part.shape for part in result] == [(1,), (1,), (), (1,)]


def test_unique_takes_lists_and_scalars():
    for function in (sk.unique_all, sk.unique_counts, sk.unique_inverse, sk.unique_values):
        result = function([1, 2])
        assert (result if isinstance(result, sk.Array) else result[0]).tolist() == [1, 2]
        result = function(3)
        assert (result if isinstance(result, sk.Array) else result[0]).tolist() == [3]


# isin.


def isin_reference(x1, x2, invert):
    return np.isin(x1, x2, invert=invert)


@ALL
@loop_over("invert", [False, True])
def test_isin_of_every_dtype_and_layout(dtype, invert, device):
    low_high = (0, 30) if kind_of(dtype) in "iu" else (None, None)
    x = sample(dtype, (9, 14), 5, *low_high)
    for m in (0, 1, 7, 8, 9, 16, 17, 32, 33, 40):
        among = np.concatenate(
            [sample(dtype, m, 6, *low_high)[: m // 2], x.reshape(-1)[: m - m // 2]]
        )
        for name, array, theirs in layouts_of(x, device):
            got = sk.isin(array, to_device(device, among), invert=invert)
            assert_same(got, isin_reference(theirs, among, invert), device, label=f"{name} {m}")


@ALL
def test_isin_of_large_arrays(dtype):
    rng = np.random.default_rng(2)
    top = 100 if np.dtype(dtype).itemsize == 1 else 30_000
    x1 = rng.integers(0, top, 50_000).astype(dtype)
    x2 = rng.integers(0, top, (40, 250)).astype(dtype)
    assert_same(sk.isin(to_device("cpu:0", x1), to_device("cpu:0", x2)), np.isin(x1, x2), "cpu:0")


@pytest.mark.parametrize("dtype", ["int32", "int64", "uint32", "uint64"])
def test_isin_of_integers_at_their_limits(dtype, device):
    info = np.iinfo(dtype)
    x1 = np.asarray([info.min, info.max, 0, 1, info.max - 1], dtype)
    small_values = np.arange(2, 40).astype(dtype)
    for extra in ([], [info.max], [info.min], [info.max, info.min, 0]):
        x2 = np.concatenate([small_values, np.asarray(extra, dtype)])
        assert_same(sk.isin(to_device(device, x1), to_device(device, x2)), np.isin(x1, x2), device)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
def test_isin_nan_equals_nothing_and_zeros_are_equal(dtype, device):
    x1 = np.asarray([np.nan, 0.0, -0.0, 1.0, np.inf], dtype)
    for filler in (0, 30):
        x2 = np.concatenate([np.arange(100, 100 + filler), [-0.0, np.nan, np.inf]]).astype(dtype)
        got = sk.isin(to_device(device, x1), to_device(device, x2))
        assert_same(got, [False, True, True, False, True], device)


def test_isin_scalars_and_promotion(device):
    x = sk.asarray([1, 2, 3], dtype=sk.int16, device=device)
    assert_same(sk.isin(x, 2), [False, True, False], device)
    assert_same(sk.isin(2, x), np.asarray(True), device)
    assert_same(sk.isin(9, x, invert=True), np.asarray(True), device)
    assert_same(sk.isin(sk.astype(x, sk.float32), 2.0), [False, True, False], device)
    wide = sk.asarray([2, 300], dtype=sk.int64, device=device)
    assert_same(sk.isin(sk.astype(x, sk.uint8), wide), [False, True, False], device)
    # 300 must not wrap around to 44 as uint8.
    assert_same(sk.isin(sk.asarray([44], dtype=sk.uint8, device=device), wide), [False], device)


@pytest.mark.usefixtures("strict_promotion")
def test_invalid_isin_arguments_raise(device):
    x = sk.asarray([1, 2], device=device)
    for call in (
        lambda: sk.isin(x, 1.5),
        lambda: sk.isin(x, sk.ones((2,), device=device)),
        lambda: sk.isin(x, True),
    ):
        with pytest.raises(TypeError):
            call()
    assert sk.isin(x, 2**70).tolist() == [False, False]


@pytest.mark.parametrize("dtype", ["int8", "uint8", "bool", "int16"])
def test_unique_counts_of_small_dtypes_use_small_buffers(dtype, device):
    """There are few distinct values, and the buffers have their size."""
    rng = np.random.default_rng(5)
    a = rng.integers(0, 2 if dtype == "bool" else 256, size=1 << 21).astype(dtype)
    x = to_device(device, a)
    sk.synchronize()
    sk.reset_peak(device)
    old_live_bytes = sk.memory_statistics(device).live_bytes
    values, counts = sk.unique_counts(x)
    more = sk.memory_statistics(device).peak_bytes - old_live_bytes
    assert more < 6 * a.nbytes, "one 8-byte count per one-byte element would take more"
    expected = np.unique(a, return_counts=True)
    assert to_numpy(values).tolist() == expected[0].tolist()
    assert to_numpy(counts).tolist() == expected[1].tolist()


@loop_over("dtype", ["int8", "int16"])
@loop_over("size", [255, 256, 257, 319, 320, 321, 70_000, 140_000])
def test_unique_of_all_values_of_a_small_dtype(dtype, size, device):
    """Vector stores may write past the last distinct value, but not past the buffer."""
    a = np.arange(size).astype(dtype)
    for got, want in zip(
        sk.unique_counts(to_device(device, a)), np.unique(a, return_counts=True), strict=True
    ):
        assert to_numpy(got).tolist() == want.tolist()
    got = sk.unique_all(to_device(device, a))
    want = np.unique(a, return_index=True, return_inverse=True, return_counts=True)
    for one, other in zip(got, want, strict=True):
        assert to_numpy(one).tolist() == other.tolist()


@pytest.mark.parametrize("function", [sk.isin, np.isin])
def test_isin_converts_lists_on_the_device_of_the_array(function, device):
    host = np.asarray([[1, 5], [7, 2]])
    x = to_device(device, host)
    for among in ([5, 2], (1,), [], [1.5, 7.0]):
        got = function(x, among)
        assert got.device == x.device
        assert np.array_equal(to_numpy(got), np.isin(host, among))
