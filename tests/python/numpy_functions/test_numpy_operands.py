# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""NumPy arrays as operands with skerry arrays: arrays on cpu:0 that share memory, and DeviceMismatchError elsewhere."""

import operator

import numpy as np
import pytest
import skerry as sk

from tests.python.numpy_functions.numpy_calls import HOST
from tests.python.numpy_functions.numpy_comparison import PLACES, assert_alike
from tests.python.oracle import to_device, to_numpy


@pytest.fixture(params=PLACES)
def array_device(request):
    return request.param


def test_numpy_operands_are_on_cpu_0(array_device):
    x, b = to_device(array_device, HOST["x"]), to_device(array_device, HOST["b"])
    zeros = np.zeros(4)
    for call in (
        lambda x, host: np.add(x, host),
        lambda x, host: np.add(host, x),
        lambda x, host: np.concatenate([x, host]),
        lambda x, host: np.where(b if type(x) is sk.Array else HOST["b"], x, host),
        lambda x, host: np.array_equal(host, x),
        lambda x, host: np.add.outer(host, x),
        lambda x, host: np.fmod(host, x),
        lambda x, host: np.hypot(x, host),
        lambda x, host: np.vstack([host, x, host]),
        lambda x, host: np.block([[x, host]]),
        lambda x, host: (
            np.sum(x, axis=0, where=host > 0.5) if array_device == "cpu:0" else host + x
        ),
    ):
        host = HOST["x"].copy()
        if array_device == "cpu:0":
            assert_alike(call(x, host), call(HOST["x"], host), array_device)
        else:
            with pytest.raises(sk.exceptions.DeviceMismatchError, match=r"numpy\.ndarray.*cpu:0"):
                call(x, host)
    for call in (
        lambda out: np.add(x, 1.0, out=out),
        lambda out: np.copyto(out, x + 1.0),
        lambda out: np.sum(x, axis=0, out=zeros),
    ):
        host = HOST["x"].copy()
        if array_device == "cpu:0":
            assert call(host) in (None, host) if call(host) is None else call(host) is not None
            assert np.array_equal(host, HOST["x"] + 1.0) or np.allclose(zeros, HOST["x"].sum(0))
        else:
            with pytest.raises(sk.exceptions.DeviceMismatchError):
                call(host)
            assert np.array_equal(host, HOST["x"])
    assert np.array_equal(to_numpy(x), HOST["x"])


def test_numpy_views_of_arrays_on_cpu_1_are_on_cpu_0():
    x = to_device("cpu:1", HOST["x"])
    for view in (np.asarray(x), np.asarray(x)[:, ::2], np.asarray(x) * 1):
        with pytest.raises(sk.exceptions.DeviceMismatchError, match=r"numpy\.ndarray.*cpu:0"):
            x[: view.shape[0], : view.shape[1]] + view
        assert sk.abs(view).device == sk.Device("cpu:0")
    view = np.asarray(x)
    shared_array = sk.asarray(view, device="cpu:1", copy=False)
    assert np.shares_memory(shared_array, view)
    assert_alike(shared_array + x, HOST["x"] + HOST["x"], "cpu:1")


def test_numpy_out_is_returned():
    x, host, total = to_device("cpu:0", HOST["x"]), HOST["x"].copy(), np.zeros(4)
    assert np.add(x, 1.0, out=host) is host
    assert np.array_equal(host, HOST["x"] + 1.0)
    assert np.sum(x, axis=0, out=total) is total
    assert np.allclose(total, HOST["x"].sum(0))
    host += x
    assert type(host) is np.ndarray
    assert np.array_equal(host, HOST["x"] + 1.0 + HOST["x"])


OPERATORS = "add sub mul truediv floordiv mod pow and_ or_ xor lshift rshift matmul".split()
COMPARISONS = "eq ne lt le gt ge".split()
IN_PLACE = (
    "iadd isub imul itruediv ifloordiv imod ipow iand ior ixor ilshift irshift imatmul".split()
)


@pytest.mark.parametrize("name", [*OPERATORS, *COMPARISONS, *IN_PLACE])
def test_operators_with_numpy_arrays(name, array_device):
    """The 13 operators, reflected and in place: NumPy's own slots call ``__array_ufunc__`` in each case."""
    operation = getattr(operator, name)
    bits = name.removeprefix("i").rstrip("_") in ("and", "or", "xor", "lshift", "rshift")
    for shape in ((3, 3), (1, 3), (3,)):
        host = np.arange(1, 10).reshape(3, 3)[-shape[0] if len(shape) == 2 else 0 :][: shape[0]]
        host = np.ascontiguousarray(host.reshape(-1)[: np.prod(shape)].reshape(shape))
        host = host if bits else host.astype(float)
        values = np.full((3, 3), 2, dtype=host.dtype)
        if "matmul" in name and shape != (3, 3):
            continue
        for left_is_ours in (True, False):
            x, theirs = to_device(array_device, values), host.copy()
            pair = (x, theirs) if left_is_ours else (theirs, x)
            if name in IN_PLACE and not left_is_ours and shape != (3, 3):
                continue  # the left operand is too small for the result
            if array_device != "cpu:0":
                with pytest.raises(sk.exceptions.DeviceMismatchError, match=r"numpy\.ndarray"):
                    operation(*pair)
                assert np.array_equal(theirs, host)
                assert np.array_equal(to_numpy(x), values)
                continue
            plain = (values.copy(), host) if left_is_ours else (host.copy(), values)
            got, want = operation(*pair), operation(*plain)
            if name in IN_PLACE and not left_is_ours:
                assert got is theirs
                got = to_device(array_device, got)
            assert_alike(got, want, array_device)
            if name in IN_PLACE and left_is_ours:
                assert got is x


def test_0d_numpy_arrays_as_operands(array_device):
    """0-d arrays count as arrays on cpu:0, except in comparisons, where NumPy converts them to scalars first."""
    x, host = to_device(array_device, HOST["x"]), np.array(2.0)
    assert np.array_equal(to_numpy(host < x), HOST["x"] > 2.0)
    if array_device == "cpu:0":
        assert_alike(x * host, HOST["x"] * 2.0, array_device)
        assert_alike(host * x, HOST["x"] * 2.0, array_device)
        return
    for call in (lambda: x * host, lambda: host * x, lambda: sk.sum(x, axis=np.array(0))):
        with pytest.raises(sk.exceptions.DeviceMismatchError):
            call()


@pytest.mark.filterwarnings("ignore:the matrix subclass")
def test_subclasses_of_numpy_arrays_raise(array_device, tmp_path):
    x = to_device(array_device, HOST["m"])
    for call in (
        lambda: x + np.matrix(HOST["m"]),
        lambda: np.matrix(HOST["m"]) @ x,
        lambda: sk.add(x, np.matrix(HOST["m"])),
        lambda: np.add(x, np.matrix(HOST["m"])),
        lambda: sk.sum(np.ma.masked_array([1.0])),
        lambda: x[np.matrix([0])],
    ):
        with pytest.raises(
            (TypeError, sk.exceptions.DeviceMismatchError), match=r"matrix|mask|ndarray"
        ):
            call()
    for odd in (HOST["m"].astype(">f8"), np.array([["a"] * 3] * 3), HOST["m"].astype(object)):
        with pytest.raises((TypeError, sk.exceptions.DeviceMismatchError)):
            x + odd
        with pytest.raises((TypeError, sk.exceptions.DeviceMismatchError)):
            sk.add(x, odd)
    if array_device == "cpu:0":
        mapped = np.memmap(tmp_path / "m", dtype=float, mode="w+", shape=(3, 3))
        assert to_numpy(sk.add(x, mapped)).tolist() == HOST["m"].tolist()
        assert to_numpy(mapped + x).tolist() == HOST["m"].tolist()


@pytest.mark.parametrize("name", [n for n in OPERATORS if n not in ("matmul",)] + COMPARISONS)
def test_operators_with_numpy_scalars_take_the_dtype_of_the_array(name, array_device):
    operation = getattr(operator, name)
    if name in ("and_", "or_", "xor", "lshift", "rshift"):
        x, scalars = (
            to_device(array_device, HOST["n"].astype(np.int32)),
            (np.int8(3), np.int64(3), np.uint8(3)),
        )
    else:
        x, scalars = (
            to_device(array_device, HOST["x"].astype(np.float32)),
            (np.float64(2), np.float32(2), np.int64(2)),
        )
    for scalar in scalars:
        plain = scalar.item()
        for got, want in (
            (operation(x, scalar), operation(x, plain)),
            (operation(scalar, x), operation(plain, x)),
        ):
            assert type(got) is sk.Array
            assert got.dtype == want.dtype
            assert got.device == sk.Device(array_device)
            assert np.array_equal(to_numpy(got), to_numpy(want))
