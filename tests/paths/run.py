# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""`make paths`: checks that tests take every branch of the CPU kernels and of fusion both ways.

Builds skerry with counters (gcov) in ops/*/cpu and ops/fuse, runs the Python tests with that build, and lists the
conditions that were always true or always false. `untaken.csv` lists those that no test can take both ways, with
reasons. Any other such condition is a failure, and so is an outdated row. Conditions of loops are ignored, and so are
branches that the compiler generates for lines without a condition. Counts of all dtypes are added up. Failing tests
are ignored.
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

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "paths"
PACKAGE = BUILD / "package"
EXCEPTIONS = pathlib.Path(__file__).with_name("untaken.csv")
#: Stands for all conditions of a file.
WHOLE_FILE = "*"
COUNTED = re.compile(r"ops/(?:\w+/cpu|fuse)/[\w/]+\.[ch]pp$")
CONDITION = re.compile(r"\bif\b|\?|&&|\|\||\bcase\b")
LOOP = re.compile(r"(?:\} )?(?:for|while) ?\(|\+\+\w+\)")


def build(jobs: int) -> None:
    options = {
        "SKERRY_COVERAGE": "ON",
        "SKERRY_CUDA": "OFF",
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


def run_tests(jobs: int, tests: list[str]) -> bool:
    """Run the tests in `jobs` processes, which write their counts at exit. Return whether pytest reports an aborted run."""
    for counts in BUILD.rglob("*.gcda"):
        counts.unlink()
    search = os.pathsep.join(filter(None, [str(PACKAGE), os.environ.get("PYTHONPATH")]))
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    shares = [
        subprocess.Popen(
            [*command, f"--share={part}/{jobs}", *tests],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": search},
        )
        for part in range(1, jobs + 1)
    ]  # fmt: skip
    statuses = [share.wait() for share in shares]  # negative: ended by a signal
    return any(not 0 <= status <= pytest.ExitCode.TESTS_FAILED for status in statuses)


def read_counts(path: pathlib.Path) -> list[tuple[str, int, int, tuple[int, ...]]]:
    """Return source, line, number of branches and counts of each branch, for each function that contains the line."""
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
                counts = tuple(
                    branch["count"] for branch in line["branches"] if not branch["throw"]
                )
                if counts:
                    rows.append((name, line["line_number"], len(counts), counts))
    return rows


def add_up(jobs: int) -> dict[tuple[str, int, int], list[int]]:
    totals: dict[tuple[str, int, int], list[int]] = collections.defaultdict(list)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for rows in pool.map(read_counts, sorted(BUILD.rglob("*.gcda"))):
            for name, line, width, counts in rows:
                total_counts = totals[name, line, width] or [0] * width
                totals[name, line, width] = [
                    a + b for a, b in zip(total_counts, counts, strict=True)
                ]
    return totals


def of_conditions(text: str, counts: list[int]) -> list[int]:
    """Return the counts of both ways of each condition of a line, or of all together if their number does not match."""
    width = 2 * max(len(re.findall(r"\bif\b|\?", text)) + len(re.findall(r"&&|\|\|", text)), 1)
    width = width if len(counts) % width == 0 else 2
    return [sum(counts[way::width]) for way in range(width)]


def untaken(
    totals: dict[tuple[str, int, int], list[int]],
) -> tuple[dict[tuple[str, str], int], int]:
    """Return file, text and line of each condition that was not taken both ways, and the number of conditions.

    Instantiations of a template can have different numbers of branches in a line, as some conditions are constant. A
    line counts as taken both ways if that holds for one of these numbers. A line has its branches several times where
    it is inlined: those of the same condition are added up.
    """
    lines: dict[tuple[str, int], list[list[int]]] = collections.defaultdict(list)
    for (name, line, _), counts in totals.items():
        lines[name, line].append(counts)
    untaken_lines = {}
    counted = 0
    texts: dict[str, list[str]] = {}
    for (name, line), ways in lines.items():
        text = texts.setdefault(name, (ROOT / name).read_text().splitlines())[line - 1].strip()
        code = text.split("//")[0]
        if LOOP.search(code) or not CONDITION.search(code):
            continue
        counted += 1
        if all(min(of_conditions(code, counts)) == 0 for counts in ways):
            untaken_lines[name, text] = line
    return untaken_lines, counted


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--no-build", action="store_true", help="use the previous build")
    parser.add_argument("--no-tests", action="store_true", help="use the previous counts")
    parser.add_argument("tests", nargs="*", help="files and options of pytest (all tests)")
    options = parser.parse_args()
    if not options.no_build:
        build(options.jobs)
    broke_off = False if options.no_tests else run_tests(options.jobs, options.tests)
    untaken_lines, counted = untaken(add_up(options.jobs))
    with EXCEPTIONS.open() as file:
        excused = {(row["file"], row["condition"]) for row in csv.DictReader(file)}
    whole = {name for name, text in excused if text == WHOLE_FILE}
    unexcused = {
        key: line
        for key, line in untaken_lines.items()
        if key not in excused and key[0] not in whole
    }
    for (name, text), line in sorted(unexcused.items(), key=lambda entry: (entry[0][0], entry[1])):
        print(f"not taken both ways: {name}:{line}: {text}")
    files = {name for name, _ in untaken_lines}
    stale = [
        key for key in sorted(excused) if key not in untaken_lines and key[0] not in whole & files
    ]
    for name, text in stale:
        print(f"outdated in {EXCEPTIONS.name}: {name}: {text}")
    print(
        f"{counted} conditions, {len(untaken_lines)} not taken both ways: {len(untaken_lines) - len(unexcused)} excused, "
        f"{len(unexcused)} not; {len(stale)} outdated rows"
    )
    return int(broke_off or bool(unexcused) or bool(stale))


if __name__ == "__main__":
    sys.exit(main())
