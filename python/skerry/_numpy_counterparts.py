# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""skerry's counterparts of NumPy's functions.

Functions that NumPy has under their name in the array API standard are found by that name (``np.concat`` is
``np.concatenate``, ``np.acos`` is ``np.arccos``). ``OTHER_NAMES`` adds functions that have only an older name in NumPy.
The functions below are for those whose arguments have another meaning; they take NumPy's parameters, as far as skerry
supports them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import skerry as sk
from skerry import _data_types
from skerry._data_types import kind_of

Function = Callable[..., Any]
Array = sk.Array

# NumPy's name of a parameter -> skerry's.
PARAMETERS = {"ddof": "correction"}
# Parameters that don't affect values: of sorting and set functions, memory order, subclasses, pickled objects.
HINTS = {"allow_pickle", "assume_unique", "kind", "order", "subok"}

OTHER_NAMES = {"amax": "max", "amin": "min", "rint": "round", "round": "around"}

FUNCTIONS: dict[Any, Function] = {}
UFUNCS: dict[np.ufunc, Function] = {}


def _find_by_name(theirs: Any, ours: Any) -> None:
    names = {name: name for name in ours.__all__ if not name.startswith("_")}
    if ours is sk:
        names.update(OTHER_NAMES)
    for name, our_name in names.items():
        numpy_function, target = getattr(theirs, name, None), getattr(ours, our_name)
        if isinstance(numpy_function, np.ufunc):
            UFUNCS[numpy_function] = target
        elif target is not numpy_function and hasattr(numpy_function, "_implementation"):
            # NEP 18 dispatches it.
            FUNCTIONS[numpy_function] = target


_find_by_name(np, sk)
_find_by_name(np.lib.stride_tricks, sk.lib.stride_tricks)
_find_by_name(np.linalg, sk.linalg)
_find_by_name(np.fft, sk.fft)


def replaces(*names: str) -> Callable[[Function], Function]:
    """Register a function as the counterpart of the named NumPy functions that this NumPy version has."""

    def declare(function: Function) -> Function:
        for name in names:
            numpy_function: Any = np
            for part in name.split("."):
                numpy_function = getattr(numpy_function, part, None)
            if numpy_function is not None:
                FUNCTIONS[numpy_function] = function
        return function

    return declare


# Selection.


@replaces("where")
def where(condition: Array, x: Any = None, y: Any = None) -> Any:
    return sk.where(condition, x, y)


# Shapes.


@replaces("tile")
def tile(A: Array, reps: int | Sequence[int]) -> Array:  # noqa: N803 - NumPy's name
    return sk.tile(A, (reps,) if isinstance(reps, int) else tuple(reps))


def at_least(x: Array, rank: int) -> Array:
    return x if x.ndim >= rank else sk.reshape(x, (1,) * (rank - x.ndim) + x.shape)


@replaces("meshgrid")
def meshgrid(
    *xi: Array, copy: bool = True, sparse: bool = False, indexing: str = "xy"
) -> tuple[Array, ...]:
    return sk.meshgrid(*xi, copy=copy, sparse=sparse, indexing=indexing)


# Arithmetic.


@replaces("clip")
def clip(
    a: Array, a_min: Any = None, a_max: Any = None, *, min: Any = None, max: Any = None
) -> Array:
    return sk.clip(a, a_min if min is None else min, a_max if max is None else max)


def _broadcast_edge(x: Array, value: Any, axis: int) -> Any:
    """Expand a scalar that ``diff`` is to prepend or append to an array with one element per row."""
    if value is np._NoValue:
        return None
    if isinstance(value, Array):
        if value.ndim:
            return value
    elif np.ndim(value):
        return value
    shape = tuple(1 if i == axis % x.ndim else n for i, n in enumerate(x.shape))
    return sk.full(shape, value, dtype=sk.result_type(x, value), device=x.device)


@replaces("diff")
def diff(
    a: Array,
    n: int = 1,
    axis: int = -1,
    prepend: Any = np._NoValue,
    append: Any = np._NoValue,
) -> Array:
    prefix, suffix = (_broadcast_edge(a, value, axis) for value in (prepend, append))
    return sk.diff(a, axis=axis, n=n, prepend=prefix, append=suffix)


# Functions that read no elements.


replaces("shape")(lambda a: a.shape)
replaces("ndim")(lambda a: a.ndim)


@replaces("size")
def size(a: Array, axis: Any = None) -> int:
    axes = range(a.ndim) if axis is None else (axis,) if isinstance(axis, int) else axis
    return math.prod(a.shape[i] for i in axes)


replaces("iscomplexobj")(lambda x: kind_of(x.dtype) == "c")
replaces("isrealobj")(lambda x: kind_of(x.dtype) != "c")


@replaces("can_cast")
def can_cast(from_: Any, to: Any, casting: str = "safe") -> bool:
    """Apply NumPy's rule to the dtypes."""
    source, target = (
        x.dtype if isinstance(x, Array) else _data_types.as_dtype(x) for x in (from_, to)
    )
    return _data_types.can_cast(source, target, casting)


replaces("array_repr", "array_str")(lambda a: repr(a))
