# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""round with decimals=, beside NumPy."""

import numpy as np
import pytest
import skerry as sk

from tests.python.loops import loop_over
from tests.python.oracle import sample, to_device, to_numpy


@loop_over(
    "dtype", ["int8", "uint16", "int64", "float16", "float32", "float64", "complex64", "complex128"]
)
@loop_over("decimals", [-2, -1, 0, 1, 3])
def test_decimals_as_in_numpy(dtype, decimals, device):
    for shape in [(), (0,), (7,), (3, 5)]:
        x = sample(dtype, shape, 1, 0 if dtype[0] == "u" else -60, 60)
        # NumPy rounds in float16, whose products are inexact.
        wide = x.astype("float64") if dtype == "float16" else x
        want = np.round(wide, decimals).astype(dtype)
        y = to_device(device, x)
        for got in (
            sk.round(y, decimals),
            sk.round(y, decimals=decimals),
            sk.round(y, decimals, None),
            y.round(decimals),
            np.round(y, decimals),
        ):
            assert (got.dtype, got.shape, str(got.device)) == (want.dtype, want.shape, device)
            np.testing.assert_array_equal(to_numpy(got), want)
    strided = to_device(device, np.linspace(-5, 5, 21))[::-2]
    np.testing.assert_array_equal(
        to_numpy(sk.round(strided, 1)), np.round(np.linspace(-5, 5, 21)[::-2], 1)
    )


def test_outputs_and_options(device):
    x = to_device(device, np.array([1.25, -2.75, 3.5]))
    out = sk.zeros((3,), device=device)
    for call in (
        lambda: sk.round(x, 1, out),
        lambda: sk.round(x, 1, out=out),
        lambda: sk.round(x, decimals=1, out=(out,)),
    ):
        out[...] = 0
        assert call() is out
        assert out.tolist() == [1.2, -2.8, 3.5]
    assert sk.round(x, out).tolist() == [1, -3, 4]  # as a ufunc
    mask = to_device(device, np.array([True, False, True]))
    assert sk.round(x, 1, **{"where": mask}).tolist() == [1.2, 0, 3.5]
    assert sk.round(x, 0, out) is out
    assert sk.round(2.567, 2).item() == 2.57
    assert sk.round([1.26, 2.0], 1).tolist() == [1.3, 2.0]


@pytest.mark.parametrize(
    ("call", "kind", "text"),
    [
        (lambda x: sk.round(x, 1.5), TypeError, "round: decimals must be an int, not float"),
        (lambda x: sk.round(x, decimals="1"), TypeError, "round: decimals must be an int, not str"),
        (
            lambda x: sk.round(x, 1, sk.zeros((3,))),
            ValueError,
            "round: out has shape (3,), but the result (2,); create out with skerry.empty",
        ),
    ],
)
def test_errors(call, kind, text):
    with pytest.raises(kind) as caught:
        call(sk.ones((2,)))
    assert str(caught.value) == text
