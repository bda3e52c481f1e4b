# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Exponents."""

from __future__ import annotations

from typing import Any

import skerry as sk
from skerry import _core
from skerry._core import Array
from skerry._data_types import kind_of
from skerry._extra._operands import floating, real_floating

__all__ = ["exp2", "logaddexp2"]


def exp2(x: Any, /) -> Array:
    """Compute ``2**x`` for each element.

    Parameters
    ----------
    x : {real}

    {Returns: floating}

    Examples
    --------
    >>> import skerry as sk
    >>> sk.exp2(sk.asarray([0.5, 3.0]))
    Array([1.41421356, 8.        ], dtype=float64, device='cpu:0')

    """
    (x,) = floating("exp2", x)
    result: Array = sk.pow(2.0, x) if kind_of(x.dtype) == "c" else _core.exp2(x)
    return result


def logaddexp2(x1: Any, x2: Any, /) -> Array:
    """Compute ``log2(2**x1 + 2**x2)`` for each pair of elements, without undue overflow.

    Parameters
    ----------
    x1, x2 : {real, one array}

    Returns
    -------
    Array
        Array of a floating-point dtype; NaN where an operand is NaN.

    {Raises: DeviceMismatchError}

    Examples
    --------
    >>> import skerry as sk
    >>> sk.logaddexp2(sk.asarray([3.0, 2000.0]), 3.0)
    Array([   4., 2000.], dtype=float64, device='cpu:0')

    """
    return _core.logaddexp2(*real_floating("logaddexp2", x1, x2))
