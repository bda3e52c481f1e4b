# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""``make fuzz-programs``: checks that random programs over streams, devices, threads and views keep program order.

Each program runs in two processes: on rehearsed devices with random durations of each task, and with
``SKERRY_SYNC=1``. Both must read the same values. A program depends only on the seed and its index, so a difference is
reported with the options that repeat it.

With ``--kernels`` the devices are emulated GPUs, and kernels of Numba and cuda.core use the arrays too. In the
synchronous run each step then waits for all kernels. With ``--checks`` the emulated GPUs check for races and
uninitialised values, which only programs with omitted steps or waits have.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import contextlib
import functools
import hashlib
import os
import pathlib
import pickle
import random
import re
import subprocess
import sys
import tempfile
import time
import typing

from skerry.testing import instruments

DEVICES = ("cuda:0", "cuda:1")
SIZE = 12  # elements of every array; small, so that views often overlap
STEPS = 24
#: Maximum durations of a program's tasks, in microseconds.
DELAYS = (100, 300, 1000)
REPORTED = 3
CHECKS = {"INITCHECK": "1", "RACECHECK": "2", "SYNCCHECK": "1", "COLLECT": "all", "QUIET": "1"}


class Program:
    """Random steps; ``seen`` has the values that the program has read."""

    #: Weights of steps in the random draw; 1 for the others.
    WEIGHTS: typing.ClassVar = {
        "scatter": 2, "mask": 2, "add_in_place": 6, "scale_in_place": 6, "assign": 6, "fill": 4, "add": 4, "move": 4,
        "view": 4, "drop": 4, "matmul": 3,
    }  # fmt: skip

    def __init__(self, sk, np, rng, streams, threads):
        self.sk, self.np, self.rng, self.streams, self.threads = sk, np, rng, streams, threads
        self.arrays = []
        self.seen = []
        self.trace = []
        self.without = None  # a pattern

    def left_out(self, name):
        return self.without is not None and self.without.search(name)

    def run(self):
        for device in DEVICES:
            self.keep(self.sk.arange(SIZE, dtype=self.sk.int64, device=device))
        names = [name for name in dir(self) if name.startswith("do_") and not self.left_out(name)]
        weights = [self.WEIGHTS.get(name.removeprefix("do_"), 1) for name in names]
        for name in self.rng.choices(names, weights, k=STEPS):
            self.step(name)
        for array in self.arrays:
            self.seen.append(array.tolist())
        return self.seen

    def step(self, name):
        """Run one step on random streams of all devices, in this thread or another."""
        stream_indices = [self.rng.randrange(len(self.streams[device])) for device in DEVICES]
        chosen = [
            self.streams[device][k] for device, k in zip(DEVICES, stream_indices, strict=True)
        ]
        elsewhere = self.rng.random() < 0.2

        def work():
            with contextlib.ExitStack() as stack:
                for stream in chosen:
                    if stream is not None:
                        stack.enter_context(stream)
                getattr(self, name)()

        self.trace.append(
            f"{name[3:]} on streams {stream_indices}{' of another thread' * elsewhere}"
        )
        if elsewhere:
            self.threads.submit(work).result()
        else:
            work()

    def keep(self, array):
        """Read 0-d arrays; keep others for later steps."""
        if array.ndim == 0:
            self.seen.append(int(array))
            return
        self.arrays.append(array)
        if len(self.arrays) > 12:
            del self.arrays[self.rng.randrange(len(self.arrays))]

    def pick(self, device=None):
        candidates = [array for array in self.arrays if device is None or array.device == device]
        if not candidates:
            self.keep(self.sk.full((SIZE,), 3, device=device or DEVICES[0]))
            candidates = self.arrays[-1:]
        return self.rng.choice(candidates)

    def pair(self):
        """Draw two arrays with equal device and shape, which may share memory."""
        a = self.pick()
        b = self.pick(a.device)
        size = min(a.shape[0], b.shape[0])
        return a[:size], b[b.shape[0] - size :]

    def part(self, array):
        start = self.rng.randrange(array.shape[0])
        stop = self.rng.randrange(start + 1, array.shape[0] + 1)
        return array[start : stop : self.rng.choice((1, 1, 2))]

    def do_view(self):
        self.keep(self.part(self.pick()))

    def do_create(self):
        device = self.rng.choice(DEVICES)
        self.keep(self.sk.full((SIZE,), self.rng.randrange(9), device=device))

    def do_upload(self):
        values = [self.rng.randrange(100) for _ in range(SIZE)]
        host = self.np.asarray(values)
        self.keep(self.sk.asarray(host, device=self.rng.choice(DEVICES)))
        host[:] = -1

    def do_upload_pinned(self):
        host = self.sk.full((SIZE,), self.rng.randrange(100), device="cpu:0", pinned=True)
        self.keep(host.to_device(self.rng.choice(DEVICES)))
        host[...] = -1

    def do_add(self):
        a, b = self.pair()
        self.keep(a + b)

    def do_fused(self):
        a, b = self.pair()
        self.keep(self.sk.where(a > b, a - b, b % 7))

    def do_add_in_place(self):
        a, b = self.pair()
        a += b

    def do_scale_in_place(self):
        a = self.part(self.pick())
        a *= 3
        a %= 1009

    def do_assign(self):
        a, b = self.pair()
        a[...] = b

    def do_fill(self):
        self.part(self.pick())[...] = self.rng.randrange(50)

    def do_scatter(self):
        a = self.pick()
        a[self.sk.asarray([0, a.shape[0] - 1], device=a.device)] = self.rng.randrange(50)

    def do_mask(self):
        a = self.pick()
        a[a % 2 == 0] = 5

    def do_gather(self):
        a = self.pick()
        self.keep(self.sk.take(a, self.sk.arange(a.shape[0], device=a.device)[::-1]))

    def do_scan(self):
        self.keep(self.sk.cumulative_sum(self.pick()) % 1009)

    def do_sort(self):
        self.keep(self.sk.sort(self.pick()))

    def do_matmul(self):
        a, b = self.pair()
        self.keep((a[:, None] @ b[None, :])[0, :] % 1009)

    def do_sum(self):
        self.keep(self.sk.sum(self.pick()))

    def do_move(self):
        a = self.pick()
        self.keep(a.to_device(DEVICES[a.device == DEVICES[0]]))

    def do_move_strided(self):
        a = self.pick()[::-1]
        self.keep(a.to_device(DEVICES[a.device == DEVICES[0]]))

    def do_item(self):
        a = self.pick()
        self.seen.append(a[self.rng.randrange(a.shape[0])].item())

    def do_tolist(self):
        self.seen.append(self.pick().tolist())

    def do_repr(self):
        self.seen.append(repr(self.pick()))

    def do_pickle(self):
        self.keep(pickle.loads(pickle.dumps(self.pick())))

    def do_numpy(self):
        self.seen.append(self.np.from_dlpack(self.pick(), device="cpu", copy=True).tolist())

    def do_dlpack(self):
        self.keep(self.sk.from_dlpack(self.pick()))

    def do_copy(self):
        self.keep(self.pick().copy())

    def do_drop(self):
        if len(self.arrays) > 2:
            del self.arrays[self.rng.randrange(len(self.arrays))]

    def do_synchronize(self):
        self.sk.synchronize(self.rng.choice(DEVICES))


def make_streams(sk, kernels):
    """Create the streams of each device for the steps; None is the current one."""
    streams = {}
    for device in DEVICES:
        own_streams = [sk.Stream(device) for _ in range(4)]
        # Known by their handles only, like streams of other libraries.
        handles = [int(own_streams[3].handle), 2, *(kernels.handles(device) if kernels else [])]
        foreign = [sk.Stream.from_handle(device, handle) for handle in handles]
        streams[device] = [None, *own_streams[:3], *foreign]
        streams[device, "kept"] = own_streams
    return streams


def child(options: argparse.Namespace, seed: int) -> None:
    """Run programs and print a line for each: a digest, or the whole program with ``show``."""
    import numpy as np
    import skerry as sk

    delayed = os.environ.get("SKERRY_SYNC") != "1"
    make, kernels = Program, None
    if options.kernels:
        from tests.fuzz import kernel_programs

        kernels = kernel_programs.Kernels(sk, without_order=options.without_order)
        make = functools.partial(kernel_programs.KernelProgram, kernels, in_order=not delayed)
    streams = make_streams(sk, kernels)
    start, count, show = options.start, options.count, options.show
    rng = random.Random()
    with (
        open(options.child, "w") as file,
        concurrent.futures.ThreadPoolExecutor(1) as threads,
    ):
        for index in range(start, start + count):
            rng.seed(seed << 40 | index)
            longest = rng.choice(DELAYS)
            if delayed:
                instruments.delay_work(0, longest * 1e-6)
            program = make(sk, np, rng, streams, threads)
            program.without = options.without and re.compile(options.without)
            seen = program.run()
            digest = hashlib.sha256(repr(seen).encode()).hexdigest()
            print("\n".join([*program.trace, *map(str, seen)]) if show else digest, file=file)
        instruments.delay_work(0)
    if kernels and kernels.count_reports():
        raise SystemExit(REPORTED)  # a table of them is printed at exit


def run(options: argparse.Namespace, seed: int) -> list[list[str]]:
    """Return the output lines of both runs: synchronous, then asynchronous."""
    flags = [f"--{name}" for name in ("show", "kernels", "checks") if getattr(options, name)]
    for name in ("without", "without-order"):
        if value := getattr(options, name.replace("-", "_")):
            flags.append(f"--{name}={value}")
    with tempfile.TemporaryDirectory() as folder:
        runs = []
        for sync in ("1", "0"):
            out = pathlib.Path(folder) / sync
            command = [
                sys.executable,
                "-m",
                "tests.fuzz.programs",
                "--child",
                out,
                "--seed",
                seed,
                *flags,
            ]
            command += ["--start", options.start, "--count", options.count]
            environment = dict(os.environ, SKERRY_REHEARSE="2", SKERRY_SYNC=sync)
            environment["SKERRY_REHEARSE_KERNELS"] = "1" if options.kernels else "0"
            if options.checks:
                environment |= {f"SKERRY_EMULATE_{name}": value for name, value in CHECKS.items()}
            runs.append((subprocess.Popen([str(part) for part in command], env=environment), out))
        for process, _ in runs:
            if process.wait() not in (0, REPORTED):
                raise SystemExit(f"a process ended with {process.returncode}")
        if any(process.returncode == REPORTED for process, _ in runs):
            raise SystemExit(f"the checks reported errors, seed {seed}")
        return [out.read_text().splitlines() for _, out in runs]


def main() -> int:
    """Run the programs. Return 1 if one has read different values."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=10_000, help="number of programs")
    parser.add_argument(
        "--seed", type=int, default=None, help="seed of all programs; random by default"
    )
    parser.add_argument("--start", type=int, default=0, help="index of the first program")
    parser.add_argument(
        "--show", action="store_true", help="print the steps of the programs and the values read"
    )
    parser.add_argument("--without", metavar="PATTERN", help="omit steps whose names match")
    parser.add_argument(
        "--kernels", action="store_true", help="run kernels of Numba and cuda.core, too"
    )
    parser.add_argument(
        "--checks", action="store_true", help="enable the emulated GPU's checks; with --kernels"
    )
    parser.add_argument(
        "--without-order",
        default="",
        choices=("before", "after"),
        help="omit kernels' waits for earlier work, or later work's waits for kernels: programs must differ",
    )
    parser.add_argument("--child", metavar="FILE", help=argparse.SUPPRESS)
    options = parser.parse_args()
    seed = random.randrange(1 << 32) if options.seed is None else options.seed
    if options.child is not None:
        child(options, seed)
        return 0
    began = time.monotonic()
    in_order, lines = run(options, seed)
    if options.show:
        for name, text in (("SKERRY_SYNC=1", in_order), ("SKERRY_SYNC=0", lines)):
            print("\n".join([f"{name}:", *text]))
        return int(in_order != lines)
    wrong = [i for i, (a, b) in enumerate(zip(in_order, lines, strict=True)) if a != b]
    seconds = time.monotonic() - began
    print(
        f"{options.count} programs of {STEPS} steps, seed {seed}: {len(wrong)} differ, {seconds:.0f} s"
    )
    for i in wrong[:3]:
        index = options.start + i
        kernels = " --kernels" * options.kernels
        print(
            f"repeat with: python -m tests.fuzz.programs{kernels} --seed {seed} --start {index} --count 1 --show"
        )
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
