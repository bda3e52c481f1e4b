# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""argmax, argmin, count_nonzero, std and var: requirements of the standard beyond NumPy's values."""

import itertools

import numpy as np
import pytest
import skerry as sk

from tests.python.loops import loop_over
from tests.python.oracle import DTYPES, assert_same, kind_of, sample, to_device, to_numpy

WHERE = ("cpu:0", "cpu:1", "cuda:0")
SIZES = (1, 2, 7, 9, 33, 64, 65, 129, 1000, 5000, 70_001)


def ordinary(dtype, size, seed=0):
    """Returns values of a small range, many of them equal."""
    return sample(dtype, (size,), seed, 0, 7).round().astype(dtype)


@pytest.mark.parametrize("device", WHERE)
@loop_over("dtype", [d for d in DTYPES if d[0] not in "bc"])
def test_argmax_returns_the_first_of_equal_elements(dtype, device):
    for size in SIZES:
        x = ordinary(dtype, size, size)
        assert_same(sk.argmax(to_device(device, x)), np.asarray(np.argmax(x)), device)
        assert_same(sk.argmin(to_device(device, x)), np.asarray(np.argmin(x)), device)
        same = np.full(size, 3, dtype)
        assert int(sk.argmax(to_device(device, same))) == 0
        assert int(sk.argmin(to_device(device, same))) == 0


@pytest.mark.parametrize("device", WHERE)
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_argmax_returns_the_first_nan(dtype, device):
    for size, (first, second) in itertools.product(SIZES, ((0, 0.5), (0.3, 0.9), (0.999, 0))):
        x = ordinary(dtype, size)
        x[int(first * size)] = np.nan
        x[int(second * size)] = np.nan
        want = min(int(first * size), int(second * size))
        assert int(sk.argmax(to_device(device, x))) == want, size
        assert int(sk.argmin(to_device(device, x))) == want, size
    x = sample(dtype, (150, 70), 3)
    x[[3, 80, 80, 149], [5, 5, 6, 69]] = np.nan
    for axis in (0, 1):
        assert_same(sk.argmax(to_device(device, x), axis=axis), np.argmax(x, axis=axis), device)
        assert_same(sk.argmin(to_device(device, x.T), axis=axis), np.argmin(x.T, axis=axis), device)


@pytest.mark.parametrize("device", WHERE)
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_argmax_treats_signed_zeros_as_equal(dtype, device):
    for x in ([-0.0, 0.0], [0.0, -0.0]):
        assert int(sk.argmax(to_device(device, np.array(x, dtype)))) == 0
        assert int(sk.argmin(to_device(device, np.array(x, dtype)))) == 0
    x = np.array([-np.inf, -np.inf, 1, np.inf, np.inf], dtype)
    assert int(sk.argmax(to_device(device, x))) == 3
    assert int(sk.argmin(to_device(device, x))) == 0
    assert int(sk.argmax(to_device(device, np.full(100, -np.inf, dtype)))) == 0
    assert int(sk.argmin(to_device(device, np.full(100, np.inf, dtype)))) == 0


@pytest.mark.parametrize("device", WHERE)
def test_argmax_counts_in_c_order_for_any_layout(device):
    x = sample("float32", (7, 11, 5), 1)
    array = to_device(device, x)
    for view in (
        lambda a: a,
        lambda a: a[::-1, :, ::-2],
        lambda a: a[1:, 3],
        lambda a: a[:, ::3, 2:],
    ):
        assert_same(sk.argmax(view(array)), np.asarray(np.argmax(view(x))), device)
        keepdims_result = sk.argmin(view(array), keepdims=True)
        assert_same(keepdims_result, np.argmin(view(x), keepdims=True), device)
    transposed_array = sk.permute_dims(array, (2, 0, 1))
    assert_same(sk.argmax(transposed_array), np.asarray(np.argmax(x.transpose(2, 0, 1))), device)
    stretched = sk.broadcast_to(array[:, 0, :], (3, 7, 5))
    assert_same(sk.argmax(stretched), np.asarray(np.argmax(x[:, 0, :])), device)


@pytest.mark.parametrize("device", WHERE)
def test_argmax_along_more_rows_than_a_block(device):
    for dtype, shape in (("int8", (1000, 70)), ("int16", (9000, 9)), ("float32", (5000, 33))):
        x = np.zeros(shape, dtype)
        rows = np.random.default_rng(2).integers(0, shape[0], shape[1])
        x[rows, np.arange(shape[1])] = 1
        assert_same(sk.argmax(to_device(device, x), axis=0), rows, device)
        assert_same(sk.argmin(to_device(device, -x.T), axis=1), rows, device)


@pytest.mark.usefixtures("strict_promotion")
@pytest.mark.parametrize("name", ["argmax", "argmin"])
def test_invalid_argmax_arguments_raise(name):
    function = getattr(sk, name)
    for shape in ((0,), (3, 0)):
        with pytest.raises(ValueError, match="no elements"):
            function(sk.empty(shape))
    with pytest.raises(ValueError, match="no elements"):
        function(sk.empty((3, 0)), axis=1)
    assert function(sk.empty((3, 0)), axis=0).shape == (0,)
    for dtype in ("bool", "complex64"):
        with pytest.raises(TypeError):
            function(sk.zeros((3,), dtype=np.dtype(dtype)))
    for axis in (2, -3):
        with pytest.raises(IndexError):
            function(sk.ones((2, 3)), axis=axis)
    with pytest.raises(TypeError):
        function(sk.ones((2, 3)), axis=(0, 1))
    assert int(function(sk.ones(()))) == 0


@pytest.mark.parametrize("device", WHERE)
@loop_over("dtype", DTYPES)
def test_count_nonzero_of_every_dtype(dtype, device):
    for size in (0, *SIZES):
        x = ordinary(dtype, size)
        assert_same(sk.count_nonzero(to_device(device, x)), np.asarray(np.count_nonzero(x)), device)
    x = np.zeros((300, 60), dtype)
    x[::3, ::2] = 1
    for axis in (0, 1, (0, 1), ()):
        want = np.asarray(
            np.count_nonzero(x, axis=axis) if axis != () else (x != 0).astype(np.int64)
        )
        assert_same(sk.count_nonzero(to_device(device, x), axis=axis), want, device)
        # Every second element of each row: counted in place, or gathered first.
        between = to_device(device, np.repeat(x, 2, axis=1))[:, 1::2]
        assert_same(sk.count_nonzero(between, axis=axis), want, device)
    # Runs as long as those that are counted in place, and one element shorter.
    for n in (4095, 4096, 10_001):
        x = np.arange(2 * n) % 3 == 0
        x = x.astype(dtype)
        for view in (slice(None, None, 2), slice(None, None, -2)):
            got = sk.count_nonzero(to_device(device, x)[view])
            assert int(got) == np.count_nonzero(x[view]), (n, view)
    if kind_of(dtype) in "fc":
        special = np.array([0.0, -0.0, np.nan, np.inf, 1], dtype)
        assert int(sk.count_nonzero(to_device(device, special))) == 3


@pytest.mark.parametrize("device", WHERE)
@loop_over("dtype", DTYPES)
def test_any_and_all_of_long_strided_runs(dtype, device):
    for n in (4095, 4096, 10_001):
        for index in (0, 1, n - 1, None):
            x = np.zeros(3 * n, dtype)
            if index is not None:
                x[3 * index] = 1
            # Elements in between must not count.
            x[1::3] = 1
            for name, host in (("any", x), ("all", (x == 0).astype(dtype))):
                got = getattr(sk, name)(to_device(device, host)[::3])
                assert bool(got) == bool(getattr(np, name)(host[::3])), (name, n, index)


@pytest.mark.parametrize("device", WHERE)
@pytest.mark.parametrize("name", ["std", "var"])
def test_variance_with_correction(name, device):
    x = sample("float64", (5, 6), 2)
    for correction in (0, 1, 0.5, 2.0, -1, True):
        want = getattr(np, name)(x, axis=0, ddof=correction)
        got = getattr(sk, name)(to_device(device, x), axis=0, correction=correction)
        assert_same(got, want, device, exact=False)
    for correction in (6, 6.5, 7, np.inf, np.nan):
        got = getattr(sk, name)(to_device(device, x), axis=1, correction=correction)
        # The divisor is zero, negative, minus infinity or NaN: never positive.
        assert np.all(np.isnan(to_numpy(got))), correction
    with pytest.raises(TypeError):
        getattr(sk, name)(to_device(device, x), correction=1j)
    with pytest.raises(TypeError):
        getattr(sk, name)(to_device(device, x), correction=None)


@pytest.mark.parametrize("device", WHERE)
@pytest.mark.parametrize("name", ["mean", "std", "var"])
def test_moments_of_empty_arrays_are_nan(name, device):
    for shape, axis, result in (((0,), None, ()), ((3, 0), 1, (3,)), ((0, 4), 0, (4,))):
        got = getattr(sk, name)(sk.empty(shape, device=device), axis=axis)
        assert got.shape == result
        assert np.all(np.isnan(to_numpy(got)))
    assert getattr(sk, name)(sk.empty((3, 0), device=device), axis=0).shape == (0,)


@pytest.mark.parametrize("device", WHERE)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_variance_does_not_cancel(dtype, device):
    """The mean is thousands of times the deviation (10^10 in float64), so squares would lose all digits of it."""
    offset = 4096.0 if dtype == "float32" else 1e10
    rng = np.random.default_rng(1)
    for shape, axis in (
        ((100_000,), 0),
        ((3000, 40), 0),
        ((40, 3000), 1),
        ((5, 20_000), 1),
        ((20_000, 3), 0),
        ((4, 500), 0),
    ):
        x = (offset + rng.random(shape)).astype(dtype)
        want = np.var(x.astype(np.longdouble), axis=axis)
        got = to_numpy(sk.var(to_device(device, x), axis=axis))
        assert np.all(np.abs(got - want) <= 2e-3 * want), f"{shape} {axis}: {got} {want}"


@pytest.mark.parametrize("device", WHERE)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_variance_of_huge_and_equal_elements(dtype, device):
    huge = np.sqrt(np.finfo(dtype).max) / 100
    for size in (2, 8, 20, 5000):
        x = np.where(np.arange(size) % 2 == 0, huge, -huge).astype(dtype)
        got = to_numpy(sk.var(to_device(device, x)))
        assert np.abs(got / np.var(x.astype(np.longdouble)) - 1) < 1e-5
        equal = np.full((size, 33), 0.1, dtype)
        for axis in (None, 0, 1):
            assert np.all(to_numpy(sk.var(to_device(device, equal), axis=axis)) < 1e-12)
    nan = np.array([[1, np.nan, 3], [1, 2, np.inf], [1, 2, 3]], dtype)
    got = to_numpy(sk.std(to_device(device, nan), axis=1))
    assert np.array_equal(np.isnan(got), [True, True, False])


@pytest.mark.usefixtures("strict_promotion")
@pytest.mark.parametrize("name", ["std", "var"])
def test_moments_reject_other_dtypes_under_strict_promotion(name):
    for dtype in ("bool", "int32", "complex64"):
        with pytest.raises(TypeError):
            getattr(sk, name)(sk.zeros((3,), dtype=np.dtype(dtype)))
