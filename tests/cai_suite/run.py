# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Run the suite with skerry and with the models of other consumers; write the tables of the documentation.

python -m tests.cai_suite.run [--write]
"""

import argparse
import csv
import json
import pathlib
import subprocess
import sys
import tempfile
from typing import Any

from tests.device_suite.report import FOLLOWED, NO_OFFER, NOT_FOLLOWED, read_recommendations
from tests.python.interchange.consumer_models import MODELS

from .dictionaries import ODD

FOLDER = pathlib.Path(__file__).parent
DOCS = FOLDER.parents[1] / "python" / "docs"
CONSUMERS = ["skerry", *(f"models:{name}" for name in MODELS)]
CELLS = {FOLLOWED: "yes", NOT_FOLLOWED: "**no**", NO_OFFER: ""}


def run_suite(side: str, adapter: str) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder, "report.json")
        command = [sys.executable, "-m", "pytest", str(FOLDER), "-q", "--tb=no", "-r", "N"]
        subprocess.run([*command, f"--{side}={adapter}", f"--report={report}"], check=False)
        if not report.exists():
            sys.exit(f"cai suite: no report of {side} {adapter}")
        return json.loads(report.read_text())


def write(name: str, rows: list[list[str]]) -> None:
    with (DOCS / name).open("w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)


def rules_table(side: str, reports: list[dict[str, Any]]) -> list[list[str]]:
    header = ["Rule", "Versions", *(report["title"] for report in reports)]
    rules = [row for row in read_recommendations(FOLDER).values() if row["side"] == side]
    return [header] + [
        [
            row["rule"],
            row["versions"],
            *(CELLS[report["recommendations"][row["name"]]["status"]] for report in reports),
        ]
        for row in rules
    ]


def odd_table(reports: list[dict[str, Any]]) -> list[list[str]]:
    header = ["Dictionary", "Should get", *(report["title"] for report in reports)]
    return [header] + [
        [odd.name, odd.should_get, *(report["outcomes"].get(odd.name, "") for report in reports)]
        for odd in ODD
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description="Run the suite of the CUDA Array Interface.")
    parser.add_argument(
        "--write", action="store_true", help="write the tables of the documentation"
    )
    options = parser.parse_args()
    producer = run_suite("producer", "skerry")
    consumers = [run_suite("consumer", adapter) for adapter in CONSUMERS]
    if options.write:
        write("cai_producers.csv", rules_table("producer", [producer]))
        write("cai_consumers.csv", rules_table("consumer", consumers))
        write("cai_dictionaries.csv", odd_table(consumers))
    results = [*producer["recommendations"].items(), *consumers[0]["recommendations"].items()]
    return int(any(result["status"] == NOT_FOLLOWED for _, result in results))


if __name__ == "__main__":
    sys.exit(main())
