# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Arithmetic."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import skerry as sk
from skerry._core import Array
from skerry._extra._operands import cast, common_dtype, floating_dtype, promoted
from skerry._extra.polynomials._coefficients import (
    coefficients,
    of_kind,
    without_leading_zeros,
)

__all__ = ["polyadd", "polydiv", "polymul", "polysub"]

# NumPy's tolerance for leading coefficients of a remainder.
NEGLIGIBLE = 1e-8


def _combined(name: str, combine: Callable[[Array, Array], Array], a1: Any, a2: Any) -> Any:
    """Combine coefficients of equal powers."""
    arrays = promoted(name, *coefficients(name, a1, a2))
    count = max(x.size for x in arrays)
    padded = []
    for x in arrays:
        zeros = sk.zeros((count - x.size,), dtype=x.dtype, device=x.device)
        padded.append(sk.concat([zeros, x]) if zeros.size else x)
    return of_kind((a1, a2), combine(*padded))


def polyadd(a1: Any, a2: Any) -> Any:
    """Add two polynomials.

    Parameters
    ----------
    a1, a2 : {coefficients}

    {Returns: polynomial}

    {Raises: DeviceMismatchError}

    Examples
    --------
    >>> import skerry as sk
    >>> sk.polyadd(sk.asarray([1, 2]), sk.asarray([9, 5, 4]))
    Array([9, 6, 6], dtype=int64, device='cpu:0')

    """
    return _combined("polyadd", sk.add, a1, a2)


def polysub(a1: Any, a2: Any) -> Any:
    """Subtract one polynomial from another.

    Parameters
    ----------
    a1, a2 : {coefficients}

    {Returns: polynomial}

    {Raises: DeviceMismatchError}

    Examples
    --------
    >>> import skerry as sk
    >>> sk.polysub(sk.asarray([2, 10, -2]), sk.asarray([3, 10, -4]))
    Array([-1,  0,  2], dtype=int64, device='cpu:0')

    """
    return _combined("polysub", sk.subtract, a1, a2)


def polymul(a1: Any, a2: Any) -> Any:
    """Multiply two polynomials.

    Leading zeros are dropped first: their number is read from the device.

    Parameters
    ----------
    a1, a2 : {coefficients}

    {Returns: polynomial}

    {Raises: DeviceMismatchError}

    Examples
    --------
    >>> import skerry as sk
    >>> sk.polymul(sk.asarray([1, 2, 3]), sk.asarray([9, 5, 1]))
    Array([ 9, 23, 38, 17,  3], dtype=int64, device='cpu:0')

    """
    x1, x2 = (without_leading_zeros(x) for x in coefficients("polymul", a1, a2))
    return of_kind((a1, a2), sk.convolve(x1, x2))


def polydiv(u: Any, v: Any) -> tuple[Any, Any]:
    """Divide two polynomials.

    Which leading coefficients of the remainder are negligible is read from the device.

    Parameters
    ----------
    u, v : {coefficients}

    Returns
    -------
    tuple of Array
        Quotient and remainder, of a floating-point dtype; ``poly1d`` if an argument is one.

    Raises
    ------
    {DeviceMismatchError}
    ValueError
        If a polynomial has no coefficients.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.polydiv(sk.asarray([3.0, 5.0, 2.0]), sk.asarray([2.0, 1.0]))
    (Array([1.5 , 1.75], dtype=float64, device='cpu:0'), Array([0.25], dtype=float64, device='cpu:0'))

    """
    dividend, divisor = coefficients("polydiv", u, v)
    if dividend.size == 0 or divisor.size == 0:
        raise ValueError("polydiv: u or v has no coefficients; pass at least one")
    dtype = floating_dtype(common_dtype("polydiv", dividend.dtype, divisor.dtype))
    rest, divisor = sk.astype(dividend, dtype), cast(divisor, dtype)
    count = max(rest.size - divisor.size + 1, 0)
    quotient = sk.zeros((max(count, 1),), dtype=dtype, device=rest.device)
    for k in range(count):
        factor = rest[k] / divisor[0]
        quotient[k] = factor
        rest[k : k + divisor.size] -= factor * divisor
    large = sk.nonzero(~(sk.abs(rest) <= NEGLIGIBLE))[0]
    first = min(int(large[0]) if large.size else rest.size, rest.size - 1)
    values = (u, v)
    return of_kind(values, quotient), of_kind(values, rest[first:])
