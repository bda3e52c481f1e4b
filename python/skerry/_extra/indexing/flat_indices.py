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
from skerry._arrays import shown
from skerry._core import Array
from skerry._data_types import kind_of
from skerry._extra._operands import as_arrays, cast
from skerry._extra.indexing._bounds import INT64, within
from skerry.exceptions import DTypeError

__all__ = ["ravel_multi_index", "unravel_index"]

LARGEST = np.iinfo(np.int64).max


def unravel_index(
    indices: Any, shape: int | Sequence[int], order: str | None = "C"
) -> tuple[Array, ...]:
    """Convert flat indices to tuples of coordinates.

    Whether the indices are in bounds is read from the device: the call waits for it.

    Parameters
    ----------
    indices : Array or int
        Flat indices, from 0.
    shape : int or tuple of int
        Shape of the array.
    order : {"C", "F"}, default "C"
        Whether the last axis ("C") or the first ("F") varies fastest.

    Returns
    -------
    tuple of Array
        One array of int64 indices for each axis; on the default device if ``indices`` is an int.

    Raises
    ------
    ValueError
        If a position is out of bounds for the shape.

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
    order = _known_order("unravel_index", order)
    positions = _integers("unravel_index", indices)
    n = math.prod(lengths)
    if not _core.lie_below(positions, n):
        raise ValueError(
            f"unravel_index: indices are out of bounds for shape {lengths} of {n} elements"
        )
    result = _core.unravel_indices(positions, lengths if order == "C" else lengths[::-1])
    return result if order == "C" else result[::-1]


def ravel_multi_index(
    multi_index: Sequence[Any],
    dims: Sequence[int],
    mode: str | Sequence[str] = "raise",
    order: str | None = "C",
) -> Array:
    """Convert tuples of coordinates to flat indices.

    Parameters
    ----------
    multi_index : tuple of Array
        One integer array for each axis; they are broadcast.
    dims : tuple of int
        Shape of the array.
    mode : {"raise", "wrap", "clip"} or a tuple of them, default "raise"
        How to handle out-of-bounds indices. "raise" checks them, which reads from the device: the call waits.
    order : {"C", "F"}, default "C"
        Whether the last axis ("C") or the first ("F") varies fastest.

    {Returns: int64}

    Raises
    ------
    {DeviceMismatchError}
    ValueError
        If an index is out of bounds and ``mode`` is "raise".

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
    order = _known_order("ravel_multi_index", order)
    modes = (mode,) * len(lengths) if isinstance(mode, str) else tuple(mode)
    if not len(multi_index) == len(lengths) == len(modes):
        raise ValueError(
            f"ravel_multi_index: multi_index has {len(multi_index)} arrays and mode {len(modes)} modes for"
            f" {len(lengths)} axes of dims; pass one for each axis"
        )
    parts = as_arrays("ravel_multi_index", *multi_index)
    axes = list(zip(parts, lengths, modes, strict=True))
    return _positions(axes if order == "C" else axes[::-1])


def _positions(axes: list[tuple[Array, int, str]]) -> Array:
    """Combine indices, ordered from the slowest axis to the fastest, to flat indices."""
    total: Array | None = None
    for part, n, mode in axes:
        index = within("ravel_multi_index", "multi_index", part, n, mode)
        total = index if total is None else total * n + index
    assert total is not None
    return total


def _lengths(name: str, parameter: str, shape: Any) -> tuple[int, ...]:
    """Return the shape as a tuple; raise if int64 can't count its elements."""
    extents = tuple(shape) if isinstance(shape, Iterable) else (shape,)
    lengths = tuple(map(operator.index, extents))
    if min(lengths, default=0) < 0:
        raise ValueError(f"{name}: {parameter} has a negative length: {lengths}")
    if math.prod(lengths) > LARGEST:
        raise ValueError(f"{name}: {parameter} has more elements than int64 can count: {lengths}")
    return lengths


def _known_order(name: str, order: str | None) -> str:
    """Return "C" or "F"; NumPy also takes lower case, and None for "C"."""
    normalized = "C" if order is None else order.upper() if isinstance(order, str) else ""
    if normalized not in ("C", "F"):
        raise ValueError(f"{name}: unknown order: {shown(order)}; use 'C' or 'F'")
    return normalized


def _integers(name: str, values: Any) -> Array:
    if isinstance(values, Array) and values.dtype is INT64:
        return values
    positions = sk.asarray(values) if isinstance(values, int) else as_arrays(name, values)[0]
    if kind_of(positions.dtype) not in "iu":
        raise DTypeError(
            f"{name}: indices must be integers, not {positions.dtype}; convert with astype"
        )
    return cast(positions, INT64)
