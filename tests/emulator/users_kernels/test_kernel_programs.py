# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Random programs in which kernels of Numba and cuda.core work on skerry's arrays: tests/fuzz/programs.py --kernels."""

import pathlib
import subprocess
import sys

import pytest

from tests.emulator.users_kernels.test_users_kernels import NUMBA_CUDA
from tests.python.libraries import installed, missing

ROOT = pathlib.Path(__file__).resolve().parents[3]


def programs(*options):
    installed("cuda.core")
    if not NUMBA_CUDA.exists():
        missing(f"numba-cuda is not in {NUMBA_CUDA}")
    return subprocess.run(
        [sys.executable, "-m", "tests.fuzz.programs", "--kernels", *options],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=7200,
        check=False,
    )


def test_programs_with_kernels_read_what_they_read_in_order(full):
    count = "10000" if full else "200"
    done = programs("--count", count)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{count} programs" in done.stdout
    assert "0 differ" in done.stdout
    print(done.stdout)


def test_checks_accuse_no_program_that_keeps_the_order(full):
    count = "2000" if full else "60"
    done = programs("--count", count, "--checks", "--seed", "1")
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{count} programs" in done.stdout
    assert "0 differ" in done.stdout


@pytest.mark.parametrize("order", ["before", "after"])
def test_checks_find_what_does_not_wait(order):
    done = programs("--count", "20", "--checks", "--seed", "3", "--without-order", order)
    assert done.returncode == 1
    # Memory may be gone before its kernel runs, which ends the programs at once.
    kinds = [kind for kind in ("race_streams", "use_after_free") if kind in done.stderr]
    assert kinds, done.stdout + done.stderr


def test_programs_differ_where_kernels_do_not_wait():
    done = programs("--count", "40", "--seed", "3", "--without-order", "before")
    assert done.returncode == 1
    assert " 0 differ" not in done.stdout
    assert " differ" in done.stdout, done.stderr


def test_programs_fail_where_nothing_waits_for_kernels():
    """Others read too early, or memory goes away under a kernel, which the emulated GPU finds."""
    done = programs("--count", "40", "--seed", "3", "--without-order", "after")
    assert done.returncode == 1
    assert " 0 differ" not in done.stdout
    # In our words, or in Numba's where its call was the first to meet it.
    lost = "illegal memory access" in done.stderr or "ILLEGAL_ADDRESS" in done.stderr
    assert " differ" in done.stdout or lost, done.stderr
