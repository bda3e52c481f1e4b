# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""``make numba-suite``, ``cupy-suite`` and ``stumpy-suite``: run libraries' own tests on the emulated GPU.

    make numba-suite                                 numba-cuda's tests, as installed
    make numba-suite NUMBA_SUITE_OPTIONS="cudapy/test_atomics.py cudadrv"
    make numba-suite NUMBA_SUITE_OPTIONS="--limit 900 --jobs 4 --report /tmp/outcomes.json"
    SKERRY_EMULATE_TARGET=90 make numba-suite        with the tests for compute capability 8.9 and 9.0
    make numba-suite NUMBA_CUDA_MLIR_DIR=<checkout of NVIDIA/numba-cuda-mlir>     its tests, which are in no package
    make cupy-suite CUPY_DIR=<checkout of cupy/cupy at the version installed>     CuPy's tests, which are in no package
    make cupy-suite CUPY_DIR=... CUPY_SUITE_OPTIONS="--sample 4 math_tests fft_tests/test_fft.py"
    make stumpy-suite                                stumpy's tests, in its source distribution
    make stumpy-suite STUMPY_SUITE_OPTIONS="--simulator test_gpu_stump.py"    on Numba's simulator, to compare

Each file runs in its own process. Expected failures are listed in failures.toml with their reasons. Any other failure
is an error, and so is a listed test that passes.
"""

from __future__ import annotations

import argparse
import collections
import concurrent.futures
import contextlib
import csv
import dataclasses
import fnmatch
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import tomllib

import suite as suites
from suite import Suite

HERE = pathlib.Path(__file__).resolve().parent
MOST_PROCESSES = 60  # for one file
DEVICE_LOST = 70  # exit status of reporter.py
KINDS = ("passed", "xfailed", "skipped", "failed", "error", "crash")
FAILURES = KINDS[3:]
# sitecustomize.py: runs in every process, including those that tests start, before the library looks for CUDA's.
START = """\
import site
site.addsitedir({site!r})
{load}
"""
REHEARSE = """\
import skerry
skerry.rehearse(cuda=2, kernels=True)
"""
LOAD = """\
import skerry_emulator
skerry_emulator.load()
"""


@dataclasses.dataclass
class Outcome:
    """Outcome of one test. `error` is its error text; after a crash, how the process ended and the end of its output."""

    kind: str = "begun"
    error: str = ""
    seconds: float = 0.0


def read_report(path: pathlib.Path) -> dict[str, Outcome]:
    outcomes: dict[str, Outcome] = {}
    for line in path.read_text().splitlines() if path.exists() else []:
        entry = json.loads(line)
        outcome = outcomes.setdefault(entry["test"], Outcome())
        # A subtest's failure is reported before its test, whose outcome "passed" must not replace it.
        if outcome.kind not in ("failed", "error"):
            outcome.kind = entry["outcome"]
            outcome.error = entry.get("error", "")
        outcome.seconds += entry.get("seconds", 0.0)
    return outcomes


def run_file(suite: Suite, file: pathlib.Path, environment: dict[str, str]) -> dict[str, Outcome]:
    """Run a file. When a process ends early or loses its device, another one runs the remaining tests."""
    with tempfile.TemporaryDirectory(prefix="suite_") as folder:
        report = pathlib.Path(folder) / "report"
        for _ in range(MOST_PROCESSES):
            status, output = run_pytest(suite, file, {**environment, "SUITE_REPORT": str(report)})
            outcomes = read_report(report)
            begun = [name for name, outcome in outcomes.items() if outcome.kind == "begun"]
            with report.open("a") as lines:
                for name in begun:
                    print(
                        json.dumps({"test": name, "outcome": "crash", "error": output}), file=lines
                    )
            if not begun and status != DEVICE_LOST:
                if not outcomes and status not in (0, 1, 5):
                    outcomes[str(file)] = Outcome("error", output)
                break
        outcomes = {**outcomes, **read_report(report)}
    return {
        f"{file.relative_to(suite.tests)}::{test.partition('::')[2]}": outcome
        for test, outcome in outcomes.items()
    }


def run_pytest(suite: Suite, file: pathlib.Path, environment: dict[str, str]) -> tuple[int, str]:
    """Return pytest's exit status, and how it ended."""
    options = ["-q", "-p", "reporter", "-p", "no:cacheprovider", "-p", "no:faulthandler"]
    process = subprocess.Popen(
        [sys.executable, "-m", "pytest", *options, *suite.options, "--rootdir", str(suite.tests)]
        + suite.selection(file),
        env=environment,
        cwd=tempfile.gettempdir(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    output, _ = process.communicate()
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)  # processes that a test started
    if process.returncode == -signal.SIGALRM:
        return process.returncode, f"over {environment['SUITE_LIMIT']} s"
    if process.returncode < 0:
        output = f"{signal.Signals(-process.returncode).name}: {output[-400:]}"
    return process.returncode, output[-500:] or f"exit status {process.returncode}"


def environment_for(start: str, folder: str, options: argparse.Namespace) -> dict[str, str]:
    (pathlib.Path(folder) / "sitecustomize.py").write_text(start)
    path = os.pathsep.join(filter(None, [folder, str(HERE), os.environ.get("PYTHONPATH")]))
    return {
        **os.environ,
        "PYTHONPATH": path,
        "SUITE_LIMIT": str(options.limit),
        "SUITE_SAMPLE": str(options.sample),
        "SKERRY_EMULATE_SECONDS": "0",  # of a kernel: --limit holds
        "CUPY_TEST_GPU_LIMIT": "2",
        "NUMBA_CUDA_LOW_OCCUPANCY_WARNINGS": "0",  # about grids that are too small for a GPU
    }


def cause(error: str) -> str:
    """Return the error without numbers and addresses, to group tests that fail for the same reason."""
    lines = [line.strip() for line in error.splitlines() if line.strip()]
    text = lines[0] if lines else "no text"
    return re.sub(r"0x[0-9a-f]+|\d+", "#", text)[:160]


def compared(outcomes: dict[str, Outcome], allowed: dict[str, str]) -> tuple[list[str], list[str]]:
    """Return unexpected failures, and patterns of failures.toml that match no failure."""
    failed = [n for n, o in outcomes.items() if o.kind in FAILURES]
    unknown = [n for n in failed if not any(fnmatch.fnmatch(n, p) for p in allowed)]
    ran = [n for n, o in outcomes.items() if o.kind != "skipped"]
    unneeded = [
        pattern
        for pattern in allowed
        if any(fnmatch.fnmatch(name, pattern) for name in ran)
        and not any(fnmatch.fnmatch(name, pattern) for name in failed)
    ]
    return unknown, unneeded


def report(outcomes: dict[str, Outcome], unknown: list[str], unneeded: list[str]) -> None:
    causes: dict[str, list[str]] = collections.defaultdict(list)
    for name in unknown:
        causes[cause(outcomes[name].error)].append(name)
    for text, names in sorted(causes.items(), key=lambda item: -len(item[1])):
        print(f"{len(names)} x {text}")
        print(*(f"    {name}" for name in names), sep="\n")
    for pattern in unneeded:
        print(f"in failures.toml, but passes: {pattern}")
    counts = collections.Counter(outcome.kind for outcome in outcomes.values())
    print(", ".join(f"{counts[kind]} {kind}" for kind in KINDS))
    print(f"{len(unknown)} failures without a reason in failures.toml")


def counts_by_file(outcomes: dict[str, Outcome]) -> list[list[str]]:
    """Return a table: tests that pass, are skipped and fail. A failure that a test expects is a pass."""
    files: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)
    for name, outcome in sorted(outcomes.items()):
        for file in (name.partition("::")[0], "All"):
            files[file][outcome.kind] += 1
    files["All"] = files.pop("All")  # the last row
    columns = {"Passed": ("passed", "xfailed"), "Skipped": ("skipped",), "Failed": FAILURES}
    return [["File", *columns]] + [
        [file, *(str(sum(counts[kind] for kind in kinds)) for kinds in columns.values())]
        for file, counts in files.items()
    ]


def write_table(rows: list[list[str]], path: pathlib.Path) -> None:
    with path.open("w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)


def write_all(outcomes: dict[str, Outcome], path: pathlib.Path | None) -> None:
    """Write all outcomes so far; called after each file, so that an interrupted run leaves its results."""
    if path is not None:
        every = {name: dataclasses.asdict(outcome) for name, outcome in sorted(outcomes.items())}
        path.write_text(json.dumps(every, indent=1) + "\n")


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "files", nargs="*", help="files and folders below the folder of tests (all)"
    )
    parser.add_argument(
        "--mlir", type=pathlib.Path, help="checkout of NVIDIA/numba-cuda-mlir, whose tests to run"
    )
    parser.add_argument(
        "--cupy", type=pathlib.Path, help="checkout of cupy/cupy, whose tests to run"
    )
    parser.add_argument("--stumpy", action="store_true", help="run the tests of stumpy")
    parser.add_argument(
        "--simulator", action="store_true", help="on Numba's simulator (NUMBA_ENABLE_CUDASIM=1)"
    )
    parser.add_argument(
        "--limit", type=int, default=300, help="time limit of a test in seconds (300)"
    )
    parser.add_argument(
        "--sample", type=int, default=0, help="tests of each parametrized function, 0: all (0)"
    )
    parser.add_argument(
        "--jobs", type=int, default=os.cpu_count(), help="number of files that run in parallel"
    )
    parser.add_argument("--report", type=pathlib.Path, help="file for all outcomes, as JSON")
    parser.add_argument("--table", type=pathlib.Path, help="file for the counts by file, as CSV")
    parser.add_argument(
        "--libraries", help="folder of the emulator's libraries, instead of the package's"
    )
    return parser.parse_args()


def main() -> int:
    options = parse()
    if options.mlir:
        suite = suites.numba_cuda_mlir(options.mlir)
    elif options.cupy:
        suite = suites.cupy(options.cupy)
    elif options.stumpy:
        suite = suites.stumpy()
    else:
        suite = suites.numba_cuda()
    for path in (suite.site, suite.tests):
        if not path.exists():
            print(f"{path} is missing: see the targets of the Makefile", file=sys.stderr)
            return 1
    allowed = tomllib.loads((HERE / "failures.toml").read_text())[suite.name]
    load = REHEARSE
    if options.libraries:
        load = LOAD
        os.environ["SKERRY_EMULATOR"] = options.libraries
    if options.simulator:
        load = ""
        os.environ["NUMBA_ENABLE_CUDASIM"] = "1"
    began = time.perf_counter()
    outcomes: dict[str, Outcome] = {}
    with (
        tempfile.TemporaryDirectory(prefix="suite_") as folder,
        concurrent.futures.ThreadPoolExecutor(options.jobs) as pool,
    ):
        environment = environment_for(
            START.format(site=str(suite.site), load=load), folder, options
        )
        files = suite.files(options.files)
        runs = {pool.submit(run_file, suite, file, environment): file for file in files}
        for run in concurrent.futures.as_completed(runs):
            file_outcomes = run.result()
            outcomes.update(file_outcomes)
            write_all(outcomes, options.report)
            bad = sum(outcome.kind in FAILURES for outcome in file_outcomes.values())
            print(
                f"{runs[run].relative_to(suite.tests)}: {len(file_outcomes)} tests, {bad} failed",
                flush=True,
            )
    if options.table:
        write_table(counts_by_file(outcomes), options.table)
    unknown, unneeded = compared(outcomes, allowed)
    report(outcomes, unknown, unneeded)
    print(f"{time.perf_counter() - began:.0f} s")
    return 1 if unknown or unneeded else 0


if __name__ == "__main__":
    sys.exit(main())
