# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Coefficients of polynomials as arguments: arrays, literals and objects such as ``poly1d``."""

from __future__ import annotations

from typing import Any

import skerry as sk
from skerry._core import Array
from skerry._extra._operands import as_arrays
from skerry.exceptions import ShapeError


class Polynomial:
    """A polynomial with its coefficients, from the highest power to the constant term."""

    _coefficients: Array


def coefficients(name: str, *values: Any) -> list[Array]:
    """Return the coefficients of polynomials as 1-D arrays on one device; literals go to the arrays' device.

    Raises
    ------
    DeviceMismatchError
        If arrays are on different devices.
    ShapeError
        If an array has two or more axes.

    """
    results = as_arrays(
        name, *(x._coefficients if isinstance(x, Polynomial) else x for x in values)
    )
    for x in results:
        if x.ndim > 1:
            raise ShapeError(f"{name}: coefficients must be a 1-D array, not of {x.ndim} axes")
    return [sk.reshape(x, (1,)) if x.ndim == 0 else x for x in results]


def of_kind(values: tuple[Any, ...], result: Array) -> Any:
    """Return the coefficients of a result as a polynomial if an argument is one."""
    kind: Any = next((type(x) for x in values if isinstance(x, Polynomial)), None)
    return result if kind is None else kind(result)


def without_leading_zeros(x: Array) -> Array:
    """Return the coefficients from the first that is not zero; one zero if all are. Reads its place from the device."""
    nonzero_indices = sk.nonzero(x)[0]
    return (
        x[int(nonzero_indices[0]) :]
        if nonzero_indices.size
        else sk.zeros((1,), dtype=x.dtype, device=x.device)
    )
