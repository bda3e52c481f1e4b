# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Options that all tests in Python share: those of skerry and those of skerry-emulator, in one session or two."""

import gc

import pytest


def pytest_addoption(parser):
    parser.addoption(
        "--full", action="store_true", help="tests that walk or try everything: at their full size"
    )
    parser.addoption(
        "--quick",
        action="store_true",
        help="a few combinations of each loop over dtypes and shapes, and no test that is marked slow",
    )


def pytest_configure(config):
    config.addinivalue_line("markers", "slow: takes seconds on every run; left out with --quick")


def pytest_collection_modifyitems(config, items):
    if not config.getoption("--quick"):
        return
    slow_items = [item for item in items if item.get_closest_marker("slow")]
    config.hook.pytest_deselected(items=slow_items)
    items[:] = [item for item in items if not item.get_closest_marker("slow")]


@pytest.hookimpl(trylast=True)
def pytest_collection_finish():
    """Takes the items out of the garbage collector's sight: tests that collect garbage would walk all of them each time."""
    freeze_objects()


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item, nextitem):
    """And what a file of tests has imported and reported, when it is done."""
    if nextitem is None or nextitem.path != item.path:
        freeze_objects()


def freeze_objects():
    """Without garbage, which would never be collected."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(tryfirst=True)
def pytest_report_teststatus(report):
    """Skipped combinations of a test that loops are counted and listed, which pytest does at -v only."""
    if (
        isinstance(report, pytest.SubtestReport)
        and report.skipped
        and not hasattr(report, "wasxfail")
    ):
        return "skipped", "s", "SUBSKIPPED"
    return None


@pytest.fixture(scope="session")
def full(request):
    """Whether tests that walk or try everything do so at their full size."""
    return request.config.getoption("--full")
