# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Array methods match those of numpy.ndarray, over dtypes, layouts and devices."""

import numpy as np
import pytest
import skerry as sk
from skerry.exceptions import DeviceMismatchError, ReadOnlyError
from skerry.testing import instruments

from tests.python.loops import loop_over
from tests.python.oracle import (
    DTYPES,
    HALVES,
    assert_same,
    kind_of,
    layouts_of,
    odd_bytes,
    sample,
    to_device,
    to_numpy,
)

REAL, NUMBERS, FLOATS = "biuf", "iufc", "fc"

# Calls on a 2-D array, with the dtype kinds that skerry supports and whether the results must be exact.
CALLS = {
    "x.all()": ("biufc", True),
    "x.all(1)": ("biufc", True),
    "x.all(axis=0, keepdims=True)": ("biufc", True),
    "x.any()": ("biufc", True),
    "x.any(0)": ("biufc", True),
    "x.argmax()": (REAL[1:], True),
    "x.argmax(0)": (REAL[1:], True),
    "x.argmin(axis=-1, keepdims=True)": (REAL[1:], True),
    "x.argsort(kind='stable')": (REAL, True),
    "x.argsort(0, stable=True)": (REAL, True),
    "x.argsort(axis=None, kind='stable')": (REAL, True),
    "x.astype('complex128')": ("iufc", True),
    "x.astype('complex128', casting='safe', copy=False)": ("iufc", True),
    "x.clip(1, 2)": (REAL[1:], True),
    "x.clip(max=2)": (REAL[1:], True),
    "x.conj()": ("biufc", True),
    "x.conjugate()": ("biufc", True),
    "x.copy()": ("biufc", True),
    "x.copy('F')": ("biufc", True),
    "x.cumprod(0)": ("biufc", False),
    "x.cumprod(1, 'float64')": ("biuf", False),
    "x.cumsum()": ("biufc", False),
    "x.cumsum(axis=1)": ("biufc", False),
    "x.cumsum(1, dtype='complex128')": ("biufc", False),
    "x.diagonal()": ("biufc", True),
    "x.diagonal(1, 1, 0)": ("biufc", True),
    "x.diagonal(offset=-1, axis1=-1, axis2=0)": ("biufc", True),
    "x.dot(x.T)": (NUMBERS, False),
    "x.dot(x[0])": (NUMBERS, False),
    "x.flatten()": ("biufc", True),
    "x.flatten('F')": ("biufc", True),
    "x.imag": ("biufc", True),
    "x.item(3)": ("biufc", True),
    "x.item(1, -1)": ("biufc", True),
    "x.item((1, 0))": ("biufc", True),
    "x.max()": (REAL[1:], True),
    "x.max(1)": (REAL[1:], True),
    "x.min(axis=(0, 1), keepdims=True)": (REAL[1:], True),
    "x.mean()": (FLOATS, False),
    "x.mean(0, keepdims=True)": (FLOATS, False),
    "x.mean(1, 'complex128')": (FLOATS, False),
    "x.nonzero()": ("biufc", True),
    "x.prod(0)": ("biufc", False),
    "x.prod(0, 'float64')": ("biuf", False),
    "x.ravel()": ("biufc", True),
    "x.ravel('F')": ("biufc", True),
    "x.ravel(order='A')": ("biufc", True),
    "x.ravel(order='K')": ("biufc", True),
    "x.real": ("biufc", True),
    "x.repeat(2)": ("biufc", True),
    "x.repeat(2, 1)": ("biufc", True),
    "x.repeat([1] * x.shape[0], axis=0)": ("biufc", True),
    "x.reshape(-1)": ("biufc", True),
    "x.reshape(x.shape[1], -1)": ("biufc", True),
    "x.reshape((x.shape[1], x.shape[0]))": ("biufc", True),
    "x.reshape([-1, 1, x.shape[0]])": ("biufc", True),
    "x.reshape(x.shape[1], x.shape[0], order='F')": ("biufc", True),
    "x.reshape(x.size, copy=True)": ("biufc", True),
    "x.round()": ("iufc", True),
    "x.round(2)": ("iufc", False),  # skerry rounds float16 in float64
    "x.round(decimals=-1)": ("iufc", False),
    "x.squeeze()": ("biufc", True),
    "x[:, None].squeeze(1)": ("biufc", True),
    "x.std()": ("f", False),
    "x.std(0, ddof=1)": ("f", False),
    "x.var(axis=1, ddof=1, keepdims=True)": ("f", False),
    "x.var(0, 'float64')": ("f", False),
    "x.sum()": ("biufc", False),
    "x.sum(1)": ("biufc", False),
    "x.sum(-1, None, None, True)": ("biufc", False),
    "x.sum(axis=(0, 1), dtype='complex128')": ("biufc", False),
    "x.swapaxes(0, 1)": ("biufc", True),
    "x.swapaxes(-1, 0)": ("biufc", True),
    "x.take(0)": ("biufc", True),
    "x.take([1, -1, 0])": ("biufc", True),
    "x.take([[0], [-1]], 0)": ("biufc", True),
    "x.tobytes()": ("biufc", True),
    "x.tobytes('F')": ("biufc", True),
    "x.tolist()": ("biufc", True),
    "x.trace()": (NUMBERS, False),
    "x.trace(offset=-1, axis1=1, axis2=0, dtype='complex128')": (NUMBERS, False),
    "x.transpose()": ("biufc", True),
    "x.transpose(None)": ("biufc", True),
    "x.transpose(1, 0)": ("biufc", True),
    "x.transpose((-2, -1))": ("biufc", True),
    "x.nbytes, x.itemsize, x.ndim, x.size, x.shape, x.strides": ("biufc", True),
    "x.repeat(2)[:1].searchsorted(x[0, 0])": ("f", True),
    "x.view()": ("biufc", True),
    "x.all(where=x == x)": ("biufc", True),
    "x.any(1, where=x != x)": ("biufc", True),
    "x.max(where=x < 2, initial=2)": (REAL[1:], True),
    "x.max(0, initial=100)": (REAL[1:], True),
    "x.min(1, None, True, 1)": (REAL[1:], True),
    "x.prod(0, where=x > 2, initial=3)": ("iuf", False),
    "x.sum(where=x == x[0, 0])": ("biufc", False),
    "x.sum(1, initial=5)": (NUMBERS, False),
}


def run(call, x):
    return eval(call, {"x": x})


def assert_equal(got, want, device, *, exact, label, scale=0.0):
    """Like ``assert_same``, for results that need not be arrays."""
    if isinstance(want, tuple):
        assert len(got) == len(want), label
        for actual, theirs in zip(got, want, strict=True):
            assert_equal(actual, theirs, device, exact=exact, label=label, scale=scale)
    elif isinstance(got, sk.Array):
        assert_same(got, want, device, exact=exact, label=label, scale=scale)
    else:
        assert type(got) is type(want), label
        assert got == want, label


@pytest.mark.parametrize("call", CALLS)
def test_methods_match_numpy(call, device):
    kinds, exact = CALLS[call]
    for dtype in (dtype_name for dtype_name in DTYPES if kind_of(dtype_name) in kinds):
        base = sample(dtype, (9, 14), low=1, high=2 if "prod" in call else 3)
        for name, array, theirs in layouts_of(base, device):
            if theirs.ndim != 2 or (min(theirs.shape) < 2 and "squeeze" not in call):
                continue
            theirs = np.asfortranarray(theirs) if name == "F" else theirs
            want = run(call, theirs)
            if (
                call.startswith("x.clip") and dtype == "bfloat16"
            ):  # float32, beside Python's scalars
                want = want.astype(dtype)
            exactly = exact
            if not exact:
                result = np.asarray(want).dtype
                if result.name in HALVES:  # skerry accumulates in float32 and rounds once
                    want = run(call, theirs.astype("float32")).astype(result)
                exactly = kind_of(result) in "biu"
            label = f"{call} of {dtype}, {name}"
            assert_equal(run(call, array), want, device, exact=exactly, label=label, scale=400.0)


def test_round_halves_and_negative_decimals(device):
    x = np.array([-2.675, 0.125, 1234.5678, 2.5, -0.5, 15.0, 25.0])
    array = to_device(device, x)
    for decimals in (-3, -1, 0, 1, 2, 5):
        assert_same(array.round(decimals), x.round(decimals), device)
        assert_same(array.round(decimals=decimals), x.round(decimals=decimals), device)
    tens = np.array([-155, 15, 25, 149])
    assert_same(to_device(device, tens).round(-1), tens.round(-1), device)
    assert_same(np.round(array, 2), np.round(x, 2), device)


def test_dot_of_0d_1d_and_3d_arrays(device):
    x = sample("float64", (2, 3, 4), low=1)
    y = sample("float64", (5, 4, 3), 1, low=1)
    assert_same(to_device(device, x).dot(to_device(device, y)), x.dot(y), device, exact=False)
    assert_same(to_device(device, x).dot(to_device(device, y[0])), x.dot(y[0]), device, exact=False)
    assert_same(
        to_device(device, x[0, 0]).dot(to_device(device, y)), x[0, 0].dot(y), device, exact=False
    )
    scalar = to_device(device, np.array(2.0))
    assert_same(scalar.dot(to_device(device, x)), np.array(2.0).dot(x), device)
    assert_same(to_device(device, x).dot(2), x.dot(2), device)


def test_searchsorted(device):
    x = np.array([1.0, 2.0, 2.0, 5.0])
    array = to_device(device, x)
    v = np.array([[2.0, 0.0], [9.0, 5.0]])
    assert_same(array.searchsorted(to_device(device, v)), x.searchsorted(v), device)
    assert_same(
        array.searchsorted(to_device(device, v), "right"), x.searchsorted(v, "right"), device
    )
    assert_same(array.searchsorted(2.0, side="right"), x.searchsorted(2.0, side="right"), device)
    assert_same(array.searchsorted([2.0, 3.0]), x.searchsorted([2.0, 3.0]), device)
    got = array[::-1].searchsorted(
        to_device(device, v), "left", to_device(device, np.arange(4)[::-1])
    )
    assert_same(got, x.searchsorted(v), device)


@pytest.mark.parametrize("dtype", ["int8", "uint64", "float32", "float64"])
def test_sort_is_in_place(device, dtype):
    for axis in (-1, 0, 1):
        for _, array, theirs in layouts_of(sample(dtype, (9, 14)), device):
            if array.ndim == 2 and instruments.is_writable(array):
                theirs.sort(axis)
                assert array.sort(axis) is None
                assert_same(array, theirs, device)
    array = to_device(device, sample(dtype, (5,)))
    array.sort(kind="stable")
    assert_same(array, np.sort(sample(dtype, (5,))), device)
    array.sort(descending=True)
    assert_same(array, np.sort(sample(dtype, (5,)))[::-1], device)
    assert array.argsort(descending=True).tolist() == [0, 1, 2, 3, 4]
    with pytest.raises(ReadOnlyError):
        sk.broadcast_to(array, (2, 5)).sort()
    with pytest.raises(ValueError, match="fields"):
        array.sort(order="a")


def test_fill(device):
    x = to_device(device, np.zeros((3, 4), "float32"))
    x[1:].fill(2.5)
    assert_same(x, [[0] * 4, [2.5] * 4, [2.5] * 4], device, dtype="float32")
    x.fill(to_device(device, np.array(1, "float32")))
    assert_same(x, np.ones((3, 4), "float32"), device)
    with pytest.raises(ValueError, match="scalar"):
        x.fill(x[0])


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_real_and_imag_of_complex_arrays_are_views(device, dtype):
    for _, array, theirs in layouts_of(sample(dtype, (9, 14)), device):
        if array.ndim == 0 or not instruments.is_writable(array):
            continue
        assert_same(array.real, theirs.real, device)
        assert_same(array.imag, theirs.imag, device)
        array.real[0] = 7
        theirs.real[0] = 7
        array.imag = theirs.imag = 3
        array.real += 1
        theirs.real += 1
        assert_same(array, theirs, device)


def test_real_and_imag_of_real_arrays(device):
    x = to_device(device, np.arange(3.0))
    assert x.real is x
    assert_same(x.imag, np.zeros(3), device)
    with pytest.raises(ValueError, match="read-only"):
        x.imag[0] = 1
    with pytest.raises(TypeError, match="imag"):
        x.imag = 1
    x.real = 4
    assert_same(x, np.full(3, 4.0), device)


VIEWS = [
    ("float64", "int64"), ("float32", "uint32"), ("complex64", "float32"), ("complex128", "complex64"),
    ("int16", "uint8"), ("uint8", "int32"), ("float32", "complex64"), ("float64", "float64"),
    ("bool", "uint8"), ("float16", "int16"), ("int32", "float16"),
]  # fmt: skip


@loop_over(("dtype", "other"), VIEWS)
def test_view_reinterprets_bytes(device, dtype, other):
    x = sample(dtype, (3, 8))
    array = to_device(device, x)
    for part in (np.s_[:], np.s_[1:], np.s_[::2], np.s_[:, :4], np.s_[1:1]):
        got, want = array[part].view(other), x[part].view(other)
        assert (got.dtype, got.shape, got.device) == (want.dtype, want.shape, array.device)
        assert to_numpy(got).tobytes() == want.tobytes()
    array.view(other)[0] = array.view(other)[1]
    assert to_numpy(array[0]).tobytes() == x[1].tobytes()


def test_view_rejects_incompatible_dtypes(device):
    x = to_device(device, np.zeros((4, 3), "float32"))
    for bad in (lambda: x.T.view("int16"), lambda: x.view("float64"), lambda: x[0, 0].view("int8")):
        with pytest.raises(ValueError, match="view: float32"):
            bad()
    with pytest.raises(ValueError, match="aligned"):  # NumPy accepts it
        x.view("uint8")[:, 1:5].view("float32")
    with pytest.raises(ValueError, match="aligned"):
        sk.asarray(odd_bytes(16)).view("float64")


def test_view_of_empty_array_accepts_any_layout(device):
    for shape in ((0, 0), (0, 3), (3, 0)):
        host = np.zeros(shape, "int64")
        got, want = to_device(device, host).T.view("int32"), host.T.view("int32")
        assert (got.dtype, got.shape) == (want.dtype, want.shape)


def test_views_share_memory(device):
    x = to_device(device, np.zeros((3, 4)))
    for view in (
        x.ravel(),
        x.reshape(4, 3),
        x.transpose(),
        x.swapaxes(0, 1),
        x.squeeze(),
        x.diagonal(),
    ):
        view.fill(5)
        assert float(sk.max(x)) == 5
        x.fill(0)
    for copied in (x.flatten(), x.copy(), x.reshape(4, 3, copy=True), x.astype("float64")):
        copied.fill(5)
        assert float(sk.max(x)) == 0
    assert x.astype("float64", copy=False) is x


@loop_over("order", ["C", "F", "A"])
def test_ravel_is_contiguous_and_shares_memory_as_in_numpy(order, device):
    """A view of a strided vector would change x when it is written to, where NumPy's copy does not."""
    base = np.arange(48.0)
    layouts = {
        "vector": lambda x: x, "strided": lambda x: x[::2], "reversed": lambda x: x[::-1], "empty": lambda x: x[::2][:0],
        "one element": lambda x: x[3:4:2], "0-d": lambda x: x[:1].reshape(()), "matrix": lambda x: x.reshape(6, 8),
        "columns": lambda x: x.reshape(6, 8)[:, ::2], "column": lambda x: x.reshape(6, 8)[:, 3:4],
        "transposed": lambda x: x.reshape(6, 8).transpose(), "rows reversed": lambda x: x.reshape(6, 8)[::-1],
    }  # fmt: skip
    for name, layout in layouts.items():
        x, host = layout(to_device(device, base)), layout(base)
        want = host.ravel(order)
        for got in (x.ravel(order), sk.ravel(x, order)) if order != "A" else (x.ravel(order),):
            assert_same(got, want, device, label=name)
            assert got.flags.c_contiguous, name
            assert sk.shares_memory(got, x) == np.shares_memory(want, host), name


OUT = {
    "x.sum(1, out=out)": (),
    "x.mean(1, None, out)": (),
    "x.max(1, out)": (),
    "x.all(1, out=out)": (),
    "x.argmin(1, out=out)": (),
    "x.std(axis=1, out=out)": (),
    "x.cumsum(1, out=out)": (),
    "x.round(1, out=out)": (),
    "x.clip(0, 1, out=out)": (),
    "x.take([0, 1], 1, out)": (),
    "x.trace(out=out)": (),
    "x.dot(x.T, out)": (),
}


@pytest.mark.parametrize("call", OUT)
def test_out(call, device):
    x = sample("float64", (3, 4), low=1)
    array = to_device(device, x)
    want = eval(call, {"x": x, "out": None})
    out = sk.zeros(np.shape(want), dtype=np.asarray(want).dtype, device=device)
    assert eval(call, {"x": array, "out": out}) is out
    assert_same(out, want, device, exact=kind_of(np.asarray(want).dtype) in "bi")
    with pytest.raises(
        ValueError, match=r"out has shape \(7,\), but the result .*; create out with"
    ):
        eval(call, {"x": array, "out": sk.zeros((7,), device=device)})
    if want.dtype != bool:
        with pytest.raises(TypeError, match="does not cast to the bool of out"):
            eval(call, {"x": array, "out": sk.zeros(out.shape, dtype="bool", device=device)})
    with pytest.raises(TypeError, match=r"out must be an Array"):
        eval(call, {"x": array, "out": 3})
    elsewhere = sk.zeros(
        out.shape, dtype=out.dtype, device="cpu:1" if device == "cpu:0" else "cpu:0"
    )
    with pytest.raises(DeviceMismatchError):
        eval(call, {"x": array, "out": elsewhere})
    assert not to_numpy(elsewhere).any()


TWO = ["dot(y)", "take(i)", "searchsorted(y)", "searchsorted(1.0, sorter=i)", "clip(y, y)", "repeat(i)",
       "clip(max=y)", "fill(y[0])", "sum(axis=i[0])"]  # fmt: skip


@pytest.mark.parametrize("call", TWO)
def test_arrays_of_two_devices_are_rejected(call, device):
    elsewhere = "cuda:1" if device == "cuda:0" else "cuda:0"
    x = to_device(device, np.arange(3.0))
    names = {
        "x": x,
        "y": to_device(elsewhere, np.arange(3.0)),
        "i": to_device(elsewhere, np.arange(3)),
    }
    with pytest.raises(DeviceMismatchError):
        eval(f"x.{call}", names)
    assert_same(x, np.arange(3.0), device)


def test_invalid_or_unsupported_arguments_raise():
    names = {"x": sk.ones((2, 3))}
    for call, error in (
        ("x.take([0], mode='none')", ValueError),
        ("x.astype('int8', order='X')", ValueError),
        ("x.astype('int8', casting='safe')", TypeError),
        ("x.argsort(order='a')", ValueError),
        ("x.mean(dtype='int64')", TypeError),
        ("x.reshape()", TypeError),
        ("x.reshape(7)", ValueError),
        ("x.swapaxes(0, 2)", ValueError),
        ("x.squeeze(0)", ValueError),
        ("x.transpose(0)", ValueError),
        ("x.ravel('X')", ValueError),
        ("x.sum(no=1)", TypeError),
        ("x.item()", ValueError),
        ("x.item(6)", IndexError),
        ("x.item(0, 3)", IndexError),
    ):
        with pytest.raises(error):
            eval(call, names)


def test_to_numpy_copies_only_from_gpus(device):
    x = to_device(device, np.arange(6.0).reshape(2, 3))
    host = x.to_numpy()
    assert type(host) is np.ndarray
    assert np.array_equal(host, np.arange(6.0).reshape(2, 3))
    host[0, 0] = 9
    assert x[0, 0].item() == (9 if device.startswith("cpu") else 0)
    assert x.T.to_numpy().tolist() == host.T.tolist() or not device.startswith("cpu")


@loop_over("dtype", DTYPES)
def test_tolist_returns_python_scalars(dtype, device):
    host = (np.arange(24).reshape(2, 3, 4) % 3).astype(dtype)
    for key in (..., (0, 0, 1), (slice(None), slice(None, None, -2)), (slice(0), 1)):
        actual, want = to_device(device, host)[key].tolist(), host[key].tolist()
        assert actual == want
        assert repr(actual) == repr(want)
