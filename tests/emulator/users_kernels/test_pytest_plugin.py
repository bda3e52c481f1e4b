# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""``pytest -p skerry_emulator``: tests, workers of xdist and child processes run kernels on emulated GPUs."""

import os
import subprocess
import sys

import pytest

from tests.python.libraries import NUMBA_CUDA, installed, numba_cuda_installed

# numba-cuda is installed in a folder of its own here, and elsewhere beside Numba.
START = f"import site\nsite.addsitedir({str(NUMBA_CUDA)!r})\n"
KERNEL = """
@cuda.jit
def double(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] *= 2

def doubled(device):
    x = skerry.arange(100.0, device=device)
    with cuda.gpus[x.device.index]:
        double[1, 128](x)
    return x.tolist() == [2.0 * i for i in range(100)]
"""
IMPORTS = {
    "numba_first": "from numba import cuda\nimport skerry\n",
    "skerry_first": "import skerry\nfrom numba import cuda\n",
}
TESTS = """
import subprocess, sys
import pytest

@pytest.mark.parametrize("device", ["cuda:0", "cuda:1"])
def test_in_this_process(device):
    assert doubled(device)

@pytest.mark.parametrize("first", ["from numba import cuda; import skerry", "import skerry; from numba import cuda"])
def test_in_a_child(first):
    code = first + KERNEL + "\\nassert doubled('cuda:1')"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=300)
"""


LOSING = """
import pytest

@cuda.jit
def read_past_the_end(x, out):
    out[0] = x[cuda.grid(1) + x.size]

@pytest.mark.parametrize("device", ["cuda:0", "cuda:1"])
@pytest.mark.parametrize("waits", [True, False])
def test_losing(device, waits):
    x, out = skerry.ones(64, device=device), skerry.zeros(1, device=device)
    with cuda.gpus[x.device.index]:
        read_past_the_end[1, 64](x, out)
        if waits:
            cuda.synchronize()

def test_next():
    assert doubled("cuda:0") and doubled("cuda:1")
"""


def run_pytest(folder, *options):
    numba_cuda_installed()
    (folder / "sitecustomize.py").write_text(START)
    environment = {
        name: text for name, text in os.environ.items() if not name.startswith("SKERRY_REHEARSE")
    }
    path = os.pathsep.join(filter(None, [str(folder), environment.get("PYTHONPATH")]))
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "skerry_emulator",
        "-p",
        "no:cacheprovider",
    ]
    return subprocess.run(
        [*command, *options, str(folder)],
        env={**environment, "PYTHONPATH": path, "NUMBA_CUDA_LOW_OCCUPANCY_WARNINGS": "0"},
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


@pytest.mark.parametrize("workers", [[], ["-n", "2"]], ids=["one process", "xdist"])
def test_kernels_run_with_nothing_but_the_plugin(tmp_path, workers):
    if workers:
        installed("xdist")
    for name, imports in IMPORTS.items():
        text = imports + KERNEL + f"KERNEL = {KERNEL!r}\n" + TESTS
        (tmp_path / f"test_{name}.py").write_text(text)
    done = run_pytest(tmp_path, *workers)
    assert "8 passed" in done.stdout, done.stdout[-6000:] + done.stderr[-2000:]
    assert done.returncode == 0


def test_a_test_after_one_that_loses_its_device_passes(tmp_path):
    (tmp_path / "test_losing.py").write_text(IMPORTS["numba_first"] + KERNEL + LOSING)
    done = run_pytest(tmp_path)
    # The fault of a kernel that no call waited for has no exception; it makes the exit status 1.
    assert "2 failed, 3 passed" in done.stdout, done.stdout[-6000:] + done.stderr[-2000:]
    assert done.stdout.count("past the end of 512 bytes") >= 2
    assert done.returncode == 1
