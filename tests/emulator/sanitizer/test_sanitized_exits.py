# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""A report makes ``python -m skerry sanitize`` exit with 1, whatever the program prints or does afterwards."""

import os
import pathlib
import subprocess
import sys

import pytest

from tests.python.libraries import installed

ROOT = pathlib.Path(__file__).resolve().parents[3]
PROGRAM = """
import atexit, os, sys, threading
sys.path.insert(0, {root!r})
import skerry as sk
from cuda.core import Device
from tests.emulator.users_kernels.checked_kernels import Memory, Program
import numpy as np
Device(0).set_current()
SOURCE = 'extern "C" __global__ void k(float* a) {{ a[0] = threadIdx.x; }}'
program = Program(SOURCE, "k.cu")
memory = Memory(np.zeros(4, np.float32))
program.launch("k", 1, {threads}, memory.pointer)
"""
ENDINGS = {
    "ends": "print('all is fine')",
    "exits with 0": "sys.exit(0)",
    "leaves at once": "os._exit(0)",
    "waits and leaves at once": "Device(0).sync()\nos._exit(0)",
    "leaves in a handler": "atexit.register(os._exit, 0)",
    "leaves in a thread": "threading.Thread(target=os._exit, args=(0,)).start()\nthreading.Event().wait(30)",
}


def sanitize(tmp_path, ending, *, is_faulty):
    installed("cuda.core")
    script = tmp_path / "program.py"
    head = PROGRAM.format(root=str(ROOT), threads=64 if is_faulty else 1)
    script.write_text(f"{head}{ending}\n")
    return subprocess.run(
        [sys.executable, "-m", "skerry", "sanitize", "--schedules", "1", str(script)],
        env={name: value for name, value in os.environ.items() if name != "SKERRY_REHEARSE"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@pytest.mark.parametrize("ending", ENDINGS.values(), ids=ENDINGS)
def test_a_report_makes_the_exit_status_1(tmp_path, ending):
    done = sanitize(tmp_path, ending, is_faulty=True)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "race on global memory" in done.stderr, done.stderr


@pytest.mark.parametrize("ending", ENDINGS.values(), ids=ENDINGS)
def test_without_a_report_the_exit_status_is_the_programs(tmp_path, ending):
    done = sanitize(tmp_path, ending, is_faulty=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "nothing found in 1 schedules" in done.stderr, done.stderr


def test_a_process_without_reports_counts_as_failed(tmp_path):
    ending = f"os.execv({sys.executable!r}, [{sys.executable!r}, '-c', 'pass'])"
    done = sanitize(tmp_path, ending, is_faulty=False)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "schedule 0: the process ended without writing reports: status 0" in done.stderr
    assert "nothing found in 0 schedules" in done.stderr
