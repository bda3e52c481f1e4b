# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""``make conformance ARRAY_API_TESTS_DIR=…``: runs the official suite, unmodified, once per default device.

The suite (data-apis/array-api-tests, with its submodule) is a separate checkout, not part of this repository. No file
skips items or marks them as expected failures. On CPU devices Hypothesis' deadline of 800 ms per example is enabled.
On CUDA devices one test is corrected as in later versions of the suite; see ``dunder_dlpack.py``.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile
import time
from collections import Counter
from xml.etree import ElementTree

HERE = pathlib.Path(__file__).resolve().parent
VERSION = "2025.12"


class Result:
    """Outcome of one run: numbers of passed, failed and skipped items, and the names of the latter two."""

    def __init__(self, device: str, seed: int, code: int, seconds: float, report: pathlib.Path):
        self.device, self.seed, self.code, self.seconds = device, seed, code, seconds
        self.count: Counter[str] = Counter()
        self.failed: list[str] = []
        self.skipped: list[str] = []
        if report.exists():
            for case in ElementTree.parse(report).iter("testcase"):
                self._add(case)

    def _add(self, case: ElementTree.Element) -> None:
        name = f"{case.get('classname', '')}::{case.get('name', '')}".removeprefix(
            "array_api_tests."
        )
        skipped = case.find("skipped")
        if case.find("failure") is not None or case.find("error") is not None:
            self.count["failed"] += 1
            self.failed.append(name)
        elif skipped is not None:
            self.count["skipped"] += 1
            self.skipped.append(f"{name}: {skipped.get('message', '')}")
        else:
            self.count["passed"] += 1

    def line(self) -> str:
        counts = ", ".join(f"{self.count[kind]} {kind}" for kind in ("passed", "failed", "skipped"))
        return f"{self.device:<8} seed {self.seed}: {counts} in {self.seconds:.0f} s"


def environment_for(device: str) -> dict[str, str]:
    """Return variables for two logical CPU devices, a rehearsed CUDA device, and the tested device as the default."""
    environment = {
        **os.environ,
        "SKERRY_CPU_DEVICES": "2",
        "ARRAY_API_TESTS_MODULE": f"exec('import skerry as xp; xp.set_default_device(\"{device}\")')",
        "ARRAY_API_TESTS_VERSION": VERSION,
        "PYTHONPATH": os.pathsep.join(filter(None, [str(HERE), os.environ.get("PYTHONPATH")])),
    }
    if not pathlib.Path("/dev/nvidiactl").exists() and environment.get("SKERRY_EMULATED") != "1":
        environment.setdefault("SKERRY_REHEARSE", "1")
    # One process per core: more threads would only compete.
    environment.setdefault("SKERRY_NUM_THREADS", "1")
    return environment


def run(options: argparse.Namespace, device: str, seed: int, more: list[str]) -> Result:
    """Run the suite with ``device`` as the default."""
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder, "report.xml")
        command = [sys.executable, "-m", "pytest", *(options.files or ["array_api_tests"])]
        command += ["-q", "--tb=short", f"--junit-xml={report}", f"--hypothesis-seed={seed}"]
        command += [f"--max-examples={options.max_examples}"]
        if options.workers > 1 and importlib.util.find_spec("xdist"):
            command += ["-n", str(options.workers)]
        if options.unskip:
            command += ["-p", "unskip"]
        if device.startswith("cuda"):
            command += ["--disable-deadline", "-p", "dunder_dlpack"]
        start = time.monotonic()
        process = subprocess.run(
            [*command, *more], cwd=options.suite, env=environment_for(device), check=False
        )
        return Result(device, seed, process.returncode, time.monotonic() - start, report)


def parse(arguments: list[str]) -> tuple[argparse.Namespace, list[str]]:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "suite", type=pathlib.Path, help="checkout of data-apis/array-api-tests with its submodule"
    )
    parser.add_argument("--devices", default="cpu:0,cpu:1,cuda:0", help="default: %(default)s")
    parser.add_argument("--max-examples", type=int, default=300, help="default: %(default)s")
    parser.add_argument("--seeds", default="0", help="comma-separated; default: %(default)s")
    parser.add_argument(
        "--files", nargs="+", help="only these, such as array_api_tests/test_fft.py"
    )
    parser.add_argument(
        "--unskip", action="store_true", help="also run items that the suite skips as flaky"
    )
    parser.add_argument(
        "-n", "--workers", type=int, default=len(os.sched_getaffinity(0)), help="processes"
    )
    return parser.parse_known_args(arguments)


def problem(suite: pathlib.Path) -> str | None:
    """Return what is wrong with the checkout, or None."""
    if not (suite / "array_api_tests").is_dir():
        return f"{suite} is not a checkout of data-apis/array-api-tests; set ARRAY_API_TESTS_DIR=<folder>"
    if not (suite / "array-api" / "spec" / VERSION).is_dir():
        return f"{suite}/array-api is empty; run git submodule update --init in the checkout"
    for name in ("xfails.txt", "skips.txt"):
        if (suite / name).exists():
            return f"{suite}/{name} would hide failures; remove it"
    return None


def main() -> int:
    """Run the suite on every device with every seed. Return 0 if nothing failed."""
    options, more = parse(sys.argv[1:])
    options.suite = options.suite.resolve()
    wrong = problem(options.suite)
    if wrong:
        print(f"conformance: {wrong}")
        return 2
    results = [
        run(options, device, int(seed), more)
        for device in options.devices.split(",")
        for seed in options.seeds.split(",")
    ]
    print()
    for name in sorted({name for result in results for name in result.skipped}):
        print(f"skipped by the suite itself: {name}")
    for result in results:
        for name in result.failed:
            print(f"failed on {result.device}, seed {result.seed}: {name}")
    for result in results:
        print(result.line())
    return max(result.code for result in results)


if __name__ == "__main__":
    sys.exit(main())
