# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Random matrices of every layout, and comparisons of results of skerry.linalg."""

import numpy as np
import pytest
import skerry as sk

from tests.python.oracle import kind_of, to_device, to_numpy

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
    if kind_of(dtype) == "c":
        values = values + 1j * rng.standard_normal(shape)
    return np.asarray(values).astype(dtype)


def adjoint(x):
    return np.conj(np.swapaxes(x, -1, -2))


def layouts(device, x):
    """Yields the matrices in C order, in column-major order, as every other row of a taller one, and with reversed columns."""
    yield to_device(device, x)
    yield to_device(device, np.ascontiguousarray(np.swapaxes(x, -1, -2))).mT
    taller = np.zeros((*x.shape[:-2], 2 * x.shape[-2], x.shape[-1]), x.dtype)
    taller[..., ::2, :] = x
    yield to_device(device, taller)[..., ::2, :]
    yield to_device(device, np.ascontiguousarray(x[..., ::-1]))[..., ::-1]


def check(got, want, device, dtype, loose=None, scale=1.0):
    want = np.asarray(want)
    assert isinstance(got, sk.Array)
    assert got.device == sk.Device(device)
    assert got.dtype == np.dtype(dtype), got.dtype
    assert got.shape == want.shape, (got.shape, want.shape)
    if loose == 0:
        np.testing.assert_array_equal(to_numpy(got), want)
        return
    loose = loose or LOOSE[str(np.dtype(dtype))]
    np.testing.assert_allclose(to_numpy(got), want, rtol=loose, atol=loose * scale)


def assert_close(a, b, dtype, scale=1.0):
    assert a.shape == b.shape, (a.shape, b.shape)
    np.testing.assert_allclose(a, b, rtol=LOOSE[dtype], atol=LOOSE[dtype] * scale)


squares = pytest.mark.parametrize("n", SQUARES)
dtypes = pytest.mark.parametrize("dtype", FLOATS)


def shapes_of_squares(n):
    return [(*stack, n, n) for stack in STACKS]
