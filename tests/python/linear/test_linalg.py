# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Factorizations and solutions of skerry.linalg, checked by their properties with NumPy on the host."""

import numpy as np
import pytest
import skerry as sk
from skerry import linalg

from tests.python.linear.matrices import (
    RECTANGLES,
    STACKS,
    adjoint,
    assert_close,
    check,
    complex_of,
    dtypes,
    layouts,
    random,
    real_of,
    shapes_of_squares,
    squares,
)
from tests.python.loops import loop_over
from tests.python.oracle import to_device, to_numpy


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
    singular = to_device(device, np.array([[[1.0, 2.0], [2.0, 4.0]], [[0.0, 1.0], [1.0, 0.0]]]))
    assert to_numpy(linalg.det(singular)).tolist() == [0.0, -1.0]
    assert not np.signbit(to_numpy(linalg.det(singular)))[0]
    sign, logarithm = linalg.slogdet(singular)
    assert to_numpy(sign).tolist() == [0.0, -1.0]
    assert to_numpy(logarithm).tolist() == [-np.inf, 0.0]
    wide = to_device(device, np.diag([1e200, 1e200, 1e-200, 1e-200]))
    assert abs(to_numpy(linalg.det(wide)) - 1) < 1e-12
    assert to_numpy(linalg.det(to_device(device, np.diag([1e200, 1e200])))) == np.inf
    assert to_numpy(linalg.det(to_device(device, np.diag([-1e200, 1e200, 0.0])))) == 0
    assert np.isnan(to_numpy(linalg.det(to_device(device, np.full((2, 2), np.nan)))))
    assert to_numpy(linalg.det(to_device(device, np.diag([1j, 1j])))) == -1


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
                check(linalg.solve(x, to_device(device, b)), want, device, dtype)
            if b.ndim > 1:
                for y in layouts(device, b):
                    check(linalg.solve(to_device(device, a), y), want, device, dtype)


def test_solve_promotes_and_broadcasts_the_matrix(device):
    a, b = (
        random("float32", (3, 3), 1) + 4 * np.eye(3, dtype="float32"),
        random("complex128", (2, 3, 2), 2),
    )
    check(
        linalg.solve(to_device(device, a), to_device(device, b)),
        np.linalg.solve(a.astype("complex128"), b),
        device,
        "complex128",
    )
    x1 = sk.broadcast_to(to_device(device, a), (4, 3, 3))
    check(
        linalg.solve(x1, to_device(device, b[0])),
        np.stack([np.linalg.solve(a.astype("complex128"), b[0])] * 4),
        device,
        "complex128",
    )


@squares
@dtypes
@loop_over("upper", [False, True])
def test_cholesky(dtype, n, upper, device):
    for shape in shapes_of_squares(n):
        a = random(dtype, shape, 4)
        a = (a @ adjoint(a) + (n + 1) * np.eye(n)).astype(dtype)
        junk = np.tril(np.full((n, n), 9), -1) if upper else np.triu(np.full((n, n), 9), 1)
        for x in layouts(device, (a + junk).astype(dtype)):
            factor = to_numpy(linalg.cholesky(x, upper=upper))
            assert factor.dtype == np.dtype(dtype)
            product = adjoint(factor) @ factor if upper else factor @ adjoint(factor)
            assert_close(product, a, dtype, scale=10)
            zeros = np.tril(factor, -1) if upper else np.triu(factor, 1)
            assert not zeros.any()
            assert not np.signbit(zeros.real).any()


@dtypes
@loop_over("mode", ["reduced", "complete"])
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
                assert_close(q @ r, a, dtype, scale=10)
                assert_close(adjoint(q) @ q, np.broadcast_to(np.eye(k), (*stack, k, k)), dtype)
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
                assert_close((u[..., :k] * s[..., None, :]) @ vh[..., :k, :], a, dtype, scale=10)
                for matrix in (u, adjoint(vh)):
                    unit = np.broadcast_to(
                        np.eye(matrix.shape[-1]), (*stack, *matrix.shape[-1:] * 2)
                    )
                    assert_close(adjoint(matrix) @ matrix, unit, dtype)
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
            assert_close(a @ v, v * w[..., None, :], dtype, scale=10)


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
            assert_close(a @ v, v * w[..., None, :], complex_of(dtype), scale=10)
            assert_close(np.linalg.norm(v, axis=-2), np.ones(w.shape), real_of(dtype))
            only = to_numpy(linalg.eigvals(x))
            assert only.dtype == np.dtype(complex_of(dtype))
            for one, other in zip(
                w.reshape(-1, max(n, 1)), only.reshape(-1, max(n, 1)), strict=True
            ):
                assert_close(
                    np.sort_complex(np.round(one, 3)),
                    np.sort_complex(np.round(other, 3)),
                    "float32",
                    50,
                )


def test_larger_matrices_use_blocked_code(device):
    a = random("float64", (150, 150), 9)
    x = to_device(device, a)
    assert_close(to_numpy(linalg.inv(x)) @ a, np.eye(150), "float64", 100)
    q, r = map(to_numpy, linalg.qr(x))
    assert_close(q @ r, a, "float64", 10)
    u, s, vh = map(to_numpy, linalg.svd(x))
    assert_close((u * s) @ vh, a, "float64", 10)
    h = a + a.T
    w, v = map(to_numpy, linalg.eigh(to_device(device, h)))
    assert_close((v * w) @ v.T, h, "float64", 100)
    w, v = map(to_numpy, linalg.eig(x))
    assert_close(a @ v, v * w, "complex128", 100)
    p = a @ a.T
    factor = to_numpy(linalg.cholesky(to_device(device, p)))
    assert_close(factor @ factor.T, p, "float64", 100)


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
                assert_close(a @ inverse @ a, a, dtype, 10)
                assert_close(inverse @ a @ inverse, inverse, dtype, 10)
                rank = linalg.matrix_rank(x)
                assert rank.dtype == sk.int64
                want = 0 if min(m, n) == 0 else min(m, n - 1) if min(m, n) > 1 else 1
                check(rank, np.full(stack, want), device, "int64", 0)


def test_rank_and_pinv_take_tolerances(device):
    a = to_device(device, np.stack([np.diag([1.0, 1e-3]), np.diag([4.0, 2.0])]))
    assert to_numpy(linalg.matrix_rank(a)).tolist() == [2, 2]
    assert to_numpy(linalg.matrix_rank(a, rtol=1e-2)).tolist() == [1, 2]
    assert to_numpy(linalg.matrix_rank(a, rtol=0.6)).tolist() == [1, 1]
    tolerances = to_device(device, np.array([0.0, 0.6], np.float32))
    assert to_numpy(linalg.matrix_rank(a, rtol=tolerances)).tolist() == [2, 1]
    inverse = to_numpy(linalg.pinv(a, rtol=tolerances))
    np.testing.assert_allclose(
        inverse, [np.diag([1, 1e3]), np.diag([0.25, 0])], rtol=1e-12, atol=1e-15
    )
    single = sk.astype(a, sk.float32)
    wide = linalg.pinv(single, rtol=to_device(device, np.array([1e-2, 0.6])))
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
    x = to_device(device, np.full((2, 2), 1e10))
    assert np.isinf(to_numpy(linalg.matrix_power(x, 100))).all()
    same = linalg.matrix_power(x, 1)
    same[0, 0] = 0.0
    assert to_numpy(x)[0, 0] == 1e10
