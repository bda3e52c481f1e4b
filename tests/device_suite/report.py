# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Results by recommendation: followed, not followed, not offered, or not testable with one device."""

import collections
import csv
import functools
import json
import pathlib
from typing import Any

from .library import NOT_OFFERED, ONE_DEVICE

FOLLOWED, NOT_FOLLOWED = "followed", "not followed"
NO_OFFER, NOT_TESTABLE = "not offered", "needs two devices"


@functools.cache
def read_recommendations() -> dict[str, dict[str, str]]:
    with pathlib.Path(__file__).with_name("recommendations.csv").open(newline="") as file:
        return {row["name"]: row for row in csv.DictReader(file)}


class Report:
    """Counts of outcomes and the failed tests of each recommendation."""

    def __init__(self, library: Any) -> None:
        self.library = library
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
            if NOT_OFFERED in text:
                outcomes[NO_OFFER] += 1
            elif ONE_DEVICE in text:
                outcomes[NOT_TESTABLE] += 1
            else:
                raise AssertionError(
                    f"{report.nodeid}: skipped without one of the known reasons: {text}"
                )
        elif report.when == "call":
            outcomes[FOLLOWED] += 1

    def reason(self, report: Any) -> str:
        crash = getattr(report.longrepr, "reprcrash", None)
        return (crash.message if crash else str(report.longrepr)).split("\nassert not")[0]

    def status(self, recommendation: str) -> str:
        """Return the worst outcome; a part that is not offered is no deviation."""
        if self.failures[recommendation]:
            return NOT_FOLLOWED
        outcomes = self.outcomes[recommendation]
        return next((s for s in (FOLLOWED, NO_OFFER, NOT_TESTABLE) if outcomes[s]), NO_OFFER)

    def table(self) -> list[str]:
        width = max(map(len, read_recommendations()))
        lines = []
        for name in read_recommendations():
            if not self.outcomes[name] and not self.failures[name]:
                continue
            line = f"{name:{width}}  {self.status(name)}"
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
            for name in read_recommendations()
        }
        about = {
            "library": self.library.name,
            "version": self.library.version,
            "devices": [str(device) for device in self.library.devices],
            "recommendations": results,
        }
        path.write_text(json.dumps(about, indent=1) + "\n")
