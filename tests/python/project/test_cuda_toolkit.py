# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Whether the CUDA module is built, and with which nvcc: device/cuda/toolkit.cmake, in a minimal project."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tomllib
import venv

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
CMAKE = shutil.which("cmake", path=f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}")
PROJECT = """
cmake_minimum_required(VERSION 3.26)
project(choice LANGUAGES NONE)
include({toolkit})
skerry_choose_cuda()
message(STATUS "chosen: ${{skerry_with_cuda}} ${{CMAKE_CUDA_COMPILER}}")
"""
PIECES = (
    "bin/nvcc", "bin/ptxas", "nvvm/bin/cicc", "include/crt/host_config.h", "include/cuda_runtime.h",
    "include/cublas_v2.h", "include/cusolverDn.h", "lib/libcudart_static.a",
)  # fmt: skip
pytestmark = pytest.mark.skipif(CMAKE is None, reason="CMake is not installed")


def touch(path):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch(mode=0o755)
    return path


class Machine:
    """The environment of CMake: initially without nvcc, driver or NVIDIA's Python packages."""

    def __init__(self, folder):
        self.folder = folder
        self.path = [pathlib.Path(CMAKE).parent, "/bin"]
        self.environment = {}
        self.driver_files = ""
        self.python = folder / "venv" / "bin" / "python"
        venv.create(folder / "venv", with_pip=False, symlinks=True)
        [self.packages] = (folder / "venv" / "lib").glob("python3*/site-packages")
        (folder / "CMakeLists.txt").write_text(
            PROJECT.format(toolkit=ROOT / "device" / "cuda" / "toolkit.cmake")
        )

    def install_nvcc(self):
        """Install nvcc on the PATH."""
        nvcc = touch(self.folder / "bin" / "nvcc")
        self.path.insert(0, nvcc.parent)
        return nvcc

    def install_packages(self, folder="cu13", without=()):
        """Install the packages of the dependency group `cuda`, as pip does."""
        for piece in set(PIECES) - set(without):
            touch(self.packages / "nvidia" / folder / piece)

    def choose(self, cuda, *options):
        """Run CMake: return its exit status, its line about the choice, and (is the module built, with which nvcc)."""
        done = subprocess.run(
            [CMAKE, "-S", self.folder, "-B", self.folder / "build", "-G", "Ninja", f"-DSKERRY_CUDA={cuda}",
             f"-DPython_EXECUTABLE={self.python}", f"-Dskerry_driver_files={self.driver_files}", *options],
            env={"PATH": os.pathsep.join(map(str, self.path)), **self.environment},
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        said = done.stdout + " ".join(done.stderr.split())
        lines = [line for line in said.splitlines() if "CUDA module" in line or "CUDA=ON:" in line]
        chosen = re.search(r"chosen: (\w+) (.*)", said)
        assert len(lines) == 1, said
        return done.returncode, lines[0], chosen and chosen.groups()


@pytest.fixture
def machine(tmp_path):
    return Machine(tmp_path)


def test_auto_needs_nvcc_and_a_driver(machine):
    status, line, chosen = machine.choose("AUTO")
    assert (status, chosen) == (0, ("OFF", ""))
    assert "no nvcc and no NVIDIA driver; SKERRY_CUDA=ON builds it" in line

    nvcc = machine.install_nvcc()
    status, line, chosen = machine.choose("AUTO")
    assert (status, chosen) == (0, ("OFF", ""))
    assert f"no NVIDIA driver, only {nvcc}; SKERRY_CUDA=ON builds it" in line

    driver = touch(machine.folder / "proc" / "version")
    machine.driver_files = f"/nonexistent/libcuda.so.1;{driver}"
    status, line, chosen = machine.choose("AUTO", f"-DCMAKE_CUDA_COMPILER={nvcc}")
    assert (status, chosen) == (0, ("ON", str(nvcc)))
    assert f"a CUDA module by {nvcc}, since there is an NVIDIA driver ({driver})" in line
    assert "SKERRY_CUDA=OFF leaves it out" in line


def test_auto_with_only_a_driver_reports_how_to_get_nvcc(machine):
    machine.driver_files = touch(machine.folder / "libcuda.so.1")
    status, line, chosen = machine.choose("AUTO")
    assert (status, chosen) == (0, ("OFF", ""))
    assert "`make build SKERRY_CUDA=ON` takes nvcc from PyPI" in line


def test_auto_omits_the_module_if_nvcc_does_not_work(machine):
    machine.driver_files = touch(machine.folder / "libcuda.so.1")
    nvcc = machine.install_nvcc()
    status, line, chosen = machine.choose("AUTO")
    assert (status, chosen[0]) == (0, "OFF")
    assert f"{nvcc} does not work; SKERRY_CUDA=ON shows why" in line


def test_driver_is_found_on_the_library_path(machine):
    nvcc = machine.install_nvcc()
    driver = touch(machine.folder / "driver" / "libcuda.so.1")
    machine.environment["LD_LIBRARY_PATH"] = f"/nonexistent::{driver.parent}"
    assert f"({driver})" in machine.choose("AUTO", f"-DCMAKE_CUDA_COMPILER={nvcc}")[1]


@pytest.mark.parametrize("library_path", ["stubs/libcuda.so.1", "lib/libskerry_emulator.so"])
def test_stub_and_emulator_do_not_count_as_drivers(machine, library_path):
    machine.install_nvcc()
    folder = touch(machine.folder / library_path).parent
    touch(folder / "libcuda.so.1")
    machine.environment["LD_LIBRARY_PATH"] = str(folder)
    assert machine.choose("AUTO")[2] == ("OFF", "")


def test_on_prefers_nvcc_of_the_path_to_that_of_pip(machine):
    machine.install_packages()
    nvcc = machine.install_nvcc()
    status, line, chosen = machine.choose("ON")
    assert (status, chosen) == (0, ("ON", ""))
    assert f"by {nvcc}, by SKERRY_CUDA=ON" in line


def test_on_uses_nvcc_of_cudacxx(machine):
    machine.environment["CUDACXX"] = "/elsewhere/nvcc"
    assert "by /elsewhere/nvcc" in machine.choose("ON")[1]


def test_on_uses_nvcc_of_pips_packages(machine):
    machine.install_packages()
    toolkit = machine.folder / "build" / "cuda_toolkit"
    for _ in range(2):  # CMake may be run again
        status, line, chosen = machine.choose("ON")
        assert (status, chosen) == (0, ("ON", str(toolkit / "bin" / "nvcc")))
        assert f"by {toolkit}/bin/nvcc" in line
    assert (toolkit / "lib64" / "libcudart_static.a").exists()
    assert all((toolkit / piece.replace("lib/", "lib64/")).exists() for piece in PIECES)


def test_stale_links_to_packages_are_replaced(machine):
    machine.install_packages("cu13")
    assert machine.choose("ON")[0] == 0
    shutil.rmtree(machine.packages / "nvidia")
    machine.install_packages("cu14")
    assert machine.choose("ON")[0] == 0
    nvcc = machine.folder / "build" / "cuda_toolkit" / "bin" / "nvcc"
    assert nvcc.resolve() == (machine.packages / "nvidia" / "cu14" / "bin" / "nvcc").resolve()


@pytest.mark.parametrize("without", [None, *PIECES])
def test_on_with_an_incomplete_toolkit_reports_the_remedy(machine, without):
    if without:
        machine.install_packages(without=[without])
    status, line, chosen = machine.choose("ON")
    assert status != 0
    assert chosen is None
    assert "there is no nvcc" in line
    assert "make build SKERRY_CUDA=ON" in line
    assert "python -m pip install --group cuda" in line


def test_off_ignores_nvcc_and_driver(machine):
    machine.install_nvcc()
    machine.driver_files = touch(machine.folder / "libcuda.so.1")
    assert machine.choose("OFF")[2] == ("OFF", "")


# Packages that `make` installs.


def test_the_group_of_packages_is_one_toolkit():
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text())["dependency-groups"]
    pins = dict(
        re.match(r"([\w-]+)==([\d.]+)", requirement).groups() for requirement in groups["cuda"]
    )
    assert {"nvidia-cublas", "nvidia-cusolver", "nvidia-cuda-runtime"} < set(pins)
    assert pins["nvidia-cuda-nvcc"] == pins["nvidia-cuda-crt"] == pins["nvidia-nvvm"]
    assert pins["nvidia-nvjitlink"] == pins["nvidia-nvvm"]


def make(*arguments, path):
    """Return the commands that `make` would run with that PATH."""
    done = subprocess.run(
        [shutil.which("make"), "-n", *arguments],
        cwd=ROOT,
        env={"PATH": str(path)},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


@pytest.fixture
def shell(tmp_path):
    """A folder for the PATH with the tools that `make` itself needs, but no nvcc."""
    for tool in ("sh", "python3"):
        (tmp_path / tool).symlink_to(shutil.which(tool))
    return tmp_path


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
@pytest.mark.parametrize(
    ("arguments", "installs"),
    [
        (["build", "SKERRY_CUDA=ON"], True),
        (["emulate"], True),
        (["test", "docs", "emulate"], True),
        (["build"], False),
        (["demo"], False),
        (["build", "SKERRY_CUDA=ON", "CUDACXX=/elsewhere/nvcc"], False),
    ],
)
def test_make_installs_nvcc_if_needed_and_missing(shell, arguments, installs):
    said = make(*arguments, path=shell)
    assert ("--group cuda" in said) == installs
    needs_cuda = "SKERRY_CUDA=ON" in arguments or "emulate" in arguments
    assert f"define.SKERRY_CUDA={'ON' if needs_cuda else 'AUTO'}" in said
    assert f"define.SKERRY_EMULATION={'ON' if 'emulate' in arguments else 'OFF'}" in said
    touch(shell / "nvcc")
    assert "--group cuda" not in make(*arguments, path=shell)


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
@pytest.mark.parametrize(
    ("goals", "tests"),
    [
        (["demo"], "OFF"),
        (["build"], "OFF"),
        (["test"], "ON"),
        (["docs", "test-cpp"], "ON"),
        (["emulate"], "ON"),
    ],
)
def test_make_configures_the_cpp_tests_only_if_they_run(shell, goals, tests):
    assert f"define.SKERRY_TESTS={tests}" in make(*goals, path=shell)


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
@pytest.mark.parametrize(
    ("goal", "builds"),
    [
        ("demo", False),
        ("build", False),
        ("test", False),
        ("test-emulator", True),
        ("emulate", True),
    ],
)
def test_make_builds_the_emulator_only_if_it_runs(shell, goal, builds):
    said = make(goal, path=shell)
    assert 'define.SKERRY_CPU_TARGETS="native"' in said
    assert ("./device/emulator" in said) == builds
