# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""A cell of the sweep, and the timing of its calls in several libraries."""

from __future__ import annotations

import dataclasses
import functools
import time
from collections.abc import Callable
from typing import Any

from bench.peers.side_by_side import duration

#: Seconds of one round, and of a round when a slow cell is measured again.
ROUND, LONG_ROUND = 60e-6, 400e-6
ROUNDS, MORE_ROUNDS = 5, 12
#: Seconds after which a cell gets no further round: some of NumPy's calls take ten seconds.
ENOUGH = 0.06
#: The operands of a call that takes less, in seconds, may be in cache, and the other library's calls evict them. So a
#: round of few such calls begins with one that is not counted.
CACHED = 5e-3
#: A cell below this speed relative to NumPy needs a reason, which the record states.
SLOW = 0.9


@dataclasses.dataclass
class Cell:
    """One measured call: what it was, and the seconds per call of each library."""

    cell: str
    family: str
    function: str
    dtype: str
    size: int
    layout: str
    threads: int
    skerry_s: float
    numpy_s: float
    peers_s: dict[str, float] = dataclasses.field(default_factory=dict)

    @property
    def speed(self) -> float:
        """The speed relative to NumPy."""
        return self.numpy_s / self.skerry_s

    def slow_beside(self, least: float) -> list[str]:
        """Returns the peers relative to which the speed is below ``least``."""
        return [name for name, seconds in self.peers_s.items() if seconds < least * self.skerry_s]

    def __str__(self) -> str:
        times = f"{duration(self.skerry_s):>10} {duration(self.numpy_s):>10}"
        threads = "" if self.threads == 1 else f" [{self.threads} threads]"
        return f"{self.speed:6.2f} {times}  {self.cell}{threads}"


@functools.cache
def loop_of(call: str) -> Callable[..., float]:
    """Returns a function that times ``number`` calls of f with operands a to d."""
    names: dict[str, Any] = {"now": time.perf_counter}
    exec(
        f"def loop(number, f, a=None, b=None, c=None, d=None):\n"
        f" repeat = range(number)\n begin = now()\n for _ in repeat: {call}\n return now() - begin",
        names,
    )
    return names["loop"]


class Timer:
    """Timer of the calls of one library in one cell."""

    def __init__(self, loop: Callable[..., float], *arguments: Any) -> None:
        self.loop, self.arguments = loop, arguments
        self.best = self.run(1)
        if self.best < ENOUGH:
            self.best = self.run(1)
        self.choose(ROUND)

    def run(self, number: int) -> float:
        """Returns the seconds per call."""
        return self.loop(number, *self.arguments) / number

    def choose(self, seconds: float) -> None:
        """Sets the number of calls in a round, which is to take about that long."""
        self.number = max(1, min(20_000, int(seconds / max(self.best, 1e-9))))

    def round(self) -> None:
        """Measures one round."""
        if self.number < 4 and self.best < CACHED:
            self.run(1)
        self.best = min(self.best, self.run(self.number))


def measure(timers: list[Timer]) -> None:
    """Measures rounds alternately, and more and longer ones if the first timer is slower than the second."""
    rounds(timers, ROUNDS, 0)
    if timers[1].best < SLOW * timers[0].best:
        for timer in timers:
            timer.choose(LONG_ROUND)
        rounds(timers, MORE_ROUNDS, 3)


def rounds(timers: list[Timer], most: int, least: int) -> None:
    """Measures up to ``most`` rounds; only ``least`` if calls are long or ENOUGH seconds have passed."""
    end = time.perf_counter() + ENOUGH
    for n in range(most):
        is_enough = time.perf_counter() > end or any(timer.best > ENOUGH / 2 for timer in timers)
        if n >= least and is_enough:
            break
        for timer in timers:
            timer.round()
