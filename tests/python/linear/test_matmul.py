# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""matmul, @, tensordot and vecdot against NumPy: integers exactly modulo 2^n, float16 within one rounding."""

import itertools
import operator

import numpy as np
import pytest
import skerry as sk
from skerry.exceptions import AxisError, DeviceMismatchError

from tests.python.loops import loop_over
from tests.python.oracle import DTYPES, HALVES, assert_same, kind_of, to_device, to_numpy
from tests.python.session import HAS_GPU

NUMERIC = [name for name in DTYPES if name != "bool"]
INTEGERS = [name for name in NUMERIC if "int" in name]
SHAPES = [
    ((3, 4), (4, 5)),
    ((4,), (4,)),
    ((4,), (4, 5)),
    ((3, 4), (4,)),
    ((2, 1, 3, 4), (5, 4, 6)),
    ((7, 8, 9), (9, 3)),
    ((2, 3, 9), (9,)),
    ((1, 300), (300, 1)),
    ((65, 1), (1, 129)),
    ((70, 130), (130, 67)),
]
EMPTY = [
    ((0, 4), (4, 3)),
    ((3, 0), (0, 2)),
    ((0,), (0,)),
    ((2, 0, 3, 4), (4, 1)),
    ((2, 3, 4, 0), (0, 5)),
    ((0, 0), (0, 0)),
    ((5, 0, 2), (5, 2, 3)),
]


def whole_range(dtype, shape, seed):
    """Returns integers of the whole range, so that products wrap around."""
    rng = np.random.default_rng(seed)
    dtype = np.dtype(dtype)
    if kind_of(dtype) in "iu":
        limits = np.iinfo(dtype)
        return rng.integers(limits.min, limits.max, shape, dtype=dtype, endpoint=True)
    values = rng.standard_normal(shape)
    if kind_of(dtype) == "c":
        values = values + 1j * rng.standard_normal(shape)
    return np.asarray(values).astype(dtype)


def expected(product, *operands):
    """Returns NumPy's result, computed in float64 for float16 and bfloat16."""
    dtype = operands[0].dtype
    if dtype.name in HALVES and all(x.dtype == dtype for x in operands):
        wide = product(*(x.astype(np.float64) for x in operands))
        with np.errstate(over="ignore"):
            return np.asarray(wide).astype(dtype)
    with np.errstate(over="ignore"):
        return product(*operands)


def plain(x):
    return x, lambda y: y


def column_major(x):
    if x.ndim < 2:
        return plain(x)
    return np.ascontiguousarray(np.swapaxes(x, -1, -2)), lambda y: y.mT


def reversed_columns(x):
    return np.ascontiguousarray(x[..., ::-1]), lambda y: y[..., ::-1]


def every_other_row(x):
    wider = np.zeros((2 * x.shape[0], *x.shape[1:]), x.dtype)
    wider[::2] = x
    return wider, lambda y: y[::2]


def every_other_column(x):
    wider = np.zeros((*x.shape[:-1], 2 * x.shape[-1]), x.dtype)
    wider[..., 1::2] = x
    return wider, lambda y: y[..., 1::2]


LAYOUTS = [plain, column_major, reversed_columns, every_other_row, every_other_column]


def laid_out(device, x, layout):
    base, view = layout(x)
    return view(to_device(device, base))


def assert_product(got, want, device, dtype):
    want = np.asarray(want)
    assert got.device == sk.Device(device)
    assert got.dtype == np.dtype(dtype)
    assert got.shape == want.shape
    values = to_numpy(got)
    if kind_of(want.dtype) in "iu":
        np.testing.assert_array_equal(values, want)
    elif want.dtype.name in HALVES:
        # One unit in the last place where the float32 sum is close to a tie, plus the error of that sum.
        unit = sk.finfo(want.dtype).eps
        wide = (x.astype(np.float32) for x in (values, want))
        np.testing.assert_allclose(*wide, rtol=unit, atol=2e-5)
    else:
        loose = 2e-5 if np.dtype(dtype).itemsize <= 8 and dtype != "float64" else 1e-12
        np.testing.assert_allclose(values, want, rtol=loose, atol=50 * loose)


@loop_over("dtype", NUMERIC)
def test_matmul_of_every_shape_and_layout(dtype, device):
    for first, second in SHAPES:
        a, b = whole_range(dtype, first, 1), whole_range(dtype, second, 2)
        want = expected(np.matmul, a, b)
        for i in LAYOUTS:
            for j in LAYOUTS:
                got = sk.matmul(laid_out(device, a, i), laid_out(device, b, j))
                assert_product(got, want, device, dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
def test_matmul_of_stacks_of_small_matrices(dtype, device):
    layouts = itertools.cycle(itertools.product(LAYOUTS, LAYOUTS))
    for m, n, k in itertools.product((1, 2, 3, 4, 7, 8, 9), repeat=3):
        first, second = next(layouts)
        a, b = whole_range(dtype, (2, 3, m, k), m), whole_range(dtype, (3, k, n), n)
        got = sk.matmul(laid_out(device, a, first), laid_out(device, b, second))
        assert_product(got, a @ b, device, dtype)


@loop_over("dtype", NUMERIC)
def test_matmul_without_elements(dtype, device):
    for first, second in EMPTY:
        a, b = np.ones(first, dtype), np.ones(second, dtype)
        got = sk.matmul(to_device(device, a), to_device(device, b))
        assert_product(got, np.matmul(a, b), device, dtype)
    zeros = to_numpy(sk.ones((3, 0), device=device) @ sk.ones((0, 2), device=device))
    assert not np.signbit(zeros).any()


@loop_over("dtype", INTEGERS)
@loop_over("shape", [(1, 1, 1), (63, 65, 129), (128, 64, 1030), (2, 200, 17)])
def test_integer_matmul_is_exact_at_the_edges_of_tiles(dtype, shape):
    m, n, k = shape
    a, b = whole_range(dtype, (m, k), 1), whole_range(dtype, (k, n), 2)
    assert_product(sk.matmul(to_device("cpu", a), to_device("cpu", b)), a @ b, "cpu:0", dtype)


def test_matmul_promotes_before_multiplying(device):
    a = to_device(device, np.full((2, 2), 200, np.uint8))
    b = to_device(device, np.full((2, 2), -100, np.int8))
    assert_product(a @ b, np.full((2, 2), -40000, np.int32).astype(np.int16), device, "int16")
    c = to_device(device, np.full((2, 2), 1 / 3, np.float32))
    d = to_device(device, np.full((2, 2), 0.1 + 1j))
    want = np.full((2, 2), np.float32(1 / 3), np.complex128) @ np.full((2, 2), 0.1 + 1j)
    assert_product(c @ d, want, device, "complex128")
    stretched = sk.broadcast_to(c[:1, :], (2, 2))
    assert_product(stretched @ d, want, device, "complex128")


def test_matmul_of_broadcast_and_strided_stacks(device):
    base = whole_range("float64", (3, 4, 5), 1)
    x = to_device(device, base)
    other = whole_range("float64", (5, 2), 2)
    y = to_device(device, other)
    assert_product(
        sk.permute_dims(x, (1, 0, 2)) @ y, base.transpose(1, 0, 2) @ other, device, "float64"
    )
    assert_product(
        sk.broadcast_to(y, (3, 5, 2)).mT @ y,
        np.broadcast_to(other.T @ other, (3, 2, 2)),
        device,
        "float64",
    )
    assert_product(x @ x.mT, base @ np.swapaxes(base, 1, 2), device, "float64")
    assert_product(x[::-1, ...] @ y, base[::-1] @ other, device, "float64")


def test_matmul_of_more_axes_than_the_kernel_takes(device):
    shape = (2, 1) * 9
    a = whole_range("int32", (*shape, 2, 3), 1)
    b = whole_range("int32", (*shape[::-1], 3, 2), 2)
    got = to_device(device, a) @ to_device(device, b)
    assert got.shape == (2,) * 18 + (2, 2)
    index = (1, 0) * 9
    want = (
        a[(1, 0) * 9]
        @ b[tuple(0 if n == 1 else i for n, i in zip(shape[::-1], index, strict=True))]
    )
    np.testing.assert_array_equal(to_numpy(got[(*index, Ellipsis)]), want)


def test_product_with_own_transpose_is_symmetric(device):
    if HAS_GPU and device.startswith("cuda"):
        pytest.skip(
            "cuBLAS's gemm does not promise symmetry, as in CuPy and PyTorch, and lacks it on an H100"
        )
    for shape in ((130, 70), (7, 5)):
        base = whole_range("complex128", shape, 3)
        x = to_device(device, base)
        for got, want in [(x @ x.T, base @ base.T), (x.T @ x, base.T @ base)]:
            assert_product(got, want, device, "complex128")
            values = to_numpy(got)
            np.testing.assert_array_equal(values, values.T)


def test_matmul_operators(device):
    a, b = whole_range("float64", (3, 3), 1), whole_range("float64", (3, 3), 2)
    x, y = to_device(device, a), to_device(device, b)
    assert_product(x @ y, a @ b, device, "float64")
    assert_product(x.__matmul__(y), a @ b, device, "float64")
    assert_product(x.__rmatmul__(y), b @ a, device, "float64")
    view = x[:, :]
    x @= y
    assert_product(x, a @ b, device, "float64")
    assert_product(view, a @ b, device, "float64")
    x @= x.T
    assert_product(x, (a @ b) @ (a @ b).T, device, "float64")
    z = to_device(device, np.eye(3))
    z @= to_device(device, np.full((3, 3), 2, np.float32))
    assert z.dtype == sk.float64


def test_matmul_operators_reject_invalid_operands(device):
    x = sk.ones((3, 3), device=device)
    for wrong in (2, 2.5, "a", None):
        with pytest.raises(TypeError):
            operator.matmul(x, wrong)
        with pytest.raises(TypeError):
            operator.matmul(wrong, x)
    host = np.ones((3, 3))
    for pair in ((x, host), (host, x)):
        if device == "cpu:0":  # the device of NumPy's arrays
            assert np.array_equal(to_numpy(operator.matmul(*pair)), np.full((3, 3), 3.0))
        else:
            with pytest.raises(DeviceMismatchError):
                operator.matmul(*pair)
    with pytest.raises(ValueError, match="keeps its shape"):
        operator.imatmul(x, sk.ones((3, 2), device=device))
    with pytest.raises(TypeError, match="can't be stored in place in x1"):
        operator.imatmul(sk.ones((3, 3), dtype=sk.int64, device=device), x)
    with pytest.raises(ValueError):
        operator.imatmul(sk.broadcast_to(sk.ones((3,), device=device), (3, 3)), x)
    single = sk.full((3, 3), 2.5, dtype=sk.float32, device=device)
    assert operator.imatmul(single, x) is single
    assert np.array_equal(to_numpy(single), np.full((3, 3), 7.5, "float32"))
    assert np.array_equal(to_numpy(x), np.ones((3, 3)))


def dot(a, b, axis):
    return np.sum(np.conj(a) * b, axis=axis, dtype=np.result_type(a, b))


@loop_over("dtype", NUMERIC)
def test_vecdot(dtype, device):
    for first, second, axis in [
        ((7,), (7,), -1),
        ((5, 1, 70), (3, 70), -1),
        ((70, 4), (70, 1), -2),
        ((70, 4), (70, 4), -2),
        ((1, 300, 3), (2, 300, 1), -2),
        ((600, 130), (600, 130), -2),
        ((2, 5, 3), (2, 5, 3), -2),
        ((1000, 3), (1000, 3), -1),
        ((2, 0), (2, 0), -1),
        ((0, 3), (0, 3), -1),
        ((100_003,), (100_003,), -1),
    ]:
        a, b = whole_range(dtype, first, 1), whole_range(dtype, second, 2)
        want = expected(lambda x, y, along=axis: dot(x, y, along), a, b)
        got = sk.vecdot(to_device(device, a), to_device(device, b), axis=axis)
        if a.size > 1000 and kind_of(want.dtype) not in "iu":
            assert got.dtype == want.dtype
            assert np.all(abs(to_numpy(got) - want) < 1e-3 * np.sqrt(a.size))
        else:
            assert_product(got, want, device, dtype)


def test_vecdot_of_views(device):
    base = whole_range("complex64", (40, 30), 1)
    x = to_device(device, base)
    want = np.sum(np.conj(base[::2, ::-1]) * base[1::2], axis=-1)
    assert_product(sk.vecdot(x[::2, ::-1], x[1::2, :]), want, device, "complex64")


@pytest.mark.parametrize(
    ("first", "second", "axes"),
    [
        ((3, 4, 5), (4, 3, 2), ((1, 0), (0, 1))),
        ((3, 4, 5), (4, 5, 2), 2),
        ((3, 4, 5), (5, 2), 1),
        ((3,), (4,), 0),
        ((), (2,), 0),
        ((3, 4), (3, 4), ((-2, -1), (-2, -1))),
        ((3, 4), (4, 3), ((0,), (1,))),
        ((0, 4), (4, 0), 1),
        ((4, 0), (0, 4), 1),
        ((2, 3), (3, 2), ((), ())),
    ],
    ids=str,
)
def test_tensordot(first, second, axes, device):
    for dtype in ("uint8", "int64", "float16", "float32", "complex128"):
        a, b = whole_range(dtype, first, 1), whole_range(dtype, second, 2)
        want = expected(lambda x, y: np.tensordot(x, y, axes=axes), a, b)
        assert_product(
            sk.tensordot(to_device(device, a), to_device(device, b), axes=axes), want, device, dtype
        )


@pytest.mark.usefixtures("strict_promotion")
def test_invalid_products_raise(device):
    def ones(*shape, dtype=sk.float64):
        return sk.ones(shape, dtype=dtype, device=device)

    for call in (
        lambda: sk.matmul(ones(2, 3), ones(2, 3)),
        lambda: sk.matmul(ones(2, 3), ones(2)),
        lambda: sk.matmul(ones(1, 3), ones(2)),
        lambda: sk.matmul(ones(), ones(2)),
        lambda: sk.matmul(ones(2), ones()),
        lambda: sk.matmul(ones(2, 2), 2.0),
        lambda: sk.matmul(ones(2, 1, 1), ones(3, 1, 1)),
        lambda: sk.vecdot(ones(2, 3), ones(2, 1)),
        lambda: sk.vecdot(ones(2, 3), ones(4, 3)),
        lambda: sk.tensordot(ones(2, 3), ones(1, 3), axes=((0,), (0,))),
        lambda: sk.tensordot(ones(2, 3), ones(2, 3), axes=3),
        lambda: sk.tensordot(ones(2, 3), ones(2, 3), axes=-1),
        lambda: sk.tensordot(ones(2, 3), ones(2, 3), axes=((0, 0), (0, 0))),
        lambda: sk.tensordot(ones(2, 3), ones(2, 3), axes=((0,), (0, 1))),
    ):
        with pytest.raises(ValueError):
            call()
    for axis in (0, 1, -3):
        with pytest.raises(AxisError):
            sk.vecdot(ones(2, 3), ones(2, 3), axis=axis)
    with pytest.raises(AxisError):
        sk.vecdot(ones(), ones())
    for call in (
        lambda: sk.matmul(ones(2, 2, dtype=sk.bool), ones(2, 2, dtype=sk.bool)),
        lambda: sk.matmul(ones(2, 2, dtype=sk.int64), ones(2, 2)),
        lambda: sk.vecdot(ones(2, dtype=sk.bool), ones(2, dtype=sk.bool)),
        lambda: sk.tensordot(ones(2, dtype=sk.bool), ones(2, dtype=sk.bool), axes=1),
        lambda: sk.tensordot(ones(2, 2), ones(2, 2), axes="ab"),
    ):
        with pytest.raises(TypeError):
            call()


def test_matmul_propagates_nan_and_infinity(device):
    a = np.array([[np.nan, 1.0], [np.inf, 0.0]])
    got = to_numpy(to_device(device, a) @ to_device(device, np.eye(2)))
    assert np.isnan(got[0]).all()
    assert got[1, 0] == np.inf
    assert np.isnan(got[1, 1])


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex64", "complex128"])
def test_vecdot_bits_do_not_depend_on_the_layout(dtype):
    """Contiguous vectors are vectorized, with the same bits."""
    rng = np.random.default_rng(5)
    for k in (1, 2, 3, 4, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 1000, 4097):
        for rows in (1, 5):
            x, y = (rng.normal(size=(rows, k)).astype(dtype) for _ in range(2))
            got = sk.vecdot(to_device("cpu:0", x), to_device("cpu:0", y))
            wide = [
                to_device("cpu:0", np.repeat(vectors, 3, axis=-1))[:, ::3] for vectors in (x, y)
            ]
            if dtype != "float16":  # contiguous float16 is converted in blocks
                assert to_numpy(got).tobytes() == to_numpy(sk.vecdot(*wide)).tobytes(), k
            for row in range(rows):
                alone = sk.vecdot(to_device("cpu:0", x[row]), to_device("cpu:0", y[row]))
                assert to_numpy(alone).tobytes() == to_numpy(got)[row].tobytes(), (k, row)


def test_vecdot_of_bools_is_any_product(device):
    rng = np.random.default_rng(8)
    for shape in ((1,), (64,), (1000,), (300_000,), (5, 70), (3, 70_000), (70, 100), (70, 3)):
        for share in (0.0, 0.01, 0.5):
            x, y = (rng.random(shape) < share for _ in range(2))
            x[..., -1] = y[..., -1] = share > 0
            for axis in range(-len(shape), 0):
                got = sk.vecdot(to_device(device, x), to_device(device, y), axis=axis)
                assert_same(got, np.asarray((x & y).any(axis=axis)), device)
                got = sk.vecdot(
                    to_device(device, x)[..., ::-1], to_device(device, y)[..., ::-1], axis=axis
                )
                assert_same(got, np.asarray((x & y)[..., ::-1].any(axis=axis)), device)
    odd = np.array([[1, 2, 0] * 30, [4, 0, 1] * 30], np.uint8).view(bool)
    assert bool(sk.vecdot(sk.asarray(odd[0]), sk.asarray(odd[1])))


@pytest.mark.parametrize("dtype", ["int64", "float16", "float32", "float64", "complex128"])
def test_matmul_of_repeated_and_overlapping_matrices(dtype, device):
    """A broadcast matrix on the right; on the left, broadcast rows, and windows that move by one element."""
    rng = np.random.default_rng(5)
    for k, n in ((20, 30), (1, 30), (20, 1)):
        matrix = rng.integers(-2, 3, (k, n)).astype(dtype)
        line = rng.integers(-2, 3, 3 * k).astype(dtype)
        x1, x2 = to_device(device, line), to_device(device, matrix)
        for stack in (2, 5):
            repeated = sk.broadcast_to(x2, (stack, k, n))
            want = line[:k] @ np.broadcast_to(matrix, (stack, k, n))
            assert_same(sk.matmul(x1[:k], repeated), want, device, label=f"vector, {k} x {n}")
            for rows in (1, 3):
                shape = (stack, rows, k)
                want = np.broadcast_to(line[:k], shape) @ matrix
                got = sk.matmul(sk.broadcast_to(x1[:k], shape), x2)
                assert_same(got, want, device, label=f"{shape} by {k} x {n}")
        windows = np.lib.stride_tricks.sliding_window_view(line, k)
        moved = sk.sliding_window_view(x1, k)
        assert_same(sk.matmul(moved, x2), windows @ matrix, device, label="rows that overlap")
        got = sk.matmul(moved[:, None, :], x2)
        assert_same(got, windows[:, None, :] @ matrix, device, label="matrices that overlap")
