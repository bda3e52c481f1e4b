# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""A valid call of every function of the standard; the device of each operand is chosen when the call is made.

The arguments follow from the names of the parameters. ``ARGUMENTS`` has those names, ``SPECIFIC`` the functions that
need others, ``FURTHER_CALLS`` calls with arrays for optional parameters.
"""

import dataclasses
import inspect
import itertools
from collections.abc import Iterator
from typing import Any

from .standard import Function


@dataclasses.dataclass(frozen=True)
class Operand:
    """An array to be created on a device: nested lists and the name of a dtype."""

    values: Any
    dtype: str = "float32"


@dataclasses.dataclass(frozen=True)
class Dtype:
    """A dtype of the library's namespace, by name."""

    name: str


@dataclasses.dataclass(frozen=True)
class Call:
    """A function with arguments; arguments may be operands or lists of them."""

    function: Function
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    variant: str = ""

    def __str__(self) -> str:
        return f"{self.function}({self.variant})" if self.variant else str(self.function)


# Symmetric and positive definite, so that cholesky and eigh take it.
MATRIX = Operand([[4.0, 1.0], [1.0, 3.0]])
VECTOR = Operand([1.0, 2.0, 3.0])
INTEGERS = Operand([[4, 1], [1, 3]], "int32")
BOOLEANS = Operand([[True, False], [False, True]], "bool")
COMPLEX = Operand([[4.0, 1.0], [1.0, 3.0]], "complex64")
INDICES = Operand([0, 1], "int32")

ARGUMENTS = {
    "x": MATRIX,
    "x1": MATRIX,
    "x2": MATRIX,
    "condition": BOOLEANS,
    "arrays": [MATRIX, MATRIX],
    "obj": [[4.0, 1.0], [1.0, 3.0]],
    "indices": INDICES,
    "shape": (2, 2),
    "axis": 0,
    "axes": (1, 0),
    "dtype": Dtype("float32"),
    "n": 2,
    "n_rows": 2,
    "num": 3,
    "start": 0,
    "stop": 3,
    "fill_value": 1.5,
    "repeats": 2,
    "repetitions": (2, 1),
    "shift": 1,
    "source": 0,
    "destination": 1,
}
SPECIFIC = {
    **{key: {"x1": INTEGERS, "x2": INTEGERS} for key in ["bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_left_shift", "bitwise_right_shift"]},
    "bitwise_invert": {"x": INTEGERS},
    **{key: {"x1": BOOLEANS, "x2": BOOLEANS} for key in ["logical_and", "logical_or", "logical_xor"]},
    "logical_not": {"x": BOOLEANS},
    **{key: {"x": COMPLEX} for key in ["conj", "imag", "real"]},
    **{key: {"x": COMPLEX} for key in ["fft", "ifft", "fftn", "ifftn", "irfft", "irfftn", "hfft"]},
    "arange": {"stop": 3},
    "meshgrid": {"arrays": [VECTOR, VECTOR]},
    "squeeze": {"x": Operand([[1.0, 2.0]])},
    "take": {"axis": 0},
    "take_along_axis": {"indices": Operand([[0, 1], [1, 0]], "int32"), "axis": 0},
    "searchsorted": {"x1": VECTOR, "x2": VECTOR},
    **{key: {"x": VECTOR} for key in ["cumulative_sum", "cumulative_prod", "unique_all", "unique_counts", "unique_inverse", "unique_values", "repeat"]},
    **{key: {"x1": VECTOR, "x2": VECTOR} for key in ["cross", "outer"]},
    "tensordot": {"axes": 1},
    "matrix_power": {"n": 2},
    "fftfreq": {"n": 4},
    "rfftfreq": {"n": 4},
}  # fmt: skip
FURTHER_CALLS = {
    "clip": [{"min": Operand([[1.0, 1.0], [1.0, 1.0]]), "max": Operand([[3.0, 3.0], [3.0, 3.0]])}],
    "repeat": [{"repeats": Operand([1, 2, 1], "int32")}],
    "searchsorted": [{"sorter": Operand([0, 1, 2], "int32")}],
    "diff": [{"prepend": MATRIX, "append": MATRIX}],
    "matrix_rank": [{"rtol": Operand(0.5)}],
    "pinv": [{"rtol": Operand(0.5)}],
    "concat": [{"axis": None}],
}


def make_call(function: Function, changes: dict[str, Any], variant: str = "") -> Call:
    values = {**SPECIFIC.get(function.name, {}), **changes}
    args: list[Any] = []
    kwargs: dict[str, Any] = {}
    for name, parameter in function.signature.parameters.items():
        if name not in values and parameter.default is not inspect.Parameter.empty:
            continue
        value = values[name] if name in values else ARGUMENTS[name]
        if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
            args.extend(value)
        elif (
            parameter.kind is inspect.Parameter.KEYWORD_ONLY
            or parameter.default is not inspect.Parameter.empty
        ):
            kwargs[name] = value
        else:
            args.append(value)
    return Call(function, tuple(args), kwargs, variant)


def calls_of(function: Function) -> list[Call]:
    """Return the plain call of a function, then those with arrays for optional parameters."""
    further = [
        make_call(function, changes, ", ".join(changes))
        for changes in FURTHER_CALLS.get(function.name, [])
    ]
    return [make_call(function, {}), *further]


def with_operands(call: Call, shape: str) -> Call:
    """Return a call with all operands replaced by 0-d (``scalar``) or zero-size (``empty``) ones of their dtypes."""

    def replace(value: Any) -> Any:
        if isinstance(value, Operand):
            element: Any = value.values
            while isinstance(element, list):
                element = element[0]
            return Operand(element if shape == "scalar" else [], value.dtype)
        return [replace(item) for item in value] if isinstance(value, list) else value

    return Call(
        call.function,
        tuple(map(replace, call.args)),
        {k: replace(v) for k, v in call.kwargs.items()},
        shape,
    )


def operands(value: Any) -> Iterator[Operand]:
    """Yield the operands among arguments, in the order in which ``arrange`` takes their devices."""
    if isinstance(value, Operand):
        yield value
    elif isinstance(value, Call):
        yield from operands([*value.args, *value.kwargs.values()])
    elif isinstance(value, list | tuple):
        yield from itertools.chain.from_iterable(map(operands, value))


def arrange(library: Any, call: Call, devices: Iterator[Any]) -> tuple[list[Any], dict[str, Any]]:
    """Create the operands of a call, each on the next device; return the arguments."""

    def create(value: Any) -> Any:
        if isinstance(value, Operand):
            return library.array(value.values, value.dtype, next(devices))
        if isinstance(value, Dtype):
            return getattr(library.namespace, value.name)
        return [create(item) for item in value] if isinstance(value, list) else value

    return [create(value) for value in call.args], {k: create(v) for k, v in call.kwargs.items()}
