# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""NumPy's format of one array, .npy. NumPy's module writes headers, ``npy_header`` reads them."""

from __future__ import annotations

import math
import os
from typing import Any

import numpy as np
from numpy.lib import format as npy

from skerry import _core
from skerry._files import elements, npy_header

Array = _core.Array

MAPPED_AS = ("r", "r+", "c")


def write(file: Any, x: Array) -> None:
    """Write the same bytes as numpy.save for a NumPy array with these elements and this memory order."""
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


def read(
    file: Any, name: str, device: Any, size: int | None = None, *, fills_file: bool = False
) -> Array:
    """Read an array from the current position of a file.

    ``size`` is the number of bytes up to the end of the file, or None if unknown. With ``fills_file`` the array must
    end there.
    """
    shape, fortran, dtype, header_size = npy_header.read(file, name, size)
    if size is not None:
        _require(name, shape, dtype, size - header_size)
        if fills_file and size - header_size > math.prod(shape) * dtype.itemsize:
            raise ValueError(
                f"load: {name}: damaged: {dtype} {shape} has {math.prod(shape) * dtype.itemsize} bytes, but the file "
                f"has {size - header_size}"
            )
    try:
        x = elements.read(
            file,
            dtype,
            shape[::-1] if fortran else shape,
            device,
            is_size_known=size is not None,
        )
    except EOFError:
        raise _truncated(name, shape, dtype) from None
    return _reversed(x) if fortran else x


def map_file(path: str, mode: str, device: Any) -> Array:
    """Map a file: on a CPU the map is the array's memory; to other devices it is copied in chunks."""
    if mode not in MAPPED_AS:
        raise ValueError(f"load: mmap_mode: unknown: {mode!r}; known are 'r', 'r+' and 'c'")
    on_host = _core.as_device(device).kind == "cpu"
    if mode != "r" and not on_host:
        raise ValueError(
            f"load: mmap_mode={mode!r}: an array on {device} is a copy, and writes to it would not reach the file; use "
            "mmap_mode='r'"
        )
    with open(path, "r+b" if mode == "r+" else "rb") as file:
        size = os.fstat(file.fileno()).st_size
        shape, fortran, dtype, offset = npy_header.read(file, path, size)
        _require(path, shape, dtype, size - offset)
        if on_host:
            _require_usable_in_place(path, mode, dtype, offset)
        shape = shape[::-1] if fortran else shape
        if 0 in shape:  # nothing to map
            x = _core.empty(shape, dtype=dtype.newbyteorder("="), device=device)
        else:
            memory: Any = np.memmap(file, dtype, mode, offset, shape)  # type: ignore[call-overload]
            x = (
                _core.asarray(memory, device=device, copy=False)
                if on_host
                else elements.upload(memory, dtype, shape, device)
            )
    return _reversed(x) if fortran else x


def _require_usable_in_place(path: str, mode: str, dtype: np.dtype[Any], offset: int) -> None:
    fault = ""
    if not dtype.isnative:
        fault = "has bytes of the other order"
    elif offset % dtype.alignment:  # from writers other than NumPy, which don't pad the header
        fault = f"has elements from byte {offset} on, which is not a multiple of {dtype.alignment}"
    if fault:
        raise ValueError(
            f"load: mmap_mode={mode!r}: {path} {fault}, so it can't be used in place; load it without mmap_mode"
        )


def _require(
    name: str, shape: tuple[int, ...], dtype: np.dtype[Any], available_nbytes: int
) -> None:
    if math.prod(shape) * dtype.itemsize > available_nbytes:
        raise _truncated(name, shape, dtype, available_nbytes)


def _truncated(
    name: str, shape: tuple[int, ...], dtype: np.dtype[Any], available_nbytes: int | None = None
) -> ValueError:
    nbytes = math.prod(shape) * dtype.itemsize
    actual = "fewer" if available_nbytes is None else available_nbytes
    return ValueError(
        f"load: {name}: truncated: {dtype} {shape} has {nbytes} bytes, of which the file has {actual}; write it again"
    )


def _reversed(x: Array) -> Array:
    return _core.permute_dims(x, tuple(range(x.ndim))[::-1])
