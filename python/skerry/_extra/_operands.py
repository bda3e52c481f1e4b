# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Conversions and arithmetic that several topics share: operands of one device, common dtypes, exact sums."""

from __future__ import annotations

import functools
import operator
import os
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

import skerry as sk
from skerry import _core
from skerry._arrays import arrays_in
from skerry._core import Array
from skerry._data_types import is_stored_only, kind_of, result_type
from skerry._failed_calls import NotAnArrayError
from skerry.exceptions import AxisError, DTypeError, OutOfMemoryError, ShapeError

Arrays = tuple[Array, ...] | list[Array]
Axis = int | tuple[int, ...] | None
SCALARS = (bool, int, float, complex, np.generic)
FLOAT64 = np.dtype(np.float64)
MAX_RANK = 64  # max_rank of core/dims.hpp


def require_rank(name: str, rank: int) -> None:
    """Raise ShapeError for more axes than arrays can have, before a shape of that length is made."""
    if rank > MAX_RANK:
        raise ShapeError(f"{name}: too many axes: {rank}; at most {MAX_RANK} are possible")


def common_dtype(name: str, *dtypes: np.dtype[Any]) -> np.dtype[Any]:
    """Promote dtypes: only those of the highest kind among bool, integer and floating-point count.

    Raises
    ------
    DTypeError
        For uint64 and signed integers, which have no common integer dtype.

    """
    dtype, listed = _common_dtype(frozenset(dtypes))
    if dtype is None:
        raise DTypeError(f"{name}: no common dtype of {listed}; convert one with astype")
    return dtype


@functools.cache
def _common_dtype(dtypes: frozenset[np.dtype[Any]]) -> tuple[np.dtype[Any] | None, str]:
    """Promote the dtypes of the highest kind; return None if they don't promote, and a text that lists them."""
    kinds = next(kinds for kinds in ("fc", "iu", "b") if any(kind_of(x) in kinds for x in dtypes))
    highest = [x for x in dtypes if kind_of(x) in kinds]
    dtype = result_type(*highest)
    return dtype if kind_of(dtype) in kinds else None, ", ".join(sorted(map(str, highest)))


def floating_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the dtype of quotients and roots: float64 for integer and bool dtypes."""
    return dtype if kind_of(dtype) in "fc" else FLOAT64


def require_host_memory(name: str, nbytes: int) -> None:
    """Raise before a computation on the host that needs more memory than the host has.

    Raises
    ------
    OutOfMemoryError
        With ``name`` as its prefix.

    """
    total_nbytes = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    if nbytes > total_nbytes:
        raise OutOfMemoryError(
            f"{name}: needs {nbytes} bytes on the host, which has {total_nbytes}; use smaller arguments"
        )


def as_arrays(name: str, *values: Any, names: tuple[str, ...] = ()) -> list[Array]:
    """Return the operands as arrays on one device.

    NumPy arrays are on cpu:0; scalars and lists go to the device of the arrays, or to the default device. ``names``
    of the first operands tell those whose dtype is their own: "condition" and "indices".

    Raises
    ------
    DeviceMismatchError
        If arrays are on different devices.
    TypeError
        If an operand is neither an array nor a number nor a list of numbers, or if there is none.

    """
    if values and _core.are_arrays(values):
        return [*values]
    operands = tuple(sk.asarray(x, device="cpu:0") if type(x) is np.ndarray else x for x in values)
    arrays: list[Array] = list(_core.literals(name, names, operands, ()))
    for value, x in zip(values, arrays, strict=True):
        if not isinstance(x, Array):
            raise NotAnArrayError(name, value)
    if not arrays:
        raise NotAnArrayError(name)
    _core.require_one_device(name, tuple(arrays))
    return arrays


def require_beside(name: str, x: Array, *values: Any) -> None:
    """Raise DeviceMismatchError if other arguments are, or contain, arrays on another device than ``x``."""
    arrays = tuple(arrays_in(values))
    if arrays:
        _core.require_one_device(name, (x, *arrays))


def with_literals(name: str, *values: Any) -> list[Array]:
    """Return the operands as arrays on one device: numbers and lists go to the arrays' device, or the default device.

    Raises
    ------
    DeviceMismatchError
        If arrays are on different devices.

    """
    operands = [sk.asarray(x, device="cpu:0") if type(x) is np.ndarray else x for x in values]
    arrays = tuple(x for x in operands if isinstance(x, Array))
    _core.require_one_device(name, arrays)
    device = arrays[0].device if arrays else _core.device_or_default(name, None)
    return [x if isinstance(x, Array) else sk.asarray(x, device=device) for x in operands]


def as_array(name: str, value: Any) -> Array:
    """Return the single operand of a function as an array."""
    return value if isinstance(value, Array) else as_arrays(name, value)[0]


def cast(x: Array, dtype: Any) -> Array:
    """Convert to a dtype; return the array itself if it has that dtype."""
    return x if x.dtype is dtype or x.dtype == dtype else sk.astype(x, dtype)


def promoted(name: str, *values: Any) -> Arrays:
    """Return the operands as arrays on one device with their common dtype."""
    if _core.agree(values):
        return values
    arrays = as_arrays(name, *values)
    dtype = common_dtype(name, *[x.dtype for x in arrays])
    return [cast(x, dtype) for x in arrays]


def floating(name: str, *values: Any) -> Arrays:
    """Return the operands as arrays on one device with a common floating-point dtype, float64 for integers."""
    if _core.agree(values):  # also true for a single array
        if kind_of(values[0].dtype) in "fc":
            return values
        return [sk.astype(x, FLOAT64) for x in values]
    arrays = as_arrays(name, *values)
    dtype = floating_dtype(common_dtype(name, *[x.dtype for x in arrays]))
    return [cast(x, dtype) for x in arrays]


def real_floating(name: str, *values: Any) -> Arrays:
    """Return the operands as arrays on one device with a common real floating-point dtype."""
    arrays = floating(name, *values)
    if kind_of(arrays[0].dtype) == "c":
        raise DTypeError(f"{name}: takes real numbers, not {arrays[0].dtype}; pass real(x)")
    return arrays


def indices(name: str, values: Any, array: Array) -> Array:
    """Return indices as an array on the device of ``array``; lists and numbers are copied there."""
    if isinstance(values, Array):
        _core.require_one_device(name, (array, values))
        return values
    host = np.asarray(values)
    if kind_of(host.dtype) not in "biufc":
        raise NotAnArrayError(name, values)
    if isinstance(values, np.ndarray):
        _core.require_one_device(name, (array, sk.asarray(host, device="cpu:0")))
    if host.size == 0:
        host = host.astype(np.int64)
    return sk.asarray(host, device=array.device)


def host_values(name: str, values: Any, array: Array) -> Any:
    """Return arguments that the host needs, such as widths; arrays are read from the device of ``array``."""
    if isinstance(values, Array):
        _core.require_one_device(name, (array, values))
        return np.asarray(values.to_device("cpu:0"))
    if isinstance(values, (tuple, list)):
        return type(values)(host_values(name, value, array) for value in values)
    if isinstance(values, dict):
        return {key: host_values(name, value, array) for key, value in values.items()}
    return values


def axis_within(name: str, axis: int, ndim: int) -> int:
    """Return the axis as a non-negative number."""
    axis = operator.index(axis)
    if not -ndim <= axis < ndim:
        use = f"use {-ndim} to {ndim - 1}" if ndim else "it has none"
        raise AxisError(f"{name}: axis {axis} is out of bounds for array of {ndim} axes; {use}")
    return axis % ndim


def axes_within(name: str, axis: int | Iterable[int] | None, ndim: int) -> tuple[int, ...]:
    """Return the axes as non-negative numbers; None is all axes."""
    if axis is None:
        return tuple(range(ndim))
    axes = tuple(axis) if np.iterable(axis) else (axis,)
    normalized_axes = tuple(axis_within(name, axis_index, ndim) for axis_index in axes)
    if len(set(normalized_axes)) < len(normalized_axes):
        raise ValueError(f"{name}: axis contains an axis twice: {normalized_axes}; list each once")
    return normalized_axes


def flat(x: Array) -> Array:
    """Reshape to one axis."""
    return x if x.ndim == 1 else sk.reshape(x, (-1,))


# Elements per thread and chunk, such that several arrays of them fit the L2 cache of a core.
PIECE = 1 << 15


def by_pieces(compute: Callable[..., Array], *arrays: Array) -> Array:
    """Apply an elementwise function to arrays of one shape.

    On a CPU it is applied in chunks, so that intermediate results stay in the cache.
    """
    x = arrays[0]
    step = PIECE * sk.get_num_threads()
    if x.size < 2 * step or x.device.kind != "cpu":
        return compute(*arrays)
    rows = [sk.reshape(array, (-1,)) for array in arrays]
    first = compute(*(row[:step] for row in rows))
    result = sk.empty((x.size,), dtype=first.dtype, device=x.device)
    result[:step] = first
    for start in range(step, x.size, step):
        result[start : start + step] = compute(*(row[start : start + step] for row in rows))
    return sk.reshape(result, x.shape)


def in_passes(compute: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate a function to run fused for CPU arrays of PIECE or more elements: intermediates stay in the cache.

    For other arrays it runs eagerly: on a GPU, fusing would compile a kernel at run time.
    """
    fused = sk.fuse(compute)

    @functools.wraps(compute)
    def call(x: Array, *rest: Any, **more: Any) -> Any:
        is_fused = x.size >= PIECE and x.device.kind == "cpu"
        return (fused if is_fused else compute)(x, *rest, **more)

    return call


@in_passes
def reduced(x: Array, reduce: Callable[..., Array], **kwargs: Any) -> Array:
    """Reduce in the dtype of ``floating_dtype``, also under strict promotion."""
    return reduce(cast(x, floating_dtype(x.dtype)), **kwargs)


def wide(x: Array) -> Array:
    """Convert float16 and bfloat16 to float32 for computations: sums and products exceed range or precision."""
    return cast(x, sk.float32) if is_stored_only(x.dtype) else x


def is_long_integer(dtype: np.dtype[Any]) -> bool:
    """Return whether a dtype has integers that float64 can't represent exactly."""
    return kind_of(dtype) in "iu" and dtype.itemsize == 8


def high_and_low(x: Array) -> tuple[Array, Array]:
    """Split 64-bit integers into two float64 summands: a multiple of 2**32 and the remainder."""
    return cast(x >> 32, FLOAT64) * 2.0**32, cast(x & 0xFFFFFFFF, FLOAT64)


def real_dtype(a: Array) -> Any:
    """Return the dtype of means of elements of ``a``."""
    return a.dtype if kind_of(a.dtype) == "f" else sk.float64


def mean_of_two(x: Array, y: Array) -> Array:
    """Return the elementwise means, rounded once; float64 for integers and bool."""
    if is_long_integer(x.dtype):
        (high, low), (other_high, other_low) = high_and_low(x), high_and_low(y)
        return (high + other_high) * 0.5 + (low + other_low) * 0.5
    dtype = real_dtype(x)
    x, y = cast(x, FLOAT64), cast(y, FLOAT64)
    total = x + y
    mean = total * 0.5
    if dtype == np.float64:
        mean = sk.where(sk.isinf(total), x * 0.5 + y * 0.5, mean)
    return cast(mean, dtype)


def to_nearest(quotient: Array, rest: Array, divisor: int) -> Array:
    """Round integer quotients to nearest, halves to even, given the floored quotients and their remainders."""
    above = divisor - rest
    rises = (rest > above) | ((rest == above) & (quotient % 2 == 1))
    return quotient + cast(rises, quotient.dtype)


def distances(x: Array, axis: int, dtype: np.dtype[Any]) -> Array:
    """Return the differences of neighbours along an axis in a floating-point dtype; integers are rounded once."""

    def later_less_earlier(part: Array) -> Array:
        return slice_along(part, axis, 1, None) - slice_along(part, axis, None, -1)

    if is_long_integer(x.dtype):
        high, low = high_and_low(x)
        return cast(later_less_earlier(high) + later_less_earlier(low), dtype)
    numbers = cast(x, dtype if kind_of(x.dtype) in "fc" else FLOAT64)
    return cast(later_less_earlier(numbers), dtype)


def without_overflow(result: Array, otherwise: Callable[[], Array]) -> Array:
    """Return ``result`` with infinite elements replaced by those of ``otherwise()``."""
    # A cheap check: most results are finite.
    if type(result) is Array and result.device.kind == "cpu" and not sk.any(sk.isinf(result)):
        return result
    return sk.where(sk.isinf(result), otherwise(), result)


def filled(x: Array, value: complex) -> Array:
    """Replace each NaN by ``value``."""
    return sk.where(sk.isnan(x), value, x) if kind_of(x.dtype) in "fc" else x


def slice_along(x: Array, axis: int, *bounds: Any) -> Array:
    """Return ``x`` with ``slice(*bounds)`` on one axis."""
    return x[(slice(None),) * axis + (slice(*bounds),)]


def complex_of(real: Array, imag: Array, dtype: Any) -> Array:
    """Combine real and imaginary parts in memory: a sum would lose the signs of zeros."""
    parts = sk.empty((*real.shape, 2), dtype=real.dtype, device=real.device)
    parts[..., 0], parts[..., 1] = real, imag
    joined: Array = parts.view(dtype)[..., 0]
    return joined
