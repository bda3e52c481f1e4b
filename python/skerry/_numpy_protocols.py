# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Dispatch of NumPy's functions on skerry arrays (NEP 13, NEP 18) to skerry's counterparts.

``_numpy_counterparts`` lists the counterparts; this module, imported by the first such call, maps the arguments.
A function without a counterpart runs as NumPy's own on cpu:0 and raises TypeError on other devices: nothing is copied
to the host implicitly. A NumPy array is treated as an array on cpu:0. NumPy scalars promote as Python scalars do, so
the dtype of the arrays decides, as everywhere in skerry.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

import skerry as sk
from skerry import _arrays, _core
from skerry import _numpy_counterparts as counterparts
from skerry import _numpy_host as host
from skerry import _numpy_linalg as _numpy_linalg
from skerry import _ufunc_calls as ufunc_calls
from skerry import _ufunc_methods as ufunc_methods
from skerry._numpy_creation import CONVERTERS, MAKERS
from skerry._numpy_host import HOST, NoCounterpartError
from skerry._outputs import output_argument, output_arguments, store

Function = Callable[..., Any]
Array = _core.Array

POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def _title(function: Function) -> str:
    """Return the qualified name, such as ``numpy.linalg.norm``; a function without a module is NumPy's."""
    module = getattr(function, "__module__", None)
    return f"{module or 'numpy'}.{function.__name__}"


def _reject_subclass(name: str, kind: type) -> TypeError:
    return TypeError(
        f"{name}: can't combine a skerry.Array with a {kind.__module__}.{kind.__name__}, a subclass of numpy.ndarray "
        "whose operators may have another meaning; convert it with skerry.asarray"
    )


def _reject_unknown(name: str, function: Function) -> NoCounterpartError:
    if isinstance(function, np.ufunc) and getattr(np, function.__name__, None) is not function:
        ours = f"; use skerry.{function.__name__}" if hasattr(sk, function.__name__) else ""
        return NoCounterpartError(
            f"{function.__name__}: this is another library's ufunc, which skerry can't run{ours}; {HOST}"
        )
    return NoCounterpartError(
        f"{name}: skerry has no counterpart and copies nothing to the host implicitly; {HOST}"
    )


class Pairing:
    """Maps calls of one NumPy function to calls of ``target``.

    The required parameters of ``target`` are matched by position, the others by name. An argument for an unmatched
    parameter must be its default value, unless it doesn't affect values (``counterparts.HINTS``).
    """

    def __init__(self, name: str, function: Function, target: Function) -> None:
        self.name = name
        self.target = target
        ours = inspect.signature(target).parameters.values()
        try:
            theirs = list(inspect.signature(function).parameters.values())
        except ValueError:  # builtin functions of NumPy have no signature before 2.4
            theirs = list(ours)
        required = 0
        for parameter in ours:
            if parameter.kind not in POSITIONAL or parameter.default is not parameter.empty:
                break
            required += 1
        self.takes_any = any(p.kind is p.VAR_POSITIONAL for p in theirs)
        self.names = [p.name for p in theirs if p.kind in POSITIONAL]
        self.leading = self.names[:required]
        self.defaults = {p.name: p.default for p in theirs}
        self.known = {p.name for p in ours}
        self.takes_named = any(p.kind is p.VAR_KEYWORD for p in ours)

    def __call__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if self.takes_any:
            arguments, leading = dict(kwargs), args
        else:
            arguments = dict(zip(self.names, args, strict=False), **kwargs)
            leading = tuple(arguments.pop(name) for name in self.leading if name in arguments)
        out = arguments.pop("out", None)
        return _store(self.name, self.target(*leading, **self._named(arguments)), out)

    def _named(self, arguments: dict[str, Any]) -> dict[str, Any]:
        named = {}
        for name, value in arguments.items():
            default = self.defaults.get(name)
            if value is default or value is np._NoValue:
                continue
            ours = counterparts.PARAMETERS.get(name, name)
            if name in self.known or (self.takes_named and name not in self.defaults):
                named[name] = value
            elif ours in self.known:
                named[ours] = value
            elif name not in counterparts.HINTS and not _equal(value, default):
                raise NoCounterpartError(
                    f"{self.name}: {name}={_shown(value)} has no counterpart in skerry; leave it out, or {HOST}"
                )
        return named


def _equal(value: Any, default: Any) -> bool:
    return type(value) is type(default) and bool(value == default)


def _store(name: str, result: Any, out: Any) -> Any:
    """Store a result, or a tuple of results, into ``out``."""
    if out is None:
        return result
    if not isinstance(result, tuple):
        return store(name, result, output_argument(name, out, result))
    outs = output_arguments(name, out, len(result))
    pairs = zip(result, outs, strict=True)
    return tuple(store(name, x, output_argument(name, y, x)) for x, y in pairs)


def _require_one_device(name: str, values: Iterable[Any]) -> None:
    """Raise DeviceMismatchError if any arguments are arrays on different devices."""
    _core.require_one_device(name, tuple(_arrays.arrays_in(tuple(values))))


def _shown(value: Any) -> str:
    """Format a value for an error message, without reading the elements of arrays."""
    return f"<Array on {value.device}>" if isinstance(value, Array) else repr(value)


def _defers(name: str, types: Iterable[type], protocol: str) -> bool:
    """Return whether to return NotImplemented, so that NumPy tries another library's type."""
    for operand_type in types:
        if operand_type is Array or operand_type in _arrays.PLAIN:
            continue
        if issubclass(operand_type, np.ndarray) and getattr(operand_type, protocol) is getattr(
            np.ndarray, protocol
        ):
            raise _reject_subclass(name, operand_type)
        if getattr(operand_type, protocol, None) is not None and not issubclass(
            operand_type, np.generic
        ):
            return True
    return False


pairings: dict[Any, Pairing] = {}


def _make(
    name: str, maker: Function, like_array: Array, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """Run a creation function with ``like=``.

    An array to convert stays on its device; a ``numpy.ndarray`` to convert is copied to the device of ``like``.
    """
    converts = args and (
        isinstance(args[0], Array) or (type(args[0]) in _arrays.PLAIN and maker in CONVERTERS)
    )
    first = () if converts else args[:1]
    if kwargs.get("device") is None:
        _require_one_device(name, (like_array, *first, *args[1:], *kwargs.values()))
    return maker(like_array.device, *args, **kwargs)


def array_function(
    self: Array,
    func: Function,
    types: Iterable[type],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> Any:
    """Run the counterpart of a NumPy function (NEP 18)."""
    pairing = pairings.get(func)
    name = pairing.name if pairing else _title(func)
    if _defers(name, types, "__array_function__"):
        return NotImplemented
    if pairing is None:
        if answer := host.OF_ANY_DEVICES.get(func):
            return answer(*args, **kwargs)
        if maker := MAKERS.get(name):
            return _make(name, maker, self, args, kwargs)
        target = counterparts.FUNCTIONS.get(func)
        if target is not None:
            pairing = pairings[func] = Pairing(name, func, target)
    if kwargs.get("device") is None:  # otherwise skerry's function checks against that device
        _require_one_device(name, (*args, *kwargs.values()))
    args, kwargs, originals = _arrays.take_numpy_arrays(name, args, kwargs)
    implementation = getattr(func, "_implementation", func)
    result = _first_of(
        name,
        func,
        None if pairing is None else lambda: pairing(args, kwargs),
        lambda: host.run(implementation, args, kwargs),
        (args, kwargs),
    )
    return originals.get(id(result), result)  # a numpy.ndarray passed as out=


def _first_of(
    name: str, function: Function, ours: Function | None, theirs: Function, arguments: Any
) -> Any:
    """Call skerry's function; without one, call NumPy's if the arrays are on cpu:0."""
    if ours is not None:
        try:
            return ours()
        except NoCounterpartError as missing:
            if not host.is_home(arguments):
                raise TypeError(str(missing)) from None
    elif not host.is_home(arguments):
        raise TypeError(str(_reject_unknown(name, function)))
    return theirs()


#: Arguments of the products, which are generalized ufuncs.
PRODUCT_OPTIONS = {"axes", "axis", "casting", "dtype", "order", "out", "subok"}


def _call_ufunc(name: str, ufunc: np.ufunc, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    target: Any = counterparts.UFUNCS.get(ufunc)
    if target is None:
        raise _reject_unknown(name, ufunc)
    is_product = ufunc.signature is not None  # matmul, matvec, vecdot, vecmat
    for key in kwargs:
        if key not in (PRODUCT_OPTIONS if is_product else ufunc_calls.OPTIONS):
            raise NoCounterpartError(
                f"{name}: {key}= has no counterpart in skerry; leave it out, or {HOST}"
            )
    if is_product:
        return target(*inputs, **{key: x for key, x in kwargs.items() if key != "subok"})
    if kwargs.keys() == {"out"}:  # may be computed in place
        return target(*inputs, **kwargs)
    return ufunc_calls.evaluate(name, target, inputs, kwargs)


def _run_method(
    name: str, ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    if method == "__call__":
        return _call_ufunc(name, ufunc, inputs, kwargs)
    target: Any = counterparts.UFUNCS.get(ufunc)
    if target is None or not hasattr(target, "nin"):
        raise _reject_unknown(name, ufunc)
    if method == "outer":
        return ufunc_methods.all_pairs(name, target, *inputs, **kwargs)
    if method == "at":
        if host.is_home(inputs) or not isinstance(inputs[0], Array):
            raise NoCounterpartError(name)  # NumPy writes to the memory itself
        return ufunc_methods.change_at(name, target, *inputs)
    folds = {"reduce": ufunc_methods.REDUCTIONS, "accumulate": ufunc_methods.SCANS}
    if target.__name__ not in folds.get(method, ()) and host.is_home(inputs):
        raise NoCounterpartError(name)  # NumPy does it in one pass
    run: dict[str, Function] = {
        "reduce": ufunc_methods.fold,
        "accumulate": ufunc_methods.scan,
        "reduceat": ufunc_methods.fold_slices,
    }
    return run[method](name, target, *inputs, **kwargs)


COMPARISONS = {np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal}


def _scalar_again(value: Any) -> Any:
    return value[()] if type(value) is np.ndarray and value.ndim == 0 else value


def array_ufunc(ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
    """Run the counterpart of a ufunc, or of one of its methods (NEP 13)."""
    name = f"numpy.{ufunc.__name__}" + ("" if method == "__call__" else f".{method}")
    out = kwargs.pop("out", None)
    if ufunc in COMPARISONS:
        # Comparisons of NumPy scalars pass 0-d arrays, which look like 0-d arrays of the user.
        inputs = tuple(map(_scalar_again, inputs))
    outs = out if isinstance(out, tuple) else () if out is None else (out,)
    if _defers(name, map(type, (*inputs, *outs)), "__array_ufunc__"):
        return NotImplemented
    (inputs, outs), kwargs, originals = _arrays.take_numpy_arrays(name, (inputs, outs), kwargs)
    _require_one_device(name, (*inputs, *outs, *kwargs.values()))
    with_out = {"out": outs, **kwargs} if outs else kwargs
    result = _first_of(
        name,
        ufunc,
        lambda: _run_method(name, ufunc, method, inputs, with_out),
        lambda: host.run(getattr(ufunc, method), inputs, with_out),
        (inputs, outs, kwargs),
    )
    if type(result) is tuple:
        return tuple(originals.get(id(output), output) for output in result)
    return originals.get(id(result), result)


_core.direct_ufuncs.update(counterparts.UFUNCS)
