# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Index arrays of grids, triangles and diagonals."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import skerry as sk
from skerry import _core
from skerry._core import Array
from skerry._data_types import as_dtype
from skerry._extra._operands import as_array, as_arrays, cast, require_host_memory

__all__ = [
    "diag_indices", "diag_indices_from", "indices", "ix_", "mask_indices", "tril_indices", "tril_indices_from",
    "triu_indices", "triu_indices_from",
]  # fmt: skip

Device = Any


def indices(
    dimensions: Sequence[int], dtype: Any = int, sparse: bool = False, *, device: Device = None
) -> Any:
    """Return arrays of the indices of a grid.

    Parameters
    ----------
    dimensions : sequence of int
        Shape of the grid.
    dtype : dtype, default int64
        Dtype of the result.
    sparse : bool, default False
        Whether to return sparse arrays, of length 1 along all axes but one.
    device : {default device}

    Returns
    -------
    Array or tuple of Array
        An array whose first axis has one entry for each axis of the grid; a tuple of arrays if ``sparse``.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.indices((2, 2))
    Array([[[0, 0],
            [1, 1]],
    <BLANKLINE>
           [[0, 1],
            [0, 1]]], dtype=int64, device='cpu:0')

    """
    shape = tuple(dimensions)
    rank, dtype = len(shape), as_dtype(dtype)
    lines = []
    for i, n in enumerate(shape):
        line = cast(sk.arange(n, device=device), dtype)
        lines.append(sk.reshape(line, (1,) * i + (n,) + (1,) * (rank - i - 1)))
    if sparse:
        return tuple(lines)
    result = sk.empty((rank, *shape), dtype=dtype, device=device)
    for i, line in enumerate(lines):
        result[i] = line
    return result


def tril_indices(
    n: int, k: int = 0, m: int | None = None, *, device: Device = None
) -> tuple[Array, Array]:
    """Return the indices of the lower triangle of a matrix.

    Parameters
    ----------
    n, m : int
        Numbers of rows and columns; ``m`` defaults to ``n``.
    k : {which diagonal}
    device : {default device}

    Returns
    -------
    tuple of Array
        Row and column indices, of int64.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.tril_indices(2)
    (Array([0, 1, 1], dtype=int64, device='cpu:0'), Array([0, 0, 1], dtype=int64, device='cpu:0'))

    """
    rows, columns = np.tril_indices(*_size("tril_indices", n, k, m))
    return sk.asarray(rows, device=device), sk.asarray(columns, device=device)


def triu_indices(
    n: int, k: int = 0, m: int | None = None, *, device: Device = None
) -> tuple[Array, Array]:
    """Return the indices of the upper triangle of a matrix.

    Parameters
    ----------
    n, k, m, device
        See ``tril_indices``.

    Returns
    -------
    tuple of Array
        Row and column indices, of int64.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.triu_indices(2)
    (Array([0, 0, 1], dtype=int64, device='cpu:0'), Array([0, 1, 1], dtype=int64, device='cpu:0'))

    """
    rows, columns = np.triu_indices(*_size("triu_indices", n, k, m))
    return sk.asarray(rows, device=device), sk.asarray(columns, device=device)


def _size(name: str, n: Any, k: Any, m: Any) -> tuple[int, int, int]:
    """Return n, k and m as ints in range; raise if NumPy's n x m boolean mask does not fit in host memory."""
    n = max(operator.index(n), 0)
    m = n if m is None else max(operator.index(m), 0)
    require_host_memory(name, n * m)
    return n, max(-n, min(operator.index(k), m)), m


def _matrix(name: str, arr: Any) -> Array:
    x = as_array(name, arr)
    if x.ndim != 2:
        raise ValueError(f"{name}: arr must be an array of 2 axes, not {x.ndim}")
    return x


def tril_indices_from(arr: Any, k: int = 0) -> tuple[Array, Array]:
    """Return the indices of the lower triangle of a given matrix.

    Parameters
    ----------
    arr : Array
        The matrix.
    k : {which diagonal}

    Returns
    -------
    tuple of Array
        Row and column indices of int64, on the device of ``arr``.

    Examples
    --------
    >>> import skerry as sk
    >>> x = sk.asarray([[1, 2], [3, 4]])
    >>> x[sk.tril_indices_from(x)]
    Array([1, 3, 4], dtype=int64, device='cpu:0')

    """
    x = _matrix("tril_indices_from", arr)
    return tril_indices(x.shape[0], k, x.shape[1], device=x.device)


def triu_indices_from(arr: Any, k: int = 0) -> tuple[Array, Array]:
    """Return the indices of the upper triangle of a given matrix.

    Parameters
    ----------
    arr, k
        See ``tril_indices_from``.

    Returns
    -------
    tuple of Array
        Row and column indices of int64, on the device of ``arr``.

    Examples
    --------
    >>> import skerry as sk
    >>> x = sk.asarray([[1, 2], [3, 4]])
    >>> x[sk.triu_indices_from(x)]
    Array([1, 2, 4], dtype=int64, device='cpu:0')

    """
    x = _matrix("triu_indices_from", arr)
    return triu_indices(x.shape[0], k, x.shape[1], device=x.device)


def diag_indices(n: int, ndim: int = 2, *, device: Device = None) -> tuple[Array, ...]:
    """Return the indices of the main diagonal of an array.

    Parameters
    ----------
    n : int
        Length of the diagonal.
    ndim : int, default 2
        Number of axes.
    device : {default device}

    Returns
    -------
    tuple of Array
        One array of int64 for each axis.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.diag_indices(2)
    (Array([0, 1], dtype=int64, device='cpu:0'), Array([0, 1], dtype=int64, device='cpu:0'))

    """
    _core.require_objects("diag_indices", ndim)
    return (sk.arange(n, device=device),) * ndim


def diag_indices_from(arr: Any) -> tuple[Array, ...]:
    """Return the indices of the main diagonal of a given array.

    Parameters
    ----------
    arr : Array
        Array with at least two axes, of equal length.

    Returns
    -------
    tuple of Array
        One array of int64 for each axis, on the device of ``arr``.

    Examples
    --------
    >>> import skerry as sk
    >>> x = sk.asarray([[1, 2], [3, 4]])
    >>> x[sk.diag_indices_from(x)]
    Array([1, 4], dtype=int64, device='cpu:0')

    """
    x = as_array("diag_indices_from", arr)
    if x.ndim < 2 or len(set(x.shape)) > 1:
        raise ValueError(
            f"diag_indices_from: arr must be an array of at least two axes of equal length, not {x.shape}"
        )
    return diag_indices(x.shape[0], x.ndim, device=x.device)


def ix_(*args: Any) -> tuple[Array, ...]:
    """Return index arrays that select the cross product of indices.

    The number of indices of a mask is read from the device.

    Parameters
    ----------
    *args : Array or sequence of int or bool
        1-D arrays of indices, or masks, one for each axis. Lists go to the device of the arrays.

    Returns
    -------
    tuple of Array
        Arrays of length 1 along all axes but one.

    Raises
    ------
    {DeviceMismatchError}
    ValueError
        If an argument is not 1-D.

    Examples
    --------
    >>> import skerry as sk
    >>> x = sk.reshape(sk.arange(6), (2, 3))
    >>> x[sk.ix_([0, 1], [0, 2])]
    Array([[0, 2],
           [3, 5]], dtype=int64, device='cpu:0')

    """
    results = []
    lists = [list(x) if isinstance(x, range) else x for x in args]
    indices = as_arrays("ix_", *lists, names=("indices",) * len(args)) if args else []
    for i, x in enumerate(indices):
        if x.ndim != 1:
            raise ValueError(f"ix_: indices must be 1-D arrays, not of {x.ndim} axes")
        x = sk.nonzero(x)[0] if x.dtype == np.bool_ else x
        results.append(sk.reshape(x, (1,) * i + (-1,) + (1,) * (len(args) - i - 1)))
    return tuple(results)


def mask_indices(
    n: int, mask_func: Callable[..., Any], k: Any = 0, *, device: Device = None
) -> tuple[Array, ...]:
    """Return the indices of a square matrix that a function such as ``triu`` keeps.

    The number of indices is read from the device.

    Parameters
    ----------
    n : int
        Numbers of rows and columns.
    mask_func : callable
        Takes an (n, n) matrix of ones and ``k``, and returns a matrix with zeros where there is no index.
    k : scalar, default 0
        Second argument of the function.
    device : {default device}

    Returns
    -------
    tuple of Array
        Indices of rows and columns.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.mask_indices(2, lambda m, k: sk.triu(m, k=k))
    (Array([0, 0, 1], dtype=int64, device='cpu:0'), Array([0, 1, 1], dtype=int64, device='cpu:0'))

    """
    ones = sk.ones((n, n), dtype=sk.int64, device=device)
    return sk.nonzero(mask_func(ones, k) != 0)
