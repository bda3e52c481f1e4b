# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Operations on sets."""

from __future__ import annotations

import math
from itertools import compress
from typing import Any

import skerry as sk
from skerry import _core
from skerry._core import Array
from skerry._data_types import kind_of
from skerry._extra._operands import as_array, as_arrays, axis_within, flat, promoted

__all__ = ["intersect1d", "setdiff1d", "setxor1d", "union1d", "unique"]


def unique(
    ar: Any,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
    *,
    equal_nan: bool = True,
    sorted: bool = True,
) -> Any:
    """Return the sorted unique elements, or the unique slices along an axis.

    The size of the result is read from the device: the call waits for it.

    Parameters
    ----------
    ar : {any dtype}
    return_index, return_inverse, return_counts : bool, default False
        Whether to also return the indices of the first occurrences; the indices of the unique elements that give
        ``ar``; how often each unique element occurs.
    axis : int, optional
        Axis whose slices are compared; by default the flattened array.
    equal_nan : bool, default True
        Whether NaNs are equal. Slices with NaN are always different, as in NumPy.
    sorted : bool, default True
        Whether the result must be sorted. It always is; slices lexicographically.

    Returns
    -------
    Array or tuple of Array
        The unique elements or slices; with a ``return_`` parameter a tuple of these, the indices, the inverse indices
        (of the shape of ``ar``; 1-D with ``axis``) and the counts, as far as they are requested, of int64.

    Raises
    ------
    AxisError
        If the axis is out of bounds.

    See Also
    --------
    unique_all, unique_counts, unique_inverse, unique_values

    Examples
    --------
    >>> import skerry as sk
    >>> sk.unique(sk.asarray([3, 1, 3]))
    Array([1, 3], dtype=int64, device='cpu:0')
    >>> sk.unique(sk.asarray([[1, 2], [0, 5], [1, 2]]), axis=0, return_counts=True)[1]
    Array([1, 2], dtype=int64, device='cpu:0')

    """
    x = as_array("unique", ar)
    if axis is not None:
        axis = axis_within("unique", axis, x.ndim)
    requested = (True, return_index, return_inverse, return_counts)
    results = _unique_parts(x, axis if x.ndim > 1 else None, any(requested[1:]), equal_nan)
    selected = tuple(compress(results, requested))
    return selected if len(selected) > 1 else selected[0]


def _unique_parts(
    x: Array, axis: int | None, with_indices: bool, equal_nan: bool
) -> tuple[Array, ...]:
    """Return the unique elements or slices, and further results of ``unique`` if they are requested."""
    if axis is not None:
        return _unique_slices(x, axis)
    if not with_indices:
        return (_unique(x, complex_nans=True) if equal_nan else sk.unique_values(x),)
    results = tuple(sk.unique_all(x))
    return _with_one_nan(*results) if equal_nan and kind_of(x.dtype) in "fc" else results


def _with_one_nan(
    values: Array, indices: Array, inverse: Array, counts: Array
) -> tuple[Array, ...]:
    """Unite the NaNs, which are the last values, in the result of ``unique_all``."""
    nans = int(sk.count_nonzero(sk.isnan(values)))
    if nans < 2:
        return values, indices, inverse, counts
    first = values.size - nans
    total = sk.sum(counts[first:], keepdims=True)
    return (
        values[: first + 1],
        indices[: first + 1],
        sk.minimum(inverse, first),
        sk.concat([counts[:first], total]),
    )


def _unique_slices(x: Array, axis: int) -> tuple[Array, ...]:
    """Return the unique slices along an axis, with the indices, the inverse indices and the counts."""
    moved = sk.moveaxis(x, axis, 0)
    count = moved.shape[0]
    rows = sk.reshape(moved, (count, math.prod(moved.shape[1:])))
    order = sk.arange(count, device=x.device)
    is_new = sk.arange(count, device=x.device) == 0
    if rows.shape[1] and count:
        columns = sk.unstack(rows, axis=1)
        if kind_of(x.dtype) == "c":
            columns = tuple(part(column) for column in columns for part in (sk.real, sk.imag))
        order = _core.lexical_order(columns[::-1], -1)
        ranked = sk.take(rows, order, axis=0)
        is_new[1:] = sk.any(ranked[1:] != ranked[:-1], axis=1)
    starts = sk.nonzero(is_new)[0]
    indices = sk.take(order, starts)
    groups = sk.cumulative_sum(is_new, dtype=sk.int64) - 1
    inverse = sk.take(groups, sk.argsort(order))
    ends = sk.concat([starts[1:], sk.full((min(starts.size, 1),), count, device=x.device)])
    return sk.take(x, indices, axis=axis), indices, inverse, ends - starts


def _unique(x: Array, *, complex_nans: bool = False) -> Array:
    """Return the sorted unique values. Real NaNs count as equal, complex ones if ``complex_nans``."""
    values = sk.unique_values(x)
    if kind_of(values.dtype) not in ("fc" if complex_nans else "f") or values.size < 2:
        return values
    # NaNs are last: drop all but the first.
    missing = sk.isnan(values)
    is_repeated = missing[1:] & missing[:-1]
    return sk.concat([values[:1], values[1:][~is_repeated]])


def union1d(ar1: Any, ar2: Any) -> Array:
    """Return the sorted union of two arrays.

    The size of the result is read from the device: the call waits for it.

    Parameters
    ----------
    ar1, ar2 : {flattened}

    Returns
    -------
    Array
        1-D array of the common dtype.

    {Raises: DeviceMismatchError}

    Examples
    --------
    >>> import skerry as sk
    >>> sk.union1d(sk.asarray([3, 1]), sk.asarray([2, 3]))
    Array([1, 2, 3], dtype=int64, device='cpu:0')

    """
    return _unique(sk.concat(promoted("union1d", ar1, ar2), axis=None))


def setdiff1d(ar1: Any, ar2: Any, assume_unique: bool = False) -> Array:
    """Return the set difference: values of the first array that are not in the second.

    The size of the result is read from the device: the call waits for it.

    Parameters
    ----------
    ar1, ar2 : {flattened}
    assume_unique : bool, default False
        If True, the values of ``ar1`` are assumed to be unique and keep their order. Otherwise the result is sorted
        and unique.

    Returns
    -------
    Array
        1-D array of the dtype of ``ar1``.

    {Raises: DeviceMismatchError}

    Examples
    --------
    >>> import skerry as sk
    >>> sk.setdiff1d(sk.asarray([3, 1, 2]), sk.asarray([2, 4]))
    Array([1, 3], dtype=int64, device='cpu:0')

    """
    x, y = as_arrays("setdiff1d", ar1, ar2)
    x = flat(x) if assume_unique else _unique(x)
    return x[~sk.isin(*promoted("setdiff1d", x, y))]


def intersect1d(
    ar1: Any, ar2: Any, assume_unique: bool = False, return_indices: bool = False
) -> Any:
    """Return the sorted intersection of two arrays.

    The size of the result is read from the device: the call waits for it.

    Parameters
    ----------
    ar1, ar2 : {flattened}
    assume_unique : bool, default False
        Whether to assume that the values of each array are unique, which is faster.
    return_indices : bool, default False
        Whether to also return the indices of the first occurrences of the values in both arrays.

    Returns
    -------
    Array or tuple of three
        The values, 1-D, of the common dtype. With ``return_indices`` a tuple of the values, their indices in ``ar1``
        and their indices in ``ar2``, of int64.

    {Raises: DeviceMismatchError}

    Examples
    --------
    >>> import skerry as sk
    >>> sk.intersect1d(sk.asarray([3, 1, 2]), sk.asarray([2, 3]))
    Array([2, 3], dtype=int64, device='cpu:0')

    """
    x, y = (flat(array) for array in promoted("intersect1d", ar1, ar2))
    count = x.size
    if return_indices:
        if assume_unique:
            first = [sk.arange(array.size, device=array.device) for array in (x, y)]
        else:
            first = [_first_indices(array) for array in (x, y)]
            count = first[0].size
            x, y = (sk.take(array, indices) for array, indices in zip((x, y), first, strict=True))
    elif not assume_unique:
        x, y = _unique(x), _unique(y)
        count = x.size
    both = sk.concat([x, y])
    if not return_indices:
        ranked = sk.sort(both)
        return ranked[:-1][ranked[1:] == ranked[:-1]]
    order = sk.argsort(both, stable=True)
    ranked = sk.take(both, order)
    (twice,) = sk.nonzero(ranked[1:] == ranked[:-1])
    values = sk.take(ranked, twice)
    of_first = sk.take(first[0], sk.take(order, twice))
    of_second = sk.take(first[1], sk.take(order, twice + 1) - count)
    return values, of_first, of_second


def _first_indices(x: Array) -> Array:
    """Return the index of the first occurrence of each value, in the order of the values."""
    order = sk.argsort(x, stable=True)
    ranked = sk.take(x, order)
    new = sk.ones((x.size,), dtype=bool, device=x.device)
    if x.size:
        new[1:] = ranked[1:] != ranked[:-1]
    return order[new]


def setxor1d(ar1: Any, ar2: Any, assume_unique: bool = False) -> Array:
    """Return the sorted values that are in exactly one of the arrays.

    The size of the result is read from the device: the call waits for it.

    Parameters
    ----------
    ar1, ar2 : {flattened}
    assume_unique : bool, default False
        Whether to assume that the values of each array are unique, which is faster.

    Returns
    -------
    Array
        1-D array of the common dtype.

    {Raises: DeviceMismatchError}

    Examples
    --------
    >>> import skerry as sk
    >>> sk.setxor1d(sk.asarray([3, 1]), sk.asarray([2, 3]))
    Array([1, 2], dtype=int64, device='cpu:0')

    """
    x, y = (flat(array) for array in promoted("setxor1d", ar1, ar2))
    if not assume_unique:
        x, y = _unique(x), _unique(y)
    ranked = sk.sort(sk.concat([x, y]))
    if ranked.size == 0:
        return ranked
    end = sk.ones((1,), dtype=bool, device=ranked.device)
    changes = sk.concat([end, ranked[1:] != ranked[:-1], end])
    return ranked[changes[1:] & changes[:-1]]
