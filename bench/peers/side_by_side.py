# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Paired timing of two libraries in one process: interleaved repeats, the best of each, checked results."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import platform
import statistics
import subprocess
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np


@dataclasses.dataclass
class Row:
    """A benchmark: seconds per call of both libraries, the goal, and whether it is reached."""

    name: str
    ours: float
    peer: float
    goal: str
    reached: bool
    note: str = ""

    @property
    def speedup(self) -> float:
        """The speed relative to the peer."""
        return self.peer / self.ours


def seconds_per_call(call: Callable[[], Any], number: int) -> float:
    """Returns the seconds per call, averaged over ``number`` successive calls."""
    repeat = range(number)
    begin = time.perf_counter()
    for _ in repeat:
        call()
    return (time.perf_counter() - begin) / number


def pair(
    ours: Callable[[], Any], peer: Callable[[], Any], *, budget: float = 0.6
) -> tuple[float, float]:
    """Returns the best seconds per call of both, measured alternately so that drift of the machine affects both."""
    ours(), peer()
    quick = min(seconds_per_call(ours, 1), seconds_per_call(peer, 1))
    number = max(1, min(20_000, int(0.005 / max(quick, 1e-9))))
    best = [float("inf"), float("inf")]
    end = time.perf_counter() + budget
    rounds = 0
    while rounds < 5 or time.perf_counter() < end:
        for i, call in enumerate((ours, peer)):
            best[i] = min(best[i], seconds_per_call(call, number))
        rounds += 1
    return best[0], best[1]


def check(ours: Any, peer: Any, tolerance: float) -> None:
    """Raises unless both results, arrays or tuples of arrays, are equal."""
    if isinstance(peer, tuple):
        for actual, theirs in zip(ours, peer, strict=True):
            check(actual, theirs, tolerance)
        return
    actual = np.asarray(ours.to_device("cpu:0"))
    if tolerance == 0:
        np.testing.assert_array_equal(actual, peer)
    else:
        np.testing.assert_allclose(actual, peer, rtol=tolerance, atol=tolerance)


def timed(
    name: str,
    ours: Callable[[], Any],
    peer: Callable[[], Any],
    at_least: float,
    *,
    tolerance: float = 1e-5,
    all_cores: bool = False,
    all_cores_at_least: float = 0.0,
) -> Row:
    """Returns a row whose goal is a speed relative to NumPy's, on one thread and optionally also on all cores."""
    check(ours(), peer(), tolerance)
    skerry_seconds, theirs = pair(ours, peer)
    row = Row(
        name, skerry_seconds, theirs, f">= {at_least:g} x", theirs / skerry_seconds >= at_least
    )
    if all_cores:
        with every_core():
            ours()
            together = min(seconds_per_call(ours, 1) for _ in range(7))
        row.note = f"all cores {theirs / together:.2f}x"
        if all_cores_at_least:
            row.note += f" (>= {all_cores_at_least:g})"
            row.reached = row.reached and theirs / together >= all_cores_at_least
    return row


@contextlib.contextmanager
def every_core() -> Iterator[None]:
    """Sets skerry to use all cores of the machine in the body."""
    import skerry as sk

    old_threads = sk.get_num_threads()
    sk.set_num_threads(os.cpu_count() or 1)
    try:
        yield
    finally:
        sk.set_num_threads(old_threads)


def overhead(name: str, ours: Callable[[], Any], peer: Callable[[], Any], at_most: float) -> Row:
    """Returns a row whose goal is a time of at most a fraction of NumPy's."""
    check(ours(), peer(), 1e-12)
    skerry_seconds, theirs = pair(ours, peer)
    return Row(
        name, skerry_seconds, theirs, f"<= {at_most:g} of time", skerry_seconds / theirs <= at_most
    )


def geometric_mean(values: list[float]) -> float:
    """Returns the geometric mean of positive values."""
    return float(np.exp(statistics.fmean(np.log(values))))


def machine() -> dict[str, Any]:
    """Describes the machine of the measurement."""
    import skerry as sk

    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False
    ).stdout.strip()
    return {
        "processor": sk.devices("cpu")[0].info.name,
        "cores": os.cpu_count(),
        "system": platform.platform(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "skerry": sk.__version__,
        "commit": commit,
        "date": time.strftime("%Y-%m-%d"),
    }


def report(title: str, rows: list[Row]) -> None:
    """Prints the rows, their geometric mean and the worst one."""
    print(f"\n{title}")
    print(f"{'':<44}{'skerry':>12}{'NumPy':>12}{'speed':>9}  {'goal':<14}")
    for row in rows:
        mark = "" if row.reached else "  << not reached"
        print(
            f"{row.name:<44}{duration(row.ours):>12}{duration(row.peer):>12}{row.speedup:>8.2f}x  "
            f"{row.goal:<14}{row.note}{mark}",
            flush=True,
        )
    speeds = [row.speedup for row in rows]
    worst = min(rows, key=lambda row: row.speedup)
    print(
        f"geometric mean {geometric_mean(speeds):.2f}x, worst {worst.speedup:.2f}x ({worst.name})"
    )


def duration(seconds: float) -> str:
    """Formats a time with a suitable unit."""
    for unit, scale in (("ns", 1e-9), ("us", 1e-6), ("ms", 1e-3)):
        if seconds < 1000 * scale:
            return f"{seconds / scale:.1f} {unit}"
    return f"{seconds:.2f} s"
