# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Equal inputs give equal results: runs `equal_inputs.py` for every instruction set of this computer."""

import functools
import json
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest
import skerry as sk
from skerry.testing import instruments

from tests.python.elementwise import equal_inputs
from tests.python.session import HAS_GPU, LEVELS

ROOT = pathlib.Path(__file__).resolve().parents[3]
LEVEL = instruments.instruction_set()


@functools.cache
def walk(level, device, full):
    """Returns the findings by function and dtype, or None if this computer or build lacks the level."""
    environment = {**os.environ, "SKERRY_ISA": level.rpartition("-")[2]}
    command = [sys.executable, "-m", equal_inputs.__name__, "--device", device]
    command += ["--only-on", level, *(["--full"] if full else [])]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def walked(level, full):
    cases = walk(level, "cpu:0", full)
    if cases is None:
        pytest.skip(f"no {level}: this computer or this build lacks it")
    assert len(cases) == len(equal_inputs.CASES)
    return cases


def assert_all_equal(cases):
    unequal = {case: result["unequal"] for case, result in cases.items() if result["unequal"]}
    first = "\n".join(
        f"{case}: {len(messages)}, {messages[0]}" for case, messages in unequal.items()
    )
    assert not unequal, f"{len(unequal)} of {len(cases)} depend on more than the value:\n{first}"


@pytest.mark.parametrize("name", ["cos", "exp", "sin", "tan"])
def test_equal_elements_of_one_array_have_equal_results(name):
    function = getattr(sk, name)
    assert len({float(v) for v in function(sk.full((7,), 1e-9))}) == 1
    for value in np.linspace(-30, 30, 2000):
        assert len({float(v) for v in function(sk.full((7,), value))}) == 1, f"{name}({value})"


@pytest.mark.slow
@pytest.mark.parametrize("level", LEVELS)
def test_results_depend_on_the_value_alone(level, full):
    assert_all_equal(walked(level, full))


@pytest.mark.slow
@pytest.mark.skipif("x86-64-v4" not in LEVELS, reason="another kind of processor")
def test_avx2_and_avx512_give_equal_bits(full):
    narrow, wide = walked("x86-64-v3", full), walked("x86-64-v4", full)
    assert [case for case in narrow if narrow[case]["digest"] != wide[case]["digest"]] == []


def test_results_on_cuda_depend_on_the_value_alone(full):
    cases = walk(LEVEL, "cuda:0", full)
    assert_all_equal(cases)
    if not HAS_GPU:  # the CPU's kernels ran
        here = walked(LEVEL, full)
        assert [case for case in cases if here[case]["digest"] != cases[case]["digest"]] == []


# Typical faults: in the remainder of a vector loop, in a strided operand, in another thread's chunk.
FAULTS = {
    "lengths": lambda x: x.ndim == 1 and x.shape[0] % 8 == 7,
    "positions": lambda x: x.shape[0] % 8 != 0,
    "single_elements": lambda x: x.ndim == 0,
    "layouts": lambda x: abs(x.strides[-1]) > x.itemsize,
    "repeated": lambda x: x.strides[0] == 0,
}


@pytest.mark.parametrize("part", FAULTS)
def test_each_check_finds_its_fault(part):
    walker = equal_inputs.Walk("sqrt", "float32", "cpu:0", 100)
    assert walker.unequal == []
    rounded, wrong = walker.function, FAULTS[part]
    walker.function = lambda x: rounded(-x if wrong(np.asarray(x)) else x)
    getattr(walker, part)(*([1] if part == "lengths" else []))
    assert walker.unequal
