# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Least squares, and linear equations of tensors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

import skerry as sk
from skerry._core import Array
from skerry._data_types import kind_of, limits_of, result_type
from skerry._extra._operands import as_array, as_arrays, axes_within, cast, require_beside
from skerry.exceptions import MatrixShapeError

__all__ = ["lstsq", "tensorinv", "tensorsolve"]


def lstsq(a: Any, b: Any, rcond: float | None = None) -> tuple[Array, Array, int, Array]:
    """Return the least-squares solution of ``a @ x = b`` with the smallest norm.

    Parameters
    ----------
    a : Array
        Matrix of shape (M, N). Integers and bool are computed as float64.
    b : Array
        Right-hand sides of shape (M,) or (M, K).
    rcond : float, optional
        Singular values not above ``rcond`` times the largest count as 0; by default max(M, N) times the epsilon of the
        dtype, for a negative number the epsilon.

    Returns
    -------
    x : Array
        Solution of shape (N,) or (N, K).
    residuals : Array
        Sums of squares of ``b - a @ x``, of shape (1,) or (K,); empty if the rank is below N, or M <= N.
    rank : int
        Rank of ``a``, which is read from the device: the call waits for it.
    s : Array
        Singular values of ``a``, descending.

    Raises
    ------
    {DeviceMismatchError}
    LinAlgError
        If an element of ``a`` is NaN or infinite.
    TypeError
        If a dtype is float16.
    ValueError
        If the shapes do not match.

    Examples
    --------
    >>> import skerry as sk
    >>> a = sk.asarray([[0.0, 1.0], [1.0, 1.0], [2.0, 1.0]])
    >>> x, residuals, rank, s = sk.linalg.lstsq(a, sk.asarray([1.0, 3.0, 5.0]))
    >>> sk.round(x)
    Array([2., 1.], dtype=float64, device='cpu:0')
    >>> rank
    2

    """
    a, b = as_arrays("lstsq", a, b)
    require_beside("lstsq", a, rcond)
    if a.ndim != 2 or b.ndim not in (1, 2) or a.shape[0] != b.shape[0]:
        raise MatrixShapeError(
            "lstsq: a must be a matrix, and b a vector or a matrix with as many rows: "
            f"a has shape {a.shape}, b {b.shape}"
        )
    dtype = result_type(*(x.dtype if kind_of(x.dtype) in "fc" else np.float64 for x in (a, b)))
    a, b = cast(a, dtype), cast(b, dtype)
    right = b if b.ndim == 2 else b[:, None]
    x, rank, s = _solution(a, right, rcond)
    residuals = sk.sum(sk.abs(right - a @ x) ** 2, axis=0)
    if rank < a.shape[1] or a.shape[0] <= a.shape[1]:
        residuals = residuals[:0]
    return (x if b.ndim == 2 else x[:, 0]), residuals, rank, s


def _solution(a: Array, b: Array, rcond: float | None) -> tuple[Array, int, Array]:
    """Return the solution, the rank and the singular values."""
    limits = limits_of(a.dtype)
    if a.size == 0:
        s = sk.zeros((0,), dtype=limits.dtype, device=a.device)
        return sk.zeros((a.shape[1], b.shape[1]), dtype=a.dtype, device=a.device), 0, s
    u, s, vh = sk.linalg.svd(a, full_matrices=False)
    if rcond is None:
        rcond = float(limits.eps) * max(a.shape)
    elif rcond < 0:
        rcond = float(limits.eps)
    is_used = s > rcond * s[0]
    inverse = sk.where(is_used, 1 / sk.where(is_used, s, 1), 0)[:, None]
    x = sk.conj(vh.mT) @ (cast(inverse, a.dtype) * (sk.conj(u.mT) @ b))
    return x, int(sk.count_nonzero(is_used)), s


def tensorsolve(a: Any, b: Any, axes: Sequence[int] | None = None) -> Array:
    """Solve ``tensordot(a, x, axes=x.ndim) = b``.

    Parameters
    ----------
    a : Array
        Coefficients of shape ``b.shape + Q``, where the product of Q is the number of elements of ``b``.
    b : Array
        Right-hand side.
    axes : sequence of int, optional
        Axes of ``a`` that are moved to the end first, in that order.

    Returns
    -------
    Array
        Solution of shape Q.

    Raises
    ------
    {DeviceMismatchError}
    LinAlgError
        If the matrix of the equations is singular.
    ValueError
        If the shapes do not match.

    Examples
    --------
    >>> import skerry as sk
    >>> a = sk.reshape(2 * sk.eye(6), (3, 2, 6))
    >>> sk.linalg.tensorsolve(a, sk.ones((3, 2)))
    Array([0.5, 0.5, 0.5, 0.5, 0.5, 0.5], dtype=float64, device='cpu:0')

    """
    a, b = as_arrays("tensorsolve", a, b)
    require_beside("tensorsolve", a, axes)
    if axes is not None:
        moved = axes_within("tensorsolve", axes, a.ndim)
        a = sk.permute_dims(a, (*(i for i in range(a.ndim) if i not in moved), *moved))
    shape = a.shape[b.ndim :]
    if a.size != math.prod(shape) ** 2 or b.size != math.prod(shape):
        raise MatrixShapeError(
            "tensorsolve: the axes of a after those of b must have as many elements as b: "
            f"a has shape {a.shape}, b {b.shape}"
        )
    matrix = sk.reshape(a, (b.size, b.size))
    return sk.reshape(sk.linalg.solve(matrix, sk.reshape(b, (-1,))), shape)


def tensorinv(a: Any, ind: int = 2) -> Array:
    """Return the inverse of ``a`` for ``tensordot`` over ``ind`` axes.

    Parameters
    ----------
    a : Array
        Array whose first ``ind`` axes have as many elements as the others.
    ind : int, default 2
        Number of axes.

    Returns
    -------
    Array
        Array of shape ``a.shape[ind:] + a.shape[:ind]``.

    Raises
    ------
    LinAlgError
        If the matrix is singular.
    ValueError
        If ``ind`` is not positive, or the shape does not match it.

    Examples
    --------
    >>> import skerry as sk
    >>> a = sk.reshape(2 * sk.eye(6), (6, 3, 2))
    >>> sk.linalg.tensorinv(a, ind=1).shape
    (3, 2, 6)

    """
    x = as_array("tensorinv", a)
    require_beside("tensorinv", x, ind)
    if ind <= 0:
        raise ValueError(f"tensorinv: ind must be positive, not {ind}")
    count = math.prod(x.shape[:ind])
    if count != math.prod(x.shape[ind:]):
        raise MatrixShapeError(
            f"tensorinv: the first {ind} axes must have as many elements as the others: shape {x.shape}"
        )
    inverse = sk.linalg.inv(sk.reshape(x, (count, count)))
    return sk.reshape(inverse, x.shape[ind:] + x.shape[:ind])
