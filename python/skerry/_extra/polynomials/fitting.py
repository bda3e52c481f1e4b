# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Fitting."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

import skerry as sk
from skerry._core import Array
from skerry._data_types import kind_of
from skerry._extra._operands import cast, floating, require_host_memory
from skerry.exceptions import ShapeError

__all__ = ["polyfit"]

FLOAT64_EPSILON = float(np.finfo(np.float64).eps)


def polyfit(
    x: Any,
    y: Any,
    deg: float,
    rcond: float | None = None,
    full: bool = False,
    w: Any = None,
    cov: bool | str = False,
) -> Any:
    """Fit a polynomial to points by least squares.

    The rank of the matrix of powers is read from the device: the call waits for it.

    Parameters
    ----------
    x, y : Array
        Coordinates (1-D) and values of the points: 1-D, or with a column for each polynomial.
    deg : int
        Degree of the polynomial.
    rcond : float, optional
        Ratio of singular values to the largest at which they count as 0; by default the number of points times 2**-52.
    full : bool, default False
        Whether to also return the residuals, the rank, the singular values and ``rcond``.
    w : Array, optional
        Weights of the residuals, applied before squaring.
    cov : bool or 'unscaled', default False
        Whether to also return the covariances of the coefficients, scaled for relative ``w``, or not: for 1 / sigma.

    Returns
    -------
    Array or tuple
        Coefficients of a floating-point dtype, from the highest power to the constant term. With ``full`` a tuple of
        the coefficients, the sums of squared residuals (empty if they are 0 or the rank is not full), the rank, the
        singular values and ``rcond``. With ``cov`` instead, the coefficients and their covariance matrix.

    Raises
    ------
    {DeviceMismatchError}
    ValueError
        If the degree is negative, the shapes do not match, there are no points, or ``cov`` needs more points.

    Warns
    -----
    numpy.exceptions.RankWarning
        If the rank is not full, unless ``full``: the result is the solution with the smallest norm then.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.around(sk.polyfit(sk.asarray([0.0, 1, 2]), sk.asarray([1.0, 3, 5]), 1), 9)
    Array([2., 1.], dtype=float64, device='cpu:0')

    """
    powers, values = _equations(deg := _whole(deg), x, y, w)
    results = _fitted(powers, values, rcond, full, cov)
    if not full and results[1] <= deg:
        text = f"polyfit: the powers of x have rank {results[1]}, not {deg + 1}; lower deg"
        warnings.warn(text, np.exceptions.RankWarning, stacklevel=2)
    return results if full else (results[0], *results[2:]) if cov else results[0]


def _whole(degree: float) -> Any:
    """Return a float without a fraction, and an integer of NumPy's, as an int; others are rejected later."""
    is_whole = isinstance(degree, float | np.floating) and degree.is_integer()
    is_integer = (
        kind_of(getattr(degree, "dtype", np.dtype(bool))) in "iu"
    )  # its arithmetic may wrap around
    return int(degree) if is_whole or is_integer else degree


def _fitted(
    powers: Array, values: Array, rcond: float | None, full: bool, cov: bool | str
) -> tuple[Any, ...]:
    """Return what ``full`` gives; without it the coefficients, the rank and, with ``cov``, their covariances."""
    count, order = powers.shape
    norms = sk.linalg.vector_norm(powers, axis=0)
    # A column of zeros, for example of x = 0, has no norm to divide by.
    scale = cast(sk.where(norms == 0, 1.0, norms), powers.dtype)
    scaled = powers / scale
    limit = count * FLOAT64_EPSILON if rcond is None else float(rcond)
    solution = None if full or rcond is not None else _by_qr(scaled, values, limit)
    rank, singular_values = order, None
    if solution is None:
        solution, rank, singular_values = _by_singular_values(scaled, values, limit)
    coefficients = solution / (scale[:, None] if solution.ndim == 2 else scale)
    if full:
        residuals = _residuals(scaled, values, solution)
        return (
            coefficients,
            residuals[: None if rank == order < count else 0],
            rank,
            singular_values,
            limit,
        )
    if not cov:
        return coefficients, rank
    is_scaled = cov != "unscaled"
    return coefficients, rank, _covariances(scaled, values, solution, scale, is_scaled=is_scaled)


def _equations(deg: int, x: Any, y: Any, w: Any) -> tuple[Array, Array]:
    """Return the matrix of powers and the values, both multiplied by the weights."""
    positions, values, *weights = [
        cast(array, sk.float64 if kind_of(array.dtype) == "f" else array.dtype)
        for array in floating("polyfit", *(a for a in (x, y, w) if a is not None))
    ]
    is_matched = positions.ndim == 1 and values.ndim in (1, 2) and values.shape[0] == positions.size
    if deg < 0 or not is_matched:
        raise ShapeError(
            f"polyfit: deg={deg} is negative, or x and y do not match: {positions.shape} and {values.shape}"
        )
    if positions.size == 0:
        raise ValueError("polyfit: x has no points; pass at least one")
    # Each column is an array of its own before they are joined.
    require_host_memory("polyfit", (deg + 1) * (2 * positions.nbytes + 256))
    powers = sk.stack([positions**i for i in range(deg, -1, -1)], axis=1)
    if not weights:
        return powers, values
    if weights[0].shape != positions.shape:
        raise ShapeError(
            f"polyfit: w must have the shape of x: {weights[0].shape} and {positions.shape}"
        )
    factors = weights[0][:, None]
    return powers * factors, values * (factors if values.ndim == 2 else weights[0])


def _by_qr(matrix: Array, values: Array, limit: float) -> Array | None:
    """Return the least-squares solution; None if the matrix may not have full rank."""
    count, order = matrix.shape
    if count < order:
        return None
    q, r = sk.linalg.qr(matrix)
    diagonal = sk.abs(sk.linalg.diagonal(r))
    # The ratio is at least the smallest singular value over the largest. In practice it exceeds it by less than 1e3.
    if not bool(sk.min(diagonal) > 1e3 * limit * sk.max(diagonal)):
        return None
    q = sk.conj(q) if kind_of(q.dtype) == "c" else q
    return sk.linalg.solve(r, q.T @ values)


def _by_singular_values(matrix: Array, values: Array, limit: float) -> tuple[Array, int, Array]:
    """Return the least-squares solution of the smallest norm, the rank and the singular values."""
    u, singular_values, vh = sk.linalg.svd(matrix, full_matrices=False)
    is_nonzero = singular_values > limit * sk.max(singular_values)
    inverse = cast(sk.where(is_nonzero, 1 / singular_values, 0.0), matrix.dtype)
    u, vh = (sk.conj(u), sk.conj(vh)) if kind_of(matrix.dtype) == "c" else (u, vh)
    projected = u.T @ values
    projected = projected * (inverse[:, None] if values.ndim == 2 else inverse)
    return vh.T @ projected, int(sk.count_nonzero(is_nonzero)), singular_values


def _residuals(matrix: Array, values: Array, solution: Array) -> Array:
    """Return the sum of squared residuals of each polynomial, as a 1-D array."""
    difference = sk.abs(matrix @ solution - values)
    return sk.reshape(sk.sum(difference * difference, axis=0), (-1,))


def _covariances(
    matrix: Array, values: Array, solution: Array, scale: Array, *, is_scaled: bool
) -> Array:
    count, order = matrix.shape
    base = sk.linalg.inv(matrix.T @ matrix) / (scale[:, None] * scale)
    if is_scaled:
        if count <= order:
            raise ValueError(
                f"polyfit: cov needs more than {order} points, not {count}; pass cov='unscaled'"
            )
        factors = cast(_residuals(matrix, values, solution) / (count - order), base.dtype)
    else:
        factors = sk.ones((1,), dtype=base.dtype, device=base.device)
    return base[:, :, None] * factors if values.ndim == 2 else base * factors
