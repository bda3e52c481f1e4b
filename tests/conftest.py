# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Options of all Python tests, of skerry and of skerry-emulator."""

import gc

import pytest


def pytest_addoption(parser):
    parser.addoption("--full", action="store_true", help="run exhaustive tests at their full size")
    parser.addoption(
        "--quick",
        action="store_true",
        help="run a few combinations of each loop over dtypes and shapes, and no test marked slow",
    )


def pytest_configure(config):
    config.addinivalue_line("markers", "slow: takes seconds on every run; deselected by --quick")


def pytest_collection_modifyitems(config, items):
    if not config.getoption("--quick"):
        return
    slow_items = [item for item in items if item.get_closest_marker("slow")]
    config.hook.pytest_deselected(items=slow_items)
    items[:] = [item for item in items if not item.get_closest_marker("slow")]


@pytest.hookimpl(trylast=True)
def pytest_collection_finish():
    """Freeze the collected items: otherwise each garbage collection in a test would traverse all of them."""
    freeze_objects()


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item, nextitem):
    """Freeze imported modules and reports at the end of each test file."""
    if nextitem is None or nextitem.path != item.path:
        freeze_objects()


def freeze_objects():
    """Collect garbage first: frozen garbage would never be collected."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(tryfirst=True)
def pytest_report_teststatus(report):
    """Count and list skipped subtests, which pytest only does with -v."""
    if (
        isinstance(report, pytest.SubtestReport)
        and report.skipped
        and not hasattr(report, "wasxfail")
    ):
        return "skipped", "s", "SUBSKIPPED"
    return None


@pytest.fixture(scope="session")
def full(request):
    """Return whether exhaustive tests run at their full size."""
    return request.config.getoption("--full")
