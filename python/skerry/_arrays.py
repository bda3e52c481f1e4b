# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""NumPy arrays as arguments of functions written in Python: they become arrays on cpu:0 that share their memory."""

from __future__ import annotations

import functools
import inspect
import re
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from skerry import _core
from skerry._data_types import kind_of
from skerry._library_keys import WITH_NUMBERS_OF_THE_HOST, beside_the_data

Function = Callable[..., Any]
Array = _core.Array

HOME = _core.Device("cpu:0")
PLAIN = (np.ndarray, np.memmap)  # no other subclasses: their operators may have another meaning
# Names of NumPy's array parameters; functions convert lists and scalars for the other parameters themselves.
OF_ARRAYS = frozenset([
    "a", "a1", "a2", "ar", "ar1", "ar2", "arr", "array", "ary", "aweights", "b", "condition", "f", "fp", "fweights",
    "m", "p", "v", "w", "weights", "x", "x1", "x2", "xp", "y", "z",
])  # fmt: skip
# Private elementwise operations of functions with another name.
OPERATION_OF = {"degrees": "rad2deg", "radians": "deg2rad"}
LONGEST = 40  # characters of an argument in an error message
#: Parameters of functions that are ufuncs in NumPy, after the inputs: those of elementwise functions in C++.
UFUNC_OPTIONS = list(inspect.signature(_core.add).parameters.values())[2:]
#: The section of a docstring, its indentation as a group.
PARAMETERS = re.compile(r"^( *)Parameters\n *-+\n(?:.+\n)+", re.MULTILINE)
#: The entry of these parameters in the docstring of an elementwise function in C++.
OPTIONS_TEXT = re.findall(r"^out, where, .*\n(?: .*\n)+", _core.add.__doc__ or "", re.MULTILINE)[0]
DTYPES = frozenset(_core.dtype_kinds())


def shown(value: Any) -> str:
    """Format an argument for an error message in a few words, without its elements."""
    if isinstance(value, (Array, np.ndarray)):
        device = value.device if isinstance(value, Array) else "cpu:0"
        return f"{value.dtype} {value.shape} on {device}"
    if value is None or isinstance(value, (bool, float, complex, str, bytes, np.generic)):
        text = repr(value)
        return text if len(text) <= LONGEST else f"a long {type(value).__name__}"
    if isinstance(value, type):
        return value.__name__
    if isinstance(value, int):
        return repr(value) if value.bit_length() <= 128 else f"an int of {value.bit_length()} bits"
    return f"a {type(value).__name__}"


def arrays_in(value: Any) -> Iterator[Any]:
    """Yield the arrays, NumPy's included, in nested tuples, lists and dicts."""
    if isinstance(value, Array) or type(value) in PLAIN:
        yield value
    elif isinstance(value, tuple | list):
        for item in value:
            yield from arrays_in(item)
    elif isinstance(value, dict):
        yield from arrays_in(tuple(value.values()))


def mapped(value: Any, change: Function) -> Any:
    """Apply ``change`` to the leaves of nested tuples, lists and dicts."""
    kind = type(value)
    if isinstance(value, tuple | list):
        items = [mapped(item, change) for item in value]
        return kind(*items) if hasattr(kind, "_fields") else items if kind is list else tuple(items)
    if kind is dict:
        return {key: mapped(item, change) for key, item in value.items()}
    return change(value)


def _shares(x: np.ndarray[Any, Any]) -> bool:
    """Return whether skerry can use the memory without a copy."""
    return (
        kind_of(x.dtype) in "biufc"
        and x.dtype.name in DTYPES
        and x.dtype.isnative
        and x.flags.aligned
    )


def as_array(x: Any) -> Any:
    """Wrap a numpy.ndarray as an array on cpu:0 that shares its memory; return anything else unchanged."""
    if type(x) in PLAIN and _shares(x):
        return _core.asarray(x, device=HOME, copy=False)
    return x


def take_numpy_arrays(name: str, args: Any, kwargs: Any) -> tuple[Any, Any, dict[int, Any]]:
    """Replace NumPy arrays by arrays on cpu:0; raise DeviceMismatchError if others are on another device.

    The third result maps the id of each new array to the NumPy array that it wraps.
    """
    arrays = tuple(arrays_in((args, kwargs)))
    if len(arrays) > 1:
        _core.require_one_device(name, arrays)
    originals: dict[int, Any] = {}
    if all(isinstance(x, Array) for x in arrays):
        return args, kwargs, originals
    arrays_by_id: dict[int, Any] = {}

    def change(x: Any) -> Any:
        if type(x) not in PLAIN:
            return x
        if id(x) not in arrays_by_id:
            arrays_by_id[id(x)] = as_array(x)
            originals[id(arrays_by_id[id(x)])] = x
        return arrays_by_id[id(x)]

    return mapped(args, change), mapped(kwargs, change), originals


def _array_parameters(function: Function) -> tuple[str | None, ...]:
    """Return the names of the parameters that take arrays, by position, None for others; empty if there is none."""
    code = function.__code__
    hints = function.__annotations__
    names = tuple(
        name if name in OF_ARRAYS and not hints.get(name, "").startswith("int") else None
        for name in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    )
    return names if any(names) else ()


def _with_literals(
    name: str, parameters: tuple[str | None, ...], args: Any, kwargs: Any
) -> tuple[Any, Any]:
    """Convert the lists and scalars passed for array parameters, beside the arrays of the call."""
    positions: list[Any] = [i for i, parameter in enumerate(parameters[: len(args)]) if parameter]
    keys = [key for key in kwargs if key in parameters]
    names = (*(parameters[i] for i in positions), *keys)
    values = (*(args[i] for i in positions), *(kwargs[key] for key in keys))
    others = [x for i, x in enumerate(args) if i not in positions]
    others += [x for key, x in kwargs.items() if key not in keys]
    converted = _core.literals(name, names, values, tuple(arrays_in(others)))
    changed = list(args)
    for i, value in zip(positions, converted, strict=False):
        changed[i] = value
    return tuple(changed), kwargs | dict(zip(keys, converted[len(positions) :], strict=True))


def accept_numpy_arrays(function: Function, name: str, *, lists: str = "arrays") -> Function:
    """Make a function accept NumPy arrays, as arrays on cpu:0, and lists and scalars for arrays.

    ``lists`` is "arrays" to convert them, "refused" for functions that write into their argument, or "kept" to pass
    them on. Calls with nothing to convert bypass this module (python/bindings/array_function.cpp).
    """
    may_be_of_a_library = name in WITH_NUMBERS_OF_THE_HOST
    parameters = _array_parameters(function) if lists == "arrays" else ()

    def call(*args: Any, **kwargs: Any) -> Any:
        if may_be_of_a_library and args:
            args, kwargs = beside_the_data(args, kwargs)
        args, kwargs, _ = take_numpy_arrays(name, args, kwargs)
        if lists == "refused" and args and not isinstance(args[0], Array):
            raise TypeError(
                f"{name}: writes into an array, not into {type(args[0]).__name__}; "
                "make one with skerry.asarray"
            )
        if parameters:
            args, kwargs = _with_literals(name, parameters, args, kwargs)
        return function(*args, **kwargs)

    operation = getattr(_core, OPERATION_OF.get(name, name), None)
    ufunc: Any = getattr(np, name, None)
    is_elementwise = isinstance(ufunc, np.ufunc) and ufunc.signature is None
    counts = (ufunc.nin, ufunc.nout) if is_elementwise else (0, 1)
    wrapper = functools.wraps(function)(
        _core.array_function(function, call, lists == "refused", operation, parameters, *counts)
    )
    if counts[0]:
        signature = inspect.signature(function)
        out, *other = UFUNC_OPTIONS
        if counts[1] > 1:
            out = out.replace(default=(None,) * counts[1])
        options = [*signature.parameters.values(), out, *other]
        wrapper.__doc__ = PARAMETERS.sub(_with_options, function.__doc__ or "", count=1)
        wrapper.__signature__ = signature.replace(parameters=options)  # type: ignore[attr-defined]
    return wrapper


def _with_options(section: re.Match[str]) -> str:
    """Return a section "Parameters", after whose entries the options of ufuncs are described."""
    return section[0] + re.sub("^(?=.)", section[1], OPTIONS_TEXT, flags=re.MULTILINE)


def name_failures(owner: type) -> None:
    """Wrap the public Python methods of a class so that their errors name the method and its parameter."""
    for part in owner.__mro__:
        for name, method in vars(part).items():
            if inspect.isfunction(method) and not name.startswith("_") and name not in vars(owner):
                own_method = _copied(method)  # as another class may have the same private base
                own_method.__qualname__ = f"{owner.__qualname__}.{name}"
                setattr(owner, name, name_failures_of(own_method))
    for name, method in list(vars(owner).items()):
        if inspect.isfunction(method) and not name.startswith("_"):
            setattr(owner, name, name_failures_of(method))


def _copied(function: types.FunctionType) -> types.FunctionType:
    """Return a function with the same code, whose names can be changed."""
    copy = types.FunctionType(
        function.__code__,
        function.__globals__,
        argdefs=function.__defaults__,
        closure=function.__closure__,
    )
    copy.__kwdefaults__ = function.__kwdefaults__
    functools.update_wrapper(copy, function)
    del copy.__wrapped__  # type: ignore[attr-defined]
    return copy


def name_failures_of(method: Function) -> Function:
    """Wrap a function that converts its arguments itself, so that its errors name it and its parameter."""
    return functools.wraps(method)(_core.array_function(method, method, False, None, ()))
