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
import types
import typing
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from skerry import _core
from skerry._core import Array
from skerry.exceptions import (
    DeviceError,
    DeviceMismatchError,
    DeviceUnavailableError,
    EmulationError,
    OutOfMemoryError,
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
#: Error deferred by the kernel of an earlier call: any later call that waits may raise it.
DEFERRED = re.compile(r"index -?\d+ is out of bounds: axis")
LONGEST = 40
HAVING_AXES = (Array, np.ndarray)


class NotAnArrayError(TypeError):
    """An argument is not an array, or none of several is. The entry point adds the names of the parameters."""

    def __init__(self, name: str, *values: Any) -> None:
        kinds = ", ".join(type(value).__name__ for value in values)
        super().__init__(f"takes an array, not {kinds}: {name}; use skerry.asarray(a, device=...)")
        self.values = values


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
    text = str(error)
    is_own = _is_own(error, text)
    parameter_name = _mentioned(text, arguments, is_own)
    kind = _kind_of(error)
    if is_own:
        better = kind(f"{name}: {parameter_name}: {text}" if parameter_name else f"{name}: {text}")
        better.__dict__.update(error.__dict__)  # such as the devices of a DeviceMismatchError
        return better
    if parameter_name:
        return kind(f"{name}: {parameter_name} can't be {_shown(arguments[parameter_name])}")
    listed = ", ".join(f"{key}={_shown(value)}" for key, value in arguments.items())
    return kind(f"{name}: invalid arguments: {listed}")


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


def _shown(value: Any) -> str:
    """Format an argument in a few words, without its elements."""
    if isinstance(value, Array):
        return f"{value.dtype} {value.shape} on {value.device}"
    if value is None or isinstance(value, (bool, float, complex, str, bytes, np.generic)):
        text = repr(value)
        return text if len(text) <= LONGEST else f"a long {type(value).__name__}"
    if isinstance(value, int):
        return repr(value) if value.bit_length() <= 128 else f"an int of {value.bit_length()} bits"
    return f"a {type(value).__name__}"


def _mentioned(text: str, arguments: Mapping[str, Any], is_own: bool) -> str | None:
    """Return the parameter that a message is about, or the only one that it can be about; None if ambiguous."""
    unquoted = re.sub(r"'[^']*'", "", text)  # without quoted names, such as those of attributes
    tests: list[Callable[[str, Any], bool]] = [
        lambda _, value: isinstance(value, (np.character, np.datetime64, np.timedelta64)),
        lambda key, _: len(key) > 2 and re.search(rf"\b{re.escape(key)}\b", unquoted) is not None,
        lambda _, value: _is_shown(text, value),
        lambda _, value: _is_too_large(text, value),
        lambda _, value: isinstance(value, HAVING_AXES) and value.ndim == 0 and "rray" in text,
        lambda _, value: is_own and not isinstance(value, Array),
    ]
    for test in tests:
        keys = [key for key, value in arguments.items() if test(key, value)]
        if len(keys) == 1:
            return keys[0]
    return next(iter(arguments)) if len(arguments) == 1 else None


def _is_shown(text: str, value: Any) -> bool:
    if isinstance(value, Array):
        return f"{value.dtype} {value.shape} on {value.device}" in text
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
            text = written.get(parameter, "")
            return parameter, (text if isinstance(text, str) else str(text)).replace(" | ", " or ")
    return None


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
    if hint is float:
        is_number = isinstance(value, (int, float, np.integer, np.floating))
        return is_number or _is_scalar_array(value)
    if hint is str:
        return isinstance(value, str)
    if hint is Array:
        return isinstance(value, (Array, np.ndarray))
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
        return value.ndim == 0 and value.dtype.kind in "iu"
    return isinstance(value, (int, np.integer)) or (
        not isinstance(value, np.ndarray) and hasattr(type(value), "__index__")
    )


def _is_scalar_array(value: Any) -> bool:
    return isinstance(value, (Array, np.ndarray)) and value.ndim == 0
