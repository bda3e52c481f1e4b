# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Transforms over two axes, and NumPy's order of arguments, beside numpy.fft."""

import warnings

import numpy as np
import pytest
import skerry as sk
from skerry.exceptions import AxisError

from tests.python.fourier.test_fft import FROM_REAL, NORMS, TO_REAL, WIDE
from tests.python.loops import loop_over
from tests.python.oracle import sample, to_device, to_numpy

TWO_AXES = ("fft2", "ifft2", "rfft2", "irfft2")


def assert_close(got, want, dtype, device):
    assert got.device == sk.Device(device)
    is_single = dtype in ("float16", "float32", "complex64")
    real = "float32" if is_single else "float64"
    kind = "complex64" if is_single else "complex128"
    assert got.dtype == (real if want.dtype.kind == "f" else kind)
    assert got.shape == want.shape
    tolerance = 1e-5 if is_single else 1e-13
    scale = np.abs(want).max(initial=1)
    np.testing.assert_allclose(to_numpy(got) / scale, want / scale, atol=tolerance, rtol=0)


@loop_over("name", TWO_AXES)
@loop_over("dtype", [*WIDE, "int32"])
@loop_over("norm", [None, *NORMS])
@loop_over(
    ("s", "axes"),
    [
        (None, (-2, -1)),
        (None, (0, 1)),
        ((3, 8), (-2, -1)),
        ((6, 4), (1, 0)),
        ((-1, 4), (0, 2)),
        ((5, -1), (-1, 0)),
        ((7, 4), None),
    ],
)
def test_transforms_over_two_axes(name, dtype, norm, s, axes, device):
    if name == "rfft2" and dtype.startswith("complex"):
        return
    x = sample(dtype, (4, 5, 6))
    wide = x.astype("complex128" if name != "rfft2" else "float64")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of s without axes
        want = getattr(np.fft, name)(wide, s, axes, norm)
    for y in (to_device(device, x), to_device(device, x[:, ::-1])[:, ::-1]):
        assert_close(getattr(sk.fft, name)(y, s, axes, norm), want, dtype, device)
    assert_close(
        getattr(sk.fft, name)(to_device(device, x), s=s, axes=axes, norm=norm), want, dtype, device
    )


@loop_over("name", ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"])
def test_arguments_of_one_axis_by_position(name, device):
    x = sample("float64" if name in FROM_REAL else "complex128", (4, 6))
    function, theirs = getattr(sk.fft, name), getattr(np.fft, name)
    y = to_device(device, x)
    for arguments in [(5,), (None, 0), (3, 0, "ortho"), (None, -1, None)]:
        assert_close(function(y, *arguments), theirs(x, *arguments), "float64", device)


@loop_over("name", ["fftn", "ifftn", "rfftn", "irfftn"])
def test_arguments_of_several_axes_by_position(name, device):
    x = sample("float64" if name in FROM_REAL else "complex128", (3, 4, 6))
    function, theirs = getattr(sk.fft, name), getattr(np.fft, name)
    y = to_device(device, x)
    for arguments in [
        ((5, 4), (0, 1)),
        (None, (1,)),
        ((-1, 3, -1), (2, 1, 0), "forward"),
        (None, None, None),
    ]:
        assert_close(function(y, *arguments), theirs(x, *arguments), "float64", device)
    assert name in TO_REAL or function(y, [-1, 4]).shape == theirs(x, (4, 4), (1, 2)).shape


def test_other_functions_by_position(device):
    x = to_device(device, np.arange(12.0).reshape(3, 4))
    for name in ("fftshift", "ifftshift"):
        want = getattr(np.fft, name)(np.arange(12.0).reshape(3, 4), 1)
        np.testing.assert_array_equal(to_numpy(getattr(sk.fft, name)(x, 1)), want)
    for name in ("fftfreq", "rfftfreq"):
        got = getattr(sk.fft, name)(7, 0.5, device=device)
        np.testing.assert_array_equal(to_numpy(got), getattr(np.fft, name)(7, 0.5))


@pytest.mark.parametrize(
    ("call", "kind", "text"),
    [
        (
            "fft2(sk.ones(3))",
            AxisError,
            "fft2: axis -2 is out of bounds for array of 1 axis; use -1 to 0",
        ),
        ("fft2(x, (2,))", ValueError, "fft2: s and axes have different lengths: 1 and 2"),
        (
            "ifft2(x, (2, 0))",
            ValueError,
            "ifft2: the transform needs at least one element, not 0, along axis 1 of float64 (3, 4) on cpu:0; pass a positive length",
        ),
        (
            "irfft2(x, axes=(0, 0))",
            ValueError,
            "irfft2: axis 0 is given more than once; name every axis once",
        ),
        (
            "rfft2(x * 1j)",
            TypeError,
            "rfft2: x must be real, not complex128; use fft, or take real(x)",
        ),
        (
            "fft2(x, norm='both')",
            ValueError,
            "fft2: norm must be 'backward' or 'ortho' or 'forward', not 'both'",
        ),
    ],
)
def test_wrong_arguments(call, kind, text):
    with pytest.raises(kind) as caught:
        eval(f"sk.fft.{call}", {"sk": sk, "x": sk.ones((3, 4))})
    assert str(caught.value) == text
