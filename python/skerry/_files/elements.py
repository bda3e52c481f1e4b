# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Transfers elements between files and devices in chunks, so that no array needs a full copy on the host."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from skerry import _core
from skerry._files import streams

# Bytes per read, write or copy: enough for the full bandwidth of disks and PCIe, and little compared to the memory.
CHUNK = 64 << 20

Array = _core.Array
Box = tuple[slice, ...]


def boxes(shape: tuple[int, ...], itemsize: int) -> Iterator[Box]:
    """Divide an array of the given shape into boxes of at most CHUNK bytes, in C order."""
    if 0 in shape:
        return
    row = itemsize * math.prod(shape[1:])
    if not shape or row * shape[0] <= CHUNK:
        yield tuple(slice(0, n) for n in shape)
    elif row <= CHUNK:
        rows, rest = CHUNK // row, tuple(slice(0, n) for n in shape[1:])
        for start in range(0, shape[0], rows):
            yield (slice(start, min(start + rows, shape[0])), *rest)
    else:
        for i in range(shape[0]):
            for rest in boxes(shape[1:], itemsize):
                yield (slice(i, i + 1), *rest)


def is_packed(shape: tuple[int, ...], strides: tuple[int, ...], itemsize: int) -> bool:
    """Return whether an array is C-contiguous."""
    expected = itemsize
    for n, stride in zip(reversed(shape), reversed(strides), strict=True):
        if n != 1 and stride != expected:
            return 0 in shape
        expected *= n
    return True


def write(file: Any, x: Array) -> None:
    """Write the elements in C order to a file whose ``write`` writes all bytes."""
    if is_packed(x.shape, x.strides, x.dtype.itemsize):
        x = _core.reshape(x, (-1,), copy=False)
    for box in boxes(x.shape, x.dtype.itemsize):
        part = x[box] if box else x
        host = part if part.device.kind == "cpu" else part.to_device("cpu:0")
        file.write(as_bytes(np.ascontiguousarray(np.asarray(host))))


def read(
    file: Any, dtype: np.dtype[Any], shape: tuple[int, ...], device: Any, *, is_size_known: bool
) -> Array:
    """Read an array of elements in C order, in native or swapped byte order; raise EOFError if the file ends early.

    If the size of the file is unknown, the first chunk is read before memory is allocated.
    """
    if not is_size_known:
        expected = min(math.prod(shape) * dtype.itemsize, CHUNK)
        first = streams.read(file, expected)
        if len(first) < expected:
            raise EOFError
        file = streams.Rejoined(first, file)
    x = _core.empty(shape, dtype=dtype.newbyteorder("="), device=device)
    if x.device.kind == "cpu":
        _fill(file, np.asarray(x).reshape(-1), dtype)
        return x
    flat = _core.reshape(x, (-1,), copy=False)
    # Alternate two buffers: the file is read into one while the other is copied to the device. Viewing a buffer in
    # NumPy waits for its copy.
    buffers = [_core.empty((min(CHUNK // dtype.itemsize, x.size),), dtype=x.dtype, device="cpu:0")]
    buffers += [_core.empty_like(buffers[0])] if buffers[0].size < x.size else []
    for (part,) in boxes(flat.shape, dtype.itemsize):
        buffer = buffers.pop(0)
        chunk = buffer[: part.stop - part.start]
        _fill(file, np.asarray(chunk), dtype)
        flat[part] = chunk.to_device(x.device)
        buffers.append(buffer)
    return x


def upload(source: Any, dtype: np.dtype[Any], shape: tuple[int, ...], device: Any) -> Array:
    """Copy the NumPy arrays ``source[box]``, read from a file, to a device other than a CPU."""
    x = _core.empty(shape, dtype=dtype.newbyteorder("="), device=device)
    for box in boxes(shape, dtype.itemsize):
        part = np.asarray(source[box], dtype=x.dtype, order="C")
        x[box or ...] = _core.asarray(part, device="cpu:0").to_device(x.device)
    return x


def as_bytes(host: np.ndarray[Any, Any]) -> memoryview:
    """Return the memory of a contiguous array as bytes."""
    flat: Any = host.reshape(-1).view(np.uint8)
    return memoryview(flat)


def _fill(file: Any, host: np.ndarray[Any, Any], dtype: np.dtype[Any]) -> None:
    memory = as_bytes(host)
    for start in range(0, len(memory), CHUNK):
        part = memory[start : start + CHUNK]
        if streams.read_into(file, part) < len(part):
            raise EOFError
    if not dtype.isnative:
        host.byteswap(inplace=True)
