# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Extrema without NaN."""

from __future__ import annotations

from typing import Any

import skerry as sk
from skerry import _core
from skerry._core import Array
from skerry._extra._operands import as_array

__all__ = ["nanargmax", "nanargmin", "nanmax", "nanmin"]

Axis = int | tuple[int, ...] | None


def nanmin(a: Any, axis: Axis = None, *, keepdims: bool = False) -> Array:
    """Return the least of what is not NaN.

    Parameters
    ----------
    a : Array
        Real.
    axis, keepdims
        As of ``nansum``.

    Returns
    -------
    Array
        The minima; NaN where no number is left.

    Raises
    ------
    ValueError
        For no elements.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.nanmin(sk.asarray([1.0, sk.nan, 3.0]))
    Array(1., dtype=float64, device='cpu:0')

    """
    x = as_array("nanmin", a)
    reduce = {"f": _core.nanmin, "b": sk.all}.get(x.dtype.kind, sk.min)
    return reduce(x, axis=axis, keepdims=keepdims)


def nanmax(a: Any, axis: Axis = None, *, keepdims: bool = False) -> Array:
    """Return the greatest of what is not NaN.

    Parameters
    ----------
    a, axis, keepdims
        As of ``nanmin``.

    Returns
    -------
    Array
        The maxima; NaN where no number is left.

    Raises
    ------
    ValueError
        For no elements.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.nanmax(sk.asarray([1.0, sk.nan, 3.0]))
    Array(3., dtype=float64, device='cpu:0')

    """
    x = as_array("nanmax", a)
    reduce = {"f": _core.nanmax, "b": sk.any}.get(x.dtype.kind, sk.max)
    return reduce(x, axis=axis, keepdims=keepdims)


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
    a : Array
        Real.
    axis : int or None
        None is of the flattened array.
    keepdims : bool, default False
        Whether the axis stays, with length 1.

    Returns
    -------
    Array
        Of int64.

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

    Returns
    -------
    Array
        Of int64.

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
