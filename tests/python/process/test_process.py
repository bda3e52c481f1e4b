# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Process-level behaviour: import, command line, fork, exit, pickling, a machine without devices."""

import copy
import os
import pathlib
import pickle
import re
import subprocess
import sys

import numpy as np
import pytest
import skerry as sk
from skerry.exceptions import DeviceMismatchError

from tests.python.libraries import installed
from tests.python.oracle import to_numpy
from tests.python.session import HAS_GPU

ROOT = pathlib.Path(__file__).resolve().parents[3]


def python(code, **environment):
    """Run code in a new interpreter without this process's device settings and return its stdout."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("SKERRY_")}
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", code],
        env={**clean, **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, f"exit {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def test_import_makes_no_cuda_call_and_opens_no_cuda_library():
    out = python(
        "import skerry\n"
        "x = skerry.ones((3,)) + 1\n"
        "maps = open('/proc/self/maps').read()\n"
        "from skerry.testing.instruments import cuda_was_used\n"
        "print(cuda_was_used(), 'libcuda.so' in maps, 'skerry_cuda' in maps)",
        SKERRY_REHEARSE="2",
    )
    assert out.split() == ["False", "False", "False"]


@pytest.mark.skipif(HAS_GPU, reason="tests a machine without a GPU")
def test_missing_gpu_is_reported_with_the_reason():
    out = python(
        "import skerry as sk\n"
        "print(sk.devices('cuda'))\n"
        "try: sk.ones((1,), device='cuda:0')\n"
        "except sk.exceptions.DeviceUnavailableError as e: print(e.reason); print(e)\n"
        "print(sk.devices())"
    )
    lines = out.splitlines()
    assert lines[0] == "()"
    assert lines[1] in {
        "no_driver",
        "stub_library",
        "no_device",
        "no_cuda_module",
        "driver_too_old",
    }
    assert "cuda:0" in lines[2]
    assert lines[-1] == "(Device('cpu:0'),)"


def test_rehearse_from_python_and_from_the_environment():
    assert "cuda:2" in python(
        "import skerry as sk; sk.rehearse(cuda=3); print(sk.ones((2,), device='cuda:2'))"
    )
    out = python(
        "import skerry as s; x=s.ones((3,),device='cuda:3'); print(x, x.__cuda_array_interface__)",
        SKERRY_REHEARSE="4",
    )
    assert "cuda:3" in out
    assert "'typestr': '<f8'" in out
    out = python(
        "import skerry as sk\nsk.rehearse(cuda=2); sk.ones((1,), device='cuda:0')\n"
        "try: sk.rehearse(cuda=3)\nexcept ValueError as e: print('late:', e)"
    )
    assert out.startswith("late:")


def test_rehearsal_is_never_chosen_silently():
    x = sk.ones((1,), device="cuda:0")
    assert x.device.info.rehearsal is not HAS_GPU
    assert sk.devices("cpu")[0].info.rehearsal is False


def test_fork_keeps_cpu_arrays_and_rejects_cuda():
    out = python(
        "import os, sys, warnings, numpy as np, skerry as sk\n"
        "warnings.simplefilter('ignore')\n"
        "big = sk.ones((3_000_000,)); assert float(sk.sum(big + big)) == 6_000_000\n"
        "gpu = sk.ones((3,), device='cuda:0')\n"
        "sys.stdout.flush()\n"
        "pid = os.fork()\n"
        "if pid == 0:\n"
        "    ok = float(sk.sum(big + 1)) == 6_000_000\n"
        "    try: gpu + 1; ok = False\n"
        "    except sk.exceptions.ForkError as e: ok = ok and e.reason == 'forked'\n"
        "    try: sk.ones((1,), device='cuda:0'); ok = False\n"
        "    except sk.exceptions.ForkError: pass\n"
        "    del gpu\n"
        "    os._exit(0 if ok else 1)\n"
        "print('child', os.waitpid(pid, 0)[1], float(sk.sum(gpu)))",
        SKERRY_REHEARSE="1",
    )
    assert out.split() == ["child", "0", "3.0"]


@pytest.mark.parametrize(
    "code",
    [
        "x = sk.ones((1000,), device='cuda:0')",
        "import builtins; builtins.keep = [sk.ones((10,), device='cuda:0') + i for i in range(50)]",
        "x = sk.ones((10,), device='cuda:0'); y = np.asarray(x.to_device('cpu:0')); keep = memoryview(y)",
        "x = sk.ones((4,)); c = x.__dlpack__(); del x",
        "import threading\ndef f():\n  for i in range(100): sk.ones((100,), device='cuda:0') + 1\n"
        "threading.Thread(target=f, daemon=True).start()",
        "x = sk.ones((100000,), device='cuda:0')\nfor i in range(50): x = x + 1\nraise SystemExit(0)",
    ],
)
def test_exit_in_every_order_is_clean(code):
    python(
        "import numpy as np, skerry as sk\n" + code,
        SKERRY_REHEARSE="1",
        SKERRY_REHEARSE_DELAY_US="200",
    )


def test_pickle_keeps_device_dtype_and_values(device):
    for x in (
        sk.arange(5, device=device),
        sk.ones((3, 4), dtype=sk.complex64, device=device)[:, ::2],
        sk.full((), True, device=device),
    ):
        for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
            y = pickle.loads(pickle.dumps(x, protocol))
            assert (y.device, y.dtype, y.shape) == (x.device, x.dtype, x.shape)
            assert np.array_equal(to_numpy(y), to_numpy(x))
        for duplicate in (copy.copy(x), copy.deepcopy(x)):
            assert duplicate.device == x.device
    assert pickle.loads(pickle.dumps(sk.Device(device))) == sk.Device(device)


def test_pickle_loads_on_a_machine_without_that_device(tmp_path):
    path = tmp_path / "x.pickle"
    path.write_bytes(pickle.dumps(sk.arange(4, device="cuda:1")))
    out = python(
        "import pickle, sys, warnings, skerry\n"
        "warnings.simplefilter('always')\n"
        f"x = pickle.load(open({str(path)!r}, 'rb')); print(x.device, int(skerry.sum(x)))",
        CUDA_VISIBLE_DEVICES="",
    )
    assert out.split() == ["cpu:0", "6"]


@pytest.mark.parametrize("command", ["info", "doctor"])
def test_command_line(command):
    done = subprocess.run(
        [sys.executable, "-m", "skerry", command],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert "skerry" in done.stdout
    assert "cpu:0" in done.stdout
    if command == "doctor":
        assert "rehears" in done.stdout or HAS_GPU


def test_demo_runs_and_draws(tmp_path):
    for name in ("numba", "PIL", "sklearn"):
        installed(name)
    picture = tmp_path / "centroids.png"
    clean = {name: value for name, value in os.environ.items() if not name.startswith("SKERRY_")}
    done = subprocess.run(
        [sys.executable, "-m", "skerry", "demo", "--output", str(picture)],
        env=clean,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "DeviceMismatchError" in done.stdout
    assert "FAILED" not in done.stdout
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_examples_of_the_readme_run():
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    assert blocks
    for block in blocks:
        assert "cuda:0" in python(block)


def test_numpy_arrays_are_not_silently_mixed():
    x, y = sk.ones((3,), device="cuda:0"), np.ones(3)
    for call in (
        lambda: x + y,
        lambda: y + x,
        lambda: np.add(y, x),
        lambda: np.fmod(x, y),
    ):
        with pytest.raises(DeviceMismatchError):
            call()
    with pytest.raises(TypeError):
        np.asarray(x)
    shared = np.asarray(sk.ones((3,)))
    assert shared.sum() == 3


def test_np_asarray_of_a_cpu_array_is_a_view():
    x = sk.zeros((3, 4), device="cpu:1")[:, ::2]
    view = np.asarray(x)
    view[0, 0] = 5.0
    assert float(x[0, 0]) == 5.0
    assert view.strides == x.strides


def test_repr_shows_dtype_and_device(device):
    text = repr(sk.ones((2, 3), dtype=sk.float32, device=device))
    assert "dtype=float32" in text
    assert f"device='{device}'" in text
    for shape in [(), (0,), (2, 0), (1, 1, 1), (3000, 3000), (1,) * 64]:
        for dtype in ("bool", "int8", "uint64", "float64", "complex64"):
            text = repr(sk.zeros(shape, dtype=dtype, device=device))
            assert f"device='{device}'" in text
            assert len(text) < 3000
