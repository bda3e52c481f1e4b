# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Correlating."""

from __future__ import annotations

from typing import Any

import numpy as np

import skerry as sk
from skerry import _core
from skerry._core import Array
from skerry._data_types import kind_of, limits_of
from skerry._extra._operands import as_arrays, cast, common_dtype, complex_of, promoted
from skerry.exceptions import DTypeError, ShapeError

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
    """Estimate the covariance matrix of variables.

    Parameters
    ----------
    m, y : Array
        Observations with at most two axes: each row is a variable, each column an observation. ``y`` has additional
        variables.
    rowvar : bool, default True
        Whether rows are variables; otherwise columns are.
    bias, ddof
        The sums are divided by the number of observations minus ``ddof``, by default 0 if ``bias`` is True, else 1.
    fweights, aweights : Array, optional
        Frequency of each observation, of an integer dtype, and relative weight of each observation.
    dtype : dtype, optional
        Dtype of the result; by default float64 or complex128.

    Returns
    -------
    Array
        Covariance matrix; a 0-d variance for a single variable.

    Raises
    ------
    {DeviceMismatchError}
    ValueError
        If an array has more than two axes.

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
        raise ValueError(f"cov: ddof must be an integer, not {ddof}")
    operands = (m, y, fweights, aweights)
    arrays = iter(as_arrays("cov", *(operand for operand in operands if operand is not None)))
    x, y, fweights, aweights = (None if operand is None else next(arrays) for operand in operands)
    rows = _rows("cov", [array for array in (x, y) if array is not None], rowvar, dtype)
    if rows.shape[0] == 0:
        return sk.zeros((0, 0), dtype=rows.dtype, device=rows.device)
    covariances = _covariances(rows, ddof, fweights, aweights)
    return sk.squeeze(covariances, tuple(i for i, n in enumerate(covariances.shape) if n == 1))


def _rows(name: str, parts: list[Array], rowvar: bool, dtype: Any) -> Array:
    """Return the variables of all arrays as rows."""
    dtype = np.dtype(dtype or common_dtype(name, np.dtype("f8"), *(part.dtype for part in parts)))
    if kind_of(dtype) not in "fc":
        raise DTypeError(f"{name}: dtype must be floating, not {dtype}; leave it out")
    rows = [_variables(name, part, rowvar, dtype) for part in parts]
    counts = [x.shape[1] for x in rows]
    if min(counts) < max(counts):
        raise ShapeError(
            f"{name}: both arrays must have the same number of observations: {counts[0]} and {counts[1]}"
        )
    return sk.concat(rows)


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
        free = sk.real(total - lost) if kind_of(x.dtype) == "c" else total - lost
        weighted, scale = x * weights, 1 / cast(sk.clip(free, 0.0, None), x.dtype)
    product = x @ sk.conj(weighted).T if kind_of(x.dtype) == "c" else x @ weighted.T
    result: Array = product * scale
    return result


def _variables(name: str, x: Array, rowvar: bool, dtype: Any) -> Array:
    """Return the variables of an array as rows."""
    if x.ndim > 2:
        raise ShapeError(
            f"{name}: an array must have at most 2 axes, not {x.ndim}: shape {x.shape}"
        )
    matrix = cast(sk.reshape(x, (1,) * (2 - x.ndim) + x.shape), dtype)
    return matrix if rowvar or x.ndim != 2 else matrix.T


def _weights(x: Array, fweights: Array | None, aweights: Array | None) -> Array | None:
    """Return the product of both weights in the dtype of ``x``."""
    if fweights is not None and kind_of(fweights.dtype) not in "biu":
        raise DTypeError(f"cov: fweights must be of an integer dtype, not {fweights.dtype}")
    product = None
    for name, weights in (("fweights", fweights), ("aweights", aweights)):
        if weights is None:
            continue
        if weights.shape != (x.shape[1],):
            raise ShapeError(
                f"cov: {name} must have shape ({x.shape[1]},), one for each observation, not {weights.shape}"
            )
        product = cast(weights, x.dtype) if product is None else product * cast(weights, x.dtype)
    return product


def corrcoef(x: Any, y: Any = None, rowvar: bool = True, *, dtype: Any = None) -> Array:
    """Return Pearson's correlation coefficients of variables.

    Parameters
    ----------
    x : Array
        Variables and their observations, as ``m`` of ``cov``.
    y, rowvar, dtype
        See ``cov``.

    Returns
    -------
    Array
        Correlation matrix, with elements from -1 to 1; a 0-d 1.0 for a single variable.

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
    if kind_of(matrix.dtype) != "c":
        return sk.clip(matrix, -1.0, 1.0)
    real, imag = (sk.clip(part(matrix), -1.0, 1.0) for part in (sk.real, sk.imag))
    return complex_of(real, imag, matrix.dtype)


def _scale(rows: Array) -> None:
    """Scale each row by a power of 2, so that squares stay in range; this does not change correlations."""
    if kind_of(rows.dtype) == "c":
        most = sk.max(sk.abs(rows), axis=1, keepdims=True)
    else:
        ends = (reduce(rows, axis=1, keepdims=True) for reduce in (sk.max, sk.min))
        most = sk.maximum(*map(sk.abs, ends))
    most = cast(most, sk.float64)
    exponent = sk.floor(sk.log2(sk.where(sk.isfinite(most) & (most > 0), most, 1.0)))
    # The inverse of the smallest number overflows.
    bound = float(limits_of(rows.dtype).maxexp - 2)
    rows *= cast(sk.exp2(sk.clip(-exponent, -bound, bound)), rows.dtype)


def correlate(a: Any, v: Any, mode: str = "valid") -> Array:
    """Return the cross-correlation of two vectors; the second is conjugated.

    It is computed like ``convolve``: whether all numbers are finite may be read from the device.

    Parameters
    ----------
    a, v : Array
        1-D arrays.
    mode : {"valid", "same", "full"}, default "valid"
        See ``convolve``.

    {Returns: common dtype}

    Raises
    ------
    {DeviceMismatchError}
    ValueError
        If an array is empty or not 1-D.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.correlate(sk.asarray([1, 2, 3]), sk.asarray([0, 1, 0.5]), "full")
    Array([0.5, 2. , 3.5, 3. , 0. ], dtype=float64, device='cpu:0')

    """
    x, y = promoted("correlate", a, v)
    result: Array = _core.correlate(x, y, mode)
    return result
