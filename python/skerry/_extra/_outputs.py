# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""The arguments out=, casting=, dtype= and order= of NumPy's functions."""

from __future__ import annotations

from typing import Any

import numpy as np

import skerry as sk
from skerry import _core
from skerry._core import Array
from skerry._extra._operands import Arrays, cast
from skerry.exceptions import DTypeError, ReadOnlyError, ShapeError

_ORDERS = ("K", "A", "C", "F")
_CASTINGS = ("no", "equiv", "safe", "same_kind", "unsafe")


def output_argument(name: str, out: Any, *arrays: Array) -> Array | None:
    """Return the array to store a result in, or None. A tuple of one array is accepted, as in NumPy's ufuncs.

    Raises
    ------
    DeviceMismatchError, ReadOnlyError, TypeError
        If it is on another device than the operands, read-only, or not an array.

    """
    if isinstance(out, tuple) and len(out) == 1:
        out = out[0]
    if out is None:
        return None
    if isinstance(out, np.ndarray):
        out = sk.asarray(out, device="cpu:0", copy=False)
    if not isinstance(out, Array):
        raise TypeError(f"{name}: out must be an Array, not {type(out).__name__}")
    _core.require_one_device(name, (*arrays, out))
    if not _core.is_writable(out):
        raise ReadOnlyError(f"{name}: out is read-only: {_described(out)}; pass a copy of it")
    return out


def stored(name: str, result: Array, out: Array | None, casting: str | None = None) -> Array:
    """Copy a result into ``out`` and return that; return the result if ``out`` is None.

    The result is in memory of its own, so ``out`` may overlap the operands. ``casting`` is None for functions without
    such a parameter: they cast dtypes of the same kind.

    Raises
    ------
    DTypeError, ShapeError
        If the dtypes don't cast by the rule ``casting``, or the shapes differ. ``out`` is unchanged then.

    """
    if out is None:
        return result
    if out.shape != result.shape:
        raise ShapeError(f"{name}: out has shape {out.shape}, but the result {result.shape}")
    if casting is not None:
        require_cast(name, "the result", result.dtype, "out", out.dtype, casting)
    elif not np.can_cast(result.dtype, out.dtype, "same_kind"):
        raise DTypeError(
            f"{name}: the result is {result.dtype}, which does not cast to the {out.dtype} of out; "
            f"create out with dtype={result.dtype}"
        )
    out[...] = _converted(result, out.dtype)
    return out


def _converted(x: Array, dtype: np.dtype[Any]) -> Array:
    """Convert to a dtype that the rule allows; the imaginary part is dropped for a real one."""
    return cast(sk.real(x) if x.dtype.kind == "c" != dtype.kind else x, dtype)


def require_cast(
    name: str, source_name: str, source: Any, target_name: str, target: Any, casting: str
) -> None:
    """Raise DTypeError unless a dtype casts to another by a rule of ``numpy.can_cast``."""
    if not np.can_cast(source, target, casting):  # type: ignore[arg-type]  # checked by NumPy
        raise DTypeError(
            f"{name}: {source_name} is {source}, which does not cast to the {target} of {target_name} by "
            f"casting={casting!r}; use casting='unsafe' or astype"
        )


def computed_as(name: str, dtype: Any, casting: str, *arrays: Array) -> Arrays:
    """Convert the operands to the dtype of the computation, if one is requested."""
    if casting not in _CASTINGS:
        raise ValueError(f"{name}: casting must be one of {', '.join(_CASTINGS)}, not {casting!r}")
    if dtype is None:
        return arrays
    target = np.dtype(dtype)
    for i, x in enumerate(arrays):
        require_cast(name, f"operand {i + 1}", x.dtype, "dtype=", target, casting)
    return [_converted(x, target) for x in arrays]


def ordered(name: str, result: Array, order: str) -> Array:
    """Return a result in the memory order that is requested: a new array in C order unless ``order`` is 'F'."""
    if isinstance(order, str):
        order = order.upper()
    if order not in _ORDERS:
        raise ValueError(f"{name}: order must be 'K', 'A', 'C' or 'F', not {order!r}")
    if order == "F":
        axes = tuple(reversed(range(result.ndim)))
        return sk.permute_dims(_in_c_order(sk.permute_dims(result, axes)), axes)
    return _in_c_order(result) if order == "C" else result


def _in_c_order(x: Array) -> Array:
    """Return the array itself, or a copy in C order."""
    stride = x.dtype.itemsize
    for length, own_stride in zip(reversed(x.shape), reversed(x.strides), strict=True):
        if length > 1 and own_stride != stride:
            result = sk.empty(x.shape, dtype=x.dtype, device=x.device)
            result[...] = x
            return result
        stride *= length
    return x


def _described(x: Array) -> str:
    return f"{x.dtype} {x.shape}"
