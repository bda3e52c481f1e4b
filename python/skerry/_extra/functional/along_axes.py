# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Functions along axes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import skerry as sk
from skerry import _core
from skerry._arrays import as_array as as_home_array
from skerry._core import Array
from skerry._data_types import kind_of
from skerry._extra._operands import as_array, axis_within, cast, host_values
from skerry.exceptions import ShapeError

__all__ = ["apply_along_axis", "apply_over_axes"]


def apply_along_axis(
    func1d: Callable[..., Any], axis: int, arr: Any, *args: Any, **kwargs: Any
) -> Array:
    """Apply a function to the 1-D slices along an axis.

    The function is called for each slice. A function of whole arrays, with ``axis=``, is faster.

    Parameters
    ----------
    func1d : callable
        Takes a 1-D array on the device of ``arr``, and returns an array or a number.
    axis : int
        Axis along which the slices lie.
    arr : {any dtype}
    *args, **kwargs
        Passed on to the function.

    Returns
    -------
    Array
        The results, which have one shape, with their axes in the place of ``axis``. The dtype is that of the first
        result.

    Raises
    ------
    DeviceMismatchError
        If a result is on another device.
    ValueError
        If there are no slices, or the results differ in shape.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.apply_along_axis(lambda x: x - sk.min(x), 0, sk.asarray([[1, 5], [3, 4]]))
    Array([[0, 1],
           [2, 0]], dtype=int64, device='cpu:0')

    """
    x = as_array("apply_along_axis", arr)
    axis = axis_within("apply_along_axis", axis, x.ndim)
    slices = sk.moveaxis(x, axis, -1)
    outer_shape = slices.shape[:-1]
    if 0 in outer_shape:
        raise ValueError(
            f"apply_along_axis: arr of shape {x.shape} has no slices along axis {axis}; make the result with zeros"
        )
    results: list[Array] = []
    for index in np.ndindex(outer_shape):
        result = _result_beside(func1d(slices[(*index, ...)], *args, **kwargs), x)
        if results and result.shape != results[0].shape:
            raise ShapeError(
                f"apply_along_axis: results of func1d differ in shape: {results[0].shape} and {result.shape}"
            )
        results.append(cast(result, results[0].dtype) if results else result)
    inner_shape = results[0].shape
    whole = sk.reshape(sk.stack(results), outer_shape + inner_shape)
    inner_axes = range(len(inner_shape))
    return sk.moveaxis(
        whole, tuple(len(outer_shape) + i for i in inner_axes), tuple(axis + i for i in inner_axes)
    )


def _result_beside(value: Any, x: Array) -> Array:
    """Return a result of a user's function as an array on the device of ``x``; numbers and lists are copied there."""
    value = as_home_array(value)
    if not isinstance(value, Array):
        return sk.asarray(value, device=x.device)
    _core.require_one_device("apply_along_axis", (x, value))
    return value


def apply_over_axes(func: Callable[..., Any], a: Any, axes: int | Sequence[int]) -> Array:
    """Apply a function over several axes, one after the other.

    Parameters
    ----------
    func : callable
        Takes an array and an axis, and returns an array with or without that axis.
    a : {not changed}
    axes : int or sequence of int
        Axes over which the function is applied.

    Returns
    -------
    Array
        Last result, with as many axes as ``a``.

    Raises
    ------
    ValueError
        If a result has another number of axes.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.apply_over_axes(lambda x, axis: sk.sum(x, axis=axis), sk.ones((2, 3, 4)), [0, 2])
    Array([[[8.],
            [8.],
            [8.]]], dtype=float64, device='cpu:0')

    """
    x = as_array("apply_over_axes", a)
    rank = x.ndim
    listed = np.ravel(host_values("apply_over_axes", axes, x))
    if listed.size and kind_of(listed.dtype) not in "iu":
        raise TypeError(f"apply_over_axes: axes must be integers, not {listed.dtype}")
    for axis in listed.tolist():
        axis = axis_within("apply_over_axes", axis, rank)
        result = func(x, axis)
        x = sk.expand_dims(result, axis=axis) if result.ndim == rank - 1 else result
        if x.ndim != rank:
            raise ShapeError(
                f"apply_over_axes: func returned an array of {result.ndim} axes; return {rank - 1} or {rank} axes"
            )
    return x
