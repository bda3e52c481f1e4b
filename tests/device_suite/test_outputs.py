# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Outputs are on the device of the inputs: every function, operator and kind of index."""

import operator

import pytest

from .calls import calls_of, with_operands
from .report import not_offered
from .standard import array_functions, functions

UNARY = {"abs": "float32", "neg": "float32", "pos": "float32", "invert": "int32"}
BINARY = {
    **dict.fromkeys(["add", "sub", "mul", "truediv", "floordiv", "mod", "pow"], "float32"),
    **dict.fromkeys(["lt", "le", "gt", "ge", "eq", "ne", "matmul"], "float32"),
    **dict.fromkeys(["and_", "or_", "xor", "lshift", "rshift"], "int32"),
}
IN_PLACE = {
    f"i{name.strip('_')}": dtype
    for name, dtype in BINARY.items()
    if hasattr(operator, f"i{name.strip('_')}")
}
KEYS = {
    "int": lambda library, device: 0,
    "slice": lambda library, device: slice(None, None, -1),
    "ellipsis": lambda library, device: ...,
    "newaxis": lambda library, device: (None, slice(None), slice(None)),
    "scalar": lambda library, device: (1, 1),
    "zero size": lambda library, device: slice(0, 0),
    "mask": lambda library, device: library.array([[True, False], [True, True]], "bool", device),
    "int array": lambda library, device: (
        library.array([1, 0], "int32", device),
        library.array([1, 0], "int32", device),
    ),
}
CALLS = [call for function in array_functions() for call in calls_of(function)]
ELEMENTWISE = [f for f in functions() if f.group == "elementwise"]


def matrix(library, dtype, device):
    return library.array([[4, 1], [1, 3]], dtype, device)


def check_call(library, call, device):
    results = library.run_at(call, device)
    assert results, "no array in the result"
    devices = [library.device_of(x) for x in results]
    assert devices == [device] * len(devices), call.function.link


@pytest.mark.recommendation("outputs-stay")
@pytest.mark.parametrize("call", CALLS, ids=str)
def test_outputs_stay_on_the_device_of_the_inputs(library, call, device):
    check_call(library, call, device)


@pytest.mark.recommendation("outputs-stay")
@pytest.mark.parametrize("shape", ["scalar", "empty"])
@pytest.mark.parametrize("function", ELEMENTWISE, ids=str)
def test_outputs_of_0d_and_zero_size_inputs_stay(library, function, shape, device):
    check_call(library, with_operands(calls_of(function)[0], shape), device)


@pytest.mark.recommendation("operators-stay")
@pytest.mark.parametrize("name", UNARY)
def test_unary_operators_stay(library, name, device):
    x = matrix(library, UNARY[name], device)
    assert library.device_of(getattr(operator, name)(x)) == device


@pytest.mark.recommendation("operators-stay")
@pytest.mark.parametrize("name", BINARY)
def test_binary_operators_stay(library, name, device):
    x = matrix(library, BINARY[name], device)
    assert library.device_of(getattr(operator, name)(x, x)) == device


@pytest.mark.recommendation("operators-stay")
@pytest.mark.parametrize("name", IN_PLACE)
def test_in_place_operators_stay(library, name, device):
    # Of integers, /= has no result of the same dtype.
    x, y = (matrix(library, IN_PLACE[name], device) for _ in range(2))
    try:
        x = getattr(operator, name)(x, y)
    except TypeError as error:
        not_offered(f"{name} raises {error}")
    assert library.device_of(x) == device


@pytest.mark.recommendation("operators-stay")
@pytest.mark.parametrize("key", KEYS)
def test_indexing_stays(library, key, device):
    x = matrix(library, "float32", device)
    key = KEYS[key](library, device)
    try:
        result = x[key]
    except (NotImplementedError, IndexError) as error:
        not_offered(f"index raises {type(error).__name__}: {error}")
    assert library.device_of(result) == device


@pytest.mark.recommendation("operators-stay")
@pytest.mark.parametrize("name", ["T", "mT"])
def test_transposes_stay(library, name, device):
    x = matrix(library, "float32", device)
    if not hasattr(x, name):
        not_offered(f"arrays have no attribute {name}")
    assert library.device_of(getattr(x, name)) == device


@pytest.mark.recommendation("operators-stay")
def test_assignment_stays(library, device):
    x = matrix(library, "float32", device)
    try:
        x[0, 0] = 5.0
        x[1, ...] = library.array([7.0, 8.0], "float32", device)
    except TypeError as error:
        not_offered(f"arrays are immutable: {error}")
    assert library.device_of(x) == device
    assert library.values(x) == [5, 1, 7, 8]


@pytest.mark.recommendation("scalars-follow")
@pytest.mark.parametrize("name", [name for name in BINARY if name != "matmul"])
def test_operators_with_python_scalars_follow_the_array(library, name, device):
    x = matrix(library, BINARY[name], device)
    for result in (getattr(operator, name)(x, 2), getattr(operator, name)(2, x)):
        assert library.device_of(result) == device


@pytest.mark.recommendation("scalars-follow")
@pytest.mark.parametrize(
    "function", [f for f in ELEMENTWISE if "x2" in f.signature.parameters], ids=str
)
def test_functions_of_python_scalars_follow_the_array(library, function, device):
    (call,) = calls_of(function)
    dtype = call.args[0].dtype
    scalar = {"float32": 2.0, "int32": 2, "bool": True}[dtype]
    x = matrix(library, dtype, device)
    for args in ((x, scalar), (scalar, x)):
        try:
            result = library.function(function)(*args)
        except TypeError as error:
            not_offered(f"{function} takes no scalars: {error}")
        assert library.device_of(result) == device, function.link


@pytest.mark.recommendation("scalars-follow")
def test_where_and_clip_with_python_scalars_follow_the_array(library, device):
    x = matrix(library, "float32", device)
    xp = library.namespace
    results = [
        xp.where(x > 2, x, 0.0),
        xp.where(x > 2, 0.0, x),
        xp.clip(x, 1.0, 2.0),
        xp.clip(x, min=2),
    ]
    assert [library.device_of(y) for y in results] == [device] * 4
