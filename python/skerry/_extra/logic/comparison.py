# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Comparison with a tolerance."""

from __future__ import annotations

from typing import Any

import numpy as np

import skerry as sk
from skerry._core import Array
from skerry._data_types import kind_of, result_type
from skerry._extra._operands import as_array, as_arrays, cast, common_dtype, in_passes

__all__ = ["allclose", "array_equal", "array_equiv", "isclose"]

INTS = (int, np.integer)


def isclose(
    a: Any, b: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False
) -> Array:
    """Return elementwise whether two arrays are equal within a tolerance.

    Parameters
    ----------
    a, b : Array or scalar
        Operands, which must be broadcastable.
    rtol : float, default 1e-5
        Relative tolerance, a factor of ``abs(b)``.
    atol : float, default 1e-8
        Absolute tolerance.
    equal_nan : bool, default False
        Whether NaNs compare equal.

    Returns
    -------
    Array
        Array of bool: ``abs(a - b) <= atol + rtol * abs(b)``, or both are the same infinity.

    {Raises: DeviceMismatchError}

    Examples
    --------
    >>> import skerry as sk
    >>> sk.isclose(sk.asarray([1.0, 2.0]), sk.asarray([1.0 + 1e-9, 2.1]))
    Array([ True, False], dtype=bool, device='cpu:0')

    """
    result: Array = _is_close(*_as_operands("isclose", a, b), rtol, atol, equal_nan)
    return result


def allclose(
    a: Any, b: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False
) -> bool:
    """Return whether two arrays are elementwise equal within a tolerance; see ``isclose``.

    Parameters
    ----------
    a, b : Array or scalar
        Operands, which must be broadcastable.
    rtol, atol, equal_nan
        See ``isclose``.

    {Returns: bool of the device}

    {Raises: DeviceMismatchError}

    Examples
    --------
    >>> import skerry as sk
    >>> sk.allclose(sk.asarray([1.0, 2.0]), sk.asarray([1.0 + 1e-9, 2.0]))
    True

    """
    return bool(_all_close(*_as_operands("allclose", a, b), rtol, atol, equal_nan))


@in_passes
def _is_close(a: Array, b: Array, rtol: float, atol: float, equal_nan: bool) -> Array:
    # Differences of integers may wrap around.
    a, b = (sk.astype(x, sk.float64) if kind_of(x.dtype) in "biu" else x for x in (a, b))
    is_close = (sk.abs(a - b) <= atol + rtol * sk.abs(b)) & sk.isfinite(b)
    is_close |= a == b
    if equal_nan:
        is_close |= sk.isnan(a) & sk.isnan(b)
    return is_close


@in_passes
def _all_close(*args: Any) -> Array:
    return sk.all(_is_close(*args))


def _as_operands(name: str, a: Any, b: Any) -> list[Array]:
    """Return both operands as arrays; ints become floats first, as they may be out of range of an integer array."""
    if any(isinstance(x, Array) and kind_of(x.dtype) in "biu" for x in (a, b)):
        a, b = (float(x) if isinstance(x, (int, np.integer)) else x for x in (a, b))
    return as_arrays(name, a, b)


def array_equal(a1: Any, a2: Any, equal_nan: bool = False) -> bool:
    """Return whether two arrays have the same shape and equal elements.

    Parameters
    ----------
    a1, a2 : Array or scalar
        Operands.
    equal_nan : bool, default False
        Whether NaNs compare equal.

    {Returns: bool of the device}

    {Raises: DeviceMismatchError}

    Examples
    --------
    >>> import skerry as sk
    >>> sk.array_equal(sk.asarray([1, 2]), sk.asarray([1, 2]))
    True

    """
    if isinstance(a1, INTS) or isinstance(a2, INTS):
        x, number = _array_and_int("array_equal", a1, a2)
        return x.ndim == 0 and bool(x == number)
    x, y = as_arrays("array_equal", a1, a2)
    return x.shape == y.shape and _all_equal(x, y, equal_nan)


def _array_and_int(name: str, a1: Any, a2: Any) -> tuple[Array, int]:
    """Return the array and the int, which is not converted: it may be out of range of the array's dtype."""
    array, number = (a2, a1) if isinstance(a1, INTS) else (a1, a2)
    return as_array(name, array), int(number)


def _all_equal(x: Array, y: Array, equal_nan: bool = False) -> bool:
    if x.dtype != y.dtype:
        dtype = common_dtype("array_equal", x.dtype, y.dtype)
        # Compare as NumPy does, in a dtype wide enough for both.
        wide = result_type(x.dtype, y.dtype) if kind_of(dtype) in "fc" else dtype
        x, y = cast(x, wide), cast(y, wide)
    same = x == y
    if equal_nan and kind_of(x.dtype) in "fc":
        same = same | (sk.isnan(x) & sk.isnan(y))
    return bool(sk.all(same))


def array_equiv(a1: Any, a2: Any) -> bool:
    """Return whether two arrays have broadcastable shapes and equal elements.

    Parameters
    ----------
    a1, a2 : Array or scalar
        Operands.

    {Returns: bool of the device}

    {Raises: DeviceMismatchError}

    Examples
    --------
    >>> import skerry as sk
    >>> sk.array_equiv(sk.asarray([1, 1]), sk.asarray([[1], [1]]))
    True

    """
    if isinstance(a1, INTS) or isinstance(a2, INTS):
        x, number = _array_and_int("array_equiv", a1, a2)
        return bool(sk.all(x == number))
    x, y = as_arrays("array_equiv", a1, a2)
    try:
        sk.broadcast_shapes(x.shape, y.shape)
    except ValueError:
        return False
    return _all_equal(x, y)
