# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Splitting arrays."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from skerry import _core
from skerry._core import Array
from skerry._extra._operands import as_array, axis_within

__all__ = ["array_split", "dsplit", "hsplit", "split", "vsplit"]

Parts = int | Sequence[int]


def array_split(ary: Any, indices_or_sections: Parts, axis: int = 0) -> list[Array]:
    """Split an array into parts, which may differ in length.

    Parameters
    ----------
    ary : Array
        Array with at least one axis.
    indices_or_sections : int or sequence of int
        Number of parts, of which the first ones may be longer by one element; or the indices to split at.
    axis : int, default 0
        Axis to split along.

    {Returns: list of views}

    Raises
    ------
    ValueError
        If the number of sections is less than 1.

    Examples
    --------
    >>> import skerry as sk
    >>> [part.shape for part in sk.array_split(sk.zeros((7, 2)), 3)]
    [(3, 2), (2, 2), (2, 2)]

    """
    return _parts("array_split", ary, indices_or_sections, axis, equal=False)


def _parts(name: str, ary: Any, cuts: Any, axis: int, *, equal: bool) -> list[Array]:
    x = as_array(name, ary)
    axis = axis_within(name, axis, x.ndim)
    n = x.shape[axis]
    if np.ndim(cuts) == 0:
        cuts = operator.index(cuts)
        if cuts < 1:
            raise ValueError(f"{name}: the number of sections must be at least 1, not {cuts}")
        _core.require_objects(name, cuts)
        section_size, more = divmod(n, cuts)
        if equal and more:
            raise ValueError(
                f"{name}: can't split {n} elements into {cuts} equal parts; use array_split"
            )
        cuts = [(i + 1) * section_size + min(i + 1, more) for i in range(cuts - 1)]
    parts: list[Array] = _core.cut(x, axis, [int(i) for i in cuts])
    return parts


def split(ary: Any, indices_or_sections: Parts, axis: int = 0) -> list[Array]:
    """Split an array into equal parts, or at indices.

    Parameters
    ----------
    ary, indices_or_sections, axis
        See ``array_split``.

    {Returns: list of views}

    Raises
    ------
    ValueError
        If the parts would not be equal.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.split(sk.arange(4), 2)
    [Array([0, 1], dtype=int64, device='cpu:0'), Array([2, 3], dtype=int64, device='cpu:0')]

    """
    return _parts("split", ary, indices_or_sections, axis, equal=True)


def _split_along(name: str, ary: Any, cuts: Parts, axis: int, least: int) -> list[Array]:
    x = as_array(name, ary)
    if x.ndim < least:
        raise ValueError(f"{name}: needs at least {least} axes, not {x.ndim}; use split")
    return _parts(name, x, cuts, axis if x.ndim > 1 else 0, equal=True)


def hsplit(ary: Any, indices_or_sections: Parts) -> list[Array]:
    """Split an array horizontally: along axis 1, or axis 0 for a 1-D array.

    Parameters
    ----------
    ary, indices_or_sections
        See ``split``.

    {Returns: list of views}

    Examples
    --------
    >>> import skerry as sk
    >>> [part.shape for part in sk.hsplit(sk.zeros((2, 4)), 2)]
    [(2, 2), (2, 2)]

    """
    return _split_along("hsplit", ary, indices_or_sections, 1, 1)


def vsplit(ary: Any, indices_or_sections: Parts) -> list[Array]:
    """Split an array of at least two axes vertically: along axis 0.

    Parameters
    ----------
    ary, indices_or_sections
        See ``split``.

    {Returns: list of views}

    Examples
    --------
    >>> import skerry as sk
    >>> [part.shape for part in sk.vsplit(sk.zeros((2, 4)), 2)]
    [(1, 4), (1, 4)]

    """
    return _split_along("vsplit", ary, indices_or_sections, 0, 2)


def dsplit(ary: Any, indices_or_sections: Parts) -> list[Array]:
    """Split an array of at least three axes depth-wise: along axis 2.

    Parameters
    ----------
    ary, indices_or_sections
        See ``split``.

    {Returns: list of views}

    Examples
    --------
    >>> import skerry as sk
    >>> [part.shape for part in sk.dsplit(sk.zeros((2, 3, 4)), 2)]
    [(2, 3, 2), (2, 3, 2)]

    """
    return _split_along("dsplit", ary, indices_or_sections, 2, 3)
