# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""The argument out= of all functions: what it accepts, and how results are stored into it.

Functions in C++ store a result of the dtype and shape of ``out`` themselves (python/bindings/method_table.cpp).
"""

from __future__ import annotations

from typing import Any

import numpy as np

import skerry as sk
from skerry import _core
from skerry._core import Array
from skerry._data_types import as_dtype, can_cast, kind_of
from skerry.exceptions import DTypeError, ReadOnlyError, ShapeError


def output_arguments(name: str, out: Any, count: int) -> tuple[Any, ...]:
    """Return ``out=``, an array or a tuple with an array or None for each result, as a tuple.

    Raises
    ------
    TypeError
        For other objects than Arrays and NumPy arrays.
    ValueError
        If the tuple has another length than ``count``.

    """
    outs = out if isinstance(out, tuple) else (None,) * count if out is None else (out,)
    if len(outs) != count:
        raise ValueError(f"{name}: out has {len(outs)} arrays for {count} results")
    for x in outs:
        if x is not None and not isinstance(x, (Array, np.ndarray)):
            raise TypeError(f"{name}: out must be an Array, not {type(x).__name__}")
    return outs


def output_argument(name: str, out: Any, *arrays: Array) -> Array | None:
    """Return ``out=`` of a function with one result; NumPy arrays are arrays on cpu:0.

    Raises
    ------
    DeviceMismatchError, ReadOnlyError, TypeError, ValueError
        If it is on another device than the operands, read-only, or not an array.

    """
    (x,) = output_arguments(name, out, 1)
    if x is None:
        return None
    output: Array = sk.asarray(x, device="cpu:0", copy=False) if isinstance(x, np.ndarray) else x
    _core.require_one_device(name, (*arrays, output))
    if not _core.is_writable(output):
        raise ReadOnlyError(
            f"{name}: out is read-only: {output.dtype} {output.shape}; pass a copy of it"
        )
    return output


def store(
    name: str,
    result: Array,
    out: Array | None,
    casting: str = "same_kind",
    mask: Array | None = None,
    *,
    broadcast: bool = False,
) -> Array:
    """Copy a result into ``out`` and return that; return the result if ``out`` is None.

    The result is in memory of its own, so ``out`` may overlap the operands. Where ``mask`` is false, elements keep the
    value of ``out``, and are 0 without it. ``broadcast`` says whether ``out`` may be larger than the result.

    Raises
    ------
    DTypeError, ShapeError
        If the dtypes don't cast by the rule ``casting``, or the shapes differ. ``out`` is unchanged then.

    """
    if mask is None and out is None:
        return result
    shape = result.shape if mask is None else sk.broadcast_shapes(result.shape, mask.shape)
    if out is None:
        zero = sk.zeros((), dtype=result.dtype, device=result.device)
        return sk.where(mask, result, zero)  # type: ignore[arg-type]
    if out.shape != shape and not (broadcast and _broadcasts(shape, out.shape)):
        raise ShapeError(
            f"{name}: out has shape {out.shape}, but the result {shape}; create out with skerry.empty"
        )
    require_cast(name, "the result", result.dtype, "out", out.dtype, casting)
    values = converted(result, out.dtype)
    out[...] = values if mask is None else sk.where(mask, values, out)
    return out


def _broadcasts(shape: tuple[int, ...], target: tuple[int, ...]) -> bool:
    pairs = zip(shape[::-1], target[::-1], strict=False)
    return len(shape) <= len(target) and all(n in (1, extent) for n, extent in pairs)


def converted(x: Array, dtype: Any) -> Array:
    """Convert to a dtype that the rule allows; the imaginary part is dropped for a real one."""
    x = sk.real(x) if kind_of(x.dtype) == "c" != kind_of(as_dtype(dtype)) else x
    return sk.astype(x, dtype, copy=False)


def require_cast(
    name: str, source_name: str, source: Any, target_name: str, target: Any, casting: str
) -> None:
    """Raise DTypeError unless a dtype casts to another by a rule of ``numpy.can_cast``."""
    if not can_cast(source, target, casting):
        raise DTypeError(
            f"{name}: {source_name} is {source}, which does not cast to the {target} of {target_name} by "
            f"casting={casting!r}; use skerry.astype"
        )
