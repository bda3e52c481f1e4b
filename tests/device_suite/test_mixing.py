# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Arrays on different devices in one operation raise; nothing is transferred implicitly and nothing is changed."""

import inspect
import itertools
import operator

import pytest

from .calls import calls_of, operands, with_operands
from .report import not_offered
from .standard import array_functions, functions
from .test_outputs import BINARY, IN_PLACE, matrix

CALLS = [call for function in array_functions() for call in calls_of(function)]
ELEMENTWISE = [f for f in functions() if f.group == "elementwise"]


def raises(function, *args, **kwargs):
    try:
        function(*args, **kwargs)
    except Exception:
        return True
    return False


def check_call(library, call, deviations):
    """Each operand in turn on another device than the rest: the call must raise."""
    count = library.operand_count(call)
    if count < 2:
        pytest.fail(f"{call} has one operand: not a test of mixing")
    for one, another in library.pairs:
        library.run_at(call, one)
        for position in range(count):
            devices = [another if i == position else one for i in range(count)]
            try:
                results = library.run(call, iter(devices))
            except Exception:
                continue
            result_devices = ", ".join(str(library.device_of(x)) for x in results)
            deviations.append(
                f"operands on {', '.join(map(str, devices))}: result on {result_devices}; {call.function.link}"
            )


def several_operands(calls):
    return [call for call in calls if len(list(operands(call))) > 1]


@pytest.mark.recommendation("mixing-functions")
@pytest.mark.parametrize("call", several_operands(CALLS), ids=str)
def test_function_raises_for_arrays_on_different_devices(library, call, deviations):
    check_call(library, call, deviations)


@pytest.mark.recommendation("mixing-scalar-arrays")
@pytest.mark.parametrize("shape", ["scalar", "empty"])
@pytest.mark.parametrize(
    "function", [f for f in ELEMENTWISE if "x2" in f.signature.parameters], ids=str
)
def test_function_raises_for_0d_and_zero_size_arrays_too(library, function, shape, deviations):
    (call,) = calls_of(function)
    check_call(library, with_operands(call, shape), deviations)


@pytest.mark.recommendation("mixing-scalar-arrays")
@pytest.mark.parametrize("name", [name for name in BINARY if name != "matmul"])
def test_operator_raises_for_a_0d_array_on_another_device(library, name, deviations):
    for one, another in library.pairs:
        x, y = matrix(library, BINARY[name], one), library.array(2, BINARY[name], another)
        for args in ((x, y), (y, x)):
            if not raises(getattr(operator, name), *args):
                deviations.append(f"operands on {one}, {another}")


@pytest.mark.recommendation("mixing-operators")
@pytest.mark.parametrize("name", BINARY)
def test_operator_raises_for_arrays_on_different_devices(library, name, deviations):
    for one, another in library.pairs:
        x, y = (matrix(library, BINARY[name], device) for device in (one, another))
        getattr(operator, name)(x, x)
        if not raises(getattr(operator, name), x, y):
            deviations.append(f"{name} of {one}, {another}")


@pytest.mark.recommendation("mixing-in-place")
@pytest.mark.parametrize("name", IN_PLACE)
def test_in_place_operator_raises_and_changes_nothing(library, name, deviations):
    for one, another in library.pairs:
        x, y = (matrix(library, IN_PLACE[name], device) for device in (one, another))
        same = matrix(library, IN_PLACE[name], one)
        if raises(getattr(operator, name), same, matrix(library, IN_PLACE[name], one)):
            not_offered(f"{name} raises on one device, too")
        if not raises(getattr(operator, name), x, y):
            deviations.append(f"{name} of {one}, {another}")
        elif library.values(x) != [4, 1, 1, 3] or library.device_of(x) != one:
            deviations.append(f"{name} of {one}, {another} raises, but changed its target")


@pytest.mark.recommendation("mixing-in-place")
@pytest.mark.parametrize("function", ELEMENTWISE, ids=str)
def test_out_on_another_device_raises_and_is_unchanged(library, function, deviations):
    call = calls_of(function)[0]
    try:
        parameters = inspect.signature(library.function(function)).parameters
    except ValueError:
        parameters = {}
    if "out" not in parameters:
        not_offered(f"{function} has no parameter out")
    for one, another in library.pairs:
        (expected,) = library.run_at(call, one)
        out = library.to_device(library.namespace.zeros_like(expected), another)
        try:
            library.run(call, itertools.repeat(one), out=out)
        except Exception:
            if any(library.values(out)):
                deviations.append(f"inputs on {one}, out on {another}: raises, but changed out")
            continue
        deviations.append(f"inputs on {one}, out on {another}: no error")


def index_keys(library, device):
    return {
        "int array": (
            library.array([1, 0], "int32", device),
            library.array([1, 0], "int32", device),
        ),
        "mask": library.array([[True, False], [True, True]], "bool", device),
        "0-d int array": library.array(1, "int32", device),
    }


KEYS = pytest.mark.parametrize("key", ["int array", "mask", "0-d int array"])


@pytest.mark.recommendation("mixing-indices")
@KEYS
def test_index_on_another_device_raises(library, key, deviations):
    for one, another in library.pairs:
        x = matrix(library, "float32", one)
        if raises(operator.getitem, x, index_keys(library, one)[key]):
            not_offered(f"{key} as an index raises on one device, too")
        if not raises(operator.getitem, x, index_keys(library, another)[key]):
            deviations.append(f"array on {one}, index on {another}")


@pytest.mark.recommendation("mixing-assignment")
@KEYS
def test_assignment_with_a_key_on_another_device_raises(library, key, deviations):
    for one, another in library.pairs:
        if raises(
            operator.setitem, matrix(library, "float32", one), index_keys(library, one)[key], 0.0
        ):
            not_offered(f"assignment with {key} as a key raises on one device, too")
        x = matrix(library, "float32", one)
        check_unchanged(
            library,
            x,
            index_keys(library, another)[key],
            0.0,
            f"array on {one}, key on {another}",
            deviations,
        )


@pytest.mark.recommendation("mixing-assignment")
@pytest.mark.parametrize(
    "values",
    [[[5.0, 6.0], [7.0, 8.0]], [5.0, 6.0], 5.0, [[]]],
    ids=["equal shape", "broadcast", "0-d", "zero size"],
)
def test_assignment_of_a_value_on_another_device_raises(library, values, deviations):
    key = (slice(None), slice(0, 0)) if values == [[]] else ...
    for one, another in library.pairs:
        if raises(
            operator.setitem,
            matrix(library, "float32", one),
            key,
            library.array(values, "float32", one),
        ):
            not_offered("this assignment raises on one device, too")
        x = matrix(library, "float32", one)
        value = library.array(values, "float32", another)
        check_unchanged(library, x, key, value, f"array on {one}, value on {another}", deviations)


def check_unchanged(library, x, key, value, text, deviations):
    if not raises(operator.setitem, x, key, value):
        deviations.append(f"{text}: no error")
    elif library.values(x) != [4, 1, 1, 3]:
        deviations.append(f"{text}: raises, but changed the array")
