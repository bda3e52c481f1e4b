# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Traces."""

from __future__ import annotations

from typing import Any

import skerry as sk
from skerry._core import Array
from skerry._extra._operands import as_array, axis_within
from skerry._outputs import output_argument, store

__all__ = ["trace"]


def _matrices(name: str, a: Any, axis1: int, axis2: int) -> Array:
    x = as_array(name, a)
    axes = tuple(axis_within(name, axis, x.ndim) for axis in (axis1, axis2))
    if axes[0] == axes[1]:
        raise ValueError(f"{name}: axis1 and axis2 must be different axes: {axes[0]} twice")
    return x if axes == (x.ndim - 2, x.ndim - 1) else sk.moveaxis(x, axes, (-2, -1))


def trace(
    a: Any,
    offset: int = 0,
    axis1: int = 0,
    axis2: int = 1,
    dtype: Any = None,
    out: Array | None = None,
) -> Array:
    """Return the sums along diagonals of matrices.

    Parameters
    ----------
    a, offset, axis1, axis2
        See ``diagonal``.
    dtype : dtype, optional
        Dtype of the result; by default that of ``sum``.
    out : {out}

    Returns
    -------
    Array
        The sums.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.trace(sk.asarray([[1, 2], [3, 4]]))
    Array(5, dtype=int64, device='cpu:0')

    """
    x = _matrices("trace", a, axis1, axis2)
    result = sk.sum(sk.linalg.diagonal(x, offset=offset), axis=-1, dtype=dtype)
    return result if out is None else store("trace", result, output_argument("trace", out, x))
