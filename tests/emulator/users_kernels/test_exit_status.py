# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""A kernel's error that no call has raised makes the exit status 1; all other programs keep theirs."""

import pytest

from tests.emulator.users_kernels.test_report_texts import START
from tests.emulator.users_kernels.test_users_kernels import child
from tests.python.libraries import installed

MESSAGE = "device 0: the program ends, and no call has raised the error of a kernel"


def run(body, **environment):
    installed("cuda.core")
    return child(START + body, **environment)


UNNOTICED = {
    "no call waits": "start(x, out)",
    "another device is used": (
        "start(x, out)\ny = sk.ones(4, device='cuda:1')\nsk.synchronize('cuda:1')\nassert y.sum() == 4"
    ),
    "a CPU is used": "start(x, out)\nassert sk.ones(4, device='cpu').sum() == 4",
    "the arrays are deleted": (
        "import gc, time\nstart(x, out)\ntime.sleep(0.2)\ndel x, out\ngc.collect()\n"
        "assert sk.ones(4, device='cuda:1').sum() == 4"
    ),
    "the arrays are local": (
        "import time\ndef main():\n    x = sk.ones(64, dtype=sk.float32, device='cuda:0')\n"
        "    with sk.Stream('cuda:0'):\n        x = x + 1\n    start(x, sk.empty_like(x))\n    time.sleep(0.2)\n"
        "main()"
    ),
    "the program exits with 0": "start(x, out)\nraise SystemExit(0)",
    "a thread launched it": (
        "import threading\nt = threading.Thread(target=start, args=(x, out))\nt.start()\nt.join()"
    ),
}


@pytest.mark.parametrize("body", UNNOTICED.values(), ids=UNNOTICED)
def test_an_error_that_no_call_raised_makes_the_exit_status_1(body):
    done = run(body + "\nprint('the end', end='')")
    assert done.returncode == 1, done.stdout + done.stderr
    assert done.stdout in ("the end", "")
    assert done.stderr.count(MESSAGE) == 1, done.stderr
    _, _, tail = done.stderr.partition(MESSAGE)
    assert "exit status 1 instead of 0: read of 4 bytes of global memory" in tail
    assert "kernel: shifted" in tail
    assert "Traceback" not in done.stderr


NOTICED = {
    "it is raised and handled": ("fault(x, out)", 0),
    "a call of skerry raised it": (
        "start(x, out)\n"
        "try:\n    sk.synchronize('cuda:0')\nexcept sk.exceptions.FatalDeviceError:\n    print('lost')",
        0,
    ),
    "a read of the result raised it": (
        "start(x, out)\ntry:\n    out.tolist()\nexcept sk.exceptions.FatalDeviceError:\n    print('lost')",
        0,
    ),
    "a read after the kernel raised it": (
        "import time\nstart(x, out)\ntime.sleep(0.2)\n"
        "try:\n    out.tolist()\nexcept sk.exceptions.FatalDeviceError:\n    print('lost')",
        0,
    ),
    "it is raised": ("start(x, out)\nDevice(0).sync()", 1),
    "the program has another status": ("start(x, out)\nraise SystemExit(3)", 3),
    "the program ends at once": ("import os\nstart(x, out)\nos._exit(0)", 0),
    "emulated_gpu raised it": (
        "from skerry.testing import emulated_gpu\n"
        "try:\n    with emulated_gpu(checks='none'):\n        start(x, out)\n"
        "except sk.exceptions.EmulationError:\n    print('found')",
        0,
    ),
    "there is none": ("z = sk.ones(65, dtype=sk.float32, device='cuda:0')\nstart(z, out)", 0),
}


@pytest.mark.parametrize(("body", "status"), NOTICED.values(), ids=NOTICED)
def test_other_programs_end_with_their_own_status(body, status):
    done = run(body)
    assert done.returncode == status, done.stdout + done.stderr
    if status != 3:
        assert MESSAGE not in done.stderr


def test_the_end_does_not_wait_for_a_kernel_that_never_ends():
    done = run(
        "SOURCE = SOURCE.replace('out[i] = x[i + 1]', 'while (((volatile float*)out)[i] < 1e9f) {}')\n"
        "start(x, sk.zeros_like(x))\n",
        SKERRY_EMULATE_SECONDS="60",
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert MESSAGE not in done.stderr


def test_children_of_multiprocessing_have_their_own_status(tmp_path):
    """A child that multiprocessing spawns exits with 1; a forked one can't use the devices, and its parent ends well."""
    script = tmp_path / "program.py"
    script.write_text(
        "import multiprocessing\n"
        "def work():\n"
        "    scope = {}\n"
        f"    exec({START!r}, scope)\n"
        "    exec('start(x, out)', scope)\n"
        "if __name__ == '__main__':\n"
        "    process = multiprocessing.get_context('spawn').Process(target=work)\n"
        "    process.start()\n"
        "    process.join()\n"
        "    print(process.exitcode)\n"
    )
    installed("cuda.core")
    done = child(
        f"import subprocess, sys; sys.exit(subprocess.call([sys.executable, {str(script)!r}]))"
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "1\n", done.stdout + done.stderr


def test_a_forked_child_does_not_answer_for_its_parents_error():
    done = run("""
import os, time
start(x, out)
time.sleep(0.2)
child = os.fork()
if child == 0:
    raise SystemExit(0)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
""")
    assert done.stdout == "0\n", done.stdout + done.stderr
    assert done.returncode == 1
    assert done.stderr.count(MESSAGE) == 1
