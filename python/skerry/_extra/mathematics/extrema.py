# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Extrema."""

from __future__ import annotations

from typing import Any

import skerry as sk
from skerry import _core
from skerry._core import Array
from skerry._data_types import kind_of
from skerry._extra._operands import Axis, as_array, filled, indices, promoted
from skerry._outputs import output_argument, store
from skerry.exceptions import DTypeError

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
    return x | y if kind_of(x.dtype) == "b" else _core.fmax(x, y)


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
    return x & y if kind_of(x.dtype) == "b" else _core.fmin(x, y)


def nanmin(
    a: Any,
    axis: Axis = None,
    out: Array | None = None,
    keepdims: bool = False,
    initial: Any = None,
    where: Any = True,
) -> Array:
    """Return the minimum along axes, ignoring NaN.

    Parameters
    ----------
    a : {real}
    axis, out, keepdims
        See ``nansum``.
    initial : scalar, optional
        Number to combine with each result; needed with ``where``.
    where : {selected}

    Returns
    -------
    Array
        The minima; NaN for slices of NaN only.

    Raises
    ------
    ValueError
        If there are no elements and no ``initial``, or ``where`` is passed without ``initial``.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.nanmin(sk.asarray([1.0, sk.nan, 3.0]))
    Array(1., dtype=float64, device='cpu:0')

    """
    x = as_array("nanmin", a)
    if initial is None and where is True:
        reduce = {"f": _core.nanmin, "b": sk.all}.get(kind_of(x.dtype), sk.min)
        result: Array = reduce(x, axis=axis, keepdims=keepdims)
    else:
        result = _extremum("nanmin", x, axis, keepdims, initial, where)
    return result if out is None else store("nanmin", result, output_argument("nanmin", out, x))


def nanmax(
    a: Any,
    axis: Axis = None,
    out: Array | None = None,
    keepdims: bool = False,
    initial: Any = None,
    where: Any = True,
) -> Array:
    """Return the maximum along axes, ignoring NaN.

    Parameters
    ----------
    a, axis, out, keepdims, initial, where
        See ``nanmin``.

    Returns
    -------
    Array
        The maxima; NaN for slices of NaN only.

    Raises
    ------
    ValueError
        If there are no elements and no ``initial``, or ``where`` is passed without ``initial``.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.nanmax(sk.asarray([1.0, sk.nan, 3.0]))
    Array(3., dtype=float64, device='cpu:0')

    """
    x = as_array("nanmax", a)
    if initial is None and where is True:
        reduce = {"f": _core.nanmax, "b": sk.any}.get(kind_of(x.dtype), sk.max)
        result: Array = reduce(x, axis=axis, keepdims=keepdims)
    else:
        result = _extremum("nanmax", x, axis, keepdims, initial, where)
    return result if out is None else store("nanmax", result, output_argument("nanmax", out, x))


def _extremum(name: str, x: Array, axis: Axis, keepdims: bool, initial: Any, mask: Any) -> Array:
    """Return the extrema of the elements that are selected and not NaN, and of ``initial``."""
    if initial is None:
        raise ValueError(f"{name}: where= needs initial=, as this reduction has no identity")
    if kind_of(x.dtype) == "c":
        raise DTypeError(f"{name}: {x.dtype} has no order; use a bool or real dtype")
    is_minimum = name == "nanmin"
    if kind_of(x.dtype) == "f":
        identity = sk.inf if is_minimum else -sk.inf
        x = filled(x, identity)
    elif kind_of(x.dtype) == "b":
        identity = is_minimum
    else:
        limits = sk.iinfo(x.dtype)
        identity = limits.max if is_minimum else limits.min
    if mask is not True:
        x = sk.where(indices(name, mask, x), x, identity)
    if x.size == 0:
        shape = sk.any(x, axis=axis, keepdims=keepdims).shape
        result = sk.full(shape, identity, dtype=x.dtype, device=x.device)
    elif kind_of(x.dtype) == "b":
        result = (sk.all if is_minimum else sk.any)(x, axis=axis, keepdims=keepdims)
    else:
        result = (sk.min if is_minimum else sk.max)(x, axis=axis, keepdims=keepdims)
    return fmin(result, initial) if is_minimum else fmax(result, initial)
