# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Builds with some dtypes only (SKERRY_DTYPES=float32): tests that need other dtypes are skipped with a message.

A test is skipped if one of its parameters is a dtype that was not built, or if it ends in the library's own error "this
build has no kernel for": many tests also need int64 indices or the default float64. A build of all dtypes skips nothing,
so that error is a failure there. conftest.py imports the hooks.
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
    """Returns the first dtype in a parameter (a name, a dtype, or a tuple of them) that was not built, or None."""
    if isinstance(value, list | tuple):
        return next(filter(None, map(missing_in, value)), None)
    if isinstance(value, np.dtype) or (isinstance(value, type) and issubclass(value, np.generic)):
        value = np.dtype(value).name
    return value if isinstance(value, str) and value in MISSING else None


def missing_kernel(text):
    """Returns the dtype of a missing kernel that an error text names, or None."""
    match = NO_KERNEL.search(text)
    return match.group(1) if match and match.group(1) in MISSING else None


def pytest_collection_modifyitems(items):
    for item in items if MISSING else ():
        parameters = item.callspec.params.values() if hasattr(item, "callspec") else ()
        if name := missing_in(list(parameters)):
            item.add_marker(pytest.mark.skip(reason=f"built without {name}"))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup():
    # The stored error of a skipped test keeps its arrays alive. Free them now, as the next test may count memory.
    if MISSING and hasattr(sys, "last_value"):
        for name in ("last_exc", "last_value", "last_type", "last_traceback"):
            vars(sys).pop(name, None)
        gc.collect()


def skipped(report, path, name):
    report.outcome = "skipped"
    report.longrepr = (str(path), 0, f"Skipped: built without {name}")


def said_by(report):
    """Returns the error text with the captured output, such as that of a child process."""
    return "\n".join([str(report.longrepr), *(text for _, text in report.sections)])


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item):
    report = yield
    if MISSING and report.failed and (name := missing_kernel(said_by(report))):
        skipped(report, item.path, name)
        # A deferred index error of the skipped test must not be raised in the next one.
        with contextlib.suppress(IndexError):
            sk.synchronize()
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector):
    report = yield
    if MISSING and report.failed and (name := missing_kernel(said_by(report))):
        skipped(report, collector.path, name)
    return report
