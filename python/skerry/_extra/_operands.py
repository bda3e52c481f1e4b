# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""What topics share: arrays of one device, scalars beside them, dtypes in common, and arithmetic of several of them."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

import skerry as sk
from skerry import _core
from skerry._core import Array
from skerry._failed_calls import NotAnArrayError
from skerry.exceptions import AxisError, DTypeError, OutOfMemoryError

Arrays = tuple[Array, ...] | list[Array]
Axis = int | tuple[int, ...] | None
SCALARS = (bool, int, float, complex, np.generic)
FLOAT64 = np.dtype(np.float64)


def common_dtype(name: str, *dtypes: np.dtype[Any]) -> np.dtype[Any]:
    """Promote: the highest kind among bool, integer and floating decides, by its own dtypes.

    Raises
    ------
    DTypeError
        For uint64 with signed integers.

    """
    dtype, listed = _common_dtype(frozenset(dtypes))
    if dtype is None:
        raise DTypeError(f"{name}: no common dtype of {listed}; convert one with astype")
    return dtype


@functools.cache
def _common_dtype(dtypes: frozenset[np.dtype[Any]]) -> tuple[np.dtype[Any] | None, str]:
    """Promote those of the highest kind; the text lists them where they don't."""
    kinds = next(kinds for kinds in ("fc", "iu", "b") if any(x.kind in kinds for x in dtypes))
    highest = [x for x in dtypes if x.kind in kinds]
    dtype = np.result_type(*highest)
    return dtype if dtype.kind in kinds else None, ", ".join(sorted(map(str, highest)))


def floating_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the dtype of quotients and roots: float64 for integers and bools."""
    return dtype if dtype.kind in "fc" else FLOAT64


def require_host_memory(name: str, nbytes: int) -> None:
    """Refuse what the host is to compute in more memory than it has, before it begins.

    Raises
    ------
    OutOfMemoryError
        In the name of a function.

    """
    total_nbytes = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    if nbytes > total_nbytes:
        raise OutOfMemoryError(
            f"{name}: {nbytes} bytes on the host, which has {total_nbytes}; ask for less"
        )


def as_arrays(name: str, *values: Any) -> list[Array]:
    """Return arrays of one device: NumPy's arrays are on cpu:0, scalars are put beside the others.

    Raises
    ------
    DeviceMismatchError
        For arrays on different devices.
    TypeError
        Without any array, or for what has no device, such as a list.

    """
    if values and _core.are_arrays(values):
        return [*values]
    operands = [sk.asarray(x, device="cpu:0") if type(x) is np.ndarray else x for x in values]
    arrays = tuple(x for x in operands if isinstance(x, Array))
    for value, x in zip(values, operands, strict=True):
        if not isinstance(x, (Array, *SCALARS)):
            raise NotAnArrayError(name, value)
    if not arrays:
        raise NotAnArrayError(name, *values)
    _core.require_one_device(name, arrays)
    if len(arrays) == len(operands):
        return list(arrays)
    dtype = common_dtype(name, *(x.dtype for x in arrays))
    device = arrays[0].device
    return [
        x if isinstance(x, Array) else _core.scalar_beside(name, x, dtype, device) for x in operands
    ]


def arrays_or_scalars(name: str, *values: Any) -> list[Array]:
    """Return arrays of one device; scalars alone are put on the default device."""
    if not _core.are_arrays(values) and all(isinstance(x, SCALARS) for x in values):
        return [sk.asarray(x) for x in values]
    return as_arrays(name, *values)


def as_array(name: str, value: Any) -> Array:
    """Return the one array that a function takes."""
    return value if isinstance(value, Array) else as_arrays(name, value)[0]


def cast(x: Array, dtype: Any) -> Array:
    """Convert without a copy where there is nothing to convert."""
    return x if x.dtype is dtype or x.dtype == dtype else sk.astype(x, dtype)


def promoted(name: str, *values: Any) -> Arrays:
    """Return arrays of one device and one dtype."""
    if _core.agree(values):
        return values
    arrays = as_arrays(name, *values)
    dtype = common_dtype(name, *[x.dtype for x in arrays])
    return [cast(x, dtype) for x in arrays]


def floating(name: str, *values: Any) -> Arrays:
    """Return arrays of one device and one floating dtype, float64 for integers."""
    if _core.agree(values):  # as one array does
        if values[0].dtype.kind in "fc":
            return values
        return [sk.astype(x, FLOAT64) for x in values]
    arrays = as_arrays(name, *values)
    dtype = floating_dtype(common_dtype(name, *[x.dtype for x in arrays]))
    return [cast(x, dtype) for x in arrays]


def real_floating(name: str, *values: Any) -> Arrays:
    """Return arrays of one device and one floating dtype, which is not complex."""
    arrays = floating(name, *values)
    if arrays[0].dtype.kind == "c":
        raise DTypeError(f"{name}: takes real numbers, not {arrays[0].dtype}; pass real(x)")
    return arrays


def indices(name: str, values: Any, array: Array) -> Array:
    """Return indices on the device of ``array``: they may be host numbers, which have no device."""
    if isinstance(values, Array):
        _core.require_one_device(name, (array, values))
        return values
    host = np.asarray(values)
    if host.dtype.kind not in "biufc":
        raise NotAnArrayError(name, values)
    if isinstance(values, np.ndarray):
        _core.require_one_device(name, (array, sk.asarray(host, device="cpu:0")))
    if host.size == 0:
        host = host.astype(np.int64)
    return sk.asarray(host, device=array.device)


def host_values(name: str, values: Any, array: Array) -> Any:
    """Return numbers that are arguments, such as widths: those of an array on the device of ``array`` are read."""
    if isinstance(values, Array):
        _core.require_one_device(name, (array, values))
        return np.asarray(values.to_device("cpu:0"))
    if isinstance(values, (tuple, list)):
        return type(values)(host_values(name, value, array) for value in values)
    if isinstance(values, dict):
        return {key: host_values(name, value, array) for key, value in values.items()}
    return values


def axis_within(name: str, axis: int, ndim: int) -> int:
    """Count an axis from the front."""
    if not -ndim <= axis < ndim:
        use = f"use {-ndim} to {ndim - 1}" if ndim else "it has none"
        raise AxisError(f"{name}: axis {axis} is out of bounds for array of {ndim} axes; {use}")
    return axis % ndim


def axes_within(name: str, axis: int | Iterable[int] | None, ndim: int) -> tuple[int, ...]:
    """Count axes from the front; None is all of them."""
    if axis is None:
        return tuple(range(ndim))
    axes = tuple(axis) if np.iterable(axis) else (axis,)
    normalized_axes = tuple(axis_within(name, axis_index, ndim) for axis_index in axes)
    if len(set(normalized_axes)) < len(normalized_axes):
        raise ValueError(f"{name}: axis {axes} names one twice; name each once")
    return normalized_axes


def flat(x: Array) -> Array:
    """Reshape to one axis."""
    return x if x.ndim == 1 else sk.reshape(x, (-1,))


# Elements of a piece for each thread: some arrays of them lie in a core's second cache.
PIECE = 1 << 15


def by_pieces(compute: Callable[..., Array], *arrays: Array) -> Array:
    """Return what ``compute`` makes of arrays of one shape, element by element.

    On a CPU in pieces, so that what it needs in between stays in the caches.
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
    """Fuse a function of arrays past the caches of a CPU, as its results in between would go through memory.

    Elsewhere it runs as it is: fewer kernels than there are on a GPU are compiled while the program runs.
    """
    fused = sk.fuse(compute)

    @functools.wraps(compute)
    def call(x: Array, *rest: Any, **more: Any) -> Any:
        is_fused = x.size >= PIECE and x.device.kind == "cpu"
        return (fused if is_fused else compute)(x, *rest, **more)

    return call


@in_passes
def reduced(x: Array, reduce: Callable[..., Array], **kwargs: Any) -> Array:
    """Reduce in the dtype of quotients, also where kinds of dtypes don't mix."""
    return reduce(cast(x, floating_dtype(x.dtype)), **kwargs)


def wide(x: Array) -> Array:
    """Return float16 as float32, to compute with: sums and products leave its range, and its 11 bits."""
    return cast(x, sk.float32) if x.dtype == np.float16 else x


def is_long_integer(dtype: np.dtype[Any]) -> bool:
    """Tell whether float64 does not hold all numbers of a dtype."""
    return dtype.kind in "iu" and dtype.itemsize == 8


def high_and_low(x: Array) -> tuple[Array, Array]:
    """Return integers of 64 bits as the sum of two numbers of float64: multiples of 2**32, and what is left."""
    return cast(x >> 32, FLOAT64) * 2.0**32, cast(x & 0xFFFFFFFF, FLOAT64)


def real_dtype(a: Array) -> Any:
    """Return the dtype that means of elements of ``a`` have."""
    return a.dtype if a.dtype.kind == "f" else sk.float64


def mean_of_two(x: Array, y: Array) -> Array:
    """Return the means, rounded once: floating, float64 for integers and bool."""
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
    """Round quotients of integers, which are rounded down and leave ``rest``; halves to even."""
    above = divisor - rest
    rises = (rest > above) | ((rest == above) & (quotient % 2 == 1))
    return quotient + cast(rises, quotient.dtype)


def distances(x: Array, axis: int, dtype: np.dtype[Any]) -> Array:
    """Return how far neighbours along an axis are apart, in a floating dtype: integers rounded once."""

    def later_less_earlier(part: Array) -> Array:
        return slice_along(part, axis, 1, None) - slice_along(part, axis, None, -1)

    if is_long_integer(x.dtype):
        high, low = high_and_low(x)
        return cast(later_less_earlier(high) + later_less_earlier(low), dtype)
    numbers = cast(x, dtype if x.dtype.kind in "fc" else FLOAT64)
    return cast(later_less_earlier(numbers), dtype)


def without_overflow(result: Array, otherwise: Callable[[], Array]) -> Array:
    """Return ``result``, but what ``otherwise`` makes where that is infinite."""
    # What costs little to ask: most results are finite.
    if type(result) is Array and result.device.kind == "cpu" and not sk.any(sk.isinf(result)):
        return result
    return sk.where(sk.isinf(result), otherwise(), result)


def filled(x: Array, value: complex) -> Array:
    """Put ``value`` in the place of each NaN."""
    return sk.where(sk.isnan(x), value, x) if x.dtype.kind in "fc" else x


def slice_along(x: Array, axis: int, *bounds: Any) -> Array:
    """Return ``x`` with ``slice(*bounds)`` on one axis."""
    return x[(slice(None),) * axis + (slice(*bounds),)]


def complex_of(real: Array, imag: Array, dtype: Any) -> Array:
    """Join parts, of that width, to complex numbers: by their memory, as a sum would lose the signs of zeros."""
    parts = sk.empty((*real.shape, 2), dtype=real.dtype, device=real.device)
    parts[..., 0], parts[..., 1] = real, imag
    joined: Array = parts.view(dtype)[..., 0]
    return joined
