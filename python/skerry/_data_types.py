# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Dtypes, their limits and kinds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from skerry import _core
from skerry.exceptions import DTypeError

if TYPE_CHECKING:
    from skerry._limits import FloatInfo, IntegerInfo

Dtype = np.dtype[Any]

KINDS: dict[str, tuple[str, ...]] = {}
for _name, _kind in _core.dtype_kinds().items():
    KINDS[_kind] = (*KINDS.get(_kind, ()), _name)
KINDS["integral"] = KINDS["signed integer"] + KINDS["unsigned integer"]
KINDS["numeric"] = KINDS["integral"] + KINDS["real floating"] + KINDS["complex floating"]


def _dtype_of(name: str, type: object) -> Dtype:
    if isinstance(type, _core.Array):
        return type.dtype
    if isinstance(type, int | float | complex):  # result_type takes scalars, too
        raise DTypeError(f"{name}: not a dtype of skerry: {type!r}")
    try:
        return _core.result_type(type)
    except TypeError as error:
        raise DTypeError(f"{name}: {str(error).partition(': ')[2]}") from None


def finfo(type: Any, /) -> FloatInfo:
    """Return the limits of a floating-point dtype, or of the dtype of an array.

    Parameters
    ----------
    type : dtype or Array
        A dtype, or an array, whose dtype is used.

    Returns
    -------
    FloatInfo
        ``bits``, ``eps``, ``max``, ``min``, ``smallest_normal`` and ``dtype``; of the real part for complex dtypes.

    Raises
    ------
    TypeError
        If the dtype is not a floating-point dtype.

    Source: array API 2025.12, data type functions.

    """
    dtype = _dtype_of("finfo", type)
    if dtype.kind not in "fc":
        raise TypeError(f"finfo: not a floating dtype: {dtype}; use iinfo for integers")
    from skerry._limits import FloatInfo  # at the first call, as it imports dataclasses

    about = np.finfo(dtype)
    return FloatInfo(
        bits=int(about.bits),
        eps=float(about.eps),
        max=float(about.max),
        min=float(about.min),
        smallest_normal=float(about.smallest_normal),
        dtype=_core.result_type(about.dtype),
    )


def iinfo(type: Any, /) -> IntegerInfo:
    """Return the limits of an integer dtype, or of the dtype of an array.

    Parameters
    ----------
    type : dtype or Array
        A dtype, or an array, whose dtype is used.

    Returns
    -------
    IntegerInfo
        ``bits``, ``max``, ``min`` and ``dtype``.

    Raises
    ------
    TypeError
        If the dtype is not an integer dtype.

    Source: array API 2025.12, data type functions.

    """
    dtype = _dtype_of("iinfo", type)
    if dtype.kind not in "iu":
        raise TypeError(f"iinfo: not an integer dtype: {dtype}; use finfo for floats")
    from skerry._limits import IntegerInfo

    about = np.iinfo(dtype)
    return IntegerInfo(bits=int(about.bits), max=int(about.max), min=int(about.min), dtype=dtype)


def isdtype(dtype: Any, kind: Any) -> bool:
    """Return whether a dtype is of a given kind.

    Parameters
    ----------
    dtype : dtype
        The dtype to test.
    kind : dtype, str or tuple of them
        A dtype; one of "bool", "signed integer", "unsigned integer", "integral", "real floating", "complex floating"
        and "numeric"; or a tuple of these, of which at least one must match.

    Raises
    ------
    ValueError
        If the kind is unknown.

    Source: array API 2025.12, data type functions.

    """
    dtype = _dtype_of("isdtype: dtype", dtype)
    if isinstance(kind, tuple):
        return any(isdtype(dtype, one) for one in kind)
    if isinstance(kind, str):
        if kind not in KINDS:
            raise ValueError(f"isdtype: unknown kind: {kind!r}; known are {', '.join(KINDS)}")
        return dtype.name in KINDS[kind]
    return bool(dtype == _dtype_of("isdtype: kind", kind))
