# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Reports of the emulated GPU, for `skerry.testing.emulated_gpu` and ``python -m skerry sanitize``."""

from __future__ import annotations

import atexit
import ctypes
import functools
import json
import linecache
import os
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from skerry_emulator._paths import folder

Place = tuple[int, int, int]

_NAME = "libskerry_emulator.so"

# How long the end of a program waits for kernels, which may never end.
SECONDS_AT_EXIT = 0.5


@dataclass(frozen=True, repr=False)
class KernelReport:
    """An error of a kernel that ran on the emulated GPU.

    Attributes
    ----------
    kind : str
        Kind of error, such as out_of_bounds, use_after_free, wrong_device, host_pointer, misaligned, uninitialised,
        race_shared, race_global, race_streams, deadlock, synchronisation, never_ends, stack_overflow, assertion, trap,
        collective.
    code : int
        Status that CUDA calls return because of it, such as 700. Races, uninitialised values and missing threads at a
        barrier do not stop a GPU.
    what, text : str
        The error in one line, and the full report.
    device : int
        The ordinal of the CUDA device.
    kernel : str or None
        Name of the kernel in its source.
    block, thread : tuple of int or None
        Indices x, y, z of the thread that caused it.
    file, line : str or None, int or None
        Position in the source, if the kernel was compiled with line information. Of a race between streams: the line
        of the Python program that called the operation; `other` has that of the earlier one.
    source : str or None
        The text of that line, if the file can be read or NVRTC compiled the source.
    instruction : str or None
        The PTX instruction.
    access, allocation, other : dict or None
        The memory access; the nearest allocation, with ``beyond``, the bytes past its end, ``freed``, and, if Python
        code allocated it, ``file``, ``line`` and ``source`` of that code; the other access of a race.
    array : dict or None
        The array of skerry or Numba nearest to the address: ``text``, its dtype and shape, such as "float32 (64,)";
        ``base`` and ``nbytes`` of its memory; ``beyond``, the bytes past its end, or minus those before it, or 0 if it
        is inside.
    waiting : tuple of dict
        Positions of the waiting warps in a deadlock.
    times : int
        Number of occurrences.

    """

    kind: str
    code: int
    what: str
    text: str
    device: int
    kernel: str | None = None
    block: Place | None = None
    thread: Place | None = None
    file: str | None = None
    line: int | None = None
    source: str | None = None
    instruction: str | None = None
    access: dict[str, Any] | None = None
    allocation: dict[str, Any] | None = None
    array: dict[str, Any] | None = None
    other: dict[str, Any] | None = None
    waiting: tuple[dict[str, Any], ...] = field(default=())
    times: int = 1

    @classmethod
    def from_json(cls, entry: dict[str, Any]) -> KernelReport:
        """Convert an object of the library's JSON list."""
        indices: dict[str, Any] = {
            name: tuple(entry[name]) for name in ("block", "thread") if name in entry
        }
        waiting = {"waiting": tuple(entry.get("waiting", ()))}
        if "file" in entry:
            indices["source"] = _source_of(entry)
        for part in ("allocation", "other"):
            if "file" in entry.get(part, {}):
                indices[part] = entry[part] | {"source": _source_of(entry[part])}
        return cls(**(entry | indices | waiting))

    @property
    def place(self) -> str:
        """Position as ``file:line``, else the instruction, else the position of the first waiting warp, else empty."""
        position = _format_position(self.file, self.line, self.instruction)
        return position or next(filter(None, map(_place_of, self.waiting)), "")

    @property
    def other_place(self) -> str:
        """Position of the other access of a race, or the operation that it belongs to."""
        if self.other is None:
            return ""
        return _place_of(self.other) or str(self.other.get("by", ""))

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        position_text = f" at {self.place}" if self.place else ""
        thread_text = (
            f", block {self.block}, thread {self.thread}" if self.thread is not None else ""
        )
        return f"<KernelReport {self.kind} in {self.kernel or 'a copy'}{position_text}{thread_text}: {self.what}>"


def _source_of(entry: dict[str, Any]) -> str | None:
    """Return the text of an entry's line. Python knows the lines of notebooks, which are in no file."""
    text = entry.get("source") or linecache.getline(entry["file"], entry["line"]).strip()
    return str(text) or None


def _format_position(file: str | None, line: int | None, instruction: str | None) -> str:
    return f"{file}:{line}" if line else (instruction or "")


def _place_of(entry: dict[str, Any]) -> str:
    return _format_position(*(entry.get(name) for name in ("file", "line", "instruction")))


class EmulatorLibrary:
    """The emulator's C functions for reports and settings."""

    def __init__(self, path: str) -> None:
        library = ctypes.CDLL(path)
        self._reports = library.skerry_emulator_reports
        self._reports.restype = ctypes.c_size_t
        self._reports.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
        self._count = library.skerry_emulator_report_count
        self._count.restype = ctypes.c_uint64
        self._set = library.skerry_emulator_set
        self._set.restype = ctypes.c_char_p
        self._set.argtypes = [ctypes.c_char_p, ctypes.c_char_p]
        self._clear = library.skerry_emulator_clear_reports
        self._name_array = library.skerry_emulator_name_array
        self._name_array.restype = None
        self._name_array.argtypes = [
            ctypes.c_uint64,
            ctypes.c_size_t,
            ctypes.c_char_p,
            ctypes.c_bool,
        ]
        self._repair = library.skerry_emulator_repair
        self._wait = library.skerry_emulator_wait
        self._check_end = library.skerry_emulator_check_end
        self._notice = library.skerry_emulator_notice
        self._end = library.skerry_emulator_end
        self._end.argtypes = [ctypes.c_double]

    def reports(self) -> list[KernelReport]:
        """Return all reports since the last ``clear()``."""
        capacity = 1 << 16
        while True:
            buffer = ctypes.create_string_buffer(capacity)
            required_size = self._reports(buffer, capacity)
            if required_size <= capacity:
                break
            capacity = 2 * required_size
        return [
            KernelReport.from_json(entry)
            for entry in json.loads(buffer.value.decode(errors="replace"))
        ]

    def count(self) -> int:
        """Count all reports, including those beyond the list's capacity."""
        return int(self._count())

    def clear(self) -> None:
        """Discard the reports."""
        self._clear()

    def set(self, variable: str, value: object) -> None:
        """Set a variable ``SKERRY_EMULATE_*``, ``SKERRY_REHEARSE_MEMORY`` or ``SKERRY_REHEARSE_PEERS`` from now on."""
        problem = self._set(variable.encode(), str(value).encode())
        if problem is not None:
            raise ValueError(problem.decode())

    def name_array(self, address: int, nbytes: int, text: str, *, is_new: bool) -> None:
        """Name an array in reports of kernels: a new one, or one that takes precedence as a kernel may get it."""
        self._name_array(address, nbytes, text.encode(), is_new)

    def wait(self) -> None:
        """Wait for the work of all devices. Does not raise their errors."""
        self._wait()

    def check_end(self) -> None:
        """Report what this thread has left undone at the end of the program."""
        self._check_end()

    def notice(self) -> None:
        """Let the errors of all devices count as noticed: the program has got the reports."""
        self._notice()

    def end(self, seconds: float) -> None:
        """End the program: wait for kernels; exit with status 1, not 0, if no call has returned a kernel's error."""
        self._end(seconds)

    def repair(self) -> None:
        """Clear the sticky errors of lost devices."""
        self._repair()


def path() -> str:
    """Return the path of the emulated GPU's library."""
    return os.path.join(folder(), _NAME)


@functools.cache
def library() -> EmulatorLibrary:
    """Return the emulated GPU's library; load it if necessary."""
    return EmulatorLibrary(path())


def loaded_library() -> EmulatorLibrary | None:
    """Return the emulated GPU's library if this process has loaded it, or None."""
    library_path = path()
    try:
        ctypes.CDLL(library_path, mode=os.RTLD_NOLOAD | os.RTLD_NOW)
    except OSError:
        return None
    return library()


def add_notes(problem: BaseException) -> None:
    """Add the emulated GPU's reports to an exception, which skerry raises, as notes."""
    if (emulator := loaded_library()) is None:
        return
    emulator.notice()
    add_notes_of(problem, emulator.reports())


def add_notes_of(problem: BaseException, reports: Iterable[KernelReport]) -> None:
    """Add reports to an exception as notes, except those that it has already."""
    for report in reports:
        note = f"emulated GPU: device {report.device}: {report.text}"
        if note not in getattr(problem, "__notes__", ()):
            problem.add_note(note)


def report_at_exit() -> None:
    """At process exit, print a table of the remaining reports; fail for errors that the program has not noticed."""
    atexit.register(_report_rest)


def _report_rest() -> None:
    library().end(SECONDS_AT_EXIT)
    if reports := library().reports():
        print(f"skerry: emulated GPU: {len(reports)} reports\n{table(reports)}", file=sys.stderr)


def table(reports: Iterable[KernelReport]) -> str:
    """Format the reports as a table, one line each."""
    rows: list[tuple[str, ...]] = [("kind", "kernel", "where", "other access", "times")]
    rows += [
        (report.kind, report.kernel or "", report.place, report.other_place, str(report.times))
        for report in reports
    ]
    return format_rows(rows)


def format_rows(rows: list[tuple[str, ...]], most: int = 48) -> str:
    """Align cells in columns. Cells with more than `most` characters are cut at their beginning."""
    cut = [
        tuple(cell if len(cell) <= most else "…" + cell[1 - most :] for cell in row) for row in rows
    ]
    widths = [max(len(row[k]) for row in cut) for k in range(len(cut[0]))]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in cut
    ]
    return "\n".join(line.rstrip() for line in lines)
