# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""A plugin of pytest that writes each test's outcome to a file at once, so that a crash loses only one test.

The file has lines of JSON: one when a test begins, then one with its outcome and error.
"""

import json
import os
import re

import pytest

KEPT = 600  # characters of an error
# Sticky errors of kernels, which all later calls return.
STICKY = (
    "CUDA_ERROR_(ILLEGAL|LAUNCH_FAILED|LAUNCH_TIMEOUT|MISALIGNED|ASSERT|INVALID_PC|INVALID_ADDRESS)"
)


class LOST:
    """State of the process: whether a device is lost."""

    lost = False


@pytest.fixture(scope="class")
def initialize_from_pytest_config(request):
    """Replaces the fixture of numba-cuda's conftest.py, which is not installed."""
    request.cls._dump_failed_filechecks = False


def write(**entry):
    with open(os.environ["NUMBA_SUITE_REPORT"], "a") as report:
        report.write(json.dumps(entry) + "\n")


def pytest_runtest_logstart(nodeid):
    write(test=nodeid, outcome="begun")


def last_error(report) -> str:
    """Return the emulated GPU's report, or the test's error."""
    _, separator, said = report.capstderr.partition("skerry: emulated GPU: ")
    if separator:
        return said[:KEPT]
    crash = getattr(report.longrepr, "reprcrash", None)
    return (crash.message if crash else str(report.longrepr))[:KEPT]


def pytest_runtest_logreport(report):
    if hasattr(report, "context"):  # a subtest: its test fails with the first of its errors
        if report.failed:
            write(test=report.nodeid, outcome="failed", error=last_error(report))
    elif report.failed:
        LOST.lost = LOST.lost or re.search(STICKY, str(report.longrepr)) is not None
        # A failure of setup or teardown is an error.
        outcome = "failed" if report.when == "call" else "error"
        write(test=report.nodeid, outcome=outcome, error=last_error(report))
    elif report.skipped and not hasattr(report, "wasxfail"):
        write(test=report.nodeid, outcome="skipped", error=str(report.longrepr[-1])[:KEPT])
    elif report.when == "call":
        write(test=report.nodeid, outcome="passed", seconds=round(report.duration, 2))


@pytest.hookimpl(trylast=True)
def pytest_runtest_logfinish(nodeid):
    """Stop after a device is lost; another process runs the remaining tests."""
    if LOST.lost:
        write(test=nodeid, outcome="stopped")
        pytest.exit("a device is lost", returncode=0)


def pytest_collectreport(report):
    if report.failed:
        write(test=report.nodeid, outcome="error", error=str(report.longrepr)[-KEPT:])
