# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""``skerry.profile``: the time of each call on the host and on its device."""

from __future__ import annotations

import contextvars
import importlib
import json
import os
from collections.abc import Iterator
from typing import Any, NamedTuple

from skerry import _core, _guard

_current: contextvars.ContextVar[profile | None] = contextvars.ContextVar(
    "skerry.profile", default=None
)
_records: contextvars.ContextVar[Any] = contextvars.ContextVar("skerry.profile_records")
_core.use_profile_context(_records)


class ProfileRecord(NamedTuple):
    """One call, in the records of `profile`. Times are in seconds, and begin at that of :func:`time.perf_counter`."""

    function: str
    """The function that was called; ``"fuse"`` for the operations that a fused function computes together."""
    operations: tuple[str, ...]
    """The operations of a fused function; otherwise empty."""
    dtype: str | None
    """Dtype of the result, or of the first array among the arguments if the result is not an array."""
    shape: tuple[int, ...]
    """Shape of the same array."""
    device: str
    """Device on which the call works."""
    stream: int
    """Handle of the device's current stream; 0 for a CPU."""
    nbytes: int
    """Bytes of the arrays that the call reads and writes; 0 if the result is a view."""
    start: float
    """When the call began."""
    host_seconds: float
    """Time until the call returned."""
    device_start: float
    """When the device began; on a CPU, when the call did."""
    device_seconds: float
    """Time until the device had done the work; on a CPU, ``host_seconds``."""
    thread: int
    """Identifier of the thread, of :func:`threading.get_ident`."""
    filename: str | None
    """File of the line, outside of skerry, that called."""
    line: int
    """Number of the line."""
    failed: bool
    """Whether the call raised."""


class profile:  # noqa: N801 - as `skerry.guard`
    """Context manager that records the time of each call, on the host and on its device.

    It holds for this thread or asyncio task. Profiles nest; each one records. A profile is used once. Time on a device
    is that between two events on the current stream; on a rehearsed device it is the time of the thread that simulates
    it, and on a CPU that of the host. Reading the records waits for the work.

    A function that skerry computes by several others is one record. A function decorated with `fuse` gives a record
    ``"fuse"`` for the operations that are computed together. The copies and waits of the calls are entries of
    ``ledger``.

    Parameters
    ----------
    nvtx : bool
        Also make an NVTX range for each call, which NVIDIA's profilers show, by the package ``nvtx``. With
        ``SKERRY_NVTX=1`` all calls of a process have ranges, without a profile.

    Raises
    ------
    ModuleNotFoundError
        If ``nvtx`` is requested, but not installed.
    TypeError
        If ``nvtx`` is not a bool.
    RuntimeError
        If a profile is entered twice.

    Examples
    --------
    >>> x = sk.ones((300, 200), device="cuda:0")
    >>> with sk.profile() as profile:
    ...     y = sk.exp(x) + 1
    >>> [(record.function, record.device, record.nbytes) for record in profile.records]
    [('exp', 'cuda:0', 960000), ('add', 'cuda:0', 960000)]
    >>> all(record.device_seconds > 0 for record in profile.records)
    True

    """

    def __init__(self, *, nvtx: bool = False) -> None:
        if not isinstance(nvtx, bool):
            raise TypeError(f"profile: nvtx must be a bool, not {type(nvtx).__name__}")
        if nvtx:
            _use_nvtx()
        self._nvtx = nvtx
        self._outer: profile | None = None
        self._capsule: Any = None
        self._ledger: _guard.guard | None = None

    def __enter__(self) -> profile:
        if self._capsule is not None:
            raise RuntimeError("profile: a profile can be entered only once; create another one")
        self._outer = _innermost_open(_current.get())
        outer_capsule = None
        if self._outer is not None:
            outer_capsule = self._outer._capsule
            self._nvtx = self._nvtx or self._outer._nvtx
        self._ledger = _guard.recording_guard().__enter__()
        self._capsule = _core.open_profile(self._nvtx, outer_capsule)
        _set_current(self)
        return self

    def __exit__(self, *error: object) -> None:
        if self._capsule is None or self._ledger is None:
            raise RuntimeError("profile: the profile was not entered; use it in a with statement")
        # As for guards, there is no token to reset.
        _core.close_profile(self._capsule)
        self._ledger.__exit__(*error)
        _set_current(_innermost_open(_current.get()))

    @property
    def records(self) -> list[ProfileRecord]:
        """The recorded calls, in the order in which they returned."""
        rows = [] if self._capsule is None else _core.read_profile(self._capsule)
        return [ProfileRecord(*row) for row in rows]

    @property
    def ledger(self) -> list[_guard.GuardEntry]:
        """The transfers and waits of the host, as in the ledger of `guard`."""
        return [] if self._ledger is None else self._ledger.entries

    def table(self) -> str:
        """Return a table by operation and device, with the longest device time first.

        Returns
        -------
        str
            A header, and a line for each operation and device.

        """
        sums: dict[tuple[str, str], list[float]] = {}
        for record in self.records:
            row = sums.setdefault((_label(record), record.device), [0, 0, 0, 0])
            values = (1, record.host_seconds, record.device_seconds, record.nbytes)
            for column, value in enumerate(values):
                row[column] += value
        ordered = sorted(sums.items(), key=lambda item: -item[1][2])
        rows = [("operation", "device", "calls", "host ms", "device ms", "MB", "GB/s")]
        for (label, device), (calls, host, on_device, nbytes) in ordered:
            rate = f"{nbytes / on_device / 1e9:.1f}" if nbytes and on_device > 0 else ""
            times = (f"{host * 1e3:.3f}", f"{on_device * 1e3:.3f}")
            rows.append((label, device, str(calls), *times, f"{nbytes / 1e6:.3f}", rate))
        widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
        lines = (
            "  ".join(
                cell.ljust(width) if column < 2 else cell.rjust(width)
                for column, (cell, width) in enumerate(zip(row, widths, strict=True))
            )
            for row in rows
        )
        return "\n".join(line.rstrip() for line in lines)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a trace in Chrome's format, which Perfetto (https://ui.perfetto.dev) opens.

        The process ``host`` has a row for each thread, with the calls and, inside of them, transfers and waits. Each
        device is a process with a row for each stream.

        Parameters
        ----------
        path : str or path
            The file, usually ``….json``.

        """
        events = [*_trace_events(self.records, self.ledger)]
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"traceEvents": events, "displayTimeUnit": "ns"}, file)

    def __repr__(self) -> str:
        return f"<skerry.profile: {len(self.records)} records>"

    def __str__(self) -> str:
        """Return the table."""
        return self.table()


def _label(record: ProfileRecord) -> str:
    if not record.operations:
        return record.function
    return f"{record.function}({', '.join(record.operations)})"


class _Rows:
    """Numbers for the processes and rows of a trace, by their names."""

    def __init__(self) -> None:
        self._processes: dict[str, int] = {}
        self._threads: dict[tuple[int, str], int] = {}

    def find(self, process: str, row: str) -> dict[str, int]:
        pid = self._processes.setdefault(process, len(self._processes))
        return {"pid": pid, "tid": self._threads.setdefault((pid, row), len(self._threads))}

    def names(self) -> Iterator[dict[str, Any]]:
        for name, pid in self._processes.items():
            yield {"ph": "M", "name": "process_name", "pid": pid, "args": {"name": name}}
        for (pid, name), tid in self._threads.items():
            event = {"ph": "M", "name": "thread_name", "pid": pid, "tid": tid}
            yield {**event, "args": {"name": name}}


def _trace_events(
    records: list[ProfileRecord], entries: list[_guard.GuardEntry]
) -> Iterator[dict[str, Any]]:
    rows = _Rows()

    def span(row: dict[str, int], name: str, start: float, seconds: float) -> dict[str, Any]:
        return {"ph": "X", "name": name, "ts": start * 1e6, "dur": seconds * 1e6, **row}

    for record in records:
        arguments = {
            name: value
            for name, value in record._asdict().items()
            if name not in ("start", "device_start", "thread")
        }
        host = rows.find("host", f"thread {record.thread}")
        event = span(host, _label(record), record.start, record.host_seconds)
        yield {**event, "cat": "call", "args": arguments}
        if record.stream:
            device = rows.find(record.device, f"stream {record.stream:#x}")
            event = span(device, _label(record), record.device_start, record.device_seconds)
            yield {**event, "cat": "device", "args": arguments}
    for entry in entries:
        host = rows.find("host", f"thread {entry.thread}")
        event = span(host, entry.cause, entry.start, entry.seconds)
        yield {**event, "cat": "+".join(entry.kinds), "args": entry._asdict()}
    yield from rows.names()


def _use_nvtx() -> None:
    """Let C++ make ranges in the domain ``skerry`` of NVTX."""
    try:
        nvtx: Any = importlib.import_module("nvtx")
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "profile: NVTX ranges need the package nvtx: pip install nvtx", name="nvtx"
        ) from error
    domain = nvtx.get_domain("skerry")

    def push(text: str) -> None:
        domain.push_range(domain.get_event_attributes(message=text))

    _core.use_nvtx(push, domain.pop_range)


def profile_process() -> None:
    """Make NVTX ranges for all calls of the process: SKERRY_NVTX=1."""
    _use_nvtx()
    _core.profile_process()


def _innermost_open(candidate: profile | None) -> profile | None:
    while candidate is not None and not _core.is_profile_open(candidate._capsule):
        candidate = candidate._outer
    return candidate


def _set_current(innermost: profile | None) -> None:
    _current.set(innermost)
    _records.set(None if innermost is None else innermost._capsule)
