# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Results by recommendation: followed, not followed, not offered, or not testable with one device.

Also used by tests/cai_suite. A suite registers a ``ReportPlugin``; each test is marked ``recommendation(name)`` with a
row of the suite's recommendations.csv.
"""

import collections
import csv
import json
import pathlib
from typing import Any, NoReturn

import pytest

FOLLOWED, NOT_FOLLOWED = "followed", "not followed"
NO_OFFER, NOT_TESTABLE = "not offered", "needs two devices"
ONE_DEVICE = "the library has one device"


def not_offered(reason: str) -> NoReturn:
    """End a test whose subject the library lacks."""
    pytest.skip(f"{NO_OFFER}: {reason}")


def read_recommendations(folder: pathlib.Path) -> dict[str, dict[str, str]]:
    with (folder / "recommendations.csv").open(newline="") as file:
        return {row["name"]: row for row in csv.DictReader(file)}


def add_options(parser: pytest.Parser) -> None:
    group = parser.getgroup("recommendations", "tests and results by recommendation")
    group.addoption("--recommendations", metavar="NAMES", help="run the tests of these only")
    group.addoption("--report", metavar="FILE", type=pathlib.Path, help="write results as JSON")


class Report:
    """Counts of outcomes and the failed tests of each recommendation."""

    def __init__(self, about: dict[str, Any], folder: pathlib.Path) -> None:
        self.about = about
        recommendations = read_recommendations(folder)
        self.names = list(recommendations)
        self.proposals = {name: row.get("proposal", "") for name, row in recommendations.items()}
        self.outcomes: dict[str, collections.Counter[str]] = collections.defaultdict(
            collections.Counter
        )
        self.failures: dict[str, dict[str, str]] = collections.defaultdict(dict)

    def add(self, recommendation: str, report: Any) -> None:
        """Add the report of one phase of a test."""
        outcomes = self.outcomes[recommendation]
        if report.failed:
            self.failures[recommendation][report.nodeid.split("::")[-1]] = self.reason(report)
        elif report.skipped:
            text = str(report.longrepr[2])
            if NO_OFFER not in text and ONE_DEVICE not in text:
                raise AssertionError(f"{report.nodeid}: skipped without a known reason: {text}")
            outcomes[NO_OFFER if NO_OFFER in text else NOT_TESTABLE] += 1
        elif report.when == "call":
            outcomes[FOLLOWED] += 1

    def reason(self, report: Any) -> str:
        crash = getattr(report.longrepr, "reprcrash", None)
        return crash.message if crash else str(report.longrepr)

    def status(self, recommendation: str) -> str:
        """Return the worst outcome; a part that is not offered is no deviation."""
        if self.failures[recommendation]:
            return NOT_FOLLOWED
        outcomes = self.outcomes[recommendation]
        return next((s for s in (FOLLOWED, NO_OFFER, NOT_TESTABLE) if outcomes[s]), NO_OFFER)

    def table(self) -> list[str]:
        width = max(map(len, self.names))
        lines = []
        for name in self.names:
            if not self.outcomes[name] and not self.failures[name]:
                continue
            line = f"{name:{width}}  {self.status(name)}"
            if proposal := self.proposals[name]:
                line += f" (provisional: {proposal})"
            if failures := self.failures[name]:
                line += f": {len(failures)} tests, such as {next(iter(failures))}"
            lines.append(line)
        return lines

    def write(self, path: pathlib.Path) -> None:
        results = {
            name: {
                "status": self.status(name),
                "counts": dict(self.outcomes[name]),
                "failures": self.failures[name],
            }
            for name in self.names
        }
        path.write_text(json.dumps({**self.about, "recommendations": results}, indent=1) + "\n")


def recommendation_of(item: pytest.Item) -> str:
    marker = item.get_closest_marker("recommendation")
    if marker is None:
        raise pytest.UsageError(f"{item.nodeid}: is not marked with a recommendation")
    return marker.args[0]


class ReportPlugin:
    """Fills a report during a session, and prints and writes it at its end."""

    def __init__(self, report: Report) -> None:
        self.report = report

    def pytest_collection_modifyitems(self, config, items):
        if unknown := {recommendation_of(item) for item in items} - set(self.report.names):
            raise pytest.UsageError(f"recommendations.csv has no row of {unknown}")
        if (names := config.getoption("--recommendations")) is None:
            return
        selected = [item for item in items if recommendation_of(item) in names.split(",")]
        config.hook.pytest_deselected(items=[item for item in items if item not in selected])
        items[:] = selected

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item):
        result = yield
        if deviations := item.funcargs.get("deviations"):
            text = "\n".join(deviations[:20])
            pytest.fail(f"{len(deviations)} deviations:\n{text}", pytrace=False)
        return result

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item):
        report = yield
        self.report.add(recommendation_of(item), report)
        return report

    def pytest_terminal_summary(self, terminalreporter, config):
        terminalreporter.section("recommendations")
        for line in self.report.table():
            terminalreporter.write_line(line)
        if path := config.getoption("--report"):
            self.report.write(path)


def register(config: pytest.Config, report: Report) -> None:
    config.addinivalue_line("markers", "recommendation(name): a row of recommendations.csv")
    config.pluginmanager.register(ReportPlugin(report))
