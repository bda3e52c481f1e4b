# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Averages and covariance."""

from __future__ import annotations

from typing import Any

import numpy as np

import skerry as sk
from skerry._core import Array
from skerry._extra._operands import (
    as_array,
    as_arrays,
    axes_within,
    cast,
    common_dtype,
    complex_of,
    reduced,
    wide,
)  # fmt: skip
from skerry.exceptions import ShapeError

__all__ = ["average", "corrcoef", "cov", "ptp"]

Axis = int | tuple[int, ...] | None


def ptp(a: Any, axis: Axis = None, *, keepdims: bool = False) -> Array:
    """Return the greatest element less the least: "peak to peak".

    Parameters
    ----------
    a : Array
        Real.
    axis : int, tuple of int or None
        None is all.
    keepdims : bool, default False
        Whether axes stay, with length 1.

    Returns
    -------
    Array
        Of the dtype of ``a``: differences of integers may wrap.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.ptp(sk.asarray([4, 1, 7]))
    Array(6, dtype=int64, device='cpu:0')

    """
    x = as_array("ptp", a)
    reduced = {"axis": axis, "keepdims": keepdims}
    return sk.max(x, **reduced) - sk.min(x, **reduced)  # type: ignore[arg-type]


def average(
    a: Any,
    axis: Axis = None,
    weights: Any = None,
    returned: bool = False,
    *,
    keepdims: bool = False,
) -> Any:
    """Return the weighted mean.

    Parameters
    ----------
    a : Array
        Numbers.
    axis : int, tuple of int or None
        None is all.
    weights : Array, optional
        Of the shape of ``a``, or of the axes that are averaged. All equal by default.
    returned : bool, default False
        Whether the sums of the weights are returned, too.
    keepdims : bool, default False
        Whether axes stay, with length 1.

    Returns
    -------
    Array or tuple of Array
        Floating. Weights whose sum is 0 give NaN or infinities: NumPy raises ZeroDivisionError, for which they would
        have to be read.

    Raises
    ------
    DeviceMismatchError
        For arrays on different devices.
    ValueError
        For weights of another shape.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.average(sk.asarray([1.0, 4.0]), weights=sk.asarray([3, 1]))
    Array(1.75, dtype=float64, device='cpu:0')

    """
    if weights is None:
        x = as_array("average", a)
        mean = reduced(x, sk.mean, axis=axis, keepdims=keepdims)
        share = x.size / mean.size if mean.size else 0.0
        total = sk.full(mean.shape, share, dtype=mean.dtype, device=x.device)
        return (mean, total) if returned else mean
    array, factors = as_arrays("average", a, weights)
    dtypes = [array.dtype, factors.dtype]
    if array.dtype.kind in "biu":
        dtypes.append(np.dtype(np.float64))
    dtype = common_dtype("average", *dtypes)
    x, factors = wide(cast(array, dtype)), _spread(array, wide(cast(factors, dtype)), axis)
    total = sk.sum(factors, axis=axis, keepdims=keepdims)
    mean = cast(sk.sum(x * factors, axis=axis, keepdims=keepdims) / total, dtype)
    total = cast(total, dtype)
    return (mean, sk.broadcast_to(total, mean.shape).copy()) if returned else mean


def _spread(x: Array, weights: Array, axis: Axis) -> Array:
    """Shape weights as ``x``."""
    if weights.shape == x.shape:
        return weights
    if axis is None:
        raise TypeError(
            f"average: weights of shape {weights.shape} for {x.shape}; say along which axis"
        )
    axes = axes_within("average", axis, x.ndim)
    if weights.shape != tuple(x.shape[i] for i in axes):
        raise ShapeError(
            f"average: weights of shape {weights.shape} for axes {axes} of {x.shape}; give as many"
        )
    order = sorted(range(len(axes)), key=axes.__getitem__)
    weights = sk.permute_dims(weights, tuple(order))
    shape = tuple(n if i in axes else 1 for i, n in enumerate(x.shape))
    return sk.broadcast_to(sk.reshape(weights, shape), x.shape)


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
    DeviceMismatchError
        For arrays on different devices.
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

    Raises
    ------
    DeviceMismatchError
        For arrays on different devices.

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
