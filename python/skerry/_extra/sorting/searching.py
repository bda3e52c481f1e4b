# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Searching."""

from __future__ import annotations

from typing import Any

import skerry as sk
from skerry import _core
from skerry._core import Array
from skerry._extra._operands import as_array, flat, indices

__all__ = ["argwhere", "extract", "flatnonzero", "nanargmax", "nanargmin"]


def flatnonzero(a: Any) -> Array:
    """Return where the flattened array is not zero.

    Reads from the device how many there are: the call waits for it.

    Parameters
    ----------
    a : {any dtype}

    Returns
    -------
    Array
        Indices of int64.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.flatnonzero(sk.asarray([[0, 2], [3, 0]]))
    Array([1, 2], dtype=int64, device='cpu:0')

    """
    return sk.nonzero(flat(as_array("flatnonzero", a)))[0]


def argwhere(a: Any) -> Array:
    """Return where an array is not zero, a row of indices for each place.

    Reads from the device how many there are: the call waits for it.

    Parameters
    ----------
    a : {any dtype}

    Returns
    -------
    Array
        Of int64, with as many columns as ``a`` has axes.

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
    """Return the elements where a condition holds, flattened.

    Reads from the device how many there are: the call waits for it.

    Parameters
    ----------
    condition, arr : Array
        Of as many elements.

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
    name: str, a: Any, axis: int | None, keepdims: bool, place_of: Any, extremum: Any
) -> Array:
    x = as_array(name, a)
    if x.dtype.kind != "f":
        result: Array = place_of(x, axis=axis, keepdims=keepdims)
        return result
    if sk.any(sk.all(sk.isnan(x), axis=axis)):
        raise ValueError(f"{name}: nothing but NaN in a slice; fill it first, by nan_to_num")
    # Not by a number in the place of NaN: an element may be that number.
    is_extremum = x == extremum(x, axis=axis, keepdims=True)
    return sk.argmax(sk.astype(is_extremum, sk.uint8), axis=axis, keepdims=keepdims)


def nanargmin(a: Any, axis: int | None = None, *, keepdims: bool = False) -> Array:
    """Return where the least of what is not NaN is.

    Reads from the device whether a slice has nothing but NaN: the call waits for it.

    Parameters
    ----------
    a : {real}
    axis : {None is flattened}
    keepdims : bool, default False
        Whether the axis stays, with length 1.

    {Returns: int64}

    Raises
    ------
    ValueError
        For a slice of nothing but NaN, or no elements.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.nanargmin(sk.asarray([sk.nan, 3.0, 1.0]))
    Array(2, dtype=int64, device='cpu:0')

    """
    return _place_of("nanargmin", a, axis, keepdims, sk.argmin, _core.nanmin)


def nanargmax(a: Any, axis: int | None = None, *, keepdims: bool = False) -> Array:
    """Return where the greatest of what is not NaN is.

    Reads from the device whether a slice has nothing but NaN: the call waits for it.

    Parameters
    ----------
    a, axis, keepdims
        As of ``nanargmin``.

    {Returns: int64}

    Raises
    ------
    ValueError
        For a slice of nothing but NaN, or no elements.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.nanargmax(sk.asarray([sk.nan, 3.0, 1.0]))
    Array(1, dtype=int64, device='cpu:0')

    """
    return _place_of("nanargmax", a, axis, keepdims, sk.argmax, _core.nanmax)
