# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Count the instructions that kernels execute per element on aarch64, beside those of x86-64-v3, and compare them per lane.

Speed can't be measured without the processor. QEMU counts instructions on both, by a plugin; the difference between
two sizes, divided by the difference in elements, is the cost of an element. AVX2 has twice the lanes of NEON, so the
counts are compared per lane: aarch64's count x 16 bytes and x86-64's x 32 bytes. Exits 1 if a call costs over
LIMIT times as many instructions per lane. Run `make test-aarch64` with the same dtypes before.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import subprocess
import sys

from counted_calls import SIZES
from run import BUILD, ROOT, unpack_interpreter

sys.path.append(str(ROOT / "python" / "wheels"))
from debian_packages import EMULATED_PROCESSOR, own_suite, run, step, unpack

HERE = pathlib.Path(__file__).parent
LIMIT = 1.5
VECTOR_BYTES = {"aarch64": 16, "x86_64": 32}
#: The number of the system call getppid.
GETPPID = {"aarch64": 173, "x86_64": 110}


class Counter:
    """QEMU with the plugin that counts."""

    def __init__(self) -> None:
        self.root = unpack(BUILD / "qemu", ["qemu-user"], own_suite())
        self.plugin = BUILD / "instruction_counter.so"
        run("cc", "-O2", "-shared", "-fPIC", "-o", self.plugin, HERE / "instruction_counter.c")

    def counts(
        self, processor: str, model: str, python: list[object], dtype: str, **environment: str
    ) -> dict[str, float]:
        """Return the instructions per element of each call."""
        libraries = self.root / "usr" / "lib" / "x86_64-linux-gnu"
        loader = self.root / "lib64" / "ld-linux-x86-64.so.2"
        emulator = [
            loader,
            "--library-path",
            libraries,
            self.root / "usr/bin" / f"qemu-{processor}",
        ]
        plugin = ["-plugin", f"{self.plugin},call={GETPPID[processor]}"]
        program = [*emulator, *plugin, *python, HERE / "counted_calls.py", dtype]
        done = subprocess.run(
            [str(part) for part in program],
            env={**os.environ, "QEMU_CPU": model, "SKERRY_NUM_THREADS": "1", **environment},
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            sys.exit(done.stdout + done.stderr)
        marks = [int(line) for line in done.stderr.splitlines() if line.isdigit()]
        names = json.loads(done.stdout)
        spans = [last - first for first, last in zip(marks[::2], marks[1::2], strict=True)]
        if len(spans) != 2 * len(names):
            sys.exit(f"{len(spans)} counts for {len(names)} calls\n{done.stderr}")
        pairs = zip(names, spans[::2], spans[1::2], strict=True)
        return {name: (large - small) / (SIZES[1] - SIZES[0]) for name, small, large in pairs}


def main() -> int:
    """Count and print the table; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dtype", default="float32", help="dtype of the arrays")
    dtype = parser.parse_args().dtype
    root, _ = unpack_interpreter()
    counter = Counter()
    with step("aarch64"):
        python = ["-L", root, (root / "usr/bin/python3").resolve()]
        arm = counter.counts(
            "aarch64", EMULATED_PROCESSOR, python, dtype, PYTHONPATH=str(BUILD / "site")
        )
    with step("x86-64"):
        paths = os.pathsep.join(path for path in sys.path if path)
        python = [pathlib.Path(sys.executable).resolve()]
        x86 = counter.counts("x86_64", "max", python, dtype, PYTHONPATH=paths, SKERRY_ISA="v3")
    width = VECTOR_BYTES["aarch64"] / VECTOR_BYTES["x86_64"]
    print(f"{'call, ' + dtype:30}{'aarch64':>10}{'x86-64-v3':>10}{'per lane':>10}")
    above = 0
    for name, count in arm.items():
        ratio = width * count / x86[name]
        above += ratio > LIMIT
        print(
            f"{name:30}{count:10.2f}{x86[name]:10.2f}{ratio:10.2f}{' *' if ratio > LIMIT else ''}"
        )
    print(f"{above} of {len(arm)} calls above {LIMIT}")
    return 1 if above else 0


if __name__ == "__main__":
    sys.exit(main())
