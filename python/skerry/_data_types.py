# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Dtypes, their limits and kinds."""

from __future__ import annotations

import importlib
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


def is_bfloat16(dtype: Any) -> bool:
    """Return whether a dtype is bfloat16, whose numpy.dtype is of the package ml_dtypes."""
    return isinstance(dtype, np.dtype) and dtype.kind == "V" and dtype.name == "bfloat16"


def bfloat16_type() -> type[np.generic]:
    """Return ml_dtypes.bfloat16; raise AttributeError, so that ``hasattr`` is false, if it is not installed."""
    try:
        return _core.result_type("bfloat16").type
    except DTypeError as error:
        raise AttributeError(f"skerry.{str(error).partition(': ')[2]}") from None


def kind_of(dtype: Dtype) -> str:
    """Return the character of a dtype's kind: NumPy's, but "f" for bfloat16, whose kind is "V" in ml_dtypes."""
    kind = dtype.kind
    return "f" if kind == "V" and is_bfloat16(dtype) else kind


def is_stored_only(dtype: Dtype) -> bool:
    """Return whether a dtype is float16 or bfloat16, which are computed in float32."""
    return dtype.itemsize == 2 and kind_of(dtype) == "f"


def as_dtype(dtype: Any) -> Dtype:
    """Convert to a numpy.dtype, which need not be one of skerry's."""
    # NumPy knows this name only while ml_dtypes is imported.
    return (
        _core.result_type(dtype)
        if isinstance(dtype, str) and dtype == "bfloat16"
        else np.dtype(dtype)
    )


def limits_of(dtype: Dtype) -> Any:
    """Return ``numpy.finfo`` of a floating-point dtype, or the same of ml_dtypes for bfloat16."""
    return (
        importlib.import_module("ml_dtypes").finfo(dtype) if is_bfloat16(dtype) else np.finfo(dtype)
    )


def result_type(*operands: Any) -> Dtype:
    """Promote as ``numpy.result_type``; as skerry with bfloat16, which NumPy rejects beside float16 and int64."""
    is_ours = any(is_bfloat16(getattr(x, "dtype", x)) for x in operands)
    return _core.result_type(*operands) if is_ours else np.result_type(*operands)


def can_cast(source: Any, target: Any, casting: Any) -> bool:
    """Apply the rule of ``numpy.can_cast``; by "same_kind", bfloat16 casts as float16 does."""
    if (
        casting == "same_kind"
    ):  # ml_dtypes allows complex numbers to bfloat16, but not bfloat16 to float16
        source, target = (np.float16 if is_bfloat16(x) else x for x in (source, target))
    return np.can_cast(source, target, casting)


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
    if kind_of(dtype) not in "fc":
        raise TypeError(f"finfo: not a floating dtype: {dtype}; use iinfo for integers")
    from skerry._limits import FloatInfo  # at the first call, as it imports dataclasses

    about = limits_of(dtype)
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
    if kind_of(dtype) not in "iu":
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
