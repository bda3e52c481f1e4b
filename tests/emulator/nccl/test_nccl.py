# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""The rehearsed NCCL, in new processes: the stand-in must be loaded before nccl4py looks for the library."""

import pytest

from tests.emulator.nccl.ranks_of_processes import PROGRAM
from tests.emulator.users_kernels.test_users_kernels import child
from tests.python.libraries import installed

PYTEST = """
import sys
import skerry as sk
sk.rehearse(cuda=8, kernels=True)
import pytest
sys.exit(pytest.main(["tests/emulator/nccl/{name}.py", "--noconftest", "-q", "-p", "no:cacheprovider"]))
"""


@pytest.mark.parametrize(
    "name",
    [
        "value_cases",
        "error_cases",
        "comm_cases",
        "call_cases",
        "capture_cases",
        "resize_cases",
        "wait_cases",
    ],
)
def test_cases(name):
    installed("nccl.core")
    done = child(PYTEST.format(name=name))
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    assert " passed" in done.stdout


def test_comm_is_in_program_order_with_delays():
    installed("nccl.core")
    done = child(PYTEST.format(name="comm_cases"), SKERRY_REHEARSE_DELAY_US="0-1000")
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]


def test_ranks_may_be_processes():
    installed("nccl.core")
    done = child(PROGRAM)
    assert done.returncode == 0, done.stdout + done.stderr


def test_streams_are_in_order_with_delays():
    installed("nccl.core")
    done = child(PROGRAM, SKERRY_REHEARSE_DELAY_US="0-2000")
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_report_is_one_of_the_emulator():
    installed("nccl.core")
    done = child(
        "from tests.emulator.nccl import wrong_programs\nwrong_programs.PROGRAMS['counts_differ']()\n"
        "from skerry_emulator import _reports\nprint([one.kind for one in _reports.library().reports()])\n"
    )
    assert "['collective']" in done.stdout, done.stdout + done.stderr


def test_sanitize_lists_a_mistake(tmp_path):
    installed("nccl.core")
    program = tmp_path / "program.py"
    program.write_text(
        "import sys\nsys.path.insert(0, '.')\nfrom tests.emulator.nccl import wrong_programs\n"
        "wrong_programs.PROGRAMS['a_group_has_no_end']()\n"
    )
    command = ["sanitize", "--devices", "8", "--schedules", "1", str(program)]
    done = child(
        f"import sys\nsys.argv[1:] = {command!r}\nimport runpy\nrunpy.run_module('skerry', run_name='__main__')"
    )
    assert done.returncode == 1, done.stdout + done.stderr
    assert "collective" in done.stderr
    assert "has no ncclGroupEnd" in done.stderr
