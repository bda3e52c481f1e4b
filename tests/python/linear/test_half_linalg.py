# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""float16 in products and skerry.linalg: computed in float32 and rounded once. Functions of LAPACK reject it."""

import math

import numpy as np
import pytest
import skerry as sk
from skerry import linalg
from skerry.exceptions import DeviceMismatchError

from tests.python.linear.matrices import layouts, random
from tests.python.loops import loop_over
from tests.python.oracle import to_device, to_numpy

HALF = np.float16


def half(*shape, seed=0):
    return random(HALF, shape, seed)


def assert_rounded_once(got, exact, size, device):
    """``got`` equals ``exact``, in float64, within one rounding to float16 and the error of float32 relative to ``size``."""
    assert got.device == sk.Device(device)
    assert got.dtype == HALF
    assert got.shape == np.shape(exact)
    ulp = np.spacing(np.abs(exact).astype(HALF)).astype(np.float64)
    error = np.abs(to_numpy(got).astype(np.float64) - exact)
    assert np.all(error <= 0.5 * ulp + 1e-6 * size)


def dot(a, b):
    return np.sum(a.astype("f8") * b.astype("f8"), axis=-1)


@loop_over("n", [1, 31, 32, 33, 1023, 1024, 1025, 4097, 70_000])
def test_vecdot_is_rounded_once(n, device):
    a, b = half(3, n, seed=1), half(3, n, seed=2)
    size = dot(np.abs(a), np.abs(b))
    for x, y in zip(layouts(device, a), layouts(device, b), strict=True):
        assert_rounded_once(sk.vecdot(x, y), dot(a, b), size, device)
    x, y = to_device(device, a), to_device(device, b)
    assert_rounded_once(sk.vecdot(x[0, :], y[0, :]), dot(a[0], b[0]), size[0], device)
    assert_rounded_once(sk.vecdot(x[:1, :], y), dot(a[:1], b), dot(abs(a[:1]), abs(b)), device)
    assert_rounded_once(sk.vecdot(x.T, y.T, axis=-2), dot(a, b), size, device)
    assert_rounded_once(sk.vecdot(x.T[:, :1], y.T, axis=-2), dot(a[:1], b), 1 + size, device)


@pytest.mark.parametrize(("m", "k", "n"), [(1, 7, 1), (3, 1, 4), (33, 65, 17), (2, 3000, 5)])
def test_matmul_is_rounded_once(m, k, n, device):
    a, b = half(2, m, k, seed=1), half(2, k, n, seed=2)
    exact = a.astype("f8") @ b.astype("f8")
    size = abs(a).astype("f8") @ abs(b).astype("f8")
    for x in layouts(device, a):
        for y in layouts(device, b):
            assert_rounded_once(x @ y, exact, size, device)
    x, y = to_device(device, a), to_device(device, b)
    assert_rounded_once(x[0, :, :] @ y, a[0].astype("f8") @ b, 2 * size.max(), device)
    assert_rounded_once(x @ y[1, :, 0], a.astype("f8") @ b[1, :, 0], 2 * size.max(), device)
    square = a.astype("f8") @ np.swapaxes(a, 1, 2)
    assert_rounded_once(x @ x.mT, square, square.max(), device)


@pytest.mark.parametrize("n", [2048, 2049, 5000, 60_000])
def test_float16_sums_of_ones_exceed_2048(n, device):
    ones = to_device(device, np.ones(n, HALF))
    want = HALF(n)
    assert to_numpy(sk.vecdot(ones, ones)) == want
    assert to_numpy(ones @ ones) == want
    assert to_numpy(sk.tensordot(ones, ones, axes=1)) == want
    assert to_numpy(sk.broadcast_to(ones, (3, n)) @ ones).tolist() == [want] * 3


def test_float16_products_do_not_overflow_in_between(device):
    a = to_device(device, np.array([300, 300, 1], HALF))
    b = to_device(device, np.array([300, -300, 1], HALF))
    assert to_numpy(sk.vecdot(a, b)) == 1
    assert to_numpy(a @ b) == 1
    assert to_numpy(linalg.cross(a, b)).tolist() == [600, 0, -np.inf]
    assert to_numpy(a @ a) == np.inf
    assert np.isnan(to_numpy(sk.vecdot(a, to_device(device, np.array([np.inf, -np.inf, 1], HALF)))))
    tiny = to_device(device, np.full(4, 2.0**-13, HALF))
    assert to_numpy(tiny @ tiny) == 2.0**-24


def test_float16_products_without_elements(device):
    for first, second in [((0, 4), (4, 3)), ((3, 0), (0, 2)), ((2, 0, 3, 4), (4, 1))]:
        got = to_device(device, np.ones(first, HALF)) @ to_device(device, np.ones(second, HALF))
        assert got.dtype == HALF
        assert got.device == sk.Device(device)
        want = np.ones(first) @ np.ones(second)
        np.testing.assert_array_equal(to_numpy(got), want)
        assert got.shape == want.shape
    empty = to_device(device, np.ones((2, 0), HALF))
    np.testing.assert_array_equal(to_numpy(sk.vecdot(empty, empty)), [0, 0])


@pytest.mark.usefixtures("strict_promotion")
def test_float16_promotion_and_in_place_matmul(device):
    a, b = half(3, 3, seed=1), half(3, 3, seed=2)
    x = to_device(device, a)
    y = to_device(device, b.astype("f4"))
    assert (x @ y).dtype == np.float32
    np.testing.assert_allclose(to_numpy(x @ y), a.astype("f4") @ b.astype("f4"), rtol=1e-5)
    x @= to_device(device, b)
    assert_rounded_once(x, a.astype("f8") @ b, 10, device)
    with pytest.raises(TypeError, match="can't be stored in place in x1"):
        x @= y
    with pytest.raises(TypeError):
        x @ to_device(device, np.ones((3, 3), np.int64))


def test_float16_products_of_mixed_devices_raise():
    for call, shape in [
        (sk.matmul, (3, 3)),
        (sk.vecdot, (3, 3)),
        (sk.tensordot, (3, 3)),
        (linalg.cross, (3, 3)),
        (linalg.outer, (3,)),
    ]:
        with pytest.raises(DeviceMismatchError, match=call.__name__):
            call(
                to_device("cpu:0", np.ones(shape, HALF)), to_device("cuda:0", np.ones(shape, HALF))
            )


def test_float16_cross_and_outer(device):
    a, b = half(4, 1, 3, seed=1), half(5, 3, seed=2)
    exact = np.cross(a.astype("f8"), b.astype("f8"))
    assert_rounded_once(linalg.cross(to_device(device, a), to_device(device, b)), exact, 10, device)
    a, b = half(4, seed=3), half(7, seed=4)
    got = linalg.outer(to_device(device, a), to_device(device, b))
    np.testing.assert_array_equal(to_numpy(got), a[:, None] * b)
    assert got.dtype == HALF


def test_float16_views_traces_and_powers(device):
    a = half(2, 3, 4)
    x = to_device(device, a)
    np.testing.assert_array_equal(to_numpy(linalg.diagonal(x, offset=1)), np.diagonal(a, 1, 1, 2))
    np.testing.assert_array_equal(to_numpy(linalg.matrix_transpose(x)), np.swapaxes(a, 1, 2))
    exact = np.trace(a.astype("f8"), 0, 1, 2)
    assert_rounded_once(linalg.trace(x), exact, 10, device)
    square = np.array([[2, 1], [0, 0.5]], HALF)
    for n in (0, 1, 2, 5):
        got = linalg.matrix_power(to_device(device, square), n)
        np.testing.assert_array_equal(to_numpy(got), np.linalg.matrix_power(square.astype("f8"), n))
        assert got.dtype == HALF


@loop_over("order", [0, 1, 2, 3, 0.5, -1, -2, math.inf, -math.inf])
def test_float16_vector_norm(order, device):
    a = half(3, 4, 50, seed=5) / HALF(16)
    size = np.abs(a).astype("f8")
    for axis in (None, 1, (0, 2)):
        axes = (0, 1, 2) if axis is None else axis
        if order == 0:
            want = np.sum(size != 0, axis=axes)
        elif math.isinf(order):
            want = (np.max if order > 0 else np.min)(size, axis=axes)
        else:
            want = np.sum(size**order, axis=axes) ** (1 / order)
        got = linalg.vector_norm(to_device(device, a), axis=axis, ord=order)
        assert_rounded_once(got, np.asarray(want, "f8"), 4 * np.abs(want), device)


def test_float16_norms_do_not_overflow_in_between(device):
    x = to_device(device, np.full((16, 16), 300, HALF))
    for norm in (linalg.vector_norm(x), linalg.matrix_norm(x), linalg.matrix_norm(x, ord=1)):
        assert norm.dtype == HALF
        assert to_numpy(norm) == 4800
    tiny = to_device(device, np.full((2, 2), 2.0**-24, HALF))
    assert to_numpy(linalg.vector_norm(tiny)) == 2.0**-23
    assert to_numpy(linalg.vector_norm(to_device(device, np.array([6e4, 6e4], HALF)))) == np.inf
    assert np.isnan(to_numpy(linalg.vector_norm(to_device(device, np.array([np.nan, 1], HALF)))))
    assert to_numpy(linalg.vector_norm(to_device(device, np.zeros(0, HALF)))) == 0


@pytest.mark.parametrize("order", ["fro", 1, -1, math.inf, -math.inf])
def test_float16_matrix_norm(order, device):
    a = half(2, 5, 3, seed=6)
    exact = np.linalg.norm(a.astype("f8"), order, (1, 2))
    for keepdims in (False, True):
        want = exact.reshape(2, 1, 1) if keepdims else exact
        got = linalg.matrix_norm(to_device(device, a), ord=order, keepdims=keepdims)
        assert_rounded_once(got, want, 4 * want, device)


REFUSED = {
    **{
        name: getattr(linalg, name)
        for name in "cholesky det eig eigh eigvals eigvalsh inv matrix_rank pinv qr slogdet svd svdvals".split()
    },
    "solve": lambda x: linalg.solve(x, x),
    "matrix_power": lambda x: linalg.matrix_power(x, -1),
    **{
        f"matrix_norm {order}": lambda x, order=order: linalg.matrix_norm(x, ord=order)
        for order in (2, -2, "nuc")
    },
}


@pytest.mark.parametrize("name", REFUSED)
def test_lapack_functions_reject_float16(name, device):
    for shape in [(3, 3), (2, 0, 0)]:
        x = to_device(device, np.ones(shape, HALF))
        with pytest.raises(TypeError) as error:
            REFUSED[name](x)
        text = str(error.value)
        assert text.startswith(f"{name.split()[0]}: ")
        assert "is float16" in text
        assert "expected float32, float64, complex64, complex128; convert with astype" in text


def test_solve_rejects_float16_on_the_right(device):
    x = to_device(device, np.eye(3, dtype=np.float32))
    with pytest.raises(TypeError, match="x2 is float16"):
        linalg.solve(x, to_device(device, np.ones(3, HALF)))


@pytest.mark.usefixtures("strict_promotion")
def test_dtype_errors_list_float16(device):
    x = to_device(device, np.ones((3, 3), np.int64))
    for call in (linalg.vector_norm, linalg.matrix_norm, lambda y: linalg.matrix_power(y, 2)):
        with pytest.raises(TypeError, match="expected float16, bfloat16, float32, float64"):
            call(x)
