# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""The class Array as a constructor, with the signature of numpy.ndarray."""

import inspect

import numpy as np
import pytest
import skerry as sk

from tests.python.loops import loop_over
from tests.python.oracle import to_numpy


@loop_over("dtype", ["bool", "int8", "float16", "float64", "complex128"])
@loop_over("shape", [(), 3, (0,), (2, 3), [2, 0, 4], (2, 3, 4)])
def test_array_has_shape_dtype_device_and_order(shape, dtype, device):
    for order in (None, "C", "F"):
        x = sk.ndarray(shape, dtype, order=order, device=device)
        y = np.ndarray(tuple(shape) if isinstance(shape, list) else shape, dtype, order=order)
        assert type(x) is sk.Array
        assert isinstance(x, sk.ndarray)
        assert (x.shape, x.dtype, str(x.device)) == (y.shape, y.dtype, device)
        assert x.flags.c_contiguous == y.flags.c_contiguous
        assert x.flags.f_contiguous == y.flags.f_contiguous
        x[...] = 1
        assert bool(sk.all(x == 1))


def test_defaults_are_float64_on_the_default_device():
    x = sk.ndarray((2,))
    assert (x.dtype, x.device) == (sk.float64, sk.default_device())
    with sk.device("cuda:0"):
        assert str(sk.ndarray(shape=(2,), dtype="int32").device) == "cuda:0"
    theirs = "shape dtype buffer offset strides order"
    assert [*inspect.signature(sk.ndarray).parameters] == [*theirs.split(), "device"]


@loop_over("order", ["C", "F"])
def test_buffer_is_shared(order):
    memory = bytearray(np.arange(10, dtype="int32").tobytes())
    x = sk.ndarray((2, 3), "int32", buffer=memory, offset=8, order=order)
    y = np.ndarray((2, 3), "int32", buffer=memory, offset=8, order=order)
    np.testing.assert_array_equal(to_numpy(x), y)
    x[1, 2] = 77
    assert y[1, 2] == 77
    z = sk.ndarray(2, buffer=np.array([1.5, 2.5, 3.5]))
    assert z.tolist() == [1.5, 2.5]


@pytest.mark.parametrize(
    ("call", "kind", "text"),
    [
        (
            lambda: sk.ndarray(),
            TypeError,
            "ndarray() missing 1 required positional argument: 'shape'",
        ),
        (
            lambda: sk.ndarray((2,), strides=(8,)),
            TypeError,
            "ndarray: strides can't be passed; make an array, and a view of it",
        ),
        (
            lambda: sk.ndarray((2,), offset=8),
            ValueError,
            "ndarray: offset is a position in buffer; pass buffer, too",
        ),
        (lambda: sk.ndarray((2,), order="K"), ValueError, None),
        (lambda: sk.ndarray((-1,)), ValueError, None),
        (lambda: sk.ndarray((2,), "float46"), TypeError, None),
        (lambda: sk.ndarray((3,), buffer=bytearray(8)), ValueError, None),
        (lambda: sk.ndarray((1,), buffer=bytearray(8), device="cuda:0"), ValueError, None),
    ],
)
def test_errors_name_the_class(call, kind, text):
    with pytest.raises(kind) as caught:
        call()
    assert str(caught.value).startswith("ndarray")
    assert text is None or str(caught.value) == text


def test_the_class_has_no_subclasses():
    with pytest.raises(TypeError, match="not an acceptable base type"):
        type("Sub", (sk.Array,), {})
    with pytest.raises(TypeError):
        object.__new__(sk.Array)
