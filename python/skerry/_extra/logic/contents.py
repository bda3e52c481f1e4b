# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Contents of arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

import skerry as sk
from skerry._core import Array
from skerry._data_types import kind_of
from skerry._extra._operands import as_array
from skerry._outputs import output_argument, store
from skerry.exceptions import DTypeError

__all__ = [
    "iscomplex", "iscomplexobj", "isfortran", "isneginf", "isposinf", "isreal", "isrealobj",
]  # fmt: skip


def _infinite(name: str, x: Any, sign: float, out: Array | None) -> Array:
    x = as_array(name, x)
    if kind_of(x.dtype) == "c":
        raise DTypeError(f"{name}: takes real numbers, not {x.dtype}; pass real(x)")
    result = x == sign * sk.inf if kind_of(x.dtype) == "f" else sk.zeros_like(x, dtype=bool)
    return result if out is None else store(name, result, output_argument(name, out, x))


def isposinf(x: Any, out: Array | None = None) -> Array:
    """Return elementwise whether numbers are positive infinity.

    Parameters
    ----------
    x : {real}
    out : {out}

    {Returns: bool}

    Examples
    --------
    >>> import skerry as sk
    >>> sk.isposinf(sk.asarray([1.0, sk.inf, -sk.inf]))
    Array([False,  True, False], dtype=bool, device='cpu:0')

    """
    return _infinite("isposinf", x, 1.0, out)


def isneginf(x: Any, out: Array | None = None) -> Array:
    """Return elementwise whether numbers are negative infinity.

    Parameters
    ----------
    x : {real}
    out : {out}

    {Returns: bool}

    Examples
    --------
    >>> import skerry as sk
    >>> sk.isneginf(sk.asarray([1.0, sk.inf, -sk.inf]))
    Array([False, False,  True], dtype=bool, device='cpu:0')

    """
    return _infinite("isneginf", x, -1.0, out)


def iscomplex(x: Any) -> Array:
    """Return elementwise whether numbers have a nonzero imaginary part.

    Parameters
    ----------
    x : {numbers}

    {Returns: bool}

    Examples
    --------
    >>> import skerry as sk
    >>> sk.iscomplex(sk.asarray([1 + 1j, 2]))
    Array([ True, False], dtype=bool, device='cpu:0')

    """
    x = as_array("iscomplex", x)
    return sk.astype(x.imag, bool) if kind_of(x.dtype) == "c" else sk.zeros_like(x, dtype=bool)


def isreal(x: Any) -> Array:
    """Return elementwise whether numbers are real: have no imaginary part, or one of zero.

    Parameters
    ----------
    x : {numbers}

    {Returns: bool}

    Examples
    --------
    >>> import skerry as sk
    >>> sk.isreal(sk.asarray([1 + 1j, 2]))
    Array([False,  True], dtype=bool, device='cpu:0')

    """
    return ~iscomplex(as_array("isreal", x))


def iscomplexobj(x: Any) -> bool:
    """Return whether an array or a number has a complex type.

    Parameters
    ----------
    x : Array, scalar or nested list
        Input.

    Returns
    -------
    bool
        Whether the dtype is complex, also if all imaginary parts are zero.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.iscomplexobj(sk.asarray([1 + 0j]))
    True

    """
    return (kind_of(x.dtype) == "c") if isinstance(x, Array) else np.iscomplexobj(x)


def isrealobj(x: Any) -> bool:
    """Return whether an array or a number has a type that is not complex.

    Parameters
    ----------
    x : Array, scalar or nested list
        Input.

    Returns
    -------
    bool
        Whether the dtype is not complex.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.isrealobj(sk.asarray([1 + 0j]))
    False

    """
    return not iscomplexobj(x)


def isfortran(a: Any) -> bool:
    """Return whether the elements of an array are contiguous with the first axis fastest, and not with the last.

    Parameters
    ----------
    a : {any dtype}

    Returns
    -------
    bool
        Whether ``a`` has this order.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.isfortran(sk.zeros((2, 3)).T)
    True

    """
    return bool(as_array("isfortran", a).flags.fnc)
