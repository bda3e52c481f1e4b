# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""``make fuzz-failures``: random programs in which a CUDA call fails must raise an error or read correct values.

The programs are those of ``programs.py``, on two rehearsed devices. Each first runs without a failure, to record the
values that it reads, the arrays before each step, and the number of CUDA calls. Then it runs repeatedly, with a random
call failing with a random status, either once or permanently (the device is lost), and with work that runs immediately
or delayed. Such a run must end with an error that names the failure, or read the same values. After an error that is
not permanent, existing arrays must be unchanged, unless the step writes to them. The next run must work.

A run depends only on the seed, the index of its program and its number. The options that repeat a fault are printed.
"""

from __future__ import annotations

import argparse
import ast
import collections
import concurrent.futures
import dataclasses
import faulthandler
import os
import pathlib
import random
import re
import subprocess
import sys
import time
from typing import Any

from tests.fuzz import programs

ROOT = pathlib.Path(__file__).resolve().parents[2]
#: Runs of one program with failures, after one without.
RUNS_OF_PROGRAM = 50
#: Statuses of the CUDA runtime, including some that the library handles specially, such as "not ready".
STATUSES = (1, 2, 3, 4, 9, 35, 46, 98, 100, 101, 201, 209, 214, 217, 218, 222, 304, 400, 401, 600,
            700, 701, 702, 704, 705, 709, 710, 712, 716, 719, 800, 801, 802, 900, 906, 911, 999)  # fmt: skip
#: Statuses that lose a device: the cases of is_fatal().
FATAL_STATUSES = [
    int(code)
    for code in re.findall(r"^    case (\d+):", (ROOT / "device/cuda/api.hpp").read_text(), re.M)
]
assert FATAL_STATUSES
#: Maximum duration of a task in microseconds; 0 for most runs.
DELAYS = (0, 0, 0, 0, 0, 0, 100, 300)
#: Steps that modify existing arrays.
IN_PLACE = {"add_in_place", "scale_in_place", "assign", "fill", "scatter", "mask"}
#: Seconds after which a run counts as never ending.
LONGEST_RUN = 120


@dataclasses.dataclass(frozen=True)
class Failure:
    """The failure of a run: CUDA call number ``call``, from 1, fails with ``status``."""

    call: int
    status: int
    is_sticky: bool
    delay_us: int


@dataclasses.dataclass
class CleanRun:
    """Record of a program's run without a failure."""

    seen: list[Any]
    #: The values of all arrays before each step.
    states: list[list[Any]]
    calls: int


class FailingProgram(programs.Program):
    """A program that records the names of its steps, and the arrays before the current one."""

    WEIGHTS = programs.Program.WEIGHTS | {"move": 10, "move_strided": 4}

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.names = []
        self.before = []

    def step(self, name):
        self.names.append(name.removeprefix("do_"))
        self.before = list(self.arrays)
        self.note_state()
        super().step(name)

    def note_state(self):
        """Called before each step."""


class RecordedProgram(FailingProgram):
    """A program that reads all arrays before each step."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.states = []

    def note_state(self):
        self.states.append([array.tolist() for array in self.arrays])


class Walk:
    """Runs programs in this process and counts their outcomes."""

    def __init__(self, seed):
        import numpy as np
        import skerry as sk
        from skerry import exceptions
        from skerry.testing import instruments

        self.seed, self.sk, self.np, self.instruments = seed, sk, np, instruments
        self.errors = (
            exceptions.DeviceError,
            exceptions.OutOfMemoryError,
            exceptions.DeviceUnavailableError,
            exceptions.InterchangeError,
        )
        self.streams = programs.make_streams(sk, None)
        self.threads = concurrent.futures.ThreadPoolExecutor(1)
        self.outcomes = collections.Counter()

    def make(self, kind, index):
        rng = random.Random(self.seed << 40 | index)
        return kind(self.sk, self.np, rng, self.streams, self.threads)

    def run_clean(self, index):
        recorded = self.make(RecordedProgram, index)
        seen = recorded.run()
        with self.instruments.failing_cuda_call(0, 0):
            assert self.make(FailingProgram, index).run() == seen
            return CleanRun(seen, recorded.states, self.instruments.rehearsed_calls())

    def failure(self, index, number, calls):
        """Draw the failure of a run."""
        rng = random.Random(f"{self.seed} {index} {number}")
        is_sticky = rng.random() < 0.3
        status = rng.choice(FATAL_STATUSES if is_sticky else STATUSES)
        return Failure(rng.randrange(calls) + 1, status, is_sticky, rng.choice(DELAYS))

    def run_failing(self, index, clean, failure):
        """Run a program with a failure; return what is wrong, or None."""
        program = self.make(FailingProgram, index)
        error = None
        with (
            self.instruments.failing_cuda_call(
                failure.call, failure.status, is_sticky=failure.is_sticky
            ) as fault,
            self.instruments.delayed_work(0, failure.delay_us * 1e-6),
        ):
            try:
                program.run()
            except Exception as caught:
                error = caught
        try:
            return self.fault(program, clean, failure, error, fault.was_met)
        finally:
            error = None  # its frames keep the arrays alive

    def fault(self, program, clean, failure, error, was_met):
        if program.seen != clean.seen[: len(program.seen)]:
            self.outcomes["wrong"] += 1
            pairs = zip(program.seen, clean.seen, strict=False)
            return "reads {}, not {}".format(*next((a, b) for a, b in pairs if a != b))
        if error is None:
            self.outcomes["right" if was_met else "not met"] += 1
            return None if program.seen == clean.seen else "reads too little"
        self.outcomes[type(error).__name__] += 1
        if not isinstance(error, self.errors):
            return f"raises {type(error).__name__}: {error}"
        if not was_met:
            return f"raises before the failure: {error}"
        return None if failure.is_sticky else self.changed(program, clean)

    def changed(self, program, clean):
        """Return what an error of the last step has wrongly changed, or None."""
        if not program.names or program.names[-1] in IN_PLACE:
            return None
        name = program.names[-1]
        state = clean.states[len(program.names) - 1]
        now = [array.tolist() for array in program.before]
        return None if now == state else f"{name} fails, and existing arrays have changed"


def child(options: argparse.Namespace) -> None:
    """Run the programs of one process; print faults and the number of each outcome."""
    walk = Walk(options.seed)
    count = 0
    index = options.start
    while count < options.runs:
        faulthandler.dump_traceback_later(LONGEST_RUN, exit=True)
        clean = walk.run_clean(index)
        numbers = range(RUNS_OF_PROGRAM) if options.number is None else [options.number]
        for number in numbers:
            faulthandler.dump_traceback_later(LONGEST_RUN, exit=True)
            failure = walk.failure(index, number, clean.calls)
            if options.verbose:
                print(f"# {index} {number} {failure}", flush=True)
            if text := walk.run_failing(index, clean, failure):
                rerun_options = (
                    f"--seed {options.seed} --start {index} --number {number} --processes 1"
                )
                print(f"{text}: {failure}: {rerun_options}", flush=True)
            count += 1
        index += options.processes
        if options.number is not None:
            break
    faulthandler.cancel_dump_traceback_later()
    print("ended", dict(walk.outcomes))


def main() -> int:
    """Run the programs. Return 1 if a run neither raised an error nor read correct values."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=50_000, help="programs with a failure")
    parser.add_argument(
        "--seed", type=int, default=None, help="seed of all programs; random by default"
    )
    parser.add_argument("--start", type=int, default=0, help="index of the first program")
    parser.add_argument("--number", type=int, help="run only this failure of the first program")
    parser.add_argument("--processes", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--verbose", action="store_true", help="print each failure before its run")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        child(options)
        return 0
    seed = random.randrange(1 << 32) if options.seed is None else options.seed
    began = time.monotonic()
    command = [
        sys.executable,
        "-m",
        "tests.fuzz.failures",
        "--child",
        "--seed",
        str(seed),
        "--processes",
    ]
    command += [str(options.processes), "--runs", str(-(-options.runs // options.processes))]
    command += ["--verbose"] * options.verbose
    if options.number is not None:
        command += ["--number", str(options.number)]
    environment = dict(os.environ, SKERRY_REHEARSE="2", SKERRY_SYNC="0")
    children = [
        subprocess.Popen(
            [*command, "--start", str(options.start + k)],
            env=environment,
            stdout=subprocess.PIPE,
            text=True,
        )
        for k in range(options.processes)
    ]
    outcomes, faults = collections.Counter(), []
    for process in children:
        lines = process.communicate()[0].splitlines()
        ended = [line for line in lines if line.startswith("ended")]
        outcomes.update(ast.literal_eval(ended[0].removeprefix("ended ")) if ended else {})
        faults += [line for line in lines if line not in ended and not line.startswith("#")]
        if process.returncode != 0:
            faults.append(f"a process ended with {process.returncode}, after {lines[-1:]}")
    print("\n".join(faults[:20]))
    total, seconds = sum(outcomes.values()), time.monotonic() - began
    print(f"{total} runs, seed {seed}: {len(faults)} faults, {seconds:.0f} s; {dict(outcomes)}")
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())
