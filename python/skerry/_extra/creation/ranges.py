# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Numerical ranges."""

from __future__ import annotations

import operator
from typing import Any

from skerry._core import Array
from skerry._data_types import as_dtype, kind_of
from skerry._extra._operands import axis_within
from skerry._extra.creation import _powers, _spaced

__all__ = ["geomspace", "logspace"]

Device = Any


def logspace(
    start: float,
    stop: float,
    num: int = 50,
    endpoint: bool = True,
    base: float = 10.0,
    dtype: Any = None,
    axis: int = 0,
    *,
    device: Device = None,
) -> Array:
    """Return numbers spaced evenly on a log scale: powers of a base with evenly spaced exponents.

    Parameters
    ----------
    start, stop : float or Array
        First and last exponent. A 0-d array is read from the device: the call waits. Arrays with axes broadcast, with
        ``base`` too, and their elements are the bounds of one range each.
    num : int, default 50
        Number of elements.
    endpoint : bool, default True
        Whether ``stop`` is included.
    base : float or Array, default 10.0
        Base of the powers.
    dtype : dtype, optional
        Dtype of the result, by default float64. For integer dtypes numbers are truncated.
    axis : int, default 0
        Axis of the numbers, which is the only one of the result if the bounds are numbers.
    device : Device or str, optional
        Device of the result; by default that of the arrays, or the default device if there are none.

    {Returns: one axis}

    Raises
    ------
    DeviceMismatchError
        If arrays are on different devices, or on another device than ``device``.
    OverflowError
        If a power is out of range of an integer dtype.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.logspace(0, 2, 3)
    Array([  1.,  10., 100.], dtype=float64, device='cpu:0')

    """
    num = operator.index(num)
    if _spaced.have_axes(start, stop, base):
        return _spaced.logspace(start, stop, num, endpoint, base, dtype, axis, device)
    axis_within("logspace", axis, 1)
    (start, stop, base), device = _powers.numbers_of(
        "logspace", device, start=start, stop=stop, base=base
    )
    if dtype is not None and kind_of(as_dtype(dtype)) in "iu" and num > 0:
        for exponent in _powers.outer_exponents(start, stop, num, endpoint):
            _powers.require_in_range("logspace", _powers.power(base, exponent), dtype)
    result = _powers.powers(base, start, stop, num, endpoint, device)
    return _powers.converted(result, dtype)


def geomspace(
    start: complex,
    stop: complex,
    num: int = 50,
    endpoint: bool = True,
    dtype: Any = None,
    axis: int = 0,
    *,
    device: Device = None,
) -> Array:
    """Return numbers spaced evenly on a log scale: a geometric progression.

    Parameters
    ----------
    start, stop : float, complex or Array
        First and last number, of the same sign if they are real. They are read from the device: the call waits. Arrays
        with axes broadcast, and their elements are the bounds of one range each.
    num : int, default 50
        Number of elements.
    endpoint : bool, default True
        Whether ``stop`` is included.
    dtype : dtype, optional
        Dtype of the result, by default float64. For integer dtypes numbers are truncated.
    axis : int, default 0
        Axis of the numbers, which is the only one of the result if the bounds are numbers.
    device : Device or str, optional
        Device of the result; by default that of the arrays, or the default device if there are none.

    Returns
    -------
    Array
        Numbers along an axis; ``start`` and ``stop`` are exact.

    Raises
    ------
    ValueError
        If an endpoint is 0, or real endpoints have different signs.
    DeviceMismatchError
        If arrays are on different devices, or on another device than ``device``.
    OverflowError
        If a number is out of range of an integer dtype.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.geomspace(1, 100, 3)
    Array([  1.,  10., 100.], dtype=float64, device='cpu:0')

    """
    num = operator.index(num)
    if _spaced.have_axes(start, stop) or _spaced.are_complex(start, stop):
        return _spaced.geomspace(start, stop, num, endpoint, dtype, axis, device)
    axis_within("geomspace", axis, 1)
    (start, stop), device = _powers.numbers_of("geomspace", device, start=start, stop=stop)
    return _powers.multiples(start, stop, num, endpoint, dtype, device)
