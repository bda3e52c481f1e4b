# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Memory for fuzz cases, and the NumPy arrays that well-formed cases describe."""

from __future__ import annotations

import ctypes
import dataclasses
from typing import Any

import numpy as np
import skerry as sk

NBYTES = 4096
DTYPES = [
    np.dtype(f"{k}{n}") for k, ns in {"i": "1248", "u": "1248", "f": "248"}.items() for n in ns
]
DTYPES += [np.dtype("?"), np.dtype("c8"), np.dtype("c16")]

# Integers at the limits of arithmetic.
EDGES = [
    0,
    1,
    2,
    3,
    7,
    8,
    63,
    64,
    65,
    255,
    2**15,
    2**31 - 1,
    2**31,
    2**32,
    2**45,
    2**60,
    2**61,
    2**62,
]
EDGES += [2**63 - 8, 2**63 - 1]
EDGES += [-n for n in EDGES] + [-(2**63)]


@dataclasses.dataclass
class Arena:
    """One allocation. ``host`` is the same memory as a NumPy array: rehearsed devices use the process's memory."""

    device: str
    code: int  # DLPack's device type
    ordinal: int
    address: int
    host: np.ndarray
    owner: Any

    @classmethod
    def allocate(cls, device: str, *, pinned: bool = False) -> Arena:
        """Allocate an arena filled with noise."""
        noise = np.random.default_rng(len(device)).integers(0, 256, NBYTES, dtype=np.uint8)
        if device.startswith("cpu"):
            owner = sk.empty((NBYTES,), dtype=sk.uint8, device=device, pinned=pinned)
            host = np.asarray(owner)
            host[:] = noise
            return cls(device, 3 if pinned else 1, 0, host.ctypes.data, host, owner)
        owner = sk.asarray(noise, device=device)
        sk.synchronize(device)
        address = owner.__cuda_array_interface__["data"][0]
        host = np.frombuffer((ctypes.c_uint8 * NBYTES).from_address(address), np.uint8)
        return cls(device, 2, owner.__dlpack_device__()[1], address, host, owner)


@dataclasses.dataclass
class Shaped:
    """A well-formed array in an arena: strides and offset in bytes."""

    arena: Arena
    dtype: np.dtype
    shape: list[int]
    strides: list[int]
    offset: int


def well_formed(rng, arenas: list[Arena]) -> Shaped:
    """Draw an array in a layout that array libraries produce: dense in any order, reversed, strided, broadcast, empty, 0-d."""
    dtype = rng.choice(DTYPES)
    width = dtype.itemsize
    rank = rng.choice((0, 1, 1, 2, 2, 3, 4, 9))
    shape, strides = [], []
    first = last = 0
    room = NBYTES // width - 1
    step = 1
    empty = False
    for _ in range(rank):
        n = rng.choice((0, 1, 1, 2, 3, 4, 5, 8, 8) if not empty and rank < 9 else (1, 2))
        empty = empty or n == 0
        stride = rng.choice((step, step, step, -step, 2 * step, -3 * step, 0))
        extent = (n - 1) * abs(stride)
        if n > 1 and extent > room:
            n, extent = 1, 0
        room -= max(extent, 0)
        if stride < 0:
            first -= max(extent, 0)
        else:
            last += max(extent, 0)
        shape.append(n)
        strides.append(stride * width)
        step = max(step, step * max(n, 1))
    order = list(range(rank))
    if rng.random() < 0.5:
        order.reverse()
    else:
        rng.shuffle(order)
    slots = NBYTES // width
    origin = rng.randrange(-first, slots - last) if slots - last > -first else -first
    shape, strides = [shape[i] for i in order], [strides[i] for i in order]
    return Shaped(rng.choice(arenas), dtype, shape, strides, origin * width)


def model(arena: Arena, dtype: np.dtype, shape, strides, address: int) -> np.ndarray | None:
    """Return the described memory as a NumPy array; None if it extends beyond the arena and must not be read."""
    if 0 in shape:
        return np.empty(shape, dtype)
    first = sum(min((n - 1) * s, 0) for n, s in zip(shape, strides, strict=True))
    last = sum(max((n - 1) * s, 0) for n, s in zip(shape, strides, strict=True)) + dtype.itemsize
    offset = address - arena.address
    if offset + first < 0 or offset + last > NBYTES:
        return None
    # NumPy keeps strides of axes of length 1, which are arbitrary.
    strides = [s if n > 1 else 0 for n, s in zip(shape, strides, strict=True)]
    return np.ndarray(shape, dtype, arena.host, offset, strides)


def compare(x, expected: np.ndarray) -> str | None:
    """Return the difference between an imported array and the model, or None."""
    if x.shape != expected.shape:
        return f"shape {x.shape} instead of {expected.shape}"
    if x.dtype != expected.dtype:
        return f"dtype {x.dtype} instead of {expected.dtype}"
    if expected.size == 0:
        return None
    for axis, (stride, theirs) in enumerate(zip(x.strides, expected.strides, strict=True)):
        if x.shape[axis] > 1 and stride != theirs:
            return f"strides {x.strides} instead of {expected.strides}"
    if expected.size > 2 * NBYTES:
        # A broadcast array, too large to copy: compare a few elements of each axis.
        some = tuple(slice(None, None, max(n // 3, 1)) for n in expected.shape)
        x, expected = x[some], expected[some]
    values = np.asarray(x if x.device.kind == "cpu" else x.to_device("cpu:0"))
    if values.tobytes() != expected.tobytes():
        return f"values {values} instead of {expected}"
    return None
