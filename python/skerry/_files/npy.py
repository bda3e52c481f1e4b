# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""NumPy's format of one array, .npy, whose headers are NumPy's module's to write and to read."""

from __future__ import annotations

import contextlib
import io
import math
import os
from typing import Any

import numpy as np
from numpy.lib import format as npy

from skerry import _core
from skerry._files import elements
from skerry.exceptions import DTypeError

Array = _core.Array

MAPPED_AS = ("r", "r+", "c")
_READERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}
_INSTEAD = {
    "V": "it holds records, or bytes, as which NumPy saves bfloat16; read it with numpy.load and convert them",
    "O": "it holds pickled Python objects, which are never loaded",
    "M": "read it with numpy.load and convert its view of int64",
    "m": "read it with numpy.load and convert its view of int64",
    "f": "read it with numpy.load and convert it",
    "c": "read it with numpy.load and convert it",
}


def write(file: Any, x: Array) -> None:
    """Write an array: the bytes that numpy.save writes for NumPy's array of these elements in this memory order."""
    itemsize = x.dtype.itemsize
    in_c_order = elements.is_packed(x.shape, x.strides, itemsize)
    fortran = not in_c_order and elements.is_packed(x.shape[::-1], x.strides[::-1], itemsize)
    header = {
        "descr": npy.dtype_to_descr(x.dtype),
        "fortran_order": fortran,
        "shape": x.shape,
    }
    npy.write_array_header_1_0(file, header)
    elements.write(file, _reversed(x) if fortran else x)


def read(file: Any, name: str, device: Any, size: int | None = None) -> Array:
    """Read an array from where the file stands, to where it ends.

    ``size`` are the bytes from there to the end of the file, where that is known.
    """
    start = file.tell() if size is not None else 0
    shape, fortran, dtype = _header(file, name)
    if size is not None:
        _require(name, shape, dtype, size - (file.tell() - start))
    try:
        x = elements.read(file, dtype, shape[::-1] if fortran else shape, device)
    except EOFError:
        raise _truncated(name, shape, dtype) from None
    return _reversed(x) if fortran else x


def map_file(path: str, mode: str, device: Any) -> Array:
    """Read an array through mapped memory: on a CPU it is the array's memory, elsewhere chunks are copied from it."""
    if mode not in MAPPED_AS:
        raise ValueError(f"load: mmap_mode: unknown: {mode!r}; known are 'r', 'r+' and 'c'")
    on_host = _core.as_device(device).kind == "cpu"
    if mode != "r" and not on_host:
        raise ValueError(
            f"load: mmap_mode={mode!r}: an array on {device} is a copy, and what is written to it would not reach the "
            "file; use mmap_mode='r'"
        )
    with open(path, "r+b" if mode == "r+" else "rb") as file:
        shape, fortran, dtype = _header(file, path)
        offset = file.tell()
        _require(path, shape, dtype, os.fstat(file.fileno()).st_size - offset)
        if on_host and not dtype.isnative:
            raise ValueError(
                f"load: mmap_mode={mode!r}: {path} has bytes of the other order, which can't be used in place; load it "
                "without mmap_mode"
            )
        shape = shape[::-1] if fortran else shape
        if 0 in shape:  # no memory, and nothing to map
            x = _core.empty(shape, dtype=dtype.newbyteorder("="), device=device)
        else:
            memory: Any = np.memmap(file, dtype, mode, offset, shape)  # type: ignore[call-overload]
            x = (
                _core.asarray(memory, device=device, copy=False)
                if on_host
                else elements.upload(memory, dtype, shape, device)
            )
    return _reversed(x) if fortran else x


def remaining(file: Any) -> int | None:
    """Return the bytes from where a file stands to its end, if it can tell without reading them, as gzip's can't."""
    if not isinstance(file, io.BytesIO | io.FileIO | io.BufferedReader | io.BufferedRandom):
        return None
    with contextlib.suppress(OSError):
        here = file.tell()
        end = file.seek(0, os.SEEK_END)
        file.seek(here)
        return end - here
    return None


def _header(file: Any, name: str) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    try:
        version = npy.read_magic(file)
        if version == (3, 0):
            raise DTypeError(f"load: {name}: no dtype of skerry: {_INSTEAD['V']}")
        if version not in _READERS:
            raise ValueError(f"a .npy file of version {version}, which is not known")
        shape, fortran, dtype = _READERS[version](file)
    except ValueError as error:
        raise ValueError(f"load: {name}: {error}") from error
    if dtype.newbyteorder("=").name not in _core.dtype_kinds():
        instead = _INSTEAD.get(dtype.kind, "text is no number")
        raise DTypeError(f"load: {name}: no dtype of skerry: {dtype}; {instead}")
    if any(n < 0 for n in shape):
        raise ValueError(f"load: {name}: its header has a negative shape: {shape}")
    return shape, fortran, dtype


def _require(name: str, shape: tuple[int, ...], dtype: np.dtype[Any], there: int) -> None:
    if math.prod(shape) * dtype.itemsize > there:
        raise _truncated(name, shape, dtype, there)


def _truncated(
    name: str, shape: tuple[int, ...], dtype: np.dtype[Any], there: int | None = None
) -> ValueError:
    needed = math.prod(shape) * dtype.itemsize
    found = "fewer" if there is None else there
    return ValueError(
        f"load: {name}: truncated: {dtype} {shape} are {needed} bytes, of which the file has {found}; write it again"
    )


def _reversed(x: Array) -> Array:
    return _core.permute_dims(x, tuple(range(x.ndim))[::-1])
