# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Sets, searches, statistics and linear algebra: requirements of the standard that the official suite does not test."""

import math

import numpy as np
import pytest
import skerry as sk

from tests.python.loops import loop_over
from tests.python.oracle import DTYPES, assert_same, kind_of, to_device, to_numpy

inf, nan = math.inf, math.nan
FLOATS = ["float16", "float32", "float64"]
COMPLEX = ["complex64", "complex128"]


@loop_over("dtype", FLOATS)
@loop_over("length", [1, 41])
def test_unique_nans_are_distinct_and_zeros_are_equal(dtype, length, device):
    values = np.array([nan, 0.0, 1.0, -0.0, nan, inf, 1.0, -inf, 0.0] * length, dtype=dtype)
    x = to_device(device, values)
    numbers = {-inf: 1, 0.0: 3, 1.0: 2, inf: 1}
    distinct_values = to_numpy(sk.unique_values(x))
    assert np.sum(np.isnan(distinct_values)) == 2 * length
    assert sorted(distinct_values[~np.isnan(distinct_values)].tolist()) == sorted(numbers)
    whole = sk.unique_all(x)
    assert type(whole)._fields == ("values", "indices", "inverse_indices", "counts")
    distinct_values, first, inverse, counts = (to_numpy(part) for part in whole)
    assert np.all(counts[np.isnan(distinct_values)] == 1)
    for value, count in numbers.items():
        assert counts[distinct_values == value].tolist() == [count * length]
        assert first[distinct_values == value].tolist() == [int(np.flatnonzero(values == value)[0])]
    np.testing.assert_array_equal(
        distinct_values[inverse], np.where(values == 0, distinct_values[inverse], values)
    )
    np.testing.assert_array_equal(
        to_numpy(sk.unique_inverse(x).inverse_indices).shape, values.shape
    )
    assert int(sk.sum(sk.unique_counts(x).counts)) == values.size


@pytest.mark.parametrize("dtype", COMPLEX)
def test_unique_complex_nans_are_distinct(dtype, device):
    values = np.array([complex(nan, 1), 1j, complex(1, nan), 1j, complex(nan, 1), -0.0j, 0], dtype)
    distinct_values, counts = (
        to_numpy(part) for part in sk.unique_counts(to_device(device, values))
    )
    assert np.sum(np.isnan(distinct_values)) == 3
    assert np.all(counts[np.isnan(distinct_values)] == 1)
    assert counts[distinct_values == 1j].tolist() == [2]
    assert counts[distinct_values == 0].tolist() == [2]


def test_unique_of_0d_and_empty_arrays(device):
    for function in (sk.unique_all, sk.unique_inverse):
        assert function(sk.asarray(3, device=device)).inverse_indices.shape == ()
        assert function(sk.ones((2, 0, 3), device=device)).inverse_indices.shape == (2, 0, 3)
    assert sk.unique_values(sk.ones((0,), dtype="bool", device=device)).shape == (0,)


@loop_over("dtype", FLOATS)
@loop_over("side", ["left", "right"])
def test_searchsorted_is_consistent_with_sort(dtype, side, device):
    rng = np.random.default_rng(1)
    values = np.concatenate([rng.integers(-4, 4, 60), [nan, nan, inf, -inf, 0.0, -0.0]])
    x = to_device(device, rng.permutation(values).astype(dtype))
    ordered = sk.sort(x)
    positions = to_numpy(sk.searchsorted(ordered, x, side=side))
    plain, theirs = to_numpy(ordered), to_numpy(x)
    np.testing.assert_array_equal(positions, np.searchsorted(plain, theirs, side=side))
    order = sk.argsort(x)
    sorter_positions = to_numpy(sk.searchsorted(x, x, side=side, sorter=order))
    np.testing.assert_array_equal(sorter_positions, positions)
    np.testing.assert_array_equal(plain, theirs[to_numpy(order)])


@pytest.mark.parametrize("dtype", FLOATS)
def test_isin_compares_by_equality(dtype, device):
    x = to_device(device, np.array([nan, 0.0, -0.0, 1.0, inf], dtype=dtype))
    y = to_device(device, np.array([nan, -0.0, inf], dtype=dtype))
    want = np.array([False, True, True, False, True])
    assert_same(sk.isin(x, y), want, device)
    assert_same(sk.isin(x, y, invert=True), ~want, device)
    assert_same(sk.isin(x, inf), np.array([False, False, False, False, True]), device)
    assert_same(sk.isin(x, x[:0]), np.zeros(5, dtype=bool), device)


REDUCTIONS = ["sum", "prod", "mean", "max", "min", "std", "var"]


@loop_over("dtype", FLOATS)
@pytest.mark.parametrize("name", REDUCTIONS)
def test_reductions_propagate_nan_from_any_position(name, dtype, device):
    function = getattr(sk, name)
    for shape, axis in [((67,), None), ((5, 67), 0), ((5, 67), 1), ((3, 5, 67), (0, 2))]:
        for index in (0, 31, 66):
            values = np.linspace(1, 2, math.prod(shape), dtype=dtype).reshape(shape)
            values[..., index] = nan
            got = to_numpy(function(to_device(device, values), axis=axis))
            want = np.isnan(values).any(axis=axis)
            np.testing.assert_array_equal(np.isnan(got), want)


@pytest.mark.parametrize("dtype", FLOATS)
def test_reductions_of_infinities(dtype, device):
    both = to_device(device, np.array([1.0, inf, -inf] * 21, dtype=dtype))
    one = to_device(device, np.array([1.0, inf, 2.0] * 21, dtype=dtype))
    for name in ("sum", "mean"):
        assert math.isnan(float(getattr(sk, name)(both)))
        assert float(getattr(sk, name)(one)) == inf
    for name in ("std", "var"):
        assert math.isnan(float(getattr(sk, name)(one)))
    assert float(sk.prod(both)) == -inf
    assert math.isnan(float(sk.prod(sk.concat([one, sk.zeros_like(one)]))))
    assert float(sk.max(both)) == inf
    assert float(sk.min(both)) == -inf
    sums = to_numpy(sk.cumulative_sum(both))
    assert sums[0] == 1
    assert sums[1] == inf
    assert np.all(np.isnan(sums[2:]))


@pytest.mark.parametrize("dtype", COMPLEX)
def test_complex_sums_propagate_nan_componentwise(dtype, device):
    values = np.array([1 + 2j, complex(nan, 1), complex(2, inf)] * 11, dtype=dtype)
    for name in ("sum", "mean"):
        got = complex(getattr(sk, name)(to_device(device, values)))
        assert math.isnan(got.real)
        assert got.imag == inf


@loop_over("dtype", DTYPES[1:])
def test_reductions_without_elements(dtype, device):
    x = sk.empty((0, 3), dtype=dtype, device=device)
    assert_same(sk.astype(sk.sum(x, axis=0), sk.complex128), np.zeros(3, complex), device)
    assert_same(sk.astype(sk.prod(x, axis=0), sk.complex128), np.ones(3, complex), device)
    assert sk.sum(x, axis=1).shape == (0,)
    if kind_of(dtype) in "fc":
        assert np.all(np.isnan(to_numpy(sk.mean(x, axis=0))))
    if kind_of(dtype) == "f":
        for name in ("std", "var"):
            assert np.all(np.isnan(to_numpy(getattr(sk, name)(x, axis=0))))
    for name in ("max", "min", "argmax", "argmin"):
        if kind_of(dtype) != "c":
            with pytest.raises(ValueError):
                getattr(sk, name)(x)
    assert bool(sk.all(x)) is True
    assert bool(sk.any(x)) is False


def test_var_without_degrees_of_freedom_is_nan(device):
    x = to_device(device, np.array([[1.0, 2.0, 4.0]]))
    for correction in (3, 3.5, 4):
        assert math.isnan(float(sk.var(x, correction=correction))), correction
        assert math.isnan(float(sk.std(x, correction=correction))), correction
    assert float(sk.var(x, correction=1)) == pytest.approx(7 / 3)
    assert float(sk.var(x, correction=0.5)) == pytest.approx(14 / 3 / 2.5)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
def test_linalg_of_singular_matrices(dtype, device):
    x = to_device(device, np.array([[1, 2], [2, 4]], dtype=dtype))
    zeros = sk.zeros((2, 2), dtype=dtype, device=device)
    for matrix in (x, zeros):
        sign, logarithm = sk.linalg.slogdet(matrix)
        assert complex(sign * sk.astype(sk.exp(logarithm), sign.dtype)) == pytest.approx(0)
        assert complex(sk.linalg.det(matrix)) == pytest.approx(0)
    assert float(sk.linalg.slogdet(zeros).logabsdet) == -inf
    assert complex(sk.linalg.slogdet(zeros).sign) == 0
    for call in (
        lambda: sk.linalg.inv(zeros),
        lambda: sk.linalg.solve(zeros, zeros),
        lambda: sk.linalg.cholesky(-sk.ones((1, 1), dtype=dtype, device=device)),
    ):
        with pytest.raises(ValueError):
            call()


def test_mismatched_shapes_raise(device):
    a, b = sk.ones((2, 3), device=device), sk.ones((2, 3), device=device)
    scalar, vector = sk.ones((), device=device), sk.ones((4,), device=device)
    for call in (
        lambda: sk.matmul(a, b),
        lambda: sk.matmul(scalar, vector),
        lambda: sk.matmul(vector, scalar),
        lambda: sk.matmul(vector, a),
        lambda: sk.vecdot(a, vector),
        lambda: sk.tensordot(a, vector, axes=1),
        lambda: sk.linalg.cross(vector, vector),
        lambda: sk.linalg.inv(a),
        lambda: sk.linalg.det(vector),
        lambda: sk.linalg.trace(vector),
        lambda: sk.linalg.solve(a, b),
        lambda: sk.linalg.eigh(a),
        lambda: sk.nonzero(scalar),
        lambda: sk.concat([a, vector]),
        lambda: sk.stack([a, vector]),
    ):
        with pytest.raises(ValueError):
            call()
    # The contracted axis of vecdot and cross must not broadcast.
    one = sk.ones((1,), device=device)
    three = sk.ones((3,), device=device)
    with pytest.raises(ValueError):
        sk.vecdot(one, three)
    with pytest.raises(ValueError):
        sk.linalg.cross(one, three)


@loop_over("dtype", DTYPES[1:9])
def test_integer_products_wrap_around_exactly(dtype, device):
    rng = np.random.default_rng(2)
    info = np.iinfo(dtype)
    a = rng.integers(info.min, info.max, (17, 33), dtype=dtype, endpoint=True)
    b = rng.integers(info.min, info.max, (33, 9), dtype=dtype, endpoint=True)
    want = np.zeros((17, 9), dtype=object)
    for k in range(33):
        want = want + a[:, k : k + 1].astype(object) * b[k].astype(object)
    modulus = 2**info.bits
    want = np.array([[int(v) % modulus for v in row] for row in want], dtype=f"u{info.bits // 8}")
    assert_same(to_device(device, a) @ to_device(device, b), want.view(dtype), device)


def test_outer_keeps_the_sign_of_zero(device):
    x = to_device(device, np.array([0.0, -0.0, 1.0, -1.0]))
    got = to_numpy(sk.linalg.outer(x, x))
    want = np.outer(to_numpy(x), to_numpy(x))
    np.testing.assert_array_equal(got, want)
    np.testing.assert_array_equal(np.signbit(got), np.signbit(want))
