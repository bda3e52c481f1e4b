# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Dtypes of arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from skerry._core import Array
from skerry._data_types import kind_of, result_type
from skerry._extra._operands import as_array
from skerry.exceptions import DTypeError

__all__ = ["common_type", "min_scalar_type"]


def common_type(*arrays: Any) -> type[np.generic]:
    """Return the floating-point type that numbers of all arrays can be computed in.

    Parameters
    ----------
    *arrays : Array
        Arrays of numeric dtypes, on any devices.

    Returns
    -------
    type
        NumPy's scalar type, such as ``skerry.float32``; float64 if an array is of integers, float16 for no arrays.

    Raises
    ------
    DTypeError
        If an array is of bool.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.common_type(sk.ones(2, dtype=sk.float32), sk.ones(2, dtype=sk.int8)) is sk.float64
    True

    """
    dtypes = [as_array("common_type", x).dtype for x in arrays]
    if any(kind_of(dtype) == "b" for dtype in dtypes):
        raise DTypeError("common_type: an array is of bool; convert it with astype")
    floats = [np.dtype(np.float64) if kind_of(dtype) in "iu" else dtype for dtype in dtypes]
    return result_type(*floats).type if floats else np.float16


def min_scalar_type(a: Any, /) -> np.dtype[Any]:
    """Return the smallest dtype that can hold a number, or the dtype of an array with axes.

    The number in a 0-d array is read from the device: the call waits for it.

    Parameters
    ----------
    a : Array or scalar
        A number, or an array.

    Returns
    -------
    dtype
        Smallest dtype of the kind of the number, unsigned unless it is negative.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.min_scalar_type(-300)
    dtype('int16')

    """
    if isinstance(a, Array):
        return a.dtype if a.ndim else np.min_scalar_type(a.to_device("cpu:0").to_numpy())
    return np.min_scalar_type(a)
