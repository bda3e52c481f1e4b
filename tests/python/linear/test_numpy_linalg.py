# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""NumPy's functions and arguments in skerry.linalg beyond the standard, beside numpy.linalg."""

import itertools
import math

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
    dtypes,
    layouts,
    random,
    real_of,
    shapes_of_squares,
    squares,
)
from tests.python.loops import loop_over
from tests.python.oracle import to_device, to_numpy

VECTOR_ORDERS = [None, 0, 1, -1, 2, -2, 0.5, 3, math.inf, -math.inf]
MATRIX_ORDERS = [None, "fro", "nuc", 1, -1, 2, -2, math.inf, -math.inf]


@dtypes
@loop_over("ord", VECTOR_ORDERS)
@loop_over("keepdims", [False, True])
def test_norm_of_vectors(dtype, ord, keepdims, device):
    for shape, axis in [((7,), None), ((7,), 0), ((3, 4), -1), ((2, 3, 4), 1), ((2, 0, 4), 0)]:
        a = random(dtype, shape, 1)
        want = np.linalg.norm(a, ord, axis, keepdims)
        for x in (to_device(device, a), to_device(device, a[..., ::-1])[..., ::-1]):
            check(linalg.norm(x, ord, axis, keepdims), want, device, real_of(dtype))


@dtypes
@loop_over("ord", MATRIX_ORDERS)
@loop_over("keepdims", [False, True])
def test_norm_of_matrices(dtype, ord, keepdims, device):
    cases = [
        ((3, 4), None),
        ((3, 4), (1, 0)),
        ((2, 3, 4), (0, 2)),
        ((2, 3, 4), (-1, -2)),
        ((0, 3, 4), (1, 2)),
    ]
    for shape, axis in cases:
        a = random(dtype, shape, 2)
        want = np.linalg.norm(a, ord, axis, keepdims)
        for x in layouts(device, a):
            got = linalg.norm(x, ord=ord, axis=axis, keepdims=keepdims)
            check(got, want, device, real_of(dtype))


def test_norm_of_integers_and_of_all_axes(device):
    a = np.arange(-12, 12).reshape(2, 3, 4)
    check(linalg.norm(to_device(device, a)), np.linalg.norm(a), device, "float64")
    check(
        linalg.norm(to_device(device, a), keepdims=True),
        np.linalg.norm(a, keepdims=True),
        device,
        "float64",
    )
    check(
        linalg.norm(to_device(device, a), 1, (0, 1)),
        np.linalg.norm(a, 1, (0, 1)),
        device,
        "float64",
    )
    check(linalg.norm(to_device(device, np.array(-3.0))), np.float64(3), device, "float64")
    check(
        linalg.norm(to_device(device, np.array([3e300, 4e300]))),
        np.float64(5e300),
        device,
        "float64",
    )
    assert linalg.norm([3, 4]).item() == 5


@loop_over(
    "number", [3, -3, 0, True, -2.5, 3 + 4j, math.nan, np.float32(-2.5), np.complex64(3 - 4j)]
)
def test_norm_of_numbers(number, device):
    want = np.linalg.norm(number)
    with sk.device(device):
        check(linalg.norm(number), want, device, str(want.dtype))
        check(linalg.norm(number, axis=()), want, device, str(want.dtype))
        with pytest.raises(
            ValueError, match=r"^norm: ord= needs one or two axes, not 0; pass axis=$"
        ):
            linalg.norm(number, 2)


@dtypes
@loop_over("p", MATRIX_ORDERS)
def test_cond(dtype, p, device):
    for shape in [(1, 1), (4, 4), (3, 4, 4), (2, 3, 2, 2), (0, 3, 3)]:
        a = random(dtype, shape, 3) + 3 * np.eye(shape[-1], dtype=dtype)
        for x in layouts(device, a):
            check(linalg.cond(x, p), np.linalg.cond(a, p), device, real_of(dtype), scale=100)
    if p in (None, 2, -2):
        a = random(dtype, (2, 5, 3), 4)
        check(linalg.cond(to_device(device, a), p), np.linalg.cond(a, p), device, real_of(dtype))


@loop_over("p", MATRIX_ORDERS)
def test_cond_of_singular_and_not_finite_matrices(p, device):
    a = np.stack(
        [np.eye(2), np.zeros((2, 2)), [[1, np.nan], [0, 1]], [[np.inf, 0], [0, 1]], 2 * np.eye(2)]
    )
    got = to_numpy(linalg.cond(to_device(device, a), p))
    regular = np.linalg.cond(np.eye(2), p)
    np.testing.assert_allclose(got, [regular, np.inf, np.nan, np.inf, regular])
    got = to_numpy(linalg.cond(to_device(device, np.array([[1.0, 2.0], [2.0, 4.0]])), p))
    assert got < 1e-15 if p == -2 else got > 1e15
    assert linalg.cond(to_device(device, np.array([[2, 0], [0, 1]]))).item() == 2


@dtypes
@loop_over("shape", [(5, 5), (9, 4), (4, 9), (1, 1), (1, 3), (3, 1), (0, 3), (3, 0), (0, 0)])
@loop_over("right", [(), (1,), (3,), (0,)])
@loop_over("rcond", [None, -1, 1e-3])
def test_lstsq(dtype, shape, right, rcond, device):
    a, b = random(dtype, shape, 5), random(dtype, (shape[0], *right), 6)
    want = np.linalg.lstsq(a, b, rcond)
    for x in layouts(device, a):
        got = linalg.lstsq(x, to_device(device, b), rcond)
        for part, expected, real in zip(got, want, (False, True, None, True), strict=True):
            if real is None:
                assert type(part) is int
                assert part == expected
            else:
                check(part, expected, device, real_of(dtype) if real else dtype, scale=10)


@dtypes
def test_lstsq_of_dependent_columns_has_the_smallest_norm(dtype, device):
    a, b = random(dtype, (9, 4), 7), random(dtype, (9, 2), 8)
    a[:, 1] = 2 * a[:, 2]
    rcond = 1e-4 if real_of(dtype) == "float32" else None
    x, residuals, rank, s = linalg.lstsq(to_device(device, a), to_device(device, b), rcond)
    want = np.linalg.lstsq(a.astype(np.result_type(dtype, "float64")), b, 1e-5)
    assert rank == want[2] == 3
    assert residuals.shape == (0,)
    assert_close(to_numpy(x), want[0].astype(dtype), dtype)
    assert_close(to_numpy(s), want[3].astype(real_of(dtype)), real_of(dtype))


def test_lstsq_of_mixed_dtypes(device):
    a, b = np.arange(6).reshape(3, 2), np.array([1, 2, 4], "float32")
    want = np.linalg.lstsq(a, b)
    got = linalg.lstsq(to_device(device, a), to_device(device, b))
    check(got[0], want[0], device, "float64")
    assert got[2] == want[2]


@dtypes
def test_tensorinv_and_tensorsolve(dtype, device):
    a = (random(dtype, (24, 24), 9) + 30 * np.eye(24)).astype(dtype)
    for ind, shape in [(2, (4, 6, 8, 3)), (1, (24, 8, 3)), (3, (2, 3, 4, 24))]:
        x = to_device(device, a.reshape(shape))
        check(linalg.tensorinv(x, ind), np.linalg.tensorinv(a.reshape(shape), ind), device, dtype)
    b = random(dtype, (4, 6), 10)
    for shape, axes in [((4, 6, 8, 3), None), ((2, 4, 6, 3, 4), (0, 3, 4)), ((8, 4, 3, 6), (0, 2))]:
        c = a.reshape(shape)
        want = np.linalg.tensorsolve(c, b, axes)
        check(
            linalg.tensorsolve(to_device(device, c), to_device(device, b), axes),
            want,
            device,
            dtype,
        )
    assert linalg.tensorsolve(
        to_device(device, np.zeros((0, 0))), to_device(device, np.zeros(0))
    ).shape == (0,)


@dtypes
@loop_over("lengths", [(2, 3), (2, 3, 4), (10, 2, 8, 3), (1, 5, 1, 5, 2), (3, 0, 4, 2), (0, 3, 2)])
@loop_over("vectors", [(False, False), (True, False), (False, True), (True, True)])
def test_multi_dot(dtype, lengths, vectors, device):
    arrays = [random(dtype, shape, i) for i, shape in enumerate(itertools.pairwise(lengths))]
    arrays.append(random(dtype, (lengths[-1], 3), 20))
    if vectors[0]:
        arrays[0] = arrays[0][:1].sum(axis=0) if lengths[0] else np.zeros(lengths[1], dtype)
    if vectors[1]:
        arrays[-1] = arrays[-1][:, 0]
    want = np.linalg.multi_dot(arrays)
    operands = [to_device(device, a) for a in arrays]
    check(linalg.multi_dot(operands), want, device, dtype, scale=10)
    out = sk.empty(want.shape, dtype=dtype, device=device)
    assert linalg.multi_dot(operands, out=out) is out
    check(out, want, device, dtype, scale=10)


@squares
@dtypes
@loop_over("triangle", ["L", "U", "l", "u"])
def test_eigh_reads_the_triangle_of_uplo(dtype, n, triangle, device):
    for shape in shapes_of_squares(n):
        a = random(dtype, shape, 11)
        want = np.linalg.eigvalsh(a, triangle)
        half = np.tril(a) if triangle in "Ll" else np.triu(a)
        whole = half + adjoint(half) - np.eye(n) * half.real
        whole = (whole - 1j * np.eye(n) * whole.imag if whole.dtype.kind == "c" else whole).astype(
            dtype
        )
        for x in layouts(device, a):
            check(linalg.eigvalsh(x, triangle), want, device, real_of(dtype), scale=10)
            values, vectors = linalg.eigh(x, UPLO=triangle)
            check(values, want, device, real_of(dtype), scale=10)
            v = to_numpy(vectors)
            assert_close(v * to_numpy(values)[..., None, :] @ adjoint(v), whole, dtype, scale=10)


@squares
@dtypes
def test_functions_of_hermitian_matrices(dtype, n, device):
    for shape in shapes_of_squares(n):
        a = random(dtype, shape, 12)
        a = (a + adjoint(a)).astype(dtype)
        if n > 1:
            a[..., 0, :] = a[..., :, 0] = 0  # a zero eigenvalue: Vh must still be unitary
        for x in layouts(device, a):
            u, s, vh = linalg.svd(x, hermitian=True)
            assert (u.dtype, s.dtype, vh.dtype) == (
                np.dtype(dtype),
                np.dtype(real_of(dtype)),
                np.dtype(dtype),
            )
            assert_close(to_numpy(u) * to_numpy(s)[..., None, :] @ to_numpy(vh), a, dtype, scale=10)
            for q in (to_numpy(u), to_numpy(vh)):
                assert_close(
                    adjoint(q) @ q,
                    np.broadcast_to(np.eye(n, dtype=dtype), q.shape),
                    dtype,
                    scale=10,
                )
            want = np.linalg.svd(a, compute_uv=False)
            for options in ({}, {"hermitian": True}):
                check(
                    linalg.svd(x, compute_uv=False, **options),
                    want,
                    device,
                    real_of(dtype),
                    scale=10,
                )
            rtol = 1e-4
            check(
                linalg.matrix_rank(x, hermitian=True, rtol=rtol),
                np.linalg.matrix_rank(a, rtol=rtol),
                device,
                "int64",
                loose=0,
            )
            want = np.linalg.pinv(a, rtol)
            check(
                linalg.pinv(x, rtol, True),
                want,
                device,
                dtype,
                scale=np.abs(want).max(initial=1) * 100,
            )


@dtypes
@loop_over("stack", STACKS)
def test_tolerance_of_matrix_rank_and_pinv(dtype, stack, device):
    a = (random(dtype, (*stack, 4, 3), 13) * np.array([1, 0.1, 1e-3])).astype(dtype)
    x = to_device(device, a)
    for tol in (0.0, 0.01, 1.0):
        check(linalg.matrix_rank(x, tol), np.linalg.matrix_rank(a, tol), device, "int64", loose=0)
        check(
            linalg.matrix_rank(x, rtol=tol),
            np.linalg.matrix_rank(a, rtol=tol),
            device,
            "int64",
            loose=0,
        )
        want = np.linalg.pinv(a, tol)
        scale = np.abs(want).max(initial=1) * 100
        check(linalg.pinv(x, tol), want, device, dtype, scale=scale)
        check(linalg.pinv(x, rcond=tol), want, device, dtype, scale=scale)
    tolerances = np.full(stack, 0.02)
    check(
        linalg.matrix_rank(x, to_device(device, tolerances)),
        np.linalg.matrix_rank(a, tolerances),
        device,
        "int64",
        loose=0,
    )


def test_matrix_rank_of_vectors(device):
    for a, rank in [([0.0, 2.0], 1), ([0.0, 0.0], 0), ([], 0), (3.0, 1), (0.0, 0)]:
        got = linalg.matrix_rank(to_device(device, np.array(a)))
        assert (got.item(), got.shape, got.dtype) == (rank, (), np.int64)


@dtypes
@loop_over("shape", RECTANGLES)
@loop_over("stack", [(), (3,), (0,)])
def test_qr_modes(dtype, shape, stack, device):
    a = random(dtype, (*stack, *shape), 14)
    for x in layouts(device, a):
        r = linalg.qr(x, "r")
        reduced = linalg.qr(x, "reduced")
        check(r, to_numpy(reduced.R), device, dtype)
        reflectors, scalars = linalg.qr(x, mode="raw")
        assert (reflectors.device, scalars.device) == (sk.Device(device),) * 2
        k = min(shape)
        assert reflectors.shape == (*stack, shape[1], shape[0])
        assert scalars.shape == (*stack, k)
        lower = np.swapaxes(to_numpy(reflectors), -1, -2)
        assert_close(np.triu(lower)[..., :k, :], to_numpy(r), dtype)
        # Q is the product of I - tau v v^H with v = (0, ..., 0, 1, rest of the column).
        q = np.broadcast_to(np.eye(shape[0], dtype=dtype), (*stack, shape[0], shape[0]))
        for i in range(k):
            v = np.tril(lower, -1)[..., :, i : i + 1].copy()
            v[..., i, 0] = 1
            v[..., :i, 0] = 0
            q = q @ (np.eye(shape[0]) - to_numpy(scalars)[..., i, None, None] * v @ adjoint(v))
        assert_close((q[..., :k] @ to_numpy(r)).astype(dtype), a, dtype, scale=10)


def test_linalg_error_is_numpys():
    assert linalg.LinAlgError is sk.exceptions.LinAlgError
    assert issubclass(linalg.LinAlgError, np.linalg.LinAlgError)
    with pytest.raises(np.linalg.LinAlgError, match="singular"):
        linalg.inv(sk.zeros((2, 2)))


ERRORS = [
    ("norm(x, 'fro', 0)", ValueError, "norm: ord='fro' is for matrices; pass a number for vectors"),
    (
        "norm(x, 3)",
        ValueError,
        "norm: ord must be 'fro', 'nuc', 1, 2, inf or the negative of one of these numbers, not 3",
    ),
    (
        "norm(x, 1, (0, 0))",
        ValueError,
        "norm: axis contains an axis twice: (0, 0); list each once",
    ),
    (
        "norm(x, axis=2)",
        sk.exceptions.AxisError,
        "norm: axis 2 is out of bounds for array of 2 axes; use -2 to 1",
    ),
    (
        "norm(sk.ones((2, 2, 2)), 2)",
        ValueError,
        "norm: ord= needs one or two axes, not 3; pass axis=",
    ),
    ("norm('3')", TypeError, "norm: x must be an Array, not str; use skerry.asarray"),
    ("norm(None)", TypeError, "norm: x must be an Array, not NoneType; use skerry.asarray"),
    (
        "norm(2**63)",
        OverflowError,
        "norm: x: int out of range of int64: 9223372036854775808 is not in "
        "-9223372036854775808 to 9223372036854775807",
    ),
    (
        "cond([[1, 2**63], [0, 1]])",
        OverflowError,
        "cond: x: int out of range of int64: 9223372036854775808 is not in "
        "-9223372036854775808 to 9223372036854775807",
    ),
    (
        "cond(x, 'two')",
        ValueError,
        "cond: p must be 'fro', 'nuc', 1, 2, inf or the negative of one of these numbers, not 'two'",
    ),
    ("cond(sk.ones((2, 3)), 1)", ValueError, "cond: p=1 needs square matrices, not shape (2, 3)"),
    ("cond(sk.ones(3))", ValueError, "cond: x must have at least two axes, not shape (3,)"),
    (
        "cond(sk.ones((2, 0, 0)))",
        linalg.LinAlgError,
        "cond: not defined for empty matrices: shape (2, 0, 0)",
    ),
    (
        "lstsq(x, sk.ones(3))",
        ValueError,
        "lstsq: a must be a matrix, and b a vector or a matrix with as many rows: a has shape (2, 2), b (3,)",
    ),
    ("tensorinv(x, 0)", ValueError, "tensorinv: ind must be positive, not 0"),
    (
        "tensorinv(x, 2)",
        ValueError,
        "tensorinv: the first 2 axes must have as many elements as the others: shape (2, 2)",
    ),
    (
        "tensorsolve(sk.ones((2, 3)), sk.ones(2))",
        ValueError,
        "tensorsolve: the axes of a after those of b must have as many elements as b: a has shape (2, 3), b (2,)",
    ),
    ("multi_dot([x])", ValueError, "multi_dot: needs at least two arrays, not 1"),
    (
        "multi_dot([x, x, sk.ones((3, 2))])",
        ValueError,
        "multi_dot: the columns of arrays[1] and the rows of arrays[2] must be equally many: (2, 2) and (3, 2)",
    ),
    (
        "multi_dot([x, sk.ones(2), x])",
        ValueError,
        "multi_dot: arrays[1] must be a matrix, not of shape (2,)",
    ),
    ("matrix_power(x, 2**100)", OverflowError, "matrix_power: n does not fit int64"),
    ("eigh(x, 'X')", ValueError, "eigh: UPLO must be 'L' or 'U', not 'X'"),
    ("pinv(x, 0.1, rtol=0.1)", ValueError, "pinv: rcond and rtol are both set; pass one of them"),
    (
        "matrix_rank(x, 0.1, rtol=0.1)",
        ValueError,
        "matrix_rank: tol and rtol are both set; pass one of them",
    ),
    (
        "qr(x, 'full')",
        ValueError,
        "qr: mode must be 'reduced' or 'complete' or 'r' or 'raw', not 'full'",
    ),
]


@pytest.mark.parametrize(("call", "kind", "text"), ERRORS, ids=[row[0] for row in ERRORS])
def test_wrong_arguments(call, kind, text):
    with pytest.raises(kind) as caught:
        eval(f"linalg.{call}", {"linalg": linalg, "sk": sk, "x": sk.ones((2, 2))})
    assert str(caught.value) == text


def test_arrays_on_different_devices_are_rejected(device):
    other = "cpu:0" if device != "cpu:0" else "cuda:0"
    x, y = sk.ones((2, 2), device=device), sk.ones((2, 2), device=other)
    for call in (
        lambda: linalg.lstsq(x, y),
        lambda: linalg.tensorsolve(x, sk.ones(2, device=other)),
        lambda: linalg.multi_dot([x, y]),
        lambda: linalg.multi_dot([x, x], out=y),
        lambda: linalg.pinv(x, sk.ones((), device=other)),
    ):
        with pytest.raises(sk.exceptions.DeviceMismatchError):
            call()
