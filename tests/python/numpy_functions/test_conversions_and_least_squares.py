# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""NumPy functions that libraries such as dask call: conversions with ``like=``, ``np.diff`` with scalars, and lstsq."""

import numpy as np
import pytest
import skerry as sk

from tests.python.loops import loop_over
from tests.python.numpy_functions.numpy_comparison import PLACES, assert_alike
from tests.python.oracle import to_device, to_numpy


@pytest.fixture(params=PLACES)
def array_device(request):
    return request.param


@pytest.mark.parametrize(
    "name", ["array", "asarray", "asanyarray", "ascontiguousarray", "asfortranarray"]
)
def test_like_converts_host_memory_to_its_device(name, array_device):
    example = sk.ones((1,), device=array_device)
    host = np.arange(6.0).reshape(2, 3)
    got = getattr(np, name)(host, like=example)
    assert_alike(got, host, array_device)
    got = getattr(np, name)(host, dtype="float32", like=example)
    assert (got.dtype, got.device) == (np.float32, example.device)
    assert getattr(np, name)(np.float64(2), like=example).device == example.device
    elsewhere = sk.ones((2,), device="cpu:1" if array_device != "cpu:1" else "cuda:1")
    assert getattr(np, name)(elsewhere, like=example).device == elsewhere.device


@pytest.mark.parametrize(
    "part", [np.s_[:], np.s_[:, ::2], np.s_[::-1], np.s_[:0], np.s_[0], np.s_[0, 0]]
)
def test_conversions_with_like_give_the_requested_order(part, array_device):
    host = np.arange(24.0).reshape(4, 6)
    x = to_device(array_device, host)
    for view in (lambda a: a[part], lambda a: a.T[part]):
        for function in (np.ascontiguousarray, np.asfortranarray):
            got, want = function(view(x), like=x), function(view(host))
            assert_alike(got, want, array_device)
            if want.size:
                assert got.strides == want.strides
    whole = np.asfortranarray(x.T, like=x)
    assert np.shares_memory(whole, x)


@pytest.mark.parametrize("side", ["prepend", "append"])
def test_np_diff_takes_scalars_as_slices(side, array_device):
    host = np.arange(12).reshape(3, 4) ** 2
    x = to_device(array_device, host)
    for axis in (0, 1, -1):
        for n in (0, 1, 2):
            assert_alike(
                np.diff(x, n, axis, **{side: 5}), np.diff(host, n, axis, **{side: 5}), array_device
            )
    assert_alike(np.diff(x, **{side: 0.5}), np.diff(host, **{side: 0.5}), array_device)
    scalar = sk.asarray(7, device=array_device)
    assert_alike(np.diff(x, **{side: scalar}), np.diff(host, **{side: 7}), array_device)
    more = np.ones((3, 2), dtype=int)
    assert_alike(
        np.diff(x, **{side: to_device(array_device, more)}),
        np.diff(host, **{side: more}),
        array_device,
    )


@loop_over("dtype", ["float32", "float64", "complex128", "int64"])
@loop_over("rcond", [None, -1, 1e-4])
@loop_over(("shape", "right"), [
    ((8, 3), ()), ((8, 3), (2,)), ((3, 5), ()), ((4, 4), (1,)), ((0, 3), (2,)), ((3, 0), (2,)),
])  # fmt: skip
def test_np_lstsq_equals_numpy(dtype, rcond, shape, right, array_device):
    rng = np.random.default_rng(3)
    a = rng.integers(1, 9, shape).astype(dtype)
    b = rng.integers(1, 9, shape[:1] + right).astype(dtype)
    tolerance = 1e-3 if dtype == "float32" else 1e-9
    results = np.linalg.lstsq(to_device(array_device, a), to_device(array_device, b), rcond)
    for got, want in zip(results, np.linalg.lstsq(a, b, rcond), strict=True):
        if isinstance(got, int):
            assert got == want
            continue
        assert (got.device, got.dtype, got.shape) == (
            sk.Device(array_device),
            want.dtype,
            want.shape,
        )
        np.testing.assert_allclose(to_numpy(got), want, rtol=tolerance, atol=tolerance)


def test_np_lstsq_of_dependent_columns_returns_the_rank(array_device):
    a = np.random.default_rng(4).standard_normal((9, 4))
    a[:, 1] = a[:, 2]
    b = np.arange(9.0)
    x, residuals, rank, s = np.linalg.lstsq(to_device(array_device, a), to_device(array_device, b))
    want = np.linalg.lstsq(a, b)
    assert rank == want[2] == 3
    assert residuals.shape == want[1].shape == (0,)
    np.testing.assert_allclose(to_numpy(x), want[0], atol=1e-12)
    np.testing.assert_allclose(to_numpy(s), want[3], atol=1e-12)
    with pytest.raises(ValueError, match="lstsq"):
        np.linalg.lstsq(to_device(array_device, a), to_device(array_device, b[:3]))
