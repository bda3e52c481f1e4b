# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Error messages of failed calls: they name the public function and the wrong argument.

Functions check only some of their arguments. Other wrong arguments fail further down: in another function, in NumPy or
in Python. The entry points of public functions (python/bindings/failed_calls.cpp) then call this module for the error
to raise. It is not called for calls that succeed or for errors that begin with the function's name.
"""

from __future__ import annotations

import collections.abc
import dis
import inspect
import os
import re
import sys
import types
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from skerry import _core
from skerry._arrays import shown
from skerry._core import Array
from skerry._data_types import kind_of
from skerry._extra._topics import TOPIC_OF
from skerry.exceptions import (
    DeviceError,
    DeviceMismatchError,
    DeviceUnavailableError,
    DTypeError,
    EmulationError,
    OutOfMemoryError,
    ShapeError,
)

HOMES = tuple(os.path.dirname(os.path.abspath(path)) + os.sep for path in (__file__, np.__file__))
PYTHONS = (os.path.dirname(os.path.abspath(os.__file__)) + os.sep, "<frozen ", "<__array_function__ ")  # fmt: skip
# Classes that are kept; other errors come from Python itself and become a TypeError.
TYPED = (
    TypeError, ValueError, IndexError, OverflowError, MemoryError, NotImplementedError, BufferError, RuntimeError,
    OSError,
)  # fmt: skip
#: Errors that are not caused by an argument.
NOT_OF_ARGUMENTS = (
    Warning, StopIteration, OSError, OutOfMemoryError, DeviceUnavailableError, DeviceError, EmulationError,
)  # fmt: skip
#: Start of this package's own messages, which may name an inner function, such as "subtract: x2 is ...".
OWN_TEXT = re.compile(r"[A-Za-z_][\w.]*: ")
#: Public functions and methods in C++.
PUBLIC = frozenset([*_core.__all__, *_core.linalg.__all__, *_core.fft.__all__, *dir(Array)])
#: Functions that may be the inner function of a message.
INNER = PUBLIC | {*dir(_core), *TOPIC_OF, "bool", "iter"}
#: An operand and its description, as in "x1 is float64 (3,) on cpu:0" or "x1 (float64 (3,)) on cpu:0".
DESCRIBED = re.compile(
    r"\b([A-Za-z_]\w*) (?:is |has |\()((?:bool|u?int|float|complex)\d* \([\d, ]*\))\)? on (\w+:\d+)"
)
#: Error deferred by the kernel of an earlier call: any later call that waits may raise it.
DEFERRED = re.compile(r"index -?\d+ is out of bounds: axis")
#: Annotations in words.
KINDS = {
    "Array": "an Array",
    "Callable[..., Any]": "a function",
    "Sequence[int]": "a sequence of ints",
    "bool": "a bool",
    "complex": "a number",
    "float": "a float",
    "int": "an int",
    "str": "a str",
    "tuple[int, ...]": "a tuple of ints",
}
DEEPEST = 4  # level of nested sequences in which arrays are looked for
HAVING_AXES = (Array, np.ndarray)


class NotAnArrayError(TypeError):
    """An argument is not an array, or none of several is. The entry point adds the names of the parameters."""

    def __init__(self, name: str, *values: Any) -> None:
        kinds = ", ".join(type(value).__name__ for value in values)
        super().__init__(f"takes an array, not {kinds}: {name}; use skerry.asarray(a, device=...)")
        self.values, self.kinds = values, kinds


def named_function(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], error: Exception
) -> Exception | None:
    """Return the error to raise instead of ``error`` for a function in Python; None to keep it."""
    signature = inspect.signature(function)
    try:
        bound = signature.bind(*args, **kwargs).arguments
    except TypeError:
        return None  # Python's own message lists the parameters
    arguments: dict[str, Any] = {}
    for key, value in bound.items():
        if signature.parameters[key].kind is inspect.Parameter.VAR_POSITIONAL:
            arguments |= {f"{key}[{i}]": item for i, item in enumerate(value)}
        elif key != "self":
            arguments[key] = value
    return named(function.__name__, arguments, error, function)


def named(
    name: str,
    arguments: Mapping[str, Any],
    error: Exception,
    function: Callable[..., Any] | None = None,
) -> Exception | None:
    """Return the error to raise instead of ``error``; None to keep it.

    Parameters
    ----------
    name : str
        Name of the public function.
    arguments : Mapping
        Arguments by parameter name.
    error : Exception
        The error that was raised.
    function : callable or None
        The function, if its parameters are annotated.

    """
    if function is None and name not in PUBLIC:
        return None  # an inner function: the public one that calls it rewrites the error
    if "self" in arguments:
        own_array, arguments = arguments["self"], {**arguments}
        del arguments["self"]
        if isinstance(error, DeviceMismatchError):
            return _on_different_devices(name, {"x": own_array, **arguments})
        if str(error).startswith(f"{name}: "):
            return _with_names_of_method(name, own_array, arguments, error)
    if (
        isinstance(error, NOT_OF_ARGUMENTS)
        or _is_of_others(error)
        or _may_be_deferred(arguments, error, function)
    ):
        return None
    if isinstance(error, NotAnArrayError):
        return _not_an_array(name, arguments, error)
    wrong = _wrongly_typed(function, arguments)
    if wrong is not None and not isinstance(error, DeviceMismatchError):
        parameter, expected_type = wrong
        actual_type = type(arguments[parameter]).__name__
        return TypeError(f"{name}: {parameter} must be {expected_type}, not {actual_type}")
    if isinstance(error, DeviceMismatchError):
        return _on_different_devices(name, arguments) or _reworded(name, arguments, error, function)
    if "dtype" in arguments and not _is_own(error, str(error)):
        unsupported = _unsupported_dtype(name, arguments["dtype"])
        if unsupported is not None:
            return unsupported
    return _reworded(name, arguments, error, function)


def _reworded(
    name: str,
    arguments: Mapping[str, Any],
    error: Exception,
    function: Callable[..., Any] | None,
) -> Exception:
    """Return the error with the names of the public function and of the wrong argument."""
    text, inner = str(error), None
    is_own = _is_own(error, text)
    if is_own:
        text, inner = _with_public_names(text.removeprefix(f"{name}: "), arguments)
        is_own = not text.startswith("invalid arguments:")
    may_be_a_value = is_own and _may_be_a_value(error, text, arguments)
    parameter = _mentioned(text, arguments, may_be_a_value) or _of_another_kind(function, arguments)
    kind = _kind_of(error)
    if is_own:
        if parameter:
            text = _with_parameter(text, inner, parameter)
        better = kind(f"{name}: {text}")
        better.__dict__.update(error.__dict__)  # such as the devices of a DeviceMismatchError
        return better
    if parameter:
        return kind(f"{name}: {parameter} can't be {shown(arguments[parameter])}")
    listed = ", ".join(f"{key}={shown(value)}" for key, value in arguments.items())
    return kind(f"{name}: invalid arguments: {listed}")


def _on_different_devices(name: str, arguments: Mapping[str, Any]) -> Exception | None:
    """Return an error that describes the arrays by the parameters' names; None if all are on one device."""
    arrays = list(_arrays_by_name(arguments.items()))
    try:
        _core.require_one_device(
            name, tuple(x for _, x in arrays), tuple(parameter for parameter, _ in arrays)
        )
    except DeviceMismatchError as error:
        return error.with_traceback(None)
    return None


def _arrays_by_name(items: Iterable[tuple[str, Any]], depth: int = 0) -> Iterator[tuple[str, Any]]:
    """Yield the arrays in nested sequences and dicts, which may contain themselves, with names such as ``tup[1]``."""
    for name, value in items:
        if isinstance(value, HAVING_AXES):
            yield name, value
        elif depth == DEEPEST:
            continue
        elif isinstance(value, (tuple, list)):
            inner_items = ((f"{name}[{i}]", item) for i, item in enumerate(value))
            yield from _arrays_by_name(inner_items, depth + 1)
        elif isinstance(value, dict):
            inner_items = ((f"{name}[{key!r}]", item) for key, item in value.items())
            yield from _arrays_by_name(inner_items, depth + 1)


def _unsupported_dtype(name: str, dtype: Any) -> DTypeError | None:
    """Return the error of an object that is not a dtype of this package; None if it is one, or None."""
    if dtype is None:
        return None
    try:
        _core.empty((0,), dtype=dtype)
    except DTypeError as error:
        return DTypeError(f"{name}: {_with_public_names(str(error), {})[0]}")
    return None


def _with_public_names(text: str, arguments: Mapping[str, Any]) -> tuple[str, str | None]:
    """Remove the names of inner functions from the beginning of a message, and rename the operands that it describes.

    The second result is the name of the innermost function, or None. An operand is renamed if the call has an argument
    of the same shape and device, preferably of the same dtype.
    """
    inner = None
    while (match := OWN_TEXT.match(text)) is not None:
        word = match[0][:-2]
        if word in arguments or not _is_function(word):
            break
        inner, text = word, text[match.end() :]
    arrays = [(name, shown(x)) for name, x in _arrays_by_name(arguments.items())]
    names: dict[str, str] = {}
    for operand, layout, device in DESCRIBED.findall(text):
        if operand in names or operand in arguments:
            continue
        described = f"{layout} on {device}"
        same = [item for item in arrays if item[1] == described] or [
            item for item in arrays if item[1].split(" ", 1)[1] == described.split(" ", 1)[1]
        ]
        if same:
            names[operand] = same[0][0]
            arrays.remove(same[0])
    if names:
        words = "|".join(map(re.escape, names))
        text = re.sub(rf"\b({words})\b", lambda match: names[match[0]], text)
    return text, inner


def _with_parameter(text: str, inner: str | None, parameter: str) -> str:
    """Add the name of the parameter that a message is about, in place of the inner function's parameter."""
    if _names(text, parameter):
        return text
    if "arrays[" in text:
        return text.replace("arrays[", f"{parameter}[")
    subject = re.match(r"([A-Za-z_]\w*) (must|is|can't|has|does)\b", text)
    if (
        subject is not None
        and inner is not None
        and subject[1] in {"values", *_parameters_of(inner)}
    ):
        return parameter + text[subject.end(1) :]
    return f"{parameter}: {text}"


def _parameters_of(name: str) -> frozenset[str]:
    for module in (_core, _core.linalg, _core.fft):
        function = getattr(module, name, None)
        if callable(function):
            try:
                return frozenset(inspect.signature(function).parameters)
            except ValueError:
                break
    return frozenset()


def _is_function(name: str) -> bool:
    """Return whether a message may begin with the name of an inner function, or of a generator's method."""
    return name in INNER or hasattr(
        getattr(sys.modules.get("skerry.random"), "Generator", None), name
    )


def _may_be_a_value(error: Exception, text: str, arguments: Mapping[str, Any]) -> bool:
    """Return whether a message may be about an argument that is not an array."""
    arrays = [x for _, x in _arrays_by_name(arguments.items())]
    is_about_dtype = any(re.search(rf"\b{x.dtype}\b", text) for x in arrays)
    return not (isinstance(error, ShapeError) or is_about_dtype)


def _names(text: str, parameter: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(parameter)}(?!\w)", text) is not None


def _with_names_of_method(
    name: str, own_array: Any, arguments: Mapping[str, Any], error: Exception
) -> Exception | None:
    """Return the error of the function that a method calls, with the method's parameters; None to keep it.

    The method's array is named x, the first argument where the function has x1 and x2.
    """
    text = str(error)
    renamed, _ = _with_public_names(text, {"x": own_array, **arguments})
    operands = dict(zip(("x1", "x2"), ("x", *arguments), strict=False))
    renamed = re.sub(
        r"\b(x[12])\b(?! must)", lambda match: operands.get(match[0], match[0]), renamed
    )
    subject = re.match(r"(condition|correction|x[12]) must", renamed)
    if subject is not None and subject[1] not in arguments:
        parameter = _mentioned(renamed, arguments, True)
        renamed = f"{parameter or 'an argument'}{renamed[subject.end(1) :]}"
    renamed = f"{name}: {renamed}"
    if renamed == text or isinstance(error, NOT_OF_ARGUMENTS):
        return None
    better = _kind_of(error)(renamed)
    better.__dict__.update(error.__dict__)
    return better


def _not_an_array(name: str, arguments: Mapping[str, Any], error: NotAnArrayError) -> TypeError:
    names = [key for key, value in arguments.items() if _holds(value, error.values)]
    others = [key for key, value in arguments.items() if not isinstance(value, Array)]
    parameter_text = " or ".join(names or others[:1]) or "an argument"
    kinds = ", ".join(type(value).__name__ for value in error.values[:3]) or "an empty sequence"
    return TypeError(f"{name}: {parameter_text} must be an Array, not {kinds}; use skerry.asarray")


def _holds(value: Any, values: tuple[Any, ...]) -> bool:
    items = value if isinstance(value, (tuple, list)) else ()
    return any(item is one for one in values for item in (value, *items))


def _may_be_deferred(
    arguments: Mapping[str, Any], error: Exception, function: Callable[..., Any] | None
) -> bool:
    """Return whether an earlier asynchronous call may be the one that failed."""
    if not isinstance(error, IndexError) or DEFERRED.search(str(error)) is None:
        return False
    arrays = [value for value in arguments.values() if isinstance(value, Array)]
    return function is None or any(x.device.kind != "cpu" for x in arrays)


def _is_of_others(error: Exception) -> bool:
    """Return whether the error was raised outside this package and NumPy, for example in a user's callback."""
    trace: types.TracebackType | None = error.__traceback__
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        is_installed = "-packages" in file or not file.startswith(PYTHONS)
        if is_installed and not file.startswith(HOMES):
            return True
        trace = trace.tb_next
    return False


def _is_own(error: Exception, text: str) -> bool:
    """Return whether the message is this package's: of an inner function, or of a ``raise`` statement."""
    if OWN_TEXT.match(text) is not None:
        return type(error).__module__.split(".")[0] != "numpy"
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None or not trace.tb_frame.f_code.co_filename.startswith(HOMES[0]):
        return False
    return dis.opname[trace.tb_frame.f_code.co_code[trace.tb_lasti]] == "RAISE_VARARGS"


def _kind_of(error: Exception) -> Callable[[str], Exception]:
    """Return the class to raise: that of the error if it is listed in TYPED, else TypeError."""
    kind = type(error)
    if kind.__module__.split(".")[0] == "skerry" and isinstance(error, TYPED):
        return kind
    for error_type in TYPED:
        if isinstance(error, error_type):
            return error_type
    return TypeError


def _mentioned(text: str, arguments: Mapping[str, Any], is_own: bool) -> str | None:
    """Return the parameter that a message is about, or the only one that it can be about; None if ambiguous."""
    unquoted = re.sub(r"'[^']*'", "", text)  # without quoted names, such as those of attributes
    tests: list[Callable[[str, Any], bool]] = [
        lambda _, value: isinstance(value, (np.character, np.datetime64, np.timedelta64)),
        lambda key, _: len(key) > 2 and re.search(rf"\b{re.escape(key)}\b", unquoted) is not None,
        lambda _, value: _is_shown(text, value),
        lambda _, value: _is_too_large(text, value),
        lambda _, value: isinstance(value, (str, bytes)) and repr(value) in text,
        lambda _, value: isinstance(value, (tuple, list)) and "sequence" in text,
        lambda _, value: isinstance(value, HAVING_AXES) and value.ndim == 0 and "rray" in text,
        lambda _, value: is_own and not isinstance(value, Array),
    ]
    for test in tests:
        keys = [key for key, value in arguments.items() if test(key, value)]
        if len(keys) == 1:
            return keys[0]
    return next(iter(arguments)) if len(arguments) == 1 else None


def _of_another_kind(
    function: Callable[..., Any] | None, arguments: Mapping[str, Any]
) -> str | None:
    """Return the only parameter whose argument is None or text, unlike its default; None if there are several."""
    if function is None:
        return None
    parameters = inspect.signature(function).parameters
    keys = [
        key
        for key, value in arguments.items()
        if (value is None or isinstance(value, (str, bytes)))
        and key in parameters
        and type(value) is not type(parameters[key].default)
    ]
    return keys[0] if len(keys) == 1 else None


def _is_shown(text: str, value: Any) -> bool:
    if isinstance(value, HAVING_AXES) and shown(value) in text:
        return True
    items = value if isinstance(value, (tuple, list, range)) else ()
    kinds = {type(item).__name__ for item in (value, *items[:8])}
    return any(re.search(rf"\b{re.escape(kind)}\b", text) for kind in kinds)


def _is_too_large(text: str, value: Any) -> bool:
    is_of_size = any(
        word in text for word in ("too large", "exceed", "out of range", "does not fit")
    )
    return is_of_size and isinstance(value, int) and value.bit_length() > 31


def _wrongly_typed(
    function: Callable[..., Any] | None, arguments: Mapping[str, Any]
) -> tuple[str, str] | None:
    """Return the first parameter whose argument does not match its annotation, and the annotation."""
    if function is None:
        return None
    try:
        hints = typing.get_type_hints(function)
    except (NameError, TypeError):
        return None
    written = getattr(function, "__annotations__", {})
    for parameter, value in arguments.items():
        hint = hints.get(parameter, Any)
        if not _fits(hint, value):
            return parameter, _in_words(str(written.get(parameter, "")))
    return None


def _in_words(annotation: str) -> str:
    """Return an annotation in words: "an int, a tuple of ints or None"."""
    kinds = [KINDS.get(kind, kind) for kind in annotation.split(" | ")]
    return " or ".join([", ".join(kinds[:-1]), kinds[-1]] if len(kinds) > 1 else kinds)


def _fits(hint: Any, value: Any) -> bool:
    """Return whether a value matches a type hint; hints that are not understood match everything."""
    origin = typing.get_origin(hint)
    if origin in (typing.Union, types.UnionType):
        return any(_fits(alternative, value) for alternative in typing.get_args(hint))
    if hint is type(None):
        return value is None
    if hint is bool:
        return isinstance(value, (bool, np.bool_, int, np.integer)) or _is_scalar_array(value)
    if hint is int:
        return _is_int(value)
    if hint is complex:
        return isinstance(value, (int, float, complex, np.number)) or _is_scalar_array(value)
    if hint is float:
        is_number = isinstance(value, (int, float, np.integer, np.floating))
        return is_number or _is_scalar_array(value)
    if hint is str:
        return isinstance(value, str)
    if hint is Array:
        return isinstance(value, (Array, np.ndarray, np.generic, complex, float, int, list, tuple))
    if origin in (tuple, list, collections.abc.Sequence, collections.abc.Iterable):
        items = typing.get_args(hint)
        if isinstance(value, (str, bytes, dict, set)) or not isinstance(
            value, collections.abc.Iterable
        ):
            return False
        is_listed = isinstance(value, (tuple, list)) and items and items[0] is int
        return not is_listed or all(_is_int(item) for item in value)
    if origin is collections.abc.Callable:
        return callable(value)
    return True


def _is_int(value: Any) -> bool:
    if isinstance(value, Array):
        return value.ndim == 0 and kind_of(value.dtype) in "iu"
    return isinstance(value, (int, np.integer)) or (
        not isinstance(value, np.ndarray) and hasattr(type(value), "__index__")
    )


def _is_scalar_array(value: Any) -> bool:
    return isinstance(value, (Array, np.ndarray)) and value.ndim == 0
