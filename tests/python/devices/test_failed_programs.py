# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Programs in which a CUDA call fails raise an error or read correct values: a sample of ``make fuzz-failures``."""

import pathlib
import subprocess
import sys

import pytest
from skerry.exceptions import DeviceError

from tests.fuzz import failures
from tests.python.session import HAS_GPU

pytestmark = pytest.mark.skipif(HAS_GPU, reason="failures are injected into rehearsed devices only")

ROOT = pathlib.Path(__file__).resolve().parents[3]


@pytest.mark.slow
def test_failed_calls_never_give_wrong_results(full):
    command = [sys.executable, "-m", "tests.fuzz.failures", "--seed", "1", "--processes", "1"]
    command += ["--runs", "50000" if full else "600"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert ": 0 faults" in done.stdout


def test_fuzzer_reports_wrong_results_and_wrong_errors():
    walk = failures.Walk(seed=1)
    clean = failures.CleanRun(seen=[1, 2], states=[[]], calls=9)
    failure = failures.Failure(call=3, status=1, is_sticky=False, delay_us=0)

    def fault(seen, error, was_met=True):
        program = walk.make(failures.FailingProgram, 0)
        program.seen, program.names = seen, ["add"]
        return walk.fault(program, clean, failure, error, was_met)

    assert fault([1, 2], None) is None
    assert fault([1], DeviceError("lost")) is None
    assert "reads 3, not 2" in fault([1, 3], None)
    assert "reads too little" in fault([1], None)
    assert "raises ValueError" in fault([1], ValueError("x"))
    assert "before the failure" in fault([1], DeviceError("x"), was_met=False)
