# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Stacking."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import skerry as sk
from skerry._core import Array
from skerry._extra._operands import arrays_or_scalars, promoted
from skerry._extra.shaping import Shape, with_axes, with_one, with_three, with_two

__all__ = ["append", "column_stack", "dstack", "hstack", "vstack"]


def _join(
    name: str, arrays: Sequence[Any], axis: int, least: int, shape: Shape, dtype: Any
) -> Array:
    if isinstance(arrays, Array):
        arrays = sk.unstack(arrays)
    given = (arrays_or_scalars if dtype is not None else promoted)(name, *arrays)
    parts = [with_axes(least, x, shape) for x in given]
    if dtype is not None:
        parts = [sk.astype(x, dtype, copy=False) for x in parts]
    return sk.concat(parts, axis=axis if parts[0].ndim > 1 else 0)


def vstack(tup: Sequence[Any], *, dtype: Any = None) -> Array:
    """Join along axis 0; vectors are rows.

    Parameters
    ----------
    tup : sequence of Array
        Their shapes differ along axis 0 at most.
    dtype : dtype, optional
        Of the result.

    Returns
    -------
    Array
        Of the common dtype.

    Raises
    ------
    DeviceMismatchError
        For arrays on different devices.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.vstack([sk.asarray([1, 2]), sk.asarray([3, 4])])
    Array([[1, 2],
           [3, 4]], dtype=int64, device='cpu:0')

    """
    return _join("vstack", tup, 0, 2, with_two, dtype)


def hstack(tup: Sequence[Any], *, dtype: Any = None) -> Array:
    """Join along axis 1; vectors are joined to a vector.

    Parameters
    ----------
    tup, dtype
        As of ``vstack``; shapes differ along axis 1 at most.

    Returns
    -------
    Array
        Of the common dtype.

    Raises
    ------
    DeviceMismatchError
        For arrays on different devices.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.hstack([sk.asarray([1, 2]), sk.asarray([3])])
    Array([1, 2, 3], dtype=int64, device='cpu:0')

    """
    return _join("hstack", tup, 1, 1, with_one, dtype)


def dstack(tup: Sequence[Any]) -> Array:
    """Join along axis 2, after ``atleast_3d``.

    Parameters
    ----------
    tup : sequence of Array
        Their shapes differ along axis 2 at most.

    Returns
    -------
    Array
        Of the common dtype.

    Raises
    ------
    DeviceMismatchError
        For arrays on different devices.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.dstack([sk.asarray([1, 2]), sk.asarray([3, 4])])
    Array([[[1, 3],
            [2, 4]]], dtype=int64, device='cpu:0')

    """
    return _join("dstack", tup, 2, 3, with_three, None)


def column_stack(tup: Sequence[Any]) -> Array:
    """Join vectors and matrices as columns of a matrix.

    Parameters
    ----------
    tup : sequence of Array
        Vectors and matrices, equal in length.

    Returns
    -------
    Array
        A matrix of the common dtype.

    Raises
    ------
    DeviceMismatchError
        For arrays on different devices.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.column_stack([sk.asarray([1, 2]), sk.asarray([3, 4])])
    Array([[1, 3],
           [2, 4]], dtype=int64, device='cpu:0')

    """
    return _join("column_stack", tup, 1, 2, _as_columns, None)


def _as_columns(_: Array) -> tuple[int, ...]:
    return (-1, 1)


def append(arr: Any, values: Any, axis: int | None = None) -> Array:
    """Join values to the end of an array.

    Parameters
    ----------
    arr : Array
        Not changed.
    values : Array or scalar
        Of the shape of ``arr``, but for ``axis``.
    axis : int or None
        None joins the flattened arrays.

    Returns
    -------
    Array
        New, of the common dtype.

    Raises
    ------
    DeviceMismatchError
        For arrays on different devices.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.append(sk.asarray([1, 2]), 3)
    Array([1, 2, 3], dtype=int64, device='cpu:0')

    """
    return sk.concat(promoted("append", arr, values), axis=axis)
