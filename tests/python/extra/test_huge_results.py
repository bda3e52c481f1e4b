# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""A result too large for any memory, by a size argument, raises before anything is allocated."""

import pathlib
import subprocess
import sys

import pytest

PROGRAM = pathlib.Path(__file__).with_name("huge_results.py")


@pytest.mark.parametrize("device", ["cpu:0", "cuda:0"])
def test_huge_sizes_raise_before_allocation(device):
    done = subprocess.run(
        [sys.executable, PROGRAM, device], capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr[-4000:]
    *wrong, count = done.stdout.splitlines()
    assert wrong == []
    assert int(count.split()[0]) > 400
