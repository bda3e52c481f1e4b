# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""out=, casting=, order=, dtype= and axes= of products, beside NumPy."""

import numpy as np
import pytest
import skerry as sk
from skerry.exceptions import DeviceMismatchError, ReadOnlyError

from tests.python.linear.matrices import random
from tests.python.loops import loop_over
from tests.python.oracle import to_device, to_numpy

DTYPES = ["float32", "float64", "complex64", "complex128", "int32", "int64"]
# Calls with an array of their own to write to, and the shapes of their operands.
PRODUCTS = {
    "matmul": (lambda m, a, b, out: m.matmul(a, b, out=out), (3, 4), (4, 2)),
    "matmul by position": (lambda m, a, b, out: m.matmul(a, b, out), (2, 3, 4), (4, 2)),
    "matmul with a tuple": (lambda m, a, b, out: m.matmul(a, b, out=(out,)), (4,), (4, 2)),
    "matmul of vectors": (lambda m, a, b, out: m.matmul(a, b, out=out), (4,), (4,)),
    "dot": (lambda m, a, b, out: m.dot(a, b, out=out), (3, 4), (4, 2)),
    "dot by position": (lambda m, a, b, out: m.dot(a, b, out), (3, 4), (2, 4, 5)),
    "dot of vectors": (lambda m, a, b, out: m.dot(a, b, out), (4,), (4,)),
    "dot of nothing": (lambda m, a, b, out: m.dot(a, b, out), (3, 0), (0, 2)),
    "outer": (lambda m, a, b, out: m.outer(a, b, out), (3,), (2, 2)),
    "vecdot": (lambda m, a, b, out: m.vecdot(a, b, out=out), (3, 4), (4,)),
    "vecdot along": (lambda m, a, b, out: m.vecdot(a, b, out, axis=-2), (3, 4), (3, 4)),
    "einsum": (lambda m, a, b, out: m.einsum("ij,jk->ki", a, b, out=out), (3, 4), (4, 2)),
    "einsum by labels": (
        lambda m, a, b, out: m.einsum(a, [0, 1], b, [1, 2], [0, 2], out=out),
        (3, 4),
        (4, 2),
    ),
    "einsum of all": (lambda m, a, b, out: m.einsum("ij,ij->", a, b, out=out), (3, 4), (3, 4)),
}
PRODUCTS |= {
    "matvec": (lambda m, a, b, out: m.matvec(a, b, out=out), (2, 3, 4), (4,)),
    "matvec by position": (lambda m, a, b, out: m.matvec(a, b, out), (3, 4), (2, 4)),
    "vecmat": (lambda m, a, b, out: m.vecmat(a, b, out=out), (4,), (2, 4, 3)),
    "vecmat of nothing": (lambda m, a, b, out: m.vecmat(a, b, out), (0,), (0, 3)),
}
products = pytest.mark.parametrize("name", PRODUCTS)


def operands(name, dtype):
    _, first, second = PRODUCTS[name]
    return (random("float64", first, 1) * 9).astype(dtype), (
        random("float64", second, 2) * 9
    ).astype(dtype)


def expected_product(name, a, b):
    """Returns NumPy's result without out=, which NumPy limits to arrays of some layouts and dtypes."""
    return np.asarray(np.matmul(a, b) if "tuple" in name else PRODUCTS[name][0](np, a, b, None))


def outputs(shape, dtype, device):
    """Yields arrays to write to: in C order, column-major, strided, reversed."""
    yield sk.zeros(shape, dtype=dtype, device=device)
    yield (
        sk.zeros(shape[::-1], dtype=dtype, device=device).T
        if len(shape) == 2
        else sk.ones(shape, dtype=dtype, device=device)
    )
    if shape:
        yield sk.zeros((*shape[:-1], 2 * shape[-1]), dtype=dtype, device=device)[..., ::2]
        yield sk.flip(sk.zeros(shape, dtype=dtype, device=device))


@products
@loop_over("dtype", DTYPES)
def test_out_is_written_and_returned(name, dtype, device):
    a, b = operands(name, dtype)
    call = PRODUCTS[name][0]
    want = expected_product(name, a, b)
    for out in outputs(want.shape, dtype, device):
        assert call(sk, to_device(device, a), to_device(device, b), out) is out
        np.testing.assert_allclose(to_numpy(out), want, rtol=1e-4)


@products
def test_out_takes_casts_of_the_same_kind(name, device):
    a, b = operands(name, "float64")
    call = PRODUCTS[name][0]
    x, y = to_device(device, a), to_device(device, b)
    want = expected_product(name, a, b)
    for dtype in ("float32", "complex64", "complex128"):
        out = sk.zeros(want.shape, dtype=dtype, device=device)
        assert call(sk, x, y, out) is out
        np.testing.assert_allclose(to_numpy(out), want, rtol=1e-5)
    function = name.split()[0]
    out = sk.ones(want.shape, dtype="int64", device=device)
    with pytest.raises(TypeError) as caught:
        call(sk, x, y, out)
    assert str(caught.value) == (
        f"{function}: the result is float64, which does not cast to the int64 of out by "
        "casting='same_kind'; use skerry.astype"
    )
    wrong = sk.ones((*want.shape, 3), device=device)
    with pytest.raises(ValueError, match="out has shape") as caught:
        call(sk, x, y, wrong)
    assert (
        str(caught.value)
        == f"{function}: out has shape {wrong.shape}, but the result {want.shape}; create out with skerry.empty"
    )
    assert bool(sk.all(out == 1))
    assert bool(sk.all(wrong == 1))


@products
def test_other_wrong_outputs(name, device):
    a, b = operands(name, "float64")
    call = PRODUCTS[name][0]
    x, y = to_device(device, a), to_device(device, b)
    want = expected_product(name, a, b)
    function = name.split()[0]
    with pytest.raises(TypeError) as caught:
        call(sk, x, y, "out")
    assert str(caught.value) == f"{function}: out must be an Array, not str"
    other = "cpu:0" if device != "cpu:0" else "cuda:0"
    with pytest.raises(DeviceMismatchError):
        call(sk, x, y, sk.empty(want.shape, device=other))
    read_only = sk.from_dlpack(_read_only(want.shape)) if device == "cpu:0" else None
    if read_only is not None:
        with pytest.raises(ReadOnlyError) as caught:
            call(sk, x, y, read_only)
        assert (
            str(caught.value)
            == f"{function}: out is read-only: float64 {want.shape}; pass a copy of it"
        )
    if want.size > 1:
        with pytest.raises(ReadOnlyError, match=function):
            call(sk, x, y, sk.broadcast_to(sk.zeros((), device=device), want.shape))


def _read_only(shape):
    host = np.zeros(shape)
    host.flags.writeable = False
    return host


def test_out_may_overlap_the_operands(device):
    a = random("float64", (4, 4), 3)
    calls = [
        (lambda x: sk.matmul(x, x, out=x), a @ a),
        (lambda x: sk.matmul(x, x[:, ::-1], out=x), a @ a[:, ::-1]),
        (lambda x: sk.dot(x, x.T, out=x), a @ a.T),
        (lambda x: sk.einsum("ij,jk->ki", x, x, out=x), (a @ a).T),
        (lambda x: sk.einsum("ij->ji", x, out=x), a.T),
        (lambda x: sk.linalg.multi_dot([x, x, x], out=x), a @ a @ a),
    ]
    for call, want in calls:
        x = to_device(device, a.copy())
        assert call(x) is x
        np.testing.assert_allclose(to_numpy(x), want, rtol=1e-10)
    x = to_device(device, a.copy())
    sk.vecdot(x, x, out=x[0])
    np.testing.assert_allclose(to_numpy(x), np.concatenate([[(a * a).sum(axis=1)], a[1:]]))
    x = to_device(device, a.copy())
    sk.outer(x[0], x[1], out=x)
    np.testing.assert_allclose(to_numpy(x), np.outer(a[0], a[1]))


@loop_over("dtype", ["bool", "int16", "float16", *DTYPES])
@loop_over(
    ("first", "second"),
    [
        ((3, 4), (4, 5)),
        ((2, 3, 4), (4, 5)),
        ((4,), (4, 5)),
        ((3, 0), (0, 2)),
        ((0, 3), (3, 2)),
        ((4,), (4,)),
    ],
)
def test_products_are_written_to_any_layout(first, second, dtype, device):
    a, b = (
        (random("float64", shape, seed) * 9).astype(dtype)
        for seed, shape in ((1, first), (2, second))
    )
    x, y = to_device(device, a), to_device(device, b)
    want = to_numpy(sk.matmul(x, y))
    memory = sk.ones((2 * want.size + 3,), dtype=dtype, device=device)
    for start, step in ((0, 1), (1, 1), (3, 2)):  # contiguous, at an odd address, strided
        memory[...] = 1
        out = sk.reshape(memory[start::step][: want.size], want.shape, copy=False)
        assert sk.matmul(x, y, out=out) is out
        np.testing.assert_array_equal(to_numpy(out), want)
        assert int(sk.count_nonzero(memory != 1)) == np.count_nonzero(want != 1)
        if x.ndim == 2:
            memory[...] = 1
            assert sk.dot(x, y, out=out) is out
            np.testing.assert_array_equal(to_numpy(out), want)
    if want.ndim == 2:
        out = sk.zeros(want.shape[::-1], dtype=dtype, device=device).T
        assert sk.matmul(x, y, out=out) is out
        np.testing.assert_array_equal(to_numpy(out), want)


def test_a_product_may_be_written_beside_its_operands_in_one_memory(device):
    a = random("float64", (48,), 3)
    for start in (0, 4, 16, 20, 32):
        memory = to_device(device, a.copy())
        x, y = (sk.reshape(memory[i : i + 16], (4, 4), copy=False) for i in (0, 16))
        want = a[:16].reshape(4, 4) @ a[16:32].reshape(4, 4)
        out = sk.reshape(memory[start : start + 16], (4, 4), copy=False)
        sk.matmul(x, y, out=out)
        np.testing.assert_allclose(to_numpy(out), want, rtol=1e-12)


def test_a_numpy_array_as_output_is_written():
    a, out = random("float64", (3, 3), 4), np.zeros((3, 3))
    for call in (
        lambda: sk.matmul(a, a, out=out),
        lambda: sk.dot(sk.asarray(a), sk.asarray(a), out=out),
        lambda: sk.einsum("ij,jk", a, a, out=out),
    ):
        out[...] = 0
        call()
        np.testing.assert_allclose(out, a @ a)


@loop_over("casting", ["no", "equiv", "safe", "same_kind", "unsafe"])
@loop_over("dtype", ["float32", "float64", "int64", "complex64"])
def test_dtype_and_casting_as_in_numpy(casting, dtype, device):
    a = (random("float64", (3, 3), 5) * 9).round()
    x = to_device(device, a)
    for name, call in [
        ("matmul", lambda m, y: m.matmul(y, y, dtype=dtype, casting=casting)),
        ("vecdot", lambda m, y: m.vecdot(y, y, dtype=dtype, casting=casting)),
        ("einsum", lambda m, y: m.einsum("ij,jk", y, y, dtype=dtype, casting=casting)),
    ]:
        if np.can_cast("float64", dtype, casting):
            got = call(sk, x)
            assert (got.dtype, got.device) == (np.dtype(dtype), sk.Device(device))
            np.testing.assert_allclose(to_numpy(got), call(np, a), rtol=1e-5)
        else:
            with pytest.raises(TypeError) as caught:
                call(sk, x)
            assert str(caught.value) == (
                f"{name}: operand 1 is float64, which does not cast to the {dtype} of dtype= by "
                f"casting='{casting}'; use skerry.astype"
            )


def test_einsum_casts_safely_by_default(device):
    x = sk.ones((2, 2), device=device)
    with pytest.raises(TypeError, match="by casting='safe'"):
        sk.einsum("ij->i", x, dtype="float32")
    out = sk.zeros((2,), dtype="int32", device=device)
    with pytest.raises(TypeError, match="the int32 of out by casting='same_kind'"):
        sk.einsum("ij->i", x, out=out)
    assert sk.einsum("ij->i", x, out=out, casting="unsafe").tolist() == [2, 2]
    y = to_device(device, np.array([1 + 2j, 3 - 1j]))
    assert sk.einsum("i->", y, out=out[0], casting="unsafe").item() == 4
    assert sk.einsum("i->", y, dtype="float64", casting="unsafe").item() == 4
    with pytest.raises(ValueError) as caught:
        sk.einsum("ij->i", x, casting="half")
    assert str(caught.value) == (
        "einsum: casting must be one of no, equiv, safe, same_kind, unsafe, not 'half'"
    )
    with pytest.raises(ValueError, match="einsum: operands has no array; pass subscripts"):
        sk.einsum("i->")


def test_einsum_takes_labels_as_an_array():
    a = random("float64", (3, 4), 11)
    labels = np.array([1, 0])
    np.testing.assert_array_equal(to_numpy(sk.einsum(sk.asarray(a), labels)), a.T)


@loop_over("order", ["K", "A", "C", "F"])
def test_order_of_results(order, device):
    a, b = random("float64", (2, 3, 4), 6), random("float64", (4, 5), 7)
    x, y = to_device(device, a), to_device(device, b)
    for got, want in [
        (sk.matmul(x, y, order=order), a @ b),
        (sk.vecdot(x, y[:, 0], order=order), a @ b[:, 0]),
        (sk.einsum("sij,jk->kis", x, y, order=order), np.einsum("sij,jk->kis", a, b)),
        (sk.einsum("sij->jis", x, order=order), np.einsum("sij->jis", a)),
    ]:
        np.testing.assert_allclose(to_numpy(got), want)
        if order in "CF":
            assert got.strides == np.empty(want.shape, order=order).strides
    with pytest.raises(ValueError, match=r"matmul: order must be 'K', 'A', 'C' or 'F', not 'Q'"):
        sk.matmul(y, y.T, order="Q")


@loop_over(
    ("first", "second", "axes"),
    [
        ((2, 3, 4), (2, 4, 5), [(-2, -1), (-2, -1), (-2, -1)]),
        ((3, 4, 2), (4, 5, 2), [(0, 1), (0, 1), (0, 1)]),
        ((4, 3), (5, 4), [(1, 0), (1, 0), (1, 0)]),
        ((4, 2, 3), (4, 5), [(2, 0), (0, 1), (0, 2)]),
        ((4,), (4, 5), [(0,), (0, 1), (0,)]),
        ((3, 4, 2), (4,), [(0, 1), 0, (0,)]),
        ((4,), (4,), [0, 0, ()]),
    ],
)
def test_axes_of_matmul(first, second, axes, device):
    a, b = random("float64", first, 8), random("float64", second, 9)
    want = np.asarray(np.matmul(a, b, axes=axes))
    got = sk.matmul(to_device(device, a), to_device(device, b), axes=axes)
    assert got.shape == want.shape
    np.testing.assert_allclose(to_numpy(got), want)
    out = sk.zeros(want.shape, device=device)
    assert sk.matmul(to_device(device, a), to_device(device, b), axes=axes, out=out) is out
    np.testing.assert_allclose(to_numpy(out), want)


@loop_over(
    ("name", "first", "second", "axes"),
    [
        ("vecdot", (4, 3), (4, 3), [0, 0]),
        ("vecdot", (4, 3), (3, 4), [(0,), (1,), ()]),
        ("vecdot", (2, 4, 3), (4,), [1, 0]),
        ("matvec", (4, 3, 2), (2, 3), [(0, 1), (1,), (0,)]),
        ("matvec", (3, 4), (2, 3), [(1, 0), -1, -1]),
        ("vecmat", (4, 2), (4, 3, 2), [(0,), (0, 1), (1,)]),
        ("vecmat", (3,), (2, 5, 3), [0, (-1, -2), 0]),
    ],
)
@loop_over("dtype", ["float64", "complex128", "int32"])
def test_axes_of_products_with_vectors(name, first, second, axes, dtype, device):
    a, b = (
        (random("complex128" if dtype[0] == "c" else "float64", shape, seed) * 9).astype(dtype)
        for shape, seed in ((first, 8), (second, 9))
    )
    want = np.asarray(getattr(np, name)(a, b, axes=axes))
    got = getattr(sk, name)(to_device(device, a), to_device(device, b), axes=axes)
    assert (got.shape, got.dtype) == (want.shape, want.dtype)
    np.testing.assert_allclose(to_numpy(got), want)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (
            lambda x: sk.matvec(x, sk.ones(3)),
            "matvec: shapes must be (..., M, N) and (..., N), not (2, 2) and (3,)",
        ),
        (
            lambda x: sk.matvec(x[0], x[0]),
            "matvec: shapes must be (..., M, N) and (..., N), not (2,) and (2,)",
        ),
        (
            lambda x: sk.vecmat(sk.ones(3), x),
            "vecmat: shapes must be (..., N) and (..., N, M), not (3,) and (2, 2)",
        ),
        (
            lambda x: sk.matvec(x, x[0], axes=[(0, 1), 0]),
            "matvec: axes must be a list of three tuples: of x1, x2 and the result, not [a tuple, 0]",
        ),
        (
            lambda x: sk.vecmat(x[0], x, axes=[(0, 1), (0, 1), 0]),
            "vecmat: axes has 2 axes for x1, which needs 1",
        ),
        (
            lambda x: sk.vecdot(x, x, axes=[0, 0], axis=-1),
            "vecdot: axis and axes say the same; pass one of them",
        ),
    ],
)
def test_wrong_products_with_vectors(call, text):
    with pytest.raises((TypeError, ValueError)) as caught:
        call(sk.ones((2, 2)))
    assert str(caught.value) == text


@loop_over("dtype", ["bool", *DTYPES])
def test_matvec_and_vecmat_of_other_layouts(dtype, device):
    a = (random("float64", (6, 5, 4), 12) * 9).astype(dtype)
    b = (random("float64", (6, 4), 13) * 9).astype(dtype)
    if dtype[0] == "c":
        a, b = a + dtype_unit(dtype) * a, b * (1 - dtype_unit(dtype))
    x, y = to_device(device, a), to_device(device, b)
    for got, want in [
        (sk.matvec(x, y), np.matvec(a, b)),
        (sk.matvec(x[::-2, :, ::-1], y[::2, ::-1]), np.matvec(a[::-2, :, ::-1], b[::2, ::-1])),
        (sk.vecmat(y, x.mT), np.vecmat(b, a.mT)),
        (sk.vecmat(y[:1], x[:, :4]), np.vecmat(b[:1], a[:, :4])),
        (sk.vecmat(y[0], [[1], [2], [3], [4]]), np.vecmat(b[0], np.array([[1], [2], [3], [4]]))),
        (np.matvec(x, y), np.matvec(a, b)),
    ]:
        assert (got.shape, str(got.device)) == (want.shape, device)
        np.testing.assert_allclose(to_numpy(got), want, rtol=1e-4)


def dtype_unit(dtype):
    return np.dtype(dtype).type(1j)


@pytest.mark.parametrize(
    ("axes", "kind", "text"),
    [
        (
            [(0, 1)],
            ValueError,
            "matmul: axes must be a list of three tuples: of x1, x2 and the result, not [a tuple]",
        ),
        (
            3,
            ValueError,
            "matmul: axes must be a list of three tuples: of x1, x2 and the result, not 3",
        ),
        ([(0, 1), (0,), (0, 1)], ValueError, "matmul: axes has 1 axes for x2, which needs 2"),
        ([(0, 1), (0, 1), ()], ValueError, "matmul: axes has 0 axes for the result, which needs 2"),
        (
            [(0, 2), (0, 1), (0, 1)],
            sk.exceptions.AxisError,
            "matmul: axis 2 is out of bounds for array of 2 axes; use -2 to 1",
        ),
        (
            [(0, 1), (1, 1), (0, 1)],
            ValueError,
            "matmul: axis contains an axis twice: (1, 1); list each once",
        ),
    ],
)
def test_wrong_axes_of_matmul(axes, kind, text):
    with pytest.raises(kind) as caught:
        sk.matmul(sk.ones((2, 2)), sk.ones((2, 2)), axes=axes)
    assert str(caught.value) == text


def test_einsum_takes_lists_of_numbers():
    for call in (
        lambda m: m.einsum("ij,jk", [[1, 2], [3, 4]], [[1, 0], [2, 1]]),
        lambda m: m.einsum([[1.5, 2], [3, 4]], [0, 1], [1, 2], [1]),
        lambda m: m.einsum("i->", (1, 2, 3)),
        lambda m: m.einsum(",", 2, 1.5),
    ):
        got, want = call(sk), call(np)
        assert got.dtype == want.dtype
        np.testing.assert_array_equal(to_numpy(got), want)
    with sk.device("cuda:0"):
        assert sk.einsum("i,i", [1, 2], [3, 4]).device == sk.Device("cuda:0")


def test_tensordot_takes_axes_by_position(device):
    a = random("float64", (3, 4), 10)
    got = sk.tensordot(to_device(device, a), to_device(device, a), ((0,), (0,)))
    np.testing.assert_allclose(to_numpy(got), np.tensordot(a, a, ((0,), (0,))))
