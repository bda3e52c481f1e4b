# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Builds with some dtypes only (SKERRY_DTYPES=float32): what needs the others is skipped, and says so.

A test is skipped where one of its parameters is a dtype that was not built, and where it ends in the library's own
"this build has no kernel for": many tests need int64 indices or the default float64 besides. In a build of all dtypes
nothing of this happens, so there that error is a failure. The hooks are conftest.py's.
"""

import contextlib
import gc
import re
import sys

import numpy as np
import pytest
import skerry as sk
from skerry.testing import instruments

from tests.python.oracle import DTYPES

MISSING = frozenset(DTYPES) - frozenset(instruments.built_dtypes())
NO_KERNEL = re.compile(r"this build has no (?:kernel|FFT) for (\w+)")


def missing_in(value):
    """The first dtype in a parameter (a name, a dtype, or a tuple with them) that was not built."""
    if isinstance(value, list | tuple):
        return next(filter(None, map(missing_in, value)), None)
    if isinstance(value, np.dtype) or (isinstance(value, type) and issubclass(value, np.generic)):
        value = np.dtype(value).name
    return value if isinstance(value, str) and value in MISSING else None


def missing_kernel(text):
    """The dtype whose kernel an error says is missing."""
    match = NO_KERNEL.search(text)
    return match.group(1) if match and match.group(1) in MISSING else None


def pytest_collection_modifyitems(items):
    for item in items if MISSING else ():
        parameters = item.callspec.params.values() if hasattr(item, "callspec") else ()
        if name := missing_in(list(parameters)):
            item.add_marker(pytest.mark.skip(reason=f"built without {name}"))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup():
    # The error of a test that was skipped half-way has its arrays: they would go during this one, which may count.
    if MISSING and hasattr(sys, "last_value"):
        for name in ("last_exc", "last_value", "last_type", "last_traceback"):
            vars(sys).pop(name, None)
        gc.collect()


def skipped(report, path, name):
    report.outcome = "skipped"
    report.longrepr = (str(path), 0, f"Skipped: built without {name}")


def said_by(report):
    """The error, and what was captured: of a process that the test had started."""
    return "\n".join([str(report.longrepr), *(text for _, text in report.sections)])


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item):
    report = yield
    if MISSING and report.failed and (name := missing_kernel(said_by(report))):
        skipped(report, item.path, name)
        # An index error that the test would have waited for must not come up in the next one.
        with contextlib.suppress(IndexError):
            sk.synchronize()
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector):
    report = yield
    if MISSING and report.failed and (name := missing_kernel(said_by(report))):
        skipped(report, collector.path, name)
    return report
