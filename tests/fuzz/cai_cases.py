# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Random CUDA array interfaces, from well-formed ones to noise, with the expected outcome of each."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import skerry as sk

from tests.fuzz.arenas import EDGES, Arena, compare, model, well_formed

REFUSED = (BufferError, ValueError, TypeError, OverflowError, NotImplementedError)


class Stubborn:
    """Raises if used as a number."""

    def __index__(self):
        raise ZeroDivisionError("index")


class Owner:
    """An owner of memory whose destruction is counted."""

    gone = 0

    def __del__(self):
        Owner.gone += 1


def noise(rng) -> Any:
    """Draw an arbitrary object."""
    return rng.choice(
        (
            None, True, False, -1, 0, 1, 2, 3.0, float("nan"), 1j, "", "<f8", "1", b"1", (), [], {},
            (1, 2), [1, 2], (0, False), (None, False), (0,), (1, 2, 3), object, Stubborn(),
            np.int64(3), np.float64(3), np.array([1, 2]), 2**63, 2**64, 2**64 - 1, -(2**63), 10**30,
            rng.choice(EDGES), rng.getrandbits(64), (rng.getrandbits(64), False), range(3),
            (rng.choice(EDGES), rng.choice(EDGES)),
        )
    )  # fmt: skip


TYPESTRS = [
    "<f8",
    "<f4",
    "|b1",
    "|i1",
    "<u2",
    "<c16",
    "|u1",
    ">f8",
    ">u1",
    "=f8",
    "<f2",
    "<f3",
    "<i3",
]
TYPESTRS += [
    "|V8",
    "|O8",
    "<M8",
    "<U4",
    "|S0",
    "|V0",
    "<fX",
    "f8",
    "float64",
    "<",
    "f",
    "<f88",
    "<f-8",
]


class Fuzzer:
    """Runs cases."""

    def __init__(self) -> None:
        self.arenas = [
            Arena.allocate("cuda:0"),
            Arena.allocate("cuda:1"),
            Arena.allocate("cpu:0", pinned=True),
        ]
        self.host = Arena.allocate("cpu:0")
        self.streams = {a.device: sk.Stream(a.device) for a in self.arenas[:2]}
        self.accepted = self.compared = 0

    def plain(self, rng) -> tuple[dict[str, Any], Arena]:
        """Return the description of a well-formed array, and its arena."""
        s = well_formed(rng, self.arenas)
        empty = 0 in s.shape
        c_order = not empty and s.strides == c_strides(s.shape, s.dtype.itemsize)
        address = rng.choice((0, s.arena.address)) if empty else s.arena.address + s.offset
        version = rng.choice((0, 1, 2, 3, 3, 3))
        about: dict[str, Any] = {
            "shape": tuple(s.shape),
            "typestr": s.dtype.str,
            "data": (address, rng.random() < 0.2),
            "version": version,
        }
        if not c_order or rng.random() < 0.5:
            about["strides"] = tuple(s.strides)
        elif rng.random() < 0.5:
            about["strides"] = None
        if rng.random() < 0.3:
            about["descr"] = rng.choice((None, [("", s.dtype.str)]))
        if rng.random() < 0.2:
            about["mask"] = None
        if version == 3:
            streams = (None, 1, 2)
            if s.arena.code == 2 and not empty:
                streams += (self.streams[s.arena.device].handle,)
            about["stream"] = rng.choice(streams)
        if rng.random() < 0.1:
            about["extra"] = noise(rng)
        return about, s.arena

    def mutate(self, rng, about: dict[str, Any]) -> None:
        """Change or remove one entry."""
        key = rng.choice(("shape", "shape", "strides", "strides", "typestr", "data", "data", "version",
                          "stream", "mask", "descr"))  # fmt: skip
        kind = rng.randrange(4)
        if kind == 0:
            about[key] = noise(rng)
        elif kind == 1 and rng.random() < 0.3:
            about.pop(key, None)
        elif key in ("shape", "strides") and isinstance(about.get(key), tuple) and about[key]:
            values = list(about[key])
            index = rng.randrange(len(values))
            values[index] = rng.choice((rng.choice(EDGES), noise(rng), -1, 0, 1, 4, 100))
            if rng.random() < 0.2:
                values.append(rng.choice(EDGES))
            about[key] = rng.choice((tuple, list))(values)
        elif key == "typestr":
            about[key] = rng.choice(TYPESTRS)
        elif key == "data" and isinstance(about.get("data"), tuple) and len(about["data"]) == 2:
            address, read_only = about["data"]
            if isinstance(address, int):
                move = rng.choice((1, 4, 8, -8, 4095, 4096, -4096, rng.choice(EDGES)))
                about[key] = (rng.choice((address + move, self.host.address)), read_only)
        elif key == "stream":
            about[key] = rng.choice((0, -1, 1, 2, 3, "1", True, rng.getrandbits(48), 2**64))
        elif key == "version":
            about[key] = rng.choice((-1, 0, 1, 2, 3, 4, 99, "3", True, None))

    def run(self, rng) -> str | None:
        """Run a random case; return what went wrong, or None."""
        about, _ = self.plain(rng)
        kind = rng.random()
        for _ in range(0 if kind < 0.45 else 1 if kind < 0.8 else rng.randrange(2, 6)):
            self.mutate(rng, about)
        old_description = dict(about)
        owner, gone = Owner(), Owner.gone
        x = error = None
        try:
            x = sk.from_cuda_array_interface(about, owner)
        except REFUSED as caught:
            error = caught.with_traceback(None)
        except ZeroDivisionError as caught:
            error = caught.with_traceback(None)
            if not any(holds_stubborn(v) for v in about.values()):
                return f"{error!r}; {old_description}"
        wrong = "refused" if error is not None and kind < 0.45 else None
        if x is not None:
            wrong = self.judge(about, x)
        if wrong is None and list(about) != list(old_description):
            wrong = "the description was changed"
        del owner
        if wrong is None and x is not None and Owner.gone != gone:
            wrong = "the owner was destroyed before the array"
        del x
        if wrong is None and Owner.gone != gone + 1:
            wrong = f"the owner was destroyed {Owner.gone - gone} times"
        return f"{wrong}; {old_description}; {error!r}" if wrong else None

    def judge(self, about: dict[str, Any], x) -> str | None:
        """Check that the accepted array equals NumPy's."""
        self.accepted += 1
        if about.get("mask") is not None:
            return "accepted despite a mask"
        dtype = np.dtype(about["typestr"])
        shape = [operator.index(n) for n in about["shape"]]
        raw_strides = about.get("strides")
        strides = (
            c_strides(shape, dtype.itemsize)
            if raw_strides is None
            else [operator.index(n) for n in raw_strides]
        )
        if any(n < 0 for n in shape) or len(shape) != len(strides):
            return "accepted"
        if 0 in shape:
            self.compared += 1
            return None if x.shape == tuple(shape) and x.dtype == dtype else f"{x.shape} {x.dtype}"
        address = operator.index(about["data"][0])
        if address % dtype.alignment:
            return "accepted a misaligned pointer"
        arena = next(
            (a for a in self.arenas if a.address <= address < a.address + a.host.size), None
        )
        if arena is None:
            return None if x.shape == tuple(shape) else "shape"
        if str(x.device) != arena.device:
            return f"on {x.device}, not {arena.device}"
        expected = model(arena, dtype, shape, strides, address)
        if expected is None:
            return None
        self.compared += 1
        return compare(x, expected)


def holds_stubborn(value: Any) -> bool:
    return isinstance(value, Stubborn) or (
        isinstance(value, (tuple, list)) and any(isinstance(v, Stubborn) for v in value)
    )


def c_strides(shape: list[int], width: int) -> list[int]:
    strides = []
    for n in reversed(shape):
        strides.append(width)
        width *= max(n, 1)
    return strides[::-1]
