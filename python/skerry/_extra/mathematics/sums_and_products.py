# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Sums and products."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import skerry as sk
from skerry._core import Array
from skerry._extra._operands import Axis, as_array, axis_within, filled, flat, promoted

__all__ = ["cross", "cumprod", "cumsum", "nancumprod", "nancumsum", "nanprod", "nansum"]


def _running(scan: Any, name: str, a: Any, axis: int | None, dtype: Any) -> Array:
    x = as_array(name, a)
    result: Array = scan(flat(x) if axis is None else x, axis=axis or 0, dtype=dtype)
    return result


def cumsum(a: Any, axis: int | None = None, dtype: Any = None) -> Array:
    """Return running sums.

    Parameters
    ----------
    a : Array
        Numeric or bool.
    axis : int, optional
        By default of the flattened array.
    dtype : dtype, optional
        Of the result; by default as of ``cumulative_sum``.

    Returns
    -------
    Array
        As ``cumulative_sum``.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.cumsum(sk.asarray([[1, 2], [3, 4]]))
    Array([ 1,  3,  6, 10], dtype=int64, device='cpu:0')

    """
    return _running(sk.cumulative_sum, "cumsum", a, axis, dtype)


def cumprod(a: Any, axis: int | None = None, dtype: Any = None) -> Array:
    """Return running products.

    Parameters
    ----------
    a : Array
        Numeric or bool.
    axis : int, optional
        By default of the flattened array.
    dtype : dtype, optional
        Of the result; by default as of ``cumulative_prod``.

    Returns
    -------
    Array
        As ``cumulative_prod``.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.cumprod(sk.asarray([[1, 2], [3, 4]]), axis=1)
    Array([[ 1,  2],
           [ 3, 12]], dtype=int64, device='cpu:0')

    """
    return _running(sk.cumulative_prod, "cumprod", a, axis, dtype)


def _without_nan(
    reduce: Callable[..., Array], unit: int, x: Array, axis: Axis, dtype: Any, keepdims: bool
) -> Array:
    """Reduce with ``unit`` in the place of each NaN."""
    # What costs little to ask: where there is none, the results are the same, and none of them is NaN.
    if type(x) is Array and x.device.kind == "cpu" and x.dtype.kind in "fc" and dtype is None:
        result = reduce(x, axis=axis, keepdims=keepdims)
        if not sk.any(sk.isnan(result)):
            return result
    return reduce(filled(x, unit), axis=axis, dtype=dtype, keepdims=keepdims)


def nansum(a: Any, axis: Axis = None, dtype: Any = None, *, keepdims: bool = False) -> Array:
    """Add up what is not NaN.

    Parameters
    ----------
    a : Array
        Numbers; where none is left the sum is 0.
    axis : int, tuple of int or None
        Axes to add along; None is all.
    dtype : dtype, optional
        Of the result; by default as that of ``sum``.
    keepdims : {kept axes}

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
    return _without_nan(sk.sum, 0, as_array("nansum", a), axis, dtype, keepdims)


def nanprod(a: Any, axis: Axis = None, dtype: Any = None, *, keepdims: bool = False) -> Array:
    """Multiply what is not NaN.

    Parameters
    ----------
    a, axis, dtype, keepdims
        As of ``nansum``; where no number is left the product is 1.

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
    return _without_nan(sk.prod, 1, as_array("nanprod", a), axis, dtype, keepdims)


def nancumsum(a: Any, axis: int | None = None, dtype: Any = None) -> Array:
    """Return running sums in which NaN counts as 0.

    Parameters
    ----------
    a : {numbers}
    axis : int or None
        None is along the flattened array.
    dtype : dtype, optional
        Of the result; by default as that of ``cumulative_sum``.

    Returns
    -------
    Array
        As many elements as ``a``.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.nancumsum(sk.asarray([1.0, sk.nan, 2.0]))
    Array([1., 1., 3.], dtype=float64, device='cpu:0')

    """
    x = filled(as_array("nancumsum", a), 0)
    x, axis = (flat(x), 0) if axis is None else (x, axis)
    return sk.cumulative_sum(x, axis=axis, dtype=dtype)


def nancumprod(a: Any, axis: int | None = None, dtype: Any = None) -> Array:
    """Return running products in which NaN counts as 1.

    Parameters
    ----------
    a, axis, dtype
        As of ``nancumsum``.

    Returns
    -------
    Array
        As many elements as ``a``.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.nancumprod(sk.asarray([3.0, sk.nan, 2.0]))
    Array([3., 3., 6.], dtype=float64, device='cpu:0')

    """
    x = filled(as_array("nancumprod", a), 1)
    x, axis = (flat(x), 0) if axis is None else (x, axis)
    return sk.cumulative_prod(x, axis=axis, dtype=dtype)


def cross(
    a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None
) -> Array:
    """Return the vector product of vectors in space.

    Parameters
    ----------
    a, b : Array
        Vectors of three elements along ``axisa`` and ``axisb``; the other axes broadcast.
    axisa, axisb, axisc : int, default -1
        Where the vectors of ``a``, of ``b`` and of the result lie.
    axis : int, optional
        All three of them.

    {Returns: common dtype}

    Raises
    ------
    {DeviceMismatchError}
    ValueError
        For vectors of another length; NumPy's of two elements are deprecated.

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
            f"cross: vectors of {x.shape[-1]} and {y.shape[-1]} elements; they have 3 in space"
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
