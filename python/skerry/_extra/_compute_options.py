# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""The arguments casting=, dtype= and order= of NumPy's functions."""

from __future__ import annotations

from typing import Any

import skerry as sk
from skerry._core import Array
from skerry._data_types import as_dtype
from skerry._extra._operands import Arrays
from skerry._outputs import converted, require_cast

_ORDERS = ("K", "A", "C", "F")
_CASTINGS = ("no", "equiv", "safe", "same_kind", "unsafe")


def computed_as(name: str, dtype: Any, casting: str, *arrays: Array) -> Arrays:
    """Convert the operands to the dtype of the computation, if one is requested."""
    if casting not in _CASTINGS:
        raise ValueError(f"{name}: casting must be one of {', '.join(_CASTINGS)}, not {casting!r}")
    if dtype is None:
        return arrays
    target = as_dtype(dtype)
    for i, x in enumerate(arrays):
        require_cast(name, f"operand {i + 1}", x.dtype, "dtype=", target, casting)
    return [converted(x, target) for x in arrays]


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
