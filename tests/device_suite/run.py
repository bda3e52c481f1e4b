# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Run the suite with every library and write the tables of python/docs/device_suite.rst.

    python -m tests.device_suite.run [--write] [LIBRARY ...]

Libraries that are not installed are named and left out of the tables.
"""

import argparse
import ast
import csv
import importlib.util
import json
import pathlib
import subprocess
import sys
import tempfile
from typing import Any

from .report import FOLLOWED, NOT_FOLLOWED, NOT_TESTABLE, read_recommendations
from .standard import PAGES

FOLDER = pathlib.Path(__file__).parent
DOCS = FOLDER.parents[1] / "python" / "docs"
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
        subprocess.run([*command, f"--array-module={name}", f"--report={report}"], check=False)
        if not report.exists():
            sys.exit(f"device suite: no report of {name}")
        return json.loads(report.read_text())


def page_of(row: dict[str, str]) -> str:
    """Return the address of a page of the standard, or of a proposal."""
    return row["page"] if row["proposal"] else f"{PAGES}/{row['page']}"


def write_table(reports: dict[str, dict[str, Any]]) -> None:
    with (DOCS / "device_suite.csv").open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(
            ["Recommendation", *(f"{TITLES[n]} {r['version']}" for n, r in reports.items())]
        )
        for name, row in read_recommendations(FOLDER).items():
            results = [report["recommendations"][name]["status"] for report in reports.values()]
            link = f"{row['recommendation']} (`{name} <{page_of(row)}>`__)"
            if row["proposal"]:
                link = f"*Provisional, {row['proposal']}:* {link}"
            writer.writerow([link, *(CELLS.get(status, status) for status in results)])


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
