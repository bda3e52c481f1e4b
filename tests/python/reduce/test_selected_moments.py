# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""mean, std and var with where= and mean=, beside NumPy."""

import warnings

import numpy as np
import pytest
import skerry as sk
from skerry.exceptions import DeviceMismatchError, DTypeError, ShapeError

from tests.python.loops import loop_over
from tests.python.oracle import sample, to_device, to_numpy

WHERE = ("cpu:0", "cpu:1", "cuda:0")
DTYPES = [
    "bool",
    "int8",
    "uint16",
    "int64",
    "float16",
    "float32",
    "float64",
    "complex64",
    "complex128",
]
SHAPES = [(), (0,), (5,), (3, 4), (2, 0, 3), (2, 3, 4), (40, 33)]
FUNCTIONS = ("mean", "std", "var")
on_devices = pytest.mark.parametrize("device", WHERE)


def selection(shape, seed=0):
    return np.random.default_rng(seed).random(shape) < 0.6


def axes_of(shape):
    yield from (None, (), *range(len(shape)))
    yield (0, -1) if len(shape) > 1 else ()


def numpy_result(name, x, mask, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return np.asarray(selected_result(name, x, mask, module=np, **options))


def selected_result(name, x, mask, *args, module=sk, **options):
    """Returns a moment of the elements that a mask selects."""
    return getattr(module, name)(x, *args, **{"where": mask}, **options)


def assert_close(got, want, dtype, device):
    assert (got.shape, str(got.device)) == (want.shape, device)
    assert got.dtype == want.dtype
    tolerance = {"float16": 2e-3, "float32": 2e-6, "complex64": 2e-6}.get(dtype, 1e-13)
    np.testing.assert_allclose(to_numpy(got), want, rtol=tolerance, atol=tolerance)


@on_devices
@pytest.mark.parametrize("name", FUNCTIONS)
@loop_over("dtype", DTYPES)
def test_selected_elements_as_in_numpy(name, dtype, device):
    for shape in SHAPES:
        x = sample(dtype, shape, 1, -3 if not dtype.startswith(("b", "u")) else 0, 3)
        mask = selection(shape)
        for axis in axes_of(shape):
            for keepdims in (False, True):
                options = {"axis": axis, "keepdims": keepdims}
                y, selected = to_device(device, x), to_device(device, mask)
                want = numpy_result(name, x, mask, **options)
                assert_close(selected_result(name, y, selected, **options), want, dtype, device)
                method = getattr(y, name)(**{"where": selected}, **options)
                assert_close(method, want, dtype, device)


@on_devices
@pytest.mark.parametrize("name", ["std", "var"])
@loop_over("dtype", ["int16", "float16", "float32", "float64", "complex64"])
def test_mean_is_not_computed_again(name, dtype, device):
    x = sample(dtype, (3, 4, 5), 2, -3, 3)
    y = to_device(device, x)
    for axis in (None, 1, (0, 2)):
        mean = np.mean(x, axis=axis, keepdims=True)
        for mask in (True, selection(x.shape)):
            for correction in (0, 1, 3.5):
                options = {"axis": axis, "ddof": correction}
                got = selected_result(
                    name,
                    y,
                    mask if mask is True else to_device(device, mask),
                    mean=to_device(device, mean),
                    **options,
                )
                # float16 is computed in float32 here, NumPy rounds the squares.
                wide = x.astype("float32") if dtype == "float16" else x
                want = numpy_result(name, wide, mask, mean=mean, **options)
                assert got.dtype == ("float16" if dtype == "float16" else want.dtype)
                assert_close(sk.astype(got, want.dtype), want, dtype, device)
    off = to_device(device, np.zeros((1, 1, 1), np.asarray(x.real if dtype[0] == "c" else x).dtype))
    got = sk.var(to_device(device, np.abs(x).astype("float64")), mean=sk.astype(off, sk.float64))
    np.testing.assert_allclose(float(got), np.mean(np.abs(x).astype("float64") ** 2), rtol=1e-12)


@on_devices
def test_layouts_masks_and_literals(device):
    x = sample("float64", (6, 8), 3)
    y = to_device(device, x)
    mask = selection((6, 8), 4)
    selected = to_device(device, mask)
    cases = [
        (x.T, y.T, mask.T, selected.T),
        (x[::2, ::-1], y[::2, ::-1], mask[::2, ::-1], selected[::2, ::-1]),
        (x, y, mask[0], selected[0]),
        (x, y, mask[:, :1], selected[:, :1]),
        (x[:, :2], y[:, :2], [True, False], [True, False]),
        (x, y, True, True),
        (x, y, False, False),
    ]
    for host, array, condition, ours in cases:
        for name in FUNCTIONS:
            want = numpy_result(name, host, condition, axis=0)
            assert_close(selected_result(name, array, ours, axis=0), want, "float64", device)
            assert_close(
                selected_result(name, array, ours, axis=0, module=np), want, "float64", device
            )


@on_devices
def test_nan_and_infinities_that_are_not_selected_have_no_effect(device):
    x = to_device(device, np.array([[1.0, np.nan, 3.0], [np.inf, 5.0, 9.0]]))
    mask = to_device(device, np.array([[True, False, True], [False, True, True]]))
    assert selected_result("mean", x, mask).item() == 4.5
    assert selected_result("var", x, mask, axis=1).tolist() == [1.0, 4.0]
    assert np.isnan(to_numpy(selected_result("mean", x, mask & False, axis=0))).all()


@on_devices
def test_options_and_outputs(device):
    x = sample("float32", (4, 5), 5)
    y, mask = to_device(device, x), selection((4, 5), 6)
    selected = to_device(device, mask)
    for name in FUNCTIONS:
        out = sk.zeros((5,), dtype="float64", device=device)
        got = selected_result(name, y, selected, 0, "float64", out)
        assert got is out
        want = numpy_result(name, x, mask, axis=0, dtype="float64")
        np.testing.assert_allclose(to_numpy(out), want, rtol=1e-12)
    assert_close(
        selected_result("var", y, selected, correction=1),
        numpy_result("var", x, mask, ddof=1),
        "float32",
        device,
    )


@on_devices
def test_errors(device):
    x = sk.ones((2, 3), device=device)
    other = {"cpu:0": "cpu:1", "cpu:1": "cuda:0", "cuda:0": "cuda:1"}[device]
    mask = sk.ones((2, 3), dtype=bool, device=other)
    for name in FUNCTIONS:
        with pytest.raises(DeviceMismatchError, match=name):
            selected_result(name, x, mask)
        with pytest.raises(DTypeError) as caught:
            selected_result(name, x, x)
        assert str(caught.value) == f"{name}: where must be bool, not float64; pass where != 0"
        with pytest.raises(ShapeError) as caught:
            selected_result(name, x, sk.ones((4, 2, 3), dtype=bool, device=device))
        assert (
            str(caught.value)
            == f"{name}: where has shape (4, 2, 3), which does not broadcast to (2, 3)"
        )
        with pytest.raises(sk.exceptions.AxisError, match=name):
            selected_result(name, x, x > 0, axis=2)
    for name in ("std", "var"):
        with pytest.raises(DeviceMismatchError, match=name):
            getattr(sk, name)(x, mean=sk.ones((1, 1), device=other))
        with pytest.raises(ShapeError) as caught:
            getattr(sk, name)(x, axis=1, mean=sk.ones((4, 2, 3), device=device))
        assert str(caught.value) == (
            f"{name}: mean has shape (4, 2, 3), which does not broadcast to (2, 3); compute it with keepdims=True"
        )
        with pytest.raises(ValueError, match="correction and ddof are the same parameter"):
            selected_result(name, x, x > 0, ddof=1, correction=1)
