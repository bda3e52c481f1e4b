# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Attributes and methods of NumPy's arrays that are written in Python: flags, flat, partition and others.

The bindings import this module at the first use of one of them.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable
from typing import Any

import numpy as np

import skerry as sk
from skerry import _core, _extra
from skerry._arrays import name_failures_of
from skerry._core import Array
from skerry._data_types import kind_of
from skerry._outputs import output_argument, store


class ArrayFlags:
    """The memory layout of an array, as ``numpy.ndarray.flags``: attributes, or items by NumPy's names.

    Only ``writeable`` can be set; see ``Array.setflags``. ``owndata`` says whether the array has all of its memory.
    """

    __slots__ = ("_array",)

    def __init__(self, array: Array):
        self._array = array

    @property
    def c_contiguous(self) -> bool:
        """Whether the elements are contiguous in C order."""
        return self._is_contiguous(range(self._array.ndim)[::-1])

    @property
    def f_contiguous(self) -> bool:
        """Whether the elements are contiguous in Fortran order."""
        return self._is_contiguous(range(self._array.ndim))

    def _is_contiguous(self, axes: range) -> bool:
        x = self._array
        if x.size == 0:
            return True
        stride = x.itemsize
        for axis in axes:
            if x.shape[axis] > 1 and x.strides[axis] != stride:
                return False
            stride *= x.shape[axis]
        return True

    contiguous = c_contiguous

    @property
    def fortran(self) -> bool:
        """Whether the elements are contiguous in Fortran order, but not in C order."""
        return self.f_contiguous and not self.c_contiguous

    fnc = fortran

    @property
    def forc(self) -> bool:
        """Whether the elements are contiguous in C or Fortran order."""
        return self.f_contiguous or self.c_contiguous

    @property
    def owndata(self) -> bool:
        """Whether the array has all of its memory, so that it is not a view of a larger one."""
        return self._array.base is None

    @property
    def writeable(self) -> bool:
        """Whether elements can be assigned."""
        return _core.is_writable(self._array)

    @writeable.setter
    def writeable(self, value: bool) -> None:
        self._array.setflags(write=value)

    @property
    def aligned(self) -> bool:
        """True: elements are always aligned."""
        return True

    @property
    def writebackifcopy(self) -> bool:
        """False: arrays are no copies that are written back."""
        return False

    @property
    def behaved(self) -> bool:
        """Whether the array is aligned and writable."""
        return self.writeable

    @property
    def carray(self) -> bool:
        """Whether the array is behaved and contiguous in C order."""
        return self.behaved and self.c_contiguous

    @property
    def farray(self) -> bool:
        """Whether the array is behaved and contiguous in Fortran order only."""
        return self.behaved and self.fortran

    @property
    def num(self) -> int:
        """The flags as the bits of NumPy's C API."""
        bits = {
            "c_contiguous": 1,
            "f_contiguous": 2,
            "owndata": 4,
            "aligned": 0x100,
            "writeable": 0x400,
        }
        return sum(bit for name, bit in bits.items() if getattr(self, name))

    def __getitem__(self, key: str) -> bool:
        if not isinstance(key, str) or key not in _FLAGS:
            raise KeyError(f"flags: unknown flag {key!r}; use one of {', '.join(_FLAGS)}")
        return bool(getattr(self, _FLAGS[key]))

    def __setitem__(self, key: str, value: bool) -> None:
        if key not in ("WRITEABLE", "W"):
            self[key]
            raise ValueError(f"flags: {key} can't be set, only WRITEABLE")
        self.writeable = value

    def __eq__(self, other: object) -> bool:
        return self.num == other.num if isinstance(other, ArrayFlags) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.num)

    def __repr__(self) -> str:
        names = (
            "C_CONTIGUOUS",
            "F_CONTIGUOUS",
            "OWNDATA",
            "WRITEABLE",
            "ALIGNED",
            "WRITEBACKIFCOPY",
        )
        return "".join(f"  {name} : {self[name]}\n" for name in names)


#: Attributes by NumPy's names of items.
_FLAGS = {
    "C_CONTIGUOUS": "c_contiguous",
    "CONTIGUOUS": "c_contiguous",
    "C": "c_contiguous",
    "F_CONTIGUOUS": "f_contiguous",
    "FORTRAN": "f_contiguous",
    "F": "f_contiguous",
    "OWNDATA": "owndata",
    "O": "owndata",
    "WRITEABLE": "writeable",
    "W": "writeable",
    "ALIGNED": "aligned",
    "A": "aligned",
    "WRITEBACKIFCOPY": "writebackifcopy",
    "X": "writebackifcopy",
    "FNC": "fnc",
    "FORC": "forc",
    "BEHAVED": "behaved",
    "B": "behaved",
    "CARRAY": "carray",
    "CA": "carray",
    "FARRAY": "farray",
    "FA": "farray",
}


class FlatIterator:
    """The elements of an array in C order, as ``numpy.ndarray.flat``.

    An item is a copy, of an int key a 0-d array. Assignment changes the array: values are repeated if there are too
    few, and those left over are ignored.
    """

    __slots__ = ("_array", "_elements", "_index")
    __hash__ = None  # type: ignore[assignment]  # compared elementwise, as arrays are

    def __init__(self, array: Array):
        self._array = array
        self._index = 0
        #: A view of the elements; None if the layout allows none.
        self._elements: Array | None = None
        with contextlib.suppress(ValueError):
            self._elements = _core.reshape(array, (-1,), copy=False)

    @property
    def base(self) -> Array:
        """The array."""
        return self._array

    @property
    def index(self) -> int:
        """The index of the next element in C order."""
        return self._index

    @property
    def coords(self) -> tuple[int, ...]:
        """The indices of the next element along each axis."""
        return self._coordinates(self._index)

    def copy(self) -> Array:
        """Return a flattened copy of the array."""
        return self._array.flatten()

    def __len__(self) -> int:
        return self._array.size

    def __iter__(self) -> FlatIterator:
        return self

    def __next__(self) -> Array:
        index = self._index
        if index >= self._array.size:
            self._index = 0
            raise StopIteration
        self._index = index + 1
        if self._elements is not None:
            return self._elements[index]
        return self._array[self._coordinates(index)]

    def __getitem__(self, key: Any) -> Array:
        key = _key_of(key)
        if isinstance(key, int):
            return self._array[self._coordinates(self._checked(key))].copy()
        result = self._flattened()[key]
        return result.copy() if isinstance(key, slice) else result

    def __setitem__(self, key: Any, value: Any) -> None:
        key = _key_of(key)
        if isinstance(key, int):
            index = self._coordinates(self._checked(key))
            values = self._values(value, 1)
            self._array[index] = _core.reshape(values, ())
            return
        positions = self._positions(key)
        if positions.size == 0:
            return
        values = self._values(value, positions.size)
        if self._elements is None:
            self._array[_coordinates(positions, self._array.shape)] = values
        elif isinstance(key, slice):
            self._elements[key] = values
        else:
            self._elements[positions] = values

    def _checked(self, index: int) -> int:
        size = self._array.size
        if not -size <= index < size:
            raise IndexError(f"flat: index {index} is out of bounds for {size} elements")
        return index % size

    def _coordinates(self, index: int) -> tuple[int, ...]:
        indices = []
        for length in self._array.shape[::-1]:
            index, position = divmod(index, length) if length else (0, 0)
            indices.append(position)
        return tuple(indices[::-1])

    def _flattened(self) -> Array:
        return self._array.ravel() if self._elements is None else self._elements

    def _positions(self, key: Any) -> Array:
        """Return the selected indices into the elements, flattened."""
        count = self._array.size
        return _core.reshape(_core.arange(count, device=self._array.device)[key], (-1,))

    def _values(self, value: Any, count: int) -> Array:
        """Return one value, or ``count`` of them: repeated, or without those left over."""
        values = value
        if isinstance(value, FlatIterator):
            values = value._flattened()
        elif not isinstance(
            value, (Array, np.ndarray)
        ):  # a literal has the dtype and the device of the array
            shape = _core.asarray(value).shape
            values = _core.empty_like(self._array, shape=shape)
            values[...] = value
        values = _core.reshape(_core.asarray(values), (-1,))
        if values.size == 0:
            raise ValueError("flat: no values to assign")
        if values.size in (1, count):
            return values
        if values.size > count:
            if count == 1:
                raise ValueError(f"flat: one value is needed, not {values.size}")
            return values[:count]
        repeats = -(-count // values.size)
        return _core.tile(values, repeats)[:count]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return self._flattened().__array__(dtype, copy)

    def __dlpack__(self, **options: Any) -> Any:
        return self._flattened().__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._array.__dlpack_device__()

    def __eq__(self, other: Any) -> Any:
        return self._flattened() == _elements_of(other)

    def __ne__(self, other: Any) -> Any:
        return self._flattened() != _elements_of(other)

    def __lt__(self, other: Any) -> Any:
        return self._flattened() < _elements_of(other)

    def __le__(self, other: Any) -> Any:
        return self._flattened() <= _elements_of(other)

    def __gt__(self, other: Any) -> Any:
        return self._flattened() > _elements_of(other)

    def __ge__(self, other: Any) -> Any:
        return self._flattened() >= _elements_of(other)

    def __repr__(self) -> str:
        return f"FlatIterator({self._array!r})"


def _elements_of(value: Any) -> Any:
    return value._flattened() if isinstance(value, FlatIterator) else value


def _key_of(key: Any) -> Any:
    """Return a key as an int, a slice, an array or a list."""
    if isinstance(key, tuple) and len(key) == 1:
        key = key[0]
    if key is Ellipsis or (isinstance(key, tuple) and not key):
        return slice(None)
    if isinstance(key, (bool, slice, list, Array)) or not hasattr(key, "__index__"):
        return key
    return key if getattr(key, "ndim", 0) else int(key)


def _coordinates(positions: Array, shape: tuple[int, ...]) -> tuple[Array, ...]:
    """Return the indices along each axis of positions in C order."""
    indices = []
    for length in shape[::-1]:
        indices.append(_core.remainder(positions, length))
        positions = _core.floor_divide(positions, length)
    return tuple(indices[::-1])


def set_flat(x: Array, values: Any) -> None:
    """Assign to all elements in C order: ``x.flat = values``."""
    FlatIterator(x)[:] = values


def _sorting(name: str) -> Callable[..., Array]:
    function: Callable[..., Array] = getattr(_extra.import_topic("sorting.ordering"), name)
    return function


def _reject_order(name: str, order: Any) -> None:
    if order is not None:
        raise ValueError(f"{name}: order= is for fields, which skerry's arrays lack")


def argpartition(
    x: Array, kth: Any, axis: int | None = -1, kind: str = "introselect", order: None = None
) -> Array:
    """Return the indices that partition the array; ``kind`` has no effect."""
    _reject_order("argpartition", order)
    return _sorting("argpartition")(x, kth, axis)


def partition(
    x: Array, kth: Any, axis: int = -1, kind: str = "introselect", order: None = None
) -> None:
    """Partition the array in place; ``kind`` has no effect."""
    _reject_order("partition", order)
    x[...] = _sorting("partition")(x, kth, axis)


def choose(x: Array, choices: Any, out: Array | None = None, mode: str = "raise") -> Array:
    """Select elements of ``choices``, and store them into ``out`` if that is passed."""
    result: Array = _extra.import_topic("indexing.selecting").choose(x, choices, mode=mode)
    return result if out is None else store("choose", result, output_argument("choose", out, x))


def tofile(x: Array, fid: Any, sep: str = "", format: str = "%s") -> None:
    """Write the elements in C order to a file: as bytes, or as text with a separator."""
    x.to_numpy().tofile(fid, sep, format)


def byteswap(x: Array, inplace: bool = False) -> Array:
    """Return the elements with reversed bytes, or reverse those of the array."""
    width = x.itemsize // 2 if kind_of(x.dtype) == "c" else x.itemsize
    elements = x.flatten().view("uint8")
    swapped = _core.flip(_core.reshape(elements, (-1, width)), axis=1)
    result = _core.reshape(swapped.flatten().view(x.dtype), x.shape)
    if not inplace:
        return result
    x[...] = result
    return x


def _new_array(
    shape: Any,
    dtype: Any = None,
    buffer: Any = None,
    offset: int = 0,
    strides: None = None,
    order: str | None = None,
    *,
    device: Any = None,
) -> Array:
    """Return an array with uninitialized elements, or over the memory of ``buffer``, as ``numpy.ndarray`` does."""
    if strides is not None:
        raise TypeError("ndarray: strides can't be passed; make an array, and a view of it")
    if buffer is None:
        if offset != 0:
            raise ValueError("ndarray: offset is a position in buffer; pass buffer, too")
        return sk.empty(shape, dtype, order or "C", device=device)
    lengths = (shape,) if isinstance(shape, int) else tuple(shape)
    count = math.prod(lengths)
    x = sk.frombuffer(buffer, dtype or sk.float64, count, offset)
    if order == "F":
        x = sk.permute_dims(sk.reshape(x, lengths[::-1]), tuple(range(len(lengths))[::-1]))
    return sk.asarray(sk.reshape(x, lengths) if order != "F" else x, device=device, copy=False)


_new_array.__name__ = _new_array.__qualname__ = "ndarray"
#: The constructor of the class Array.
ndarray = name_failures_of(_new_array)
