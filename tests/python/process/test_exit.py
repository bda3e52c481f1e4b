# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""A short run of ``make exits``, and regression tests of single moments of an exit."""

import os
import pathlib
import subprocess
import sys

import pytest

from tests.python.session import HAS_GPU

ROOT = pathlib.Path(__file__).resolve().parents[3]

pytestmark = pytest.mark.skipif(HAS_GPU, reason="rehearses devices")


def exits(*options):
    return subprocess.run(
        [sys.executable, "-m", "tests.fuzz.exits", *options],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=3600,
        check=False,
    )


@pytest.mark.slow
def test_processes_exit_cleanly_at_any_moment(full):
    done = exits("--count", "1000" if full else "40")
    assert done.returncode == 0, done.stdout + done.stderr
    print(done.stdout)


def test_process_killed_by_a_signal_is_reported():
    done = exits("--count", "1", "--seed", "3", "--calls", "aborts")
    assert done.returncode == 1
    assert "exit 3: SIGABRT" in done.stdout
    assert "--seed 3 --count 1 --calls aborts" in done.stdout


# exit() is delayed after Python's finalization, so that threads acquire the GIL of a finalized interpreter; from 3.14
# on Python blocks them itself.
HELD_UP = """
import ctypes, sys, threading, time
import skerry as sk
library = ctypes.CDLL(None)
nap = library["usleep"]
register = library["__cxa_atexit"]
register.argtypes = [ctypes.c_void_p] * 3
assert register(ctypes.cast(nap, ctypes.c_void_p), 600_000, None) == 0
x = sk.ones((1000,), device="cuda:0")
inside = threading.Event()

def sleep():
    inside.set()
    time.sleep(0.2)

class Owner:
    def __init__(self):
        self.memory = sk.ones((8,), device="cuda:0")
        self.__cuda_array_interface__ = self.memory.__cuda_array_interface__
    def __del__(self):
        sleep()

class Producer:
    def __dlpack__(self, **keywords):
        sleep()
        return x.__dlpack__(**keywords)
    def __dlpack_device__(self):
        return x.__dlpack_device__()

class Number:
    def __index__(self):
        sleep()
        return 1

def late_read():
    from skerry.testing import instruments
    sk.synchronize("cuda:0")
    instruments.delay_work(0.2)
    y = x + 1
    inside.set()
    float(y[0])

def work():
    {call}

threading.Thread(target=work, daemon=True).start()
inside.wait()
sys.exit(7)
"""


@pytest.mark.parametrize(
    "call",
    [
        "late_read()",
        "sk.from_dlpack(Producer())",
        "y = sk.as_cuda_array(Owner()); del y",
        "x[Number()]",
        "sk.zeros((Number(),))",
        "sk.Stream.from_handle('cuda:0', Number())",
    ],
)
def test_threads_that_acquire_the_gil_at_exit_are_blocked(call):
    done = subprocess.run(
        [sys.executable, "-c", HELD_UP.replace("{call}", call)],
        env={**os.environ, "SKERRY_REHEARSE": "1"}, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (7, "")


@pytest.mark.parametrize("_", range(4))
def test_a_fork_waits_for_products_of_other_threads(_):
    """OpenBLAS ends its threads before a fork, even working ones; the first fork happens while the test's threads load it."""
    code = """
import os, threading, skerry as sk
def work():
    x = sk.ones((300, 300))
    while True:
        x @ x
for _ in range(2):
    threading.Thread(target=work, daemon=True).start()
x = sk.ones((300, 300))
for _ in range(8):
    child = os.fork()
    if child == 0:
        os._exit(int(float((x @ x)[3, 5])) - 300)
    assert os.waitpid(child, 0)[1] == 0
print("done")
"""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")
