# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Rearranging elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import skerry as sk
from skerry._core import Array
from skerry._extra._operands import as_array, axis_within

__all__ = ["fliplr", "flipud", "rot90"]


def fliplr(m: Any) -> Array:
    """Reverse the order of columns.

    Parameters
    ----------
    m : {at least two axes}

    Returns
    -------
    Array
        View of ``m``, reversed along axis 1.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.fliplr(sk.asarray([[1, 2], [3, 4]]))
    Array([[2, 1],
           [4, 3]], dtype=int64, device='cpu:0')

    """
    x = as_array("fliplr", m)
    _require_axes("fliplr", x, 2)
    return sk.flip(x, axis=1)


def flipud(m: Any) -> Array:
    """Reverse the order of rows.

    Parameters
    ----------
    m : Array
        Input array with at least one axis.

    Returns
    -------
    Array
        View of ``m``, reversed along axis 0.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.flipud(sk.asarray([[1, 2], [3, 4]]))
    Array([[3, 4],
           [1, 2]], dtype=int64, device='cpu:0')

    """
    x = as_array("flipud", m)
    _require_axes("flipud", x, 1)
    return sk.flip(x, axis=0)


def _require_axes(name: str, x: Array, least: int) -> None:
    if x.ndim < least:
        raise ValueError(
            f"{name}: needs at least {least} axes, not {x.ndim}; add some with expand_dims"
        )


def rot90(m: Any, k: int = 1, axes: Sequence[int] = (0, 1)) -> Array:
    """Rotate by 90 degrees in the plane of two axes.

    Parameters
    ----------
    m : {at least two axes}
    k : int, default 1
        Number of rotations.
    axes : pair of int, default (0, 1)
        Axes of the plane. The rotation is from the first axis towards the second.

    Returns
    -------
    Array
        The rotated array.

    Raises
    ------
    ValueError
        If ``axes`` are not two different axes.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.rot90(sk.asarray([[1, 2], [3, 4]]))
    Array([[2, 4],
           [1, 3]], dtype=int64, device='cpu:0')

    """
    x = as_array("rot90", m)
    if len(axes) != 2:
        raise ValueError(f"rot90: axes must be two axes, not {len(axes)}")
    first, second = (axis_within("rot90", axis, x.ndim) for axis in axes)
    if first == second:
        raise ValueError(f"rot90: axes must be two different axes: {tuple(axes)}")
    if k % 4 == 2:
        return sk.flip(x, axis=(first, second))
    if k % 4 == 1:
        x = sk.flip(x, axis=second)
    if k % 2:
        x = x.swapaxes(first, second)
    return sk.flip(x, axis=second) if k % 4 == 3 else x
