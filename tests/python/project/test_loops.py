# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Tests that loop over combinations run all of them, and name each one that fails or is skipped."""

import pathlib
import subprocess
import sys

import pytest

from tests.python import loops

ROOT = pathlib.Path(__file__).resolve().parents[3]
PROGRAM = """
import pytest
from tests.python.loops import loop_over

@loop_over("shape", [(), (2,)])
@loop_over("dtype", ["int8", "int16", "float32"])
def test_product(dtype, shape):
    print("tried", dtype, shape)
    assert dtype != "int16" or shape == (), "odd"
    if dtype == "float32":
        pytest.skip("no floats")

@loop_over(("name", "dtype"), [("add", "int8"), ("add", "int16"), ("sin", "float32")], items="name")
@pytest.mark.parametrize("device", ["cpu:0", "cuda:0"])
def test_functions(name, dtype, device):
    assert (name, dtype, device) != ("add", "int8", "cuda:0")
    assert (name == "sin") == (dtype == "float32")

@pytest.mark.slow
def test_that_takes_seconds():
    pass
"""


def run(tmp_path, *options):
    path = tmp_path / "test_program.py"
    path.write_text(PROGRAM)
    plugins = ["-p", "tests.conftest", "-p", "no:cacheprovider"]
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-c",
        "/dev/null",
        "-rfs",
        *plugins,
        *options,
        str(path),
    ]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def test_each_failing_combination_is_named(tmp_path):
    done = run(tmp_path)
    assert done.returncode == 1
    assert "SUBFAILED(shape=(2,), dtype='int16')" in done.stdout
    assert "test_functions[cuda:0-add]" in done.stdout
    assert done.stdout.count("SUBFAILED") == 2
    assert done.stdout.count("tried int8") == 2  # combinations after a failed one run too
    assert "SKIPPED [2]" in done.stdout
    assert "no floats" in done.stdout


def items_of(done):
    return sorted(line.split("::")[1] for line in done.stdout.splitlines() if "::" in line)


def test_items_argument_creates_separate_items(tmp_path):
    items = items_of(run(tmp_path, "--collect-only", "-q"))
    functions = [f"test_functions[{d}-{n}]" for d in ("cpu:0", "cuda:0") for n in ("add", "sin")]
    assert items == [*functions, "test_product", "test_that_takes_seconds"]


def test_quick_sessions_deselect_slow_tests(tmp_path):
    done = run(tmp_path, "--collect-only", "-q", "--quick")
    assert "test_that_takes_seconds" not in items_of(done)
    assert "1 deselected" in done.stdout


def test_quick_combinations_are_chosen_by_the_name_of_the_item():
    combinations = [{"n": n} for n in range(100)]
    chosen = loops.choose(combinations, "test_sum[cpu:0]")
    assert len(chosen) == loops.QUICK_COUNT
    assert chosen == loops.choose(combinations, "test_sum[cpu:0]")
    assert chosen != loops.choose(combinations, "test_sum[cpu:1]")
    assert loops.choose(combinations[:3], "test_sum") == combinations[:3]
    assert loops.choose([], "test_sum") == []


def test_pytest_marks_on_values_are_rejected():
    with pytest.raises(TypeError, match="marks of pytest"):
        loops.loop_over("n", [pytest.param(1, marks=pytest.mark.skip)])(lambda n: n)
