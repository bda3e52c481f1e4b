# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""``make numba-suite``: runs numba-cuda's own tests, as installed, on the emulated GPU, and numba-cuda-mlir's.

    make numba-suite
    make numba-suite NUMBA_SUITE_OPTIONS="cudapy/test_atomics.py cudadrv"
    make numba-suite NUMBA_SUITE_OPTIONS="--limit 900 --jobs 4 --report /tmp/outcomes.json"
    SKERRY_EMULATE_TARGET=90 make numba-suite     with the tests for compute capability 8.9 and 9.0
    make numba-suite NUMBA_CUDA_MLIR_DIR=<checkout of NVIDIA/numba-cuda-mlir>     its tests, which are in no package

Each file runs in its own process. Expected failures are listed in failures.toml with their reasons. Any other failure
is an error, and so is a listed test that passes.
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
# Benchmarks, and tests of Numba's simulator.
LEFT_OUT = ("benchmarks", "cudasim")
MOST_PROCESSES = 60  # for one file
# sitecustomize.py: runs in every process, including those that tests start, before Numba looks for libraries.
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


@dataclasses.dataclass(frozen=True)
class Suite:
    """The tests of a package. `module` is the name of their package where it is imported by name."""

    name: str
    site: pathlib.Path  # where the package is installed
    tests: pathlib.Path
    module: str = ""

    def files(self, chosen: list[str]) -> list[pathlib.Path]:
        """Return the chosen files and those of the chosen folders. All files of a checkout are those at its top."""
        if not chosen and not self.module:
            return sorted(self.tests.glob("test_*.py"))
        files: list[pathlib.Path] = []
        for name in chosen or [""]:
            path = self.tests / name
            files += sorted(path.rglob("test_*.py")) if path.is_dir() else [path]
        return [file for file in files if file.relative_to(self.tests).parts[0] not in LEFT_OUT]

    def selection(self, file: pathlib.Path) -> list[str]:
        """Return pytest's arguments for a file."""
        if not self.module:
            return [str(file)]
        # By module name: by file name it would be imported a second time, as a module of numba_cuda.numba.cuda.
        parts = file.relative_to(self.tests).with_suffix("").parts
        module = ".".join((self.module, *parts))
        return ["-o", "consider_namespace_packages=true", "--pyargs", module]


def suite_of(mlir: pathlib.Path | None) -> Suite:
    packages = pathlib.Path(sys.prefix)
    if mlir is not None:
        return Suite("numba-cuda-mlir", packages / "numba-cuda-mlir", mlir.resolve() / "tests")
    site = packages / "numba-cuda"
    tests = site / "numba_cuda" / "numba" / "cuda" / "tests"
    return Suite("numba-cuda", site, tests, "numba.cuda.tests")


@dataclasses.dataclass
class Outcome:
    """Outcome of one test. `error` is its error text; after a crash, how the process ended and the end of its output."""

    kind: str = "begun"
    error: str = ""
    seconds: float = 0.0


def read_report(path: pathlib.Path) -> tuple[dict[str, Outcome], bool]:
    """Return the outcomes of tests, and whether other tests remain for another process."""
    outcomes: dict[str, Outcome] = {}
    is_stopped = False
    for line in path.read_text().splitlines() if path.exists() else []:
        entry = json.loads(line)
        if entry["outcome"] == "stopped":
            is_stopped = True
            continue
        outcome = outcomes.setdefault(entry["test"], Outcome())
        # A subtest's failure is reported before its test, whose outcome "passed" must not replace it.
        if outcome.kind not in ("failed", "error"):
            outcome.kind = entry["outcome"]
            outcome.error = entry.get("error", "")
        outcome.seconds += entry.get("seconds", 0.0)
    return outcomes, is_stopped


def run_file(
    suite: Suite, file: pathlib.Path, limit: float, environment: dict[str, str]
) -> dict[str, Outcome]:
    """Run a file. When a process ends early or loses its device, another one runs the remaining tests."""
    outcomes: dict[str, Outcome] = {}
    with tempfile.TemporaryDirectory(prefix="numba_suite_") as folder:
        report = pathlib.Path(folder) / "report"
        deselected: list[str] = []
        for _ in range(MOST_PROCESSES):
            report.unlink(missing_ok=True)
            ended = run_pytest(
                suite, file, deselected, limit, {**environment, "NUMBA_SUITE_REPORT": str(report)}
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
            deselected += new_outcomes  # don't repeat tests
    return {
        f"{file.relative_to(suite.tests)}::{test.partition('::')[2]}": outcome
        for test, outcome in outcomes.items()
    }


def run_pytest(
    suite: Suite,
    file: pathlib.Path,
    deselected: list[str],
    limit: float,
    environment: dict[str, str],
) -> str:
    """Return what ended the process early, or an empty string."""
    options = "-q -p reporter -p no:cacheprovider -p no:faulthandler -c".split()
    command = [sys.executable, "-m", "pytest", *options, os.devnull, "--rootdir", str(suite.tests)]
    command += [f"--deselect={name}" for name in deselected]
    process = subprocess.Popen(
        [*command, *suite.selection(file)],
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
    # Disables warnings about grids that are too small for a GPU.
    return {**os.environ, "PYTHONPATH": path, "NUMBA_CUDA_LOW_OCCUPANCY_WARNINGS": "0"}


def cause(error: str) -> str:
    """Return the error without numbers and addresses, to group tests that fail for the same reason."""
    lines = [line.strip() for line in error.splitlines() if line.strip()]
    text = lines[0] if lines else "no text"
    return re.sub(r"0x[0-9a-f]+|\d+", "#", text)[:160]


def compared(outcomes: dict[str, Outcome], allowed: dict[str, str]) -> tuple[list[str], list[str]]:
    """Return unexpected failures, and patterns of failures.toml that match no failure."""
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
        "--limit", type=float, default=600, help="time limit of a file in seconds (600)"
    )
    parser.add_argument(
        "--jobs", type=int, default=os.cpu_count(), help="number of files that run in parallel"
    )
    parser.add_argument("--report", type=pathlib.Path, help="file for all outcomes, as JSON")
    parser.add_argument(
        "--libraries", help="folder of the emulator's libraries, instead of the package's"
    )
    return parser.parse_args()


def main() -> int:
    options = parse()
    suite = suite_of(options.mlir)
    for path in (suite.site, suite.tests):
        if not path.exists():
            print(f"{path} is missing; make numba-suite installs {suite.name}", file=sys.stderr)
            return 1
    allowed = tomllib.loads((HERE / "failures.toml").read_text())[suite.name]
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
        environment = environment_for(START.format(site=str(suite.site), load=load), folder)
        files = suite.files(options.files)
        runs = {
            pool.submit(run_file, suite, file, options.limit, environment): file for file in files
        }
        for run in concurrent.futures.as_completed(runs):
            file_outcomes = run.result()
            outcomes.update(file_outcomes)
            write_all(outcomes, options.report)
            bad = sum(
                outcome.kind not in ("passed", "skipped") for outcome in file_outcomes.values()
            )
            print(
                f"{runs[run].relative_to(suite.tests)}: {len(file_outcomes)} tests, {bad} failed",
                flush=True,
            )
    unknown, unneeded = compared(outcomes, allowed)
    report(outcomes, unknown, unneeded)
    print(f"{time.perf_counter() - began:.0f} s")
    return 1 if unknown or unneeded else 0


if __name__ == "__main__":
    sys.exit(main())
