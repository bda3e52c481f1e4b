# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Instructions per call on the calling thread, counted by valgrind, independent of the load of the machine.

The program runs once under ``valgrind --tool=callgrind``, which writes its counts whenever the program calls
``getppid``: before and after each loop. The cost of the empty loop is subtracted. ``--check`` compares with
``bench/call_instructions.json``, which ``--record`` writes, and exits 1 if a call takes over 15 % more (40 % if another
version of Python was recorded).
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

#: Statements by name, with float64 arrays on the device under test: a, b and t of 4 elements, r of 8, the 8 x 8
#: matrix m; indices i; the device d.
CASES = {
    "pass": "pass",
    "a + b": "a + b",
    "a + 1.5": "a + 1.5",
    "a += b": "t += b",
    "sqrt(a)": "sqrt(a)",
    "sum(a)": "sum(a)",
    "sum(m, axis=0)": "sum(m, axis=0)",
    "a.sum()": "a.sum()",
    "m.sum(axis=0)": "m.sum(axis=0)",
    "a.cumsum()": "a.cumsum()",
    "m.reshape(4, 16)": "m.reshape(4, 16)",
    "reshape(m, (4, 16))": "reshape(m, (4, 16))",
    "a.conj()": "a.conj()",
    "conj(a)": "conj(a)",
    "a.round()": "a.round()",
    "round(a)": "round_(a)",
    "a.take(i)": "a.take(i)",
    "take(a, i)": "take(a, i)",
    "a.dot(b)": "a.dot(b)",
    "matmul(a, b)": "matmul(a, b)",
    "a[1:]": "a[1:]",
    "a[2] = 1.5": "a[2] = 1.5",
    "m + a row": "m + r",
    "empty": "empty((4,), device=d)",
    "a.__dlpack__()": "a.__dlpack__()",
}
DEVICES = ("cpu:0", "cuda:0")
RECORD = pathlib.Path(__file__).with_suffix(".json")
#: Level of the kernels: valgrind does not support AVX-512.
ISA = {"SKERRY_ISA": "v3"}
TOLERANCE = 1.15
#: The tolerance if another version of Python was recorded.
OTHER_PYTHON = 1.4
#: The minimum of this many counts is used: on a rehearsed device, a contended lock costs extra.
ROUNDS = 4


def program(repeats: int) -> None:
    """Runs the loops; executed under valgrind."""
    import skerry as sk

    names = {"sqrt": sk.sqrt, "sum": sk.sum, "empty": sk.empty, "reshape": sk.reshape}
    names |= {"conj": sk.conj, "round_": sk.round, "take": sk.take, "matmul": sk.matmul}
    for device in DEVICES:
        names |= {"a": sk.ones((4,), device=device), "b": sk.ones((4,), device=device)}
        names |= {"m": sk.ones((8, 8), device=device), "r": sk.ones((8,), device=device)}
        names |= {"t": sk.ones((4,), device=device), "d": sk.Device(device)}
        names |= {"i": sk.arange(4, device=device)}
        sk.fuse(lambda a: a + a)(
            names["a"]
        )  # the use of fuse must not make other calls more expensive
        for statement in CASES.values():
            arguments = ", ".join(f"{name}={name}" for name in names)
            exec(f"def loop(n, {arguments}):\n for _ in range(n): {statement}", names)
            loop = names.pop("loop")
            loop(2 * repeats)
            for _ in range(ROUNDS):
                sk.synchronize(device)
                os.getppid()
                loop(repeats)
                os.getppid()
            sk.synchronize(device)


def read_total(path: pathlib.Path) -> int:
    """Reads the number of instructions of one part of one thread."""
    for line in path.read_text().splitlines():
        if line.startswith("totals:"):
            return int(line.split()[1])
    raise ValueError(f"{path} has no totals")


def refusal() -> str:
    """Returns why instructions can't be counted here; an empty string if they can."""
    if shutil.which("valgrind") is None:
        return "valgrind is not installed (apt-get install valgrind)"
    code = "from skerry import _core; print(_core.instruction_set())"
    level = subprocess.check_output([sys.executable, "-c", code], env=os.environ | ISA, text=True)
    if level.strip() == "x86-64-v4":
        return "valgrind does not support AVX-512, and this build has no other kernels: set SKERRY_CPU_TARGETS=all"
    return ""


def count(repeats: int = 200) -> dict[str, float]:
    """Returns the instructions per call, by ``device statement``."""
    with tempfile.TemporaryDirectory() as folder:
        command = [
            "valgrind", "--tool=callgrind", "--separate-threads=yes", "--dump-before=getppid",
            f"--callgrind-out-file={folder}/out", "--error-exitcode=9",
            sys.executable, __file__, "--program", str(repeats),
        ]  # fmt: skip
        environment = {**os.environ, "SKERRY_REHEARSE": "1", "PYTHONHASHSEED": "0"}
        # valgrind does not support AVX-512; one thread computes.
        environment |= ISA | {"SKERRY_NUM_THREADS": "1"}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"valgrind failed: {done.stderr[-2000:]}")
        # Part 1 is what runs before the first mark; then every second part is a loop.
        parts = [
            read_total(pathlib.Path(folder, f"out.{2 * (i + 1)}-01"))
            for i in range(len(DEVICES) * len(CASES) * ROUNDS)
        ]
        totals = [min(parts[i : i + ROUNDS]) for i in range(0, len(parts), ROUNDS)]
    result = {}
    for i, device in enumerate(DEVICES):
        device_totals = totals[i * len(CASES) : (i + 1) * len(CASES)]
        for name, total in zip(CASES, device_totals, strict=True):
            if name != "pass":
                result[f"{device} {name}"] = round((total - device_totals[0]) / repeats, 1)
    return result


def python_version() -> str:
    """Returns the version of Python, for example 3.13: the interpreter executes part of a call's instructions."""
    return ".".join(map(str, sys.version_info[:2]))


def excess(counted: dict[str, float]) -> list[str]:
    """Returns a message for each call that takes more instructions than recorded, beyond the tolerance."""
    recorded = json.loads(RECORD.read_text())
    tolerance = TOLERANCE if recorded["python"] == python_version() else OTHER_PYTHON
    return [
        f"{name}: {counted[name]:.0f} instructions, recorded {old_count:.0f}"
        for name, old_count in recorded["instructions"].items()
        if counted[name] > old_count * tolerance
    ]


def main(arguments: list[str] | None = None) -> int:
    """Prints the table and returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--check", action="store_true", help="exit 1 if a call takes more than recorded"
    )
    parser.add_argument("--record", action="store_true", help="write the record")
    parser.add_argument("--program", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.program:
        program(options.program)
        return 0
    if why := refusal():
        print(f"call_instructions: {why}")
        return 3
    counted = count()
    print(f"{'instructions per call':24}" + "".join(f"{device:>12}" for device in DEVICES))
    for name in CASES:
        if name != "pass":
            figures = (counted[f"{device} {name}"] for device in DEVICES)
            print(f"{name:24}" + "".join(f"{figure:12.0f}" for figure in figures))
    if options.record:
        written = {"python": python_version(), "instructions": counted}
        RECORD.write_text(json.dumps(written, indent=2) + "\n")
    worse = excess(counted) if options.check else []
    print(*worse, sep="\n")
    return 1 if worse else 0


if __name__ == "__main__":
    raise SystemExit(main())
