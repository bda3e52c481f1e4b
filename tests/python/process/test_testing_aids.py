# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""`skerry.testing.assert_equal` and `assert_allclose`; the command line without a command."""

import subprocess
import sys

import numpy as np
import pytest
import skerry as sk


def test_assert_equal_compares_arrays_of_any_device_with_host_values(device):
    x = sk.asarray([1.0, float("nan")], device=device)
    sk.testing.assert_equal(x, [1.0, np.nan])
    sk.testing.assert_equal(np.asarray([1.0, np.nan]), x)
    sk.testing.assert_equal(x, x + 0)
    with pytest.raises(AssertionError, match="Mismatched elements: 1 / 2"):
        sk.testing.assert_equal(x, [2.0, np.nan], err_msg="off")
    with pytest.raises(AssertionError, match="shape"):
        sk.testing.assert_equal(x, [1.0, np.nan, 0.0])


def test_assert_allclose_has_a_tolerance(device):
    x = sk.asarray([1.0, 2.0], device=device)
    sk.testing.assert_allclose(x * (1 + 1e-9), [1.0, 2.0])
    with pytest.raises(AssertionError, match="Not equal to tolerance"):
        sk.testing.assert_allclose(x * (1 + 1e-6), x)
    sk.testing.assert_allclose(x * (1 + 1e-6), x, rtol=1e-5)


def test_arrays_on_different_devices_are_not_equal():
    x = sk.ones(3, device="cuda:0")
    for function in (sk.testing.assert_equal, sk.testing.assert_allclose):
        with pytest.raises(AssertionError, match=r"^actual is on cuda:0, desired on cpu:0$"):
            function(x, sk.ones(3))


def run(*arguments):
    command = [sys.executable, "-m", "skerry", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_command_line_prints_its_help_and_the_version():
    for arguments in ([], ["--help"]):
        done = run(*arguments)
        assert done.returncode == 0, done.stderr
        assert "doctor" in done.stdout
    done = run("--version")
    assert (done.returncode, done.stdout) == (0, f"skerry {sk.__version__}\n")
    assert run("nothing").returncode == 2


def test_testing_is_importable_without_an_import_statement():
    code = "import skerry as sk; print('testing' in dir(sk)); print(sk.testing.count_cuda_calls.__name__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "count_cuda_calls"]
