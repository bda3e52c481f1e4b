# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Attributes and methods of elementwise functions, against those of NumPy's ufuncs of the same meaning."""

import copy
import inspect
import itertools
import pickle
import weakref

import numpy as np
import pytest
import skerry as sk
from skerry import _numpy_counterparts as counterparts
from skerry.exceptions import AxisError, DeviceMismatchError, DTypeError, ShapeError

from tests.python.loops import loop_over
from tests.python.oracle import assert_same, sample, to_device, to_numpy

OTHER = {"cpu:0": "cpu:1", "cpu:1": "cuda:0", "cuda:0": "cuda:1", "cuda:1": "cpu:0"}
PAIRS = {ours: theirs for theirs, ours in counterparts.UFUNCS.items() if hasattr(ours, "nin")}


@pytest.mark.parametrize("function", PAIRS, ids=lambda function: function.__name__)
def test_attributes_equal_numpy(function):
    theirs = PAIRS[function]
    assert (function.nin, function.nout, function.nargs) == (
        theirs.nin,
        theirs.nout,
        theirs.nargs,
    )
    assert function.identity == theirs.identity
    assert type(function.identity) is type(theirs.identity)
    assert function.signature is None
    assert getattr(sk, function.__name__) is function
    assert function.__qualname__ == function.__name__
    assert repr(function) == f"<function skerry.{function.__name__}>"


@pytest.mark.parametrize("function", [sk.add, sk.sqrt, sk.fmod, sk.modf])
def test_functions_are_pickled_copied_and_inspected(function):
    assert pickle.loads(pickle.dumps(function)) is function
    assert copy.copy(function) is copy.deepcopy(function) is function
    assert weakref.ref(function)() is function
    assert inspect.isroutine(function)
    assert inspect.getdoc(function)
    parameters = list(inspect.signature(function).parameters.values())
    assert sum(p.kind is p.POSITIONAL_ONLY for p in parameters) == function.nin


def test_functions_are_no_methods_of_classes():
    class Holder:
        operation = sk.add

    assert Holder().operation is sk.add
    assert Holder.operation is sk.add


def test_other_functions_have_no_such_attributes():
    for name in ("sum", "matmul", "convolve", "where", "clip"):
        assert not hasattr(getattr(sk, name), "reduce"), name
    with pytest.raises(AttributeError):
        sk.add.nin = 3


REDUCED = [
    "add", "multiply", "maximum", "minimum", "fmax", "fmin", "subtract", "divide", "hypot", "logaddexp", "floor_divide",
    "bitwise_and", "bitwise_or", "bitwise_xor", "logical_and", "logical_or", "logical_xor", "gcd", "lcm",
]  # fmt: skip
INTEGERS = {"bitwise_and", "bitwise_or", "bitwise_xor", "gcd", "lcm"}


def operand(name, seed=0, shape=(3, 4, 5)):
    return sample("int32" if name in INTEGERS else "float64", shape, seed)


def assert_close(got, want, device):
    dtype = np.asarray(want).dtype
    assert_same(got, want, device, exact=dtype.kind in "biu" or dtype == np.float16, scale=1e3)


@loop_over("name", REDUCED)
def test_reduce_equals_numpy(name, device):
    function, theirs = getattr(sk, name), getattr(np, name)
    host = operand(name)
    x = to_device(device, host)
    for axis in (0, 1, -1):
        assert_close(function.reduce(x, axis), theirs.reduce(host, axis), device)
        assert_close(
            function.reduce(x[::-1, ::2], axis=axis, keepdims=True),
            theirs.reduce(host[::-1, ::2], axis=axis, keepdims=True),
            device,
        )
    if theirs.identity is not None or name in ("maximum", "minimum", "fmax", "fmin"):
        for axis in (None, (0, 2), ()):
            assert_close(function.reduce(x, axis), theirs.reduce(host, axis), device)
    out = sk.zeros((4, 5), dtype=theirs.reduce(host).dtype, device=device)
    assert function.reduce(x, out=out) is out
    assert_close(out, theirs.reduce(host), device)
    assert_close(function.reduce(x[:1]), theirs.reduce(host[:1]), device)


@loop_over(
    "name",
    ["add", "multiply", "maximum", "minimum", "logical_or", "bitwise_and", "subtract", "hypot"],
)
def test_reduce_with_initial_and_where_equals_numpy(name, device):
    function, theirs = getattr(sk, name), getattr(np, name)
    host = operand(name)
    x, mask = to_device(device, host), sample("bool", (4, 5), 3)
    initial = 3 if name in INTEGERS else 3.0
    assert_close(function.reduce(x, initial=initial), theirs.reduce(host, initial=initial), device)
    empty = host[:0]
    got = function.reduce(to_device(device, empty), initial=initial)
    assert_close(got, theirs.reduce(empty, initial=initial), device)
    if name == "subtract":
        return
    got = function.reduce(x, initial=initial, where=to_device(device, mask))
    assert_close(got, theirs.reduce(host, initial=initial, where=mask), device)
    if theirs.identity is not None:
        assert_close(
            function.reduce(x, axis=2, where=to_device(device, mask)),
            theirs.reduce(host, axis=2, where=mask),
            device,
        )
        assert_close(function.reduce(to_device(device, empty)), theirs.reduce(empty), device)
    else:
        with pytest.raises(
            ValueError, match=f"{name}.reduce: {name} has no identity; pass initial="
        ):
            function.reduce(x, where=to_device(device, mask))
        with pytest.raises(ValueError, match=f"{name}.reduce: no elements to reduce"):
            function.reduce(to_device(device, empty))


@loop_over("dtype", ["bool", "int8", "uint8", "float16", "float32", "complex64"])
def test_reduce_and_accumulate_have_numpys_dtypes(dtype, device):
    host = sample(dtype, (3, 4), 1)
    x = to_device(device, host)
    for name in ("add", "multiply"):
        function, theirs = getattr(sk, name), getattr(np, name)
        for method in ("reduce", "accumulate"):
            want = getattr(theirs, method)(host, axis=1)
            assert getattr(function, method)(x, axis=1).dtype == want.dtype
            want = getattr(theirs, method)(host, dtype="complex128")
            assert getattr(function, method)(x, dtype="complex128").dtype == want.dtype
        indices = [0, 2, 1]
        want = theirs.reduceat(host, indices)
        assert_close(function.reduceat(x, indices), want, device)
    if np.dtype(dtype).kind != "c":
        assert_same(sk.maximum.reduce(x), np.maximum.reduce(host), device)
        assert_same(sk.maximum.accumulate(x), np.maximum.accumulate(host), device)
    assert_same(sk.logical_and.reduce(x), np.logical_and.reduce(host), device)


@loop_over("name", REDUCED)
def test_accumulate_equals_numpy(name, device):
    function, theirs = getattr(sk, name), getattr(np, name)
    host = operand(name)
    x = to_device(device, host)
    for axis in (0, 1, -1):
        assert_close(function.accumulate(x, axis), theirs.accumulate(host, axis), device)
    assert_close(function.accumulate(x[::-1, ::2]), theirs.accumulate(host[::-1, ::2]), device)
    assert_close(function.accumulate(x[:0]), theirs.accumulate(host[:0]), device)


SLICES = ([0, 4, 1, 5, 2, 6, 3, 7], [0], [7], [3, 3, 3], [6, 2, 0], [-0, 7, 1])


@loop_over("name", REDUCED)
def test_reduceat_equals_numpy(name, device):
    function, theirs = getattr(sk, name), getattr(np, name)
    host = operand(name, shape=(8, 3))
    x = to_device(device, host)
    for indices in SLICES:
        assert_close(function.reduceat(x, indices), theirs.reduceat(host, indices), device)
    indices = np.asarray([0, 2, 1])
    got = function.reduceat(x.T, to_device(device, indices), 1)
    assert_close(got, theirs.reduceat(host.T, indices, 1), device)
    with pytest.raises(IndexError, match="index 8 is out of bounds for an axis of length 8"):
        function.reduceat(x, [0, 8])


def test_outer_equals_numpy(device):
    a, b = sample("float64", (2, 3), 1), sample("float32", (4,), 2)
    x, y = to_device(device, a), to_device(device, b)
    for name in ("add", "multiply", "less", "atan2", "fmod"):
        function, theirs = getattr(sk, name), PAIRS[getattr(sk, name)]
        assert_close(function.outer(x, y), theirs.outer(a, b), device)
        assert_close(function.outer(x, 2.5), theirs.outer(a, 2.5), device)
    out = sk.empty((2, 3, 4), device=device)
    assert sk.add.outer(x, y, out=out) is out
    assert_same(out, np.add.outer(a, b), device)
    assert_same(sk.add.outer([1, 2], [3, 4]), np.add.outer([1, 2], [3, 4]), "cpu:0")


def test_lists_beside_arrays_go_to_their_device(device):
    y = to_device(device, sample("float32", (4,), 2))
    assert_same(sk.add.outer([1, 2], y), np.add.outer(np.float32([1, 2]), to_numpy(y)), device)
    assert_same(sk.add.outer(y, [1, 2]), np.add.outer(to_numpy(y), np.float32([1, 2])), device)
    out = sk.empty((), dtype=sk.int64, device=device)
    assert sk.add.reduce([1, 2], out=out) is out
    assert int(out) == 3
    out = sk.empty((2,), dtype=sk.int64, device=device)
    assert to_numpy(sk.multiply.accumulate([2, 3], out=out)).tolist() == [2, 6]
    assert to_numpy(sk.subtract.reduceat([5, 2, 3], [0, 2], out=out)).tolist() == [3, 3]


AT = ["add", "subtract", "multiply", "maximum", "minimum", "divide", "hypot", "fmax"]


@loop_over("name", AT)
def test_at_applies_repeated_indices(name, device):
    function, theirs = getattr(sk, name), getattr(np, name)
    host = sample("float64", (5, 4), 1)
    for indices, values in (
        ([2, 0, 2, 2, 1, 0], 1.5),
        ((slice(None, None, 2), [1, 1, 3]), sample("float64", (3, 3), 2)),
        (np.arange(5) % 2 == 0, sample("float64", (3, 4), 3)),
        (([0, 0, 2, 0], [3, 3, 1, 3]), [1.0, 2.0, 3.0, 4.0]),
        (1, 2.0),
        (np.zeros(0, int), 1.0),
    ):
        want, got = host.copy(), to_device(device, host)
        theirs.at(want, indices, values)
        move = lambda x: to_device(device, x) if isinstance(x, np.ndarray) else x  # noqa: E731
        assert function.at(got, move(indices), move(values)) is None
        assert_close(got, want, device)
    want, got = host.copy(), to_device(device, host)
    theirs.at(want[::-1, ::2], [0, 1, 1], 2.0)
    function.at(got[::-1, ::2], [0, 1, 1], 2.0)
    assert_close(got, want, device)


@loop_over("name", ["add", "subtract", "multiply", "maximum", "minimum", "bitwise_or", "gcd"])
def test_at_converts_values_of_the_same_kind(name, device):
    floats = () if name in INTEGERS else ("float16", "float32", "float64")
    dtypes = (*floats, "int8", "uint32", "int64")
    for dtype, other in itertools.permutations(dtypes, 2):
        host, values = np.asarray([1, 5, 3, 7], dtype), np.asarray([2, 4, 6], other)
        x, y = to_device(device, host), to_device(device, values)
        if values.dtype.kind == "f" and host.dtype.kind != "f":
            with pytest.raises(
                TypeError, match=f"^{name}.at: b of {other} does not cast to {dtype}"
            ):
                getattr(sk, name).at(x, [0, 2, 0], y)
        else:
            getattr(sk, name).at(x, [0, 2, 0], y)
            getattr(np, name).at(host, [0, 2, 0], values)
        assert_same(x, host, device, label=f"{dtype} {other}")
    if not floats:
        return
    host, values = np.full(2, 1e-3, "float32"), np.full(3, 0.1)
    x, y = to_device(device, host), to_device(device, values)
    getattr(sk, name).at(x, [0, 1, 0], y)
    getattr(np, name).at(host, [0, 1, 0], values)
    assert_close(x, host, device)


def test_at_keeps_64_bits_of_unsigned_integers(device):
    x = sk.asarray([2**64 - 2, 7], dtype=sk.uint64, device=device)
    sk.add.at(x, [0, 1, 1], sk.asarray([1, -3, -2], device=device))
    assert to_numpy(x).tolist() == [2**64 - 1, 2]


def test_at_converts_scalars_and_lists_as_calls_do(device):
    x = sk.asarray([0.0, 1.0, 2.0, 3.0], dtype=sk.float32, device=device)
    sk.power.at(x, [1, 2, 2], 1.5)
    assert to_numpy(x).tolist() == [0.0, 1.0, np.float32(np.float32(2**1.5) ** 1.5), 3.0]
    sk.power.at(x, [3, 1], [2, 0.5])
    assert to_numpy(x).tolist()[3] == 9.0
    y = sk.arange(4, dtype=sk.float64, device=device)
    sk.ldexp.at(y, [1, 1], 2)
    assert to_numpy(y).tolist() == [0.0, 16.0, 2.0, 3.0]
    z = sk.arange(4, device=device)
    sk.logical_and.at(z, [1, 2], [1, 0])
    assert to_numpy(z).tolist() == [0, 1, 0, 3]


@pytest.mark.parametrize("values", [2.5, [2.5, 1], np.asarray([2.5, 1.0])])
@loop_over("name", ["add", "power", "maximum", "divide", "fmod", "hypot"])
def test_at_rejects_results_of_another_dtype(name, values, device):
    x = sk.arange(4, device=device)
    if isinstance(values, np.ndarray):
        values = to_device(device, values)
    method = getattr(sk, name).at
    with pytest.raises(DTypeError) as raised:
        method(x, [1, 2], values)
    text = "b of float64 does not cast to int64 of a; use skerry.astype"
    if isinstance(values, float):
        text = (
            f"the result is float64, which can't be stored in place in a, int64 (4,) on {x.device}; "
            "convert one with astype"
        )
    assert str(raised.value) == f"{getattr(sk, name).__name__}.at: {text}"
    assert to_numpy(x).tolist() == [0, 1, 2, 3]


def test_at_rejects_ints_out_of_range(device):
    x = sk.arange(4, dtype=sk.int8, device=device)
    for name in ("add", "fmod"):
        with pytest.raises(OverflowError, match="int out of range of int8: 300"):
            getattr(sk, name).at(x, [1, 2], 300)


@pytest.mark.parametrize("shape", [(4, 3), (1, 3), (1,), ()])
@loop_over("name", ["add", "maximum", "hypot"])
def test_methods_take_out_of_exactly_the_results_shape(name, shape, device):
    function = getattr(sk, name)
    x, out = sk.ones((4, 3), device=device), sk.zeros(shape, device=device)
    for method, call in (
        ("reduce", lambda: function.reduce(x, out=out)),
        ("reduce", lambda: function.reduce(x, keepdims=True, out=sk.zeros((4, 3), device=device))),
        ("accumulate", lambda: function.accumulate(x, out=sk.zeros((2, 4, 3), device=device))),
        ("reduceat", lambda: function.reduceat(x, [0, 2], out=out)),
    ):
        with pytest.raises(ShapeError, match=f"^{name}.{method}: out has shape .*, but the result"):
            call()
    assert not to_numpy(out).any()


def test_at_writes_into_numpys_memory_and_unary_functions():
    host = np.zeros(3)
    sk.add.at(host, [0, 0, 2], 1.0)
    assert host.tolist() == [2.0, 0.0, 1.0]
    x = sk.asarray([1.0, 2.0, 3.0])
    sk.negative.at(x, [0, 1, 1])
    assert x.tolist() == [-1.0, 2.0, 3.0]


def test_methods_reject_other_devices(device):
    x = sk.ones((3,), device=device)
    y, index = (
        sk.ones((3,), device=OTHER[device]),
        sk.zeros((3,), dtype=sk.int64, device=OTHER[device]),
    )
    for call in (
        lambda: sk.add.reduce(x, out=sk.ones((), device=OTHER[device])),
        lambda: sk.add.reduce(x, where=y > 0),
        lambda: sk.add.accumulate(x, out=y),
        lambda: sk.add.reduceat(x, index),
        lambda: sk.add.outer(x, y),
        lambda: sk.add.at(x, index, 1.0),
        lambda: sk.add.at(x, [0], y[:1]),
        lambda: sk.add(x, x, out=y),
        lambda: sk.add(x, x, where=y > 0),
        lambda: sk.fmod(x, x, out=y),
    ):
        with pytest.raises(DeviceMismatchError):
            call()
    assert to_numpy(x).tolist() == [1.0] * 3


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (
            lambda x: sk.sqrt.reduce(x),
            ValueError,
            "sqrt.reduce: sqrt has 1 inputs and 1 outputs; the method needs a function of two inputs with one output",
        ),
        (
            lambda x: sk.less.reduce(x),
            TypeError,
            "less.reduce: results of less are bool and can't be combined with elements of float64",
        ),
        (
            lambda x: sk.subtract.reduce(x, axis=(0, 1)),
            ValueError,
            "subtract.reduce: not associative, so it reduces one axis, not (0, 1)",
        ),
        (
            lambda x: sk.add.reduce(x, 2),
            AxisError,
            "add.reduce: axis 2 is out of bounds for array of 2 axes",
        ),
        (
            lambda x: sk.logical_and.reduce(x, dtype="float64"),
            TypeError,
            "logical_and.reduce: results are bool, not float64; leave dtype out",
        ),
        (
            lambda x: sk.add.accumulate(x[0, 0, ...]),
            TypeError,
            "add.accumulate: needs an axis, not a 0-d array",
        ),
        (
            lambda x: sk.add.at([1.0, 2.0], 0, 1.0),
            TypeError,
            "add.at: writes into an array, not into list; make one with skerry.asarray",
        ),
        (
            lambda x: sk.add.at(sk.zeros((3,), dtype=sk.int32), 0, x),
            TypeError,
            "add.at: b of float64 does not cast to int32 of a; use skerry.astype",
        ),
        (
            lambda x: sk.add.at(x, 0),
            ValueError,
            "add.at: takes a, indices and 1 operand, not 0",
        ),
        (
            lambda x: sk.add.reduceat(x, [0.5]),
            TypeError,
            "add.reduceat: indices must be a vector of integers, not float64[1 axes]",
        ),
    ],
)
def test_errors_of_methods(call, error, text):
    with pytest.raises(error) as raised:
        call(sk.ones((2, 3)))
    assert str(raised.value) == text
