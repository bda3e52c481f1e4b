# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Plugin of pytest: writes what each test did to a file as soon as it is known, so that a crash loses one test.

Lines of JSON: the test that begins, then its outcome, with the last lines of what it said.
"""

import json
import os
import re

import pytest

KEPT = 600  # characters of an error
# Errors of kernels, which all later calls return, too.
STICKY = (
    "CUDA_ERROR_(ILLEGAL|LAUNCH_FAILED|LAUNCH_TIMEOUT|MISALIGNED|ASSERT|INVALID_PC|INVALID_ADDRESS)"
)


class LOST:
    """Whether a device is."""

    lost = False


@pytest.fixture(scope="class")
def initialize_from_pytest_config(request):
    """numba-cuda's tests ask for it; its own is in a conftest.py that is not installed."""
    request.cls._dump_failed_filechecks = False


def write(**entry):
    with open(os.environ["NUMBA_SUITE_REPORT"], "a") as report:
        report.write(json.dumps(entry) + "\n")


def pytest_runtest_logstart(nodeid):
    write(test=nodeid, outcome="begun")


def last_error(report) -> str:
    """What the emulated GPU says is wrong with a kernel, else what the test says."""
    _, separator, said = report.capstderr.partition("skerry: emulated GPU: ")
    if separator:
        return said[:KEPT]
    crash = getattr(report.longrepr, "reprcrash", None)
    return (crash.message if crash else str(report.longrepr))[:KEPT]


def pytest_runtest_logreport(report):
    if hasattr(report, "context"):  # of a subtest: its test counts, with the first of its errors
        if report.failed:
            write(test=report.nodeid, outcome="failed", error=last_error(report))
    elif report.failed:
        LOST.lost = LOST.lost or re.search(STICKY, str(report.longrepr)) is not None
        # An error of a test is the word for what comes before or after it.
        outcome = "failed" if report.when == "call" else "error"
        write(test=report.nodeid, outcome=outcome, error=last_error(report))
    elif report.skipped and not hasattr(report, "wasxfail"):
        write(test=report.nodeid, outcome="skipped", error=str(report.longrepr[-1])[:KEPT])
    elif report.when == "call":
        write(test=report.nodeid, outcome="passed", seconds=round(report.duration, 2))


@pytest.hookimpl(trylast=True)
def pytest_runtest_logfinish(nodeid):
    """A device that is lost stays so: what is left runs in another process."""
    if LOST.lost:
        write(test=nodeid, outcome="stopped")
        pytest.exit("a device is lost", returncode=0)


def pytest_collectreport(report):
    if report.failed:
        write(test=report.nodeid, outcome="error", error=str(report.longrepr)[-KEPT:])
