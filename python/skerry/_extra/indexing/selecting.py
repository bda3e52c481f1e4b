# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Finding and picking."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import skerry as sk
from skerry._core import Array
from skerry._extra._operands import as_array, as_arrays, axis_within, flat, indices, promoted
from skerry._extra.indexing.flat_indices import within
from skerry.exceptions import ShapeError

__all__ = ["argwhere", "choose", "compress", "extract", "flatnonzero", "select"]

# So many are chosen one after the other, in less time than a stack of them takes.
FEW_CHOICES = 4


def flatnonzero(a: Any) -> Array:
    """Return where the flattened array is not zero.

    Reads from the device how many there are: the call waits for it.

    Parameters
    ----------
    a : Array
        Any dtype.

    Returns
    -------
    Array
        Indices of int64.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.flatnonzero(sk.asarray([[0, 2], [3, 0]]))
    Array([1, 2], dtype=int64, device='cpu:0')

    """
    return sk.nonzero(flat(as_array("flatnonzero", a)))[0]


def argwhere(a: Any) -> Array:
    """Return where an array is not zero, a row of indices for each place.

    Reads from the device how many there are: the call waits for it.

    Parameters
    ----------
    a : Array
        Any dtype.

    Returns
    -------
    Array
        Of int64, with as many columns as ``a`` has axes.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.argwhere(sk.asarray([[0, 2], [3, 0]]))
    Array([[0, 1],
           [1, 0]], dtype=int64, device='cpu:0')

    """
    x = as_array("argwhere", a)
    if x.ndim == 0:
        return sk.reshape(flatnonzero(x), (-1, 1))[:, :0]
    return sk.stack(sk.nonzero(x), axis=1)


def select(condlist: Sequence[Any], choicelist: Sequence[Any], default: Any = 0) -> Array:
    """Take each element from the choice of the first condition that holds.

    Parameters
    ----------
    condlist : sequence of Array
        Of bool.
    choicelist : sequence of Array or scalar
        One for each condition; all broadcast.
    default : Array or scalar
        Where none holds.

    Returns
    -------
    Array
        Of the common dtype of choices and default.

    Raises
    ------
    DeviceMismatchError
        For arrays on different devices.
    ValueError
        Unless there is one choice for each condition, and one at least.

    Examples
    --------
    >>> import skerry as sk
    >>> x = sk.arange(5)
    >>> sk.select([x < 2, x > 3], [x, 10 * x], -1)
    Array([ 0,  1, -1, -1, 40], dtype=int64, device='cpu:0')

    """
    if len(condlist) != len(choicelist) or not condlist:
        raise ValueError(
            f"select: {len(condlist)} conditions and {len(choicelist)} choices; give as many of each"
        )
    everything = as_arrays("select", *condlist, *choicelist, default)
    conditions, choices = everything[: len(condlist)], everything[len(condlist) :]
    for condition in conditions:
        if condition.dtype != sk.bool:
            raise TypeError(f"select: a condition is {condition.dtype}, not bool; compare first")
    arrays = [x for x in (*choicelist, default) if isinstance(x, (Array, np.ndarray))]
    values = promoted("select", *(choices if not arrays else (*choicelist, default)))
    shape = sk.broadcast_shapes(*(x.shape for x in everything))
    result = values[-1]
    for condition, choice in zip(conditions[::-1], values[-2::-1], strict=True):
        result = sk.where(condition, choice, result)
    return result if result.shape == shape else sk.broadcast_to(result, shape).copy()


def choose(a: Any, choices: Sequence[Any], *, mode: str = "raise") -> Array:
    """Take each element from the choice whose number is given.

    Parameters
    ----------
    a : Array
        Integers, which of the choices.
    choices : sequence of Array
        They broadcast with ``a``.
    mode : {"raise", "wrap", "clip"}, default "raise"
        What a number beyond the choices means. "raise" reads from the device whether there is one: the call waits.

    Returns
    -------
    Array
        Of the common dtype of choices.

    Raises
    ------
    DeviceMismatchError
        For arrays on different devices.
    ValueError
        For a number beyond the choices.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.choose(sk.asarray([0, 1, 0]), [sk.asarray([1, 2, 3]), sk.asarray([7, 8, 9])])
    Array([1, 8, 3], dtype=int64, device='cpu:0')

    """
    listed = sk.unstack(choices) if isinstance(choices, Array) else choices
    choice_indices, *_ = as_arrays("choose", a, *listed)
    choice_indices = within("choose", choice_indices, len(listed), mode)
    options = promoted("choose", *listed) if listed else []
    if 1 < len(options) <= FEW_CHOICES:
        result = options[-1]
        for number in range(len(options) - 2, -1, -1):
            result = sk.where(choice_indices == number, options[number], result)
        return result
    shape = sk.broadcast_shapes(choice_indices.shape, *(x.shape for x in options))
    stacked = sk.stack([sk.broadcast_to(x, shape) for x in options])
    choice_indices = sk.broadcast_to(choice_indices, shape)
    return sk.take_along_axis(stacked, sk.expand_dims(choice_indices, 0), axis=0)[0, ...]


def compress(condition: Any, a: Any, axis: int | None = None) -> Array:
    """Keep the slices where a condition holds.

    Reads from the device how many there are: the call waits for it.

    Parameters
    ----------
    condition : Array or sequence of bool
        One axis; what is beyond its end is left out.
    a : Array
        Any dtype.
    axis : int or None
        None is of the flattened array.

    Returns
    -------
    Array
        New.

    Raises
    ------
    DeviceMismatchError
        For arrays on different devices.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.compress([False, True], sk.asarray([[1, 2], [3, 4], [5, 6]]), axis=0)
    Array([[3, 4]], dtype=int64, device='cpu:0')

    """
    x = as_array("compress", a)
    holds = indices("compress", condition, x)
    if holds.ndim != 1:
        raise ShapeError(f"compress: the condition has {holds.ndim} axes; it must have 1")
    x, axis = (flat(x), 0) if axis is None else (x, axis_within("compress", axis, x.ndim))
    return sk.take(x, sk.nonzero(holds)[0], axis=axis)


def extract(condition: Any, arr: Any) -> Array:
    """Return the elements where a condition holds, flattened.

    Reads from the device how many there are: the call waits for it.

    Parameters
    ----------
    condition, arr : Array
        Of as many elements.

    Returns
    -------
    Array
        One axis.

    Raises
    ------
    DeviceMismatchError
        For arrays on different devices.

    Examples
    --------
    >>> import skerry as sk
    >>> x = sk.arange(6)
    >>> sk.extract(x % 3 == 0, x)
    Array([0, 3], dtype=int64, device='cpu:0')

    """
    x = as_array("extract", arr)
    return sk.take(flat(x), flatnonzero(indices("extract", condition, x)))
