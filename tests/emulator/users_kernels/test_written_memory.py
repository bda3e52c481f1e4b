# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Users' kernels that read results of skerry's operations: undefined values."""

import json

import pytest

from tests.emulator.users_kernels.test_users_kernels import START, child
from tests.python.libraries import installed

PACKAGE = __name__.rpartition(".")[0]


def run(module, *arguments):
    """Run a module of programs in a new process with emulated kernels; return its JSON output."""
    installed("cuda.core")
    done = child(f"{START}from {PACKAGE} import {module}\n{module}.main(*{arguments!r})\n")
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    return json.loads(done.stdout.splitlines()[-1])


def test_results_of_all_public_functions_count_as_written():
    done = run("written_memory_programs", "right")
    assert done["reported"] == {}
    assert done["other"] == []
    assert done["count"] > 4000
    print(f"{done['count']} programs")


@pytest.fixture(scope="module")
def half_written():
    return run("written_memory_programs", "wrong")


def test_unwritten_elements_and_dependent_results_are_reported(half_written):
    reported = half_written["wrong"]
    assert len(reported) > 25
    assert {
        name: kinds for name, kinds in reported.items() if set(kinds) != {"uninitialised"}
    } == {}


def test_written_parts_are_not_reported(half_written):
    reported = half_written["written"]
    assert len(reported) > 10
    assert {name: kinds for name, kinds in reported.items() if kinds} == {}


def test_arrays_created_before_the_checks_count_as_written():
    done = child(
        f"{START}from {PACKAGE}.written_memory_programs import Reader, emulated_gpu\n"
        "with emulated_gpu(checks='uninitialised'):\n"
        "    x, y = skerry.empty(10, device='cuda:0'), skerry.empty(10, device='cuda:0')\n"
        "x[...] = 1\n"
        "with emulated_gpu(checks='uninitialised'):\n"
        "    print(Reader().reports(x, y))\n"
        "    print(Reader().reports(skerry.empty(10, device='cuda:0')))\n"
        "    Reader().reports()\n"
    )
    assert done.stdout.splitlines() == ["[]", "['uninitialised']"], done.stderr
