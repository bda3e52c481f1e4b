# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""A short run of ``make fuzz`` with new random cases each time, and its crash report."""

import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]


def fuzz(*options):
    return subprocess.run(
        [sys.executable, "-m", "tests.fuzz.interchange", *options],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@pytest.mark.slow
@pytest.mark.not_guarded("addresses made up at random may be those of inaccessible pages")
@pytest.mark.two_gpus(always=True)
def test_random_interfaces_and_structures_do_no_harm():
    done = fuzz("--count", "20000")
    assert done.returncode == 0, done.stdout + done.stderr
    print(done.stdout)
    # A sufficient share must be accepted, or nothing is compared.
    shares = [float(share) for share in re.findall(r"accepted \(([0-9.]+) %\)", done.stdout)]
    assert len(shares) == 2
    assert all(30 < share < 90 for share in shares)
    assert done.stdout.count("no signal, no leak") == 2


def test_crash_report_shows_how_to_rerun_the_case():
    done = fuzz("--count", "50", "--seed", "7", "--kind", "dlpack", "--crash-at", "31")
    assert done.returncode == 1
    assert "SIGSEGV at case 31; repeat with: " in done.stdout
    assert done.stdout.endswith("--kind dlpack --seed 7 --start 31 --count 1\n")
