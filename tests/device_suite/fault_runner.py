# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Runs the tests of one recommendation in this process, with a planted fault, and says which fail."""

import contextlib
import io
import pathlib
from collections.abc import Iterable

import pytest


class Failures:
    """A pytest plugin that collects the names of failed tests."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def pytest_runtest_logreport(self, report):
        if report.failed:
            self.names.append(report.nodeid.split("::")[-1])


def files_of(folder: pathlib.Path, recommendation: str) -> list[str]:
    """Return the files with tests of a recommendation: collecting all takes longer than the tests."""
    paths = folder.glob("test_*.py")
    return [str(path) for path in paths if f'"{recommendation}"' in path.read_text()]


def failing_tests(folder: pathlib.Path, recommendation: str, options: list[str]) -> list[str]:
    failures = Failures()
    arguments = [*files_of(folder, recommendation), "-q", f"--recommendations={recommendation}"]
    with contextlib.redirect_stdout(io.StringIO()) as output:
        code = pytest.main([*arguments, *options], plugins=[failures])
    if code not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        raise RuntimeError(f"the suite did not run: {code}\n{output.getvalue()}")
    return failures.names


def print_table(rows: Iterable[tuple[str, str, list[str]]]) -> int:
    """Print each fault, its recommendation and the number of tests that found it; return 1 if one was not found."""
    count = missed = 0
    for fault, recommendation, names in rows:
        count += 1
        missed += not names
        result = f"found by {len(names)}" if names else "NOT FOUND"
        print(f"{fault:50}  {recommendation:24}  {result}", flush=True)
    print(f"{count - missed} of {count} faults found")
    return int(missed > 0)
