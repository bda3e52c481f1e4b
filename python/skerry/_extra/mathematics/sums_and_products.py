# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Sums and products."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import skerry as sk
from skerry._core import Array
from skerry._data_types import kind_of
from skerry._extra._operands import Axis, as_array, axis_within, filled, flat, promoted
from skerry._outputs import output_argument, store

__all__ = ["cross", "cumprod", "cumsum", "nancumprod", "nancumsum", "nanprod", "nansum"]


def _running(
    scan: Any, name: str, x: Array, axis: int | None, dtype: Any, out: Array | None
) -> Array:
    result: Array = scan(flat(x) if axis is None else x, axis=axis or 0, dtype=dtype)
    return result if out is None else store(name, result, output_argument(name, out, x))


def cumsum(a: Any, axis: int | None = None, dtype: Any = None, out: Array | None = None) -> Array:
    """Return the cumulative sums.

    Parameters
    ----------
    a : Array
        Input array of a numeric dtype or bool.
    axis : int, optional
        Axis to accumulate along; by default the flattened array.
    dtype : dtype, optional
        Dtype of the result; by default that of ``cumulative_sum``.
    out : {out}

    Returns
    -------
    Array
        The cumulative sums; see ``cumulative_sum``.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.cumsum(sk.asarray([[1, 2], [3, 4]]))
    Array([ 1,  3,  6, 10], dtype=int64, device='cpu:0')

    """
    return _running(sk.cumulative_sum, "cumsum", as_array("cumsum", a), axis, dtype, out)


def cumprod(a: Any, axis: int | None = None, dtype: Any = None, out: Array | None = None) -> Array:
    """Return the cumulative products.

    Parameters
    ----------
    a : Array
        Input array of a numeric dtype or bool.
    axis : int, optional
        Axis to accumulate along; by default the flattened array.
    dtype : dtype, optional
        Dtype of the result; by default that of ``cumulative_prod``.
    out : {out}

    Returns
    -------
    Array
        The cumulative products; see ``cumulative_prod``.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.cumprod(sk.asarray([[1, 2], [3, 4]]), axis=1)
    Array([[ 1,  2],
           [ 3, 12]], dtype=int64, device='cpu:0')

    """
    return _running(sk.cumulative_prod, "cumprod", as_array("cumprod", a), axis, dtype, out)


def _without_nan(
    reduce: Callable[..., Array], unit: int, x: Array, axis: Axis, dtype: Any, keepdims: bool
) -> Array:
    """Reduce with each NaN replaced by ``unit``."""
    # A cheap check: if no result is NaN, no element is, and nothing needs to be replaced.
    if type(x) is Array and x.device.kind == "cpu" and kind_of(x.dtype) in "fc" and dtype is None:
        result = reduce(x, axis=axis, keepdims=keepdims)
        if not sk.any(sk.isnan(result)):
            return result
    return reduce(filled(x, unit), axis=axis, dtype=dtype, keepdims=keepdims)


def nansum(
    a: Any,
    axis: Axis = None,
    dtype: Any = None,
    out: Array | None = None,
    keepdims: bool = False,
    initial: Any = None,
    where: Any = True,
) -> Array:
    """Return the sum along axes, with NaN as 0.

    Parameters
    ----------
    a : Array
        Input array of a numeric dtype. The sum of NaN only is 0.
    axis : int, tuple of int or None
        Axis or axes to sum over; None for all axes.
    dtype : dtype, optional
        Dtype of the result; by default that of ``sum``.
    out : {out}
    keepdims : {kept axes}
    initial : scalar, optional
        Number to combine with each result.
    where : {selected}

    Returns
    -------
    Array
        The sums.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.nansum(sk.asarray([1.0, sk.nan, 2.0]))
    Array(3., dtype=float64, device='cpu:0')

    """
    x = as_array("nansum", a)
    if initial is None and where is True:
        result = _without_nan(sk.sum, 0, x, axis, dtype, keepdims)
    else:
        result = filled(x, 0).sum(axis, dtype, None, keepdims, initial, where)
    return result if out is None else store("nansum", result, output_argument("nansum", out, x))


def nanprod(
    a: Any,
    axis: Axis = None,
    dtype: Any = None,
    out: Array | None = None,
    keepdims: bool = False,
    initial: Any = None,
    where: Any = True,
) -> Array:
    """Return the product along axes, with NaN as 1.

    Parameters
    ----------
    a, axis, dtype, out, keepdims, initial, where
        See ``nansum``. The product of NaN only is 1.

    Returns
    -------
    Array
        The products.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.nanprod(sk.asarray([4.0, sk.nan, 2.0]))
    Array(8., dtype=float64, device='cpu:0')

    """
    x = as_array("nanprod", a)
    if initial is None and where is True:
        result = _without_nan(sk.prod, 1, x, axis, dtype, keepdims)
    else:
        result = filled(x, 1).prod(axis, dtype, None, keepdims, initial, where)
    return result if out is None else store("nanprod", result, output_argument("nanprod", out, x))


def nancumsum(
    a: Any, axis: int | None = None, dtype: Any = None, out: Array | None = None
) -> Array:
    """Return the cumulative sums, with NaN as 0.

    Parameters
    ----------
    a : {numbers}
    axis : int or None
        Axis to accumulate along; None for the flattened array.
    dtype : dtype, optional
        Dtype of the result; by default that of ``cumulative_sum``.
    out : {out}

    Returns
    -------
    Array
        The cumulative results, with as many elements as ``a``.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.nancumsum(sk.asarray([1.0, sk.nan, 2.0]))
    Array([1., 1., 3.], dtype=float64, device='cpu:0')

    """
    x = filled(as_array("nancumsum", a), 0)
    x, axis = (flat(x), 0) if axis is None else (x, axis)
    result = sk.cumulative_sum(x, axis=axis, dtype=dtype)
    return (
        result if out is None else store("nancumsum", result, output_argument("nancumsum", out, x))
    )


def nancumprod(
    a: Any, axis: int | None = None, dtype: Any = None, out: Array | None = None
) -> Array:
    """Return the cumulative products, with NaN as 1.

    Parameters
    ----------
    a, axis, dtype, out
        See ``nancumsum``.

    Returns
    -------
    Array
        The cumulative results, with as many elements as ``a``.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.nancumprod(sk.asarray([3.0, sk.nan, 2.0]))
    Array([3., 3., 6.], dtype=float64, device='cpu:0')

    """
    x = filled(as_array("nancumprod", a), 1)
    x, axis = (flat(x), 0) if axis is None else (x, axis)
    result = sk.cumulative_prod(x, axis=axis, dtype=dtype)
    return (
        result
        if out is None
        else store("nancumprod", result, output_argument("nancumprod", out, x))
    )


def cross(
    a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None
) -> Array:
    """Return the cross product of vectors with three elements.

    Parameters
    ----------
    a, b : Array
        Arrays of vectors along ``axisa`` and ``axisb``; the other axes broadcast.
    axisa, axisb, axisc : int, default -1
        Axes of the vectors of ``a``, of ``b`` and of the result.
    axis : int, optional
        Axis that replaces all three.

    {Returns: common dtype}

    Raises
    ------
    {DeviceMismatchError}
    ValueError
        If the vectors don't have three elements; NumPy deprecates vectors of two.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.cross(sk.asarray([1, 0, 0]), sk.asarray([0, 1, 0]))
    Array([0, 0, 1], dtype=int64, device='cpu:0')

    """
    if axis is not None:
        axisa = axisb = axisc = axis
    x, y = promoted("cross", a, b)
    x, y = _at_end("cross", x, axisa), _at_end("cross", y, axisb)
    if x.shape[-1] != 3 or y.shape[-1] != 3:
        raise ValueError(
            f"cross: vectors must have 3 elements, not {x.shape[-1]} and {y.shape[-1]}"
        )
    product = sk.linalg.cross(x, y)
    return (
        product
        if axisc == -1
        else sk.moveaxis(product, -1, axis_within("cross", axisc, product.ndim))
    )


def _at_end(name: str, x: Array, axis: int) -> Array:
    """Move an axis to the end."""
    if axis == -1 and x.ndim > 0:
        return x
    axis_index = axis_within(name, axis, x.ndim)
    return x if axis_index == x.ndim - 1 else sk.moveaxis(x, axis_index, -1)
