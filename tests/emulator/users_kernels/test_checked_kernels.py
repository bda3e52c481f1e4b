# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""The emulated GPU reports each faulty kernel's error at its line, and nothing for correct kernels."""

import functools
import json
import os
import pathlib
import subprocess
import sys

import pytest

from tests.emulator.users_kernels import faulty_kernels, right_kernels
from tests.python.libraries import installed

ROOT = pathlib.Path(__file__).resolve().parents[3]
PROGRAM = "tests.emulator.users_kernels.checked_kernels"
SEEDS = 20


@functools.cache
def checked_results(*arguments):
    """Return the output of checked_kernels.py, run in a new process, before any search for a driver."""
    installed("cuda.core")
    environment = {name: value for name, value in os.environ.items() if name != "SKERRY_REHEARSE"}
    done = subprocess.run(
        [sys.executable, "-m", PROGRAM, *arguments],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=7200,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize("name", faulty_kernels.KERNELS)
def test_a_faulty_kernel_is_reported(name, full):
    for result in checked_results("faulty", str(SEEDS if full else 1))[name]:
        check(name, result)


def check(name, result):
    case = faulty_kernels.KERNELS[name]
    reports = result["reports"]
    assert {report["kind"] for report in reports} == {case.kind}
    assert (result["status"] != 0) == case.error
    assert all(report["kernel"] == name for report in reports)
    here, other = (faulty_kernels.line_of(name, mark) for mark in ("HERE", "OTHER"))
    lines = {report["line"] for report in reports}
    lines |= {waiter.get("line") for report in reports for waiter in report["waiting"]}
    assert here in lines
    pairs = [{report["line"], report["other"].get("line")} for report in reports if report["other"]]
    assert not other or {here, other} in pairs


@pytest.mark.parametrize("n", right_kernels.SIZES)
@pytest.mark.parametrize("name", right_kernels.KERNELS)
def test_a_correct_kernel_has_no_report(name, n):
    assert checked_results("right", str(SEEDS))[f"{name}-{n}"] == []
