# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""`make paths`: is every branch of the CPU kernels and of fusion taken, both ways, by some test?

Builds skerry with counters (gcov) in ops/*/cpu and ops/fuse, runs the Python tests with that build, and lists the
conditions of which one way was never taken. `untaken.csv` beside this file has those that no test can take, each with
its reason; anything else, and a row that is out of date, is a failure. Conditions of loops are left out: they only say
how often. Counts of all dtypes are added up.
"""

import argparse
import collections
import concurrent.futures
import csv
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "paths"
PACKAGE = BUILD / "package"
EXCEPTIONS = pathlib.Path(__file__).with_name("untaken.csv")
COUNTED = re.compile(r"ops/(?:\w+/cpu|fuse)/[\w/]+\.[ch]pp$")
LOOP = re.compile(r"(?:\} )?(?:for|while) ?\(|\+\+\w+\)")


def build(jobs: int) -> None:
    options = {
        "SKERRY_COVERAGE": "ON",
        "SKERRY_CUDA": "OFF",
        "SKERRY_EMULATED_GPU": "OFF",
        "SKERRY_TESTS": "OFF",
        "SKERRY_CPU_TARGETS": "native",
        "Python_EXECUTABLE": sys.executable,
    }
    settings = [f"-D{name}={value}" for name, value in options.items()]
    subprocess.run(
        ["cmake", "-S", str(ROOT), "-B", str(BUILD), "-G", "Ninja", *settings], check=True
    )
    subprocess.run(
        ["cmake", "--build", str(BUILD), "-j", str(jobs), "--target", "_core"], check=True
    )
    shutil.rmtree(PACKAGE, ignore_errors=True)
    shutil.copytree(ROOT / "python" / "skerry", PACKAGE / "skerry")
    for module in (BUILD / "python").glob("_core*.so"):
        shutil.copy(module, PACKAGE / "skerry")


def run_tests(jobs: int, tests: list[str]) -> int:
    """Each share in a process of its own that exits as programs do: then the counts are written."""
    for counts in BUILD.rglob("*.gcda"):
        counts.unlink()
    search = os.pathsep.join(filter(None, [str(PACKAGE), os.environ.get("PYTHONPATH")]))
    shares = [
        subprocess.Popen(
            [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--share={part}/{jobs}", *tests],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": search},
        )
        for part in range(1, jobs + 1)
    ]  # fmt: skip
    return max(share.wait() for share in shares)


def read_counts(path: pathlib.Path) -> list[tuple[str, int, int, tuple[int, ...]]]:
    """Source, line, how many branches it has, and how often each was taken, for each function that has the line."""
    done = subprocess.run(
        ["gcov", "--json-format", "--branch-probabilities", "--stdout", str(path)],
        capture_output=True,
        cwd=path.parent,
        check=True,
    )
    rows = []
    for text in done.stdout.splitlines():
        report = json.loads(text)
        for file in report["files"]:
            name = os.path.relpath(
                os.path.join(report["current_working_directory"], file["file"]), ROOT
            )
            if not COUNTED.match(name):
                continue
            for line in file["lines"]:
                taken = tuple(each["count"] for each in line["branches"] if not each["throw"])
                if taken:
                    rows.append((name, line["line_number"], len(taken), taken))
    return rows


def add_up(jobs: int) -> dict[tuple[str, int, int], list[int]]:
    totals: dict[tuple[str, int, int], list[int]] = collections.defaultdict(list)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for rows in pool.map(read_counts, sorted(BUILD.rglob("*.gcda"))):
            for name, line, width, taken in rows:
                known = totals[name, line, width] or [0] * width
                totals[name, line, width] = [a + b for a, b in zip(known, taken, strict=True)]
    return totals


def untaken(totals: dict[tuple[str, int, int], list[int]]) -> tuple[set[tuple[str, str]], int]:
    """File and text of each condition of which one way was never taken, and how many conditions there are.

    One line can have another number of branches in each instantiation of a template, as some are known there: a way
    counts as taken if every number of branches has one instantiation that took all of its ways, or none that ran.
    """
    lines: dict[tuple[str, int], list[list[int]]] = collections.defaultdict(list)
    for (name, line, _), taken in totals.items():
        lines[name, line].append(taken)
    found = set()
    counted = 0
    texts: dict[str, list[str]] = {}
    for (name, line), ways in lines.items():
        text = texts.setdefault(name, (ROOT / name).read_text().splitlines())[line - 1].strip()
        if LOOP.search(text):
            continue
        counted += 1
        if all(min(taken) == 0 for taken in ways):
            found.add((name, text))
    return found, counted


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--no-build", action="store_true", help="with what was built before")
    parser.add_argument("--no-tests", action="store_true", help="with what was counted before")
    parser.add_argument("tests", nargs="*", help="files and options of pytest; all tests")
    options = parser.parse_args()
    if not options.no_build:
        build(options.jobs)
    status = 0 if options.no_tests else run_tests(options.jobs, options.tests)
    found, counted = untaken(add_up(options.jobs))
    with EXCEPTIONS.open() as file:
        excused = {(row["file"], row["condition"]) for row in csv.DictReader(file)}
    for name, text in sorted(found - excused):
        print(f"never both ways: {name}: {text}")
    stale = sorted(excused - found)
    for name, text in stale:
        print(f"out of date in {EXCEPTIONS.name}: {name}: {text}")
    print(
        f"{counted} conditions, {len(found)} not taken both ways: {len(found & excused)} excused, "
        f"{len(found - excused)} not; {len(stale)} rows out of date"
    )
    return int(status != 0 or bool(found - excused) or bool(stale))


if __name__ == "__main__":
    sys.exit(main())
