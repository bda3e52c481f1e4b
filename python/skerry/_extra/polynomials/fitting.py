# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Fitting."""

from __future__ import annotations

from typing import Any

import skerry as sk
from skerry._core import Array
from skerry._extra._operands import cast, floating
from skerry.exceptions import ShapeError

__all__ = ["polyfit"]


def polyfit(x: Any, y: Any, deg: int, *, w: Any = None) -> Array:
    """Fit a polynomial to points by least squares.

    Whether the matrix of powers has full rank is read from the device: the call waits for it.

    Parameters
    ----------
    x, y : Array
        Coordinates (1-D) and values of the points: 1-D, or with a column for each polynomial.
    deg : int
        Degree of the polynomial.
    w : Array, optional
        Weights of the residuals, applied before squaring.

    Returns
    -------
    Array
        Coefficients of a floating-point dtype, from the highest power to the constant term. They are computed by a QR
        decomposition of the scaled matrix of powers, which must have full rank: there is no ``rcond``.

    Raises
    ------
    {DeviceMismatchError}
    ValueError
        If the degree is negative, there are fewer points than coefficients, or the shapes do not match.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.around(sk.polyfit(sk.asarray([0.0, 1, 2]), sk.asarray([1.0, 3, 5]), 1), 9)
    Array([2., 1.], dtype=float64, device='cpu:0')

    """
    positions, values, *weights = [
        cast(array, sk.float64 if array.dtype.kind == "f" else array.dtype)
        for array in floating("polyfit", *(a for a in (x, y, w) if a is not None))
    ]
    is_matched = positions.ndim == 1 and values.ndim in (1, 2) and values.shape[0] == positions.size
    if deg < 0 or not is_matched:
        raise ShapeError(
            f"polyfit: deg={deg} is negative, or x and y do not match: {positions.shape} and {values.shape}"
        )
    if positions.size <= deg:
        raise ValueError(
            f"polyfit: deg={deg} needs at least {deg + 1} points, not {positions.size}"
        )
    powers = sk.stack([positions**i for i in range(deg, -1, -1)], axis=1)
    if weights:
        if weights[0].shape != positions.shape:
            raise ShapeError(
                f"polyfit: w must have the shape of x: {weights[0].shape} and {positions.shape}"
            )
        powers = powers * weights[0][:, None]
        values = values * (weights[0][:, None] if values.ndim == 2 else weights[0])
    scale = sk.linalg.vector_norm(powers, axis=0)
    q, r = sk.linalg.qr(powers / cast(scale, powers.dtype))
    q = sk.conj(q) if q.dtype.kind == "c" else q
    coefficients = sk.linalg.solve(r, q.T @ values)
    scale = cast(scale, coefficients.dtype)
    return coefficients / (scale[:, None] if coefficients.ndim == 2 else scale)
