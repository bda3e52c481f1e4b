# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Sorting: orders and partitions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import skerry as sk
from skerry import _core
from skerry._arrays import shown
from skerry._core import Array
from skerry._data_types import kind_of
from skerry._extra._operands import as_array, as_arrays, cast

__all__ = ["argpartition", "lexsort", "partition", "sort_complex", "topk"]


class TopKResult(NamedTuple):
    """Result of ``topk``: the elements and their indices."""

    values: Array
    indices: Array


def topk(x: Array, k: int, /, *, axis: int = -1, largest: bool = True) -> TopKResult:
    """Return the k largest or smallest elements along an axis, sorted.

    Equal elements are in the order of their indices, the lowest first. NaN is the largest, as for ``sort``; -0 and +0
    are equal. If k is much smaller than the size of the axis, it takes about as long as reading x a few times.

    Parameters
    ----------
    x : Array
        Input array of a real dtype or bool, with at least one axis.
    k : int
        Number of elements, at most the size of the axis.
    axis : int, default -1
        Axis along which to select.
    largest : bool, default True
        Whether to return the largest elements, the largest first, or the smallest, the smallest first.

    Returns
    -------
    TopKResult
        A named tuple of ``values``, of the dtype of x, and ``indices``, of int64; both have the shape of x with length
        k along the axis.

    Raises
    ------
    {TypeError of complex}
    ValueError
        If ``k`` is negative or greater than the size of the axis.
    AxisError
        If the axis is out of bounds.

    Examples
    --------
    >>> import skerry as sk
    >>> found = sk.topk(sk.asarray([3, 1, 4, 1, 5]), 2)
    >>> found.values, found.indices
    (Array([5, 4], dtype=int64, device='cpu:0'), Array([4, 2], dtype=int64, device='cpu:0'))

    """
    return TopKResult(*_core.best_items(x, k, axis, largest))


def partition(
    a: Array,
    kth: int | tuple[int, ...],
    axis: int | None = -1,
    kind: str = "introselect",
    order: None = None,
) -> Array:
    """Return a partitioned copy: each element of rank ``kth`` is at its sorted position.

    Elements before it are not greater and elements after it are not less. NumPy leaves their order open; here the
    result is the same on every device. With one rank, the elements that are less, equal and greater each keep the order
    of the input. With several ranks, or one-byte dtypes, all elements are sorted.

    Parameters
    ----------
    a : Array
        Input array of a real dtype or bool. NaN is the largest; -0 and +0 are equal.
    kth : int or tuple of ints
        Rank or ranks, from 0; negative ranks count from the end.
    axis : int or None, default -1
        Axis to partition along; None for the flattened array.
    kind : {"introselect"}, default "introselect"
        NumPy's name of the algorithm; it has no effect.
    order : None
        Must be None: there are no dtypes with fields.

    Returns
    -------
    Array
        Array of the dtype and shape of ``a``; 1-D if ``axis`` is None.

    Raises
    ------
    {TypeError of complex}
    ValueError
        If ``kth`` is out of bounds, ``kind`` is unknown, or ``order`` is not None.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.partition(sk.asarray([7, 2, 9, 1, 5]), 2)
    Array([2, 1, 5, 7, 9], dtype=int64, device='cpu:0')

    """
    _require_defaults("partition", kind, order)
    return _partitioned(a, kth, axis, positions=False)


def argpartition(
    a: Array,
    kth: int | tuple[int, ...],
    axis: int | None = -1,
    kind: str = "introselect",
    order: None = None,
) -> Array:
    """Return the indices that ``partition`` would rearrange the elements by.

    Parameters
    ----------
    a : Array
        Input array of a real dtype or bool. NaN is the largest; -0 and +0 are equal.
    kth : int or tuple of ints
        Rank or ranks, from 0; negative ranks count from the end.
    axis : int or None, default -1
        Axis to partition along; None for the flattened array.
    kind : {"introselect"}, default "introselect"
        NumPy's name of the algorithm; it has no effect.
    order : None
        Must be None: there are no dtypes with fields.

    Returns
    -------
    Array
        Array of int64 with the shape of ``a``; 1-D if ``axis`` is None.

    Raises
    ------
    {TypeError of complex}
    ValueError
        If ``kth`` is out of bounds, ``kind`` is unknown, or ``order`` is not None.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.argpartition(sk.asarray([7, 2, 9, 1, 5]), 2)
    Array([1, 3, 4, 0, 2], dtype=int64, device='cpu:0')

    """
    _require_defaults("argpartition", kind, order)
    return _partitioned(a, kth, axis, positions=True)


def _require_defaults(name: str, kind: str, order: None) -> None:
    if kind != "introselect":
        raise ValueError(f"{name}: unknown kind: {shown(kind)}; use 'introselect' or leave it out")
    if order is not None:
        raise ValueError(f"{name}: order must be None, as no dtype has fields, not {shown(order)}")


def _partitioned(a: Array, kth: Any, axis: int | None, *, positions: bool) -> Array:
    if axis is None:
        a, axis = sk.reshape(a, (-1,)), -1
    elif a.ndim == 0:
        a = sk.reshape(a, (1,))
    parted: Array = _core.partition_items(a, kth, axis, positions)
    return parted


def lexsort(keys: Sequence[Any] | Any, axis: int = -1) -> Array:
    """Sort by several keys; the last key is the primary one.

    Parameters
    ----------
    keys : sequence of Array, or Array
        Keys of equal shape, or an array whose rows are the keys.
    axis : int, default -1
        Axis to sort along.

    Returns
    -------
    Array
        Indices of int64 that sort the keys; the sort is stable.

    {Raises: DeviceMismatchError}

    Examples
    --------
    >>> import skerry as sk
    >>> sk.lexsort((sk.asarray([9, 4, 0]), sk.asarray([1, 5, 1])))
    Array([2, 0, 1], dtype=int64, device='cpu:0')

    """
    if type(keys) is tuple and keys and _core.are_arrays(keys):
        return _core.lexical_order(keys, axis)
    if not isinstance(keys, Array | Sequence):
        raise TypeError(
            f"lexsort: keys must be an Array or a sequence of Arrays, not {type(keys).__name__}"
        )
    listed = sk.unstack(keys) if isinstance(keys, Array) else tuple(keys)
    if not listed:
        raise TypeError("lexsort: keys is empty; pass at least one key")
    return _core.lexical_order(as_arrays("lexsort", *listed), axis)


def sort_complex(a: Any) -> Array:
    """Sort complex numbers along the last axis by their real parts, then by their imaginary parts.

    Parameters
    ----------
    a : {not changed}

    Returns
    -------
    Array
        Sorted array; complex64 for complex64 and integers of 8 and 16 bits, else complex128. Numbers with NaN are last:
        those with a NaN imaginary part, then those with a NaN real part, then those with both.

    Raises
    ------
    AxisError
        If ``a`` has no axes.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.sort_complex(sk.asarray([2 + 1j, 1 - 1j, 2 - 1j]))
    Array([1.-1.j, 2.-1.j, 2.+1.j], dtype=complex128, device='cpu:0')

    """
    x = as_array("sort_complex", a)
    if kind_of(x.dtype) != "c":
        is_narrow = kind_of(x.dtype) in "iu" and x.dtype.itemsize <= 2
        return cast(sk.sort(x), sk.complex64 if is_narrow else sk.complex128)
    real, imag = sk.real(x), sk.imag(x)
    rank = 2 * cast(sk.isnan(real), sk.int8) + cast(sk.isnan(imag), sk.int8)
    return sk.take_along_axis(x, lexsort((imag, real, rank)), axis=-1)
