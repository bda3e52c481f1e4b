# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""``skerry.memory_snapshot``: which line created each block of memory, and a picture of blocks over time."""

from __future__ import annotations

import html
import os
from typing import Any, NamedTuple

from skerry import _core

PACKAGE_FOLDER = os.path.dirname(__file__) + os.sep
_WIDTH, _HEIGHT = 900, 320
_MAX_SHAPES = 5000
_COLORS = ("#4c78a8", "#f58518", "#54a24b", "#b279a2", "#e45756", "#72b7b2", "#9d755d", "#eeca3b")


class MemoryBlock(NamedTuple):
    """One block of memory, in a `MemorySnapshot`."""

    device: str
    """Its device."""
    kind: str
    """``"array"``, ``"pinned"`` (page-locked host memory), ``"managed"`` or ``"imported"`` (of another library)."""
    address: int
    """Where it begins."""
    nbytes: int
    """Its size."""
    function: str | None
    """The function that created it, where known."""
    filename: str | None
    """File of the line, outside of skerry, that created it."""
    line: int
    """Number of the line; 0 if unknown."""
    start: float
    """Time of its creation, in seconds since the trace began."""
    end: float | None
    """Time when it was freed; None while it is live."""

    @property
    def state(self) -> str:
        """``"live"`` or ``"freed"``."""
        return "live" if self.end is None else "freed"

    @property
    def location(self) -> str:
        """File and number of the line."""
        return f"{self.filename or '?'}:{self.line}"


class MemoryEvent(NamedTuple):
    """The creation or the end of a block, in a `MemorySnapshot`."""

    time: float
    """In seconds since the trace began."""
    action: str
    """``"allocate"`` or ``"free"``."""
    block: MemoryBlock
    """The block."""


class MemorySnapshot:
    """Blocks of memory since the trace began: what `memory_snapshot` returns. Notebooks show its picture."""

    blocks: list[MemoryBlock]
    """In the order of their creation; of the freed ones, the last 100,000."""
    time: float
    """When the snapshot was taken, in seconds since the trace began."""

    def __init__(self, blocks: list[MemoryBlock], time: float) -> None:
        self.blocks = blocks
        self.time = time

    @property
    def events(self) -> list[MemoryEvent]:
        """Creations and ends of the blocks, in the order of time."""
        events = [MemoryEvent(block.start, "allocate", block) for block in self.blocks]
        events += [
            MemoryEvent(block.end, "free", block) for block in self.blocks if block.end is not None
        ]
        return sorted(events, key=lambda event: event.time)

    def lines(self) -> dict[str, int]:
        """Return the live bytes of each line, the largest first."""
        totals: dict[str, int] = {}
        for block in self.blocks:
            if block.end is None:
                totals[block.location] = totals.get(block.location, 0) + block.nbytes
        return dict(sorted(totals.items(), key=lambda item: -item[1]))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the picture as an HTML page, which needs no other file."""
        head = '<!DOCTYPE html><html><head><meta charset="utf-8"><title>Memory</title></head>'
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"{head}<body>{self._repr_html_()}</body></html>")

    def __repr__(self) -> str:
        live = [block for block in self.blocks if block.end is None]
        nbytes = sum(block.nbytes for block in live)
        freed_count = len(self.blocks) - len(live)
        return f"<MemorySnapshot: {nbytes} bytes in {len(live)} live blocks, {freed_count} freed>"

    def _repr_html_(self) -> str:
        devices = sorted({block.device for block in self.blocks})
        return "".join(_picture(device, self._select(device), self.time) for device in devices)

    def _select(self, device: str) -> list[MemoryBlock]:
        return [block for block in self.blocks if block.device == device]


def _positions(blocks: list[MemoryBlock]) -> list[int]:
    """Return for each block the lowest position, in bytes, where it overlaps no other during its life."""
    positions: list[int] = []
    current: list[tuple[int, int, float]] = []  # position, end, time of the end
    for block in blocks:
        current = [entry for entry in current if entry[2] > block.start]
        position = 0
        for begin, end, _ in sorted(current):
            if position + block.nbytes <= begin:
                break
            position = max(position, end)
        end_time = float("inf") if block.end is None else block.end
        current.append((position, position + block.nbytes, end_time))
        positions.append(position)
    return positions


def _picture(device: str, blocks: list[MemoryBlock], time: float) -> str:
    """Draw the blocks of a device: time to the right, bytes upwards, a color for each line of the program."""
    largest = sorted(blocks, key=lambda block: -block.nbytes)[:_MAX_SHAPES]
    note = "" if len(largest) == len(blocks) else f"; the {_MAX_SHAPES} largest blocks"
    blocks = sorted(largest, key=lambda block: block.start)
    positions = _positions(blocks)
    height = max(position + block.nbytes for position, block in zip(positions, blocks, strict=True))
    begin = blocks[0].start
    span = (time - begin) or 1.0
    locations = list(dict.fromkeys(block.location for block in blocks))
    colors = {location: _COLORS[i % len(_COLORS)] for i, location in enumerate(locations)}
    shapes = []
    for position, block in zip(positions, blocks, strict=True):
        end = time if block.end is None else block.end
        x = (block.start - begin) / span * _WIDTH
        width = max((end - block.start) / span * _WIDTH, 0.5)
        y = _HEIGHT - (position + block.nbytes) / height * _HEIGHT
        title = (
            f"{block.location}\n{block.function or ''}\n"
            f"{block.nbytes} bytes, {block.kind}, {block.state}, address {block.address:#x}"
        )
        shapes.append(
            f'<rect x="{x:.2f}" y="{y:.2f}" width="{width:.2f}" height="{block.nbytes / height * _HEIGHT:.2f}" '
            f'fill="{colors[block.location]}" stroke="white" stroke-width="0.3">'
            f"<title>{html.escape(title)}</title></rect>"
        )
    legend = "".join(
        f'<div><span style="background:{color}">&nbsp;&nbsp;&nbsp;</span> {html.escape(location)}</div>'
        for location, color in colors.items()
    )
    return (
        f'<figure style="font-family:sans-serif">'
        f"<figcaption>{device}: {height} bytes at most, {span:.3g} s{note}</figcaption>"
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" width="100%" style="background:#f4f4f4">{"".join(shapes)}</svg>'
        f"{legend}</figure>"
    )


def start_trace() -> None:
    """Begin the trace of memory: called at import if SKERRY_TRACE_MEMORY is 1."""
    _core.trace_memory(True, PACKAGE_FOLDER)


def memory_snapshot(device: Any = None) -> MemorySnapshot:
    """Return the blocks of memory that arrays have had since the start, with the lines that created them.

    Needs ``SKERRY_TRACE_MEMORY=1`` in the environment when skerry is imported. Without it nothing is recorded, and
    allocations cost nothing more.

    Parameters
    ----------
    device : Device or str, optional
        None: all devices.

    Returns
    -------
    MemorySnapshot
        With ``blocks``, ``events``, ``lines()`` and ``save(path)``, which writes a picture of the blocks over time.

    Raises
    ------
    RuntimeError
        Without ``SKERRY_TRACE_MEMORY=1``.

    """
    name = None if device is None else str(_core.as_device(device))
    traced = _core.traced_blocks()
    if traced is None:
        raise RuntimeError(
            "memory_snapshot: memory is not traced; set SKERRY_TRACE_MEMORY=1 in the environment before Python starts"
        )
    rows, time = traced
    blocks = [MemoryBlock(*row) for row in rows]
    return MemorySnapshot([block for block in blocks if name in (None, block.device)], time)
