# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Polynomials."""

from __future__ import annotations

from typing import Any

import numpy as np

import skerry as sk
from skerry._core import Array
from skerry._extra._operands import as_array, cast, floating, in_passes, indices, promoted
from skerry.exceptions import ShapeError

__all__ = ["polyfit", "polyval"]


def polyval(p: Any, x: Any) -> Array:
    """Evaluate a polynomial, by Horner's scheme.

    Parameters
    ----------
    p : Array or sequence of numbers
        Coefficients, of the highest power first.
    x : Array or scalar
        Where.

    Returns
    -------
    Array
        Of the shape of ``x`` and the common dtype.

    Raises
    ------
    DeviceMismatchError
        For arrays on different devices.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.polyval([3, 0, 1], sk.asarray([0, 1, 2]))
    Array([ 1,  4, 13], dtype=int64, device='cpu:0')

    """
    if not isinstance(p, (Array, np.ndarray)):
        p = indices("polyval", p, as_array("polyval", x))
    coefficients, at = promoted("polyval", p, x)
    if coefficients.ndim != 1:
        raise ShapeError(f"polyval: coefficients of {coefficients.ndim} axes; they have 1")
    found: Array = _horner(at, coefficients) if coefficients.size else sk.zeros_like(at)
    return found


@in_passes
def _horner(at: Array, coefficients: Array) -> Array:
    found = at * False  # of `at`, so that all lie in memory as it does
    found += coefficients[0]
    for i in range(1, coefficients.size):
        found *= at
        found += coefficients[i]
    return found


def polyfit(x: Any, y: Any, deg: int, *, w: Any = None) -> Array:
    """Fit a polynomial to points, by least squares.

    Reads from the device whether the matrix of powers has full rank: the call waits for it.

    Parameters
    ----------
    x, y : Array
        Places, and values: one axis, or a column for each polynomial.
    deg : int
        The degree.
    w : Array, optional
        Weights of the residuals, not of their squares.

    Returns
    -------
    Array
        Coefficients, of the highest power first; floating. They are found by a QR decomposition of the scaled matrix of
        powers, which must have full rank: there is no ``rcond``.

    Raises
    ------
    DeviceMismatchError
        For arrays on different devices.
    ValueError
        For a negative degree, fewer points than coefficients, or shapes that don't fit.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.around(sk.polyfit(sk.asarray([0.0, 1, 2]), sk.asarray([1.0, 3, 5]), 1), 9)
    Array([2., 1.], dtype=float64, device='cpu:0')

    """
    at, values, *weights = [
        cast(
            each, sk.float64 if each.dtype.kind == "f" and each.dtype != sk.float64 else each.dtype
        )
        for each in floating("polyfit", *(each for each in (x, y, w) if each is not None))
    ]
    if deg < 0 or at.ndim != 1 or values.ndim not in (1, 2) or values.shape[0] != at.size:
        raise ShapeError(
            f"polyfit: degree {deg} for positions of shape {at.shape} and values of {values.shape}"
        )
    if at.size <= deg:
        raise ValueError(f"polyfit: {at.size} points for {deg + 1} coefficients; give more")
    powers = sk.stack([at**i for i in range(deg, -1, -1)], axis=1)
    if weights:
        if weights[0].shape != at.shape:
            raise ShapeError(f"polyfit: weights of shape {weights[0].shape} for {at.shape}")
        powers = powers * weights[0][:, None]
        values = values * (weights[0][:, None] if values.ndim == 2 else weights[0])
    scale = sk.linalg.vector_norm(powers, axis=0)
    q, r = sk.linalg.qr(powers / cast(scale, powers.dtype))
    q = sk.conj(q) if q.dtype.kind == "c" else q
    found = sk.linalg.solve(r, q.T @ values)
    scale = cast(scale, found.dtype)
    return found / (scale[:, None] if found.ndim == 2 else scale)
