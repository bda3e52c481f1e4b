# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Calculus."""

from __future__ import annotations

from typing import Any

import numpy as np

import skerry as sk
from skerry._data_types import result_type
from skerry._extra._operands import FLOAT64, cast
from skerry._extra.polynomials._coefficients import coefficients, of_kind

__all__ = ["polyder", "polyint"]


def polyder(p: Any, m: int = 1) -> Any:
    """Return the derivative of a polynomial.

    Parameters
    ----------
    p : {coefficients}
    m : int, default 1
        Order of the derivative.

    {Returns: polynomial}

    Raises
    ------
    ValueError
        If ``m`` is negative.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.polyder(sk.asarray([1, 1, 1, 1]))
    Array([3, 2, 1], dtype=int64, device='cpu:0')

    """
    if m < 0:
        raise ValueError(f"polyder: m is negative: {m}; use polyint")
    (x,) = coefficients("polyder", p)
    for _ in range(min(m, x.size + 1)):  # no coefficients are left after that
        dtype = result_type(x.dtype, np.int64)
        powers = sk.arange(x.size - 1, 0, -1, dtype=dtype, device=x.device)
        x = cast(x[:-1], dtype) * powers
    return of_kind((p,), x)


def polyint(p: Any, m: int = 1, k: Any = None) -> Any:
    """Return an antiderivative of a polynomial.

    Parameters
    ----------
    p : {coefficients}
    m : int, default 1
        Order of the antiderivative.
    k : scalar, Array or sequence of numbers, optional
        Constants of integration in the order of integration; a single one counts for all. By default zeros.

    Returns
    -------
    Array
        Coefficients of dtype float64 or complex128; a ``poly1d`` if ``p`` is one.

    Raises
    ------
    {DeviceMismatchError}
    ValueError
        If ``m`` is negative, or there are fewer constants than integrations.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.polyint(sk.asarray([1, 1, 1]))
    Array([0.33333333, 0.5       , 1.        , 0.        ], dtype=float64, device='cpu:0')

    """
    if m < 0:
        raise ValueError(f"polyint: m is negative: {m}; use polyder")
    x, constants = coefficients("polyint", p, [0.0] if k is None else k)
    if constants.size == 1:
        constants = sk.broadcast_to(constants, (max(m, 1),))
    if constants.size < m:
        raise ValueError(f"polyint: k has {constants.size} constants for m={m}; pass one or {m}")
    if m > 0:
        x = cast(x, result_type(x.dtype, FLOAT64))
        constants = cast(constants, result_type(constants.dtype, FLOAT64))
    for i in range(m):
        powers = sk.arange(x.size, 0, -1, dtype=FLOAT64, device=x.device)
        x = sk.concat([x / powers, constants[i : i + 1]])
    return of_kind((p,), x)
