# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Calls of elementwise functions with the keywords of NumPy's ufuncs: out, where, casting, order, dtype, subok.

Plain calls bypass this module, and so do those with only ``out=``, of the dtype and the shape of the result
(python/bindings/functions.cpp).
"""

from __future__ import annotations

import operator
from types import NoneType
from typing import Any

import numpy as np

import skerry as sk
from skerry import _core
from skerry._arrays import Array, arrays_in, take_numpy_arrays
from skerry._data_types import as_dtype, can_cast, kind_of
from skerry._outputs import output_arguments, require_cast, store
from skerry.exceptions import DTypeError

OPTIONS = {"out", "where", "casting", "order", "dtype", "subok"}
#: The default, and the other rules; those that don't allow every promotion are the last.
CASTINGS = ("same_kind", "unsafe", "safe", "equiv", "no")


def call(function: Any, /, *args: Any, **options: Any) -> Any:
    """Call an elementwise function with options, or with outputs after its inputs."""
    name = function.__name__
    if name == "round":
        function, args = _rounding(function, args, options)
    _require_known(name, options)
    inputs, outs = args[: function.nin], args[function.nin :]
    if len(inputs) < function.nin or len(outs) > function.nout:
        most = function.nin + function.nout
        raise TypeError(
            f"{name}() takes {function.nin} to {most} positional arguments, got {len(args)}"
        )
    if outs:
        if "out" in options:
            raise TypeError(f"{name}() got two values for argument 'out'")
        options["out"] = (*outs, *(None,) * (function.nout - len(outs)))
    return evaluate(name, function, inputs, options)


class _Rounding:
    """Round to a number of decimals, as an elementwise function."""

    nin = nout = 1

    def __init__(self, decimals: int):
        self.decimals = decimals

    def __call__(self, x: Any) -> Array:
        return sk.around(x, self.decimals)


def _rounding(
    function: Any, args: tuple[Any, ...], options: dict[str, Any]
) -> tuple[Any, tuple[Any, ...]]:
    """Take the argument ``decimals`` of round, which is the second unless that is an output."""
    decimals = options.pop("decimals", 0)
    if len(args) > 1 and not isinstance(args[1], Array | np.ndarray | tuple | NoneType):
        decimals, args = args[1], (args[0], *args[2:])
    try:
        decimals = operator.index(decimals)
    except TypeError:
        text = type(decimals).__name__
        raise TypeError(f"round: decimals must be an int, not {text}") from None
    return (_Rounding(decimals) if decimals else function), args


def evaluate(name: str, function: Any, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """Call an elementwise function with options; ``name`` begins the messages of errors."""
    _require_known(name, options)
    _core.require_one_device(name, tuple(arrays_in((inputs, options))))
    _choice(name, options, "order", ("K", "C", "F", "A"))
    casting = _choice(name, options, "casting", CASTINGS)
    outs = output_arguments(name, options.get("out"), function.nout)
    arguments, _, originals = take_numpy_arrays(
        name, (inputs, outs, options.get("where", True)), {}
    )
    inputs, outs, condition = arguments
    dtype = options.get("dtype")
    if dtype is not None:
        dtype = as_dtype(dtype)
        context = tuple(arrays_in((outs, condition)))
        inputs = _with_dtype(name, function, inputs, context, dtype, casting)
    result = _result_beside(function, inputs, (outs, condition))
    results = result if function.nout > 1 else (result,)
    if dtype is not None and results[0].dtype != dtype:
        raise DTypeError(
            f"{name}: a Python scalar among the arguments makes the result {results[0].dtype}, not {dtype}; "
            "convert it first"
        )
    if casting in CASTINGS[2:]:
        _require_inputs_cast(name, inputs, results[0].dtype, casting)
    mask = None if condition is True else mask_argument(name, condition, results[0])
    stored = tuple(
        store(name, x, out, casting, mask, broadcast=True)
        for x, out in zip(results, outs, strict=True)
    )
    stored = tuple(originals.get(id(x), x) for x in stored)
    return stored if function.nout > 1 else stored[0]


def _require_known(name: str, options: dict[str, Any]) -> None:
    for key in options:
        if key in ("x", "x1", "x2"):
            raise TypeError(f"{name}() takes {key} by position only")
        if key not in OPTIONS:
            raise TypeError(f"{name}() got an unexpected keyword argument {key!r}")


def _choice(name: str, options: dict[str, Any], key: str, choices: tuple[str, ...]) -> str:
    """Return an option, by default the first choice; ``order`` may be in lower case."""
    value = options.get(key, choices[0])
    if key == "order" and isinstance(value, str):
        value = value.upper()
    if not isinstance(value, str) or value not in choices:
        shown = repr(value) if isinstance(value, str) else type(value).__name__
        raise ValueError(f"{name}: {key} must be one of {', '.join(choices)}, not {shown}")
    return value


def _common_dtype(inputs: tuple[Any, ...]) -> np.dtype[Any] | None:
    """Promote arrays and scalars, without ints out of range of the arrays' dtype; return None if they don't promote."""
    try:
        return sk.result_type(*inputs)
    except OverflowError:
        return _common_dtype(tuple(x for x in inputs if isinstance(x, Array)))
    except DTypeError:
        return None


def _result_dtype(function: Any, dtype: np.dtype[Any]) -> np.dtype[Any] | None:
    """Return the dtype of the first result for inputs of a dtype; None if the function rejects them."""
    empty = sk.empty((0,), dtype=dtype, device="cpu:0")
    try:
        result = function(*(empty,) * function.nin)
    except TypeError:
        return None
    first: Array = result[0] if function.nout > 1 else result
    return first.dtype


def _result_beside(function: Any, inputs: tuple[Any, ...], context: Any) -> Any:
    """Call a function; literals without an array go to the device of the arrays in ``context``."""
    array = None if any(True for _ in arrays_in(inputs)) else next(arrays_in(context), None)
    if array is None:
        return function(*inputs)
    with sk.device(array.device):
        return function(*inputs)


def _with_literals(
    name: str, inputs: tuple[Any, ...], context: tuple[Array, ...]
) -> tuple[Any, ...]:
    """Convert lists to arrays, and scalars, too, if no input is an array."""
    names = ("x",) if len(inputs) == 1 else ("x1", "x2")
    literals = inputs
    if has_arrays := any(isinstance(x, Array) for x in inputs):
        # A scalar stays one, and may be out of range of the array's dtype: False is not.
        literals = tuple(x if isinstance(x, Array | list | tuple) else False for x in inputs)
    converted: tuple[Any, ...] = _core.literals(name, names, literals, context)
    if not has_arrays:
        return converted
    pairs = zip(inputs, converted, strict=True)
    return tuple(y if isinstance(x, list | tuple) else x for x, y in pairs)


def _with_dtype(
    name: str,
    function: Any,
    inputs: tuple[Any, ...],
    context: tuple[Array, ...],
    dtype: np.dtype[Any],
    casting: str,
) -> tuple[Any, ...]:
    """Convert the inputs so that the result has a dtype."""
    arrays = _with_literals(name, inputs, context)
    common = _common_dtype(arrays)
    if common is not None and _result_dtype(function, common) == dtype:
        return inputs
    if _result_dtype(function, dtype) != dtype:
        raise DTypeError(
            f"{name}: has no results of {dtype} for these arguments; leave dtype out, and convert the result"
        )
    for x in arrays:
        if isinstance(x, Array):
            require_cast(name, "an argument", x.dtype, "dtype=", dtype, casting)
    return tuple(sk.astype(x, dtype, copy=False) if isinstance(x, Array) else x for x in arrays)


def _require_inputs_cast(
    name: str, inputs: tuple[Any, ...], result: np.dtype[Any], casting: str
) -> None:
    """Raise unless the inputs cast to the dtype of the computation by the stricter rules."""
    arrays = [x for x in inputs if isinstance(x, Array)]
    if not arrays:  # literals cast to any dtype that they promote to
        return
    common = sk.result_type(*arrays)
    is_wider = kind_of(result) != "b" and can_cast(common, result, "safe")
    compute = result if is_wider else common
    for x in arrays:
        require_cast(name, "an argument", x.dtype, "the computation", compute, casting)


def mask_argument(name: str, condition: Any, result: Array) -> Array:
    """Return ``where=`` as an array of bool; lists and bools go to the device of ``result``."""
    is_array = isinstance(condition, Array)
    if isinstance(condition, list | tuple):  # of which no element is read from another device
        _core.require_one_device(name, (result, *arrays_in(condition)))
    mask: Array = condition if is_array else sk.asarray(condition, device=result.device)
    if mask.dtype != np.bool_:
        raise DTypeError(f"{name}: where must be bool, not {mask.dtype}; pass where != 0")
    return mask
