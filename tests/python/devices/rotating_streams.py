# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""``pytest -p tests.python.devices.rotating_streams``: runs each line of a test on another stream, with random delays.

If a launch does not declare all reads and writes of its kernel, then the kernel or later work runs too early, and the
test fails.
"""

import itertools
import sys

import pytest
import skerry as sk
from skerry.testing import instruments

LONGEST_DELAY = 200e-6  # seconds


def pytest_collection_modifyitems(items):
    for item in items:
        for mark in item.iter_markers("one_stream"):
            item.add_marker(pytest.mark.skip(reason=mark.args[0]))


@pytest.hookimpl(hookwrapper=True)
def pytest_pyfunc_call(pyfuncitem):
    devices = [str(device) for device in sk.devices("cuda")]
    streams = itertools.cycle([sk.Stream(device) for _ in range(5) for device in devices])
    file = str(pyfuncitem.path)

    def trace(frame, event, _):
        if event == "call" and frame.f_code.co_filename != file:
            return None
        for _device in devices:
            instruments.set_current_stream(next(streams))
        return trace

    old_trace = sys.gettrace()
    sys.settrace(trace)
    try:
        with instruments.delayed_work(0, most=LONGEST_DELAY):
            yield
    finally:
        sys.settrace(old_trace)
        for device in devices:
            instruments.set_current_stream(sk.Stream.from_handle(device, 1))
