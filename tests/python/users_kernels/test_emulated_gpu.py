# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""`skerry.testing.emulated_gpu`, its fixture, and ``python -m skerry sanitize``: each in a process of its own."""

import os
import pathlib
import subprocess
import sys

import pytest
from conftest import HAS_GPU
from libraries import installed

HERE = pathlib.Path(__file__).parent
if HAS_GPU:
    pytest.skip("on a GPU, NVIDIA's driver runs kernels", allow_module_level=True)

START = """
import sys
sys.path.insert(0, {here!r})
import numpy as np
import checked_kernels, faulty_kernels
from checked_kernels import Memory, Program, synchronize
from skerry.exceptions import EmulationError
from skerry.testing import emulated_gpu
import skerry

def run(name, a=None):
    from cuda.core import Device
    Device(0).set_current()
    case = faulty_kernels.KERNELS[name]
    program = Program(faulty_kernels.source(name), name + ".cu")
    a = Memory(np.zeros(case.n, np.float32)) if a is None else a
    b = Memory(np.zeros(case.blocks * case.threads, np.float32))
    program.launch(name, case.blocks, case.threads, a.pointer, b.pointer, np.int32(case.n))
    return synchronize()
"""


def child(code, *arguments, folder=None):
    own = {name: value for name, value in os.environ.items() if name != "SKERRY_REHEARSE"}
    command = [sys.executable, *(arguments or ("-c", code))]
    return subprocess.run(
        command, env=own, cwd=folder, capture_output=True, text=True, timeout=600, check=False
    )


def outcome(body):
    installed("cuda.core")
    done = child(START.format(here=str(HERE)) + body)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    return done.stdout


def test_a_race_is_raised_at_the_end_of_the_block():
    said = outcome("""
try:
    with emulated_gpu() as gpu:
        assert run("no_barrier") == 0
except EmulationError as problem:
    (report, *_) = problem.reports
    assert report.kind == "race_shared" and report.other["thread"], report
    assert gpu.reports == list(problem.reports)
    print(problem)
""")
    assert "race on shared memory" in said
    assert "no_barrier.cu:" in said


def test_an_error_on_its_way_gets_the_report_as_a_note():
    said = outcome("""
try:
    with emulated_gpu():
        if run("no_bound"): raise RuntimeError("CUDA_ERROR_ILLEGAL_ADDRESS")
except RuntimeError as problem:
    assert type(problem) is RuntimeError
    print(problem.__notes__)
with emulated_gpu(checks="none") as gpu:
    assert run("no_barrier") == 0
    x = skerry.arange(4, device="cuda:0")
    assert float(x.sum()) == 6
assert gpu.reports == []
""")
    assert "bytes past the end of 512 bytes" in said


def test_a_device_that_skerry_has_lost_says_why():
    said = outcome("""
from skerry.exceptions import FatalDeviceError
skerry.rehearse(cuda=1, kernels=True)
x = skerry.arange(4, device="cuda:0")
run("no_bound")
try:
    float((x + 1).sum())
except FatalDeviceError as problem:
    print(problem.__notes__)
""")
    assert "no_bound.cu:" in said


def test_checks_that_do_not_exist_are_refused():
    from skerry.testing import emulated_gpu

    with pytest.raises(ValueError, match="there is no speed; there are races"):
        emulated_gpu(checks=["races", "speed"])


def test_the_fixture_fails_a_test(tmp_path):
    installed("cuda.core")
    (tmp_path / "conftest.py").write_text('pytest_plugins = ["skerry.pytest_plugin"]\n')
    (tmp_path / "test_it.py").write_text(
        START.format(here=str(HERE))
        + """
import pytest
@pytest.mark.emulated_gpu(checks="races", seed=3)
def test_race(emulated_gpu):
    run("no_barrier")
def test_right(emulated_gpu):
    assert emulated_gpu.reports == []
"""
    )
    done = child("", "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path), folder=tmp_path)
    assert "race on shared memory" in done.stdout, done.stdout + done.stderr
    assert "2 passed" in done.stdout
    assert "1 error" in done.stdout


def test_sanitize_tells_what_it_found_and_where(tmp_path):
    installed("cuda.core")
    script = tmp_path / "program.py"
    script.write_text(START.format(here=str(HERE)) + "run(sys.argv[1])\n")
    done = child("", "-m", "skerry", "sanitize", "--schedules", "2", str(script), "no_barrier")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "race_shared" in done.stderr
    assert "2 of 2" in done.stderr
    script.write_text("print('nothing on a GPU')\n")
    done = child("", "-m", "skerry", "sanitize", "--schedules", "1", str(script))
    assert done.returncode == 0, done.stderr
    assert "nothing found in 1 schedules" in done.stderr
