# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""The marker of ``skerry.testing.pytest_plugin``, in a pytest of its own."""

import os
import subprocess
import sys

TESTS = """
import pytest
import skerry as sk

@pytest.fixture
def x():
    array = sk.ones(3, device="cuda:0")
    assert float(array[0]) == 1  # a fixture is not guarded
    return array

@pytest.mark.skerry_guard(transfers="raise")
def test_rejected(x):
    float(x[0])

@pytest.mark.skerry_guard(syncs="raise")
def test_passes(x):
    x + 1

@pytest.mark.skerry_guard()
def test_shows_the_ledger(x):
    float(x[1])
    assert False

@pytest.mark.skerry_guard(transfers="never")
def test_unknown_policy(x):
    pass

def test_without_marker(x):
    float(x[0])
"""


def test_the_marker_guards_a_test(tmp_path):
    (tmp_path / "conftest.py").write_text('pytest_plugins = ["skerry.testing.pytest_plugin"]\n')
    (tmp_path / "test_guarded.py").write_text(TESTS)
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "--strict-markers",
        "-p",
        "no:cacheprovider",
        ".",
    ]
    done = subprocess.run(
        command, cwd=tmp_path, env=os.environ, capture_output=True, text=True, check=False
    )
    assert "3 failed, 2 passed" in done.stdout, done.stdout
    assert "GuardError: float: skerry.guard(transfers" in done.stdout
    assert "test_guarded.py:22" in done.stdout  # in the ledger of the failed test
    assert "no such policy: transfers='never'" in done.stdout
