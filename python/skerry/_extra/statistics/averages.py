# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Averages and variances."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import skerry as sk
from skerry import _core
from skerry._core import Array
from skerry._data_types import kind_of
from skerry._extra._operands import (
    Axis,
    as_array,
    as_arrays,
    axes_within,
    cast,
    common_dtype,
    floating_dtype,
    mean_of_two,
    real_dtype,
    reduced,
    wide,
)
from skerry._extra.statistics import _quantiles
from skerry._extra.statistics._moments import (
    drop_reduced_axes,
    lost,
    means,
    selected,
    variances,
)
from skerry._outputs import output_argument, store
from skerry.exceptions import DTypeError, ShapeError

__all__ = ["average", "median", "nanmean", "nanmedian", "nanstd", "nanvar"]


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
    a : {numbers}
    axis : {None is all}
    weights : Array, optional
        Weights, with the shape of ``a`` or of the axes to average over. By default all are equal.
    returned : bool, default False
        Whether to also return the sums of the weights.
    keepdims : {kept axes}

    Returns
    -------
    Array or tuple of Array
        Floating-point averages. If the weights sum to 0 the average is NaN or infinite; NumPy raises ZeroDivisionError,
        for which skerry would have to wait for the device.

    Raises
    ------
    {DeviceMismatchError}
    ValueError
        If the weights have another shape.

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
    if kind_of(array.dtype) in "biu":
        dtypes.append(np.dtype(np.float64))
    dtype = common_dtype("average", *dtypes)
    x, factors = wide(cast(array, dtype)), _spread(array, wide(cast(factors, dtype)), axis)
    total = sk.sum(factors, axis=axis, keepdims=keepdims)
    mean = cast(sk.sum(x * factors, axis=axis, keepdims=keepdims) / total, dtype)
    total = cast(total, dtype)
    return (mean, sk.broadcast_to(total, mean.shape).copy()) if returned else mean


def _spread(x: Array, weights: Array, axis: Axis) -> Array:
    """Broadcast weights to the shape of ``x``."""
    if weights.shape == x.shape:
        return weights
    if axis is None:
        raise TypeError(
            f"average: axis is needed for weights of another shape than a: {weights.shape} and {x.shape}"
        )
    axes = axes_within("average", axis, x.ndim)
    if weights.shape != tuple(x.shape[i] for i in axes):
        raise ShapeError(
            f"average: weights must have the shape of axes {axes} of {x.shape}, not {weights.shape}"
        )
    order = sorted(range(len(axes)), key=axes.__getitem__)
    weights = sk.permute_dims(weights, tuple(order))
    shape = tuple(n if i in axes else 1 for i, n in enumerate(x.shape))
    return sk.broadcast_to(sk.reshape(weights, shape), x.shape)


def median(
    a: Array,
    axis: int | tuple[int, ...] | None = None,
    out: Array | None = None,
    overwrite_input: bool = False,
    keepdims: bool = False,
) -> Array:
    """Compute the median: the middle element, or the mean of the two middle elements.

    Parameters
    ----------
    a : {real or bool}
    axis : {axes to compute over}
    out : {out}
    overwrite_input : {not overwritten}
    keepdims : bool, default False
        Whether the reduced axes stay in the result with length 1.

    Returns
    -------
    Array
        Medians of the dtype of ``a``, float64 for integers and bool; NaN if an element is NaN, or if there are no
        elements.

    {Raises: TypeError of complex}

    Examples
    --------
    >>> import skerry as sk
    >>> sk.median(sk.asarray([7.0, 1.0, 3.0, 2.0]))
    Array(2.5, dtype=float64, device='cpu:0')

    """
    result = _median("median", a, axis, keepdims)
    return result if out is None else store("median", result, output_argument("median", out, a))


def _median(name: str, a: Array, axis: Any, keepdims: bool) -> Array:
    rows, shape = _quantiles.rows_of(name, a, axis, keepdims=keepdims)
    if rows.shape[-1] == 0:
        return sk.full(shape, math.nan, dtype=real_dtype(a), device=a.device)
    medians = _quantiles.nan_where_any(_middle(rows), rows)
    return medians if medians.shape == shape else sk.reshape(medians, shape)


def _middle(rows: Array) -> Array:
    """Return the medians of rows without NaN."""
    n = rows.shape[-1]
    ranks = [n // 2] if n % 2 else [n // 2 - 1, n // 2]
    elements = _core.order_statistics(rows, ranks)
    if n % 2:
        return cast(elements[..., 0], real_dtype(rows))
    return mean_of_two(elements[..., 0], elements[..., 1])


def nanmedian(
    a: Array,
    axis: int | tuple[int, ...] | None = None,
    out: Array | None = None,
    overwrite_input: bool = False,
    keepdims: bool = False,
) -> Array:
    """Compute the median of the elements that are not NaN.

    Parameters
    ----------
    a : {real or bool}
    axis : {axes to compute over}
    out : {out}
    overwrite_input : {not overwritten}
    keepdims : bool, default False
        Whether the reduced axes stay in the result with length 1.

    Returns
    -------
    Array
        Medians of the dtype of ``a``, float64 for integers and bool; NaN if all elements are NaN.

    {Raises: TypeError of complex}

    Examples
    --------
    >>> import skerry as sk
    >>> sk.nanmedian(sk.asarray([7.0, float("nan"), 3.0]))
    Array(5., dtype=float64, device='cpu:0')

    """
    compute = _median_of_numbers if kind_of(a.dtype) == "f" else _median
    result = compute("nanmedian", a, axis, keepdims)
    return (
        result if out is None else store("nanmedian", result, output_argument("nanmedian", out, a))
    )


def _median_of_numbers(name: str, a: Array, axis: Any, keepdims: bool) -> Array:
    """Return the medians of the elements that are not NaN."""
    rows, shape = _quantiles.rows_of(name, a, axis, keepdims=keepdims)
    if rows.shape[-1] == 0:
        return sk.full(shape, math.nan, dtype=a.dtype, device=a.device)
    # A cheap check: without NaN no sort is needed.
    if a.device.kind == "cpu" and not sk.any(sk.isnan(sk.max(rows, axis=-1))):
        return sk.reshape(_middle(rows), shape)
    count = sk.count_nonzero(~sk.isnan(rows), axis=-1, keepdims=True)
    low = sk.maximum(count - 1, 0) // 2
    ends = sk.concat([low, sk.minimum(count // 2, sk.maximum(count - 1, 0))], axis=-1)
    elements = sk.take_along_axis(sk.sort(rows, axis=-1), ends, axis=-1)
    return sk.reshape(mean_of_two(elements[..., 0], elements[..., 1]), shape)


def nanmean(
    a: Any,
    axis: Axis = None,
    dtype: Any = None,
    out: Array | None = None,
    keepdims: bool = False,
    *,
    where: Any = True,
) -> Array:
    """Compute the arithmetic mean, ignoring NaN.

    Parameters
    ----------
    a, axis, keepdims
        See ``nansum``.
    dtype : dtype, optional
        Dtype of the computation; by default that of ``a``, float64 for integers.
    out : {out}
    where : {selected}

    Returns
    -------
    Array
        The means; NaN for slices of NaN only.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.nanmean(sk.asarray([1.0, sk.nan, 2.0]))
    Array(1.5, dtype=float64, device='cpu:0')

    """
    array = as_array("nanmean", a)
    result = _nanmean(array, axis, dtype, keepdims, where)
    return (
        result if out is None else store("nanmean", result, output_argument("nanmean", out, array))
    )


def _nanmean(array: Array, axis: Axis, dtype: Any, keepdims: bool, mask: Any) -> Array:
    if dtype is None and kind_of(array.dtype) not in "fc" and mask is True:  # no NaN
        result: Array = reduced(array, sk.mean, axis=axis, keepdims=keepdims)
        return result
    x = cast(array, dtype or floating_dtype(array.dtype))
    if kind_of(x.dtype) not in "fc":
        raise DTypeError(f"nanmean: dtype must be floating, not {x.dtype}; leave it out")
    if kind_of(array.dtype) not in "fc" and mask is True:  # no NaN
        return sk.mean(x, axis=axis, keepdims=keepdims)
    x = selected("nanmean", x, mask)
    return cast(drop_reduced_axes(means(wide(x), axis)[0], x, axis, keepdims), x.dtype)


def nanvar(
    a: Any,
    axis: Axis = None,
    dtype: Any = None,
    out: Array | None = None,
    ddof: float = 0,
    keepdims: bool = False,
    *,
    where: Any = True,
    mean: Any = None,
    correction: float | None = None,
) -> Array:
    """Compute the variance, ignoring NaN.

    Parameters
    ----------
    a, axis, dtype, out, keepdims, where
        See ``nanmean``.
    ddof, correction : float
        Degrees of freedom to subtract from the number of elements that are not NaN, under either name.
    mean : Array, optional
        The means, with reduced axes kept, if they are known.

    Returns
    -------
    Array
        Real; NaN for slices with infinities, and for slices with at most ``ddof`` elements that are not NaN.

    Raises
    ------
    DeviceMismatchError
        If ``mean`` is on another device.
    ValueError
        If both ``ddof`` and ``correction`` are given.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.nanvar(sk.asarray([1.0, sk.nan, 3.0]))
    Array(1., dtype=float64, device='cpu:0')

    """
    x = as_array("nanvar", a)
    ddof = lost("nanvar", ddof, correction)
    if kind_of(x.dtype) in "biu" and dtype is None and mean is None and where is True:  # no NaN
        result: Array = reduced(x, sk.var, axis=axis, correction=ddof, keepdims=keepdims)
    else:
        result, dtype = variances("nanvar", x, axis, dtype, ddof, keepdims, mean, where)
        result = cast(result, dtype)
    return result if out is None else store("nanvar", result, output_argument("nanvar", out, x))


def nanstd(
    a: Any,
    axis: Axis = None,
    dtype: Any = None,
    out: Array | None = None,
    ddof: float = 0,
    keepdims: bool = False,
    *,
    where: Any = True,
    mean: Any = None,
    correction: float | None = None,
) -> Array:
    """Compute the standard deviation, ignoring NaN.

    Parameters
    ----------
    a, axis, dtype, out, ddof, keepdims, where, mean, correction
        See ``nanvar``.

    Returns
    -------
    Array
        Real; NaN for slices with infinities, and for slices with at most ``ddof`` elements that are not NaN.

    Raises
    ------
    DeviceMismatchError, ValueError
        See ``nanvar``.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.nanstd(sk.asarray([1.0, sk.nan, 3.0]))
    Array(1., dtype=float64, device='cpu:0')

    """
    x = as_array("nanstd", a)
    ddof = lost("nanstd", ddof, correction)
    if kind_of(x.dtype) in "biu" and dtype is None and mean is None and where is True:  # no NaN
        result: Array = reduced(x, sk.std, axis=axis, correction=ddof, keepdims=keepdims)
    else:
        result, dtype = variances("nanstd", x, axis, dtype, ddof, keepdims, mean, where)
        result = cast(sk.sqrt(result), dtype)
    return result if out is None else store("nanstd", result, output_argument("nanstd", out, x))
