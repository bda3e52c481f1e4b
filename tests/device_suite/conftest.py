# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Options of the suite and its report.

pytest tests/device_suite --array-module skerry --devices cpu:0,cpu:1,cuda:0 --device-report report.json
"""

import contextlib
import pathlib

import pytest

from .library import Library
from .report import Report, read_recommendations

LIBRARY = pytest.StashKey[Library]()
REPORT = pytest.StashKey[Report]()


def pytest_addoption(parser):
    group = parser.getgroup("devices", "devices of an array library")
    group.addoption("--array-module", metavar="NAME", help="module or adapter file of the library")
    group.addoption("--devices", metavar="NAMES", help="devices under test, separated by commas")
    group.addoption("--recommendations", metavar="NAMES", help="run the tests of these only")
    group.addoption(
        "--device-report", metavar="FILE", type=pathlib.Path, help="write results as JSON"
    )


def pytest_configure(config):
    config.addinivalue_line("markers", "recommendation(name): a row of recommendations.csv")
    if (name := config.getoption("--array-module")) is None:
        raise pytest.UsageError("--array-module names the library, such as array_api_strict")
    names = config.getoption("--devices")
    config.stash[LIBRARY] = Library(name, names.split(",") if names else None)
    config.stash[REPORT] = Report(config.stash[LIBRARY])


def pytest_report_header(config):
    library = config.stash[LIBRARY]
    return f"{library.name} {library.version}: {', '.join(map(str, library.devices))}"


def pytest_generate_tests(metafunc):
    if "device" in metafunc.fixturenames:
        metafunc.parametrize("device", metafunc.config.stash[LIBRARY].devices, ids=str)


def pytest_collection_modifyitems(config, items):
    names = set(read_recommendations())
    for item in items:
        marker = item.get_closest_marker("recommendation")
        if marker is None or not set(marker.args) <= names:
            raise pytest.UsageError(f"{item.nodeid}: needs a recommendation of recommendations.csv")
    if selected := config.getoption("--recommendations"):
        chosen = [
            item
            for item in items
            if item.get_closest_marker("recommendation").args[0] in selected.split(",")
        ]
        config.hook.pytest_deselected(items=[item for item in items if item not in set(chosen)])
        items[:] = chosen


@pytest.fixture
def library(request):
    return request.config.stash[LIBRARY]


@pytest.fixture
def deviations():
    """Collects what deviates in a loop over devices: the test fails at its end, with all of it."""
    return []


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    result = yield
    deviations = item.funcargs.get("deviations", [])
    if deviations:
        pytest.fail(f"{len(deviations)} deviations:\n" + "\n".join(deviations[:20]), pytrace=False)
    return result


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item):
    report = yield
    marker = item.get_closest_marker("recommendation")
    report.user_properties.append(("recommendation", marker.args[0]))
    return report


class Recorder:
    """Adds each test's result to the report."""

    def __init__(self, report):
        self.report = report

    def pytest_runtest_logreport(self, report):
        with contextlib.suppress(KeyError):
            self.report.add(dict(report.user_properties)["recommendation"], report)


@pytest.hookimpl(trylast=True)
def pytest_sessionstart(session):
    session.config.pluginmanager.register(Recorder(session.config.stash[REPORT]))


def pytest_terminal_summary(terminalreporter, config):
    report = config.stash[REPORT]
    terminalreporter.section("recommendations")
    for line in report.table():
        terminalreporter.write_line(line)
    if path := config.getoption("--device-report"):
        report.write(path)
