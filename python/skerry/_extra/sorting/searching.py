# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Searching."""

from __future__ import annotations

from typing import Any

import skerry as sk
from skerry import _core
from skerry._core import Array
from skerry._data_types import kind_of
from skerry._extra._operands import as_array, flat, indices
from skerry._outputs import output_argument, store

__all__ = ["argwhere", "extract", "flatnonzero", "nanargmax", "nanargmin"]


def flatnonzero(a: Any) -> Array:
    """Return the indices of the nonzero elements of the flattened array.

    The size of the result is read from the device: the call waits for it.

    Parameters
    ----------
    a : {any dtype}

    Returns
    -------
    Array
        1-D array of int64 indices.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.flatnonzero(sk.asarray([[0, 2], [3, 0]]))
    Array([1, 2], dtype=int64, device='cpu:0')

    """
    return sk.nonzero(flat(as_array("flatnonzero", a)))[0]


def argwhere(a: Any) -> Array:
    """Return the indices of the nonzero elements, one row for each element.

    The size of the result is read from the device: the call waits for it.

    Parameters
    ----------
    a : {any dtype}

    Returns
    -------
    Array
        Array of int64 with one row for each nonzero element and one column for each axis of ``a``.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.argwhere(sk.asarray([[0, 2], [3, 0]]))
    Array([[0, 1],
           [1, 0]], dtype=int64, device='cpu:0')

    """
    x = as_array("argwhere", a)
    if x.ndim == 0:
        return sk.reshape(flatnonzero(x), (-1, 1))[:, :0]
    return sk.stack(sk.nonzero(x), axis=1)


def extract(condition: Any, arr: Any) -> Array:
    """Return the elements of an array where a condition is true.

    The size of the result is read from the device: the call waits for it.

    Parameters
    ----------
    condition, arr : Array
        Arrays with the same number of elements.

    {Returns: one axis}

    {Raises: DeviceMismatchError}

    Examples
    --------
    >>> import skerry as sk
    >>> x = sk.arange(6)
    >>> sk.extract(x % 3 == 0, x)
    Array([0, 3], dtype=int64, device='cpu:0')

    """
    x = as_array("extract", arr)
    return sk.take(flat(x), flatnonzero(indices("extract", condition, x)))


def _place_of(
    name: str,
    x: Array,
    axis: int | None,
    out: Array | None,
    keepdims: bool,
    place_of: Any,
    extremum: Any,
) -> Array:
    if kind_of(x.dtype) == "f":
        result = _place_of_number(name, x, axis, keepdims, extremum)
    else:
        result = place_of(x, axis=axis, keepdims=keepdims)
    return result if out is None else store(name, result, output_argument(name, out, x))


def _place_of_number(name: str, x: Array, axis: int | None, keepdims: bool, extremum: Any) -> Array:
    if sk.any(sk.all(sk.isnan(x), axis=axis)):
        raise ValueError(f"{name}: all-NaN slice in a; replace NaN first, with nan_to_num")
    # Don't replace NaN by a number: an element may be equal to it.
    is_extremum = x == extremum(x, axis=axis, keepdims=True)
    return sk.argmax(sk.astype(is_extremum, sk.uint8), axis=axis, keepdims=keepdims)


def nanargmin(
    a: Any, axis: int | None = None, out: Array | None = None, *, keepdims: bool = False
) -> Array:
    """Return the indices of the minima along an axis, ignoring NaN.

    Whether a slice is all NaN is read from the device: the call waits for it.

    Parameters
    ----------
    a : {real}
    axis : {None is flattened}
    out : {out}
    keepdims : bool, default False
        Whether the reduced axis stays in the result with length 1.

    {Returns: int64}

    Raises
    ------
    ValueError
        If a slice is all NaN, or there are no elements.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.nanargmin(sk.asarray([sk.nan, 3.0, 1.0]))
    Array(2, dtype=int64, device='cpu:0')

    """
    return _place_of(
        "nanargmin", as_array("nanargmin", a), axis, out, keepdims, sk.argmin, _core.nanmin
    )


def nanargmax(
    a: Any, axis: int | None = None, out: Array | None = None, *, keepdims: bool = False
) -> Array:
    """Return the indices of the maxima along an axis, ignoring NaN.

    Whether a slice is all NaN is read from the device: the call waits for it.

    Parameters
    ----------
    a, axis, out, keepdims
        See ``nanargmin``.

    {Returns: int64}

    Raises
    ------
    ValueError
        If a slice is all NaN, or there are no elements.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.nanargmax(sk.asarray([sk.nan, 3.0, 1.0]))
    Array(1, dtype=int64, device='cpu:0')

    """
    return _place_of(
        "nanargmax", as_array("nanargmax", a), axis, out, keepdims, sk.argmax, _core.nanmax
    )
