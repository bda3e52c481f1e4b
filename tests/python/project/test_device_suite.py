# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""The device suite with skerry, with planted faults, and the programs that show deviations of other libraries."""

import csv
import importlib.util
import os
import pathlib
import subprocess
import sys

import pytest

from tests.python.libraries import library
from tests.python.session import DEVICES, HAS_GPU

ROOT = pathlib.Path(__file__).resolve().parents[3]
SUITE = ROOT / "tests" / "device_suite"
PROGRAMS = sorted((SUITE / "deviations").glob("*.py"))
# Those of CuPy are run by tests/emulator/cupy.
RUN_HERE = [program for program in PROGRAMS if not program.stem.startswith("cupy_")]
MODULES = {"strict": "array_api_strict", "jax": "jax", "numpy": "numpy", "dask": "dask"}


def run(*arguments):
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env={**os.environ, "JAX_PLATFORMS": "cpu"},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


def test_skerry_follows_every_recommendation(tmp_path):
    done = run(
        "-m", "pytest", str(SUITE), "-q", "--array-module=skerry", f"--devices={','.join(DEVICES)}"
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-4000:]
    assert "not followed" not in done.stdout
    assert "skipped" not in done.stdout


@pytest.mark.slow
@pytest.mark.skipif(HAS_GPU, reason="faults are planted on rehearsed devices; a GPU adds nothing")
def test_the_suite_finds_every_planted_fault():
    done = run("-m", "tests.device_suite.planted_faults")
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    count, total = done.stdout.splitlines()[-1].split()[0:3:2]
    assert count == total
    assert int(total) >= 20


def test_every_recommendation_has_a_planted_fault():
    with (SUITE / "recommendations.csv").open(newline="") as file:
        names = {row["name"] for row in csv.DictReader(file)}
    text = (SUITE / "planted_faults.py").read_text()
    assert {name for name in names if f'@violates("{name}")' not in text} == set()


@pytest.mark.parametrize("program", RUN_HERE, ids=lambda path: path.stem)
def test_program_shows_a_deviation_of_another_library(program):
    name = program.stem.split("_")[0]
    if name != "torch":
        library(MODULES[name])
    elif importlib.util.find_spec("torch") is None:
        pytest.skip("PyTorch, 5 GB with its libraries, is in no group of packages")
    done = run("-W", "ignore", str(program))
    assert done.returncode == 0, done.stderr
    assert "deviates:" in done.stdout, f"{done.stdout}: the library no longer deviates: remove it"


def test_deviations_in_the_documentation_are_those_of_the_programs():
    with (ROOT / "python" / "docs" / "device_deviations.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["Program"] for row in rows] == [f"``{path.name}``" for path in PROGRAMS], (
        "run `make device-suite`"
    )
