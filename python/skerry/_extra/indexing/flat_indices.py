# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Indices of the flattened array."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

import skerry as sk
from skerry import _core
from skerry._core import Array
from skerry._extra._operands import as_arrays, cast
from skerry._extra.indexing._bounds import INT64, within

__all__ = ["ravel_multi_index", "unravel_index"]

LARGEST = np.iinfo(np.int64).max


def unravel_index(indices: Any, shape: int | Sequence[int], order: str = "C") -> tuple[Array, ...]:
    """Return the indices of positions of the flattened array.

    Reads from the device whether all positions lie within: the call waits for it.

    Parameters
    ----------
    indices : Array or int
        Places, from 0 on.
    shape : int or tuple of int
        Of the array.
    order : {"C", "F"}, default "C"
        Whether the last axis runs fastest, or the first.

    Returns
    -------
    tuple of Array
        Indices of int64, an array for each axis; of an int on the default device.

    Raises
    ------
    ValueError
        For a place beyond the end.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.unravel_index(sk.asarray([5, 2]), (2, 3))
    (Array([1, 0], dtype=int64, device='cpu:0'), Array([2, 2], dtype=int64, device='cpu:0'))

    """
    if order == "C" and type(shape) is tuple:
        fast_result: tuple[Array, ...] | None = _core.unravel_index(indices, shape)
        if fast_result is not None:
            return fast_result
    lengths = _lengths("unravel_index", "shape", shape)
    _require_order("unravel_index", order)
    positions = _integers("unravel_index", indices)
    n = math.prod(lengths)
    if not _core.lie_below(positions, n):
        raise ValueError(f"unravel_index: an index is out of bounds for shape {lengths}; below {n}")
    result = _core.unravel_indices(positions, lengths if order == "C" else lengths[::-1])
    return result if order == "C" else result[::-1]


def ravel_multi_index(
    multi_index: Sequence[Any],
    dims: Sequence[int],
    mode: str | Sequence[str] = "raise",
    order: str = "C",
) -> Array:
    """Return the positions in the flattened array of indices.

    Parameters
    ----------
    multi_index : tuple of Array
        Integers, an array for each axis; they broadcast.
    dims : tuple of int
        The shape.
    mode : {"raise", "wrap", "clip"} or a tuple of them, default "raise"
        What an index beyond an axis means. "raise" reads from the device whether there is one: the call waits.
    order : {"C", "F"}, default "C"
        Whether the last axis runs fastest, or the first.

    {Returns: int64}

    Raises
    ------
    {DeviceMismatchError}
    ValueError
        For an index beyond its axis.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.ravel_multi_index((sk.asarray([1, 0]), sk.asarray([2, 2])), (2, 3))
    Array([5, 2], dtype=int64, device='cpu:0')

    """
    if isinstance(multi_index, Array):
        multi_index = sk.unstack(multi_index)
    lengths = _lengths("ravel_multi_index", "dims", dims)
    if order == "C" and mode == "raise":
        fast_result: Array | None = _core.ravel_indices(tuple(multi_index), lengths)
        if fast_result is not None:
            return fast_result
    _require_order("ravel_multi_index", order)
    modes = (mode,) * len(lengths) if isinstance(mode, str) else tuple(mode)
    if not len(multi_index) == len(lengths) == len(modes):
        raise ValueError(
            f"ravel_multi_index: {len(multi_index)} arrays and {len(modes)} modes for"
            f" {len(lengths)} axes; give one for each axis"
        )
    parts = as_arrays("ravel_multi_index", *multi_index)
    axes = list(zip(parts, lengths, modes, strict=True))
    return _positions(axes if order == "C" else axes[::-1])


def _positions(axes: list[tuple[Array, int, str]]) -> Array:
    """Places in the flattened array, from the slowest axis to the fastest."""
    total: Array | None = None
    for part, n, mode in axes:
        index = within("ravel_multi_index", part, n, mode)
        total = index if total is None else total * n + index
    assert total is not None
    return total


def _lengths(name: str, parameter: str, shape: Any) -> tuple[int, ...]:
    """Return the shape of an array whose places int64 can tell."""
    extents = tuple(shape) if isinstance(shape, Iterable) else (shape,)
    lengths = tuple(map(operator.index, extents))
    if min(lengths, default=0) < 0:
        raise ValueError(f"{name}: {parameter} has a negative length: {lengths}")
    if math.prod(lengths) > LARGEST:
        raise ValueError(f"{name}: {parameter} is of more elements than int64 can count: {lengths}")
    return lengths


def _require_order(name: str, order: str) -> None:
    if order not in ("C", "F"):
        raise ValueError(f"{name}: order {order!r} is not known; it is C or F")


def _integers(name: str, values: Any) -> Array:
    if isinstance(values, Array) and values.dtype is INT64:
        return values
    positions = sk.asarray(values) if isinstance(values, int) else as_arrays(name, values)[0]
    if positions.dtype.kind not in "iu":
        raise TypeError(
            f"{name}: indices must be integers, not {positions.dtype}; convert by astype"
        )
    return cast(positions, INT64)
