# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""skerry.linalg: what a factoring promises, checked with NumPy on the host; errors; huge and special values."""

import contextlib
import inspect
import math
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest
import skerry as sk
from oracle import on, to_numpy
from skerry import linalg
from skerry.exceptions import AxisError, DeviceMismatchError, LinAlgError

FLOATS = ["float32", "float64", "complex64", "complex128"]
LOOSE = {"float32": 2e-4, "float64": 1e-11, "complex64": 2e-4, "complex128": 1e-11}
STACKS = [(), (3,), (2, 3), (0,), (2, 0), (70,)]
SQUARES = [0, 1, 2, 5]
RECTANGLES = [(0, 0), (0, 3), (3, 0), (1, 1), (4, 4), (5, 3), (3, 5), (1, 4), (4, 1)]


def real_of(dtype):
    return {"complex64": "float32", "complex128": "float64"}.get(dtype, dtype)


def complex_of(dtype):
    return {"float32": "complex64", "float64": "complex128"}.get(dtype, dtype)


def random(dtype, shape, seed=0):
    rng = np.random.default_rng(seed)
    values = rng.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        values = values + 1j * rng.standard_normal(shape)
    return np.asarray(values).astype(dtype)


def adjoint(x):
    return np.conj(np.swapaxes(x, -1, -2))


def layouts(where, x):
    """The same matrices in C order, in column-major order, as every other row of a taller one, and upside down."""
    yield on(where, x)
    yield on(where, np.ascontiguousarray(np.swapaxes(x, -1, -2))).mT
    taller = np.zeros((*x.shape[:-2], 2 * x.shape[-2], x.shape[-1]), x.dtype)
    taller[..., ::2, :] = x
    yield on(where, taller)[..., ::2, :]
    yield on(where, np.ascontiguousarray(x[..., ::-1]))[..., ::-1]


def check(got, want, where, dtype, loose=None, scale=1.0):
    want = np.asarray(want)
    assert isinstance(got, sk.Array)
    assert got.device == sk.Device(where)
    assert got.dtype == np.dtype(dtype), got.dtype
    assert got.shape == want.shape, (got.shape, want.shape)
    if loose == 0:
        np.testing.assert_array_equal(to_numpy(got), want)
        return
    loose = loose or LOOSE[str(np.dtype(dtype))]
    np.testing.assert_allclose(to_numpy(got), want, rtol=loose, atol=loose * scale)


def near(a, b, dtype, scale=1.0):
    assert a.shape == b.shape, (a.shape, b.shape)
    np.testing.assert_allclose(a, b, rtol=LOOSE[dtype], atol=LOOSE[dtype] * scale)


squares = pytest.mark.parametrize("n", SQUARES)
dtypes = pytest.mark.parametrize("dtype", FLOATS)


def shapes_of_squares(n):
    return [(*stack, n, n) for stack in STACKS]


@squares
@dtypes
def test_det_and_slogdet(dtype, n, device):
    for shape in shapes_of_squares(n):
        a = random(dtype, shape, 1)
        for x in layouts(device, a):
            check(linalg.det(x), np.linalg.det(a), device, dtype, scale=10)
            sign, logarithm = linalg.slogdet(x)
            want = np.linalg.slogdet(a)
            check(sign, want.sign, device, dtype)
            check(logarithm, want.logabsdet, device, real_of(dtype), scale=10)


def test_determinants_of_special_matrices(device):
    singular = on(device, np.array([[[1.0, 2.0], [2.0, 4.0]], [[0.0, 1.0], [1.0, 0.0]]]))
    assert to_numpy(linalg.det(singular)).tolist() == [0.0, -1.0]
    assert not np.signbit(to_numpy(linalg.det(singular)))[0]
    sign, logarithm = linalg.slogdet(singular)
    assert to_numpy(sign).tolist() == [0.0, -1.0]
    assert to_numpy(logarithm).tolist() == [-np.inf, 0.0]
    wide = on(device, np.diag([1e200, 1e200, 1e-200, 1e-200]))
    assert abs(to_numpy(linalg.det(wide)) - 1) < 1e-12
    assert to_numpy(linalg.det(on(device, np.diag([1e200, 1e200])))) == np.inf
    assert to_numpy(linalg.det(on(device, np.diag([-1e200, 1e200, 0.0])))) == 0
    assert np.isnan(to_numpy(linalg.det(on(device, np.full((2, 2), np.nan)))))
    assert to_numpy(linalg.det(on(device, np.diag([1j, 1j])))) == -1


@squares
@dtypes
def test_inv(dtype, n, device):
    for shape in shapes_of_squares(n):
        a = random(dtype, shape, 2) + (n + 2) * np.eye(n, dtype=dtype)
        for x in layouts(device, a):
            check(linalg.inv(x), np.linalg.inv(a), device, dtype)


@squares
@dtypes
def test_solve(dtype, n, device):
    for left in STACKS:
        a = random(dtype, (*left, n, n), 2) + (n + 2) * np.eye(n, dtype=dtype)
        rights = [(n,), (n, 1), (n, 4), (n, 0), (*left, n, 2)]
        if left == (2, 3):
            rights += [(3, n, 2), (5, 1, 1, n, 2)]
        for shape in rights:
            b = random(dtype, shape, 3)
            want = np.linalg.solve(a, b)
            for x in layouts(device, a):
                check(linalg.solve(x, on(device, b)), want, device, dtype)
            if b.ndim > 1:
                for y in layouts(device, b):
                    check(linalg.solve(on(device, a), y), want, device, dtype)


def test_solve_promotes_and_broadcasts_the_matrix(device):
    a, b = (
        random("float32", (3, 3), 1) + 4 * np.eye(3, dtype="float32"),
        random("complex128", (2, 3, 2), 2),
    )
    check(
        linalg.solve(on(device, a), on(device, b)),
        np.linalg.solve(a.astype("complex128"), b),
        device,
        "complex128",
    )
    x1 = sk.broadcast_to(on(device, a), (4, 3, 3))
    check(
        linalg.solve(x1, on(device, b[0])),
        np.stack([np.linalg.solve(a.astype("complex128"), b[0])] * 4),
        device,
        "complex128",
    )


@squares
@dtypes
@pytest.mark.parametrize("upper", [False, True])
def test_cholesky(dtype, n, upper, device):
    for shape in shapes_of_squares(n):
        a = random(dtype, shape, 4)
        a = (a @ adjoint(a) + (n + 1) * np.eye(n)).astype(dtype)
        junk = np.tril(np.full((n, n), 9), -1) if upper else np.triu(np.full((n, n), 9), 1)
        for x in layouts(device, (a + junk).astype(dtype)):
            factor = to_numpy(linalg.cholesky(x, upper=upper))
            assert factor.dtype == np.dtype(dtype)
            product = adjoint(factor) @ factor if upper else factor @ adjoint(factor)
            near(product, a, dtype, scale=10)
            zeros = np.tril(factor, -1) if upper else np.triu(factor, 1)
            assert not zeros.any()
            assert not np.signbit(zeros.real).any()


@dtypes
@pytest.mark.parametrize("mode", ["reduced", "complete"])
def test_qr(dtype, mode, device):
    for m, n in [*RECTANGLES, (20, 40), (40, 20)]:
        for stack in [(), (3,), (2, 0)]:
            a = random(dtype, (*stack, m, n), 5)
            for x in layouts(device, a):
                q, r = linalg.qr(x, mode=mode)
                k = m if mode == "complete" else min(m, n)
                assert q.shape == (*stack, m, k)
                assert r.shape == (*stack, k, n)
                assert q.dtype == r.dtype == np.dtype(dtype)
                assert q.device == r.device == sk.Device(device)
                q, r = to_numpy(q), to_numpy(r)
                near(q @ r, a, dtype, scale=10)
                near(adjoint(q) @ q, np.broadcast_to(np.eye(k), (*stack, k, k)), dtype)
                below = np.tril(r, -1)
                assert not below.any()
                assert not np.signbit(below.real).any()


@dtypes
@pytest.mark.parametrize("full", [False, True])
def test_svd(dtype, full, device):
    for m, n in [*RECTANGLES, (20, 40), (40, 20)]:
        for stack in [(), (3,), (2, 0)]:
            a = random(dtype, (*stack, m, n), 6)
            k = min(m, n)
            for x in layouts(device, a):
                result = linalg.svd(x, full_matrices=full)
                u, s, vh = map(to_numpy, result)
                assert u.shape == (*stack, m, m if full else k)
                assert vh.shape == (*stack, n if full else k, n)
                assert s.dtype == np.dtype(real_of(dtype))
                assert u.dtype == vh.dtype == np.dtype(dtype)
                assert (np.diff(s) <= 0).all()
                near((u[..., :k] * s[..., None, :]) @ vh[..., :k, :], a, dtype, scale=10)
                for matrix in (u, adjoint(vh)):
                    unit = np.broadcast_to(
                        np.eye(matrix.shape[-1]), (*stack, *matrix.shape[-1:] * 2)
                    )
                    near(adjoint(matrix) @ matrix, unit, dtype)
                check(linalg.svdvals(x), s, device, real_of(dtype), scale=10)


@squares
@dtypes
def test_eigh(dtype, n, device):
    for shape in shapes_of_squares(n):
        a = random(dtype, shape, 7)
        a = (a + adjoint(a)).astype(dtype)
        lower = (a + np.triu(np.full((n, n), 9), 1)).astype(dtype)
        for x in layouts(device, lower):
            values, vectors = linalg.eigh(x)
            check(values, np.linalg.eigvalsh(a), device, real_of(dtype), scale=10)
            check(linalg.eigvalsh(x), np.linalg.eigvalsh(a), device, real_of(dtype), scale=10)
            w, v = to_numpy(values), to_numpy(vectors)
            assert v.dtype == np.dtype(dtype)
            near(a @ v, v * w[..., None, :], dtype, scale=10)


@squares
@dtypes
def test_eig(dtype, n, device):
    for shape in shapes_of_squares(n):
        a = random(dtype, shape, 8)
        for x in layouts(device, a):
            values, vectors = linalg.eig(x)
            assert values.dtype == vectors.dtype == np.dtype(complex_of(dtype))
            w, v = to_numpy(values), to_numpy(vectors)
            assert w.shape == a.shape[:-1]
            near(a @ v, v * w[..., None, :], complex_of(dtype), scale=10)
            near(np.linalg.norm(v, axis=-2), np.ones(w.shape), real_of(dtype))
            only = to_numpy(linalg.eigvals(x))
            assert only.dtype == np.dtype(complex_of(dtype))
            for one, other in zip(
                w.reshape(-1, max(n, 1)), only.reshape(-1, max(n, 1)), strict=True
            ):
                near(
                    np.sort_complex(np.round(one, 3)),
                    np.sort_complex(np.round(other, 3)),
                    "float32",
                    50,
                )


def test_larger_matrices_use_blocked_code(device):
    a = random("float64", (150, 150), 9)
    x = on(device, a)
    near(to_numpy(linalg.inv(x)) @ a, np.eye(150), "float64", 100)
    q, r = map(to_numpy, linalg.qr(x))
    near(q @ r, a, "float64", 10)
    u, s, vh = map(to_numpy, linalg.svd(x))
    near((u * s) @ vh, a, "float64", 10)
    h = a + a.T
    w, v = map(to_numpy, linalg.eigh(on(device, h)))
    near((v * w) @ v.T, h, "float64", 100)
    w, v = map(to_numpy, linalg.eig(x))
    near(a @ v, v * w, "complex128", 100)
    p = a @ a.T
    factor = to_numpy(linalg.cholesky(on(device, p)))
    near(factor @ factor.T, p, "float64", 100)


@dtypes
def test_pinv_and_matrix_rank(dtype, device):
    for m, n in RECTANGLES:
        for stack in [(), (3,), (2, 0)]:
            a = random(dtype, (*stack, m, n), 10)
            if min(m, n) > 1:
                a[..., :, 1] = a[..., :, 0]
            for x in layouts(device, a):
                got = linalg.pinv(x)
                assert got.shape == (*stack, n, m)
                assert got.dtype == np.dtype(dtype)
                inverse = to_numpy(got)
                near(a @ inverse @ a, a, dtype, 10)
                near(inverse @ a @ inverse, inverse, dtype, 10)
                rank = linalg.matrix_rank(x)
                assert rank.dtype == sk.int64
                want = 0 if min(m, n) == 0 else min(m, n - 1) if min(m, n) > 1 else 1
                check(rank, np.full(stack, want), device, "int64", 0)


def test_tolerances(device):
    a = on(device, np.stack([np.diag([1.0, 1e-3]), np.diag([4.0, 2.0])]))
    assert to_numpy(linalg.matrix_rank(a)).tolist() == [2, 2]
    assert to_numpy(linalg.matrix_rank(a, rtol=1e-2)).tolist() == [1, 2]
    assert to_numpy(linalg.matrix_rank(a, rtol=0.6)).tolist() == [1, 1]
    each = on(device, np.array([0.0, 0.6], np.float32))
    assert to_numpy(linalg.matrix_rank(a, rtol=each)).tolist() == [2, 1]
    inverse = to_numpy(linalg.pinv(a, rtol=each))
    np.testing.assert_allclose(
        inverse, [np.diag([1, 1e3]), np.diag([0.25, 0])], rtol=1e-12, atol=1e-15
    )
    single = sk.astype(a, sk.float32)
    wide = linalg.pinv(single, rtol=on(device, np.array([1e-2, 0.6])))
    assert wide.dtype == sk.float32
    np.testing.assert_allclose(to_numpy(wide), [np.diag([1, 0]), np.diag([0.25, 0])], rtol=1e-6)


@dtypes
def test_matrix_power(dtype, device):
    for shape in [(0, 0), (1, 1), (3, 3), (2, 3, 3), (0, 3, 3)]:
        n = shape[-1]
        a = (random(dtype, shape, 11) / 2 + 2 * np.eye(n)).astype(dtype)
        for x in layouts(device, a):
            for power in (-3, -1, 0, 1, 2, 3, 7, 10):
                check(
                    linalg.matrix_power(x, power),
                    np.linalg.matrix_power(a, power),
                    device,
                    dtype,
                    scale=100,
                )
    x = on(device, np.full((2, 2), 1e10))
    assert np.isinf(to_numpy(linalg.matrix_power(x, 100))).all()
    same = linalg.matrix_power(x, 1)
    same[0, 0] = 0.0
    assert to_numpy(x)[0, 0] == 1e10


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int64", "uint64", "float32", "complex128"])
def test_cross_and_outer(dtype, device):
    rng = np.random.default_rng(12)

    def values(shape):
        if np.dtype(dtype).kind in "iu":
            limits = np.iinfo(dtype)
            return rng.integers(limits.min, limits.max, shape, dtype=dtype, endpoint=True)
        return random(dtype, shape, int(rng.integers(1000)))

    for first, second, axis in [
        ((3,), (3,), -1),
        ((4, 1, 3), (5, 3), -1),
        ((3, 2), (3, 1), -2),
        ((0, 3), (3,), -1),
    ]:
        a, b = values(first), values(second)
        aa, bb = np.moveaxis(a, axis, -1), np.moveaxis(b, axis, -1)
        with np.errstate(over="ignore"):
            parts = [
                aa[..., (i + 1) % 3] * bb[..., (i + 2) % 3]
                - aa[..., (i + 2) % 3] * bb[..., (i + 1) % 3]
                for i in range(3)
            ]
        loose = 0 if np.dtype(dtype).kind in "iu" else None
        check(
            linalg.cross(on(device, a), on(device, b), axis=axis),
            np.stack(parts, axis),
            device,
            dtype,
            loose,
        )
    a, b = values((4,)), values((7,))
    check(linalg.outer(on(device, a), on(device, b)), a[:, None] * b, device, dtype, 0)
    check(linalg.outer(on(device, a[:0]), on(device, b)), a[:0, None] * b, device, dtype, 0)


def test_outer_keeps_the_sign_of_zeros(device):
    a, b = np.array([-1.0, 0.0, -0.0]), np.array([0.0, 2.0, -0.0])
    got = to_numpy(linalg.outer(on(device, a), on(device, b)))
    np.testing.assert_array_equal(np.signbit(got), np.signbit(a[:, None] * b))


def test_diagonal_is_a_view_and_trace_its_sum(device):
    a = np.arange(24, dtype="int16").reshape(2, 3, 4)
    x = on(device, a)
    for offset in (0, 1, -1, 3, -2, 4, -3, 1024, -1024, 2**70, -(2**70)):
        small = max(min(offset, 100), -100)
        check(linalg.diagonal(x, offset=offset), np.diagonal(a, small, 1, 2), device, "int16", 0)
        check(linalg.trace(x, offset=offset), np.trace(a, small, 1, 2), device, "int64", 0)
    check(linalg.trace(sk.astype(x, sk.uint8)), np.trace(a, 0, 1, 2), device, "uint64", 0)
    check(
        linalg.trace(x, dtype=sk.float32),
        np.trace(a, 0, 1, 2).astype("float32"),
        device,
        "float32",
        0,
    )
    check(
        linalg.trace(sk.astype(x, sk.complex64)),
        np.trace(a, 0, 1, 2).astype("complex64"),
        device,
        "complex64",
        0,
    )
    linalg.diagonal(x, offset=1)[...] = -7
    assert (np.diagonal(to_numpy(x), 1, 1, 2) == -7).all()


NORM_ORDERS = [0, 1, 2, 3, 2.5, 0.5, -1, -2, math.inf, -math.inf]


@dtypes
@pytest.mark.parametrize("order", NORM_ORDERS)
def test_vector_norm(dtype, order, device):
    a = random(dtype, (3, 4, 5), 13)
    x = on(device, a)
    for view, base in [
        (x, a),
        (x[::2, ::-1, :], a[::2, ::-1]),
        (sk.permute_dims(x, (2, 0, 1)), a.transpose(2, 0, 1)),
    ]:
        for axis in (None, 0, -1, (0, 2), (2, 1), (0, 1, 2), ()):
            for keepdims in (False, True):
                got = linalg.vector_norm(view, axis=axis, keepdims=keepdims, ord=order)
                size = np.abs(base).astype("float64")
                axes = tuple(range(3)) if axis is None else axis
                if order == 0:
                    want = np.sum(size != 0, axis=axes, keepdims=keepdims)
                elif order == math.inf:
                    want = np.max(size, axis=axes, keepdims=keepdims)
                elif order == -math.inf:
                    want = np.min(size, axis=axes, keepdims=keepdims)
                else:
                    want = np.sum(size**order, axis=axes, keepdims=keepdims) ** (1 / order)
                check(got, np.asarray(want, real_of(dtype)), device, real_of(dtype))


def test_vector_norm_of_special_values(device):
    def norm(values, order=2, **keywords):
        return to_numpy(linalg.vector_norm(on(device, np.asarray(values)), ord=order, **keywords))

    assert norm([3.0, 4.0]) == 5
    assert norm(-3.5) == 3.5
    assert norm([0.0, -0.0]) == 0
    for order in (2, 3):
        assert norm([1e154] * 4, order) == pytest.approx(1e154 * 4 ** (1 / order), rel=1e-12)
        assert norm([1e300, 1e300], order) == pytest.approx(1e300 * 2 ** (1 / order), rel=1e-12)
        assert norm([1e-300, 1e-300], order) == pytest.approx(1e-300 * 2 ** (1 / order), rel=1e-12)
        assert norm([5e-324], order) == 5e-324
        assert norm([np.inf, 1.0], order) == np.inf
        assert np.isnan(norm([np.nan, 1.0], order))
        assert np.isnan(norm([np.nan, np.inf], order))
        assert norm([1e30, 1e30j], order) == pytest.approx(1e30 * 2 ** (1 / order))
    assert norm(np.array([1e30, 1e30], np.float32)) == pytest.approx(1.4142135e30, rel=1e-6)
    assert norm([1e200, 1e-200], -2) == pytest.approx(1e-200)
    assert norm([0.0, 1.0], -1) == 0
    assert norm([[1e-320, 0.0], [1e300, 1e300]], axis=1)[1] == pytest.approx(1.4142135623730951e300)
    for order in (1, 2, 3, math.inf, 0):
        assert norm(np.zeros((0, 3)), order) == 0
        assert norm(np.zeros((0, 3)), order, axis=0).tolist() == [0, 0, 0]
        assert norm(np.zeros((0, 3)), order, axis=1).shape == (0,)


@dtypes
@pytest.mark.parametrize("order", ["fro", "nuc", 1, 2, math.inf, -1, -2, -math.inf, None])
def test_matrix_norm(dtype, order, device):
    for shape in [(1, 1), (3, 4), (5, 2), (2, 3, 4), (0, 3, 4)]:
        a = random(dtype, shape, 14)
        want = (
            np.linalg.norm(a.astype(complex_of(dtype)), order, (-2, -1))
            if a.size
            else np.zeros(shape[:-2])
        )
        for x in layouts(device, a):
            check(
                linalg.matrix_norm(x, ord=order),
                want.astype(real_of(dtype)),
                device,
                real_of(dtype),
                scale=10,
            )
            kept = linalg.matrix_norm(x, ord=order, keepdims=True)
            check(
                kept,
                want.astype(real_of(dtype)).reshape(*shape[:-2], 1, 1),
                device,
                real_of(dtype),
                scale=10,
            )


def test_matrix_norm_without_elements_and_with_huge_ones(device):
    for shape in [(0, 0), (0, 3), (3, 0), (2, 0, 3)]:
        x = sk.zeros(shape, device=device)
        for order in ("fro", "nuc", 1, 2, math.inf):
            got = linalg.matrix_norm(x, ord=order)
            assert got.shape == shape[:-2]
            assert not to_numpy(got).any()
    x = on(device, np.full((3, 3), 1e154))
    for order in ("fro", "nuc", 2):
        assert to_numpy(linalg.matrix_norm(x, ord=order)) == pytest.approx(3e154)


def test_huge_finite_values_stay_finite(device):
    for dtype, huge in [
        ("float64", 1e154),
        ("complex128", 1e154 + 1e154j),
        ("float32", 1e19),
        ("complex64", 1e19j),
    ]:
        a = (random(dtype, (4, 3), 15) * huge).astype(dtype)
        x = on(device, a)
        for result in [
            *linalg.svd(x),
            *linalg.qr(x),
            linalg.svdvals(x),
            linalg.pinv(x),
            linalg.matrix_norm(x),
        ]:
            assert np.isfinite(to_numpy(result)).all()
        assert to_numpy(linalg.matrix_rank(x)) == 3


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@dtypes
def test_nan_and_infinity_neither_hang_nor_crash(dtype, bad, device):
    for n in (2, 30, 80):
        a = random(dtype, (n, n), 16)
        a[n // 2, n // 3] = bad
        x = on(device, a)
        for call in (
            linalg.svd,
            linalg.svdvals,
            linalg.eigh,
            linalg.eigvalsh,
            linalg.eig,
            linalg.eigvals,
        ):
            with pytest.raises(LinAlgError, match="NaN or infinity"):
                call(x)
        for call in (linalg.pinv, linalg.matrix_rank):
            with pytest.raises(LinAlgError):
                call(x)
        (
            linalg.qr(x),
            linalg.det(x),
            linalg.slogdet(x),
            linalg.matrix_power(x, 3),
            linalg.matrix_norm(x),
        )
        for call in (linalg.inv, linalg.cholesky, lambda y: linalg.solve(y, y)):
            with contextlib.suppress(LinAlgError):
                call(x)


def test_singular_matrices_raise_in_the_call(device):
    singular = np.array([[1.0, 2.0], [2.0, 4.0]])
    x = on(device, singular)
    stack = on(device, np.stack([np.eye(2), singular, np.eye(2)]))
    ones = sk.ones((2,), device=device)
    for call in (
        lambda: linalg.inv(x),
        lambda: linalg.solve(x, ones),
        lambda: linalg.matrix_power(x, -2),
        lambda: linalg.inv(sk.zeros((3, 3), device=device)),
        lambda: linalg.cholesky(on(device, np.array([[1.0, 2.0], [2.0, 1.0]]))),
        lambda: linalg.cholesky(on(device, -np.eye(3, dtype="complex64"))),
    ):
        with pytest.raises(LinAlgError):
            call()
        with pytest.raises(ValueError):
            call()
        with pytest.raises(np.linalg.LinAlgError):
            call()
    with pytest.raises(LinAlgError, match="matrix 1 of the stack"):
        linalg.inv(stack)
    with pytest.raises(LinAlgError, match="matrix 1 of the stack"):
        linalg.solve(stack, ones)


def test_bad_shapes_and_dtypes(device):
    def ones(*shape, dtype=sk.float64):
        return sk.ones(shape, dtype=dtype, device=device)

    of_squares = [linalg.det, linalg.slogdet, linalg.inv, linalg.cholesky, linalg.eig, linalg.eigvals, linalg.eigh,
                  linalg.eigvalsh, lambda x: linalg.matrix_power(x, 2), lambda x: linalg.solve(x, x)]  # fmt: skip
    of_matrices = [*of_squares, linalg.qr, linalg.svd, linalg.svdvals, linalg.pinv, linalg.matrix_rank,
                   linalg.matrix_norm, linalg.diagonal, linalg.trace]  # fmt: skip
    for call in of_squares:
        for shape in [(2, 3), (3, 2, 1), (0, 2)]:
            with pytest.raises(ValueError):
                call(ones(*shape))
    for call in of_matrices:
        for shape in [(), (3,)]:
            with pytest.raises(ValueError):
                call(ones(*shape))
        if call not in (linalg.diagonal, linalg.trace):
            for dtype in (sk.int64, sk.bool, sk.uint8):
                with pytest.raises(TypeError):
                    call(ones(2, 2, dtype=dtype))
        with pytest.raises(TypeError):
            call(np.ones((2, 2)))
    for call in (
        lambda: linalg.solve(ones(2, 2), ones(3)),
        lambda: linalg.solve(ones(2, 2), ones()),
        lambda: linalg.solve(ones(2, 2), ones(2, 3, 1)),
        lambda: linalg.solve(ones(2, 2, 2), ones(3, 2, 1)),
        lambda: linalg.cross(ones(2), ones(2)),
        lambda: linalg.cross(ones(3), ones(1)),
        lambda: linalg.cross(ones(2, 3), ones(4, 3)),
        lambda: linalg.cross(ones(3), ones(3), axis=0),
        lambda: linalg.outer(ones(2, 2), ones(2)),
        lambda: linalg.outer(ones(), ones(2)),
        lambda: linalg.qr(ones(2, 2), mode="r"),
        lambda: linalg.matrix_norm(ones(2, 2), ord=3),
        lambda: linalg.matrix_norm(ones(2, 2), ord="max"),
        lambda: linalg.vector_norm(ones(2, 2), ord=math.nan),
        lambda: linalg.vector_norm(ones(2, 2), axis=(0, 0)),
    ):
        with pytest.raises(ValueError):
            call()
    for axis in (2, -3, (0, 5)):
        with pytest.raises(AxisError):
            linalg.vector_norm(ones(2, 2), axis=axis)
    for call in (
        lambda: linalg.vector_norm(ones(2, dtype=sk.int32)),
        lambda: linalg.vector_norm(ones(2), ord="fro"),
        lambda: linalg.cross(ones(3, dtype=sk.bool), ones(3, dtype=sk.bool)),
        lambda: linalg.outer(ones(3, dtype=sk.bool), ones(3, dtype=sk.bool)),
        lambda: linalg.trace(ones(3, 3, dtype=sk.bool)),
        lambda: linalg.solve(ones(2, 2), ones(2, dtype=sk.int64)),
        lambda: linalg.matrix_rank(ones(2, 2), rtol="x"),
        lambda: linalg.matrix_rank(ones(2, 2), rtol=ones(dtype=sk.int64)),
        lambda: linalg.matrix_power(ones(2, 2), 1.5),
    ):
        with pytest.raises(TypeError):
            call()


def test_results_are_named_tuples_that_pickle():
    x = sk.asarray([[2.0, 1.0], [1.0, 2.0]])
    for call, name, fields in [
        (linalg.eig, "EigResult", ("eigenvalues", "eigenvectors")),
        (linalg.eigh, "EighResult", ("eigenvalues", "eigenvectors")),
        (linalg.qr, "QRResult", ("Q", "R")),
        (linalg.slogdet, "SlogdetResult", ("sign", "logabsdet")),
        (linalg.svd, "SVDResult", ("U", "S", "Vh")),
    ]:
        result = call(x)
        assert isinstance(result, tuple)
        assert type(result).__name__ == name
        assert type(result) is getattr(linalg, name)
        assert result._fields == fields
        assert all(result[i] is getattr(result, field) for i, field in enumerate(fields))
        assert type(pickle.loads(pickle.dumps(result))) is type(result)
    with pytest.raises(AttributeError):
        _ = linalg.LstsqResult


def test_functions_belong_to_the_module():
    assert set(linalg.__all__) == {
        name
        for name in dir(linalg)
        if callable(getattr(linalg, name)) and name[0] != "_" and name != "Any"
    }
    for name in linalg.__all__:
        function = getattr(linalg, name)
        assert function.__doc__
        assert pickle.loads(pickle.dumps(function)) is function
    assert linalg.inv.__module__ == "skerry.linalg"
    assert linalg.matmul is sk.matmul


def python(code, **environment):
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_lapack_works_in_a_forked_child():
    out = python(
        "import os, skerry as sk\n"
        "x = sk.astype(sk.reshape(sk.arange(40000), (200, 200)) % 97, sk.float64) + 200 * sk.eye(200)\n"
        "before = float(sk.linalg.det(x @ x) > 0), float(sk.linalg.svdvals(x)[0])\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    sk.linalg.inv(x) @ x\n"
        "    os._exit(0 if abs(float(sk.linalg.svdvals(x)[0]) - before[1]) < 1e-6 else 3)\n"
        "print(os.waitpid(child, 0)[1])"
    )
    assert out.strip() == "0"


def test_without_openblas_the_remedy_is_named():
    code = (
        "import skerry as sk, skerry._openblas as o\n"
        "o.library = lambda: None\n"
        "x = sk.ones((2, 2))\n"
        "print(sk.astype(x, sk.int64) @ sk.astype(x, sk.int64))\n"
        "for call in (lambda: x @ x, lambda: sk.linalg.inv(x)):\n"
        "    try: call()\n"
        "    except RuntimeError as error: print(error)\n"
        "    else: raise SystemExit('found')\n"
    )
    out = python(code, SKERRY_OPENBLAS="/nowhere/libopenblas.so")
    assert out.count("pip install scipy-openblas32") == 2


def test_threads_of_openblas_follow(device):
    before = sk.get_num_threads()
    a = random("float64", (300, 300), 17)
    x = on(device, a)
    try:
        for threads in (1, 3, 2):
            sk.set_num_threads(threads)
            near(to_numpy(x @ x), a @ a, "float64", 100)
    finally:
        sk.set_num_threads(before)


TWO_ARRAYS = {
    "cross": linalg.cross,
    "matmul": linalg.matmul,
    "outer": linalg.outer,
    "solve": lambda a, b: linalg.solve(sk.reshape(a, (1, 3))[:, :1], b[:1]),
    "tensordot": lambda a, b: linalg.tensordot(a, b, axes=1),
    "vecdot": linalg.vecdot,
    "matrix_rank": lambda a, b: linalg.matrix_rank(sk.reshape(a, (3, 1)), rtol=b[0]),
    "pinv": lambda a, b: linalg.pinv(sk.reshape(a, (3, 1)), rtol=b[0]),
}


@pytest.mark.parametrize("name", TWO_ARRAYS)
def test_arrays_on_two_devices_raise(name):
    pairs = [("cpu:0", "cpu:1"), ("cpu:0", "cuda:0"), ("cuda:1", "cpu:1"), ("cuda:0", "cuda:1")]
    for first, second in pairs:
        with pytest.raises(DeviceMismatchError) as caught:
            TWO_ARRAYS[name](sk.ones((3,), device=first), sk.ones((3,), device=second))
        assert first in str(caught.value)
        assert second in str(caught.value)


def test_every_function_of_two_arrays_is_in_that_walk():
    for name in linalg.__all__:
        parameters = set(inspect.signature(getattr(linalg, name)).parameters)
        if parameters & {"x2", "rtol"}:
            assert name in TWO_ARRAYS, name
