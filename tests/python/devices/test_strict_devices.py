# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Arrays on two devices in one call raise DeviceMismatchError in every public function that takes two arrays."""

import inspect
import itertools
import operator

import numpy as np
import pytest
import skerry as sk
from skerry.exceptions import DeviceMismatchError

from tests.python import functions_without_arrays
from tests.python.oracle import DTYPES, STANDARD_NAMES, assert_same

PAIRS = list(itertools.permutations(["cpu:0", "cpu:1", "cuda:0", "cuda:1"], 2))
SHAPES = [(3,), ()]

# Calls of functions of several arrays. The rest is classified by signature below.
CALLS = {
    "broadcast_arrays": lambda f, a, b: f(a, b),
    "clip": lambda f, a, b: f(a, b, a),
    "concat": lambda f, a, b: f([a, b]),
    "diff": lambda f, a, b: f(a, append=b),
    "isin": lambda f, a, b: f(a, b),
    "meshgrid": lambda f, a, b: f(a, b),
    "repeat": lambda f, a, b: f(a, b),
    "stack": lambda f, a, b: f([a, b]),
    "matmul": lambda f, a, b: f(a, b),
    "tensordot": lambda f, a, b: f(a, b, axes=0),
    "vecdot": lambda f, a, b: f(a, b),
    "searchsorted": lambda f, a, b: f(a, b),
    "take": lambda f, a, b: f(a, b),
    "take_along_axis": lambda f, a, b: f(a, b),
    "where": lambda f, a, b: f(a > 0, a, b),
}
# Take at most one array. Listed, so that every new function must be classified.
ONE_ARRAY_OR_NONE = {
    *functions_without_arrays.FUNCTIONS,
    *functions_without_arrays.CLASSES,
    "Array",
    "Device",
    "Event",
    "Stream",
    "DLDeviceType",
    "all",
    "any",
    "arange",
    "argmax",
    "argmin",
    "count_nonzero",
    "std",
    "var",
    "argsort",
    "as_cuda_array",
    "asarray",
    "asnumpy",
    "astype",
    "broadcast_shapes",
    "broadcast_to",
    "can_cast",
    "copy",
    "cuda_array_interface_version",
    "cumulative_prod",
    "cumulative_sum",
    "device",
    "empty",
    "empty_like",
    "expand_dims",
    "eye",
    "finfo",
    "flip",
    "from_cuda_array_interface",
    "from_dlpack",
    "full",
    "full_like",
    "iinfo",
    "isdtype",
    "is_cuda_array",
    "linspace",
    "matrix_transpose",
    "max",
    "mean",
    "min",
    "moveaxis",
    "ones",
    "ones_like",
    "permute_dims",
    "prod",
    "nonzero",
    "reshape",
    "result_type",  # reads no element
    "roll",
    "sort",
    "squeeze",
    "stream",
    "sum",
    "tile",
    "to_device",
    "tril",
    "triu",
    "unique_all",
    "unique_counts",
    "unique_inverse",
    "unique_values",
    "unstack",
    "zeros",
    "zeros_like",
}
CONSTANTS_AND_MODULES = {
    name
    for name in STANDARD_NAMES
    if not callable(getattr(sk, name)) or (inspect.isclass(getattr(sk, name)) and name in DTYPES)
}


def arrays(pair, shape, dtype="float64"):
    return [sk.ones(shape, dtype=dtype, device=device) for device in pair]


def binary_elementwise():
    from skerry.testing import instruments

    return [entry["name"] for entry in instruments.op_table() if entry["arity"] == 2]


def dtype_for(name):
    function = getattr(sk, name)
    x = sk.ones((1,), dtype="float64")
    for dtype in ("float64", "int64", "bool"):
        try:
            function(sk.astype(x, np.dtype(dtype)), sk.astype(x, np.dtype(dtype)))
        except TypeError:
            continue
        return dtype
    raise AssertionError(f"{name} takes no dtype that was tried")


def test_every_public_function_is_classified():
    from skerry.testing import instruments

    unary = {entry["name"] for entry in instruments.op_table() if entry["arity"] == 1}
    covered_names = (
        unary | set(binary_elementwise()) | set(CALLS) | ONE_ARRAY_OR_NONE | CONSTANTS_AND_MODULES
    )
    left = [
        name
        for name in STANDARD_NAMES
        if name not in covered_names and name != "__array_namespace_info__"
    ]
    assert not left, f"classify these functions in this file: {left}"


@pytest.mark.parametrize("name", sorted({*binary_elementwise(), *CALLS}))
def test_functions_of_mixed_devices_raise(name):
    function = getattr(sk, name)
    dtype = dtype_for(name) if name not in CALLS else "float64"
    call = CALLS.get(name, lambda f, a, b: f(a, b))
    for pair in PAIRS:
        for shape in SHAPES:
            a, b = arrays(pair, shape, dtype)
            with pytest.raises(DeviceMismatchError) as caught:
                call(function, a, b)
            text = str(caught.value)
            assert all(device in text for device in pair), text
            assert "to_device" in text, text


OPERATORS = [
    operator.add,
    operator.sub,
    operator.mul,
    operator.truediv,
    operator.floordiv,
    operator.mod,
    operator.pow,
    operator.matmul,
    operator.eq,
    operator.ne,
    operator.lt,
    operator.le,
    operator.gt,
    operator.ge,
]
IN_PLACE = [
    operator.iadd,
    operator.isub,
    operator.imul,
    operator.itruediv,
    operator.ifloordiv,
    operator.imod,
    operator.ipow,
    operator.imatmul,
]
INTEGER = [
    operator.and_,
    operator.or_,
    operator.xor,
    operator.lshift,
    operator.rshift,
    operator.iand,
    operator.ior,
    operator.ixor,
    operator.ilshift,
    operator.irshift,
]


@pytest.mark.parametrize("function", OPERATORS + IN_PLACE + INTEGER, ids=lambda f: f.__name__)
def test_operators_on_mixed_devices_raise(function):
    for pair, shape in itertools.product(PAIRS, SHAPES):
        a, b = arrays(pair, shape, "int64" if function in INTEGER else "float64")
        old_values = np.array(a.to_device("cpu:0"))
        with pytest.raises(DeviceMismatchError):
            function(a, b)
        assert np.array_equal(np.array(a.to_device("cpu:0")), old_values), "the target was changed"


@pytest.mark.parametrize("pair", PAIRS, ids=str)
def test_assignment_from_another_device_raises_and_changes_nothing(pair):
    a, b = arrays(pair, (3,))
    zero_d = sk.zeros((), device=pair[1])
    for key, value in [(slice(None), b), (0, zero_d), (Ellipsis, b)]:
        with pytest.raises(DeviceMismatchError):
            a[key] = value
    assert np.array_equal(np.array(a.to_device("cpu:0")), np.ones(3))


@pytest.mark.parametrize("pair", PAIRS, ids=str)
def test_index_arrays_of_another_device_raise(pair):
    a, _ = arrays(pair, (3,))
    index = sk.ones((2,), dtype="int64", device=pair[1])
    mask = sk.ones((3,), dtype="bool", device=pair[1])
    for key in (index, mask, (index,)):
        with pytest.raises(DeviceMismatchError):
            a[key]
        with pytest.raises(DeviceMismatchError):
            a[key] = 1.0


def test_mismatch_among_three_arguments_raises():
    a, b = arrays(("cuda:0", "cpu:0"), (3,))
    with pytest.raises(DeviceMismatchError, match=r"where: .*cuda:0.*cpu:0"):
        sk.where(a > 0, a, b)
    with pytest.raises(DeviceMismatchError):
        sk.where(a > 0, b, 1.0)
    with pytest.raises(DeviceMismatchError):
        sk.clip(a, 0.0, b)


def test_mismatch_with_a_0d_array_advises_to_move_it():
    """xarray and SciPy create 0-d arrays on the default device. Users can't move these, but can change the default."""
    x = sk.ones((3,), device="cuda:0")
    remedy = r'x2\.to_device\("cuda:0"\), or create it inside `with skerry\.device\("cuda:0"\):`$'
    with pytest.raises(DeviceMismatchError, match=remedy):
        x + sk.asarray(2.0)
    with pytest.raises(DeviceMismatchError, match=remedy.replace("x2", "x1")):
        sk.asarray(2.0) + x
    with sk.device("cuda:0"):
        assert_same(x + sk.asarray(2.0), np.full(3, 3.0), "cuda:0")


def test_result_type_of_arrays_on_different_devices():
    a, b = sk.ones(3, dtype=sk.float32), sk.ones((2, 2), dtype=sk.int16, device="cuda:0")
    assert sk.result_type(a, b) == sk.result_type(sk.float32, sk.int16) == np.dtype("float32")
    assert sk.result_type(b, np.ones(3), 1) == np.dtype("float64")


def test_python_scalars_combine_with_any_device(device):
    x = sk.ones((3,), device=device)
    for result in (
        x + 1,
        1 + x,
        x * 2.5,
        sk.where(x > 0, x, 0.0),
        sk.clip(x, 0, 1),
        sk.maximum(x, 0.5),
    ):
        assert result.device == sk.Device(device)


def test_every_function_of_two_arrays_is_covered():
    """Functions whose signature has x1 and x2, or several arrays, must be in the tests above."""
    walked = {*binary_elementwise(), *CALLS}
    for name in STANDARD_NAMES:
        function = getattr(sk, name)
        if inspect.isclass(function) or not callable(function) or name.startswith("__"):
            continue
        parameters = set(inspect.signature(function).parameters)
        if {"x1", "x2"} <= parameters or "arrays" in parameters:
            assert name in walked, name
