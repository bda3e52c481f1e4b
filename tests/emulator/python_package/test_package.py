# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""The package skerry_emulator: its names, its libraries, and the order of imports."""

import os
import pathlib
import re
import subprocess
import sys

import pytest
import skerry.testing
import skerry_emulator

from tests.python.process.test_thread_memory import MOST, bytes_of_threads

LIBRARIES = (
    "libskerry_emulator.so", "libcuda.so.1", "libnccl.so.2", "libnvidia-ml.so.1", "libnvJitLink.so.13", "libnvrtc.so.13",
    "libskerry_cupy.so", "libcublas.so.13", "libcusolver.so.12", "libcurand.so.10", "libcufft.so.12",
)  # fmt: skip
PYPROJECT = pathlib.Path(__file__).parents[3] / "pyproject.toml"


def run(code, **variables):
    environment = {
        name: text for name, text in os.environ.items() if not name.startswith("SKERRY_")
    }
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**environment, **variables},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_version_equals_that_in_pyproject():
    version = re.search(r'^version = "(.+)"', PYPROJECT.read_text(), re.MULTILINE)
    assert version is not None
    assert skerry_emulator.__version__ == version[1]


def test_all_public_names_exist():
    assert all(hasattr(skerry_emulator, name) for name in skerry_emulator.__all__)


def test_skerry_testing_exports_its_names():
    names = {"KernelReport", "emulated_gpu", "nccl_faults", "nccl_link_bytes", "nccl_settings"}
    assert names <= {*skerry.testing.__all__, *dir(skerry.testing)}
    assert all(getattr(skerry.testing, name) is getattr(skerry_emulator, name) for name in names)


def test_stand_ins_contain_no_kernels_that_they_do_not_call():
    lib = pathlib.Path(skerry_emulator.__file__).parent / "lib"
    sizes = {path.name: path.stat().st_size for path in lib.glob("lib*.so")}
    # With all kernels of skerry it would be 6 times larger than the emulator.
    assert sizes["libemulator_fourier.so"] < sizes["libskerry_emulator.so"]


def test_libraries_are_in_one_folder():
    default = pathlib.Path(skerry_emulator.__file__).parent / "lib"
    code = "import skerry_emulator; print(skerry_emulator.folder())"
    assert run(code) == f"{default}\n"
    assert run(code, SKERRY_EMULATOR="/elsewhere") == "/elsewhere\n"
    assert {path.name for path in default.iterdir()} >= set(LIBRARIES)


@pytest.mark.parametrize("name", LIBRARIES)
def test_libraries_use_little_thread_local_storage(name):
    assert bytes_of_threads(pathlib.Path(skerry_emulator.folder()) / name) <= MOST


@pytest.mark.parametrize(
    "module", ["skerry", "skerry_emulator", "skerry.testing", "skerry_emulator.pytest_plugin"]
)
def test_any_module_can_be_imported_first(module):
    """skerry imports the package during its own import if the environment enables kernels."""
    code = f"import {module}\nimport skerry\nprint(len(skerry.devices('cuda')), skerry.show_config('dicts')['cuda']['kernels'])"
    assert run(code, SKERRY_REHEARSE="3", SKERRY_REHEARSE_KERNELS="1") == "3 users\n"


def test_import_does_not_import_skerry():
    assert run("import skerry_emulator, sys; print('skerry' in sys.modules)") == "False\n"
