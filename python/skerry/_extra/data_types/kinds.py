# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Kinds and promotion of dtypes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.exceptions import DTypePromotionError

from skerry import _core
from skerry._data_types import KINDS, as_dtype, is_bfloat16
from skerry._scopes import strict_promotion

__all__ = ["issubdtype", "promote_types"]


def _read_dtype(name: str, arg: Any) -> np.dtype[Any]:
    """Return an argument as a dtype; the error names it."""
    try:
        return as_dtype(arg)
    except TypeError as error:
        raise TypeError(f"{name}: {error}") from None


def _scalar_type(name: str, arg: Any) -> type[np.generic]:
    """Return a scalar type or a kind of them unchanged, otherwise the scalar type of a dtype."""
    is_type = isinstance(arg, type) and issubclass(arg, np.generic)
    return arg if is_type else _read_dtype(name, arg).type


def issubdtype(arg1: Any, arg2: Any) -> bool:
    """Return whether a dtype is another one, or of a kind such as ``skerry.floating``.

    bfloat16 is of the kinds that float16 is of, which ``numpy.issubdtype`` denies.

    Parameters
    ----------
    arg1, arg2 : dtype or kind
        A dtype, or one of NumPy's kinds: ``skerry.generic``, ``number``, ``integer``, ``inexact``, ``floating``, …

    Examples
    --------
    >>> import skerry as sk
    >>> sk.issubdtype(sk.float16, sk.floating), sk.issubdtype(sk.float16, sk.float32)
    (True, False)

    """
    first = _scalar_type("issubdtype: arg1", arg1)
    second = _scalar_type("issubdtype: arg2", arg2)
    if first is not second and first.__name__ == "bfloat16":
        first = np.floating  # ml_dtypes derives it from numpy.generic alone
    return issubclass(first, second)


def promote_types(type1: Any, type2: Any, /) -> np.dtype[Any]:
    """Return the smallest dtype to which both can be cast safely, by NumPy's rule.

    bfloat16 and a dtype of skerry give that of ``skerry.result_type``; ml_dtypes lacks a rule for float16 and most
    integers.

    Parameters
    ----------
    type1, type2 : dtype
        Any dtypes of NumPy.

    Raises
    ------
    numpy.exceptions.DTypePromotionError
        If there is no such dtype, as for a date and a number. It is a ``TypeError``.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.promote_types(sk.int8, sk.uint8)
    dtype('int16')

    """
    if type1 is None or type2 is None:
        raise TypeError("promote_types: type1 and type2 must be dtypes, not None")
    dtypes = [
        _read_dtype(f"promote_types: {name}", arg)
        for name, arg in (("type1", type1), ("type2", type2))
    ]
    names = KINDS["bool"] + KINDS["numeric"]
    if any(map(is_bfloat16, dtypes)) and all(dtype.name in names for dtype in dtypes):
        with strict_promotion(False):
            return _core.result_type(*(dtype.newbyteorder("=") for dtype in dtypes))
    try:
        return np.promote_types(type1, type2)
    except DTypePromotionError as error:
        raise DTypePromotionError(f"promote_types: {error}") from None
