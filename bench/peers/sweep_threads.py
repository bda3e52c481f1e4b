# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Speedup by threads: ``python -m bench.peers.sweep_threads``, also a part of ``make sweep``.

Runs every function of the sweep on contiguous float32 arrays with one thread and with all, alternately, in one process.
Functions of out-of-cache arrays with a speedup below ``ENOUGH`` are listed with the reason: memory bandwidth, measured
by NumPy's copies in as many threads, or work that is not distributed, measured by the CPU time of the calling thread.
Calls on 10^4 elements that take longer with all threads than with one are listed, too. On a machine without a free core
the figures are meaningless, and the report says so.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import dataclasses
import gc
import math
import pathlib
import sys
import time
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from bench import records

#: A speedup from which no reason is needed.
ENOUGH = 1.6
SMALL = 10_000
#: A call on 10^6 elements that takes longer, in seconds, is not measured on 1.6e7.
LONG = 20e-3
#: A call that takes less, in seconds, on a large array returns a view or stops after the first elements.
NO_WORK = 20e-6
#: Ratio from which a call on a small array counts as slower.
NOISE = 1.15
#: A speedup of at least this fraction of that of NumPy's reads or copies is limited by memory bandwidth.
NEARLY = 0.9
#: With a lower speedup of pure arithmetic, other processes use the cores.
FREE = 1.8
#: If the calling thread does more than this fraction of the work of two threads, the work is not distributed.
ALONE = 0.9
#: Reasons that can't be measured, by function.
REASONS = {"unstack": "makes as many Python objects as there are elements"}


@dataclasses.dataclass
class Gain:
    """Seconds per call with one thread and with all."""

    cell: str
    function: str
    size: int
    one_s: float
    all_s: float
    callers_part: float  # the calling thread's fraction of the CPU time with all threads

    @property
    def gain(self) -> float:
        """The speedup by all threads."""
        return self.one_s / self.all_s

    def reason(self, memory: dict[str, float], threads: int) -> str | None:
        """Returns why the speedup is low."""
        if self.gain >= ENOUGH or self.size <= SMALL:
            return None
        if self.function in REASONS:
            return REASONS[self.function]
        if self.callers_part > ALONE:
            return f"not distributed: the calling thread does {100 * self.callers_part:.0f} % of the work"
        for operation, gain in memory.items():
            if operation != "compute" and NEARLY * gain <= self.gain and NEARLY * gain < ENOUGH:
                return f"memory: {threads} threads {operation} {gain:.2f} times as fast as one"
        return None


def best_of_threads(call: Any, counts: tuple[int, int], rounds: int, number: int) -> list[float]:
    """Returns the best seconds per call for two numbers of threads, measured alternately."""
    import skerry as sk

    best = [math.inf, math.inf]
    for _ in range(rounds):
        for i, count in enumerate(counts):
            sk.set_num_threads(count)
            begin = time.perf_counter()
            for _ in range(number):
                call()
            best[i] = min(best[i], (time.perf_counter() - begin) / number)
    return best


def callers_part(call: Any, threads: int, seconds: float) -> float:
    """Returns the calling thread's fraction of the CPU time."""
    import skerry as sk

    sk.set_num_threads(threads)
    begin, thread_begin = time.process_time(), time.thread_time()
    for _ in range(max(1, int(20e-3 / seconds))):
        call()
    return (time.thread_time() - thread_begin) / max(time.process_time() - begin, 1e-9)


def reference_gains(threads: int) -> dict[str, float]:
    """Returns the speedups by that many threads of NumPy loops that compute, read, copy, and copy to new memory."""
    small = np.ones(10_000, np.float32)
    x = np.ones(threads << 24, np.float32)
    destination = np.empty_like(x)
    parts, targets = np.array_split(x, threads), np.array_split(destination, threads)
    loops = {
        "compute": lambda i: [np.sin(small) for _ in range(200)],
        "read": lambda i: parts[i].max(),
        "copy": lambda i: np.copyto(targets[i], parts[i]),
        "copy to fresh memory": lambda i: parts[i].copy(),
    }
    gains = {}
    with concurrent.futures.ThreadPoolExecutor(threads) as pool:
        for operation, function in loops.items():
            best = {False: math.inf, True: math.inf}
            for _ in range(8):
                for together in best:
                    begin = time.perf_counter()
                    list((pool.map if together else map)(function, range(threads)))
                    best[together] = min(best[together], time.perf_counter() - begin)
            gains[operation] = best[False] / best[True]
    return gains


def cases(only: str) -> Iterator[tuple[Any, Any]]:
    """Yields for every function a small case, and a pair of larger ones, the second of which may be None."""
    from bench.peers.sweep_cases import LARGE, cases_of, measured_functions

    for function in measured_functions():
        if only not in function.path:
            continue
        cases_by_size = {
            case.size: case
            for case in cases_of(function)
            if case.dtype == "float32" and case.layout == "contiguous"
        }
        if SMALL in cases_by_size and 1_000_000 in cases_by_size:
            yield cases_by_size[SMALL], (cases_by_size[1_000_000], cases_by_size.get(LARGE))


def bound(case: Any) -> Any:
    """Returns a function without arguments that makes the call."""
    ours, _ = case.functions()
    names = {
        "f": ours,
        **dict(zip("abcd", [operand.skerry_array() for operand in case.operands], strict=False)),
    }
    return eval(f"lambda: {case.call}", names)


def gain_of(case: Any, call: Any, threads: int, rounds: int, number: int) -> Gain:
    """Measures one size of a function."""
    one, every = best_of_threads(call, (1, threads), rounds, number)
    part = callers_part(call, threads, every)
    return Gain(case.name, case.function, case.size, one, every, part)


def gains(only: str, threads: int) -> Iterator[Gain]:
    """Yields the measurements of both sizes of every function."""
    for small, (middle, large) in cases(only):
        try:
            call = bound(small)
            call()
        except (TypeError, ValueError, IndexError, ArithmeticError):
            continue
        once = min(best_of_threads(call, (1, 1), 2, 1))
        number = max(1, int(200e-6 / once))
        yield gain_of(small, call, threads, 12, number)
        call, chosen = bound(middle), middle
        if large is not None and min(best_of_threads(call, (1, 1), 2, 1)) < LONG:
            call, chosen = bound(large), large
        yield gain_of(chosen, call, threads, 4, 1)


def report(measured_gains: list[Gain], memory: dict[str, float], threads: int) -> None:
    """Prints functions with too low a speedup, and those that become slower."""
    large = [entry for entry in measured_gains if entry.size > SMALL and entry.one_s > NO_WORK]
    few = sorted((entry for entry in large if entry.gain < ENOUGH), key=lambda entry: entry.gain)
    mean = math.exp(sum(math.log(entry.gain) for entry in large) / max(len(large), 1))
    print(
        f"\n{threads} threads compared to one: {len(large)} functions of large arrays, {mean:.2f}"
    )
    print(
        "NumPy's loops: "
        + ", ".join(f"{operation} {gain:.2f}" for operation, gain in memory.items())
    )
    if memory["compute"] < FREE:
        print("other processes use the cores: the figures are meaningless")
    print(f"{len(few)} gain less than {ENOUGH}")
    for entry in few:
        why = entry.reason(memory, threads) or "?"
        print(f"  {entry.gain:5.2f} {1e3 * entry.one_s:9.2f} ms  {entry.cell}: {why}")
    lost = [
        entry
        for entry in measured_gains
        if entry.size <= SMALL and entry.all_s > NOISE * entry.one_s
    ]
    print(f"{len(lost)} calls of 10^4 elements take longer with all threads")
    for entry in lost:
        print(f"  {entry.gain:5.2f} {1e6 * entry.one_s:9.2f} us  {entry.cell}")


def main() -> int:
    """Measures, reports and writes the record."""
    import skerry as sk

    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", default="", help="functions whose names contain this")
    parser.add_argument("--output", type=pathlib.Path, help="path of the record")
    options = parser.parse_args()
    np.seterr(all="ignore")
    warnings.simplefilter("ignore")
    gc.disable()
    threads = sk.get_num_threads()
    memory = reference_gains(threads)
    measured_gains = list(gains(options.only, threads))
    report(measured_gains, memory, threads)
    if options.output:
        rows = (
            {**dataclasses.asdict(entry), "reason": entry.reason(memory, threads)}
            for entry in measured_gains
        )
        records.write(options.output, {"threads": threads, "memory": memory}, rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
