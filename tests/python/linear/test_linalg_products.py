# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Products, diagonals and norms of skerry.linalg, checked with NumPy on the host."""

import math

import numpy as np
import pytest
import skerry as sk
from skerry import linalg

from tests.python.linear.matrices import check, complex_of, dtypes, layouts, random, real_of
from tests.python.loops import loop_over
from tests.python.oracle import to_device, to_numpy


@loop_over("dtype", ["int8", "uint8", "int64", "uint64", "float32", "complex128"])
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
        # More than a block, along the axis with most vectors.
        ((3,), (20_000, 3), -1),
        ((2, 30_001, 3), (30_001, 3), -1),
        ((3, 20_001), (3, 20_001), -2),
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
            linalg.cross(to_device(device, a), to_device(device, b), axis=axis),
            np.stack(parts, axis),
            device,
            dtype,
            loose,
        )
    a, b = values((4,)), values((7,))
    # NumPy's loop over complex numbers uses fused multiply-add where the machine has it.
    rounding = 2e-15 if np.dtype(dtype).kind == "c" else 0
    check(
        linalg.outer(to_device(device, a), to_device(device, b)),
        a[:, None] * b,
        device,
        dtype,
        rounding,
    )
    check(
        linalg.outer(to_device(device, a[:0]), to_device(device, b)),
        a[:0, None] * b,
        device,
        dtype,
        0,
    )


def test_outer_keeps_the_sign_of_zeros(device):
    a, b = np.array([-1.0, 0.0, -0.0]), np.array([0.0, 2.0, -0.0])
    got = to_numpy(linalg.outer(to_device(device, a), to_device(device, b)))
    np.testing.assert_array_equal(np.signbit(got), np.signbit(a[:, None] * b))


def test_diagonal_is_a_view_and_trace_is_its_sum(device):
    a = np.arange(24, dtype="int16").reshape(2, 3, 4)
    x = to_device(device, a)
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
@loop_over("order", NORM_ORDERS)
def test_vector_norm(dtype, order, device):
    a = random(dtype, (3, 4, 5), 13)
    x = to_device(device, a)
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
        return to_numpy(
            linalg.vector_norm(to_device(device, np.asarray(values)), ord=order, **keywords)
        )

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
@loop_over("order", ["fro", "nuc", 1, 2, math.inf, -1, -2, -math.inf, None])
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
            keepdims_norm = linalg.matrix_norm(x, ord=order, keepdims=True)
            check(
                keepdims_norm,
                want.astype(real_of(dtype)).reshape(*shape[:-2], 1, 1),
                device,
                real_of(dtype),
                scale=10,
            )


def test_matrix_norm_of_empty_and_huge_matrices(device):
    for shape in [(0, 0), (0, 3), (3, 0), (2, 0, 3)]:
        x = sk.zeros(shape, device=device)
        for order in ("fro", "nuc", 1, 2, math.inf):
            got = linalg.matrix_norm(x, ord=order)
            assert got.shape == shape[:-2]
            assert not to_numpy(got).any()
    x = to_device(device, np.full((3, 3), 1e154))
    for order in ("fro", "nuc", 2):
        assert to_numpy(linalg.matrix_norm(x, ord=order)) == pytest.approx(3e154)


@pytest.mark.parametrize("dtype", ["int64", "float64", "complex128"])
def test_inner_and_dot_equal_tensordot_bits(dtype, device):
    for rows, columns in ((3, 5), (30, 30), (64, 100)):
        x, y = (to_device(device, random(dtype, (rows, columns), seed)) for seed in (1, 2))
        want = to_numpy(sk.tensordot(x, y, axes=((-1,), (-1,))))
        assert to_numpy(sk.inner(x, y)).tobytes() == want.tobytes()
        assert to_numpy(sk.dot(x, y.mT)).tobytes() == want.tobytes()


@loop_over("size", [0, 1, 4096, 4097, 70_000, 200_001])
def test_vecdot_of_bools_finds_any_position(size, device):
    no = np.zeros(size, bool)
    assert not sk.vecdot(to_device(device, no), to_device(device, ~no))
    for index in {0, 4095, 4096, 69_631, 69_632, size - 1} & set(range(size)):
        one = no.copy()
        one[index] = True
        for a, b in ((one, one), (one, ~no), (one, ~one)):
            want = bool((a & b).any())
            x, y = to_device(device, a), to_device(device, b)
            assert bool(sk.vecdot(x, y)) == want
            assert bool(sk.vdot(x, y)) == want
            assert bool(sk.vecdot(x[::-1], y[::-1])) == want
