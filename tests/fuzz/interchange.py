# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""``make fuzz``: imports random CUDA array interfaces and DLPack structures in a child process.

A case depends only on the seed and its index, so a failure, or a signal that ends the child, is reported with the
options that repeat it. The devices are the CPU and rehearsed CUDA devices.
"""

from __future__ import annotations

import argparse
import faulthandler
import json
import mmap
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time
import warnings

KINDS = {"cai": "CUDA array interfaces", "dlpack": "DLPack structures"}
BATCH = 10_000


def child(kind: str, seed: int, start: int, count: int, progress: str, crash_at: int | None) -> int:
    """Run the cases. The file ``progress`` contains the index of the current one, for the parent."""
    faulthandler.enable()
    os.environ["SKERRY_REHEARSE"] = "2"
    os.environ.setdefault("SKERRY_CPU_DEVICES", "1")
    import gc

    import skerry as sk

    if kind == "cai":
        from tests.fuzz import cai_cases as cases
    else:
        from tests.fuzz import dlpack_cases as cases
    warnings.simplefilter("ignore")

    def live() -> list[int]:
        gc.collect()
        return [sk.memory_statistics(d).live_bytes for d in sk.devices()]

    fuzzer = cases.Fuzzer()
    rng = random.Random()
    with open(progress, "r+b") as file, mmap.mmap(file.fileno(), 8) as progress_map:
        old_live_bytes = live()
        for index in range(start, start + count):
            progress_map[:] = index.to_bytes(8, "little")
            if index == crash_at:
                os.kill(os.getpid(), signal.SIGSEGV)
            rng.seed(seed << 40 | index)
            wrong = fuzzer.run(rng)
            if wrong is None and (index + 1 - start) % BATCH == 0 and live() != old_live_bytes:
                wrong = (
                    f"live bytes {live()} instead of {old_live_bytes}, since the last {BATCH} cases"
                )
            if wrong is not None:
                print(f"case {index}: {wrong}", file=sys.stderr, flush=True)
                os._exit(1)
        if live() != old_live_bytes:
            print(f"live bytes {live()} instead of {old_live_bytes}", file=sys.stderr)
            return 1
    print(json.dumps({"accepted": fuzzer.accepted, "compared": fuzzer.compared}))
    return 0


def run(kind: str, seed: int, start: int, count: int, more: list[str]) -> bool:
    """Run one child and print the outcome; return whether it succeeded."""
    with tempfile.NamedTemporaryFile() as progress:
        progress.write(start.to_bytes(8, "little"))
        progress.flush()
        begin = time.perf_counter()
        options = [
            "--kind",
            kind,
            "--seed",
            str(seed),
            "--start",
            str(start),
            "--count",
            str(count),
        ]
        done = subprocess.run(
            [
                sys.executable,
                "-m",
                "tests.fuzz.interchange",
                *options,
                "--child",
                progress.name,
                *more,
            ],
            stdout=subprocess.PIPE,
            text=True,
            check=False,
        )
        seconds = time.perf_counter() - begin
        index = int.from_bytes(pathlib.Path(progress.name).read_bytes(), "little")
    if done.returncode == 0:
        result = json.loads(done.stdout)
        share = 100 * result["accepted"] / max(count, 1)
        print(
            f"{count} random {KINDS[kind]}, seed {seed}: no signal, no leak; {result['accepted']} accepted "
            f"({share:.1f} %), {result['compared']} of them compared with NumPy and equal; {seconds:.0f} s",
            flush=True,
        )
        return True
    name = signal.Signals(-done.returncode).name if done.returncode < 0 else "a failed check"
    print(
        f"{KINDS[kind]}: {name} at case {index}; repeat with: python -m tests.fuzz.interchange --kind {kind} --seed {seed} "
        f"--start {index} --count 1",
        flush=True,
    )
    return False


def main() -> int:
    """Run both kinds, each in its own child."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1_000_000, help="cases of each kind")
    parser.add_argument(
        "--seed", type=int, default=None, help="seed of all cases; random by default"
    )
    parser.add_argument("--start", type=int, default=0, help="index of the first case")
    parser.add_argument("--kind", choices=list(KINDS), action="append")
    parser.add_argument("--child", metavar="FILE", help=argparse.SUPPRESS)
    parser.add_argument("--crash-at", type=int, help=argparse.SUPPRESS)  # to test the report
    options = parser.parse_args()
    if options.child is not None:
        cases = options.kind[0], options.seed, options.start, options.count
        return child(*cases, options.child, options.crash_at)
    seed = options.seed if options.seed is not None else random.SystemRandom().randrange(2**31)
    more = [] if options.crash_at is None else ["--crash-at", str(options.crash_at)]
    fine = [run(kind, seed, options.start, options.count, more) for kind in options.kind or KINDS]
    return 0 if all(fine) else 1


if __name__ == "__main__":
    sys.exit(main())
