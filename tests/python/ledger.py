# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Compare the ledger of ``skerry.guard`` with what rehearsed devices count: ``pytest --compare-ledger``.

Each test then runs in a guard, and so do its threads. At its end the bytes that the devices copied and the waits for
them must equal the sums of the ledger.
"""

import functools
import threading

import pytest
import skerry as sk
from skerry import _guard
from skerry.testing import instruments

DIRECTIONS = {
    ("cpu", "cuda"): "host_to_device_bytes",
    ("cuda", "cpu"): "device_to_host_bytes",
    ("cuda", "cuda"): "device_to_device_bytes",
}


def traffic_of(entries):
    """Return the sums of a ledger, as ``instruments.rehearsed_traffic`` counts."""
    traffic = dict.fromkeys([*DIRECTIONS.values(), "waits"], 0)
    for entry in entries:
        traffic["waits"] += entry.waits
        if "transfer" in entry.kinds:
            ends = entry.source.partition(":")[0], entry.target.partition(":")[0]
            if ends in DIRECTIONS:  # not those of tests/toy_backend
                traffic[DIRECTIONS[ends]] += entry.nbytes
    return traffic


class Comparison:
    """The difference between a ledger and the traffic of rehearsed devices in a block."""

    def __enter__(self):
        self.old_traffic = instruments.rehearsed_traffic()
        self.ledger = sk.guard(transfers="log", syncs="log").__enter__()
        return self

    def __exit__(self, *error):
        self.ledger.__exit__(*error)
        self.new_traffic = instruments.rehearsed_traffic()

    def check(self):
        """Raise AssertionError if they differ."""
        counted = {name: n - self.old_traffic[name] for name, n in self.new_traffic.items()}
        recorded = traffic_of(self.ledger.entries)
        assert recorded == counted, f"the ledger is not complete:\n{self.ledger}"


def run_guarded(opened_guard, run):
    """Run a function in a thread in the guard of the thread that started it."""
    _guard._set_current(opened_guard)
    run()


def start_guarded(self, start=threading.Thread.start):
    """Start a thread in the guard of this one."""
    self.run = functools.partial(run_guarded, _guard._current.get(), self.run)
    start(self)


#: Tests that are not compared: those of guards, and those whose work runs in threads that started before.
NOT_COMPARED = ("test_guard.py", "test_distributed.py")


class LedgerPlugin:
    """Compares in each test, except in those in which a device failed."""

    def __init__(self):
        self.compared = 0
        self.entries = 0

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item):
        if item.path.name in NOT_COMPARED:
            return (yield)
        with pytest.MonkeyPatch.context() as patch, Comparison() as comparison:
            patch.setattr(threading.Thread, "start", start_guarded)
            result = yield
        if not any(entry.failed for entry in comparison.ledger.entries):
            comparison.check()
            self.compared += 1
            self.entries += len(comparison.ledger.entries)
        return result

    def pytest_sessionfinish(self, session):
        if hasattr(session.config, "workeroutput"):  # a process of pytest-xdist
            session.config.workeroutput["ledgers"] = self.compared, self.entries

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node):
        compared, entries = node.workeroutput["ledgers"]
        self.compared += compared
        self.entries += entries

    def pytest_terminal_summary(self, terminalreporter):
        terminalreporter.write_line(
            f"ledgers compared: {self.compared}, with {self.entries} entries"
        )
