# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Shaping."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import skerry as sk
from skerry import _core
from skerry._core import Array
from skerry._extra._operands import arrays_or_scalars, as_array, axis_within, flat

__all__ = [
    "atleast_1d", "atleast_2d", "atleast_3d", "fliplr", "flipud", "ravel", "rot90",
    "sliding_window_view", "swapaxes", "transpose",
]  # fmt: skip


def fliplr(m: Any) -> Array:
    """Reverse the order of columns.

    Parameters
    ----------
    m : Array
        At least two axes.

    Returns
    -------
    Array
        Reversed along axis 1.

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
        At least one axis.

    Returns
    -------
    Array
        Reversed along axis 0.

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
            f"{name}: needs {least} axes or more, not {x.ndim}; add some by expand_dims"
        )


def rot90(m: Any, k: int = 1, axes: Sequence[int] = (0, 1)) -> Array:
    """Turn by 90 degrees in the plane of two axes.

    Parameters
    ----------
    m : Array
        At least two axes.
    k : int, default 1
        How many times.
    axes : pair of int, default (0, 1)
        The turn is from the first axis towards the second.

    Returns
    -------
    Array
        Turned.

    Raises
    ------
    ValueError
        For axes that are not two different ones.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.rot90(sk.asarray([[1, 2], [3, 4]]))
    Array([[2, 4],
           [1, 3]], dtype=int64, device='cpu:0')

    """
    x = as_array("rot90", m)
    if len(axes) != 2:
        raise ValueError(f"rot90: {len(axes)} axes; a plane has 2")
    first, second = (axis_within("rot90", axis, x.ndim) for axis in axes)
    if first == second:
        raise ValueError(f"rot90: axes {tuple(axes)} are one; a plane has 2")
    if k % 4 == 2:
        return sk.flip(x, axis=(first, second))
    if k % 4 == 1:
        x = sk.flip(x, axis=second)
    if k % 2:
        x = swapaxes(x, first, second)
    return sk.flip(x, axis=second) if k % 4 == 3 else x


def swapaxes(a: Any, axis1: int, axis2: int) -> Array:
    """Exchange two axes.

    Parameters
    ----------
    a : Array
        Any dtype.
    axis1, axis2 : int
        The axes.

    Returns
    -------
    Array
        A view.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.swapaxes(sk.zeros((2, 3, 4)), 0, -1).shape
    (4, 3, 2)

    """
    return as_array("swapaxes", a).swapaxes(axis1, axis2)


def ravel(a: Any, order: str = "C") -> Array:
    """Reshape to one axis.

    Parameters
    ----------
    a : Array
        Any dtype.
    order : {"C", "F"}, default "C"
        Whether the last axis runs fastest, or the first. "A" and "K" are "C": results don't depend on memory.

    Returns
    -------
    Array
        A view where there is one, as of ``reshape``.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.ravel(sk.asarray([[1, 2], [3, 4]]), order="F")
    Array([1, 3, 2, 4], dtype=int64, device='cpu:0')

    """
    x = a if type(a) is Array else as_array("ravel", a)
    if order == "C":
        return sk.reshape(x, (-1,))
    if order not in ("C", "F", "A", "K"):
        raise ValueError(f"ravel: order {order!r} is not known; it is one of C, F")
    return flat(sk.permute_dims(x, tuple(range(x.ndim))[::-1]) if order == "F" else x)


def _add_axes(name: str, arys: tuple[Any, ...], least: int) -> Any:
    results: Any = _core.with_axes(arys, least)
    if results is None:
        results = _core.with_axes(tuple(arrays_or_scalars(name, *arys)), least)
    return results[0] if len(results) == 1 else results


def atleast_1d(*arys: Any) -> Any:
    """Give arrays at least one axis.

    Parameters
    ----------
    *arys : Array or scalar
        Any number.

    Returns
    -------
    Array or tuple of Array
        Views; one array for one.

    Raises
    ------
    DeviceMismatchError
        For arrays on different devices.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.atleast_1d(sk.asarray(3.0))
    Array([3.], dtype=float64, device='cpu:0')

    """
    return _add_axes("atleast_1d", arys, 1)


def atleast_2d(*arys: Any) -> Any:
    """Give arrays at least two axes, the new ones first.

    Parameters
    ----------
    *arys : Array or scalar
        Any number.

    Returns
    -------
    Array or tuple of Array
        Views; one array for one.

    Raises
    ------
    DeviceMismatchError
        For arrays on different devices.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.atleast_2d(sk.asarray([1, 2])).shape
    (1, 2)

    """
    return _add_axes("atleast_2d", arys, 2)


def atleast_3d(*arys: Any) -> Any:
    """Give arrays at least three axes; a vector becomes (1, n, 1), a matrix (m, n, 1).

    Parameters
    ----------
    *arys : Array or scalar
        Any number.

    Returns
    -------
    Array or tuple of Array
        Views; one array for one.

    Raises
    ------
    DeviceMismatchError
        For arrays on different devices.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.atleast_3d(sk.asarray([1, 2])).shape
    (1, 2, 1)

    """
    return _add_axes("atleast_3d", arys, 3)


def transpose(a: Any, axes: Sequence[int] | None = None) -> Array:
    """Put the axes into another order.

    Parameters
    ----------
    a : Array
        Any dtype.
    axes : tuple of int, optional
        By default the reverse order.

    Returns
    -------
    Array
        A view.

    Raises
    ------
    AxisError, ValueError
        For axes that are not those of ``a``, each once.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.transpose(sk.ones((2, 3, 4))).shape
    (4, 3, 2)

    """
    return as_array("transpose", a).transpose(None if axes is None else tuple(axes))


def sliding_window_view(
    x: Any, window_shape: int | Sequence[int], axis: int | Sequence[int] | None = None
) -> Array:
    """View every window of a shape, for moving sums, means and the like.

    NumPy and libraries that ask for a namespace find it as ``lib.stride_tricks.sliding_window_view``, too.

    Parameters
    ----------
    x : Array
        Any dtype.
    window_shape : int or tuple of int
        How long the window is along each of ``axis``.
    axis : int or tuple of int, optional
        Along which it moves; by default along all.

    Returns
    -------
    Array
        A view of ``x`` with the axes of the window at the end; read-only, since windows share elements.

    Raises
    ------
    AxisError, ValueError
        For an axis that ``x`` has not, another number of lengths than of axes, and a window beyond ``x``.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.mean(sk.sliding_window_view(sk.asarray([1.0, 2.0, 6.0, 4.0]), 3), axis=-1)
    Array([3., 4.], dtype=float64, device='cpu:0')

    """
    array = as_array("sliding_window_view", x)
    lengths = [window_shape] if np.ndim(window_shape) == 0 else list(window_shape)  # type: ignore[arg-type]
    axes = range(array.ndim) if axis is None else [axis] if np.ndim(axis) == 0 else axis
    windows: Array = _core.sliding_windows(array, lengths, list(axes))  # type: ignore[arg-type]
    return windows
