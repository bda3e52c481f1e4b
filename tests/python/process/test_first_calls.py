# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""First calls from several threads do not deadlock, and lazily created objects are shared by all."""

import pathlib
import subprocess
import sys

PROGRAM = pathlib.Path(__file__).with_name("first_calls.py")


def test_first_calls_of_all_functions_from_several_threads():
    done = subprocess.run(
        [sys.executable, PROGRAM], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr[-4000:]
    count, word, *failures = done.stdout.split("\n", 2)
    assert word == "examples"
    assert int(count) > 300
    assert failures == [""], failures
