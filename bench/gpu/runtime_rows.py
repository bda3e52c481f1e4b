# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""The benchmarks of runtime.py, one function per subject. Each case has several variants. See also memory_rows.py."""

from __future__ import annotations

import dataclasses
import statistics
import time
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import numpy as np
import skerry as sk
from skerry.exceptions import DeviceError

from bench.gpu.exchange import Exchange

BURSTS = 20
#: A loop of 40 operations, which has 20 steps of two.
STEPS = 20
MIB = 1 << 20


@dataclasses.dataclass
class Row:
    """The time of one variant of a case."""

    case: str
    variant: str
    value: float
    unit: str
    check: str = ""  # what is wrong


class Runtime:
    """The device, the number of calls in a burst, and all rows measured so far."""

    def __init__(self, calls: int) -> None:
        self.device = sk.Device("cuda:0")
        sk.synchronize(self.device)  # raises if there is none
        self.calls = calls
        self.rows: list[Row] = []
        self.notes: list[str] = []

    @property
    def is_rehearsed(self) -> bool:
        """Returns whether the device is a rehearsed one."""
        return bool(self.device.info.rehearsal)

    def put(self, host: np.ndarray) -> Any:
        """Copies an array to the device."""
        return sk.asarray(host, device=self.device)

    def host_us(self, call: Callable[[], Any], calls: int | None = None) -> float:
        """Returns the host time of a call in the fastest burst, without waiting for the device."""
        calls = calls or self.calls
        times = []
        for _ in range(BURSTS):
            sk.synchronize(self.device)
            begin = time.perf_counter()
            for _ in range(calls):
                call()
            times.append((time.perf_counter() - begin) * 1e6 / calls)
        sk.synchronize(self.device)
        return min(times)

    def synchronized_us(self, call: Callable[[], Any]) -> float:
        """Returns the median time of a call and the wait for its work."""
        times = []
        for _ in range(BURSTS):
            sk.synchronize(self.device)
            begin = time.perf_counter()
            call()
            sk.synchronize(self.device)
            times.append((time.perf_counter() - begin) * 1e6)
        return statistics.median(times)

    def add(self, case: str, variant: str, microseconds: float, problem: str = "") -> None:
        """Adds a row, in the unit that its case needs."""
        units = [row.unit for row in self.rows if row.case == case]
        unit = units[0] if units else ("us" if microseconds < 1e4 else "ms")
        value = microseconds if unit == "us" else microseconds / 1e3
        self.rows.append(Row(case, variant, value, unit, problem))

    def note(self, subject: str, error: BaseException | str) -> None:
        """Records what could not be measured."""
        first = (str(error).strip().splitlines() or [""])[0][:160]
        kind = "" if isinstance(error, str) else f"{type(error).__name__}: "
        self.notes.append(f"{subject}: {kind}{first}")

    def find(self, case: str, variant: str) -> float | None:
        """Returns the time of a row, or None."""
        values = [row.value for row in self.rows if (row.case, row.variant) == (case, variant)]
        return values[0] if values else None


def difference(actual: Any, expected: np.ndarray, tolerance: float = 0.0) -> str:
    """Returns an empty string if an array has these values, otherwise a message."""
    host = np.asarray(actual.to_device("cpu"))
    if host.shape == expected.shape and np.allclose(host, expected, rtol=tolerance, atol=0):
        return ""
    return f"values differ: {host.reshape(-1)[:3]}, not {expected.reshape(-1)[:3]}"


def wrong_count(kind: str, actual: int, expected: int) -> str:
    """Returns an empty string if the counts are equal, otherwise a message."""
    return "" if actual == expected else f"{actual} {kind}, not {expected}"


# --- subjects -------------------------------------------------------------------------------------


ADD, PUT = "a + a, 1 element", "asarray, 1 element"


def calls(runtime: Runtime) -> None:
    """Measures calls without and with a guard and a profile."""
    host = np.asarray([1.5], np.float32)
    a = runtime.put(host)
    total = BURSTS * runtime.calls

    def measure(
        case: str,
        variant: str,
        call: Callable[[], Any],
        expected: np.ndarray,
        context: Any,
        record: str = "",
    ) -> None:
        with context as recorded:
            microseconds = runtime.host_us(call)
        problem = difference(call(), expected)
        if record:
            problem = problem or wrong_count(record, len(getattr(recorded, record)), total)
        runtime.add(case, variant, microseconds, problem)

    def add() -> Any:
        return a + a

    measure(ADD, "plain", add, host + host, nullcontext())
    measure(ADD, "guard", add, host + host, sk.guard())
    with_entries = sk.guard(syncs="allow", allocations="log")
    measure(ADD, "guard, an entry", add, host + host, with_entries, "allocations")
    measure(ADD, "profile", add, host + host, sk.profile(), "records")
    try:
        measure(ADD, "profile, NVTX", add, host + host, sk.profile(nvtx=True), "records")
    except ModuleNotFoundError as error:
        runtime.note("NVTX ranges", error)

    def put() -> Any:
        return runtime.put(host)

    measure(PUT, "plain", put, host, nullcontext())
    measure(PUT, "guard, an entry", put, host, sk.guard(syncs="allow"), "transfers")
    measure(PUT, "profile", put, host, sk.profile(), "records")


LOOP_HOST, LOOP_TOTAL = "loop of 40 operations, host", "loop of 40 operations, total"


def graphs(runtime: Runtime) -> None:
    """Measures a loop of 40 operations on 16 elements, and its replay as a graph."""
    host = np.arange(16, dtype=np.float32)
    state, velocity = runtime.put(host), runtime.put(host + 1)

    def step(state: Any, velocity: Any) -> Any:
        for _ in range(STEPS):
            state = state + 0.05 * velocity
        return state

    expected = host
    for _ in range(STEPS):
        expected = expected + np.float32(0.05) * (host + 1)
    no_arguments = sk.capture(lambda: step(state, velocity))
    with_arguments = sk.capture(step, state, velocity)
    variants: dict[str, Callable[[], Any]] = {
        "eager": lambda: step(state, velocity),
        "graph": no_arguments,
        "graph, 2 arguments": lambda: with_arguments(state, velocity),
    }
    # A stream's queue has about a thousand places, beyond which a launch waits.
    loops = max(runtime.calls // 10, 1)
    for case, measure in (
        (LOOP_HOST, lambda call: runtime.host_us(call, loops)),
        (LOOP_TOTAL, runtime.synchronized_us),
    ):
        for variant, call in variants.items():
            microseconds = measure(call)
            runtime.add(case, variant, microseconds, difference(call(), expected, 1e-6))


DRAWS_HOST, DRAWS_TOTAL = "20 draws of 1024, host", "20 draws of 1024, total"


def random_numbers(runtime: Runtime) -> None:
    """Measures draws of normal numbers, and their replay as a graph, which must draw the same bits."""

    def draw(rng: Any) -> Any:
        total = rng.standard_normal(1024, dtype="float32")
        for _ in range(STEPS - 1):
            total = total + rng.standard_normal(1024, dtype="float32")
        return total

    eager_rng, rng = (sk.random.default_rng(7, device=runtime.device) for _ in range(2))
    graph = sk.capture(draw, rng)
    variants = {"eager": lambda: draw(eager_rng), "graph": lambda: graph(rng)}
    loops = max(runtime.calls // 10, 1)
    for case, measure in (
        (DRAWS_HOST, lambda call: runtime.host_us(call, loops)),
        (DRAWS_TOTAL, runtime.synchronized_us),
    ):
        drawn: list[np.ndarray] = []
        for variant, call in variants.items():
            microseconds = measure(call)
            result = call()
            drawn.append(np.asarray(result.to_device("cpu")))
            runtime.add(case, variant, microseconds, difference(result, drawn[0]))


def ipc(runtime: Runtime) -> None:
    """Measures the exchange of an array with another process, by its values and by a handle of its memory."""
    host = np.resize(np.arange(251, dtype=np.int32), 4 * MIB)
    x = runtime.put(host)
    expected = int(host.sum(dtype=np.int64))
    try:
        sk.ipc_handle(x)
    except (DeviceError, ValueError) as error:
        runtime.note("memory shared with another process", error)
        return
    rows: dict[tuple[str, str], list[float]] = {}
    problems: dict[tuple[str, str], str] = {}
    case, call_case = "16 MiB to another process", "call of IPC, 16 MiB"

    def keep(case: str, variant: str, seconds: float, problem: str) -> None:
        rows.setdefault((case, variant), []).append(seconds * 1e6)
        problems[case, variant] = problems.get((case, variant), "") or problem

    now = time.perf_counter

    with Exchange() as exchange:
        for round_index in range(6):
            sk.synchronize(runtime.device)
            begin = now()
            reply = exchange.ask(np.asarray(x.to_device("cpu")))
            by_values = now() - begin
            values_problem = wrong_count("as sum", reply.total, expected)
            begin = now()
            handle = sk.ipc_handle(x)
            with_copy = now() - begin
            reply = exchange.ask(handle)
            by_handle = now() - begin
            # The other process has added 1 to its array, which is this one.
            problem = wrong_count("as sum", reply.total, expected)
            problem = problem or difference(handle.array, host + 1)
            begin = now()
            second_handle = sk.ipc_handle(handle.array, copy=False)
            without_copy = now() - begin
            second_handle.close()
            handle.close()
            if round_index == 0:  # the other process starts its device and loads kernels
                continue
            keep(case, "by values", by_values, values_problem)
            keep(case, "by a handle", by_handle, problem)
            keep(call_case, "ipc_handle, a copy", with_copy, problem)
            keep(call_case, "ipc_handle, no copy", without_copy, "")
            keep(call_case, "open_ipc", reply.open_seconds, problem)
    for name, times in rows.items():
        runtime.add(*name, statistics.median(times), problems[name])


SUBJECTS: dict[str, Callable[[Runtime], None]] = {
    subject.__name__: subject for subject in (calls, graphs, random_numbers, ipc)
}
