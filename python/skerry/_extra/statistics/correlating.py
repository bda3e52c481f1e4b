# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Correlating."""

from __future__ import annotations

from typing import Any

import numpy as np

import skerry as sk
from skerry import _core
from skerry._core import Array
from skerry._extra._operands import as_arrays, cast, common_dtype, complex_of, promoted
from skerry.exceptions import ShapeError

__all__ = ["corrcoef", "correlate", "cov"]


def cov(
    m: Any,
    y: Any = None,
    rowvar: bool = True,
    bias: bool = False,
    ddof: int | None = None,
    fweights: Any = None,
    aweights: Any = None,
    *,
    dtype: Any = None,
) -> Array:
    """Estimate the covariances of variables.

    Parameters
    ----------
    m, y : Array
        At most two axes: a row for each variable, a column for each observation; more variables.
    rowvar : bool, default True
        Whether rows are variables, or columns.
    bias, ddof
        Whether sums are divided by the count, or by one less; or what is subtracted from the count.
    fweights, aweights : Array, optional
        How often each observation was made, as integers; how much each counts.
    dtype : dtype, optional
        Of the result; by default float64 or complex128.

    Returns
    -------
    Array
        The matrix of covariances; one variance for one variable.

    Raises
    ------
    {DeviceMismatchError}
    ValueError
        For more axes than two.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.cov(sk.asarray([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]]))
    Array([[ 1., -1.],
           [-1.,  1.]], dtype=float64, device='cpu:0')

    """
    if ddof is None:
        ddof = 0 if bias else 1
    elif ddof != int(ddof):
        raise ValueError(f"cov: ddof={ddof} is no integer; give one")
    operands = (m, y, fweights, aweights)
    arrays = iter(as_arrays("cov", *(operand for operand in operands if operand is not None)))
    x, y, fweights, aweights = (None if operand is None else next(arrays) for operand in operands)
    rows = _rows("cov", [array for array in (x, y) if array is not None], rowvar, dtype)
    if rows.shape[0] == 0:
        return sk.zeros((0, 0), dtype=rows.dtype, device=rows.device)
    covariances = _covariances(rows, ddof, fweights, aweights)
    return sk.squeeze(covariances, tuple(i for i, n in enumerate(covariances.shape) if n == 1))


def _rows(name: str, parts: list[Array], rowvar: bool, dtype: Any) -> Array:
    """Return a row for each variable of all arrays."""
    dtype = dtype or common_dtype(name, np.dtype("f8"), *(part.dtype for part in parts))
    return sk.concat([_variables(name, part, rowvar, np.dtype(dtype)) for part in parts])


def _covariances(x: Array, ddof: int, fweights: Array | None, aweights: Array | None) -> Array:
    weights = _weights(x, fweights, aweights)
    lost: Any
    scale: Any
    if weights is None:
        x = x - sk.mean(x, axis=1, keepdims=True)
        count = max(x.shape[1] - ddof, 0)
        weighted, scale = x, (1 / count if count else sk.inf)
    else:
        total = sk.sum(weights)
        x = x - (sk.sum(x * weights, axis=1) / total)[:, None]
        lost = ddof * total / total
        if aweights is not None:
            lost = ddof * sk.sum(weights * cast(aweights, x.dtype)) / total
        free = sk.real(total - lost) if x.dtype.kind == "c" else total - lost
        weighted, scale = x * weights, 1 / cast(sk.clip(free, 0.0, None), x.dtype)
    product = x @ sk.conj(weighted).T if x.dtype.kind == "c" else x @ weighted.T
    result: Array = product * scale
    return result


def _variables(name: str, x: Array, rowvar: bool, dtype: Any) -> Array:
    """Return a row for each variable."""
    if x.ndim > 2:
        raise ShapeError(f"{name}: {x.ndim} axes; variables and observations are 2")
    matrix = cast(sk.reshape(x, (1,) * (2 - x.ndim) + x.shape), dtype)
    return matrix if rowvar or x.ndim != 2 else matrix.T


def _weights(x: Array, fweights: Array | None, aweights: Array | None) -> Array | None:
    """Return the product of both weights, of the dtype of ``x``."""
    if fweights is not None and fweights.dtype.kind not in "biu":
        raise TypeError(f"cov: fweights are {fweights.dtype}; how often is an integer")
    product = None
    for name, weights in (("fweights", fweights), ("aweights", aweights)):
        if weights is None:
            continue
        if weights.shape != (x.shape[1],):
            raise ShapeError(
                f"cov: {name} of shape {weights.shape} for {x.shape[1]} observations; give one each"
            )
        product = cast(weights, x.dtype) if product is None else product * cast(weights, x.dtype)
    return product


def corrcoef(x: Any, y: Any = None, rowvar: bool = True, *, dtype: Any = None) -> Array:
    """Return the correlations of variables, after Pearson.

    Parameters
    ----------
    x, y, rowvar, dtype
        As of ``cov``.

    Returns
    -------
    Array
        From -1 to 1; 1.0 for one variable.

    {Raises: DeviceMismatchError}

    Examples
    --------
    >>> import skerry as sk
    >>> sk.corrcoef(sk.asarray([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]]))
    Array([[ 1., -1.],
           [-1.,  1.]], dtype=float64, device='cpu:0')

    """
    operands = [operand for operand in (x, y) if operand is not None]
    rows = _rows("corrcoef", as_arrays("corrcoef", *operands), rowvar, dtype)
    if rows.size:
        _scale(rows)
    matrix = _covariances(rows, 1, None, None)
    if matrix.shape == (1, 1):
        matrix = matrix[0, 0, ...]
    if matrix.ndim == 0:
        return matrix / matrix
    deviation = sk.sqrt(sk.real(sk.linalg.diagonal(matrix)))
    deviation = cast(deviation, matrix.dtype)
    matrix = matrix / deviation[:, None] / deviation[None, :]
    if matrix.dtype.kind != "c":
        return sk.clip(matrix, -1.0, 1.0)
    real, imag = (sk.clip(part(matrix), -1.0, 1.0) for part in (sk.real, sk.imag))
    return complex_of(real, imag, matrix.dtype)


def _scale(rows: Array) -> None:
    """Scale each row by a power of 2, on which correlations do not depend: squares stay in the range of the dtype."""
    if rows.dtype.kind == "c":
        most = sk.max(sk.abs(rows), axis=1, keepdims=True)
    else:
        ends = (reduce(rows, axis=1, keepdims=True) for reduce in (sk.max, sk.min))
        most = sk.maximum(*map(sk.abs, ends))
    most = cast(most, sk.float64)
    exponent = sk.floor(sk.log2(sk.where(sk.isfinite(most) & (most > 0), most, 1.0)))
    # The inverse of the least number is none of the dtype.
    bound = float(np.finfo(rows.dtype).maxexp - 2)
    rows *= cast(sk.exp2(sk.clip(-exponent, -bound, bound)), rows.dtype)


def correlate(a: Any, v: Any, mode: str = "valid") -> Array:
    """Return the cross-correlation of two vectors, the second one conjugated.

    Computed as ``convolve`` computes, which may read from the device whether all numbers are finite.

    Parameters
    ----------
    a, v : Array
        One axis each.
    mode : {"valid", "same", "full"}, default "valid"
        As of ``convolve``.

    {Returns: common dtype}

    Raises
    ------
    {DeviceMismatchError}
    ValueError
        For no elements, or more axes than one.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.correlate(sk.asarray([1, 2, 3]), sk.asarray([0, 1, 0.5]), "full")
    Array([0.5, 2. , 3.5, 3. , 0. ], dtype=float64, device='cpu:0')

    """
    x, y = promoted("correlate", a, v)
    result: Array = _core.correlate(x, y, mode)
    return result
