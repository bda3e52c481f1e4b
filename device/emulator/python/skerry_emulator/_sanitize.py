# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""``python -m skerry sanitize script.py``: runs a script's CUDA kernels with all checks, in several schedules."""

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

# Time to write reports after an interruption. The emulator waits one second for kernels to end.
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
        raise argparse.ArgumentTypeError(f"no such file: {text}")
    return text


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options, the script and its arguments."""
    parser.add_argument(
        "--schedules", type=_count, default=3, metavar="N", help="number of schedules to run (3)"
    )
    parser.add_argument(
        "--checks",
        type=_checks,
        default="all",
        help=f"comma-separated list of {', '.join(CHECKS)}; or all, none (all)",
    )
    parser.add_argument("--devices", type=_count, default=2, help="number of emulated GPUs (2)")
    parser.add_argument(
        "--capability", type=int, choices=CAPABILITIES, help="compute capability (80)"
    )
    parser.add_argument(
        "--limit",
        type=int,
        default=LIMIT,
        help="warp instructions after which a kernel counts as never ending",
    )
    parser.add_argument("script", type=_program, help="the program")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="arguments of the program")


def _run(options: argparse.Namespace, seed: int) -> tuple[int, list[KernelReport] | None]:
    """Return the exit status of a schedule and its reports; None if the process ended without writing them."""
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
        # Show the program's output only once.
        shown = None if seed == 0 else subprocess.DEVNULL
        code = _wait_for([*map(str, command), *options.arguments], shown)
        if not reports.exists():
            return code, None
        return code, [KernelReport(**entry) for entry in json.loads(reports.read_text())]


def _wait_for(command: list[str], output: int | None) -> int:
    """Return the exit status. After an interruption, wait for the child's reports before killing it."""
    with subprocess.Popen(command, stdout=output, stderr=output) as process:
        try:
            return process.wait()
        except KeyboardInterrupt:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(SECONDS_TO_REPORT)
            process.kill()
            return INTERRUPTED


def _key(report: KernelReport) -> tuple[str, ...]:
    """Return a key of a finding that is equal in all schedules: it omits waiting warps and names of temporary files."""
    positions = ("" if report.waiting else report.place, report.other_place)
    folder = re.escape(tempfile.gettempdir())
    steady = (
        re.sub(rf"^({folder}/.*?)[a-z0-9_]{{8}}(\.\w+:\d+)$", r"\1*\2", one) for one in positions
    )
    return (report.kind, report.kernel or "", *steady)


def main(options: argparse.Namespace) -> int:
    """Run the script in each schedule.

    Return 1 if there are findings, else the script's exit status. A process that ended without reports counts
    as failed.
    """
    findings: dict[tuple[str, ...], tuple[KernelReport, set[int]]] = {}
    failed = tried = unknown = 0
    for seed in range(options.schedules):
        tried += 1
        code, reports = _run(options, seed)
        if reports is None:
            unknown += 1
            print(
                f"sanitize: schedule {seed}: the process ended without writing reports: status {code}",
                file=sys.stderr,
            )
        failed = failed or code or int(reports is None)
        for report in reports or []:
            findings.setdefault(_key(report), (report, set()))[1].add(seed)
        if code == INTERRUPTED:
            break
    if not findings:
        ended = f"; the program ended with status {failed}" if failed else ""
        print(f"sanitize: nothing found in {tried - unknown} schedules{ended}", file=sys.stderr)
        return failed
    for report, _ in findings.values():
        print(f"sanitize: device {report.device}: {report.text}\n", file=sys.stderr)
    rows: list[tuple[str, ...]] = [("kind", "kernel", "where", "other access", "schedules")]
    for report, seeds in findings.values():
        cells = (report.kind, report.kernel or "", report.place, report.other_place)
        rows.append((*cells, f"{len(seeds)} of {tried}"))
    print(format_rows(rows), file=sys.stderr)
    return 1
