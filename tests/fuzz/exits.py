# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""``make exits``: runs processes that exit at random moments, with threads in calls of all kinds.

Each process must exit with the expected status, without a hang, and print nothing but its own text to stderr. An exit
depends only on its seed, so a failure is reported with the options that repeat it.
"""

from __future__ import annotations

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import time
from typing import Any

CHILD = pathlib.Path(__file__).with_name("exit_calls.py")
PATIENCE = 300.0  # seconds; an exit takes one second on an idle machine
CALLS = (
    "reads", "transfers", "multiplications", "elementwise", "transforms", "decompositions", "sorting", "allocation",
    "exchange", "printing", "waiting", "garbage", "errors",
)  # fmt: skip
DEVICES = ("cpu:0", "cuda:0", "cuda:1")
ENDS = ("by sys.exit", "by return", "by an exception", "in atexit")


def plan(seed: int, calls: tuple[str, ...]) -> tuple[dict[str, Any], str]:
    """Draw the actions of the process, and the delay of its rehearsed devices."""
    rng = random.Random(seed)
    threads = [
        (rng.choice(calls), rng.choice(DEVICES), rng.random() < 0.8)
        for _ in range(rng.randint(1, 4))
    ]
    end = rng.choice(ENDS)
    status = {"by sys.exit": rng.randint(2, 99), "by an exception": 1}.get(end, 0)
    wait = rng.random() ** 2 * 0.1
    return {"threads": threads, "wait": wait, "end": end, "status": status}, rng.choice(
        ["0", "0", "50", "2000"]
    )


def describe(status: int) -> str:
    return signal.Signals(-status).name if status < 0 else f"status {status}"


def run(seed: int, calls: tuple[str, ...]) -> tuple[str, str | None]:
    """Run a process; return the kind of exit that was planned, and a description of the failure or None."""
    doing, delay = plan(seed, calls)
    clean = {name: value for name, value in os.environ.items() if not name.startswith("SKERRY_")}
    try:
        done = subprocess.run(
            [sys.executable, CHILD, json.dumps(doing)],
            env={**clean, "SKERRY_REHEARSE": "2", "SKERRY_REHEARSE_DELAY_US": delay},
            capture_output=True, text=True, timeout=PATIENCE, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return doing["end"], f"does not end: {doing}"
    said = done.stderr
    if (
        doing["end"] == "by an exception"
        and said.count("Traceback") == 1
        and said.endswith(": as planned\n")
    ):
        said = ""
    if done.returncode == doing["status"] and not said:
        return doing["end"], None
    return doing["end"], f"{describe(done.returncode)}: {doing}; stderr: {said}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument(
        "--seed",
        type=int,
        default=int(time.time()),
        help="seed of the first exit; incremented for each",
    )
    parser.add_argument(
        "--calls", default=",".join(CALLS), help="calls of the threads, of %(default)s"
    )
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="parallel processes")
    options = parser.parse_args()
    calls = tuple(options.calls.split(","))
    begin = time.monotonic()
    ends: collections.Counter[str] = collections.Counter()
    failures = 0
    seeds = range(options.seed, options.seed + options.count)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for seed, (end, problem) in zip(
            seeds, pool.map(lambda seed: run(seed, calls), seeds), strict=True
        ):
            ends[end] += 1
            if problem is not None:
                failures += 1
                command = (
                    f"python -m tests.fuzz.exits --seed {seed} --count 1 --calls {options.calls}"
                )
                print(f"exit {seed}: {problem}\nrepeat with: {command}", flush=True)
    counts = ", ".join(f"{count} {end}" for end, count in sorted(ends.items()))
    print(f"{options.count} exits ({counts}): {failures} failed; {time.monotonic() - begin:.0f} s")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
