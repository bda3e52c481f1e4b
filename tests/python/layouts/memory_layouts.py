# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""The memory layouts of an array of any shape: a base array and a view of it.

NumPy and skerry create the view by the same expression. Elements around the view are poison: NaN, the lowest
signed or highest unsigned integer, or True.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import skerry as sk

from tests.python.oracle import kind_of, to_device

Shape = tuple[int, ...]


@dataclass(frozen=True)
class MemoryLayout:
    """A layout: the shape of the base array for the shape of a view, and the view."""

    base_shape: Callable[[Shape], Shape]
    view: Callable[[Any, Any, Shape], Any]  # of a module and the base
    fits: Callable[[Shape], bool] = lambda shape: True
    repeats: bool = False  # elements share memory
    is_misaligned: bool = False


def stepped(axis: int, step: int) -> MemoryLayout:
    """Returns the layout in which elements along an axis are `step` items of the base apart."""

    def base_shape(shape: Shape) -> Shape:
        sizes = list(shape)
        sizes[axis] = max(shape[axis] * abs(step), 1)
        return tuple(sizes)

    def view(xp: Any, base: Any, shape: Shape) -> Any:
        n = shape[axis]
        key: list[Any] = [slice(None)] * len(shape)
        key[axis] = slice(None, None, step)
        base = base[tuple(key)]
        key[axis] = slice(0, n)
        return base[tuple(key)]

    return MemoryLayout(base_shape, view, has_rows if axis == 0 else lambda shape: True)


def repeated(*axes: int) -> MemoryLayout:
    """Returns the layout with stride 0 along some axes, or along all."""

    def base_shape(shape: Shape) -> Shape:
        chosen = {axis % len(shape) for axis in axes} if axes else range(len(shape))
        return tuple(min(n, 1) if axis in chosen else n for axis, n in enumerate(shape))

    fits = lambda shape: len(shape) > len(axes) * (1 + (-2 in axes))  # noqa: E731
    return MemoryLayout(
        base_shape, lambda xp, base, shape: xp.broadcast_to(base, shape), fits, repeats=True
    )


def windows_shape(shape: Shape) -> Shape:
    """Returns the shape of the base of overlapping rows that begin one element apart."""
    return (*shape[:-2], max(shape[-2] + shape[-1] - 1, 1))


def windows(xp: Any, base: Any, shape: Shape) -> Any:
    """Returns overlapping rows."""
    module = np.lib.stride_tricks if xp is np else sk
    return module.sliding_window_view(base, shape[-1], axis=-1)[..., : shape[-2], :]


def has_rows(shape: Shape) -> bool:
    """True if there are several axes."""
    return len(shape) >= 2


def wider(shape: Shape) -> Shape:
    """Returns the shape of rows with some elements before and after them."""
    return (*shape[:-1], shape[-1] + 3)


LAYOUTS: dict[str, MemoryLayout] = {
    "dense": MemoryLayout(lambda shape: shape, lambda xp, base, shape: base),
    "repeated": repeated(),
    "repeated along the first axis": repeated(0),
    "repeated along the last axis": repeated(-1),
    "repeated along the middle axis": repeated(-2),
    "overlapping windows": MemoryLayout(
        windows_shape, windows, lambda shape: has_rows(shape) and shape[-1] > 0, repeats=True
    ),
    **{f"step {step}": stepped(-1, step) for step in (2, 3, 4, 7, -1, -2)},
    **{f"step {step} of rows": stepped(0, step) for step in (2, 3, -1, -2)},
    "transposed": MemoryLayout(
        lambda shape: shape[::-1],
        lambda xp, base, shape: xp.permute_dims(base, tuple(range(len(shape)))[::-1]),
        has_rows,
    ),
    "last axis first": MemoryLayout(
        lambda shape: (shape[-1], *shape[:-1]),
        lambda xp, base, shape: xp.moveaxis(base, 0, -1),
        lambda shape: len(shape) >= 3,
    ),
    "rows of a wider array": MemoryLayout(
        wider, lambda xp, base, shape: base[..., 1 : 1 + shape[-1]], has_rows
    ),
    "every other row, reversed": MemoryLayout(
        lambda shape: (2 * shape[0], *wider(shape[1:])),
        lambda xp, base, shape: base[::-2, ..., shape[-1] : 0 if shape[-1] == 0 else None : -1][
            ..., : shape[-1]
        ],
        has_rows,
    ),
    "permuted strided axes": MemoryLayout(
        lambda shape: tuple(n * 2 for n in shape[::-1]),
        lambda xp, base, shape: xp.permute_dims(
            base[tuple(slice(None, None, (2, -2)[axis % 2]) for axis in range(len(shape)))],
            tuple(range(len(shape)))[::-1],
        ),
        has_rows,
    ),
    "repeated along the first axis, reversed": MemoryLayout(
        lambda shape: (min(shape[0], 1), *shape[1:]),
        lambda xp, base, shape: xp.broadcast_to(base[..., ::-1], shape),
        has_rows,
        repeats=True,
    ),
    "repeated along the last axis of every other row": MemoryLayout(
        lambda shape: (2 * shape[0], *shape[1:-1], min(shape[-1], 1)),
        lambda xp, base, shape: xp.broadcast_to(base[::2], shape),
        has_rows,
        repeats=True,
    ),
    "offset by one element": MemoryLayout(
        lambda shape: (math.prod(shape) + 1,),
        lambda xp, base, shape: xp.reshape(base[1:], shape),
    ),
    "odd address": MemoryLayout(
        lambda shape: shape, lambda xp, base, shape: base, is_misaligned=True
    ),
}


def poison(dtype: np.dtype) -> Any:
    """Returns the value of elements around a view: most results that wrongly include it change."""
    if kind_of(dtype) in "fc":
        return np.nan
    return True if kind_of(dtype) == "b" else np.iinfo(dtype).min or np.iinfo(dtype).max


def misaligned(values: np.ndarray) -> np.ndarray:
    """Returns a copy at an odd address, or for complex numbers, at an address aligned for one part only."""
    offset = values.itemsize // 2 if kind_of(values.dtype) == "c" else 1
    memory = np.empty(values.nbytes + values.itemsize, np.uint8)
    copy = memory[offset : offset + values.nbytes].view(values.dtype).reshape(values.shape)
    copy[...] = values
    return copy


@dataclass(frozen=True)
class Operand:
    """An array in some layout on a device, and a dense copy of it there, made by NumPy."""

    view: sk.Array
    dense: sk.Array


def lay_out(name: str, draw: Callable[[Shape], np.ndarray], shape: Shape, device: str) -> Operand:
    """Makes an operand from `draw`: values of the view, or of the base where elements share memory."""
    layout = LAYOUTS[name]
    base_shape = layout.base_shape(shape)
    if layout.repeats:
        base = draw(base_shape).reshape(base_shape)
        lying = layout.view(np, base, shape)
    else:
        values = draw(shape).reshape(shape)
        base = np.full(base_shape, poison(values.dtype), values.dtype)
        lying = layout.view(np, base, shape)
        lying[...] = values
    assert lying.shape == shape, (name, shape, lying.shape)
    dense = to_device(device, np.array(lying, order="C"))
    if layout.is_misaligned:
        return Operand(sk.asarray(misaligned(base), device=device), dense)
    return Operand(layout.view(sk, to_device(device, base), shape), dense)


@functools.lru_cache(100_000)
def layouts_for(shape: Shape, device: str) -> list[str]:
    """Returns the layouts that an array of the shape can have. Only host memory may be misaligned."""
    if math.prod(shape) == 0 or not shape:
        return ["dense"] if not shape else ["dense", "repeated", "transposed"][: 1 + len(shape)]
    return [
        name
        for name, layout in LAYOUTS.items()
        if layout.fits(shape) and (not layout.is_misaligned or device.startswith("cpu"))
    ]


def spanned_bytes(x: np.ndarray) -> int:
    """Returns the bytes from the first to the last byte of a view."""
    low, high = np.lib.array_utils.byte_bounds(x)
    return high - low
