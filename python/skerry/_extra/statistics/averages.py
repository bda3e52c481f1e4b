# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Sums and means without NaN."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

import skerry as sk
from skerry import _core
from skerry._core import Array
from skerry._extra._operands import as_array, cast, complex_of, flat, reduced, wide
from skerry._extra.statistics._moments import (
    Axis,
    drop_reduced_axes,
    filled,
    lost,
    means,
    variances,
)

__all__ = [
    "nan_to_num", "nancumprod", "nancumsum", "nanmean", "nanprod", "nanstd", "nansum", "nanvar",
]  # fmt: skip


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


def nan_to_num(
    x: Any,
    copy: bool = True,
    nan: float = 0.0,
    posinf: float | None = None,
    neginf: float | None = None,
) -> Array:
    """Replace NaN and infinities by numbers.

    Parameters
    ----------
    x : Array
        Any dtype; only floating ones change.
    copy : bool, default True
        Whether the result is a new array; else ``x`` itself is written and returned.
    nan, posinf, neginf : scalar
        What takes the place of NaN, and of the infinities: by default the largest and the smallest number of the dtype.

    Returns
    -------
    Array
        Of the dtype of ``x``; of complex numbers each part is replaced.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.nan_to_num(sk.asarray([1.0, sk.nan, -sk.inf]), neginf=0.0)
    Array([1., 0., 0.], dtype=float64, device='cpu:0')

    """
    x = as_array("nan_to_num", x)
    if x.dtype.kind == "c":
        real, imag = (_numbers(part(x), nan, posinf, neginf) for part in (sk.real, sk.imag))
        result = complex_of(real, imag, x.dtype)
    elif x.dtype.kind == "f":
        result = _numbers(x, nan, posinf, neginf)
    else:
        result = sk.asarray(x, copy=True) if copy else x  # in the order of its axes
    if copy or result is x:
        return result
    x[...] = result
    written: Array = x
    return written


def _numbers(x: Array, nan: float, posinf: float | None, neginf: float | None) -> Array:
    if nan == 0 and math.copysign(1.0, nan) > 0 and posinf is None and neginf is None:
        return _core.nan_to_num(x)
    most = float(np.finfo(x.dtype).max)
    above = most if posinf is None else posinf
    below = -most if neginf is None else neginf
    # NaN is left by clip, which takes both infinities in one pass.
    if posinf is None and neginf is None:
        x = sk.clip(x, -most, most)
    else:
        x = sk.where(x == sk.inf, above, sk.where(x == -sk.inf, below, x))
    if x.ndim == 0:  # a mask without axes would be read
        return sk.where(sk.isnan(x), nan, x)
    x[sk.isnan(x)] = nan
    return x


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
    keepdims : bool, default False
        Whether axes stay, with length 1.

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


def nanmean(a: Any, axis: Axis = None, dtype: Any = None, *, keepdims: bool = False) -> Array:
    """Average what is not NaN.

    Parameters
    ----------
    a, axis, keepdims
        As of ``nansum``.
    dtype : dtype, optional
        To compute with; by default that of ``a``, float64 for integers.

    Returns
    -------
    Array
        The means; NaN where no number is left.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.nanmean(sk.asarray([1.0, sk.nan, 2.0]))
    Array(1.5, dtype=float64, device='cpu:0')

    """
    array = as_array("nanmean", a)
    if dtype is None and array.dtype.kind not in "fc":  # no NaN
        result: Array = reduced(array, sk.mean, axis=axis, keepdims=keepdims)
        return result
    x = cast(array, dtype or array.dtype)
    if x.dtype.kind not in "fc":
        raise TypeError(f"nanmean: dtype must be floating, not {x.dtype}; leave it out")
    if array.dtype.kind not in "fc":  # no NaN
        return sk.mean(x, axis=axis, keepdims=keepdims)
    result = means(wide(x), axis)[0]
    return cast(drop_reduced_axes(result, x, axis, keepdims), x.dtype)


def nanvar(
    a: Any,
    axis: Axis = None,
    dtype: Any = None,
    ddof: float = 0,
    keepdims: bool = False,
    *,
    mean: Any = None,
    correction: float | None = None,
) -> Array:
    """Return the variance of what is not NaN.

    Parameters
    ----------
    a, axis, dtype, keepdims
        As of ``nanmean``.
    ddof, correction : float
        What is subtracted from the count of numbers, by either name.
    mean : Array, optional
        The means, with axes kept, where they are known.

    Returns
    -------
    Array
        Real; NaN where no more numbers are left than ``ddof``, and beside infinities.

    Raises
    ------
    DeviceMismatchError
        For a ``mean`` on another device.
    ValueError
        For both of ``ddof`` and ``correction``.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.nanvar(sk.asarray([1.0, sk.nan, 3.0]))
    Array(1., dtype=float64, device='cpu:0')

    """
    x = as_array("nanvar", a)
    ddof = lost("nanvar", ddof, correction)
    if x.dtype.kind in "biu" and dtype is None and mean is None:  # no NaN
        result: Array = reduced(x, sk.var, axis=axis, correction=ddof, keepdims=keepdims)
        return result
    result, dtype = variances("nanvar", x, axis, dtype, ddof, keepdims, mean)
    return cast(result, dtype)


def nanstd(
    a: Any,
    axis: Axis = None,
    dtype: Any = None,
    ddof: float = 0,
    keepdims: bool = False,
    *,
    mean: Any = None,
    correction: float | None = None,
) -> Array:
    """Return the standard deviation of what is not NaN.

    Parameters
    ----------
    a, axis, dtype, ddof, keepdims, mean, correction
        As of ``nanvar``.

    Returns
    -------
    Array
        Real; NaN where no more numbers are left than ``ddof``, and beside infinities.

    Raises
    ------
    DeviceMismatchError, ValueError
        As of ``nanvar``.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.nanstd(sk.asarray([1.0, sk.nan, 3.0]))
    Array(1., dtype=float64, device='cpu:0')

    """
    x = as_array("nanstd", a)
    ddof = lost("nanstd", ddof, correction)
    if x.dtype.kind in "biu" and dtype is None and mean is None:  # no NaN
        result: Array = reduced(x, sk.std, axis=axis, correction=ddof, keepdims=keepdims)
        return result
    result, dtype = variances("nanstd", x, axis, dtype, ddof, keepdims, mean)
    return cast(sk.sqrt(result), dtype)


def nancumsum(a: Any, axis: int | None = None, dtype: Any = None) -> Array:
    """Return running sums in which NaN counts as 0.

    Parameters
    ----------
    a : Array
        Numbers.
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
