# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Modules that ``import skerry`` imports: each costs a program's start, so most are imported at first use."""

import os
import subprocess
import sys

PROGRAM = """
import sys
import inspect  # as NumPy 2.4 does; NumPy 2.2 does not
import numpy
before = set(sys.modules)
import skerry
print(*sorted(set(sys.modules) - before))
"""


def test_import_needs_few_modules_beyond_those_of_numpy():
    environment = {name: x for name, x in os.environ.items() if not name.startswith("SKERRY_")}
    output = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        capture_output=True,
        text=True,
        check=True,
        env=environment,
    ).stdout.split()
    ours = [name for name in output if name.partition(".")[0] == "skerry"]
    assert set(output) - set(ours) <= {"__future__"}
    assert len(ours) <= 14
