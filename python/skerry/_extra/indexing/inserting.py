# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Inserting data into arrays."""

from __future__ import annotations

from typing import Any

import skerry as sk
from skerry import _core
from skerry._core import Array
from skerry._extra._operands import axis_within, cast, flat
from skerry._extra._operands import indices as indices_beside
from skerry._extra.indexing._bounds import within
from skerry.exceptions import ShapeError

__all__ = ["fill_diagonal", "place", "put", "put_along_axis", "putmask"]


def _cycled(name: str, parameter: str, values: Any, destination: Array) -> Array:
    """Return the values to write, flattened, on the device and in the dtype of ``destination``."""
    return flat(_core.assigned(name, parameter, values, destination))


def put(a: Array, ind: Any, v: Any, mode: str = "raise") -> None:
    """Replace elements of the flattened array at the given indices.

    Parameters
    ----------
    a : {written}
    ind : Array, int or sequence of int
        Flat indices. If an index is repeated, any one of its values is written.
    v : Array, scalar or sequence
        Values to write, repeated as needed.
    mode : {"raise", "wrap", "clip"}, default "raise"
        How to handle out-of-bounds indices. "raise" checks them, which reads from the device: the call waits.

    Raises
    ------
    {DeviceMismatchError}
    {TypeError of values}
    IndexError
        If a position is out of bounds.

    Examples
    --------
    >>> import skerry as sk
    >>> x = sk.zeros((4,))
    >>> sk.put(x, [0, -1], 7)
    >>> x
    Array([7., 0., 0., 7.], dtype=float64, device='cpu:0')

    """
    positions = flat(within("put", "ind", indices_beside("put", ind, a), a.size, mode))
    values = _cycled("put", "v", v, a)
    if positions.size == 0 or values.size == 0:
        return
    if values.size != positions.size:
        values = sk.take(values, sk.arange(positions.size, device=a.device) % values.size)
    a[_core.unravel_indices(positions, a.shape) if a.ndim != 1 else positions] = values


def putmask(a: Array, mask: Any, values: Any) -> None:
    """Replace elements where a mask is true by the values at the same flat index, repeated as needed.

    Parameters
    ----------
    a : {written}
    mask : Array
        Mask with the shape of ``a``.
    values : Array, scalar or sequence
        Values to write, repeated as needed.

    Raises
    ------
    {DeviceMismatchError}
    {TypeError of values}

    Examples
    --------
    >>> import skerry as sk
    >>> x = sk.arange(4)
    >>> sk.putmask(x, x > 1, -x)
    >>> x
    Array([ 0,  1, -2, -3], dtype=int64, device='cpu:0')

    """
    mask = _mask("putmask", mask, a)
    written = _cycled("putmask", "values", values, a)
    if written.size == 0:
        return
    if written.size == a.size:
        written = sk.reshape(written, a.shape)
    elif written.size > 1:
        cycle = sk.arange(a.size, device=a.device) % written.size
        written = sk.reshape(sk.take(written, cycle), a.shape)
    else:
        written = sk.reshape(written, ())
    a[...] = sk.where(mask, written, a)


def _mask(name: str, mask: Any, a: Array) -> Array:
    mask = cast(indices_beside(name, mask, a), sk.bool)
    if mask.size != a.size:
        raise ShapeError(f"{name}: mask must have shape {a.shape}, not {mask.shape}")
    return sk.reshape(mask, a.shape)


def place(arr: Array, mask: Any, vals: Any) -> None:
    """Replace elements where a mask is true by successive values.

    If ``vals`` is empty, whether the mask is true anywhere is read from the device.

    Parameters
    ----------
    arr : {written}
    mask : Array
        Mask with the shape of ``arr``.
    vals : Array, scalar or sequence
        Values to write, in order; repeated as needed.

    Raises
    ------
    {DeviceMismatchError}
    {TypeError of values}
    ValueError
        If ``vals`` is empty and the mask is true anywhere.

    Examples
    --------
    >>> import skerry as sk
    >>> x = sk.arange(4)
    >>> sk.place(x, x > 1, [7, 8])
    >>> x
    Array([0, 1, 7, 8], dtype=int64, device='cpu:0')

    """
    mask = _mask("place", mask, arr)
    values = _cycled("place", "vals", vals, arr)
    if values.size == 0:
        if arr.size and sk.any(mask):
            raise ValueError("place: vals is empty; pass at least one value")
        return
    # Rank of each element within the mask: the cumulative sum has no data-dependent size.
    turn = sk.cumulative_sum(flat(mask), dtype=sk.int64) - 1
    written = sk.reshape(sk.take(values, turn % values.size), arr.shape)
    arr[...] = sk.where(mask, written, arr)


def put_along_axis(arr: Array, indices: Any, values: Any, axis: int | None) -> None:
    """Write values at indices along an axis.

    Parameters
    ----------
    arr : {written}
    indices : Array
        Integer array with as many axes as ``arr``; all axes but ``axis`` are broadcast.
    values : Array or scalar
        Values to write, which are broadcast to the shape of ``indices``.
    axis : int or None
        Axis to write along; None for the flattened array.

    Raises
    ------
    {DeviceMismatchError}
    {TypeError of values}

    Examples
    --------
    >>> import skerry as sk
    >>> x = sk.zeros((2, 2))
    >>> sk.put_along_axis(x, sk.asarray([[0], [1]]), 5.0, axis=1)
    >>> x
    Array([[5., 0.],
           [0., 5.]], dtype=float64, device='cpu:0')

    """
    positions = indices_beside("put_along_axis", indices, arr)
    written = _core.assigned("put_along_axis", "values", values, arr)
    if axis is None:
        if positions.ndim != 1:
            raise ShapeError("put_along_axis: indices must be 1-D with axis=None; use put")
        arr[_core.unravel_indices(_front(positions, arr.size), arr.shape)] = written
        return
    axis = axis_within("put_along_axis", axis, arr.ndim)
    if positions.ndim != arr.ndim:
        raise ShapeError(
            f"put_along_axis: indices must have as many axes as the array, {arr.ndim}, not {positions.ndim}"
        )
    key = [_steps(n, i, arr) for i, n in enumerate(arr.shape)]
    key[axis] = positions
    arr[tuple(key)] = written


def _front(positions: Array, n: int) -> Array:
    return sk.where(positions < 0, positions + n, positions)


def _steps(n: int, axis: int, array: Array) -> Array:
    shape = [1] * array.ndim
    shape[axis] = n
    return sk.reshape(sk.arange(n, device=array.device), tuple(shape))


def fill_diagonal(a: Array, val: Any, wrap: bool = False) -> None:
    """Fill the main diagonal of an array in place.

    Parameters
    ----------
    a : Array
        Array to write to, with two axes, or with more axes of equal length.
    val : Array, scalar or sequence
        Values to write, repeated as needed.
    wrap : bool, default False
        Whether the diagonal of a tall matrix wraps around.

    Raises
    ------
    {DeviceMismatchError}
    {TypeError of values}
    ValueError
        If ``a`` has fewer than two axes, or more than two axes of different lengths.

    Examples
    --------
    >>> import skerry as sk
    >>> x = sk.zeros((2, 2))
    >>> sk.fill_diagonal(x, 3.0)
    >>> x
    Array([[3., 0.],
           [0., 3.]], dtype=float64, device='cpu:0')

    """
    if a.ndim < 2 or (a.ndim > 2 and len(set(a.shape)) > 1):
        raise ValueError(
            f"fill_diagonal: a must be an array of two axes, or more of equal length, not {a.shape}"
        )
    values = _cycled("fill_diagonal", "val", val, a)
    if a.ndim > 2:
        step, end = sum(a.shape[0] ** i for i in range(a.ndim)), a.size
    else:
        step = a.shape[1] + 1
        end = a.size if wrap else min(a.size, a.shape[1] * a.shape[1])
    if a.size == 0:
        return
    positions = sk.arange(0, end, step, device=a.device)
    if 1 < values.size != positions.size:
        values = sk.take(values, sk.arange(positions.size, device=a.device) % values.size)
    a[_core.unravel_indices(positions, a.shape)] = values
