# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""The emulated GPU reports each faulty Numba kernel's error at its line, and nothing for correct kernels.

Numba takes a second to compile a kernel, so only some are tested by default; ``--full`` tests all in 20 schedules.
"""

import json
import pathlib
import re

from tests.emulator.users_kernels.test_users_kernels import REDIRECT, START, child
from tests.python.libraries import numba_cuda_installed

HERE = pathlib.Path(__file__).parent
#: Module of the faulty kernels, which Numba includes in their names.
MODULE = "tests.emulator.users_kernels.faulty_numba_kernels"

# At least one kernel for each kind of error.
FAULTY = [
    "no_bound", "writes_other_device", "reads_host", "adds_to_freed", "writes_between", "shared_not_filled",
    "reduction_without_barriers", "histogram_without_atomics", "on_two_streams", "grid_barrier_of_some",
    "returns_before_a_barrier", "lock_that_is_kept", "recursion_without_end", "raises_in_debug",
]  # fmt: skip
RIGHT = [
    "stencil_by_tiles", "block_sum", "warp_scan", "histogram", "whole_grid_waits", "last_block", "lock",
    "tiled_product", "equal_lanes", "recursion",
]  # fmt: skip
SEEDS, ALL_SEEDS = 2, 20


def names_in(file):
    """Return the names of a file's kernels. Parses the text: an import would make Numba look for a driver."""
    text = (HERE / file).read_text()
    return re.findall(r"^def (\w+)\(a, b\):", text, re.MULTILINE)


def run(mode, names, *more):
    """Return the output of checked_numba_kernels.py, run in a new process, before any search for a driver."""
    numba_cuda_installed()
    arguments = [mode, ",".join(names), *more]
    done = child(
        f"{START}{REDIRECT}from tests.emulator.users_kernels.checked_numba_kernels import main\n"
        f"main(*{arguments!r})\n",
        timeout=7200,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    return json.loads(done.stdout.splitlines()[-1])


def complaint(name, record, run):
    """Return what is wrong with a report, or an empty string."""
    kind, here, other = record["kind"], record["here"], record["other"]
    raised, reports = run["raised"], run["reports"]
    if record["raises"]:
        return "" if raised.startswith(record["raises"]) and f"line {here}" in raised else raised
    if {report["kind"] for report in reports} != {kind}:
        return f"expected only {kind}: {reports}"
    if bool(raised) != record["error"]:
        return f"raised: {raised}"
    if any(report["kernel"] != f"{MODULE}.{name}" for report in reports):
        return f"reports of another kernel: {reports}"
    if kind == "race_streams":
        return "" if reports[0]["other"]["by"] == reports[0]["kernel"] else str(reports)
    files = {report["file"] for report in reports if report["line"]}
    lines = {report["line"] for report in reports}
    lines |= {waiter.get("line") for report in reports for waiter in report["waiting"]}
    pairs = [{report["line"], report["other"].get("line")} for report in reports if report["other"]]
    # An endless loop may be interrupted at any of its lines.
    is_there = bool({here, other} & lines) if kind == "never_ends" else here in lines
    is_there = is_there and files <= {str(HERE / "faulty_numba_kernels.py")}
    if is_there and (not kind.startswith("race") or {here, other} in pairs):
        return ""
    return f"expected lines {here} and {other}: {reports}"


def test_faulty_kernels_are_reported_at_their_lines(full):
    names = names_in("faulty_numba_kernels.py")
    assert len(names) > 30
    chosen, seeds = (names, ALL_SEEDS) if full else (FAULTY, 1)
    records = run("faulty", chosen, str(seeds))
    wrong = {
        (name, seed): text
        for name, record in records.items()
        for seed, seed_run in enumerate(record["runs"])
        if (text := complaint(name, record, seed_run))
    }
    assert not wrong
    assert all(len(record["runs"]) == seeds for record in records.values())
    print(f"{len(records)} faulty kernels reported in {seeds} schedules")


def test_reports_without_line_numbers_name_kernel_block_and_thread():
    (record,) = run("faulty_without_lines", ["no_bound"]).values()
    (report,) = record["runs"][0]["reports"]
    assert report["kind"] == "out_of_bounds"
    assert report["line"] is None
    assert report["kernel"] == f"{MODULE}.no_bound"
    assert (report["block"], report["thread"]) == ([1, 0, 0], [63, 0, 0])
    assert "@cuda.jit(lineinfo=True)" in report["text"]


def test_correct_kernels_have_no_report(full):
    names = names_in("right_numba_kernels.py")
    assert len(names) > 30
    chosen, seeds = (names, ALL_SEEDS) if full else (RIGHT, SEEDS)
    wrong = run("right", chosen, str(seeds))
    assert not wrong
    print(f"{len(chosen)} correct kernels, {seeds} schedules")
