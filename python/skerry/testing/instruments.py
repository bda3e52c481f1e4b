# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Instruments for skerry's own tests: fault injection, delays, counters and introspection.

This module is not public: it exposes internals and changes between releases without deprecation. Tests import from here
what they need of the extension module.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

from skerry import _core
from skerry._core import (
    array_function,
    built_dtypes,
    counted_cuda_calls,
    cuda_was_used,
    draw,
    dtype_kinds,
    fused_pass_counts,
    fused_work,
    instruction_set,
    instruction_sets,
    is_managed,
    is_page_locked,
    is_pinned,
    is_writable,
    op_table,
    order_statistics,
    page_locks,
    reduction_table,
    rehearsed_traffic,
    scatter_reduce,
    set_current_stream,
    transfers,
    waiting_cuda_calls,
)
from skerry._memory_snapshot import PACKAGE_FOLDER, start_trace

__all__ = [
    "Fault",
    "ForeignGraph",
    "array_function",
    "backend_registry",
    "built_dtypes",
    "captured_stream",
    "counted_cuda_calls",
    "cuda_was_used",
    "delay_work",
    "delayed_work",
    "devices_without_float64",
    "draw",
    "dtype_kinds",
    "extension_names",
    "extension_path",
    "extension_types",
    "fail_cuda_call",
    "failing_allocation",
    "failing_cuda_call",
    "fused_pass_counts",
    "fused_work",
    "instruction_set",
    "instruction_sets",
    "is_managed",
    "is_page_locked",
    "is_pinned",
    "is_tracing_memory",
    "is_writable",
    "op_table",
    "order_statistics",
    "page_locks",
    "recorded_from",
    "reduction_table",
    "rehearsed_calls",
    "rehearsed_contexts",
    "rehearsed_traffic",
    "scatter_reduce",
    "set_current_stream",
    "set_rehearsed_device",
    "slowed_waits",
    "traced_memory",
    "transfers",
    "waiting_cuda_calls",
    "watched_passes",
]


#: The capsule through which a C++ library registers a kind of device.
backend_registry: Any = vars(_core)["_backend_registry"]


class Fault:
    """An injected fault: the k-th call of some kind in the body of ``with`` fails; none if k is 0."""

    def __init__(self, k: int, count: Callable[[], int]) -> None:
        self._k = k
        self._count = count

    @property
    def was_met(self) -> bool:
        """Whether the body has reached that call."""
        return self._count() >= self._k

    def _end(self) -> None:
        count = self._count()
        self._count = lambda: count


@contextlib.contextmanager
def traced_memory() -> Iterator[None]:
    """Trace memory in the body, from nothing on, as with SKERRY_TRACE_MEMORY=1."""
    was_tracing = is_tracing_memory()
    start_trace()
    try:
        yield
    finally:
        _core.trace_memory(was_tracing, PACKAGE_FOLDER)


def is_tracing_memory() -> bool:
    """Whether the lines that create arrays are recorded."""
    return _core.traced_blocks() is not None


@contextlib.contextmanager
def failing_allocation(k: int = 1, *, from_then_on: bool = False) -> Iterator[Fault]:
    """Make the k-th allocation of the body fail, on any device; with ``from_then_on`` also all later ones."""
    fault = Fault(k, _core.counted_allocations)
    _core.fail_allocation(k, from_then_on)
    try:
        yield fault
    finally:
        fault._end()
        _core.fail_allocation(0)


def fail_cuda_call(k: int, status: int, *, is_sticky: bool = False) -> None:
    """Make the k-th CUDA call from now on return ``status``, on rehearsed devices.

    If it is sticky, all later calls for that device return it, too: the device is lost.
    """
    _core.rehearsal_fail_call(k, status, is_sticky)


@contextlib.contextmanager
def failing_cuda_call(k: int, status: int, *, is_sticky: bool = False) -> Iterator[Fault]:
    """Make the k-th CUDA call of the body fail, as `fail_cuda_call` does; the device recovers at the end."""
    fault = Fault(k, _core.rehearsal_calls)
    fail_cuda_call(k, status, is_sticky=is_sticky)
    try:
        yield fault
    finally:
        fault._end()
        fail_cuda_call(0, 0)


def rehearsed_calls() -> int:
    """Return the number of CUDA calls on rehearsed devices since `fail_cuda_call`, or since the start."""
    return _core.rehearsal_calls()


@contextlib.contextmanager
def devices_without_float64() -> Iterator[None]:
    """Take float64 and complex128 from rehearsed devices in the body, as SKERRY_REHEARSE_FLOAT64=0 does."""
    _core.rehearse_float64(False)
    try:
        yield
    finally:
        _core.rehearse_float64(True)


def delay_work(seconds: float, most: float | None = None) -> None:
    """Delay all work that is submitted to rehearsed devices from now on.

    With ``most`` each delay is random, between the two.
    """
    _core.rehearsal_delay(round(seconds * 1e6), None if most is None else round(most * 1e6))


@contextlib.contextmanager
def delayed_work(seconds: float, most: float | None = None) -> Iterator[None]:
    """Delay the work that is submitted to rehearsed devices in the body, as `delay_work` does."""
    delay_work(seconds, most)
    try:
        yield
    finally:
        delay_work(0)


@contextlib.contextmanager
def slowed_waits(seconds: float) -> Iterator[None]:
    """Slow down the CUDA calls in the body that `waiting_cuda_calls` lists, while `count_cuda_calls` is active."""
    _core.slow_waiting_cuda_calls(round(seconds * 1e6))
    try:
        yield
    finally:
        _core.slow_waiting_cuda_calls(0)


@contextlib.contextmanager
def captured_stream(handle: int) -> Iterator[None]:
    """Mark a stream of a rehearsed device as being captured into a graph, as by another library."""
    _core.rehearsal_set_captured(handle)
    try:
        yield
    finally:
        _core.rehearsal_set_captured(0)


class ForeignGraph:
    """A graph into which another library captures a stream of a rehearsed device."""

    def __init__(self, handle: int) -> None:
        self._handle = handle
        self._graph = 0
        _require_success(_core.rehearsal_begin_capture(handle))

    def end_capture(self) -> None:
        """End the capture."""
        status, self._graph = _core.rehearsal_end_capture(self._handle)
        _require_success(status)

    def launch(self, handle: int) -> None:
        """Launch the graph on a stream."""
        _require_success(_core.rehearsal_launch_graph(self._graph, handle))

    def destroy(self) -> None:
        """Destroy the graph, which may still be running."""
        _require_success(_core.rehearsal_destroy_graph(self._graph))


def _require_success(status: int) -> None:
    if status != 0:
        raise RuntimeError(f"status {status}")


def set_rehearsed_device(ordinal: int) -> int:
    """Call ``cudaSetDevice`` on rehearsed GPUs, as another library does; return the status."""
    return _core.rehearsal_set_device(ordinal)


def rehearsed_contexts() -> list[int]:
    """Return the ordinals of the rehearsed GPUs that have a context."""
    return _core.rehearsal_contexts()


@contextlib.contextmanager
def recorded_from(nbytes: int) -> Iterator[int]:
    """Set the minimum size of results that fused functions record; yield the previous limit."""
    usual_nbytes = _core.least_recorded(nbytes)
    try:
        yield usual_nbytes
    finally:
        _core.least_recorded(usual_nbytes)


@contextlib.contextmanager
def watched_passes(
    watcher: Callable[[int, tuple[int, ...], int, int, bool, int], object],
) -> Iterator[None]:
    """Call a function at each pass of fused functions, as ``skerry.fuse.explain`` does."""
    _core.watch_passes(watcher)
    try:
        yield
    finally:
        _core.watch_passes(None)


def extension_names() -> set[str]:
    """Return the names that the extension module exports to ``skerry``."""
    return set(_core.__all__)


def extension_types() -> dict[str, type]:
    """Return the types of the extension module by name."""
    return {name: value for name, value in vars(_core).items() if isinstance(value, type)}


def extension_path() -> str:
    """Return the path of the extension module."""
    return str(_core.__file__)
