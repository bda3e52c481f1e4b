# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Rational routines."""

from __future__ import annotations

from typing import Any

import skerry as sk
from skerry import _core
from skerry._core import Array
from skerry._data_types import kind_of
from skerry._extra._operands import in_passes, promoted
from skerry.exceptions import DTypeError

__all__ = ["gcd", "lcm"]


def gcd(x1: Any, x2: Any, /) -> Array:
    """Return the greatest common divisor of the magnitudes.

    Parameters
    ----------
    x1, x2 : Array or scalar
        Operands of integer dtypes.

    Returns
    -------
    Array
        Array of the common dtype; 0 where both are 0. The magnitude of the smallest integer wraps around to itself.

    Raises
    ------
    {DeviceMismatchError}
    TypeError
        If a dtype is not an integer one.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.gcd(sk.asarray([12, -8, 0]), 20)
    Array([ 4,  4, 20], dtype=int64, device='cpu:0')

    """
    return _core.gcd(*_integers("gcd", x1, x2))


def lcm(x1: Any, x2: Any, /) -> Array:
    """Return the least common multiple of the magnitudes.

    Parameters
    ----------
    x1, x2 : Array or scalar
        Operands of integer dtypes.

    Returns
    -------
    Array
        Array of the common dtype; 0 where an operand is 0. Integers wrap around.

    Raises
    ------
    {DeviceMismatchError}
    TypeError
        If a dtype is not an integer one.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.lcm(sk.asarray([12, -8, 0]), 20)
    Array([60, 40,  0], dtype=int64, device='cpu:0')

    """
    x, y = _integers("lcm", x1, x2)
    result: Array = _least_multiple(x, y)
    return result


@in_passes
def _least_multiple(x: Array, y: Array) -> Array:
    # The quotient is exact; the quotient by a divisor 0 is 0.
    return sk.abs(x) // _core.gcd(x, y) * sk.abs(y)


def _integers(name: str, x1: Any, x2: Any) -> Any:
    x, y = promoted(name, x1, x2)
    if kind_of(x.dtype) not in "iu":
        raise DTypeError(f"{name}: takes integers, not {x.dtype}; convert with skerry.astype")
    return x, y
