# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Random programs in which kernels of Numba and cuda.core use skerry's arrays: tests/fuzz/programs.py --kernels."""

import pathlib
import subprocess
import sys

import pytest

from tests.python.libraries import numba_cuda_installed

ROOT = pathlib.Path(__file__).resolve().parents[3]


def programs(*options):
    numba_cuda_installed()
    return subprocess.run(
        [sys.executable, "-m", "tests.fuzz.programs", "--kernels", *options],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=7200,
        check=False,
    )


def test_programs_with_kernels_equal_in_order_execution(full):
    count = "10000" if full else "200"
    done = programs("--count", count)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{count} programs" in done.stdout
    assert "0 differ" in done.stdout
    print(done.stdout)


def test_checks_report_nothing_for_ordered_programs(full):
    count = "2000" if full else "60"
    done = programs("--count", count, "--checks", "--seed", "1")
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{count} programs" in done.stdout
    assert "0 differ" in done.stdout


@pytest.mark.parametrize("order", ["before", "after"])
def test_checks_report_missing_waits(order):
    done = programs("--count", "20", "--checks", "--seed", "3", "--without-order", order)
    assert done.returncode == 1
    # Memory may be freed before its kernel runs, which ends the programs at once.
    kinds = [kind for kind in ("race_streams", "use_after_free") if kind in done.stderr]
    assert kinds, done.stdout + done.stderr


def test_programs_differ_if_kernels_do_not_wait():
    done = programs("--count", "40", "--seed", "3", "--without-order", "before")
    assert done.returncode == 1
    assert " 0 differ" not in done.stdout
    assert " differ" in done.stdout, done.stderr


def test_programs_fail_if_nothing_waits_for_kernels():
    """Reads happen too early, or memory is freed before its kernel runs, which the emulated GPU reports."""
    done = programs("--count", "40", "--seed", "3", "--without-order", "after")
    assert done.returncode == 1
    assert " 0 differ" not in done.stdout
    # In skerry's words, or in Numba's if its call was the first to fail.
    lost = "illegal memory access" in done.stderr or "ILLEGAL_ADDRESS" in done.stderr
    assert " differ" in done.stdout or lost, done.stderr
