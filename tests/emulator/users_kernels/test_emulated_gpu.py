# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""`skerry.testing.emulated_gpu`, its fixture, and ``python -m skerry sanitize``, each in a new process."""

import os
import pathlib
import select
import signal
import subprocess
import sys
import tempfile
import time

import pytest
from skerry_emulator._reports import KernelReport
from skerry_emulator._sanitize import _key

from tests.emulator.users_kernels import faulty_kernels
from tests.emulator.users_kernels.test_users_kernels import REDIRECT
from tests.python.libraries import installed, numba_cuda_installed

ROOT = pathlib.Path(__file__).resolve().parents[3]

START = """
import sys
sys.path.insert(0, {root!r})
import numpy as np
from tests.emulator.users_kernels import checked_kernels, faulty_kernels
from tests.emulator.users_kernels.checked_kernels import Memory, Program, synchronize
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


def own_environment(**more):
    environment = {name: value for name, value in os.environ.items() if name != "SKERRY_REHEARSE"}
    return environment | more


def child(code, *arguments, folder=None, **more):
    environment = own_environment(**more)
    command = [sys.executable, *(arguments or ("-c", code))]
    return subprocess.run(
        command,
        env=environment,
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


def outcome(body):
    installed("cuda.core")
    done = child(START.format(root=str(ROOT)) + body)
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


def test_a_raised_exception_gets_the_report_as_a_note():
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


def test_the_error_of_a_lost_device_has_the_report_as_a_note():
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


def test_unknown_checks_are_rejected():
    from skerry.testing import emulated_gpu

    with pytest.raises(ValueError, match="unknown check: speed; accepted: races"):
        emulated_gpu(checks=["races", "speed"])


def test_fixture_fails_a_test_with_reports(tmp_path):
    installed("cuda.core")
    (tmp_path / "conftest.py").write_text('pytest_plugins = ["skerry_emulator"]\n')
    (tmp_path / "test_it.py").write_text(
        START.format(root=str(ROOT))
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


def test_sanitize_prints_findings_and_exit_status(tmp_path):
    installed("cuda.core")
    script = tmp_path / "program.py"
    script.write_text(START.format(root=str(ROOT)) + "run(sys.argv[1])\n")
    done = child("", "-m", "skerry", "sanitize", "--schedules", "2", str(script), "no_barrier")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "race_shared" in done.stderr
    assert "2 of 2" in done.stderr
    script.write_text("print('nothing on a GPU')\n")
    done = child("", "-m", "skerry", "sanitize", "--schedules", "1", str(script))
    assert done.returncode == 0, done.stderr
    assert "nothing found in 1 schedules" in done.stderr
    script.write_text("raise SystemExit(3)\n")
    done = child("", "-m", "skerry", "sanitize", "--schedules", "1", str(script))
    assert done.returncode == 3, done.stderr
    assert "nothing found in 1 schedules; the program ended with status 3" in done.stderr


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (("nowhere.py",), "argument script: no such file: nowhere.py"),
        (("--checks", "speed", "-"), "argument --checks: unknown check: speed; accepted: races"),
        (("--schedules", "0", "-"), "argument --schedules: 0 is less than 1"),
        (("--capability", "75", "-"), "argument --capability: invalid choice: 75"),
    ],
)
def test_sanitize_rejects_invalid_arguments(options, complaint):
    done = child("", "-m", "skerry", "sanitize", *options)
    assert done.returncode == 2
    assert complaint in done.stderr
    assert "Traceback" not in done.stderr


def report_of(**fields):
    return KernelReport("deadlock", 719, "what", "text", 0, kernel="k", **fields)


def test_a_finding_is_one_row_in_all_schedules():
    waits = [report_of(waiting=({"file": "k.cu", "line": line},)) for line in (3, 5)]
    assert [one.place for one in waits] == ["k.cu:3", "k.cu:5"]
    assert _key(waits[0]) == _key(waits[1])
    folder = tempfile.gettempdir()
    lines = [report_of(file=f"{folder}/k_{name}.cu", line=3) for name in ("a8_zq12x", "bbbb2222")]
    assert _key(lines[0]) == _key(lines[1])
    assert _key(lines[0]) != _key(report_of(file=f"{folder}/k_a8_zq12x.cu", line=4))
    reports = [report_of(file=name, line=3) for name in ("solver_a.py", "solver_b.py")]
    assert _key(reports[0]) != _key(reports[1])


SPIN = """
skerry.rehearse(cuda=1, kernels=True)
x = skerry.arange(4, device="cuda:0")
"""


def test_sanitize_adds_line_numbers_to_numba_kernels(tmp_path):
    numba_cuda_installed()
    folder = tmp_path / "start"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text("import sys\n" + REDIRECT)
    script = tmp_path / "program.py"
    script.write_text(
        "import numpy as np\nfrom numba import cuda\n"
        "@cuda.jit(cache=True)\ndef beyond(x):\n    x[cuda.grid(1) + 1] = 1.0\n"
        "beyond[1, 32](np.zeros(32))\n"
    )
    path = os.pathsep.join(filter(None, [str(folder), os.environ.get("PYTHONPATH")]))
    command = ("-m", "skerry", "sanitize", "--schedules", "1", str(script))
    done = child("", *command, PYTHONPATH=path)
    assert done.returncode == 1, done.stdout + done.stderr
    assert f"{script}:5" in done.stderr


def test_a_notice_names_a_long_running_kernel_once():
    installed("cuda.core")
    settings = {"SKERRY_EMULATE_NOTICE": "1", "SKERRY_EMULATE_SECONDS": "3"}
    done = child(START.format(root=str(ROOT)) + SPIN + "print(run('waits_for_nobody'))", **settings)
    assert done.stdout == "702\n", done.stderr
    line = faulty_kernels.line_of("waits_for_nobody", "HERE")
    head, _, tail = done.stderr.partition("a kernel has run for 1 s and is still running")
    assert not head.count("waits_for_nobody")
    notice, _, _ = tail.partition("more than 3 s")
    assert f"waits_for_nobody.cu:{line}" in notice
    assert "kernel: waits_for_nobody" in notice
    assert done.stderr.count("is still running") == 1


@pytest.fixture
def interruptible():
    """Enable SIGINT: background processes of a shell ignore it, and their children inherit that."""
    old_handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, old_handler)


@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize(
    "wait", ["synchronize()", "skerry.synchronize('cuda:0')", "float(x.sum())"]
)
def test_an_interruption_ends_a_kernel_and_the_wait(wait):
    installed("cuda.core")
    code = START.format(root=str(ROOT)).replace("return synchronize()", "return b") + SPIN
    code += f"b = run('waits_for_nobody')\nprint('begun', flush=True)\n{wait}\nprint('waited')\n"
    command = [sys.executable, "-c", code]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, env=own_environment(), **pipes) as process:
        assert select.select([process.stdout], [], [], 120)[0]
        assert process.stdout.readline() == "begun\n", process.stderr.read()
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        began = time.monotonic()
        said, complaints = process.communicate(timeout=60)
        seconds = time.monotonic() - began
    assert process.returncode == -signal.SIGINT, complaints
    assert said == ""
    assert "KeyboardInterrupt" in complaints
    line = faulty_kernels.line_of("waits_for_nobody", "HERE")
    assert "interrupted: the kernel may never end" in complaints
    assert f"waits_for_nobody.cu:{line}" in complaints
    assert seconds < 20


@pytest.mark.usefixtures("interruptible")
def test_an_interrupted_sanitize_reports_the_kernels_position(tmp_path):
    installed("cuda.core")
    script = tmp_path / "program.py"
    script.write_text(
        START.format(root=str(ROOT)).replace("return synchronize()", "return b")
        + "b = run('waits_for_nobody')\nprint('begun', flush=True)\nsynchronize()\n"
    )
    command = [sys.executable, "-m", "skerry", "sanitize", "--checks", "none", str(script)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(
        command, env=own_environment(), start_new_session=True, **pipes
    ) as process:
        assert select.select([process.stdout], [], [], 120)[0]
        assert process.stdout.readline() == "begun\n", process.stderr.read()
        time.sleep(1)
        os.killpg(process.pid, signal.SIGINT)
        _, complaints = process.communicate(timeout=60)
    assert process.returncode == 1, complaints
    assert "interrupted: the kernel may never end" in complaints
    assert "1 of 1" in complaints  # no other schedule is tried
