# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Run the suite with skerry and with the models of other consumers; write the tables of the documentation.

python -m tests.cai_suite.run [--write]
"""

import argparse
import csv
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile
from typing import Any

from tests.device_suite.report import FOLLOWED, NO_OFFER, NOT_FOLLOWED, read_recommendations
from tests.python.interchange.consumer_models import MODELS

from .dictionaries import ODD

FOLDER = pathlib.Path(__file__).parent
#: In folders of their own: numba-cuda takes the place of numba.cuda, and CuPy's import without a GPU is of no use.
FOLDERS = [str(pathlib.Path(sys.prefix) / name) for name in ("numba-cuda", "cupy")]
DOCS = FOLDER.parents[1] / "python" / "docs"
#: Libraries that run on the emulated GPU, and models of others.
EMULATED = {"numba_cuda": "numba_cuda", "cuda_core": "cuda.core", "cupy": "cupy"}
PRODUCERS = ("skerry", "numba_cuda", "cupy")
CELLS = {FOLLOWED: "yes", NOT_FOLLOWED: "**no**", NO_OFFER: ""}


def run_suite(side: str, adapter: str) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder, "report.json")
        command = [sys.executable, "-m", "pytest", str(FOLDER), "-q", "--tb=no", "-r", "N"]
        command += [f"--{side}={adapter}", f"--report={report}"]
        if adapter in EMULATED:  # before zarr's plugin imports CuPy
            command += ["-p", "skerry_emulator"]
        path = os.pathsep.join(filter(None, [os.environ.get("PYTHONPATH"), *FOLDERS]))
        environment = {**os.environ, "PYTHONPATH": path} if adapter in EMULATED else None
        subprocess.run(command, check=False, env=environment)
        if not report.exists():
            sys.exit(f"cai suite: no report of {side} {adapter}")
        return json.loads(report.read_text())


def emulated_libraries() -> list[str]:
    """Return skerry and the libraries that can run on the emulated GPU."""
    if importlib.util.find_spec("skerry_emulator") is None:
        print(f"skerry-emulator is not installed: without {', '.join(EMULATED)}")
        return ["skerry"]
    sys.path += FOLDERS
    missing = [name for name, module in EMULATED.items() if find(module) is None]
    print(f"not installed: {', '.join(missing) or 'none'}")
    return ["skerry", *(name for name in EMULATED if name not in missing)]


def find(module: str) -> Any:
    package = module.partition(".")[0]  # find_spec imports it to look for submodules
    return importlib.util.find_spec(package) and importlib.util.find_spec(module)


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
    emulated = emulated_libraries()
    producers = [run_suite("producer", name) for name in PRODUCERS if name in emulated]
    modeled = [f"models:{name}" for name in MODELS if name not in emulated]
    consumers = [run_suite("consumer", name) for name in [*emulated, *modeled]]
    if options.write:
        write("cai_producers.csv", rules_table("producer", producers))
        write("cai_consumers.csv", rules_table("consumer", consumers))
        write("cai_dictionaries.csv", odd_table(consumers))
    results = [*producers[0]["recommendations"].items(), *consumers[0]["recommendations"].items()]
    return int(any(result["status"] == NOT_FOLLOWED for _, result in results))


if __name__ == "__main__":
    sys.exit(main())
