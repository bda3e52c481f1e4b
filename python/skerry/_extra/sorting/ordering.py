# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Sorting: orders and partitions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import skerry as sk
from skerry import _core
from skerry._core import Array
from skerry._extra._operands import as_arrays

__all__ = ["argpartition", "lexsort", "partition", "topk"]


class TopKResult(NamedTuple):
    """The items that ``topk`` found, and their indices."""

    values: Array
    indices: Array


def topk(x: Array, k: int, /, *, axis: int = -1, largest: bool = True) -> TopKResult:
    """Find the k greatest elements along an axis, or the k least ones, in order.

    Equal elements come in the order of their indices, the lowest first. NaN is the greatest, as for ``sort``; -0 and +0
    are equal. Takes about as long as reading x a few times, where k is much less than the size of the axis.

    Parameters
    ----------
    x : Array
        Of a real dtype or bool, of any shape but ().
    k : int
        How many, up to the size of the axis.
    axis : int, default -1
        Along which the elements are compared.
    largest : bool, default True
        The greatest ones, the greatest first; else the least ones, the least first.

    Returns
    -------
    TopKResult
        A named tuple: values (of the dtype of x), indices (int64); both of the shape of x, with k along the axis.

    Raises
    ------
    {TypeError of complex}
    ValueError
        For a k that is negative or greater than the size of the axis.
    AxisError
        For an axis that x does not have.

    Examples
    --------
    >>> import skerry as sk
    >>> found = sk.topk(sk.asarray([3, 1, 4, 1, 5]), 2)
    >>> found.values, found.indices
    (Array([5, 4], dtype=int64, device='cpu:0'), Array([4, 2], dtype=int64, device='cpu:0'))

    """
    return TopKResult(*_core.best_items(x, k, axis, largest))


def partition(a: Array, kth: int | tuple[int, ...], axis: int | None = -1) -> Array:
    """Rearrange elements along an axis such that one of each rank is where sorting would put it.

    What comes before it is not greater, what comes after it not less. NumPy leaves the rest open; here the result is
    the same on every device: of one rank, elements less than it, equal to it and greater each keep the order of the
    input; of several, and of items of one byte, all elements are sorted.

    Parameters
    ----------
    a : Array
        Of a real dtype or bool. NaN is the greatest; -0 and +0 are equal.
    kth : int or tuple of ints
        The ranks, from 0; negative ones count from the end.
    axis : int or None, default -1
        None: of all elements in C order.

    Returns
    -------
    Array
        Of the dtype of a, and of its shape, or 1-D where axis is None.

    Raises
    ------
    {TypeError of complex}
    ValueError
        For a rank that the axis does not have.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.partition(sk.asarray([7, 2, 9, 1, 5]), 2)
    Array([2, 1, 5, 7, 9], dtype=int64, device='cpu:0')

    """
    return _partitioned(a, kth, axis, positions=False)


def argpartition(a: Array, kth: int | tuple[int, ...], axis: int | None = -1) -> Array:
    """Find the indices by which ``partition`` rearranges elements.

    Parameters
    ----------
    a : Array
        Of a real dtype or bool. NaN is the greatest; -0 and +0 are equal.
    kth : int or tuple of ints
        The ranks, from 0; negative ones count from the end.
    axis : int or None, default -1
        None: of all elements in C order.

    Returns
    -------
    Array
        int64, of the shape of a, or 1-D where axis is None.

    Raises
    ------
    {TypeError of complex}
    ValueError
        For a rank that the axis does not have.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.argpartition(sk.asarray([7, 2, 9, 1, 5]), 2)
    Array([1, 3, 4, 0, 2], dtype=int64, device='cpu:0')

    """
    return _partitioned(a, kth, axis, positions=True)


def _partitioned(a: Array, kth: Any, axis: int | None, *, positions: bool) -> Array:
    if axis is None:
        a, axis = sk.reshape(a, (-1,)), -1
    elif a.ndim == 0:
        a = sk.reshape(a, (1,))
    parted: Array = _core.partition_items(a, kth, axis, positions)
    return parted


def lexsort(keys: Sequence[Any] | Any, axis: int = -1) -> Array:
    """Return the order of several keys, of which the last one counts most.

    Parameters
    ----------
    keys : sequence of Array, or Array
        Equal shapes; the rows of one array.
    axis : int, default -1
        To sort along.

    Returns
    -------
    Array
        Indices of int64; equal elements keep their order.

    {Raises: DeviceMismatchError}

    Examples
    --------
    >>> import skerry as sk
    >>> sk.lexsort((sk.asarray([9, 4, 0]), sk.asarray([1, 5, 1])))
    Array([2, 0, 1], dtype=int64, device='cpu:0')

    """
    if type(keys) is tuple and keys and _core.are_arrays(keys):
        return _core.lexical_order(keys, axis)
    listed = sk.unstack(keys) if isinstance(keys, Array) else tuple(keys)
    if not listed:
        raise TypeError("lexsort: no keys; give one or more")
    return _core.lexical_order(as_arrays("lexsort", *listed), axis)
