# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Norms and condition numbers."""

from __future__ import annotations

import math
from typing import Any

import skerry as sk
from skerry import _core
from skerry._core import Array
from skerry._data_types import kind_of
from skerry._extra._operands import as_array, axes_within, require_beside
from skerry.exceptions import LinAlgError, MatrixShapeError

__all__ = ["cond", "norm"]

_MATRIX_ORDERS = ("fro", "nuc", 1, -1, 2, -2, math.inf, -math.inf)


def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Array:
    """Return norms of vectors or matrices.

    Parameters
    ----------
    x : Array
        Input array. Integers and bool are computed as float64.
    ord : int, float, inf, -inf, 'fro' or 'nuc', optional
        Order: of ``vector_norm`` for one axis, of ``matrix_norm`` for two. By default the root of the sum of squares.
    axis : int or tuple of int, optional
        The axis of the vectors, or the two axes of the matrices. None means all axes: one or two if ``ord`` is passed,
        else any number, which are flattened.
    keepdims : {kept axes}

    Returns
    -------
    Array
        Array of the real dtype. Norms of nothing are 0, or inf for negative orders.

    Raises
    ------
    AxisError
        If an axis is out of bounds.
    LinAlgError
        If singular values are needed (orders 2, -2 and 'nuc' of matrices) and an element is NaN or infinite.
    ValueError
        If ``ord`` is not an order of vectors or matrices, or ``axis`` has another number of axes.

    Examples
    --------
    >>> import skerry as sk
    >>> x = sk.asarray([[3.0, 0.0], [4.0, 1.0]])
    >>> sk.linalg.norm(x, axis=0)
    Array([5., 1.], dtype=float64, device='cpu:0')
    >>> sk.linalg.norm(x, 1)
    Array(7., dtype=float64, device='cpu:0')

    """
    x = as_array("norm", x)
    require_beside("norm", x, ord, axis, keepdims)
    axes = axes_within("norm", axis, x.ndim)
    if ord is None:
        return sk.linalg.vector_norm(x, axis=axes, keepdims=keepdims)
    if len(axes) == 1:
        if isinstance(ord, str):
            raise ValueError(f"norm: ord={ord!r} is for matrices; pass a number for vectors")
        return sk.linalg.vector_norm(x, axis=axes, ord=ord, keepdims=keepdims)
    if len(axes) != 2:
        raise ValueError(f"norm: ord= needs one or two axes, not {len(axes)}; pass axis=")
    _require_order("norm", "ord", ord)
    if axes == (x.ndim - 2, x.ndim - 1):
        return sk.linalg.matrix_norm(x, ord=ord, keepdims=keepdims)
    norms = sk.linalg.matrix_norm(sk.moveaxis(x, axes, (-2, -1)), ord=ord)
    return sk.expand_dims(norms, axes) if keepdims else norms


def cond(x: Any, p: Any = None) -> Array:
    """Return condition numbers of matrices: the norm times the norm of the inverse.

    Parameters
    ----------
    x : Array
        Matrices of shape (..., M, N), square unless ``p`` is None, 2 or -2. Integers and bool are computed as float64.
    p : {None, 1, -1, 2, -2, inf, -inf, 'fro', 'nuc'}, optional
        Order of the norm. None is 2: the ratio of the largest and the smallest singular value; -2 is its reciprocal.

    Returns
    -------
    Array
        Array of shape (...) and the real dtype: inf for a singular matrix (0 for p = -2), NaN for one with NaN.

    Raises
    ------
    LinAlgError
        If the matrices are empty.
    ValueError
        If there are fewer than two axes, the matrices are not square, or ``p`` is not an order of matrices.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.linalg.cond(sk.asarray([[4.0, 0.0], [0.0, 2.0]]))
    Array(2., dtype=float64, device='cpu:0')

    """
    x = as_array("cond", x)
    require_beside("cond", x, p)
    if x.ndim < 2:
        raise MatrixShapeError(f"cond: x must have at least two axes, not shape {x.shape}")
    if x.size == 0 and math.prod(x.shape[-2:]) == 0:
        raise LinAlgError(f"cond: not defined for empty matrices: shape {x.shape}")
    if kind_of(x.dtype) not in "fc":
        x = sk.astype(x, sk.float64)
    if p is not None:
        _require_order("cond", "p", p)
    is_ratio = p in (None, 2, -2)
    if not is_ratio and x.shape[-1] != x.shape[-2]:
        raise MatrixShapeError(f"cond: p={p!r} needs square matrices, not shape {x.shape}")
    is_finite = sk.all(sk.isfinite(x), axis=(-2, -1))
    matrices = sk.where(is_finite[..., None, None], x, 0)
    if is_ratio:
        values = sk.linalg.svdvals(matrices)
        largest, smallest = values[..., 0], values[..., -1]
        result = smallest / largest if p == -2 else largest / smallest
    else:
        inverses, is_singular = _core.linalg.inv_unchecked(matrices)
        is_regular = sk.all(sk.isfinite(inverses), axis=(-2, -1)) & ~is_singular
        inverses = sk.where(is_regular[..., None, None], inverses, 0)
        norms = sk.linalg.matrix_norm(matrices, ord=p) * sk.linalg.matrix_norm(inverses, ord=p)
        result = sk.where(is_regular, norms, sk.inf)
    has_nan = sk.any(sk.isnan(x), axis=(-2, -1))
    return sk.where(has_nan, sk.nan, sk.where(is_finite & ~sk.isnan(result), result, sk.inf))


def _require_order(name: str, parameter: str, order: Any) -> None:
    if order not in _MATRIX_ORDERS:
        raise ValueError(
            f"{name}: {parameter} must be 'fro', 'nuc', 1, 2, inf or the negative of one of these numbers, "
            f"not {order!r}"
        )
