# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Random numbers in graphs: each replay draws what comes next in the streams of the generators."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from skerry import _core

if TYPE_CHECKING:
    from skerry.random._philox import Philox

_thread = threading.local()


class StreamPart:
    """What one replay draws from a stream: positions count from its beginning."""

    def __init__(self) -> None:
        self.blocks = 0
        self.bases: dict[_core.Device, _core.Array] = {}

    def reserve(self, blocks: int) -> tuple[int, int, int]:
        """Reserve blocks as ``Philox.reserve`` does; the graph's memory has the key."""
        first = self.blocks
        self.blocks += blocks
        return 0, first, 0

    def give_back(self, stream: tuple[int, int, int], blocks: int) -> None:
        """Undo ``reserve``, as ``Philox.give_back`` does."""
        if self.blocks == stream[1] + blocks:
            self.blocks = stream[1]


class CapturedStreams:
    """The streams of random bits that a graph draws from, which it keeps alive.

    A captured kernel counts its position from a state in memory of the graph. A replay reserves a part of each stream,
    and stores where it begins in that memory before the work.
    """

    def __init__(self) -> None:
        self._parts: dict[Philox, StreamPart] = {}
        self._created: set[Philox] = set()

    def __bool__(self) -> bool:
        return bool(self._parts)

    def note_created(self, bits: Philox) -> None:
        """Note that the captured function creates a stream."""
        self._created.add(bits)

    def end_capture(self) -> None:
        """Forget the streams that the captured function created."""
        self._created.clear()

    def part_on(self, device: _core.Device, bits: Philox) -> tuple[StreamPart, _core.Array]:
        """Return the part of a stream, and the memory for its state on a device.

        Raises
        ------
        ValueError
            If the draw can't be repeated by a replay.

        """
        if device.kind != "cuda":
            raise ValueError(
                f"this thread captures a graph, which can't contain random numbers on {device}, whose work is done "
                "when a call returns; create the generator on a CUDA device"
            )
        if bits in self._created:
            raise ValueError(
                "a captured function can't draw from a generator that it creates, since a replay does not create it "
                "again; create it before the capture"
            )
        part = self._parts.setdefault(bits, StreamPart())
        if device not in part.bases:
            part.bases[device] = _core.empty((3,), dtype=np.uint64, device=device)
        return part, part.bases[device]

    def replay(self, launch: Callable[[], None]) -> None:
        """Reserve a part of each stream, and launch the work that draws from it."""
        reserved = []
        try:
            for bits, part in self._parts.items():
                stream = bits.reserve(part.blocks)
                reserved.append((bits, stream, part.blocks))
                for base in part.bases.values():
                    _core.store_random_state(base, stream)
            launch()
        except BaseException:
            for bits, stream, blocks in reserved:
                bits.give_back(stream, blocks)
            raise


def captured_streams() -> CapturedStreams | None:
    """Return the streams of the graph that this thread captures; None if there is none."""
    return getattr(_thread, "streams", None)


@contextlib.contextmanager
def use_captured_streams(streams: CapturedStreams | None) -> Iterator[None]:
    """Make this thread's draws part of a graph; None: of no graph."""
    previous = captured_streams()
    _thread.streams = streams
    try:
        yield
    finally:
        _thread.streams = previous


def note_created_stream(bits: Philox) -> None:
    """Note that a stream was created, which a captured function can't draw from."""
    streams = captured_streams()
    if streams is not None:
        streams.note_created(bits)


def reject_state_in_capture() -> None:
    """Raise ValueError in a captured function, which is about to change the state of a stream."""
    if captured_streams() is not None:
        raise ValueError(
            "a captured function can't set the state of a generator, since a replay does not set it again; set it "
            "before the replay"
        )
