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
        raise ShapeError(f"polyval: coefficients of {coefficients.ndim} axes; they have 1")
    result: Array = (
        _horner(positions, coefficients) if coefficients.size else sk.zeros_like(positions)
    )
    return result


@in_passes
def _horner(positions: Array, coefficients: Array) -> Array:
    result = positions * False  # of `positions`, so that all lie in memory as it does
    result += coefficients[0]
    for i in range(1, coefficients.size):
        result *= positions
        result += coefficients[i]
    return result
