# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Threads that change and read one array while fused functions run. What an observer of passes does happens while its
thread evaluates."""

import threading
import time

import numpy as np
import pytest
import skerry as sk
from skerry.testing import instruments

from tests.python.fuse.recorded_sizes import all_sizes_recorded  # noqa: F401

X = np.linspace(0.5, 2, 1000)
TIMEOUT = 60


class Call:
    """A fused call on a thread of its own, which waits in its last line until it is told to return."""

    def __init__(self, function, *args):
        self.value = None
        self.is_recorded = threading.Event()
        self.may_return = threading.Event()
        self.thread = threading.Thread(target=sk.fuse(self.run), args=(function, *args))
        self.thread.start()
        assert self.is_recorded.wait(TIMEOUT)

    def run(self, function, *args):
        self.value = function(*args)
        self.is_recorded.set()
        self.may_return.wait(TIMEOUT)

    def finish(self):
        self.may_return.set()
        self.thread.join(TIMEOUT)
        assert not self.thread.is_alive()


def add_one(x):
    x += 1


def test_change_by_another_thread_during_a_change_in_place():
    """The operand of the change is pending in one recording; meanwhile, the array becomes pending in another."""
    x = sk.asarray(X, copy=True)
    product = Call(lambda: sk.asarray(X, copy=True) * 2)
    changes = []

    def change(*_):
        if not changes:
            changes.append(None)
            changes[0] = Call(add_one, x)

    @sk.fuse
    def add(x, y):
        x += y
        return x + 0

    with instruments.watched_passes(change):
        total = add(x, product.value)
    changes[0].finish()
    product.finish()
    np.testing.assert_array_equal(np.asarray(x), X + 1 + X * 2)
    np.testing.assert_array_equal(np.asarray(total), X + 1 + X * 2)
    assert instruments.fused_work() == 0


@pytest.mark.parametrize(
    "change", [lambda x: x.__iadd__(1), lambda x: x.__setitem__(slice(None), 0)]
)
def test_change_waits_for_the_evaluation_of_what_reads_the_array(change):
    x = sk.asarray(X, copy=True)
    is_evaluating = threading.Event()
    pending = []

    def observe(*_):
        is_evaluating.set()
        time.sleep(0.2)  # the change begins meanwhile

    @sk.fuse
    def run(x):
        pending.append(x * 2)
        reader = threading.Thread(target=lambda: pending[0].tolist())
        reader.start()
        assert is_evaluating.wait(TIMEOUT)
        change(x)
        reader.join(TIMEOUT)
        return pending[0] + 0

    with instruments.watched_passes(observe):
        total = run(x)
    np.testing.assert_array_equal(np.asarray(pending[0]), X * 2)
    np.testing.assert_array_equal(np.asarray(total), X * 2)
