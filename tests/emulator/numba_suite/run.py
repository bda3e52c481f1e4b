# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""``make numba-suite``: numba-cuda's own tests, as they are installed, on the emulated GPU.

    make numba-suite
    make numba-suite NUMBA_SUITE_OPTIONS="cudapy/test_atomics.py cudadrv"
    make numba-suite NUMBA_SUITE_OPTIONS="--limit 900 --jobs 4 --report /tmp/outcomes.json"
    SKERRY_EMULATE_TARGET=90 make numba-suite     with the tests for compute capability 8.9 and 9.0

Each file runs in a process of its own. Those that may fail stand in failures.toml with the reason; any other failure is
one here, and so is a test of that list that passes.
"""

from __future__ import annotations

import argparse
import collections
import concurrent.futures
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

HERE = pathlib.Path(__file__).resolve().parent
NUMBA_CUDA = pathlib.Path(sys.prefix) / "numba-cuda"
TESTS = NUMBA_CUDA / "numba_cuda" / "numba" / "cuda" / "tests"
# What measures, and what is about Numba's simulator.
LEFT_OUT = ("benchmarks", "cudasim")
MOST_PROCESSES = 60  # for one file
# In every process, those that tests start too: Numba looks for libraries by then.
START = """\
import site
site.addsitedir({numba_cuda!r})
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
    """Of one test; `error` is what it said last."""

    kind: str = "begun"
    error: str = ""
    seconds: float = 0.0


def read_report(path: pathlib.Path) -> tuple[dict[str, Outcome], bool]:
    """What tests did, and whether others are left for another process."""
    outcomes: dict[str, Outcome] = {}
    is_stopped = False
    for line in path.read_text().splitlines() if path.exists() else []:
        entry = json.loads(line)
        if entry["outcome"] == "stopped":
            is_stopped = True
            continue
        outcome = outcomes.setdefault(entry["test"], Outcome())
        # A subtest's failure comes before its test's end, which then says passed.
        if outcome.kind not in ("failed", "error"):
            outcome.kind = entry["outcome"]
            outcome.error = entry.get("error", "")
        outcome.seconds += entry.get("seconds", 0.0)
    return outcomes, is_stopped


def run_file(file: pathlib.Path, limit: float, environment: dict[str, str]) -> dict[str, Outcome]:
    """Run a file; what is left when a process ends or loses its device runs in another one."""
    outcomes: dict[str, Outcome] = {}
    with tempfile.TemporaryDirectory(prefix="numba_suite_") as folder:
        report = pathlib.Path(folder) / "report"
        deselected: list[str] = []
        for _ in range(MOST_PROCESSES):
            report.unlink(missing_ok=True)
            ended = run_pytest(
                file, deselected, limit, {**environment, "NUMBA_SUITE_REPORT": str(report)}
            )
            new_outcomes, is_stopped = read_report(report)
            outcomes.update(new_outcomes)
            begun = [name for name, outcome in new_outcomes.items() if outcome.kind == "begun"]
            if not begun and not is_stopped:
                if not new_outcomes and ended:
                    outcomes[str(file)] = Outcome("error", ended)
                break
            for name in begun:
                outcomes[name] = Outcome("crash", ended)
            deselected += new_outcomes  # what is done is done
    name = file.relative_to(TESTS)
    return {f"{name}::{test.partition('::')[2]}": outcome for test, outcome in outcomes.items()}


def run_pytest(
    file: pathlib.Path, deselected: list[str], limit: float, environment: dict[str, str]
) -> str:
    """What ended the process, empty if it went to its end."""
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "reporter",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:faulthandler",
    ]
    command += ["-c", os.devnull, "--rootdir", str(TESTS), "-o", "consider_namespace_packages=true"]
    command += [f"--deselect={name}" for name in deselected]
    # By its name: as a file it would be numba_cuda.numba.cuda's, a second time beside numba.cuda.
    parts = file.relative_to(TESTS).with_suffix("").parts
    module = ".".join(("numba", "cuda", "tests", *parts))
    process = subprocess.Popen(
        [*command, "--pyargs", module],
        env=environment,
        cwd=tempfile.gettempdir(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        output, _ = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return f"over {limit:.0f} s"
    if process.returncode < 0:
        return f"{signal.Signals(-process.returncode).name}: {output[-400:]}"
    return output[-400:] if process.returncode not in (0, 1, 5) else ""


def environment_for(start: str, folder: str) -> dict[str, str]:
    (pathlib.Path(folder) / "sitecustomize.py").write_text(start)
    path = os.pathsep.join(filter(None, [folder, str(HERE), os.environ.get("PYTHONPATH")]))
    # Warnings about grids too small for a GPU, one for each test.
    return {**os.environ, "PYTHONPATH": path, "NUMBA_CUDA_LOW_OCCUPANCY_WARNINGS": "0"}


def files_of(chosen: list[str]) -> list[pathlib.Path]:
    files: list[pathlib.Path] = []
    for name in chosen or [""]:
        path = TESTS / name
        files += sorted(path.rglob("test_*.py")) if path.is_dir() else [path]
    return [file for file in files if file.relative_to(TESTS).parts[0] not in LEFT_OUT]


def cause(error: str) -> str:
    """What several tests may have in common: the error without numbers and addresses."""
    lines = [line.strip() for line in error.splitlines() if line.strip()]
    text = lines[0] if lines else "no text"
    return re.sub(r"0x[0-9a-f]+|\d+", "#", text)[:160]


def compared(outcomes: dict[str, Outcome], allowed: dict[str, str]) -> tuple[list[str], list[str]]:
    """The tests that fail without a reason, and the patterns of the list that no failure has."""
    failed = [n for n, o in outcomes.items() if o.kind in ("failed", "error", "crash")]
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
    print(
        ", ".join(
            f"{counts[kind]} {kind}" for kind in ("passed", "skipped", "failed", "error", "crash")
        )
    )
    print(f"{len(unknown)} failures without a reason in failures.toml")


def write_all(outcomes: dict[str, Outcome], path: pathlib.Path | None) -> None:
    """After each file, so that a run that is ended leaves what it found."""
    if path is not None:
        every = {name: dataclasses.asdict(outcome) for name, outcome in sorted(outcomes.items())}
        path.write_text(json.dumps(every, indent=1) + "\n")


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="*", help="files and folders below numba/cuda/tests (all)")
    parser.add_argument("--limit", type=float, default=600, help="seconds for a file (600)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="files at a time")
    parser.add_argument("--report", type=pathlib.Path, help="a file for all outcomes, as JSON")
    parser.add_argument("--libraries", help="a folder with the emulator, in place of the package's")
    return parser.parse_args()


def main() -> int:
    options = parse()
    if not TESTS.exists():
        print(f"numba-cuda is not in {NUMBA_CUDA}; make puts it there", file=sys.stderr)
        return 1
    allowed = tomllib.loads((HERE / "failures.toml").read_text())
    load = REHEARSE
    if options.libraries:
        load = LOAD
        os.environ["SKERRY_EMULATOR"] = options.libraries
    began = time.perf_counter()
    outcomes: dict[str, Outcome] = {}
    with (
        tempfile.TemporaryDirectory(prefix="numba_suite_") as folder,
        concurrent.futures.ThreadPoolExecutor(options.jobs) as pool,
    ):
        environment = environment_for(START.format(numba_cuda=str(NUMBA_CUDA), load=load), folder)
        files = files_of(options.files)
        runs = {pool.submit(run_file, file, options.limit, environment): file for file in files}
        for run in concurrent.futures.as_completed(runs):
            file_outcomes = run.result()
            outcomes.update(file_outcomes)
            write_all(outcomes, options.report)
            bad = sum(
                outcome.kind not in ("passed", "skipped") for outcome in file_outcomes.values()
            )
            print(
                f"{runs[run].relative_to(TESTS)}: {len(file_outcomes)} tests, {bad} failed",
                flush=True,
            )
    unknown, unneeded = compared(outcomes, allowed)
    report(outcomes, unknown, unneeded)
    print(f"{time.perf_counter() - began:.0f} s")
    return 1 if unknown or unneeded else 0


if __name__ == "__main__":
    sys.exit(main())
