# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Configurations that are not built here must still configure: all presets, AUTO, `make gpu-check` with a stub driver."""

import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

import pytest

from bench import records

ROOT = pathlib.Path(__file__).parents[3]
PATH = os.pathsep.join(
    [str(pathlib.Path(sys.executable).parent), os.environ["PATH"], "/usr/local/cuda/bin"]
)
CMAKE, NINJA, NVCC = (shutil.which(tool, path=PATH) for tool in ("cmake", "ninja", "nvcc"))
PRESETS = {
    preset["name"]: preset
    for preset in json.loads((ROOT / "CMakePresets.json").read_text())["configurePresets"]
    if not preset.get("hidden")
}
pytestmark = pytest.mark.skipif(
    not (CMAKE and NINJA), reason="CMake or Ninja is not installed: nothing can be configured"
)


def configure(*arguments, **environment):
    """Run CMake without downloads and return its output."""
    environment = {**os.environ, "PATH": PATH, **environment}
    done = subprocess.run(
        [CMAKE, *arguments, "-DSKERRY_FFT=OFF", f"-DPython_EXECUTABLE={sys.executable}"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    return done.stdout


def commands_of(folder):
    """Return the compiler's arguments by file name."""
    entries = json.loads((folder / "compile_commands.json").read_text())
    return {pathlib.Path(entry["file"]).name: shlex.split(entry["command"]) for entry in entries}


def generated_code(command):
    """Return the targets of nvcc, such as {"sm_90", "compute_120"}."""
    flags = [argument for argument in command if argument.startswith("--generate-code=")]
    return {name for flag in flags for name in re.search(r"code=\[(.+)\]", flag)[1].split(",")}


@pytest.mark.slow
@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_configures(name, tmp_path):
    with_cuda = PRESETS[name].get("cacheVariables", {}).get("SKERRY_CUDA") == "ON"
    if with_cuda and NVCC is None:
        pytest.skip("nvcc is not installed")
    compiler = PRESETS[name].get("cacheVariables", {}).get("CMAKE_CXX_COMPILER")
    if compiler and shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not installed")
    output = configure("--preset", name, "-B", str(tmp_path))
    assert f"CUDA module {'ON' if with_cuda else 'OFF'}" in output
    commands = commands_of(tmp_path)
    assert ("moves.cu" in commands) == with_cuda


@pytest.mark.slow
@pytest.mark.skipif(NVCC is None, reason="nvcc is not installed")
def test_release_is_compiled_for_its_architectures_and_reports_them(tmp_path):
    configure("--preset", "release", "-B", str(tmp_path))
    commands = commands_of(tmp_path)
    expected = {"sm_80", "sm_90", "sm_100", "sm_120", "compute_120"}
    for name, command in commands.items():
        if name.endswith(".cu"):
            assert generated_code(command) == expected, name
    define = '-DSKERRY_CUDA_ARCHITECTURES="80-real,90-real,100-real,120"'
    assert define in commands["native_api.cpp"]


@pytest.mark.slow
@pytest.mark.skipif(NVCC is None, reason="nvcc is not installed")
def test_nvcc_passes_its_architectures_to_the_module(tmp_path):
    """tests/device/registry_test.cpp covers `native` and `all-major`."""
    source = ROOT / "device" / "cuda" / "native" / "compiled_for.cu"
    flags = ["-std=c++20", "-I", str(ROOT)]
    for codes in (["80", "90"], ["90"]):
        options = [f"--generate-code=arch=compute_{n},code=sm_{n}" for n in codes]
        object_file = tmp_path / "compiled_for.o"
        subprocess.run(
            [NVCC, *flags, *options, "-c", str(source), "-o", str(object_file)], check=True
        )
        assert (
            b"\0" + b",".join(f"{n}0".encode() for n in codes) + b"\0" in object_file.read_bytes()
        )


@pytest.mark.slow
@pytest.mark.skipif(NVCC is None, reason="nvcc is not installed")
def test_auto_builds_the_cuda_module_if_there_is_a_driver(stub_driver, tmp_path):
    """The reasons and the choice of nvcc are tested in test_cuda_toolkit.py."""
    options = ["-S", ".", "-B", str(tmp_path), "-G", "Ninja", "-DSKERRY_PYTHON=OFF"]
    options += ["-DSKERRY_TESTS=OFF", "-Dskerry_driver_files="]
    output = configure(*options, LD_LIBRARY_PATH="")
    assert "skerry: no CUDA module, since there is no NVIDIA driver" in output
    assert "CUDA module OFF" in output
    assert "moves.cu" not in commands_of(tmp_path)
    output = configure(*options, LD_LIBRARY_PATH=str(stub_driver))
    assert f"since there is an NVIDIA driver ({stub_driver}/libcuda.so.1)" in output
    assert "CUDA module ON" in output
    assert "moves.cu" in commands_of(tmp_path)


# make gpu-check.


@pytest.fixture(scope="module")
def stub_driver(tmp_path_factory):
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("there is no C compiler")
    folder = tmp_path_factory.mktemp("driver")
    source = pathlib.Path(__file__).with_name("stub_driver.c")
    library = folder / "libcuda.so.1"
    subprocess.run([compiler, "-shared", "-fPIC", "-o", str(library), str(source)], check=True)
    return folder


def gpu_check(stub_driver, work, *failing, **environment):
    """Run `make gpu-check` with the stub driver: return exit status, output, commands, head of the record."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("GPU_CHECK")}
    clean.pop("ARRAY_API_TESTS_DIR", None)
    script = pathlib.Path(__file__).with_name("gpu_check_on_stub.py")
    done = subprocess.run(
        [sys.executable, str(script), str(work), *failing],
        env={
            **clean,
            "PATH": PATH,
            "LD_LIBRARY_PATH": str(stub_driver),
            "CMAKE_ARGS": "-DSKERRY_FFT=OFF",
            **environment,
        },
        capture_output=True,
        text=True,
        check=False,
    )
    ran = work / "ran.json"
    commands = json.loads(ran.read_text()) if ran.exists() else []
    paths = list((work / "results").glob("*.jsonl"))
    record = records.read(paths[0])[0] if paths else None
    return done.returncode, done.stdout + done.stderr, commands, record


@pytest.mark.slow
def test_gpu_check_builds_for_the_gpus_of_the_machine(stub_driver, tmp_path):
    failing = [] if NVCC else ["none"]
    status, output, ran, record = gpu_check(stub_driver, tmp_path, *failing)
    assert status == 0, output
    steps = [command["name"] for command in ran]
    assert steps == [
        "configure", "build", "install", "look", "kernels", "tests", "handover",
        "sanitizer-memcheck", "runtime", "bench", "huge",
    ]  # fmt: skip
    assert "-DCMAKE_CUDA_ARCHITECTURES=80-real;90-real" in ran[0]["command"]
    if NVCC:
        commands = commands_of(tmp_path / "build")
        assert generated_code(commands["moves.cu"]) == {"sm_80", "sm_90"}
    by_name = {command["name"]: command for command in ran}
    for step in ("kernels", "sanitizer-memcheck"):
        assert "--require-gpu" in by_name[step]["command"]
        openblas = by_name[step]["environment"]["SKERRY_OPENBLAS"]
        assert pathlib.Path(openblas).exists()
    assert record["machine"]["gpu"] == "NVIDIA H200"
    assert record["machine"]["gpus"] == 3
    assert record["machine"]["architectures"] == "80-real, 90-real"
    results = {part["part"]: part["result"] for part in record["parts"]}
    assert results.pop("conformance").startswith("skipped: ARRAY_API_TESTS_DIR")
    assert set(results.values()) == {"passed"}
    _, figures = records.read(tmp_path / "results" / "nvidia-h200.jsonl")
    assert figures == [{"case": "a + a"}, {"case": "add float32"}]
    page = (tmp_path / "results" / "nvidia-h200.md").read_text()
    assert "187 tests" in page
    assert "## runtime\n\n```\na + a\n```" in page
    assert "## Figures\n\n```\nadd float32\n```" in page


def test_gpu_check_runs_the_requested_parts(stub_driver, tmp_path):
    status, output, ran, record = gpu_check(stub_driver, tmp_path, "none", GPU_CHECK="bench huge")
    assert status == 0, output
    assert [command["name"] for command in ran] == ["bench", "huge"]
    assert [part["part"] for part in record["parts"]] == ["bench", "huge"]


def test_gpu_check_rejects_unknown_parts(stub_driver, tmp_path):
    status, output, _, record = gpu_check(stub_driver, tmp_path, "none", GPU_CHECK="build nothing")
    assert status == 2
    assert "no part nothing" in output
    assert record is None


@pytest.mark.parametrize("failing", ["configure", "look", "kernels"])
def test_gpu_check_fails_if_a_part_fails_and_records_why(failing, stub_driver, tmp_path):
    status, _, ran, record = gpu_check(stub_driver, tmp_path, failing)
    assert status == 1
    part = "kernels" if failing == "kernels" else "build"
    [failed] = [entry for entry in record["parts"] if entry["result"] != "passed"
                and not entry["result"].startswith("skipped")]  # fmt: skip
    assert failed["part"] == part
    assert f"error output of {failing}" in failed["detail"]
    # Without a build nothing runs; if another part fails, the rest still runs.
    assert (ran[-1]["name"] == "huge") == (failing == "kernels")


def test_gpu_check_skips_transforms_that_were_not_built(stub_driver, tmp_path):
    status, output, ran, record = gpu_check(
        stub_driver, tmp_path, "ducc0", GPU_CHECK="build kernels", CMAKE_ARGS=""
    )
    assert status == 0, output
    assert "-DSKERRY_FFT=OFF" in ran[1]["command"]
    assert "--gtest_filter=-*FftKernels*" in ran[-1]["command"]
    assert "class FftKernels" in (ROOT / "tests" / "kernels" / "linalg_test.cpp").read_text()
    assert "without fft on the CPU" in record["parts"][0]["detail"]
