# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Extrema."""

from __future__ import annotations

from typing import Any

import skerry as sk
from skerry import _core
from skerry._core import Array
from skerry._extra._operands import Axis, as_array, promoted

__all__ = ["fmax", "fmin", "nanmax", "nanmin"]


def fmax(x1: Any, x2: Any, /) -> Array:
    """Return the elementwise maximum, ignoring NaN: if one operand is NaN the result is the other.

    Parameters
    ----------
    x1, x2 : {real, one array}

    {Returns: common dtype}

    {Raises: DeviceMismatchError}

    Examples
    --------
    >>> import skerry as sk
    >>> sk.fmax(sk.asarray([1.0, sk.nan]), 0.5)
    Array([1. , 0.5], dtype=float64, device='cpu:0')

    """
    x, y = promoted("fmax", x1, x2)
    return x | y if x.dtype.kind == "b" else _core.fmax(x, y)


def fmin(x1: Any, x2: Any, /) -> Array:
    """Return the elementwise minimum, ignoring NaN: if one operand is NaN the result is the other.

    Parameters
    ----------
    x1, x2 : {real, one array}

    {Returns: common dtype}

    {Raises: DeviceMismatchError}

    Examples
    --------
    >>> import skerry as sk
    >>> sk.fmin(sk.asarray([1.0, sk.nan]), 0.5)
    Array([0.5, 0.5], dtype=float64, device='cpu:0')

    """
    x, y = promoted("fmin", x1, x2)
    return x & y if x.dtype.kind == "b" else _core.fmin(x, y)


def nanmin(a: Any, axis: Axis = None, *, keepdims: bool = False) -> Array:
    """Return the minimum along axes, ignoring NaN.

    Parameters
    ----------
    a : {real}
    axis, keepdims
        See ``nansum``.

    Returns
    -------
    Array
        The minima; NaN for slices of NaN only.

    Raises
    ------
    ValueError
        If there are no elements.

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
    """Return the maximum along axes, ignoring NaN.

    Parameters
    ----------
    a, axis, keepdims
        See ``nanmin``.

    Returns
    -------
    Array
        The maxima; NaN for slices of NaN only.

    Raises
    ------
    ValueError
        If there are no elements.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.nanmax(sk.asarray([1.0, sk.nan, 3.0]))
    Array(3., dtype=float64, device='cpu:0')

    """
    x = as_array("nanmax", a)
    reduce = {"f": _core.nanmax, "b": sk.any}.get(x.dtype.kind, sk.max)
    return reduce(x, axis=axis, keepdims=keepdims)
