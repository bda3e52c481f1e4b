# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Run the suite with every library and write the tables of python/docs/device_suite.rst.

    python -m tests.device_suite.run [--write] [LIBRARY ...]

Libraries that are not installed are named, and keep their column of the table. CuPy is run from .venv/cupy, if it is there,
on emulated GPUs where there is none.
"""

import argparse
import ast
import csv
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile
from typing import Any

from .report import FOLLOWED, NOT_FOLLOWED, NOT_TESTABLE, read_recommendations
from .standard import PAGES

FOLDER = pathlib.Path(__file__).parent
DOCS = FOLDER.parents[1] / "python" / "docs"
TABLE = DOCS / "device_suite.csv"
CUPY = pathlib.Path(sys.prefix) / "cupy"  # a folder of its own
#: Names as their libraries write them; the adapter's module first.
TITLES = {
    "skerry": "skerry",
    "array_api_strict": "array-api-strict",
    "jax": "JAX",
    "numpy": "NumPy",
    "dask": "dask",
    "torch": "PyTorch",
    "cupy": "CuPy",
}
CELLS = {FOLLOWED: "yes", NOT_FOLLOWED: "**no**", NOT_TESTABLE: "one device"}


def run_suite(name: str) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder, "report.json")
        command = [sys.executable, "-m", "pytest", str(FOLDER), "-q", "--tb=no", "-r", "N"]
        if name == "cupy" and not pathlib.Path("/dev/nvidiactl").exists():
            command += ["-p", "skerry_emulator"]
        path = os.pathsep.join(filter(None, [os.environ.get("PYTHONPATH"), str(CUPY)]))
        subprocess.run(
            [*command, f"--array-module={name}", f"--report={report}"],
            env={**os.environ, "PYTHONPATH": path},
            check=False,
        )
        if not report.exists():
            sys.exit(f"device suite: no report of {name}")
        return json.loads(report.read_text())


def page_of(row: dict[str, str]) -> str:
    """Return the address of a page of the standard, or of a proposal."""
    return row["page"] if row["proposal"] else f"{PAGES}/{row['page']}"


def earlier_columns(count: int) -> dict[str, list[str]]:
    """Return the columns of the table, by name of the library, if it has that many rows."""
    with TABLE.open(newline="") as file:
        columns = list(zip(*csv.reader(file), strict=True))[1:]
    return {
        name: list(column)
        for name, title in TITLES.items()
        for column in columns
        if column[0].startswith(f"{title} ") and len(column) == count + 1
    }


def write_table(reports: dict[str, dict[str, Any]]) -> None:
    rows = read_recommendations(FOLDER)
    columns = earlier_columns(len(rows))
    for name, report in reports.items():
        statuses = [report["recommendations"][row]["status"] for row in rows]
        columns[name] = [
            f"{TITLES[name]} {report['version']}",
            *(CELLS.get(status, status) for status in statuses),
        ]
    table = [columns[name] for name in TITLES if name in columns]
    with TABLE.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["Recommendation", *(column[0] for column in table)])
        for number, (name, row) in enumerate(rows.items(), 1):
            link = f"{row['recommendation']} (`{name} <{page_of(row)}>`__)"
            if row["proposal"]:
                link = f"*Provisional, {row['proposal']}:* {link}"
            writer.writerow([link, *(column[number] for column in table)])


def deviations() -> list[list[str]]:
    """Return library, deviation and file of each program in deviations, from its docstring."""
    rows = []
    for path in sorted((FOLDER / "deviations").glob("*.py")):
        text = ast.get_docstring(ast.parse(path.read_text()))
        if text is None:
            sys.exit(f"{path}: has no docstring")
        library, sentence = text.split(": ", 1)
        rows.append([library, sentence, f"``{path.name}``"])
    return rows


def write_deviations() -> None:
    with (DOCS / "device_deviations.csv").open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["Library", "What it does", "Program"])
        writer.writerows(deviations())


def main() -> int:
    parser = argparse.ArgumentParser(description="Run the device suite with every library.")
    parser.add_argument(
        "--write", action="store_true", help="write the tables of the documentation"
    )
    parser.add_argument("libraries", nargs="*", default=list(TITLES), metavar="LIBRARY")
    options = parser.parse_args()
    if options.write and options.libraries != list(TITLES):
        parser.error("--write takes no names: the tables have all libraries")
    sys.path.append(str(CUPY))
    reports = {}
    for name in options.libraries:
        if importlib.util.find_spec(name) is None:
            print(f"{TITLES[name]}: not installed")
            continue
        reports[name] = run_suite(name)
    if options.write:
        write_table(reports)
        write_deviations()
    results = reports.get("skerry", {"recommendations": {}})["recommendations"]
    return int(any(result["status"] != FOLLOWED for result in results.values()))


if __name__ == "__main__":
    sys.exit(main())
