# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""The memory that functions use beyond operands and result matches the table in the documentation."""

import os
import pathlib
import subprocess
import sys

import pytest

from bench import working_memory
from bench.peers.sweep_cases import measured_functions

ROOT = pathlib.Path(__file__).resolve().parents[3]
TABLE = working_memory.read_table()


def test_the_table_has_every_function_that_is_measured():
    assert {function.path for function in measured_functions()} == set(TABLE), (
        "run `make working-memory`"
    )


def limit_of(words):
    """Return the allowed bytes per byte: one step above the table's value, as a measurement may be between two steps."""
    return float(words) + 0.25 if words not in ("0", "O(1)") else 0.0


# All dtypes with --full. In its own process: other tests leave threads that allocate, and tracing is slow.
@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["float64"])
def test_functions_take_no_more_memory_than_the_table_states(dtype, full):
    command = [sys.executable, "-m", "bench.working_memory"]
    command += [] if full else ["--dtype", dtype]
    done = subprocess.run(
        command,
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "SKERRY_REHEARSE": ""},
    )
    lines = [line.split() for line in done.stdout.splitlines()]
    assert len(lines) > 200
    more = [
        (name, beyond, TABLE[name]["beyond"])
        for name, beyond, *_ in lines
        if beyond not in ("0", "O(1)") and float(beyond) > limit_of(TABLE[name]["beyond"])
    ]
    assert not more, "use less memory, or run `make working-memory`"


@pytest.mark.parametrize(("slope", "constant", "words"), [(0.0, 0, "0"), (0.0, 100_000, "O(1)")])
def test_constant_memory_is_stated_as_constant(slope, constant, words):
    assert working_memory.in_words(slope, constant) == words


# A call with two temporaries, in its own process as above.
DOUBLED = """
from bench import working_memory
from bench.peers.sweep_operands import Operand

class Doubled:
    call, name = "f(a)", "doubled"
    operands = (Operand((1 << 16,), "float64"),)

    def functions(self):
        return (lambda a: ((a + 1.0) + (a + 2.0)).sum(), None)

working_memory.prepare()
print(*working_memory.measure(Doubled()))
"""


def test_temporaries_are_measured():
    done = subprocess.run(
        [sys.executable, "-c", DOUBLED],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "SKERRY_REHEARSE": ""},
    )
    beyond, both = map(int, done.stdout.split())
    assert beyond >= 3 * (1 << 19)
    assert both < (1 << 19) + 4096
