# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Trigonometric functions."""

from __future__ import annotations

import math
from typing import Any

import skerry as sk
from skerry import _core
from skerry._core import Array
from skerry._data_types import kind_of
from skerry._extra._operands import (
    as_array,
    axis_within,
    cast,
    floating,
    floating_dtype,
    slice_along,
)
from skerry.exceptions import DTypeError

__all__ = ["deg2rad", "degrees", "rad2deg", "radians", "unwrap"]


def deg2rad(x: Any, /) -> Array:
    """Convert degrees to radians.

    Parameters
    ----------
    x : {real}

    Returns
    -------
    Array
        ``x * pi / 180``; float64 for integers.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.deg2rad(sk.asarray([180.0]))
    Array([3.14159265], dtype=float64, device='cpu:0')

    """
    return _core.deg2rad(*floating("deg2rad", x))


def rad2deg(x: Any, /) -> Array:
    """Convert radians to degrees.

    Parameters
    ----------
    x : {real}

    Returns
    -------
    Array
        ``x * 180 / pi``; float64 for integers.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.rad2deg(sk.asarray([sk.pi]))
    Array([180.], dtype=float64, device='cpu:0')

    """
    return _core.rad2deg(*floating("rad2deg", x))


def radians(x: Any, /) -> Array:
    """Convert degrees to radians; the same as ``deg2rad``.

    Parameters
    ----------
    x : {real}

    Returns
    -------
    Array
        ``x * pi / 180``; float64 for integers.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.radians(sk.asarray([180.0]))
    Array([3.14159265], dtype=float64, device='cpu:0')

    """
    return _core.deg2rad(*floating("radians", x))


def degrees(x: Any, /) -> Array:
    """Convert radians to degrees; the same as ``rad2deg``.

    Parameters
    ----------
    x : {real}

    Returns
    -------
    Array
        ``x * 180 / pi``; float64 for integers.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.degrees(sk.asarray([sk.pi]))
    Array([180.], dtype=float64, device='cpu:0')

    """
    return _core.rad2deg(*floating("degrees", x))


def unwrap(
    p: Any, discont: float | None = None, axis: int = -1, *, period: float = 2 * math.pi
) -> Array:
    """Unwrap by adding periods, so that consecutive elements differ by at most half a period.

    Parameters
    ----------
    p : {real}
    discont : float, optional
        Maximum difference that is kept; by default half a period.
    axis : int, default -1
        Axis to unwrap along.
    period : float, default 2 pi
        The period. With an integer, integer arrays keep their dtype.

    Returns
    -------
    Array
        Array with the shape of ``p``.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.unwrap(sk.asarray([0, 3, 7, 1, 4]), period=8)
    Array([ 0,  3,  7,  9, 12], dtype=int64, device='cpu:0')

    """
    x = as_array("unwrap", p)
    if kind_of(x.dtype) == "c":
        raise DTypeError(f"unwrap: p must be real, not {x.dtype}; pass skerry.angle(p)")
    axis = axis_within("unwrap", axis, x.ndim)
    if isinstance(period, float) or kind_of(x.dtype) not in "iu":
        x = cast(x, floating_dtype(x.dtype))
    step = slice_along(x, axis, 1, None) - slice_along(x, axis, None, -1)
    if kind_of(x.dtype) in "iu":
        half, odd = divmod(period, 2)
        ambiguous = odd == 0
    else:
        half, ambiguous = period / 2, True
    least = -half
    wrapped_step = (step - least) % period + least
    if ambiguous:
        wrapped_step = sk.where((wrapped_step == least) & (step > 0), half, wrapped_step)
    mend = sk.where(sk.abs(step) < (half if discont is None else discont), 0, wrapped_step - step)
    rest = slice_along(x, axis, 1, None) + sk.cumulative_sum(mend, axis=axis, dtype=x.dtype)
    return sk.concat([slice_along(x, axis, None, 1), rest], axis=axis)
