# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""A marker for pytest: ``pytest_plugins = ["skerry.testing.pytest_plugin"]`` in a conftest.py.

``@pytest.mark.skerry_guard(transfers="raise")`` runs a test, but not its fixtures, in a ``skerry.guard`` with these
arguments. If the test fails, its report shows the guard's table.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from skerry._guard import guard


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker."""
    config.addinivalue_line(
        "markers", "skerry_guard(**policies): run the test in a skerry.guard with these policies"
    )


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Run a test with the marker in its guard."""
    marker = item.get_closest_marker("skerry_guard")
    if marker is None:
        return (yield)
    opened_guard = guard(*marker.args, **marker.kwargs)
    try:
        with opened_guard:
            return (yield)
    finally:
        item.add_report_section("call", "skerry.guard", str(opened_guard))
