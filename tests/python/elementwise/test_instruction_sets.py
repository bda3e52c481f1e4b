# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Special cases and rounding with the kernels of every level of this computer."""

import os
import pathlib
import subprocess
import sys

import pytest

from tests.python.session import LEVELS

HERE = pathlib.Path(__file__).parent
FILES = [
    "test_special_cases.py",
    "test_complex_special_cases.py",
    "../standard/test_standard_values.py",
]


def level_in_use(environment):
    code = "from skerry.testing import instruments; print(instruments.instruction_set())"
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


@pytest.mark.slow
@pytest.mark.parametrize("level", LEVELS)
def test_special_cases_and_rounding_at_every_level(level):
    environment = {**os.environ, "SKERRY_ISA": level.rpartition("-")[2]}
    if level_in_use(os.environ) == level:
        return  # the other test files run at this level
    if level_in_use(environment) != level:
        pytest.skip(f"no {level}: this computer or this build lacks it")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--tb=short"]
    command += ["-p", "no:benchmark"]  # it warns about xdist where it is installed
    command += ["-k", "cpu:0", *(str(HERE / name) for name in FILES)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, cwd=HERE)
    assert done.returncode == 0, done.stdout[-3000:]
