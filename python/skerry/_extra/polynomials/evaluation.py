# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Evaluation."""

from __future__ import annotations

from typing import Any

import numpy as np

import skerry as sk
from skerry._core import Array
from skerry._extra._operands import as_array, in_passes, indices, promoted
from skerry.exceptions import ShapeError

__all__ = ["polyval"]


def polyval(p: Any, x: Any) -> Array:
    """Evaluate a polynomial by Horner's scheme.

    Parameters
    ----------
    p : Array or sequence of numbers
        Coefficients, from the highest power to the constant term.
    x : Array or scalar
        Points at which to evaluate.

    Returns
    -------
    Array
        Values with the shape of ``x`` and the common dtype.

    {Raises: DeviceMismatchError}

    Examples
    --------
    >>> import skerry as sk
    >>> sk.polyval([3, 0, 1], sk.asarray([0, 1, 2]))
    Array([ 1,  4, 13], dtype=int64, device='cpu:0')

    """
    if not isinstance(p, (Array, np.ndarray)):
        p = indices("polyval", p, as_array("polyval", x))
    coefficients, positions = promoted("polyval", p, x)
    if coefficients.ndim != 1:
        raise ShapeError(f"polyval: p must be a 1-D array, not of {coefficients.ndim} axes")
    result: Array = (
        _horner(positions, coefficients) if coefficients.size else sk.zeros_like(positions)
    )
    return result


@in_passes
def _horner(positions: Array, coefficients: Array) -> Array:
    result = positions * False  # derived from `positions` to have its memory layout
    result += coefficients[0]
    for i in range(1, coefficients.size):
        result *= positions
        result += coefficients[i]
    return result
