# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""One valid call of each public function, taken from the call tables of other tests.

Functions of the standard are called as in ``test_parameter_devices``, those beyond it by the first call of
``calls/<chapter>/<topic>.py`` that does not raise. Calls of array and generator methods are listed here.
"""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import skerry as sk
from skerry import _extra

from tests.python import functions_without_arrays
from tests.python.devices.test_parameter_devices import right_arguments
from tests.python.extra.extra_calls import all_calls, mapped, tested_apart
from tests.python.oracle import STANDARD_NAMES, to_device


@dataclass
class BaseCall:
    """A valid call: arguments by parameter name; ``*args`` is a list."""

    name: str  # prefix of error messages
    signature: inspect.Signature
    make: Callable[[str], tuple[Callable[..., Any], dict[str, Any]]]  # for a device

    def parameters(self) -> list[str]:
        """Return the names of the parameters that may be passed."""
        return [name for name in self.signature.parameters if name not in ("self", "kwargs")]

    def run(self, function: Callable[..., Any], named: dict[str, Any]) -> Any:
        """Call with these arguments, and with defaults for earlier positional-only parameters."""
        positional, keywords, absent = [], {}, False
        for parameter in self.signature.parameters.values():
            name, kind = parameter.name, parameter.kind
            if name not in named:
                absent = True
                if kind is parameter.POSITIONAL_ONLY and name != "self":
                    rest = list(self.signature.parameters)
                    later = rest[rest.index(name) + 1 :]
                    if any(
                        later_name in named
                        and self.signature.parameters[later_name].kind is parameter.POSITIONAL_ONLY
                        for later_name in later
                    ):
                        positional.append(parameter.default)
                continue
            if kind is parameter.VAR_POSITIONAL:
                positional += named[name] if isinstance(named[name], list) else [named[name]]
            elif kind is parameter.POSITIONAL_ONLY or (
                kind is parameter.POSITIONAL_OR_KEYWORD and not absent
            ):
                positional.append(named[name])
            elif kind is parameter.VAR_KEYWORD:
                keywords |= named[name]
            else:
                keywords[name] = named[name]
        return function(*positional, **keywords)


# Not functions of arrays, or functions that change the process; each has its own tests.
NOT_WALKED = (
    functions_without_arrays.NOT_CALLED
    | functions_without_arrays.CLASSES
    | {"Array", "DLDeviceType", "cuda_array_interface_version", "__array_namespace_info__"}
)
DESCRIBED: dict[str, Any] = {}  # keeps the array alive, which its interface does not
FURTHER = {  # functions that test_parameter_devices does not call
    "Device": lambda home: {"name": "cpu"},
    "Event": lambda home: {"device": home},
    "Stream": lambda home: {"device": "cuda:0"},
    "device": lambda home: {"device": home},
    "memory_statistics": lambda home: {"device": home},
    "reset_peak": lambda home: {"device": home},
    "synchronize": lambda home: {"device": home},
    "trim": lambda home: {"device": home},
    "where": lambda home: {
        "condition": sk.ones(2, dtype=bool, device=home),
        "x1": sk.ones(2, device=home),
        "x2": sk.zeros(2, device=home),
    },
    "stream": lambda home: {"stream": sk.current_stream(home)},
    "as_cuda_array": lambda home: {"obj": sk.ones(2, device="cuda:0")},
    "from_cuda_array_interface": lambda home: {
        "desc": DESCRIBED.setdefault("desc", sk.ones(2, device="cuda:0")).__cuda_array_interface__
    },
}

SQUARE = np.arange(9.0).reshape(3, 3)
METHODS: dict[str, dict[str, Any]] = {  # required arguments
    "argpartition": {"kth": 1},
    "astype": {"dtype": "float32"},
    "choose": {"choices": [SQUARE, SQUARE]},
    "dot": {"other": SQUARE},
    "fill": {"value": 1.5},
    "item": {"args": [1, 1]},
    "partition": {"kth": 1},
    "tofile": {"fid": os.devnull},
    "repeat": {"repeats": 2},
    "reshape": {"shape": [9]},
    "searchsorted": {"v": np.asarray([1.0, 2.0])},
    "swapaxes": {"axis1": 0, "axis2": 1},
    "take": {"indices": np.asarray([0, 2])},
    "to_device": {"device": "cpu:1"},
    "transpose": {"axes": [1, 0]},
    "view": {"dtype": "int64"},
    "clip": {"min": 1.0, "max": 2.0},
}
#: The array of a method, where it is not SQUARE.
OPERANDS = {"choose": np.eye(3, dtype=int), "searchsorted": np.arange(3.0)}
DRAWS: dict[str, dict[str, Any]] = {
    "beta": {"a": 1.0, "b": 2.0}, "binomial": {"n": 3, "p": 0.5}, "bytes": {"length": 3}, "chisquare": {"df": 2.0},
    "choice": {"a": 5}, "dirichlet": {"alpha": [1.0, 2.0]}, "f": {"dfnum": 2.0, "dfden": 3.0},
    "gamma": {"shape": 2.0}, "geometric": {"p": 0.5}, "hypergeometric": {"ngood": 3, "nbad": 4, "nsample": 2},
    "integers": {"low": 5}, "logseries": {"p": 0.5},
    "multinomial": {"n": 3, "pvals": [0.25, 0.75]},
    "multivariate_normal": {"mean": [0.0, 1.0], "cov": [[1.0, 0.0], [0.0, 1.0]]},
    "negative_binomial": {"n": 3, "p": 0.5}, "noncentral_chisquare": {"df": 2.0, "nonc": 1.0},
    "noncentral_f": {"dfnum": 2.0, "dfden": 3.0, "nonc": 1.0}, "pareto": {"a": 2.0},
    "permutation": {"x": SQUARE}, "permuted": {"x": SQUARE}, "power": {"a": 2.0}, "shuffle": {"x": SQUARE},
    "spawn": {"n_children": 2}, "standard_gamma": {"shape": 2.0}, "standard_t": {"df": 3.0},
    "triangular": {"left": 0.0, "mode": 1.0, "right": 2.0}, "vonmises": {"mu": 0.0, "kappa": 1.0},
    "wald": {"mean": 1.0, "scale": 1.0}, "weibull": {"a": 2.0}, "zipf": {"a": 2.0},
}  # fmt: skip


def _methods_of(owner: type) -> list[str]:
    names = []
    for name in dir(owner):
        plain = inspect.getattr_static(owner, name)
        if name.startswith("_") or isinstance(plain, property) or inspect.isgetsetdescriptor(plain):
            continue
        if callable(getattr(owner, name, None)):
            names.append(name)
    return names


def _moved(value: Any, home: str) -> Any:
    return mapped(value, lambda x: to_device(home, x))


def _standard(module: Any, name: str) -> BaseCall:
    function = getattr(module, name)

    def make(home: str) -> tuple[Callable[..., Any], dict[str, Any]]:
        if name in FURTHER:
            return function, FURTHER[name](home)
        return function, right_arguments(name, function, home)

    return BaseCall(name, inspect.signature(function), make)


def _extra_function(name: str) -> BaseCall:
    function = getattr(sk, name)
    signature = inspect.signature(function)
    stated = next(call for call in all_calls()[name] if call.raises is None)

    def make(home: str) -> tuple[Callable[..., Any], dict[str, Any]]:
        args, kwargs = stated.move_arguments(home)
        named = dict(signature.bind(*args, **kwargs).arguments)
        for parameter in signature.parameters.values():
            if parameter.kind is parameter.VAR_POSITIONAL and parameter.name in named:
                named[parameter.name] = list(named[parameter.name])
        return function, named

    return BaseCall(name, signature, make)


def _method(name: str) -> BaseCall:
    def make(home: str) -> tuple[Callable[..., Any], dict[str, Any]]:
        x = to_device(home, OPERANDS.get(name, SQUARE))
        return getattr(x, name), _moved(METHODS.get(name, {}), home)

    parameters = list(inspect.signature(getattr(sk.Array, name)).parameters.values())[1:]
    return BaseCall(name, inspect.Signature(parameters), make)


def _draw(name: str) -> BaseCall:
    def make(home: str) -> tuple[Callable[..., Any], dict[str, Any]]:
        rng = sk.random.default_rng(1, home)
        return getattr(rng, name), _moved(DRAWS.get(name, {}), home)

    parameters = list(inspect.signature(getattr(sk.random.Generator, name)).parameters.values())[1:]
    return BaseCall(name, inspect.Signature(parameters), make)


@functools.cache
def base_calls() -> dict[str, BaseCall]:
    """Return the calls by public function name. KeyError for a function without a valid call."""
    calls = {}
    for name in STANDARD_NAMES:
        attribute = getattr(sk, name)
        is_dtype = inspect.isclass(attribute) and issubclass(attribute, np.generic)
        if callable(attribute) and not is_dtype and name not in NOT_WALKED:
            calls[f"skerry.{name}"] = _standard(sk, name)
    for module in (sk.linalg, sk.fft):
        functions = [x for x in module.__all__ if not inspect.isclass(getattr(module, x))]
        calls |= {f"{module.__name__}.{name}": _standard(module, name) for name in functions}
    separate_tests = tested_apart()
    calls |= {
        f"skerry.{name}": _extra_function(name)
        for name in _extra.__all__
        if name not in separate_tests
    }
    calls |= {f"Array.{name}": _method(name) for name in _methods_of(sk.Array)}
    calls |= {f"Generator.{name}": _draw(name) for name in _methods_of(sk.random.Generator)}
    return calls
