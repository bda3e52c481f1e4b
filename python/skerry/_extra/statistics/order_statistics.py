# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Medians and quantiles."""

from __future__ import annotations

import math
from typing import Any

import skerry as sk
from skerry import _core
from skerry._core import Array
from skerry._extra._operands import cast
from skerry._extra.statistics import _quantiles

__all__ = [
    "median",
    "nanmedian",
    "nanpercentile",
    "nanquantile",
    "percentile",
    "quantile",
]


def median(a: Array, axis: int | tuple[int, ...] | None = None, *, keepdims: bool = False) -> Array:
    """Compute the median: the middle element, or the mean of the two in the middle.

    Parameters
    ----------
    a : Array
        Of a real dtype or bool.
    axis : int, tuple of ints or None, default None
        Axes to compute over; None: all of them.
    keepdims : bool, default False
        Whether these axes stay, with size 1.

    Returns
    -------
    Array
        Of the dtype of a, float64 for integers and bool. NaN where there is one among the elements, or there are none.

    Raises
    ------
    TypeError
        For a complex dtype.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.median(sk.asarray([7.0, 1.0, 3.0, 2.0]))
    Array(2.5, dtype=float64, device='cpu:0')

    """
    rows, shape = _quantiles.rows_of("median", a, axis, keepdims=keepdims)
    if rows.shape[-1] == 0:
        return sk.full(shape, math.nan, dtype=_quantiles.real_dtype(a), device=a.device)
    medians = _quantiles.nan_where_any(_middle(rows), rows)
    return medians if medians.shape == shape else sk.reshape(medians, shape)


def _middle(rows: Array) -> Array:
    """Return the medians of rows without NaN."""
    n = rows.shape[-1]
    ranks = [n // 2] if n % 2 else [n // 2 - 1, n // 2]
    elements = _core.order_statistics(rows, ranks)
    if n % 2:
        return cast(elements[..., 0], _quantiles.real_dtype(rows))
    return _quantiles.mean_of_two(elements[..., 0], elements[..., 1])


def nanmedian(
    a: Array, axis: int | tuple[int, ...] | None = None, *, keepdims: bool = False
) -> Array:
    """Compute the median of the elements that are not NaN.

    Parameters
    ----------
    a : Array
        Of a real dtype or bool.
    axis : int, tuple of ints or None, default None
        Axes to compute over; None: all of them.
    keepdims : bool, default False
        Whether these axes stay, with size 1.

    Returns
    -------
    Array
        Of the dtype of a, float64 for integers and bool. NaN where all elements are.

    Raises
    ------
    TypeError
        For a complex dtype.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.nanmedian(sk.asarray([7.0, float("nan"), 3.0]))
    Array(5., dtype=float64, device='cpu:0')

    """
    if a.dtype.kind != "f":
        return median(a, axis, keepdims=keepdims)
    rows, shape = _quantiles.rows_of("nanmedian", a, axis, keepdims=keepdims)
    if rows.shape[-1] == 0:
        return sk.full(shape, math.nan, dtype=a.dtype, device=a.device)
    # What costs nothing to ask: without NaN nothing is sorted.
    if a.device.kind == "cpu" and not sk.any(sk.isnan(sk.max(rows, axis=-1))):
        return sk.reshape(_middle(rows), shape)
    count = sk.count_nonzero(~sk.isnan(rows), axis=-1, keepdims=True)
    low = sk.maximum(count - 1, 0) // 2
    ends = sk.concat([low, sk.minimum(count // 2, sk.maximum(count - 1, 0))], axis=-1)
    elements = sk.take_along_axis(sk.sort(rows, axis=-1), ends, axis=-1)
    return sk.reshape(_quantiles.mean_of_two(elements[..., 0], elements[..., 1]), shape)


def quantile(
    a: Array,
    q: Any,
    axis: int | tuple[int, ...] | None = None,
    *,
    method: str = "linear",
    keepdims: bool = False,
    weights: Array | None = None,
) -> Array:
    """Compute quantiles, by any of NumPy's thirteen methods.

    Parameters
    ----------
    a : Array
        Of a real dtype or bool.
    q : float, sequence of floats or Array
        Probabilities in [0, 1]. Those of an Array are read from its device: the call waits for it.
    axis : int, tuple of ints or None, default None
        Axes to compute over; None: all of them.
    method : str, default 'linear'
        How a quantile between two elements is estimated: 'inverted_cdf', 'averaged_inverted_cdf',
        'closest_observation', 'interpolated_inverted_cdf', 'hazen', 'weibull', 'linear', 'median_unbiased',
        'normal_unbiased', 'lower', 'higher', 'midpoint' or 'nearest', as in numpy.quantile.
    keepdims : bool, default False
        Whether the axes stay, with size 1.
    weights : Array, optional
        How often each element counts, not negative; for 'inverted_cdf' alone. Of the shape of a, or of the axis.
        Whether they are valid is read from the device.

    Returns
    -------
    Array
        The axes of q come first. Of the dtype of a; of float64 for integers and bool where the method interpolates. NaN
        where there is one among the elements.

    Raises
    ------
    TypeError
        For a complex dtype.
    ValueError
        For a q outside [0, 1], an unknown method, weights with another method, or ones that are negative or all 0, and
        over no elements.
    DeviceMismatchError
        For arrays on different devices.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.quantile(sk.asarray([1.0, 2.0, 3.0, 4.0]), [0.25, 0.5])
    Array([1.75, 2.5 ], dtype=float64, device='cpu:0')

    """
    request = _quantiles.QuantileRequest("quantile", q, 1, method, ignores_nan=False)
    return _quantiles.quantiles(request, a, axis, weights, keepdims=keepdims)


def percentile(
    a: Array,
    q: Any,
    axis: int | tuple[int, ...] | None = None,
    *,
    method: str = "linear",
    keepdims: bool = False,
    weights: Array | None = None,
) -> Array:
    """Compute percentiles: quantiles for probabilities in percent.

    Parameters
    ----------
    a : Array
        Of a real dtype or bool.
    q : float, sequence of floats or Array
        Percentages in [0, 100]. Those of an Array are read from the device: the call waits for it.
    axis, method, keepdims, weights
        As of ``quantile``.

    Returns
    -------
    Array
        As of ``quantile``.

    Raises
    ------
    TypeError
        For a complex dtype.
    ValueError
        For a q outside [0, 100], and as of ``quantile``.
    DeviceMismatchError
        For arrays on different devices.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.percentile(sk.asarray([1.0, 2.0, 3.0, 4.0]), 50)
    Array(2.5, dtype=float64, device='cpu:0')

    """
    request = _quantiles.QuantileRequest("percentile", q, 100, method, ignores_nan=False)
    return _quantiles.quantiles(request, a, axis, weights, keepdims=keepdims)


def nanquantile(
    a: Array,
    q: Any,
    axis: int | tuple[int, ...] | None = None,
    *,
    method: str = "linear",
    keepdims: bool = False,
    weights: Array | None = None,
) -> Array:
    """Compute quantiles of the elements that are not NaN.

    Parameters
    ----------
    a : Array
        Of a real dtype or bool.
    q : float, sequence of floats or Array
        Probabilities in [0, 1]. Those of an Array are read from its device: the call waits for it.
    axis, method, keepdims, weights
        As of ``quantile``.

    Returns
    -------
    Array
        As of ``quantile``. NaN where all elements are.

    Raises
    ------
    TypeError
        For a complex dtype.
    ValueError
        As of ``quantile``.
    DeviceMismatchError
        For arrays on different devices.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.nanquantile(sk.asarray([1.0, float("nan"), 3.0]), 0.5)
    Array(2., dtype=float64, device='cpu:0')

    """
    request = _quantiles.QuantileRequest("nanquantile", q, 1, method, ignores_nan=True)
    return _quantiles.quantiles(request, a, axis, weights, keepdims=keepdims)


def nanpercentile(
    a: Array,
    q: Any,
    axis: int | tuple[int, ...] | None = None,
    *,
    method: str = "linear",
    keepdims: bool = False,
    weights: Array | None = None,
) -> Array:
    """Compute percentiles of the elements that are not NaN.

    Parameters
    ----------
    a : Array
        Of a real dtype or bool.
    q : float, sequence of floats or Array
        Percentages in [0, 100]. Those of an Array are read from its device: the call waits for it.
    axis, method, keepdims, weights
        As of ``quantile``.

    Returns
    -------
    Array
        As of ``quantile``. NaN where all elements are.

    Raises
    ------
    TypeError
        For a complex dtype.
    ValueError
        As of ``percentile``.
    DeviceMismatchError
        For arrays on different devices.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.nanpercentile(sk.asarray([1.0, float("nan"), 3.0]), 50)
    Array(2., dtype=float64, device='cpu:0')

    """
    request = _quantiles.QuantileRequest("nanpercentile", q, 100, method, ignores_nan=True)
    return _quantiles.quantiles(request, a, axis, weights, keepdims=keepdims)
