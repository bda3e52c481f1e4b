# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Evaluation."""

from __future__ import annotations

from typing import Any

import numpy as np

import skerry as sk
from skerry._core import Array
from skerry._extra._operands import as_array, in_passes, indices, promoted
from skerry._extra.polynomials._coefficients import Polynomial, coefficients
from skerry.exceptions import ShapeError

__all__ = ["polyval"]


def polyval(p: Any, x: Any) -> Any:
    """Evaluate a polynomial by Horner's scheme.

    Parameters
    ----------
    p : {coefficients}
    x : Array, scalar or poly1d
        Points at which to evaluate, or a polynomial to insert.

    Returns
    -------
    Array
        Values with the shape of ``x`` and the common dtype; a ``poly1d`` if ``x`` is one.

    {Raises: DeviceMismatchError}

    Examples
    --------
    >>> import skerry as sk
    >>> sk.polyval([3, 0, 1], sk.asarray([0, 1, 2]))
    Array([ 1,  4, 13], dtype=int64, device='cpu:0')

    """
    if isinstance(p, Polynomial):
        p = p._coefficients
    if isinstance(x, Polynomial):
        return _composition(p, x)
    if not isinstance(x, (Array, np.ndarray)) and isinstance(p, Array):
        x = sk.asarray(x, device=p.device)
    if not isinstance(p, (Array, np.ndarray)):
        p = indices("polyval", p, as_array("polyval", x))
    coefficients, positions = promoted("polyval", p, x)
    if coefficients.ndim != 1:
        raise ShapeError(f"polyval: p must be a 1-D array, not of {coefficients.ndim} axes")
    result: Array = (
        _horner(positions, coefficients) if coefficients.size else sk.zeros_like(positions)
    )
    return result


def _composition(p: Any, x: Any) -> Any:
    """Insert a polynomial into another one."""
    (outer,) = coefficients("polyval", p)
    result = x * 0
    for i in range(outer.size):
        result = result * x + outer[i]
    return result


@in_passes
def _horner(positions: Array, coefficients: Array) -> Array:
    result = positions * False  # derived from `positions` to have its memory layout
    result += coefficients[0]
    for i in range(1, coefficients.size):
        result *= positions
        result += coefficients[i]
    return result
