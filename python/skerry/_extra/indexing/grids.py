# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Grids by indexing: ``mgrid`` and ``ogrid``."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import skerry as sk
from skerry import _core
from skerry._core import Array
from skerry._data_types import result_type
from skerry._extra._operands import cast
from skerry._extra.indexing._slices import COMPLEX, points_of, step_count

__all__ = ["mgrid", "ogrid"]


OF_DENSE_GRIDS = """Make a grid by slices, as an array with one entry for each axis.

A step is a distance, or an imaginary number of points that include the end. The grid is on the default device, or on
that of bounds that are arrays.

Examples
--------
>>> import skerry as sk
>>> sk.mgrid[0:2, 0:1:3j]
Array([[[0. , 0. , 0. ],
        [1. , 1. , 1. ]],
<BLANKLINE>
       [[0. , 0.5, 1. ],
        [0. , 0.5, 1. ]]], dtype=float64, device='cpu:0')
>>> sk.mgrid[0:3]
Array([0, 1, 2], dtype=int64, device='cpu:0')

"""
OF_SPARSE_GRIDS = """Make a sparse grid by slices, as arrays of length 1 along all axes but one.

A step is a distance, or an imaginary number of points that include the end. The grid is on the default device, or on
that of bounds that are arrays.

Examples
--------
>>> import skerry as sk
>>> [x.shape for x in sk.ogrid[0:2, 0:1:3j]]
[(2, 1), (1, 3)]

"""


class Grid:
    """Grids of the points that slices list."""

    def __init__(self, docstring: str, sparse: bool) -> None:
        self.__doc__ = docstring
        self.sparse = sparse

    def __repr__(self) -> str:
        """Return the name."""
        return f"<skerry.{'ogrid' if self.sparse else 'mgrid'}>"

    def __getitem__(self, key: Any) -> Any:
        """Return the grid of one slice or a tuple of slices."""
        name = "ogrid" if self.sparse else "mgrid"
        keys = key if isinstance(key, tuple) else (key,)
        is_open = isinstance(key, tuple) and any(getattr(item, "stop", 0) is None for item in keys)
        if is_open or not all(isinstance(item, slice) for item in keys):
            raise TypeError(
                f"{name}: takes slices with an end, such as {name}[0:2, 0:1:5j], not {key!r}"
            )
        bounds = [
            (
                0 if item.start is None else item.start,
                item.stop,
                1 if item.step is None else item.step,
            )
            for item in keys
        ]
        arrays = tuple(x for bound in bounds for x in bound if isinstance(x, Array))
        _core.require_one_device(name, arrays)
        device = arrays[0].device if arrays else _core.device_or_default(name, None)
        if any(not isinstance(step, Array) and step == 0 for _, _, step in bounds):
            raise ValueError(f"{name}: step must not be 0")
        if not isinstance(key, tuple):
            return points_of(key, device)
        numbers: list[Any] = [
            abs(x) if isinstance(x, COMPLEX) else x for bound in bounds for x in bound
        ]
        dtype = result_type(0, *(x.dtype if isinstance(x, Array) else x for x in numbers))
        shape = tuple(_count(*bound) for bound in bounds)
        axes = [_axis(i, shape, *bound, dtype, device) for i, bound in enumerate(bounds)]
        if self.sparse:
            return tuple(axes)
        grid = sk.empty((len(shape), *shape), dtype=dtype, device=device)
        for i, axis in enumerate(axes):
            grid[i, ...] = cast(axis, dtype)
        return grid


def _count(start: Any, stop: Any, step: Any) -> int:
    """Return the number of points of a slice."""
    if isinstance(step, COMPLEX):
        return step_count(step)
    count: int = math.ceil((stop - start) / step)
    return max(count, 0)


def _axis(
    i: int,
    shape: tuple[int, ...],
    start: Any,
    stop: Any,
    step: Any,
    dtype: np.dtype[Any],
    device: Any,
) -> Array:
    """Return the points of the slice of axis ``i`` along that axis."""
    if isinstance(step, COMPLEX):
        step = (stop - start) / float(shape[i] - 1) if shape[i] != 1 else 1
    numbers = sk.arange(shape[i], dtype=dtype, device=device)
    points: Array = (
        sk.reshape(numbers, (1,) * i + (-1,) + (1,) * (len(shape) - i - 1)) * step + start
    )
    return points


mgrid = Grid(OF_DENSE_GRIDS, sparse=False)
ogrid = Grid(OF_SPARSE_GRIDS, sparse=True)
