# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Users' kernels on the emulated GPU, in new processes: it must be loaded before a library looks for a driver."""

import os
import pathlib
import subprocess
import sys

import pytest

from tests.python.libraries import NUMBA_CUDA, installed, numba_cuda_installed

HERE = pathlib.Path(__file__).parent
ROOT = pathlib.Path(__file__).resolve().parents[3]

START = """
import sys
import skerry
skerry.rehearse(cuda=2, kernels=True)
"""
PYTEST = """
import pytest
sys.exit(pytest.main([{file!r}, "--noconftest", "-q", "-p", "no:cacheprovider", "-p", "no:faulthandler", "-x"]))
"""
REDIRECT = f"sys.path.append({str(NUMBA_CUDA)!r}); import _numba_cuda_redirector\n"


def child(code, timeout=900, **environment):
    base_environment = {
        name: value for name, value in os.environ.items() if name != "SKERRY_REHEARSE"
    }
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,  # to import modules of tests
        env={**base_environment, "NUMBA_CUDA_LOW_OCCUPANCY_WARNINGS": "0", **environment},
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )


def run_cases(name, prelude=""):
    done = child(START + prelude + PYTEST.format(file=str(HERE / name)))
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    assert " passed" in done.stdout


def test_numba_runs():
    numba_cuda_installed()
    run_cases("numba_cases.py", REDIRECT)


def test_arrays_in_managed_memory():
    installed("cuda.core")
    numba_cuda_installed()
    run_cases("managed_memory_cases.py", REDIRECT)


def test_cuda_core_runs():
    installed("cuda.core")
    run_cases("cuda_core_cases.py")


def test_rehearse_accepts_what_the_environment_enabled():
    done = child(
        START + "print(len(skerry.devices('cuda')))",
        SKERRY_REHEARSE="2",
        SKERRY_REHEARSE_KERNELS="1",
    )
    assert done.stdout == "2\n", done.stderr


def test_numbas_simulator_is_rejected():
    done = child(START, NUMBA_ENABLE_CUDASIM="1")
    assert (
        "RuntimeError: rehearse: kernels can't be emulated: NUMBA_ENABLE_CUDASIM is set"
        in done.stderr
    )


FIRST = {
    "numba": "from numba import cuda\n",
    "numba, which has looked for a driver": "from numba import cuda\nassert not cuda.is_available()\n",
    "cuda.core": "from cuda.core import Device\n",
    "cuda.bindings, which has looked for a driver": (
        "from cuda.bindings import driver\n"
        "try: driver.cuInit(0)\nexcept Exception: pass\nelse: raise SystemExit('a driver')\n"
    ),
    "CUDA's runtime": "from cuda.bindings import runtime\nruntime.getLocalRuntimeVersion()\n",
}
RUN = """
import skerry
if not skerry.devices("cuda"):
    skerry.rehearse(cuda=2, kernels=True)
from numba import cuda
@cuda.jit
def double(x):
    x[cuda.grid(1)] *= 2
x = skerry.arange(32, device="cuda:1")
cuda.select_device(1)
double[1, 32](x)
from cuda.core import Device
print(int(x.sum()), len(cuda.gpus), Device(1).compute_capability.major)
"""


@pytest.mark.parametrize("environment", [{}, {"SKERRY_REHEARSE": "2", "SKERRY_REHEARSE_KERNELS": "1"}], ids=["call", "environment"])  # fmt: skip
@pytest.mark.parametrize("first", FIRST.values(), ids=FIRST)
def test_libraries_may_be_imported_before_skerry(first, environment):
    numba_cuda_installed()
    done = child("import sys\n" + REDIRECT + first + RUN, **environment)
    assert done.stdout == "992 2 8\n", done.stdout + done.stderr


def test_calls_of_a_runtime_imported_first_raise():
    installed("cuda.bindings")
    first = "from cuda.bindings import runtime\n"
    done = child(first + START + "runtime.cudaMalloc(8)\n")
    assert "RuntimeError: cuda.bindings.runtime.cudaMalloc: the module was imported" in done.stderr
    assert "call skerry.rehearse(kernels=True), or import skerry with" in done.stderr


@pytest.mark.parametrize("is_first", [False, True])
def test_numba_without_numba_cuda_raises_an_error_that_names_it(is_first):
    installed("numba")
    imports = ["from numba import cuda\n", START]
    code = "".join(imports if is_first else reversed(imports))
    code += "print(cuda.is_available())\n@cuda.jit\ndef f(): pass\nf[1, 32]()\n"
    done = child(code)
    assert done.stdout == "False\n", done.stderr
    said = "the emulated GPU runs kernels of numba-cuda, not of the numba.cuda in Numba itself"
    assert f"RuntimeWarning: skerry: {said}" in done.stderr
    *_, error, text = done.stderr.splitlines()
    assert "CudaSupportError: Error at driver init" in error
    assert said in text
    assert "pip install numba-cuda[cu13]" in text


def test_nvidias_libraries_loaded_first_are_rejected():
    installed("nvidia.cu13")
    prelude = "import ctypes\nfrom cuda.pathfinder import load_nvidia_dynamic_lib as load\nload('nvJitLink')\n"
    done = child(prelude + START)
    assert "kernels can't be emulated: NVIDIA's libnvJitLink.so.13 is loaded" in done.stderr


def test_the_demo_passes_its_centroids_to_numba_on_the_emulated_gpu(tmp_path):
    for name in ("cuda.core", "sklearn", "PIL"):
        installed(name)
    numba_cuda_installed()
    (tmp_path / "sitecustomize.py").write_text("import sys\n" + REDIRECT)
    path = os.pathsep.join(filter(None, [str(tmp_path), os.environ.get("PYTHONPATH")]))
    clean = {name: value for name, value in os.environ.items() if not name.startswith("SKERRY_")}
    done = subprocess.run(
        [sys.executable, "-m", "skerry", "demo", "--output", str(tmp_path / "centroids.png")],
        env={**clean, "PYTHONPATH": path, "NUMBA_ENABLE_CUDASIM": "0"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Handed to a Numba kernel on the emulated GPU" in done.stdout
    assert "FAILED" not in done.stdout
    assert done.stderr == ""


def test_missing_cuda_module_is_an_error():
    code = "import skerry\nskerry.ones(3, device='cuda:0')\n"
    settings = {"SKERRY_REHEARSE": "2", "SKERRY_REHEARSE_KERNELS": "all", "SKERRY_EMULATOR": ""}
    done = child(code, **settings)
    assert (
        "DeviceUnavailableError: ones: cuda:0: there is no module of skerry's own CUDA"
        in done.stderr
    )
    assert "rehearse with kernels=True, which runs your kernels without it" in done.stderr
