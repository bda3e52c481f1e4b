# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Joining by indexing: ``r_`` and ``c_``."""

from __future__ import annotations

from typing import Any

import skerry as sk
from skerry import _core
from skerry._arrays import arrays_in
from skerry._core import Array
from skerry._extra._operands import promoted, require_rank
from skerry._extra.indexing._slices import points_of
from skerry._failed_calls import NotAnArrayError

__all__ = ["c_", "r_"]


OF_ROWS = """Join arrays, numbers, lists and slices along the first axis, by indexing.

Literals go to the device of the arrays, or to the default device. A slice lists points: its step is a distance, or an
imaginary number of points that include the end. A text as the first item is up to three integers: the axis to join
along, the least number of axes, and the place of the axes of an array that has fewer.

Examples
--------
>>> import skerry as sk
>>> sk.r_[sk.asarray([1, 2]), 0, 5:7]
Array([1, 2, 0, 5, 6], dtype=int64, device='cpu:0')
>>> sk.r_["0,2", [1, 2], [3, 4]]
Array([[1, 2],
       [3, 4]], dtype=int64, device='cpu:0')

"""
OF_COLUMNS = """Join arrays, numbers, lists and slices as columns, by indexing.

It is short for ``r_["-1,2,0", ...]``. Literals go to the device of the arrays, or to the default device.

Examples
--------
>>> import skerry as sk
>>> sk.c_[sk.asarray([1, 2]), 5:7]
Array([[1, 5],
       [2, 6]], dtype=int64, device='cpu:0')

"""


class Concatenator:
    """Joins slices, numbers, lists and arrays in an index, on the device of the arrays."""

    def __init__(
        self, name: str, docstring: str, axis: int = 0, ndmin: int = 1, trans1d: int = -1
    ) -> None:
        self.__doc__ = docstring
        self.name, self.axis, self.ndmin, self.trans1d = name, axis, ndmin, trans1d

    def __repr__(self) -> str:
        """Return the name."""
        return f"<skerry.{self.name}>"

    def __getitem__(self, key: Any) -> Array:
        """Join the items of the index; a leading text such as ``"1,2,0"`` is axis, least rank and place of the axes."""
        items = [*key] if isinstance(key, tuple) else [key]
        axis, ndmin, trans1d = self.axis, self.ndmin, self.trans1d
        if items and isinstance(items[0], str):
            axis, ndmin, trans1d = self._directive(items.pop(0))
        if not items:
            raise ValueError(f"{self.name}: nothing to join; index with arrays, numbers or slices")
        array = next(arrays_in(items), None)
        device = _core.device_or_default(self.name, None) if array is None else array.device
        operands = [self._array_or_literal(item, device) for item in items]
        try:
            arrays = promoted(self.name, *operands)
        except NotAnArrayError as error:
            raise TypeError(
                f"{self.name}: takes arrays, numbers and lists of numbers, not {error.kinds}"
            ) from None
        return sk.concat([self._with_axes(x, ndmin, trans1d) for x in arrays], axis=axis)

    def _directive(self, text: str) -> tuple[int, int, int]:
        """Return the axis, the least number of axes, and the place of the axes of arrays with fewer."""
        try:
            numbers = [int(word) for word in text.split(",")]
        except ValueError:
            numbers = []
        if not 1 <= len(numbers) <= 3:
            raise ValueError(
                f"{self.name}: unknown directive {text!r}; use one to three integers, such as '0,2'"
            )
        return (*numbers, *(self.axis, self.ndmin, self.trans1d)[len(numbers) :])  # type: ignore[return-value]

    def _array_or_literal(self, item: Any, device: Any) -> Any:
        """Return the points of a slice as an array, and other items themselves."""
        if isinstance(item, str):
            raise ValueError(f"{self.name}: the directive {item!r} must be the first item")
        return points_of(item, device) if isinstance(item, slice) else item

    def _with_axes(self, x: Array, ndmin: int, trans1d: int) -> Array:
        """Return an array with at least ``ndmin`` axes."""
        require_rank(self.name, ndmin)
        missing = ndmin - x.ndim
        if missing <= 0:
            return x
        leading = trans1d + missing + 1 if trans1d < 0 else trans1d
        if not 0 <= leading <= missing:
            raise ValueError(
                f"{self.name}: no place {trans1d} for the axes of an array of {x.ndim} axes among {ndmin}"
            )
        return sk.reshape(x, (1,) * leading + x.shape + (1,) * (missing - leading))


r_ = Concatenator("r_", OF_ROWS)
c_ = Concatenator("c_", OF_COLUMNS, axis=-1, ndmin=2, trans1d=0)
