# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""``reduce``, ``accumulate``, ``outer`` and ``at`` of NumPy's ufuncs on arrays of any device.

Methods without a function in skerry are composed of elementwise calls: of log2(n) calls for associative ufuncs, of
one call per element for others.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import skerry as sk
from skerry import _core
from skerry import _numpy_counterparts as counterparts
from skerry._arrays import Array, Function
from skerry._numpy_host import NoCounterpartError

ASSOCIATIVE = {
    np.add, np.multiply, np.maximum, np.minimum, np.bitwise_and, np.bitwise_or, np.bitwise_xor,
    np.logical_and, np.logical_or, np.logical_xor, np.logaddexp, np.hypot,
}  # fmt: skip
#: The ufunc that combines successive right operands: a - b - c is a - (b + c).
JOINED_BY = {ufunc: ufunc for ufunc in ASSOCIATIVE} | {np.subtract: np.add}


#: Ufuncs with a scatter kernel. The result must have the array's dtype, which may be complex for the first three.
SCATTERED = {
    np.add, np.subtract, np.multiply, np.minimum, np.maximum, np.bitwise_and, np.bitwise_or, np.bitwise_xor,
}  # fmt: skip


def function_of(name: str, ufunc: np.ufunc, inputs: int = 2) -> Function:
    """Return skerry's function for a ufunc with that many inputs."""
    function = counterparts.UFUNCS.get(ufunc)
    if function is None or ufunc.nin != inputs or ufunc.signature is not None:
        raise NoCounterpartError(f"{name}: skerry has no counterpart")
    return function


def _tree(function: Function, x: Array) -> Array:
    """Fold the first axis by an associative function: combine the two halves until one element is left."""
    while (n := x.shape[0]) > 1:
        half = n // 2
        paired = function(x[:half], x[half : 2 * half])
        x = sk.concat([paired, x[2 * half :]]) if n % 2 else paired
    return x[0]


def _fold_first(name: str, ufunc: np.ufunc, x: Array) -> Array:
    function = function_of(name, ufunc)
    n = x.shape[0]
    if n == 0:
        if ufunc.identity is None:
            raise ValueError(f"{name}: no elements to reduce, and {ufunc.__name__} has no identity")
        return sk.full(x.shape[1:], ufunc.identity, dtype=x.dtype, device=x.device)
    if n == 1:
        return x[0].copy()
    if ufunc in ASSOCIATIVE:
        return _tree(function, x)
    if ufunc in JOINED_BY:
        x = sk.stack([x[0], _tree(function_of(name, JOINED_BY[ufunc]), x[1:])])
        n = 2
    result: Array = x[0]
    for i in range(1, n):
        result = function(result, x[i])
    return result


def reduce(name: str, ufunc: np.ufunc, x: Array, axis: Any = 0, keepdims: bool = False) -> Array:
    """Reduce axes by a ufunc without a reduction in skerry."""
    axes = tuple(range(x.ndim)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    axes = tuple(sorted(i % x.ndim for i in axes))
    if len(axes) > 1 and ufunc not in ASSOCIATIVE:
        raise ValueError(f"{name}: not associative, so it reduces one axis, not {axes}")
    for i in reversed(axes):
        x = _fold_first(name, ufunc, sk.moveaxis(x, i, 0))
    return sk.expand_dims(x, axes) if keepdims and axes else x


def accumulate(name: str, ufunc: np.ufunc, x: Array, axis: int = 0) -> Array:
    """Scan along an axis by a ufunc without a scan in skerry."""
    function = function_of(name, ufunc)
    x = sk.moveaxis(x, axis, 0)
    if ufunc in ASSOCIATIVE:
        step = 1
        while step < x.shape[0]:
            x = sk.concat([x[:step], function(x[:-step], x[step:])])
            step *= 2
    elif x.shape[0] > 1:
        rows = [x[0]]
        for i in range(1, x.shape[0]):
            rows.append(function(rows[-1], x[i]))
        x = sk.stack(rows)
    return sk.moveaxis(x, 0, axis).copy()


def outer(name: str, ufunc: np.ufunc, x1: Any, x2: Any) -> Any:
    """Apply a ufunc to all pairs of elements."""
    return function_of(name, ufunc)(*counterparts.against_each_other(x1, x2))


def at(name: str, ufunc: np.ufunc, x: Array, indices: Any, *values: Any) -> None:
    """Compute ``x[indices] = ufunc(x[indices], values)`` unbuffered: repeated indices are applied repeatedly.

    Some ufuncs have a kernel. The others wait for the device: the largest number of repetitions of an index decides the
    number of steps.
    """
    function = function_of(name, ufunc, 1 + len(values))
    positions = sk.reshape(sk.arange(x.size, device=x.device), x.shape)[indices]
    flat_values = None
    if values and _has_kernel(ufunc, x, values[0]):
        _core.scatter_reduce(ufunc.__name__, x, positions, values[0])
        return
    if values:
        value = values[0]
        if not isinstance(value, Array):
            value = sk.asarray(value, dtype=x.dtype, device=x.device)
        flat_values = sk.reshape(sk.broadcast_to(value, positions.shape), (-1,))
    scatter(ufunc, function, x, sk.reshape(positions, (-1,)), flat_values)


def _has_kernel(ufunc: np.ufunc, x: Array, value: Any) -> bool:
    real = x.dtype.kind in "iuf" or ufunc in (np.add, np.subtract, np.multiply)
    if ufunc not in SCATTERED or x.dtype.kind == "b" or not real:
        return False
    return bool(sk.result_type(x, value) == x.dtype)


def scatter(
    ufunc: np.ufunc, function: Function, x: Array, positions: Array, values: Array | None
) -> None:
    """Combine values with the elements of ``x`` at flat indices in C order, which may repeat."""
    n = positions.shape[0]
    if n == 0:
        return
    order = sk.argsort(positions)
    positions = sk.take(positions, order)
    is_first = sk.ones((n,), dtype=sk.bool, device=x.device)
    is_first[1:] = positions[1:] != positions[:-1]
    first = sk.nonzero(is_first)[0]
    group = sk.cumulative_sum(sk.astype(is_first, sk.int64)) - 1
    rank = sk.arange(n, device=x.device) - sk.take(first, group)
    most = int(sk.max(rank)) + 1
    flat = sk.reshape(x, (-1,))
    if values is not None:
        values = sk.take(values, order)
        if ufunc in JOINED_BY:
            joined = _join_groups(counterparts.UFUNCS[JOINED_BY[ufunc]], values, group, most)
            is_last = sk.concat([is_first[1:], sk.ones((1,), dtype=sk.bool, device=x.device)])
            positions, values, most = positions[is_last], joined[is_last], 1
            rank = sk.zeros_like(positions)
    for i in range(most):
        chosen = sk.nonzero(rank == i)[0]
        selected_positions = sk.take(positions, chosen)
        operands = () if values is None else (sk.take(values, chosen),)
        flat[selected_positions] = function(flat[selected_positions], *operands)
    if not _is_view(x):
        x[...] = sk.reshape(flat, x.shape)


def _join_groups(function: Function, values: Array, group: Array, most: int) -> Array:
    """Scan each group of equal positions; the last element of a group has the combined value."""
    step = 1
    while step < most:
        together = group[step:] == group[:-step]
        joined = sk.where(together, function(values[:-step], values[step:]), values[step:])
        values = sk.concat([values[:step], joined])
        step *= 2
    return values


def _is_view(x: Array) -> bool:
    """Return whether a reshape to one axis is a view of ``x``."""
    try:
        sk.reshape(x, (-1,), copy=False)
    except ValueError:
        return False
    return True
