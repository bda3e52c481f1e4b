# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Selecting."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import skerry as sk
from skerry import _core
from skerry._core import Array
from skerry._extra._operands import as_array, as_arrays, axis_within, flat, indices, promoted
from skerry._extra.indexing._bounds import within
from skerry._outputs import output_argument, store
from skerry.exceptions import ShapeError

__all__ = ["as_strided", "choose", "compress", "diagonal", "select", "sliding_window_view"]

# Maximum number of choices that are selected one by one, which is faster than stacking them.
FEW_CHOICES = 4


def select(condlist: Sequence[Any], choicelist: Sequence[Any], default: Any = 0) -> Array:
    """Select each element from the choice of the first condition that is true.

    Parameters
    ----------
    condlist : sequence of Array
        Conditions, of bool.
    choicelist : sequence of Array or scalar
        One choice for each condition; all operands are broadcast.
    default : Array or scalar
        Values where no condition is true.

    Returns
    -------
    Array
        Array of the common dtype of choices and default.

    Raises
    ------
    {DeviceMismatchError}
    ValueError
        If the numbers of conditions and choices differ, or there are none.

    Examples
    --------
    >>> import skerry as sk
    >>> x = sk.arange(5)
    >>> sk.select([x < 2, x > 3], [x, 10 * x], -1)
    Array([ 0,  1, -1, -1, 40], dtype=int64, device='cpu:0')

    """
    if len(condlist) != len(choicelist) or not condlist:
        raise ValueError(
            f"select: condlist and choicelist differ in length: {len(condlist)} and {len(choicelist)}, or are empty"
        )
    names = ("condition",) * len(condlist)
    everything = as_arrays("select", *condlist, *choicelist, default, names=names)
    conditions, choices = everything[: len(condlist)], everything[len(condlist) :]
    for condition in conditions:
        if condition.dtype != sk.bool:
            raise TypeError(
                f"select: conditions must be of bool, not {condition.dtype}; compare first"
            )
    values = promoted("select", *choices)
    shape = sk.broadcast_shapes(*(x.shape for x in everything))
    result = values[-1]
    for condition, choice in zip(conditions[::-1], values[-2::-1], strict=True):
        result = sk.where(condition, choice, result)
    return result if result.shape == shape else sk.broadcast_to(result, shape).copy()


def choose(a: Any, choices: Sequence[Any], out: Array | None = None, mode: str = "raise") -> Array:
    """Select elements from several arrays, by an array of the indices of these arrays.

    Parameters
    ----------
    a : Array
        Integer array: for each element the index of the choice to take it from.
    choices : sequence of Array
        Choices, which are broadcast with ``a``.
    out : {out}
    mode : {"raise", "wrap", "clip"}, default "raise"
        How to handle out-of-bounds indices. "raise" checks them, which reads from the device: the call waits.

    Returns
    -------
    Array
        Array of the common dtype of the choices.

    Raises
    ------
    {DeviceMismatchError}
    ValueError
        If an index is out of bounds and ``mode`` is "raise".

    Examples
    --------
    >>> import skerry as sk
    >>> sk.choose(sk.asarray([0, 1, 0]), [sk.asarray([1, 2, 3]), sk.asarray([7, 8, 9])])
    Array([1, 8, 3], dtype=int64, device='cpu:0')

    """
    listed = sk.unstack(choices) if isinstance(choices, Array) else choices
    choice_indices, *options = as_arrays("choose", a, *listed, names=("indices",))
    result = _chosen(within("choose", "a", choice_indices, len(listed), mode), options)
    return (
        result if out is None else store("choose", result, output_argument("choose", out, result))
    )


def _chosen(choice_indices: Array, choices: list[Array]) -> Array:
    options = promoted("choose", *choices) if choices else []
    if 1 < len(options) <= FEW_CHOICES:
        result = options[-1]
        for number in range(len(options) - 2, -1, -1):
            result = sk.where(choice_indices == number, options[number], result)
        return result
    shape = sk.broadcast_shapes(choice_indices.shape, *(x.shape for x in options))
    stacked = sk.stack([sk.broadcast_to(x, shape) for x in options])
    choice_indices = sk.broadcast_to(choice_indices, shape)
    return sk.take_along_axis(stacked, sk.expand_dims(choice_indices, 0), axis=0)[0, ...]


def compress(condition: Any, a: Any, axis: int | None = None, out: Array | None = None) -> Array:
    """Return the slices along an axis where a condition is true.

    The size of the result is read from the device: the call waits for it.

    Parameters
    ----------
    condition : Array or sequence of bool
        1-D condition. Slices beyond its end are not selected.
    a : {any dtype}
    axis : {None is flattened}
    out : {out}

    Returns
    -------
    Array
        New array, or ``out``.

    {Raises: DeviceMismatchError}

    Examples
    --------
    >>> import skerry as sk
    >>> sk.compress([False, True], sk.asarray([[1, 2], [3, 4], [5, 6]]), axis=0)
    Array([[3, 4]], dtype=int64, device='cpu:0')

    """
    x = as_array("compress", a)
    holds = indices("compress", condition, x)
    if holds.ndim != 1:
        raise ShapeError(f"compress: condition must be 1-D, not of {holds.ndim} axes")
    x, axis = (flat(x), 0) if axis is None else (x, axis_within("compress", axis, x.ndim))
    selected = sk.nonzero(holds)[0]
    length = x.shape[axis]
    if holds.shape[0] > length and selected.size > 0 and int(selected[-1]) >= length:
        raise IndexError(
            f"compress: condition is true at {int(selected[-1])}, and axis {axis} of a has size {length}; "
            f"use condition[:{length}]"
        )
    result = sk.take(x, selected, axis=axis)
    return result if out is None else store("compress", result, output_argument("compress", out, x))


def diagonal(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Array:
    """Return diagonals of matrices.

    Parameters
    ----------
    a : {at least two axes}
    offset : int, default 0
        Offset from the main diagonal; positive numbers are above it.
    axis1, axis2 : int
        Axes of the matrices.

    Returns
    -------
    Array
        View with the diagonals along the last axis.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.diagonal(sk.asarray([[1, 2], [3, 4]]))
    Array([1, 4], dtype=int64, device='cpu:0')

    """
    return as_array("diagonal", a).diagonal(offset, axis1, axis2)


def as_strided(
    x: Any,
    shape: int | Sequence[int] | None = None,
    strides: Sequence[int] | None = None,
    subok: bool = False,
    writeable: bool = True,
) -> Array:
    """Return a view with another shape and other strides, which begins at the first element.

    It is also available as ``lib.stride_tricks.as_strided``, as in NumPy. Unlike there, a view that would leave the
    memory of the array is an error, and so is a write into a view whose elements overlap.

    Parameters
    ----------
    x : {any dtype}
    shape : int or tuple of int, optional
        Shape of the view; by default that of ``x``.
    strides : tuple of int, optional
        Distances between elements along each axis in bytes, multiples of the item size; by default those of ``x``.
    subok : bool, default False
        NumPy's, without effect.
    writeable : bool, default True
        Whether the view may be written to, if ``x`` may.

    Returns
    -------
    Array
        View of ``x``.

    Raises
    ------
    ValueError
        If an element would lie outside of the memory of ``x``, which is that of its base; or if the numbers of strides
        and axes differ.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.as_strided(sk.arange(6), (2, 3), (8, 16))
    Array([[0, 2, 4],
           [1, 3, 5]], dtype=int64, device='cpu:0')

    """
    array = as_array("as_strided", x)
    lengths = array.shape if shape is None else shape if np.iterable(shape) else (shape,)
    distances = array.strides if strides is None else tuple(strides)
    view: Array = _core.strided_view(array, tuple(lengths), distances, writeable)
    return view


def sliding_window_view(
    x: Any,
    window_shape: int | Sequence[int],
    axis: int | Sequence[int] | None = None,
    *,
    subok: bool = False,
    writeable: bool = False,
) -> Array:
    """Return a view of all sliding windows of a shape, for example for moving averages.

    It is also available as ``lib.stride_tricks.sliding_window_view``, as in NumPy.

    Parameters
    ----------
    x : {any dtype}
    window_shape : int or tuple of int
        Length of the window along each of ``axis``.
    axis : int or tuple of int, optional
        Axis or axes along which the window slides; by default all.
    subok, writeable : bool, default False
        NumPy's; ``subok`` has no effect, and ``writeable`` must be False.

    Returns
    -------
    Array
        View of ``x`` with the axes of the window last; read-only, since windows share elements.

    Raises
    ------
    AxisError, ValueError
        If an axis is out of bounds, the numbers of lengths and axes differ, a window is larger than ``x``, or
        ``writeable`` is True.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.mean(sk.sliding_window_view(sk.asarray([1.0, 2.0, 6.0, 4.0]), 3), axis=-1)
    Array([3., 4.], dtype=float64, device='cpu:0')

    """
    if writeable:
        raise ValueError(
            "sliding_window_view: windows share elements, so that writeable must be False; write to x"
        )
    array = as_array("sliding_window_view", x)
    lengths = [window_shape] if np.ndim(window_shape) == 0 else list(window_shape)  # type: ignore[arg-type]
    axes = range(array.ndim) if axis is None else [axis] if np.ndim(axis) == 0 else axis
    windows: Array = _core.sliding_windows(array, lengths, list(axes))  # type: ignore[arg-type]
    return windows
