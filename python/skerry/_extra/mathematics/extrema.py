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
    """Return the greater elements, and those that are not NaN beside NaN.

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
    """Return the lesser elements, and those that are not NaN beside NaN.

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
    """Return the least of what is not NaN.

    Parameters
    ----------
    a : {real}
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
