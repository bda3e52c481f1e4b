# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Order statistics."""

from __future__ import annotations

from typing import Any

import skerry as sk
from skerry._core import Array
from skerry._extra._operands import Axis, as_array
from skerry._extra.statistics import _quantiles
from skerry._outputs import output_argument, store

__all__ = ["nanpercentile", "nanquantile", "percentile", "ptp", "quantile"]


def ptp(a: Any, axis: Axis = None, out: Array | None = None, keepdims: bool = False) -> Array:
    """Return the range of values, maximum minus minimum ("peak to peak").

    Parameters
    ----------
    a : {real}
    axis : {None is all}
    out : {out}
    keepdims : {kept axes}

    Returns
    -------
    Array
        Array of the dtype of ``a``; integers may wrap around.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.ptp(sk.asarray([4, 1, 7]))
    Array(6, dtype=int64, device='cpu:0')

    """
    x = as_array("ptp", a)
    reduced = {"axis": axis, "keepdims": keepdims}
    result = sk.max(x, **reduced) - sk.min(x, **reduced)  # type: ignore[arg-type]
    return result if out is None else store("ptp", result, output_argument("ptp", out, x))


def quantile(
    a: Array,
    q: Any,
    axis: int | tuple[int, ...] | None = None,
    out: Array | None = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: Array | None = None,
) -> Array:
    """Compute quantiles, with any of NumPy's thirteen methods.

    Parameters
    ----------
    a : {real or bool}
    q : float, sequence of floats or Array
        Probabilities in [0, 1]. An Array is read from the device: the call waits for it.
    axis : {axes to compute over}
    out : {out}
    overwrite_input : {not overwritten}
    method : str, default 'linear'
        How to estimate a quantile between two elements: 'inverted_cdf', 'averaged_inverted_cdf',
        'closest_observation', 'interpolated_inverted_cdf', 'hazen', 'weibull', 'linear', 'median_unbiased',
        'normal_unbiased', 'lower', 'higher', 'midpoint' or 'nearest', as in numpy.quantile.
    keepdims : bool, default False
        Whether the reduced axes stay in the result with length 1.
    weights : Array, optional
        Weights of the elements, not negative: with the shape of ``a``, or of its axes ``axis``. Only for
        'inverted_cdf'. Whether they are valid is read from the device.

    Returns
    -------
    Array
        Quantiles; the axes of ``q`` come first. If the method interpolates, integers and bool give float64, and a
        floating-point ``a`` is promoted with ``q``, unless ``q`` is a Python number; otherwise the dtype is that of
        ``a``. NaN if an element is NaN.

    Raises
    ------
    {TypeError of complex}
    ValueError
        If ``q`` is outside [0, 1], the method is unknown or does not support weights, weights are negative or all 0,
        or there are no elements.
    {DeviceMismatchError}

    Examples
    --------
    >>> import skerry as sk
    >>> sk.quantile(sk.asarray([1.0, 2.0, 3.0, 4.0]), [0.25, 0.5])
    Array([1.75, 2.5 ], dtype=float64, device='cpu:0')

    """
    request = _quantiles.QuantileRequest("quantile", q, 1, method, ignores_nan=False)
    return _quantiles.quantiles(request, a, axis, out, weights, keepdims=keepdims)


def percentile(
    a: Array,
    q: Any,
    axis: int | tuple[int, ...] | None = None,
    out: Array | None = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: Array | None = None,
) -> Array:
    """Compute percentiles: quantiles with probabilities in percent.

    Parameters
    ----------
    a : {real or bool}
    q : float, sequence of floats or Array
        Percentages in [0, 100]. An Array is read from the device: the call waits for it.
    axis, out, overwrite_input, method, keepdims, weights
        See ``quantile``.

    Returns
    -------
    Array
        See ``quantile``.

    Raises
    ------
    {TypeError of complex}
    ValueError
        If ``q`` is outside [0, 100], and as for ``quantile``.
    {DeviceMismatchError}

    Examples
    --------
    >>> import skerry as sk
    >>> sk.percentile(sk.asarray([1.0, 2.0, 3.0, 4.0]), 50)
    Array(2.5, dtype=float64, device='cpu:0')

    """
    request = _quantiles.QuantileRequest("percentile", q, 100, method, ignores_nan=False)
    return _quantiles.quantiles(request, a, axis, out, weights, keepdims=keepdims)


def nanquantile(
    a: Array,
    q: Any,
    axis: int | tuple[int, ...] | None = None,
    out: Array | None = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: Array | None = None,
) -> Array:
    """Compute quantiles, ignoring NaN.

    Parameters
    ----------
    a : {real or bool}
    q : float, sequence of floats or Array
        Probabilities in [0, 1]. An Array is read from its device: the call waits for it.
    axis, out, overwrite_input, method, keepdims, weights
        See ``quantile``.

    Returns
    -------
    Array
        See ``quantile``; NaN where all elements are NaN.

    Raises
    ------
    {TypeError of complex}
    ValueError
        See ``quantile``.
    {DeviceMismatchError}

    Examples
    --------
    >>> import skerry as sk
    >>> sk.nanquantile(sk.asarray([1.0, float("nan"), 3.0]), 0.5)
    Array(2., dtype=float64, device='cpu:0')

    """
    request = _quantiles.QuantileRequest("nanquantile", q, 1, method, ignores_nan=True)
    return _quantiles.quantiles(request, a, axis, out, weights, keepdims=keepdims)


def nanpercentile(
    a: Array,
    q: Any,
    axis: int | tuple[int, ...] | None = None,
    out: Array | None = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: Array | None = None,
) -> Array:
    """Compute percentiles, ignoring NaN.

    Parameters
    ----------
    a : {real or bool}
    q : float, sequence of floats or Array
        Percentages in [0, 100]. An Array is read from its device: the call waits for it.
    axis, out, overwrite_input, method, keepdims, weights
        See ``quantile``.

    Returns
    -------
    Array
        See ``quantile``; NaN where all elements are NaN.

    Raises
    ------
    {TypeError of complex}
    ValueError
        See ``percentile``.
    {DeviceMismatchError}

    Examples
    --------
    >>> import skerry as sk
    >>> sk.nanpercentile(sk.asarray([1.0, float("nan"), 3.0]), 50)
    Array(2., dtype=float64, device='cpu:0')

    """
    request = _quantiles.QuantileRequest("nanpercentile", q, 100, method, ignores_nan=True)
    return _quantiles.quantiles(request, a, axis, out, weights, keepdims=keepdims)
