# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Adding and removing elements."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

import skerry as sk
from skerry import _core
from skerry._core import Array
from skerry._data_types import kind_of
from skerry._extra._operands import (
    as_array,
    as_arrays,
    axes_within,
    axis_within,
    cast,
    flat,
    promoted,
    slice_along,
)
from skerry.exceptions import ShapeError

__all__ = ["append", "delete", "insert", "resize", "trim_zeros"]

# Maximum number of runs of elements that are copied one by one; more are gathered.
MANY_CUTS = 64


def append(arr: Any, values: Any, axis: int | None = None) -> Array:
    """Append values to the end of an array.

    Parameters
    ----------
    arr : {not changed}
    values : Array or scalar
        Values to append, with the shape of ``arr`` except along ``axis``.
    axis : int or None
        Axis to append along; None appends the flattened arrays.

    Returns
    -------
    Array
        New array of the common dtype.

    {Raises: DeviceMismatchError}

    Examples
    --------
    >>> import skerry as sk
    >>> sk.append(sk.asarray([1, 2]), 3)
    Array([1, 2, 3], dtype=int64, device='cpu:0')

    """
    return sk.concat(promoted("append", arr, values), axis=axis)


def _positions(name: str, obj: Any, n: int, most: int) -> np.ndarray[Any, Any] | None:
    """Return host indices as non-negative numbers; None if the indices are a skerry array."""
    if isinstance(obj, Array):
        return None
    if isinstance(obj, slice):
        return np.arange(n)[obj]
    positions = np.asarray(obj)
    if positions.dtype == bool:
        _check_mask(name, positions, n)
        return np.flatnonzero(positions)
    positions = positions.astype(np.int64) if positions.size == 0 else positions
    if kind_of(positions.dtype) not in "iu":
        raise IndexError(f"{name}: obj must be integers or bools, not {positions.dtype}")
    if positions.size and (positions.min() < -n or positions.max() > most):
        raise IndexError(f"{name}: an index is out of bounds for {n} elements: {obj}")
    return np.where(positions < 0, positions + n, positions)


def _check_mask(name: str, obj: Any, n: int) -> None:
    if obj.dtype == bool and obj.shape != (n,):
        raise ShapeError(f"{name}: obj must be a mask of shape ({n},), not {obj.shape}")


def delete(arr: Any, obj: Any, axis: int | None = None) -> Array:
    """Return an array without the given elements or subarrays.

    If ``obj`` is an array, the size of the result is read from the device: the call waits for it.

    Parameters
    ----------
    arr : {not changed}
    obj : int, slice, sequence of int or bool, or Array of them
        Indices of the elements to remove along ``axis``, or a mask of them.
    axis : {None is flattened}

    Returns
    -------
    Array
        New array, shorter along ``axis``.

    Raises
    ------
    DeviceMismatchError
        If ``obj`` is on another device.
    IndexError
        If an index is out of bounds.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.delete(sk.asarray([1, 2, 3, 4]), [0, -1])
    Array([2, 3], dtype=int64, device='cpu:0')

    """
    x = as_array("delete", arr)
    x, axis = (flat(x), 0) if axis is None else (x, axis_within("delete", axis, x.ndim))
    n = x.shape[axis]
    if type(obj) is int and -n <= obj < n:
        rows = (slice(None),) * axis
        return sk.concat([x[(*rows, slice(obj % n))], x[(*rows, slice(obj % n + 1, n))]], axis=axis)
    gone = obj if isinstance(obj, slice) else _positions("delete", obj, n, n - 1)
    if gone is None:
        _, obj = as_arrays("delete", x, obj)
        _check_mask("delete", obj, n)
        keep = sk.ones((n,), dtype=bool, device=x.device)
        keep[obj] = False
        (left,) = sk.nonzero(keep)
    else:
        runs = _runs_beside(gone, n)
        if len(runs) <= MANY_CUTS:
            kept_slices = [slice_along(x, axis, *run) for run in runs or [(0, 0)]]
            return sk.concat(kept_slices, axis=axis)
        left = sk.asarray(np.delete(np.arange(n), gone), device=x.device)
    return sk.take(x, left, axis=axis)


def _runs_beside(gone: Any, n: int) -> list[tuple[int, int]]:
    """Return the bounds of the runs of elements between the removed indices."""
    if isinstance(gone, slice):
        positions = range(n)[gone]
        if abs(positions.step) == 1 and positions:
            first, last = min(positions[0], positions[-1]), max(positions[0], positions[-1])
            runs = [(0, first), (last + 1, n)]
            return [run for run in runs if run[0] < run[1]]
        gone = np.asarray(positions, dtype=np.int64)
    gone = np.unique(gone)
    starts, ends = np.append(0, gone + 1), np.append(gone, n)
    some = starts < ends
    return list(zip(starts[some].tolist(), ends[some].tolist(), strict=True))


def insert(arr: Any, obj: Any, values: Any, axis: int | None = None) -> Array:
    """Insert values before the given indices.

    If ``obj`` is an array of bool, the size of the result is read from the device: the call waits for it.

    Parameters
    ----------
    arr : {not changed}
    obj : int, slice, sequence of int or bool, or Array of them
        Indices before which to insert along ``axis``, or a mask of them.
    values : Array or scalar
        Values to insert, converted to the dtype of ``arr``. They broadcast to the inserted elements.
    axis : {None is flattened}

    Returns
    -------
    Array
        New array, longer along ``axis``.

    Raises
    ------
    {DeviceMismatchError}
    IndexError
        If an index is out of bounds.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.insert(sk.asarray([1, 2, 3]), [0, 2], sk.asarray([7, 8]))
    Array([7, 1, 2, 8, 3], dtype=int64, device='cpu:0')

    """
    x = as_array("insert", arr)
    values = _core.assigned("insert", "values", values, x)
    x, axis = (flat(x), 0) if axis is None else (x, axis_within("insert", axis, x.ndim))
    n = x.shape[axis]
    if type(obj) is int and -n <= obj <= n:
        return _inserted_at(x, obj + n if obj < 0 else obj, _along(values, x, axis), axis)
    positions = _positions("insert", obj, n, n)
    if positions is None:
        _, indices = as_arrays("insert", x, obj)
        _check_mask("insert", indices, n)
        indices = sk.nonzero(indices)[0] if indices.dtype == sk.bool else cast(indices, sk.int64)
        indices = sk.where(indices < 0, indices + n, indices)
    else:
        indices = sk.asarray(positions, device=x.device)
    if indices.ndim == 0:
        values = _along(values, x, axis)
    count = indices.size
    if count == 1:
        count = _slices_in(values, x, axis)
    values = _fitted(values, x)
    indices = sk.broadcast_to(flat(indices), (count,))
    if positions is not None and count <= MANY_CUTS:
        return _inserted_runs(x, np.broadcast_to(positions.reshape(-1), (count,)), values, axis)
    return _inserted(x, indices, values, axis)


def _along(values: Array, x: Array, axis: int) -> Array:
    """Move the first axis to ``axis``: for a single index NumPy broadcasts values as ``arr[index] = values`` does."""
    if values.ndim < x.ndim:
        values = sk.reshape(values, (1,) * (x.ndim - values.ndim) + values.shape)
    return sk.moveaxis(values, 0, axis) if axis else values


def _slices_in(values: Array, x: Array, axis: int) -> int:
    """Return how many slices along ``axis`` the values have; as in NumPy, axes that they lack are leading."""
    if values.ndim >= x.ndim:
        return values.shape[axis]
    return values.shape[axis - x.ndim] if values.ndim >= x.ndim - axis else 1


def _fitted(values: Array, x: Array) -> Array:
    """Drop additional leading axes, which must be of length 1."""
    extra = max(values.ndim - x.ndim, 0)
    if math.prod(values.shape[:extra]) != 1:
        raise ShapeError(
            f"insert: values of shape {values.shape} don't broadcast to an array of {x.ndim} axes; reshape them"
        )
    return sk.reshape(values, values.shape[extra:]) if extra else values


def _inserted_at(x: Array, position: int, values: Array, axis: int) -> Array:
    """Insert ``values`` before one position."""
    rows = (slice(None),) * axis
    shape = (*x.shape[:axis], _slices_in(values, x, axis), *x.shape[axis + 1 :])
    parts = [
        x[(*rows, slice(position))],
        sk.broadcast_to(_fitted(values, x), shape),
        x[(*rows, slice(position, None))],
    ]
    return sk.concat(parts, axis=axis)


def _inserted_runs(x: Array, positions: Any, values: Array, axis: int) -> Array:
    """Insert a slice of ``values`` before each host position by copying the runs between them."""
    count, n = len(positions), x.shape[axis]
    order = np.argsort(positions, kind="stable")
    result = _core.empty_in_order(x, (*x.shape[:axis], n + count, *x.shape[axis + 1 :]))
    target = np.empty(count, np.int64)
    risen = positions[order]
    target[order] = risen + np.arange(count)
    for i, (start, end) in enumerate(zip([0, *risen], [*risen, n], strict=True)):
        slice_along(result, axis, int(start) + i, int(end) + i)[...] = slice_along(
            x, axis, int(start), int(end)
        )
    result[(slice(None),) * axis + (sk.asarray(target, device=x.device),)] = values
    return result


def _inserted(x: Array, positions: Array, values: Array, axis: int) -> Array:
    """Insert a slice of ``values`` before each position on the device."""
    count, n = positions.size, x.shape[axis]
    # The target of each new element: its position plus the number of new elements before it.
    order = sk.argsort(positions, stable=True)
    target = sk.empty((count,), dtype=sk.int64, device=x.device)
    target[order] = sk.take(positions, order) + sk.arange(count, device=x.device)
    if n:
        old = sk.ones((n + count,), dtype=bool, device=x.device)
        old[target] = False
        source_indices = sk.cumulative_sum(old, dtype=sk.int64) - 1
        result = sk.take(x, sk.clip(source_indices, 0, n - 1), axis=axis)
    else:
        shape = (*x.shape[:axis], count, *x.shape[axis + 1 :])
        result = sk.empty(shape, dtype=x.dtype, device=x.device)
    result[(slice(None),) * axis + (target,)] = values
    return result


def resize(a: Any, new_shape: int | tuple[int, ...]) -> Array:
    """Return an array of another shape, filled with repetitions of the elements.

    Parameters
    ----------
    a : {any dtype}
    new_shape : int or tuple of int
        Shape of the result.

    Returns
    -------
    Array
        New array; of zeros if ``a`` has no elements.

    Raises
    ------
    ValueError
        If a length is negative.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.resize(sk.asarray([1, 2, 3]), (2, 2))
    Array([[1, 2],
           [3, 1]], dtype=int64, device='cpu:0')

    """
    x = as_array("resize", a)
    lengths: Any = [new_shape] if np.ndim(new_shape) == 0 else new_shape
    shape = tuple(map(operator.index, lengths))
    if any(n < 0 for n in shape):
        raise ShapeError(f"resize: new_shape has a negative length: {shape}")
    count = math.prod(shape)
    if x.size == 0 or count == 0:
        return sk.zeros(shape, dtype=x.dtype, device=x.device)
    repeated = sk.tile(flat(x), (-(-count // x.size),))
    return sk.reshape(repeated[:count], shape)


def trim_zeros(filt: Any, trim: str = "fb", axis: int | tuple[int, ...] | None = None) -> Array:
    """Remove the zeros at the ends of an array.

    The places of the outermost elements that are not zero are read from the device: the call waits for them.

    Parameters
    ----------
    filt : Array or sequence of numbers
        Input array of any rank.
    trim : {"fb", "f", "b"}, default "fb"
        Whether to remove zeros from the front, the back, or both.
    axis : {None is all}

    Returns
    -------
    Array
        View of ``filt``, without the hyperplanes at its ends that consist of zeros only.

    Raises
    ------
    ValueError
        If ``trim`` contains other characters.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.trim_zeros(sk.asarray([0, 0, 1, 0, 2, 0]))
    Array([1, 0, 2], dtype=int64, device='cpu:0')

    """
    x = filt if isinstance(filt, Array) else sk.asarray(filt)
    ends = trim.lower()
    if ends not in ("fb", "bf", "f", "b"):
        raise ValueError(f"trim_zeros: unknown trim: {trim!r}; use 'f', 'b' or 'fb'")
    bounds = [slice(None)] * x.ndim
    nonzero = sk.astype(x, sk.bool, copy=False)
    for i in axes_within("trim_zeros", axis, x.ndim):
        other_axes = tuple(k for k in range(x.ndim) if k != i)
        is_nonzero = cast(sk.any(nonzero, axis=other_axes), sk.uint8)
        first = int(sk.argmax(is_nonzero)) if is_nonzero.size else 0
        if is_nonzero.size == 0 or not is_nonzero[first]:
            bounds[i] = slice(0, 0)
            continue
        trailing_zeros = int(sk.argmax(sk.flip(is_nonzero)))
        bounds[i] = slice(
            first if "f" in ends else None,
            is_nonzero.size - trailing_zeros if "b" in ends else None,
        )
    return x[tuple(bounds)]
