# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""A plugin of pytest that writes each test's outcome to a file at once, so that a crash loses only one test.

The file has lines of JSON: one when a test begins, then one with its outcome and error. Tests that are in it when
pytest starts are not repeated. A test that takes too long ends the process.
"""

import collections
import json
import os
import re
import signal

import pytest

KEPT = 600  # characters of an error
# Sticky errors of kernels, which all later calls return, by the names of the driver and the runtime.
STICKY = "CUDA_?ERROR_?(ILLEGAL|LAUNCH_?FAIL|LAUNCH_?TIMEOUT|MISALIGNED|ASSERT|INVALID_?PC|INVALID_?ADDRESS)"
DEVICE_LOST = 70  # exit status of a process whose remaining tests need another one
REPORT = os.environ["SUITE_REPORT"]
LIMIT = int(os.environ["SUITE_LIMIT"])  # seconds for a test, and for the collection of a file
SAMPLE = int(os.environ["SUITE_SAMPLE"])  # tests of a parametrized function; 0: all


class LOST:
    """State of the process: whether a device is lost."""

    lost = False


@pytest.fixture(scope="class")
def initialize_from_pytest_config(request):
    """Replaces the fixture of numba-cuda's conftest.py, which is not installed."""
    request.cls._dump_failed_filechecks = False


def write(**entry):
    with open(REPORT, "a") as report:
        report.write(json.dumps(entry) + "\n")


def pytest_configure():
    signal.alarm(LIMIT)


def sampled(items):
    """Return the same few tests of each function in every run: the first, the last and some between."""
    groups = collections.defaultdict(list)
    for item in items:
        groups[item.parent.nodeid, getattr(item, "originalname", item.name)].append(item)
    chosen = set()
    for group in groups.values():
        last = len(group) - 1
        chosen.update(group[last * i // max(SAMPLE - 1, 1)] for i in range(SAMPLE))
    return [item for item in items if item in chosen]


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items):
    if SAMPLE:
        items[:] = sampled(items)
    begun = set()
    if os.path.exists(REPORT):
        with open(REPORT) as report:
            begun = {json.loads(line)["test"] for line in report}
    items[:] = [item for item in items if item.nodeid not in begun]


def pytest_runtest_logstart(nodeid):
    write(test=nodeid, outcome="begun")
    signal.alarm(LIMIT)  # whose signal nobody handles: the process ends


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
        LOST.lost = LOST.lost or re.search(STICKY, str(report.longrepr), re.I) is not None
        # A failure of setup or teardown is an error.
        outcome = "failed" if report.when == "call" else "error"
        write(test=report.nodeid, outcome=outcome, error=last_error(report))
    elif report.skipped and hasattr(report, "wasxfail"):
        write(test=report.nodeid, outcome="xfailed")
    elif report.skipped:
        write(test=report.nodeid, outcome="skipped", error=str(report.longrepr[-1])[:KEPT])
    elif report.when == "call":
        write(test=report.nodeid, outcome="passed", seconds=round(report.duration, 2))


@pytest.hookimpl(trylast=True)
def pytest_runtest_logfinish():
    """Stop after a device is lost; another process runs the remaining tests."""
    if LOST.lost:
        pytest.exit("a device is lost", returncode=DEVICE_LOST)


def pytest_collectreport(report):
    if report.failed:
        write(test=report.nodeid, outcome="error", error=str(report.longrepr)[-KEPT:])
