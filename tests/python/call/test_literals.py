# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Literals, which are Python scalars and lists of numbers, as arguments of every function that takes arrays.

Beside arrays they are arrays on the device of those, with the dtype that the promotion rule gives their scalars; alone they
are arrays on the default device. The oracle is the same call with such arrays.
"""

import inspect

import numpy as np
import pytest
import skerry as sk

from tests.python.call.base_calls import base_calls
from tests.python.oracle import to_device, to_numpy
from tests.python.promotion.kind_rule import common, with_scalar

# Functions that read the protocols of an object, or that take dtypes.
NOT_OF_LITERALS = {
    "skerry.from_dlpack", "skerry.result_type", "skerry.as_cuda_array", "skerry.is_cuda_array", "skerry.from_cuda_array_interface",
}  # fmt: skip
# A list of lists is a list of columns for these.
OF_COLUMNS = {"skerry.histogramdd"}
# Functions whose results are not determined by their arguments.
UNINITIALIZED = {"skerry.empty_like"}
# Arguments whose dtype does not follow from the other arrays, and which do not decide that of others.
OF_OWN_DTYPE = {
    "condition", "condlist", "indices", "mask", "multi_index", "obj", "repeats", "sorter", "weights",
}  # fmt: skip
# Functions with a parameter of indices, if numpy.bool is one.
OF_INDICES = {"skerry.ldexp", "skerry.take"} if hasattr(np.bool_, "__index__") else set()
EXPONENTS = ("skerry.ldexp", "x2")
WRITTEN = {"skerry.copyto", "skerry.fill_diagonal", "skerry.place", "skerry.put", "skerry.put_along_axis", "skerry.putmask"}  # fmt: skip
SCALARS = [True, 2, 2.5, 1 + 2j, np.float32(2.5), np.int8(2), np.complex64(1j)]


def is_array(value):
    return isinstance(value, sk.Array)


def array_positions(named):
    """Yields the parameter, and the index for an item of a sequence, of each array in the arguments of a call."""
    for name, value in named.items():
        if is_array(value):
            yield name, None
        elif isinstance(value, (list, tuple)):
            yield from ((name, i) for i, item in enumerate(value) if is_array(item))


def get(named, position):
    name, index = position
    return named[name] if index is None else named[name][index]


def put(named, position, value):
    name, index = position
    if index is None:
        named[name] = value
    else:
        items = list(named[name])
        items[index] = value
        named[name] = type(named[name])(items)


def highest(values):
    """Returns a scalar of the highest kind in nested lists; None if they hold none."""
    leaves = np.asarray(values).reshape(-1).tolist()
    return max(leaves, key=lambda x: [bool, int, float, complex].index(type(x)), default=None)


def array_for(literal, others, device):
    """Returns the array that a literal stands for beside arrays of these dtypes."""
    scalar = highest(literal)
    if others and common(*others) is not None and scalar is not None:
        dtype = with_scalar(common(*others), scalar)
        return sk.asarray(literal, dtype=dtype, device=device)
    return sk.asarray(literal, device=device)


def outcome(call, function, named):
    """Returns the results of a call as comparable values, or the type of its error."""
    try:
        result = call.run(function, named)
        sk.synchronize()  # raises errors of kernels on CUDA devices
    except (TypeError, ValueError, IndexError, OverflowError) as error:
        return "TypeError" if isinstance(error, TypeError) else type(error).__name__
    return described(result)


def described(value):
    if is_array(value):
        bits = np.round(to_numpy(value).astype(complex), 6).tolist()  # float32 and float64 alike
        return value.dtype, value.device, value.shape, str(bits)
    if isinstance(value, (tuple, list)):
        return [described(item) for item in value]
    return value


CALLS = {
    name: call
    for name, call in base_calls().items()
    if not name.startswith("Generator.") and name not in NOT_OF_LITERALS | UNINITIALIZED
}
FUNCTIONS = {name: call for name, call in CALLS.items() if not name.startswith("Array.")}


@pytest.mark.parametrize("name", CALLS)
def test_a_list_beside_arrays_is_an_array_on_their_device(name, device):
    call = CALLS[name]
    positions = list(array_positions(call.make(device)[1]))
    for position in positions:
        if (len(positions) == 1 and name in FUNCTIONS) or (
            name in WRITTEN and position == positions[0]
        ):
            continue
        function, named = call.make(device)
        _, expected = call.make(device)
        literal = get(named, position).tolist()
        others = [
            get(named, other).dtype
            for other in positions
            if other != position and other[0] not in OF_OWN_DTYPE
        ]
        if name.startswith("Array."):
            others.append("float64")
        if position[0] in OF_OWN_DTYPE or (name, position[0]) == EXPONENTS:
            others = []
        put(named, position, literal)
        put(expected, position, array_for(literal, others, device))
        assert outcome(call, function, named) == outcome(call, function, expected), position


@pytest.mark.parametrize("name", sorted(set(FUNCTIONS) - WRITTEN - OF_COLUMNS))
def test_lists_alone_are_arrays_on_the_default_device(name, device):
    call = FUNCTIONS[name]
    positions = list(array_positions(call.make(device)[1]))
    if not positions:
        return
    with sk.device(device):
        function, named = call.make(device)
        _, expected = call.make(device)
        for position in positions:
            literal = get(named, position).tolist()
            put(named, position, literal)
            put(expected, position, sk.asarray(literal))
        assert outcome(call, function, named) == outcome(call, function, expected)


@pytest.mark.parametrize("scalars", [SCALARS, [np.bool_(True)]], ids=["scalars", "numpy.bool"])
@pytest.mark.parametrize("name", sorted(set(FUNCTIONS) - WRITTEN - OF_COLUMNS))
def test_scalars_alone_are_0_d_arrays_on_the_default_device(name, scalars, device):
    if scalars is not SCALARS and name in OF_INDICES:
        pytest.skip("NumPy before 2.3 takes numpy.bool as an index, with a warning")
    call = FUNCTIONS[name]
    positions = list(array_positions(call.make(device)[1]))
    if not positions:
        return
    for scalar in scalars:
        with sk.device(device):
            function, named = call.make(device)
            _, expected = call.make(device)
            for position in positions:
                put(named, position, scalar)
                put(expected, position, sk.asarray(scalar))
            assert outcome(call, function, named) == outcome(call, function, expected), scalar


@pytest.mark.parametrize("name", sorted(WRITTEN))
@pytest.mark.parametrize("literal", [[1.0, 2.0], (1.0, 2.0), 1.0, 2])
def test_functions_that_write_refuse_literals_as_their_target(name, literal):
    call = FUNCTIONS[name]
    function, named = call.make("cpu:0")
    first = next(iter(inspect.signature(function).parameters))
    named[first] = literal
    text = rf"^{name[7:]}: writes into an array, not into {type(literal).__name__}; make one with skerry.asarray$"
    with pytest.raises(TypeError, match=text):
        call.run(function, named)


@pytest.mark.parametrize(
    ("call", "dtype", "value"),
    [
        (lambda: sk.sqrt(2.0), "float64", 2.0**0.5),
        (lambda: sk.sqrt(4), "float64", 2.0),
        (lambda: sk.exp(-1), "float64", np.exp(-1.0)),
        (lambda: sk.abs(-2), "int64", 2),
        (lambda: sk.abs(3 + 4j), "float64", 5.0),
        (lambda: sk.maximum(1, 2), "int64", 2),
        (lambda: sk.maximum(1, 2.5), "float64", 2.5),
        (lambda: sk.add(True, True), "bool", True),
        (lambda: sk.add(1, 2j), "complex128", 1 + 2j),
        (lambda: sk.where(True, 1, 2), "int64", 1),
        (lambda: sk.where(0, 1, 2.5), "float64", 2.5),
        (lambda: sk.sum(3), "int64", 3),
        (lambda: sk.mean(True), "float64", 1.0),
        (lambda: sk.isin(1, [1, 2]), "bool", True),
        (lambda: sk.isin(1, 2), "bool", False),
        (lambda: sk.clip(5, 1, 2), "int64", 2),
        (lambda: sk.real(1.5), "float64", 1.5),
        (lambda: sk.imag(1.5), "float64", 0.0),
        (lambda: sk.fmax(1, 2), "int64", 2),
        (lambda: sk.dot(2, 3), "int64", 6),
        (lambda: sk.sqrt(np.float32(4)), "float32", 2.0),
        (lambda: sk.maximum(np.float32(2), 3), "float32", 3.0),
        (lambda: sk.add(np.int8(2), np.int16(3)), "int16", 5),
        (lambda: sk.where(True, np.float32(1), 2), "float32", 1.0),
        (lambda: sk.maximum([1, 2], 3), "int64", [3, 3]),
        (lambda: sk.maximum((1, 2), [0.5, 3]), "float64", [1, 3]),
        (lambda: sk.stack([1, 2.5]), "float64", [1, 2.5]),
        (lambda: sk.hstack([1, [2, 3]]), "int64", [1, 2, 3]),
        (lambda: sk.broadcast_arrays(1, 1, [1, 1])[1], "int64", [1, 1]),
    ],
)
def test_literals_alone_have_default_dtypes(call, dtype, value, device):
    previous = sk.default_device()
    sk.set_default_device(device)
    try:
        result = call()
    finally:
        sk.set_default_device(previous)
    assert (result.dtype, result.device) == (dtype, sk.Device(device))
    np.testing.assert_allclose(to_numpy(result), value, rtol=1e-15)


OPERATORS = {
    "+": lambda x, y: x + y, "-": lambda x, y: x - y, "*": lambda x, y: x * y, "/": lambda x, y: x / y,
    "//": lambda x, y: x // y, "%": lambda x, y: x % y, "**": lambda x, y: x**y, "@": lambda x, y: x @ y,
    "<": lambda x, y: x < y, "<=": lambda x, y: x <= y, "==": lambda x, y: x == y, "!=": lambda x, y: x != y,
    ">": lambda x, y: x > y, ">=": lambda x, y: x >= y, "&": lambda x, y: x & y, "|": lambda x, y: x | y,
    "^": lambda x, y: x ^ y, "<<": lambda x, y: x << y, ">>": lambda x, y: x >> y, "divmod": divmod,
}  # fmt: skip
DTYPES = ["bool", "int8", "int32", "uint64", "float16", "float32", "float64", "complex64", "complex128"]  # fmt: skip


def applied(operation, x, y):
    try:
        return described(operation(x, y))
    except (TypeError, ValueError, OverflowError) as error:
        return type(error).__name__


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("values", [[True, False, True], [1, 2, 3], [1.5, 2.5, 3.5], [1j, 2, 3.0]])
def test_operators_give_lists_the_dtype_of_their_scalars(values, dtype, device):
    x = to_device(device, np.asarray([1, 1, 0]).astype(dtype))
    y = sk.asarray(values, dtype=with_scalar(dtype, highest(values)), device=device)
    for symbol, operation in OPERATORS.items():
        for literal in (values, tuple(values)):
            assert applied(operation, x, literal) == applied(operation, x, y), symbol
            assert applied(operation, literal, x) == applied(operation, y, x), symbol
    column = [[value] for value in values]
    assert described(x * column) == described(x * sk.reshape(y, (3, 1)))


def test_operators_in_place_take_lists(device):
    x = to_device(device, np.asarray([1.0, 2.0, 3.0], "float32"))
    same = x
    x += [1, 2, 3]
    x *= (2.0, 2.0, 2.0)
    assert same is x
    assert described(x) == described(to_device(device, np.asarray([4, 8, 12], "float32")))
    with pytest.raises(
        TypeError, match=r"^add: the result is complex64, which can't be stored in place in x1"
    ):
        x += [1j, 0, 0]


@pytest.mark.parametrize("form", [list, tuple])
def test_lists_of_layouts_and_sizes(form, device):
    for x in (
        np.arange(12.0)[::-2],
        np.arange(6.0).reshape(2, 3).T,
        np.zeros((0, 3)),
        np.asarray(2.0),
    ):
        ours = to_device(device, np.asarray(x, "float32"))
        for values in ([], [1], [[1.5]], [1] * x.shape[-1] if x.ndim else [1, 2]):
            literal = form(values)
            try:
                expected = np.asarray(x, "float32") + np.asarray(values, "float32")
            except ValueError:
                with pytest.raises(ValueError, match="broadcast"):
                    ours + literal
                continue
            result = ours + literal
            assert result.dtype == sk.float32
            assert result.device == ours.device
            np.testing.assert_array_equal(to_numpy(result), expected)


def test_a_0_d_integer_array_repeats_a_list(device):
    """It is an int for `*`, as NumPy's integer scalars are; `+` and floats give arrays."""
    n = sk.asarray(2, device=device)
    assert n * [1, 2] == [1, 2] * n == [1, 2, 1, 2]
    assert (n + [1, 2]).tolist() == [3, 4]
    assert (sk.asarray(2.0, device=device) * [1, 2]).tolist() == [2, 4]
    assert sk.multiply(n, [1, 2]).tolist() == n.dot([1, 2]).tolist() == [2, 4]


def test_numpy_arrays_in_lists_and_beside_them_stay_on_cpu_0():
    host = np.asarray([1.0, 2.0], "float32")
    assert sk.add(host, [1, 2]).dtype == sk.float32
    assert sk.add(host, [1, 2]).device == sk.Device("cpu:0")
    x = sk.ones((2,), device="cpu:1")
    with pytest.raises(
        sk.exceptions.DeviceMismatchError,
        match=r"x2\[0\] \(numpy.ndarray float32 \(2,\)\) on cpu:0",
    ):
        x + [host, host]


def test_arrays_in_lists_keep_their_device_and_dtype(device):
    x = to_device(device, np.asarray([1, 2], "int8"))
    y = to_device(device, np.asarray([0.5, 1.5], "float32"))
    result = x + [y[0], 1]
    assert described(result) == described(to_device(device, np.asarray([1.5, 3.0], "float32")))
    other = "cpu:1" if device != "cpu:1" else "cpu:0"
    with pytest.raises(
        sk.exceptions.DeviceMismatchError, match=r"^add: arguments are on different devices: x1"
    ):
        x + [y[0].to_device(other), 1]


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda x: x + [1, 300], OverflowError, "add: int out of range of int8: 300 is not in -128 to 127"),
        (lambda x: sk.maximum(x, [1, 300]), OverflowError, "maximum: int out of range of int8: 300 is not in -128 to 127"),
        (lambda x: sk.concat([x, [300]]), OverflowError, "concat: int out of range of int8: 300 is not in -128 to 127"),
        (lambda x: sk.append(x, [300]), OverflowError, "append: values: int out of range of int8: 300 is not in -128 to 127"),
        (lambda x: x + [[1, 2], [3]], ValueError, r"add: the nested sequences are ragged; the first ones give shape \(2, 2\), and all must"),
        (lambda x: x + ["a"], TypeError, "add: every element must be a Python scalar, not str"),
        (lambda x: x == [None, 1], TypeError, "equal: every element must be a Python scalar, not NoneType"),
        (lambda x: sk.sqrt("a"), TypeError, "sqrt: x must be a skerry.Array or a Python scalar, not str; convert it with skerry.asarray"),
        (lambda x: sk.sqrt(2**63), OverflowError, "sqrt: int out of range of int64: 9223372036854775808 is not in .*"),
        (lambda x: sk.matmul(x, 2), ValueError, r"matmul: .*at least one axis.*"),
    ],
)  # fmt: skip
def test_errors_name_the_function(call, error, text, device):
    x = to_device(device, np.asarray([1, 2], "int8"))
    with pytest.raises(error, match=rf"^{text}$"):
        call(x)


def test_strict_promotion_refuses_lists_of_a_higher_kind(device):
    x = to_device(device, np.asarray([1, 2], "int64"))
    with sk.strict_promotion():
        assert (x + [1, 2]).tolist() == [2, 4]
        with pytest.raises(TypeError, match=r"^add: "):
            x + [0.5, 1]


@pytest.mark.parametrize("size", [3, 5000])
def test_fused_functions_follow_the_same_rule(size, device):
    x = to_device(device, np.linspace(0.5, 2.0, size, dtype="float32"))
    ones = [1] * size

    def program(a):
        b = sk.sqrt(2.0) * a + ones
        c = sk.where(b > [1.5] * size, [2] * size, a)
        return sk.maximum(c, [0.75] * size) + sk.exp(-1)

    with sk.device(device):
        result, expected = sk.fuse(program)(x), program(x)
    assert (result.dtype, result.device) == (expected.dtype, expected.device)
    np.testing.assert_allclose(to_numpy(result), to_numpy(expected), rtol=1e-6)


@pytest.mark.parametrize("call", [
    lambda x: np.add(x, [1, 2]), lambda x: np.add([1, 2], x), lambda x: np.concatenate([x, [1, 2]]), lambda x: x.take([1, 0]), lambda x: x.clip([0, 2], [1, 3]), lambda x: x.searchsorted([1.5, 2.5]),
    lambda x: x.dot([1, 2]), lambda x: x.repeat([1, 2]), lambda x: x.take(1), lambda x: x.dot(2),
])  # fmt: skip
def test_methods_and_functions_of_numpy_take_literals(call, device):
    x = to_device(device, np.asarray([1.0, 2.0], "float32"))
    result, expected = call(x), call(np.asarray([1.0, 2.0], "float32"))
    assert result.device == x.device
    np.testing.assert_allclose(to_numpy(result), expected)
