# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Operations on sets."""

from __future__ import annotations

from typing import Any

import skerry as sk
from skerry._core import Array
from skerry._extra._operands import as_arrays, flat, promoted

__all__ = ["intersect1d", "setdiff1d", "setxor1d", "union1d"]


def _unique(x: Array) -> Array:
    """Return the sorted unique values. Real NaNs count as equal, complex ones as different."""
    values = sk.unique_values(x)
    if values.dtype.kind != "f" or values.size < 2:
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
