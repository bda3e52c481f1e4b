# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Shapes and axes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

import skerry as sk
from skerry import _core
from skerry._core import Array
from skerry._extra._operands import as_array, as_arrays, axes_within, axis_within

__all__ = [
    "atleast_1d", "atleast_2d", "atleast_3d", "ndim", "ravel", "rollaxis", "shape", "size", "swapaxes", "transpose",
]  # fmt: skip


def swapaxes(a: Any, axis1: int, axis2: int) -> Array:
    """Interchange two axes.

    Parameters
    ----------
    a : {any dtype}
    axis1, axis2 : int
        The axes to interchange.

    Returns
    -------
    Array
        View of ``a``.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.swapaxes(sk.zeros((2, 3, 4)), 0, -1).shape
    (4, 3, 2)

    """
    return as_array("swapaxes", a).swapaxes(axis1, axis2)


def ravel(a: Any, order: str = "C") -> Array:
    """Return the array flattened to one axis.

    Parameters
    ----------
    a : {any dtype}
    order : {"C", "F", "A", "K"}, default "C"
        Whether the last axis ("C") or the first ("F") varies fastest. "A" is "F" for an array that is contiguous in
        that order, else "C"; "K" is the order in memory.

    Returns
    -------
    Array
        View of ``a`` if its elements are contiguous in that order, else a contiguous copy.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.ravel(sk.asarray([[1, 2], [3, 4]]), order="F")
    Array([1, 3, 2, 4], dtype=int64, device='cpu:0')

    """
    x = a if type(a) is Array else as_array("ravel", a)
    return x.ravel(order)  # type: ignore[arg-type]  # checked by the method


def _add_axes(name: str, arys: tuple[Any, ...], least: int) -> Any:
    results: Any = _core.with_axes(arys, least)
    if results is None:
        results = _core.with_axes(tuple(as_arrays(name, *arys)), least)
    return results[0] if len(results) == 1 else results


def atleast_1d(*arys: Any) -> Any:
    """View inputs as arrays with at least one axis.

    Parameters
    ----------
    *arys : {any number}

    {Returns: views, or one}

    {Raises: DeviceMismatchError}

    Examples
    --------
    >>> import skerry as sk
    >>> sk.atleast_1d(sk.asarray(3.0))
    Array([3.], dtype=float64, device='cpu:0')

    """
    return _add_axes("atleast_1d", arys, 1)


def atleast_2d(*arys: Any) -> Any:
    """View inputs as arrays with at least two axes; new axes are first.

    Parameters
    ----------
    *arys : {any number}

    {Returns: views, or one}

    {Raises: DeviceMismatchError}

    Examples
    --------
    >>> import skerry as sk
    >>> sk.atleast_2d(sk.asarray([1, 2])).shape
    (1, 2)

    """
    return _add_axes("atleast_2d", arys, 2)


def atleast_3d(*arys: Any) -> Any:
    """View inputs as arrays with at least three axes: vectors as (1, n, 1), matrices as (m, n, 1).

    Parameters
    ----------
    *arys : {any number}

    {Returns: views, or one}

    {Raises: DeviceMismatchError}

    Examples
    --------
    >>> import skerry as sk
    >>> sk.atleast_3d(sk.asarray([1, 2])).shape
    (1, 2, 1)

    """
    return _add_axes("atleast_3d", arys, 3)


def transpose(a: Any, axes: Sequence[int] | None = None) -> Array:
    """Permute the axes of an array.

    Parameters
    ----------
    a : {any dtype}
    axes : tuple of int, optional
        Permutation of the axes; by default they are reversed.

    Returns
    -------
    Array
        View of ``a``.

    Raises
    ------
    AxisError, ValueError
        If ``axes`` is not a permutation of the axes of ``a``.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.transpose(sk.ones((2, 3, 4))).shape
    (4, 3, 2)

    """
    return as_array("transpose", a).transpose(None if axes is None else tuple(axes))


def rollaxis(a: Any, axis: int, start: int = 0) -> Array:
    """Move an axis back until it lies before another one. ``moveaxis`` is clearer.

    Parameters
    ----------
    a : {any dtype}
    axis : int
        Axis to move.
    start : int, default 0
        Axis before which it then lies; the number of axes for the end.

    Returns
    -------
    Array
        View of ``a``.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.rollaxis(sk.zeros((2, 3, 4)), 2).shape
    (4, 2, 3)

    """
    x = as_array("rollaxis", a)
    axis = axis_within("rollaxis", axis, x.ndim)
    start = start if start == x.ndim else axis_within("rollaxis", start, x.ndim)
    return sk.moveaxis(x, axis, start - 1 if axis < start else start)


def shape(a: Any) -> tuple[int, ...]:
    """Return the shape of an array, a scalar or nested lists.

    Parameters
    ----------
    a : Array, scalar or nested list
        Input.

    Returns
    -------
    tuple of int
        Lengths of the axes.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.shape([[1, 2, 3]])
    (1, 3)

    """
    return a.shape if isinstance(a, Array) else np.shape(a)


def ndim(a: Any) -> int:
    """Return the number of axes of an array, a scalar or nested lists.

    Parameters
    ----------
    a : Array, scalar or nested list
        Input.

    Returns
    -------
    int
        Number of axes.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.ndim(sk.zeros((2, 3)))
    2

    """
    return len(shape(a))


def size(a: Any, axis: int | Sequence[int] | None = None) -> int:
    """Return the number of elements of an array, a scalar or nested lists.

    Parameters
    ----------
    a : Array, scalar or nested list
        Input.
    axis : {None is all}

    Returns
    -------
    int
        Number of elements along the axes.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.size(sk.zeros((2, 3)), axis=1)
    3

    """
    lengths = shape(a)
    return math.prod(lengths[i] for i in axes_within("size", axis, len(lengths)))
