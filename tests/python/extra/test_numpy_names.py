# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Second names are the same functions, and NumPy's own objects are NumPy's."""

import numpy as np
import pytest
import skerry as sk
from skerry._extra.numpy_names import functions, objects

from tests.python.oracle import sample, to_device, to_numpy

SECOND = {
    "absolute": "abs", "amax": "max", "amin": "min", "arccos": "acos", "arccosh": "acosh", "arcsin": "asin",
    "arcsinh": "asinh", "arctan": "atan", "arctan2": "atan2", "arctanh": "atanh", "asanyarray": "asarray",
    "bitwise_not": "bitwise_invert", "concatenate": "concat", "conjugate": "conj", "invert": "bitwise_invert", "ndarray": "Array",
    "left_shift": "bitwise_left_shift", "mod": "remainder", "power": "pow", "right_shift": "bitwise_right_shift",
    "rint": "round", "true_divide": "divide",
}  # fmt: skip
OF_INTEGERS = ("bitwise_not", "invert", "left_shift", "right_shift")
#: Objects that are no functions of numbers.
OBJECTS = (
    "False_", "ScalarType", "True_", "array_repr", "array_str", "base_repr", "binary_repr", "bool_", "byte", "cdouble",
    "complexfloating", "csingle", "double", "dtype", "errstate", "euler_gamma", "floating", "format_float_positional",
    "format_float_scientific", "generic", "get_printoptions", "geterr", "half", "index_exp", "inexact", "int_", "intc",
    "integer", "intp", "isscalar", "iterable", "little_endian", "long", "longlong", "may_share_memory",
    "mintypecode", "ndindex", "number", "printoptions", "s_", "set_printoptions", "seterr",
    "shares_memory", "short", "signedinteger", "single", "typecodes", "typename", "ubyte", "uint", "uintc", "uintp",
    "ulong", "ulonglong", "unsignedinteger", "ushort",
)  # fmt: skip
SIZED = (
    "bool_", "byte", "cdouble", "csingle", "double", "half", "int_", "intc", "intp", "long", "longlong", "short",
    "single", "ubyte", "uint", "uintc", "uintp", "ulong", "ulonglong", "ushort",
)  # fmt: skip


def test_lists_are_complete():
    assert sorted(SECOND) == sorted(functions.__all__)
    assert sorted(OBJECTS) == sorted(objects.__all__)


@pytest.mark.parametrize("name", SECOND)
def test_second_name_is_the_same_function(name):
    assert getattr(sk, name) is getattr(sk, SECOND[name])


def test_second_names_of_functions_in_python_are_the_same_function():
    assert sk.row_stack is sk.vstack


@pytest.mark.parametrize("name", sorted(set(SECOND) - {"asanyarray", "concatenate", "ndarray"}))
def test_second_name_computes_what_numpy_does(name, device):
    dtype = "int32" if name in OF_INTEGERS else "float64"
    x, y = sample(dtype, (3, 4), 0, low=1, high=2), sample(dtype, (3, 4), 1, low=1, high=2)
    x = 1 / x if name in ("arccos", "arcsin", "arctanh") else x
    function = getattr(np, name)
    host = (x, y) if getattr(function, "nin", 1) == 2 else (x,)
    with np.errstate(all="ignore"):
        want = function(*host)
    got = getattr(sk, name)(*(to_device(device, a) for a in host))
    assert got.device == sk.Device(device)
    assert got.dtype == want.dtype
    np.testing.assert_allclose(to_numpy(got), want, rtol=1e-14)


def test_concatenate_and_asanyarray(device):
    x = to_device(device, np.arange(3))
    assert to_numpy(sk.concatenate((x, x))).tolist() == [0, 1, 2, 0, 1, 2]
    assert sk.asanyarray(x) is x
    assert isinstance(x, sk.ndarray)


@pytest.mark.parametrize("name", OBJECTS)
def test_object_is_that_of_numpy(name):
    assert getattr(sk, name) is getattr(np, name)


@pytest.mark.parametrize("name", SIZED)
def test_dtype_is_accepted(name, device):
    x = sk.zeros((2,), dtype=getattr(sk, name), device=device)
    assert x.dtype == np.dtype(getattr(np, name))


def test_numpys_functions_take_arrays(device):
    x = to_device(device, np.zeros((2, 3)))
    assert sk.shares_memory(x, x[0])
    assert not sk.may_share_memory(x, x.copy())
    assert sk.array_repr(x) == repr(x)
    assert sk.iterable(x)
    assert not sk.isscalar(x)
    assert sk.issubdtype(x.dtype, sk.floating)
    assert x[sk.s_[0, 1:]].shape == (2,)
    assert [x[i].ndim for i in sk.ndindex(2)] == [1, 1]
