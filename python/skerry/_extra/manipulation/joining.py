# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Joining arrays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import skerry as sk
from skerry import _core
from skerry._core import Array
from skerry._data_types import as_dtype, result_type
from skerry._extra._operands import as_arrays, cast, promoted
from skerry._outputs import require_cast

__all__ = ["block", "column_stack", "dstack", "hstack", "row_stack", "vstack"]


def _join(
    name: str,
    arrays: Sequence[Any],
    axis: int,
    least: int,
    dtype: Any = None,
    casting: str = "same_kind",
) -> Array:
    if isinstance(arrays, Array):
        arrays = sk.unstack(arrays)
    if dtype is None and casting == "same_kind":
        operands = promoted(name, *arrays)
    else:
        operands = as_arrays(name, *arrays)
        target = as_dtype(dtype) if dtype is not None else result_type(*(x.dtype for x in operands))
        for i, x in enumerate(operands):
            require_cast(name, f"tup[{i}]", x.dtype, "the result", target, casting)
        operands = [cast(x, target) for x in operands]
    parts: Any = _core.with_axes(tuple(operands), least)
    return sk.concat(parts, axis=axis if parts[0].ndim > 1 else 0)


def vstack(tup: Sequence[Any], *, dtype: Any = None, casting: str = "same_kind") -> Array:
    """Stack arrays vertically (row-wise): join along axis 0, with vectors as rows.

    Parameters
    ----------
    tup : sequence of Array
        Arrays to join; their shapes may differ along axis 0 only.
    dtype : dtype, optional
        Dtype of the result.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}, default "same_kind"
        Which casts to the dtype of the result are allowed, as in ``numpy.can_cast``.

    {Returns: common dtype}

    Raises
    ------
    {DeviceMismatchError}
    DTypeError
        If a cast is not allowed.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.vstack([sk.asarray([1, 2]), sk.asarray([3, 4])])
    Array([[1, 2],
           [3, 4]], dtype=int64, device='cpu:0')

    """
    return _join("vstack", tup, 0, 2, dtype, casting)


row_stack = vstack  # NumPy has both names


def hstack(tup: Sequence[Any], *, dtype: Any = None, casting: str = "same_kind") -> Array:
    """Stack arrays horizontally (column-wise): join along axis 1; vectors along their only axis.

    Parameters
    ----------
    tup, dtype, casting
        See ``vstack``; the shapes may differ along axis 1 only.

    {Returns: common dtype}

    {Raises: DeviceMismatchError}

    Examples
    --------
    >>> import skerry as sk
    >>> sk.hstack([sk.asarray([1, 2]), sk.asarray([3])])
    Array([1, 2, 3], dtype=int64, device='cpu:0')

    """
    return _join("hstack", tup, 1, 1, dtype, casting)


def dstack(tup: Sequence[Any]) -> Array:
    """Stack arrays depth-wise: join along axis 2, after ``atleast_3d``.

    Parameters
    ----------
    tup : sequence of Array
        Arrays to join; their shapes may differ along axis 2 only.

    {Returns: common dtype}

    {Raises: DeviceMismatchError}

    Examples
    --------
    >>> import skerry as sk
    >>> sk.dstack([sk.asarray([1, 2]), sk.asarray([3, 4])])
    Array([[[1, 3],
            [2, 4]]], dtype=int64, device='cpu:0')

    """
    return _join("dstack", tup, 2, 3)


def column_stack(tup: Sequence[Any]) -> Array:
    """Stack vectors and matrices as columns of a matrix.

    Parameters
    ----------
    tup : sequence of Array
        1-D and 2-D arrays of the same length along axis 0.

    Returns
    -------
    Array
        Matrix of the common dtype.

    {Raises: DeviceMismatchError}

    Examples
    --------
    >>> import skerry as sk
    >>> sk.column_stack([sk.asarray([1, 2]), sk.asarray([3, 4])])
    Array([[1, 3],
           [2, 4]], dtype=int64, device='cpu:0')

    """
    arrays = promoted("column_stack", *(sk.unstack(tup) if isinstance(tup, Array) else tup))
    return sk.concat([x if x.ndim > 1 else sk.reshape(x, (-1, 1)) for x in arrays], axis=1)


def block(arrays: Any) -> Array:
    """Assemble an array from nested lists of blocks.

    Parameters
    ----------
    arrays : nested list of Array or scalar
        Blocks. The innermost lists are joined along the last axis, those around them along the axis before it.

    Returns
    -------
    Array
        New array of the common dtype.

    Raises
    ------
    {DeviceMismatchError}
    ValueError
        If lists are empty or nested to different depths, or the shapes do not match.
    TypeError
        If a tuple is used instead of a list.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.block([[sk.eye(2), sk.zeros((2, 1))], [sk.ones((1, 2)), 7]])
    Array([[1., 0., 0.],
           [0., 1., 0.],
           [1., 1., 7.]], dtype=float64, device='cpu:0')

    """
    blocks: list[Any] = []
    depth = _nesting_depth(arrays, blocks)
    parts = promoted("block", *blocks)
    rank = max(depth, *(x.ndim for x in parts))
    remaining = iter([sk.reshape(x, (1,) * (rank - x.ndim) + x.shape) for x in parts])
    result = _assembled(arrays, remaining, rank - depth)
    return result if depth else result.copy()


def _assembled(nested: Any, remaining: Iterator[Array], axis: int) -> Array:
    """Join the blocks of nested lists: those of the outermost list along ``axis``."""
    if not isinstance(nested, list):
        return next(remaining)
    return sk.concat([_assembled(item, remaining, axis + 1) for item in nested], axis=axis)


def _nesting_depth(nested: Any, blocks: list[Any]) -> int:
    """Return how deep lists are nested, and append what they contain to ``blocks``."""
    if isinstance(nested, tuple):
        raise TypeError("block: arrays is a tuple or contains one; use lists")
    if not isinstance(nested, list):
        blocks.append(nested)
        return 0
    depths = {_nesting_depth(item, blocks) for item in nested}
    if len(depths) != 1:
        text = "are nested to different depths" if depths else "are empty"
        raise ValueError(f"block: some lists {text}; nest all to one depth")
    return depths.pop() + 1
