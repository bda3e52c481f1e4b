# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""``skerry.guard``: record or reject transfers, waits of the host and allocations."""

from __future__ import annotations

import contextvars
import os
from typing import Any, Literal, NamedTuple, get_args

from skerry import _core

Policy = Literal["allow", "log", "raise"]

_POLICIES = get_args(Policy)
_KINDS = ("transfer", "sync", "allocation")
_DEFAULTS = (1, 1, 0)
_current: contextvars.ContextVar[guard | None] = contextvars.ContextVar(
    "skerry.guard", default=None
)
_ledger: contextvars.ContextVar[Any] = contextvars.ContextVar("skerry.ledger")
_core.use_ledger_context(_ledger, os.path.dirname(__file__) + os.sep)


class GuardEntry(NamedTuple):
    """One transfer, wait of the host or allocation, in a ledger of `guard`."""

    kinds: tuple[str, ...]
    """``"transfer"``, ``"sync"`` (a wait of the host), ``"allocation"``. A copy that waits is a transfer and a sync."""
    function: str | None
    """The function that was called, where known."""
    cause: str
    """What made it necessary, such as ``"copy to the host"``."""
    source: str
    """Device that is copied from; otherwise the device that was waited for, or allocated memory."""
    target: str
    """Device that is copied to."""
    nbytes: int
    """Bytes copied or allocated."""
    pinned: bool
    """Whether the host's memory of a copy is pinned (page-locked). Pageable memory is copied through a buffer."""
    stream: int
    """Handle of the stream; 0 for the work of a whole device."""
    filename: str | None
    """File of the line, outside of skerry, that caused it."""
    line: int
    """Number of the line."""
    waits: int
    """Number of calls of the CUDA runtime that waited."""
    failed: bool
    """Whether it ended with an exception."""
    start: float
    """When it began, in seconds of :func:`time.perf_counter`."""
    seconds: float
    """How long it took on the host."""
    thread: int
    """Identifier of the thread, of :func:`threading.get_ident`."""


def _policy_index(name: str, value: Policy | None) -> int | None:
    if value is None:
        return None
    if not isinstance(value, str):
        raise TypeError(f"guard: {name} must be a str or None, not {type(value).__name__}")
    if value not in _POLICIES:
        raise ValueError(f"guard: no such policy: {name}={value!r}; use 'allow', 'log' or 'raise'")
    return _POLICIES.index(value)


class guard:  # noqa: N801 - as `skerry.device`
    """Context manager that records or rejects transfers, waits of the host and allocations.

    Each policy is ``"raise"``, which raises `GuardError` before anything happens; ``"log"``, which records an entry; or
    ``"allow"``, which does neither. The guard holds for this thread or asyncio task. Guards nest: the innermost one
    decides, and what it does not allow is recorded in the outer guards, too. A guard is used once.

    A wait that skerry needs for its own order of work and can't refuse, such as for a full queue, is recorded under
    ``"raise"``, too.

    Parameters
    ----------
    transfers : str, optional
        Policy for copies between the host and a device, or between two devices. By default that of the enclosing
        guard; without one, ``"log"``.
    syncs : str, optional
        Policy for waits of the host for a device. The default is as for ``transfers``.
    allocations : str, optional
        Policy for allocations of arrays and workspace, on all devices. By default that of the enclosing guard; without
        one, ``"allow"``.

    Raises
    ------
    TypeError, ValueError
        If a policy is not one of the three.
    RuntimeError
        If a guard is entered twice.

    Examples
    --------
    >>> x = sk.ones(3, device="cuda:0")
    >>> with sk.guard() as ledger:
    ...     total = float(sk.sum(x))
    >>> [(entry.cause, entry.nbytes) for entry in ledger.transfers]
    [('copy to the host', 8)]
    >>> with sk.guard(transfers="raise"):
    ...     y = x + 1
    ...     y.to_device("cpu")
    Traceback (most recent call last):
        ...
    skerry.exceptions.GuardError: to_device: ...

    """

    def __init__(
        self,
        *,
        transfers: Policy | None = None,
        syncs: Policy | None = None,
        allocations: Policy | None = None,
    ) -> None:
        self._requested = (
            _policy_index("transfers", transfers),
            _policy_index("syncs", syncs),
            _policy_index("allocations", allocations),
        )
        self._policies = _DEFAULTS
        self._outer: guard | None = None
        self._capsule: Any = None

    def __enter__(self) -> guard:
        if self._capsule is not None:
            raise RuntimeError("guard: a guard can be entered only once; create another one")
        self._outer = _innermost_open(_current.get())
        inherited = _DEFAULTS if self._outer is None else self._outer._policies
        first, second, third = (
            default if policy is None else policy
            for policy, default in zip(self._requested, inherited, strict=True)
        )
        self._policies = (first, second, third)
        outer_capsule = None if self._outer is None else self._outer._capsule
        self._capsule = _core.open_ledger(first, second, third, outer_capsule)
        _set_current(self)
        return self

    def __exit__(self, *error: object) -> None:
        if self._capsule is None:
            raise RuntimeError("guard: the guard was not entered; use it in a with statement")
        # A generator may be closed in another context or order than it was entered, so there is no token to reset.
        _core.close_ledger(self._capsule)
        _set_current(_innermost_open(_current.get()))

    def _entries_of(self, kind: str) -> list[GuardEntry]:
        if self._policies[_KINDS.index(kind)] == 0:
            return []
        return [entry for entry in self.entries if kind in entry.kinds]

    @property
    def entries(self) -> list[GuardEntry]:
        """All recorded entries, in their order."""
        rows = [] if self._capsule is None else _core.read_ledger(self._capsule)
        return [GuardEntry(*row) for row in rows]

    @property
    def transfers(self) -> list[GuardEntry]:
        """The recorded copies between different memories."""
        return self._entries_of("transfer")

    @property
    def syncs(self) -> list[GuardEntry]:
        """The recorded waits of the host, also those that are part of a copy."""
        return self._entries_of("sync")

    @property
    def allocations(self) -> list[GuardEntry]:
        """The recorded allocations."""
        return self._entries_of("allocation")

    def __repr__(self) -> str:
        names = ("transfers", "syncs", "allocations")
        policies = ", ".join(
            f"{name}={_POLICIES[policy]!r}"
            for name, policy in zip(names, self._policies, strict=True)
        )
        return f"<skerry.guard {policies}: {len(self.entries)} entries>"

    def __str__(self) -> str:
        """Return a table with a row for each entry."""
        header = ("kind", "bytes", "from", "to", "memory", "stream", "cause", "function", "line")
        rows: list[tuple[str, ...]] = [header, *map(_table_row, self.entries)]
        widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
        lines = (
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
            for row in rows
        )
        return "\n".join(line.rstrip() for line in lines)


def _table_row(entry: GuardEntry) -> tuple[str, ...]:
    is_transfer = "transfer" in entry.kinds
    memory = ""
    if is_transfer and "cpu" in (entry.source + entry.target):
        memory = "pinned" if entry.pinned else "pageable"
    return (
        "+".join(entry.kinds),
        str(entry.nbytes) if entry.nbytes else "",
        entry.source,
        entry.target if is_transfer else "",
        memory,
        hex(entry.stream) if entry.stream else "",
        entry.cause,
        entry.function or "",
        f"{entry.filename}:{entry.line}" if entry.filename else "",
    )


def recording_guard() -> guard:
    """Return a guard that records transfers and waits, unless the innermost open guard rejects them."""
    outer = _innermost_open(_current.get())
    policies = _DEFAULTS if outer is None else outer._policies
    return guard(
        transfers="raise" if policies[0] == 2 else "log",
        syncs="raise" if policies[1] == 2 else "log",
    )


def _innermost_open(candidate: guard | None) -> guard | None:
    while candidate is not None and not _core.is_ledger_open(candidate._capsule):
        candidate = candidate._outer
    return candidate


def _set_current(innermost: guard | None) -> None:
    _current.set(innermost)
    _ledger.set(None if innermost is None else innermost._capsule)
