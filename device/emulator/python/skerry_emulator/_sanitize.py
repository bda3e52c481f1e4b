# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""``python -m skerry sanitize script.py``: a script's CUDA kernels under all checks, by several schedules."""

from __future__ import annotations

import argparse
import contextlib
import json
import pathlib
import re
import subprocess
import sys
import tempfile

from skerry_emulator._context import CHECKS, LIMIT, chosen_checks
from skerry_emulator._reports import KernelReport, format_rows

# A kernel has a second to end by itself.
SECONDS_TO_REPORT = 5
INTERRUPTED = 130
CAPABILITIES = (80, 90)


def _count(text: str) -> int:
    if (number := int(text)) < 1:
        raise argparse.ArgumentTypeError(f"{number} is less than 1")
    return number


def _checks(text: str) -> str:
    try:
        chosen_checks(text)
    except ValueError as problem:
        raise argparse.ArgumentTypeError(str(problem).removeprefix("checks: ")) from None
    return text


def _program(text: str) -> str:
    if not pathlib.Path(text).exists():
        raise argparse.ArgumentTypeError(f"there is no {text}")
    return text


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options, and the script with its arguments."""
    parser.add_argument(
        "--schedules", type=_count, default=3, metavar="N", help="how many are tried (3)"
    )
    parser.add_argument(
        "--checks",
        type=_checks,
        default="all",
        help=f"by commas: {', '.join(CHECKS)}; all, none (all)",
    )
    parser.add_argument(
        "--devices", type=_count, default=2, help="how many emulated GPUs there are (2)"
    )
    parser.add_argument(
        "--capability", type=int, choices=CAPABILITIES, help="their compute capability (80)"
    )
    parser.add_argument(
        "--limit", type=int, default=LIMIT, help="instructions after which a kernel never ends"
    )
    parser.add_argument("script", type=_program, help="the program")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="of the program")


def _run(options: argparse.Namespace, seed: int) -> tuple[int, list[KernelReport] | None]:
    """Give the exit status of a schedule and what it found: None if the process ended before it could say so."""
    with tempfile.TemporaryDirectory() as folder:
        reports = pathlib.Path(folder) / "reports.json"
        numbers = [options.devices, options.capability or 0, seed, options.checks, options.limit]
        command = [
            sys.executable,
            "-m",
            "skerry_emulator._sanitized_script",
            reports,
            *numbers,
            options.script,
        ]
        # What the program prints is the same each time.
        shown = None if seed == 0 else subprocess.DEVNULL
        code = _wait_for([*map(str, command), *options.arguments], shown)
        if not reports.exists():
            return code, None
        return code, [KernelReport(**entry) for entry in json.loads(reports.read_text())]


def _wait_for(command: list[str], output: int | None) -> int:
    """Give the exit status; a process that is interrupted with this one has time to say where its kernel was."""
    with subprocess.Popen(command, stdout=output, stderr=output) as process:
        try:
            return process.wait()
        except KeyboardInterrupt:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(SECONDS_TO_REPORT)
            process.kill()
            return INTERRUPTED


def _key(report: KernelReport) -> tuple[str, ...]:
    """Give what is the same of a finding in every schedule: not who waits first, nor the name of a temporary file."""
    positions = ("" if report.waiting else report.place, report.other_place)
    folder = re.escape(tempfile.gettempdir())
    steady = (
        re.sub(rf"^({folder}/.*?)[a-z0-9_]{{8}}(\.\w+:\d+)$", r"\1*\2", one) for one in positions
    )
    return (report.kind, report.kernel or "", *steady)


def main(options: argparse.Namespace) -> int:
    """Run the script by each schedule; 1 if something was found, else the script's exit status."""
    findings: dict[tuple[str, ...], tuple[KernelReport, set[int]]] = {}
    failed = tried = 0
    for seed in range(options.schedules):
        tried += 1
        code, reports = _run(options, seed)
        if reports is None:
            print(
                f"sanitize: schedule {seed}: the process ended without a report, status {code}",
                file=sys.stderr,
            )
        failed = failed or code
        for report in reports or []:
            findings.setdefault(_key(report), (report, set()))[1].add(seed)
        if code == INTERRUPTED:
            break
    if not findings:
        ended = f"; the program ended with status {failed}" if failed else ""
        print(f"sanitize: nothing found in {tried} schedules{ended}", file=sys.stderr)
        return failed
    for report, _ in findings.values():
        print(f"sanitize: device {report.device}: {report.text}\n", file=sys.stderr)
    rows: list[tuple[str, ...]] = [("kind", "kernel", "where", "other access", "schedules")]
    for report, seeds in findings.values():
        cells = (report.kind, report.kernel or "", report.place, report.other_place)
        rows.append((*cells, f"{len(seeds)} of {tried}"))
    print(format_rows(rows), file=sys.stderr)
    return 1
