# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""The suite of the CUDA Array Interface with skerry, with planted faults, and the tables made by it."""

import csv
import os
import pathlib
import subprocess
import sys

import pytest

from tests.cai_suite.dictionaries import ODD
from tests.device_suite.report import read_recommendations
from tests.python.session import HAS_GPU

ROOT = pathlib.Path(__file__).resolve().parents[3]
SUITE = ROOT / "tests" / "cai_suite"
DOCS = ROOT / "python" / "docs"
pytestmark = pytest.mark.skipif(HAS_GPU, reason="the suite reads rehearsed memory from the host")


def run(*arguments):
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env=os.environ,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


@pytest.mark.parametrize("side", ["producer", "consumer"])
def test_skerry_follows_every_rule(side):
    done = run("-m", "pytest", str(SUITE), "-q", f"--{side}=skerry")
    assert done.returncode == 0, done.stdout[-4000:]
    assert "not followed" not in done.stdout
    assert "not offered" not in done.stdout


@pytest.mark.slow
def test_the_suite_finds_every_planted_fault():
    done = run("-m", "tests.cai_suite.planted_faults")
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    assert done.stdout.splitlines()[-1] == "31 of 31 faults found"


def test_there_are_46_odd_dictionaries():
    assert len({odd.name for odd in ODD}) == len(ODD) == 46


def read_table(name):
    with (DOCS / name).open(newline="") as file:
        return list(csv.DictReader(file))


def test_the_tables_have_all_rules_and_dictionaries():
    rules = {row["rule"] for row in read_recommendations(SUITE).values()}
    tables = read_table("cai_producers.csv") + read_table("cai_consumers.csv")
    assert {row["Rule"] for row in tables} == rules, "run `make cai-suite`"
    rows = read_table("cai_dictionaries.csv")
    assert [row["Dictionary"] for row in rows] == [odd.name for odd in ODD], "run `make cai-suite`"
