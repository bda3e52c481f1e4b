# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Random DLPack structures, from well-formed ones to noise, with the expected outcome of each."""

from __future__ import annotations

import ctypes
import dataclasses
import struct
from typing import Any

import ml_dtypes
import numpy as np
import skerry as sk

from tests.fuzz.arenas import EDGES, Arena, Shaped, compare, model, well_formed
from tests.python.interchange import dlpack_structs as dl

NDIM_ROOM = 80
INT64 = 2**63 - 1
VERSIONED = struct.Struct("<IIQQQQiiiBBHQQQ")
LEGACY = struct.Struct("<QiiiBBHQQQQQ")
BY_CODE = {
    (dl.CODES[k], 8 * n): np.dtype(f"{k}{n}")
    for k, n in [
        *(("i", n) for n in (1, 2, 4, 8)),
        *(("u", n) for n in (1, 2, 4, 8)),
        ("f", 2),
        ("f", 4),
        ("f", 8),
        ("c", 8),
        ("c", 16),
    ]
}
BY_CODE[6, 8] = np.dtype("?")
BY_CODE[4, 16] = np.dtype(ml_dtypes.bfloat16)


@dataclasses.dataclass
class Case:
    """The fields of a structure; strides in elements."""

    shaped: Shaped
    data: int
    device: tuple[int, int]
    ndim: int
    dtype: tuple[int, int, int]
    shape: list[int] | None
    strides: list[int] | None
    byte_offset: int = 0
    flags: int = 0
    version: tuple[int, int] = (1, 3)
    versioned: bool = True
    deleter: bool = True
    name: bytes = b""
    mutated: bool = False


def plain(rng, arenas: list[Arena]) -> Case:
    """Return the structure of a well-formed array."""
    s = well_formed(rng, arenas)
    width = s.dtype.itemsize
    versioned = rng.random() < 0.7
    split = rng.randrange(0, s.offset // width + 1) * width if rng.random() < 0.2 else 0
    case = Case(
        s,
        s.arena.address + s.offset - split,
        (s.arena.code, s.arena.ordinal),
        len(s.shape),
        (dl.CODES[s.dtype.kind], 8 * width, 1),
        list(s.shape),
        [n // width for n in s.strides],
        byte_offset=split,
        versioned=versioned,
        flags=rng.choice((0, 0, 0, 1, 2, 3)),
        version=(1, rng.choice((0, 1, 3, 7))),
        deleter=rng.random() < 0.95,
        name=b"dltensor_versioned" if versioned else b"dltensor",
    )
    if 0 in s.shape and rng.random() < 0.5:
        case.data = rng.choice((0, 1, 8, 0xDEAD0000))
    elif rng.random() < 0.05:
        case.strides = None
    return case


def wild(rng, bits: int = 64) -> int:
    """Draw an unsigned integer."""
    return rng.choice((rng.choice(EDGES), rng.getrandbits(64), rng.getrandbits(12))) % 2**bits


def signed(value: int, bits: int = 64) -> int:
    value %= 2**bits
    return value - 2**bits if value >= 2 ** (bits - 1) else value


def mutate(rng, case: Case) -> None:
    """Change one field."""
    case.mutated = True
    field = rng.randrange(14)
    if field == 0:
        case.data = rng.choice((0, case.data + 1, case.data + 8, case.data - 4096, wild(rng)))
        case.data %= 2**64
    elif field == 1:
        case.byte_offset = rng.choice((1, 4, 8, 4096, 2**64 - 8, 2**63, 2**56, wild(rng)))
    elif field == 2:
        case.ndim = rng.choice((-1, 0, min(case.ndim + 1, 66), 64, 65, 2**31 - 1, -(2**31)))
    elif field == 3:
        case.dtype = (wild(rng, 8), *case.dtype[1:])
    elif field == 4:
        case.dtype = (
            case.dtype[0],
            rng.choice((0, 1, 4, 16, 64, 128, wild(rng, 8))),
            case.dtype[2],
        )
    elif field == 5:
        case.dtype = (*case.dtype[:2], rng.choice((0, 2, 4, 65535)))
    elif field == 6:
        case.device = (rng.choice((0, 1, 2, 3, 10, 13, -1, signed(wild(rng), 32))), case.device[1])
    elif field == 7:
        case.device = (case.device[0], rng.choice((-1, 0, 1, 2, 63, signed(wild(rng), 32))))
    elif field == 8 and case.shape:
        case.shape[rng.randrange(len(case.shape))] = rng.choice((-1, 0, 1, 100, signed(wild(rng))))
    elif field == 9 and case.strides:
        axis = rng.randrange(len(case.strides))
        case.strides[axis] = rng.choice((0, 1, -1, 513, signed(wild(rng))))
    elif field == 10:
        case.shape = None
    elif field == 11:
        case.strides = None
    elif field == 12:
        case.version = (rng.choice((0, 2, 99, wild(rng, 32))), wild(rng, 32))
        case.flags = wild(rng)
    else:
        case.name = rng.choice((b"used_dltensor", b"used_dltensor_versioned", b"other", case.name))


def case_of(rng, arenas: list[Arena]) -> Case:
    case = plain(rng, arenas)
    kind = rng.random()
    for _ in range(0 if kind < 0.45 else 1 if kind < 0.8 else rng.randrange(2, 8)):
        mutate(rng, case)
    return case


def is_right(case: Case, arenas: list[Arena]) -> bool | None:
    """Return whether the import must succeed; None if that depends on memory outside the arenas."""
    if case.name != (b"dltensor_versioned" if case.versioned else b"dltensor"):
        return False
    if case.versioned and case.version[0] != 1:
        return False
    dtype = BY_CODE.get(case.dtype[:2])
    if dtype is None or case.dtype[2] != 1 or not 0 <= case.ndim <= 64:
        return False
    if case.ndim and case.shape is None:
        return False
    shape, strides = geometry(case, dtype)
    if any(n < 0 for n in shape):
        return False
    nbytes = dtype.itemsize
    for n in shape:
        nbytes *= n or 1
    if nbytes > INT64:
        return False
    kind, index = case.device
    if kind not in (1, 2, 3, 13) or index < 0:
        return False
    ordinals = {a.ordinal for a in arenas if a.code == 2}
    if kind in (2, 13) and index not in ordinals:
        return False
    if 0 in shape:
        return True
    address = case.data + case.byte_offset
    if case.data == 0 or address >= 2**64 or address % dtype.alignment:
        return False
    first = last = 0
    for n, s in zip(shape, strides, strict=True):
        if n > 1 and not -INT64 - 1 <= s <= INT64:
            return False
        reach = (n - 1) * s
        first, last = first + min(reach, 0), last + max(reach, 0)
    last += dtype.itemsize
    if first < -INT64 - 1 or last > INT64 or last - first > INT64:
        return False
    if address + first < 0 or address + last > 2**56:  # outside of the address space
        return False
    if kind == 1:
        return True
    return is_right_on_gpu(case, arenas, address, first, last)


def is_right_on_gpu(case, arenas, address, first, last) -> bool | None:
    kind, index = case.device
    for arena in arenas:
        if arena.address <= address < arena.address + arena.host.size:
            inside = address + first >= arena.address and (
                address + last <= arena.address + arena.host.size
            )
            if kind == 3:
                return True if arena.code != 3 or inside else None
            if arena.code != 2 or kind != 2 or arena.ordinal != index:
                return False
            return True if inside else None
    return None


def geometry(case: Case, dtype: np.dtype) -> tuple[list[int], list[int]]:
    """Return shape and strides in bytes of the structure's axes, as read from memory."""
    shape = filled(case.shape or [])[: case.ndim]
    if case.strides is not None or case.ndim == 0:
        return shape, [s * dtype.itemsize for s in filled(case.strides or [])[: case.ndim]]
    strides, step = [], dtype.itemsize
    for n in reversed(shape):
        strides.append(step)
        step *= max(n, 1)
    return shape, strides[::-1]


def filled(values: list[int]) -> list[int]:
    """Append ones, which are read if a case claims more axes than it has."""
    return values + [1] * (NDIM_ROOM - len(values))


class Library:
    """Builds the structures at one address, counts calls of their deleters, and overwrites deleted ones."""

    def __init__(self) -> None:
        self.managed = ctypes.create_string_buffer(80)
        self.shape = (ctypes.c_int64 * NDIM_ROOM)()
        self.strides = (ctypes.c_int64 * NDIM_ROOM)()
        self.address = ctypes.addressof(self.managed)
        self.deleted = 0
        self.callback = dl.Deleter(self.delete)
        self.deleter = ctypes.cast(self.callback, ctypes.c_void_p).value
        self.destroy_callback = dl.Destructor(self.destroy)
        self.names = {
            n: ctypes.c_char_p(n)
            for n in (
                b"dltensor",
                b"dltensor_versioned",
                b"used_dltensor",
                b"used_dltensor_versioned",
                b"other",
            )
        }
        self.table = dl.ExchangeTable(dl.Version(1, 3))
        self.from_object = dl.FromObject(self.fill)
        self.table.from_object = ctypes.cast(self.from_object, ctypes.c_void_p)
        Exchanged.__dlpack_c_exchange_api__ = dl.new_capsule(
            ctypes.addressof(self.table), b"dlpack_exchange_api"
        )

    def delete(self, address) -> None:
        self.deleted += 1
        ctypes.memset(self.managed, 0xA5, 80)
        ctypes.memset(self.shape, 0xA5, 8 * NDIM_ROOM)
        ctypes.memset(self.strides, 0xA5, 8 * NDIM_ROOM)

    def destroy(self, capsule) -> None:
        """Act as a capsule's destructor, which does nothing for a consumed one."""
        for name in (b"dltensor", b"dltensor_versioned", b"other"):
            if dl._is_valid(capsule, name):
                if self.has_deleter:
                    self.delete(self.address)
                return

    def fill(self, python_object, out) -> int:
        out[0] = self.address
        return 0

    def write(self, case: Case) -> None:
        self.has_deleter = case.deleter
        self.deleted = 0
        self.shape[:] = filled(case.shape or [])
        self.strides[:] = filled(case.strides or [])
        tensor = (
            case.data,
            *case.device,
            case.ndim,
            *case.dtype,
            ctypes.addressof(self.shape) if case.shape is not None else 0,
            ctypes.addressof(self.strides) if case.strides is not None else 0,
            case.byte_offset,
        )
        deleter = self.deleter if case.deleter else 0
        if case.versioned:
            VERSIONED.pack_into(self.managed, 0, *case.version, 0, deleter, case.flags, *tensor)
        else:
            LEGACY.pack_into(self.managed, 0, *tensor, 0, deleter)

    def capsule(self, case: Case):
        return dl.new_capsule(self.address, self.names[case.name], self.destroy_callback)


class Exchanged:
    """A producer whose type has DLPack's exchange table."""


class Offer:
    """A producer that accepts at most `knows` keywords, as in older versions of the protocol."""

    def __init__(self, capsule, device, knows: int) -> None:
        self.capsule, self.device, self.knows = capsule, device, knows

    def __dlpack__(self, **keywords):
        if len(keywords) > self.knows:
            raise TypeError("unexpected keyword")
        return self.capsule

    def __dlpack_device__(self):
        return self.device


class Fuzzer:
    """Runs cases."""

    def __init__(self) -> None:
        self.arenas = [
            Arena.allocate("cpu:0"),
            Arena.allocate("cuda:0"),
            Arena.allocate("cuda:1"),
            Arena.allocate("cpu:0", pinned=True),
        ]
        self.library = Library()
        self.accepted = self.compared = 0

    def run(self, rng) -> str | None:
        """Run a random case; return what went wrong, or None."""
        case = case_of(rng, self.arenas)
        way = rng.random()
        self.library.write(case)
        x, error = self.take(rng, case, way)
        wrong = self.judge(case, x, error, way)
        del x
        if wrong is None and self.library.deleted != int(case.deleter and self.is_owned(case, way)):
            wrong = f"deleted {self.library.deleted} times"
        return f"{wrong}; {case}; {error!r}" if wrong else None

    @staticmethod
    def is_owned(case: Case, way: float) -> bool:
        """Return whether the deleter must be called: not if the import gets a capsule that is already marked as consumed."""
        return (0.6 <= way < 0.75 and case.versioned) or not case.name.startswith(b"used")

    def take(self, rng, case: Case, way: float) -> tuple[Any, Exception | None]:
        options = {}
        if not case.mutated and way < 0.1:
            options = rng.choice(
                ({"copy": True}, {"copy": False}, {"device": "cuda:0"}, {"device": "cpu:0"})
            )
        if 0.6 <= way < 0.75 and case.versioned:
            case.name = b"dltensor_versioned"
            offered = capsule = Exchanged()
        else:
            offered = capsule = self.library.capsule(case)
            if way >= 0.75:
                offered = Offer(capsule, case.device, rng.randrange(4))
        try:
            return sk.from_dlpack(offered, **options), None
        except (BufferError, ValueError, TypeError) as error:
            # The traceback would keep the capsule alive.
            return None, error.with_traceback(None)

    def judge(self, case: Case, x, error, way: float) -> str | None:
        right = is_right(case, self.arenas)
        if x is None:
            if way < 0.1 and not case.mutated:
                return None  # copy=False and the like, covered by other tests
            return "refused" if right else None
        self.accepted += 1
        if right is False:
            return "accepted"
        dtype = BY_CODE[case.dtype[:2]]
        shape, strides = geometry(case, dtype)
        if x.shape != tuple(shape) or x.dtype != dtype:
            return f"{x.shape} {x.dtype}"
        address = case.data + case.byte_offset
        arena = next(
            (a for a in self.arenas if a.address <= address < a.address + a.host.size), None
        )
        if 0 not in shape and arena is None:
            return None  # arbitrary host memory, which must not be read
        expected = model(arena or self.arenas[0], dtype, shape, strides, address)
        if expected is None:
            return None
        self.compared += 1
        if way < 0.1 and not case.mutated:
            # May be a copy, with other strides.
            values = np.asarray(x if x.device.kind == "cpu" else x.to_device("cpu:0"))
            return None if values.tobytes() == expected.tobytes() else f"values {values}"
        return compare(x, expected)
