# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Building matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

import skerry as sk
from skerry._core import Array
from skerry._data_types import as_dtype, kind_of
from skerry._extra._operands import as_array, cast, flat

__all__ = ["diag", "diagflat", "identity", "tri", "vander"]

Device = Any


def tri(
    N: int,  # noqa: N803 - NumPy's name
    M: int | None = None,  # noqa: N803
    k: int = 0,
    dtype: Any = float,
    *,
    device: Device = None,
) -> Array:
    """Return a matrix with ones at and below a diagonal and zeros above.

    Parameters
    ----------
    N, M : int
        Numbers of rows and columns; ``M`` defaults to ``N``.
    k : int, default 0
        The highest diagonal of ones: 0 is the main diagonal, positive numbers are above it.
    dtype : dtype, default float64
        Dtype of the result.
    device : {default device}

    Returns
    -------
    Array
        Array of shape (N, M).

    Examples
    --------
    >>> import skerry as sk
    >>> sk.tri(2, 3, dtype=sk.int64)
    Array([[1, 0, 0],
           [1, 1, 0]], dtype=int64, device='cpu:0')

    """
    shape = (N, N if M is None else M)
    # Build it of bool, which takes the least memory to read again.
    ones = sk.ones(shape, dtype=sk.bool, device=device)
    return sk.astype(sk.tril(ones, k=k), as_dtype(dtype), copy=False)


def identity(n: int, dtype: Any = None, *, device: Device = None) -> Array:
    """Return the identity matrix.

    Parameters
    ----------
    n : int
        Numbers of rows and columns.
    dtype : dtype, default float64
        Dtype of the result.
    device : {default device}

    Returns
    -------
    Array
        Array of shape (n, n) with ones on the main diagonal.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.identity(2)
    Array([[1., 0.],
           [0., 1.]], dtype=float64, device='cpu:0')

    """
    return sk.eye(n, dtype=dtype, device=device)


def diag(v: Any, k: int = 0) -> Array:
    """Return a diagonal of a matrix, or construct a diagonal matrix.

    Parameters
    ----------
    v : Array
        A matrix (2-D) to return the diagonal of, or a diagonal (1-D).
    k : {which diagonal}

    Returns
    -------
    Array
        View of the diagonal, or a new matrix with zeros off the diagonal.

    Raises
    ------
    ValueError
        If ``v`` is neither 1-D nor 2-D.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.diag(sk.asarray([1, 2]))
    Array([[1, 0],
           [0, 2]], dtype=int64, device='cpu:0')

    """
    x = as_array("diag", v)
    if x.ndim == 2:
        return sk.linalg.diagonal(x, offset=k)
    if x.ndim != 1:
        raise ValueError(f"diag: v must be an array of 1 or 2 axes, not {x.ndim}; use diagonal")
    n = x.size + abs(k)
    matrix = sk.zeros((n, n), dtype=x.dtype, device=x.device)
    sk.linalg.diagonal(matrix, offset=k)[...] = x
    return matrix


def diagflat(v: Any, k: int = 0) -> Array:
    """Return a matrix with the flattened input as its diagonal.

    Parameters
    ----------
    v : Array
        Input array of any shape.
    k : {which diagonal}

    Returns
    -------
    Array
        New matrix with zeros off the diagonal.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.diagflat(sk.asarray([[1], [2]]))
    Array([[1, 0],
           [0, 2]], dtype=int64, device='cpu:0')

    """
    return diag(flat(as_array("diagflat", v)), k)


def vander(x: Any, N: int | None = None, increasing: bool = False) -> Array:  # noqa: N803
    """Return a Vandermonde matrix.

    Parameters
    ----------
    x : {one axis}
    N : int, optional
        Number of columns; by default the matrix is square.
    increasing : bool, default False
        Whether the powers increase from left to right.

    Returns
    -------
    Array
        Matrix with the columns ``x**(N - 1), ..., x, 1``; of int64 for narrower integers.

    Raises
    ------
    ValueError
        If ``x`` is not 1-D.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.vander(sk.asarray([2, 3]), 3)
    Array([[4, 2, 1],
           [9, 3, 1]], dtype=int64, device='cpu:0')

    """
    x = as_array("vander", x)
    if x.ndim != 1:
        raise ValueError(f"vander: x must be a 1-D array, not of {x.ndim} axes")
    if kind_of(x.dtype) in "biu" and x.dtype != np.uint64:
        x = cast(x, sk.int64)
    count = x.size if N is None else N
    matrix = sk.ones((x.size, count), dtype=x.dtype, device=x.device)
    if count > 1:
        matrix[:, 1:] = sk.broadcast_to(x[:, None], (x.size, count - 1))
        matrix = sk.cumulative_prod(matrix, axis=1, dtype=x.dtype)
    return matrix if increasing else sk.flip(matrix, axis=1)
