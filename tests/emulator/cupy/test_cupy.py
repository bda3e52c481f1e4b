# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""CuPy as it is on PyPI on the emulated GPU, in new processes: skerry must be imported before it."""

import os
import sys

import pytest

from tests.emulator.users_kernels.test_users_kernels import child
from tests.python.libraries import CUPY, cupy_installed

START = f"""
import sys
sys.path.append({str(CUPY)!r})
import skerry
skerry.rehearse(cuda=2, kernels=True)
"""
PYTEST = """
import pytest
file = "tests/emulator/cupy/{name}.py"
sys.exit(pytest.main([file, "--noconftest", "-q", "-p", "no:cacheprovider", "-p", "no:faulthandler"]))
"""


@pytest.fixture(autouse=True)
def _cupy(tmp_path_factory, monkeypatch):
    cupy_installed()
    monkeypatch.setenv("CUPY_CACHE_DIR", str(tmp_path_factory.getbasetemp() / "cupy"))


@pytest.mark.parametrize("accelerators", ["", "cub"])
def test_arrays(accelerators):
    done = child(START + PYTEST.format(name="array_cases"), CUPY_ACCELERATORS=accelerators)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    assert " passed" in done.stdout


@pytest.mark.parametrize(
    "name",
    [
        "rejection_cases",
        "exchange_cases",
        "library_cases",
        "generator_cases",
        "allocator_cases",
    ],
)
def test_cases(name):
    done = child(START + PYTEST.format(name=name))
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    assert " passed" in done.stdout


def test_the_order_of_imports_is_checked():
    code = START.replace("skerry.rehearse", "import cupy\nskerry.rehearse")
    done = child(code)
    assert "RuntimeError: rehearse: kernels can't be emulated: CuPy is imported" in done.stderr


def test_the_plugin_of_pytest_starts_before_one_that_imports_cupy(tmp_path):
    (tmp_path / "importing_plugin.py").write_text("import cupy\n")
    (tmp_path / "test_devices.py").write_text(
        "import cupy\n"
        "def test_count():\n"
        "    assert cupy.cuda.runtime.getDeviceCount() == 2\n"
        "    assert cupy.arange(5).sum() == 10\n"
    )
    options = ["-p", "skerry_emulator", "-p", "importing_plugin", "-p", "no:cacheprovider"]
    code = (
        f"import pytest, sys\nsys.path += [{str(CUPY)!r}, {str(tmp_path)!r}]\n"
        f"sys.exit(pytest.main({[*options, str(tmp_path)]!r}))\n"
    )
    done = child(code)
    assert "1 passed" in done.stdout, done.stdout + done.stderr


def test_another_signature_is_rejected():
    code = START + (
        "from skerry_emulator import _cupy\n"
        "_cupy._check_signatures(_cupy._load_library(), {'free': ('int (int)', None)})\n"
    )
    done = child(code)
    assert "ImportError: skerry: emulated GPU: this version of CuPy is not supported" in done.stderr


SANITIZE = f"""
import runpy, sys
sys.path.append({str(CUPY)!r})
sys.argv[1:] = ["sanitize", "--schedules", "1", "tests/emulator/cupy/wrong_program.py"]
runpy.run_module("skerry", run_name="__main__")
"""


def test_sanitize_names_the_lines_of_mistakes():
    done = child(SANITIZE, PYTHONPATH=os.pathsep.join([*sys.path, str(CUPY)]))
    assert done.returncode == 1, done.stdout + done.stderr
    for mistake in ("race", "overrun", "wrong device"):
        assert f"// {mistake}" in done.stderr, done.stderr


def test_emulated_gpu_sets_pools_aside():
    code = START + (
        "import cupy\n"
        "from skerry.testing import emulated_gpu\n"
        "allocator = cupy.cuda.get_allocator()\n"
        "with emulated_gpu():\n"
        "    assert cupy.cuda.get_allocator() != allocator\n"
        "assert cupy.cuda.get_allocator() == allocator\n"
    )
    done = child(code)
    assert done.returncode == 0, done.stderr
