# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""GPUs that differ: ``emulated_gpu(capability=, memory=, peers=, float64=)``, each in a new process."""

import os
import subprocess
import sys

import pytest

from tests.emulator.users_kernels.test_users_kernels import child

START = """
import numpy as np
import skerry as sk
from skerry.exceptions import DTypeError, OutOfMemoryError
from skerry.testing import emulated_gpu

def raises(error, call):
    try:
        call()
    except error as caught:
        return str(caught)
    raise AssertionError("no " + error.__name__)
"""


def run(code, **variables):
    done = child(START + code, **variables)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.split()


def test_little_memory():
    run("""
with emulated_gpu(memory="64MiB"):
    assert sk.Device("cuda:1").info.total_bytes == 64 << 20
    x = sk.ones((4 << 20,), dtype="uint8", device="cuda:1")
    text = raises(OutOfMemoryError, lambda: sk.ones((65 << 20,), dtype="uint8", device="cuda:1"))
    assert "cuda:1" in text, text
    assert sk.sum(x, dtype="int64") == 4 << 20
assert sk.Device("cuda:1").info.total_bytes == 8 << 30
assert sk.ones((65 << 20,), dtype="uint8", device="cuda:1").nbytes == 65 << 20
with emulated_gpu(memory=1 << 20):
    raises(OutOfMemoryError, lambda: sk.ones((2 << 20,), dtype="uint8", device="cuda:0"))
""")


def test_little_memory_for_other_libraries():
    run("""
with emulated_gpu(memory="64MiB"):
    from cuda.core import Device
    Device(0).set_current()
    stream = Device(0).default_stream
    text = raises(Exception, lambda: Device(0).allocate(65 << 20, stream=stream))
    assert "OUT_OF_MEMORY" in text, text
    Device(0).allocate(1 << 20, stream=stream)
""")


def test_the_memory_of_the_environment_returns_after_a_block():
    run(
        """
with emulated_gpu(memory="64MiB"):
    assert sk.Device("cuda:0").info.total_bytes == 64 << 20
assert sk.Device("cuda:0").info.total_bytes == 128 << 20
""",
        SKERRY_REHEARSE_MEMORY="128MiB",
    )


@pytest.mark.parametrize(("peers", "expected"), [("False", 0), ("True", 2), ("'0-1'", 1)])
def test_peers(peers, expected):
    run(f"""
with emulated_gpu(3, peers={peers}):
    assert len(sk.Device("cuda:0").info.peers) == {expected}
    x = sk.linspace(0, 1, 100_003, device="cuda:0")
    for device in ("cuda:1", "cuda:2", "cpu:0"):
        y = x.to_device(device)
        np.testing.assert_array_equal(y.to_numpy(), np.linspace(0, 1, 100_003))
        assert sk.all(y.to_device("cuda:0") == x)
assert len(sk.Device("cuda:0").info.peers) == 2
""")


@pytest.mark.parametrize("capability", [80, 90])
def test_capability(capability):
    run(f"""
with emulated_gpu(capability={capability}):
    assert sk.Device("cuda:1").info.compute_capability == {capability}
    from cuda.core import Device
    assert Device(1).compute_capability == divmod({capability}, 10)
""")


def test_the_capability_of_a_later_block():
    run("""
with emulated_gpu():
    assert sk.Device("cuda:0").info.compute_capability == 80
with emulated_gpu(capability=90):
    assert sk.Device("cuda:0").info.compute_capability == 90
""")


def test_no_float64():
    run("""
info = sk.__array_namespace_info__()
with emulated_gpu(float64=False):
    assert "float64" not in info.dtypes(device="cuda:0")
    assert "complex128" not in info.dtypes(device="cuda:0")
    assert "float64" in info.dtypes(device="cpu:0")
    x = sk.ones((3,), device="cuda:0")
    assert x.dtype == sk.float32
    text = raises(DTypeError, lambda: x.astype("float64"))
    assert text == "astype: cuda:0 has no float64; use float32, or another device", text
    raises(DTypeError, lambda: sk.ones((3,)).to_device("cuda:1"))
    from cuda.core import Device
    Device(0).set_current()
assert sk.ones((3,), device="cuda:0").dtype == sk.float64
with emulated_gpu():
    assert sk.ones((3,), device="cuda:0").dtype == sk.float64
""")


def test_wrong_settings_are_rejected():
    run("""
for options in ({"memory": "much"}, {"memory": 0}, {"peers": "0+1"}, {"capability": 70}):
    def enter():
        with emulated_gpu(**options):
            pass
    assert "is not understood" in raises(ValueError, enter), options
""")


def test_the_marker_of_the_fixture_takes_the_same_options(tmp_path):
    (tmp_path / "test_marked.py").write_text(
        "import pytest\nimport skerry as sk\n\n"
        "@pytest.mark.emulated_gpu(memory='64MiB', peers=False)\n"
        "def test(emulated_gpu):\n"
        "    assert sk.Device('cuda:0').info.total_bytes == 64 << 20\n"
        "    assert sk.Device('cuda:0').info.peers == ()\n"
    )
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "skerry_emulator.pytest_plugin",
        str(tmp_path),
    ]
    environment = {name: value for name, value in os.environ.items() if name != "SKERRY_REHEARSE"}
    done = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False)  # fmt: skip
    assert done.returncode == 0, done.stdout
