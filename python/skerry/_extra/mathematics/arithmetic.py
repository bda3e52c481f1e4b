# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Arithmetic."""

from __future__ import annotations

from typing import Any

import skerry as sk
from skerry import _core
from skerry._core import Array
from skerry._extra._operands import FLOAT64, in_passes, promoted, real_floating

__all__ = ["divmod", "fmod", "modf"]

#: Elements of a vector that the caches may not hold.
LONG = 1 << 17


def fmod(x1: Any, x2: Any, /) -> Array:
    """Return the remainder of a division rounded towards zero: it has the sign of ``x1``.

    Parameters
    ----------
    x1, x2 : {real, one array}

    Returns
    -------
    Array
        Of the common dtype; exact.

    {Raises: DeviceMismatchError}

    Examples
    --------
    >>> import skerry as sk
    >>> sk.fmod(sk.asarray([-7, 7]), 3)
    Array([-1,  1], dtype=int64, device='cpu:0')

    """
    x, y = promoted("fmod", x1, x2)
    return sk.remainder(x, y) if x.dtype.kind == "b" else _core.fmod(x, y)


def divmod(x1: Any, x2: Any, /) -> tuple[Array, Array]:
    """Return quotients, rounded down, and remainders.

    Parameters
    ----------
    x1, x2 : {real, one array}

    Returns
    -------
    tuple of Array
        ``floor_divide`` and ``remainder``.

    {Raises: DeviceMismatchError}

    Examples
    --------
    >>> import skerry as sk
    >>> sk.divmod(sk.asarray([7, -7]), 3)
    (Array([ 2, -3], dtype=int64, device='cpu:0'), Array([1, 2], dtype=int64, device='cpu:0'))

    """
    x, y = promoted("divmod", x1, x2)
    if x.size >= LONG:
        x, y = _together(x), _together(y)
    return sk.floor_divide(x, y), sk.remainder(x, y)


def _together(x: Array) -> Array:
    """Copy a vector whose elements lie apart: what reads it twice takes half as much time of the copy."""
    return x.copy() if x.ndim == 1 and x.strides[0] not in (0, x.itemsize) else x


def modf(x: Any, /) -> tuple[Array, Array]:
    """Return fractions and whole numbers, both with the sign of ``x``.

    Parameters
    ----------
    x : {real}

    Returns
    -------
    tuple of Array
        Floating.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.modf(sk.asarray([1.5, -2.25]))[0]
    Array([ 0.5 , -0.25], dtype=float64, device='cpu:0')

    """
    kind = x.dtype.kind if isinstance(x, Array) else ""
    if kind and kind in "biu":
        whole = sk.astype(x, FLOAT64)
        return whole * 0.0, whole
    if kind != "f":
        (x,) = real_floating("modf", x)
    parts: tuple[Array, Array] = _rest_and_whole(x)
    return parts


@in_passes
def _rest_and_whole(x: Array) -> tuple[Array, Array]:
    whole = sk.trunc(x)
    rest = sk.where(sk.isinf(x), 0.0, x - whole)
    return sk.copysign(rest, x), whole
