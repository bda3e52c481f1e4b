# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""A lost GPU and a full one, tested by `make gpu-check`. `test_unusable_devices.py` tests both on rehearsed devices.

Each test runs in its own process: after an illegal access, CUDA requires the process to end.
"""

import subprocess
import sys

import pytest

from tests.python.session import HAS_GPU

if not HAS_GPU:
    pytest.skip("needs a GPU: make gpu-check", allow_module_level=True)
pytestmark = pytest.mark.not_emulated("allocates with the driver API")

ILLEGAL_ACCESS = """
import ctypes
import numpy as np
import skerry as sk
from skerry.exceptions import FatalDeviceError

cpu, other = sk.arange(6.0, device="cpu:0"), sk.ones((4,), device="cuda:0")
sk.synchronize("cuda:0")
driver, at, nbytes = ctypes.CDLL("libcuda.so.1"), ctypes.c_uint64(), 64 << 20
assert driver.cuMemAlloc_v2(ctypes.byref(at), ctypes.c_size_t(nbytes)) == 0
gone = sk.from_cuda_array_interface(
    {"shape": (nbytes // 4,), "typestr": "<f4", "data": (at.value, False), "version": 3, "strides": None}
)
assert driver.cuMemFree_v2(at) == 0  # although the array uses it
texts = []
for attempt in (lambda: [gone + gone, sk.synchronize("cuda:0")], lambda: other + other, lambda: float(other[0])):
    try:
        attempt()
    except FatalDeviceError as problem:
        texts.append(str(problem))
    else:
        raise SystemExit("no error")
assert all("CPU arrays" in text for text in texts), texts
assert np.asarray(cpu + cpu).tolist() == [0, 2, 4, 6, 8, 10]
print("well")
"""

NEARLY_FULL = """
import skerry as sk
from skerry.exceptions import OutOfMemoryError

x, kept = sk.arange(1 << 20, device="cuda:0"), []
try:
    while True:
        kept.append(sk.ones((1 << 28,), dtype=sk.uint8, device="cuda:0"))
except OutOfMemoryError as problem:
    assert "cuda:0" in str(problem)
assert kept
for call in (lambda: x + x, lambda: sk.sort(x), lambda: sk.cumulative_sum(x), lambda: sk.unique_values(x)):
    try:
        call()
    except OutOfMemoryError:
        pass
kept.clear()
assert int(sk.sum(x)) == (1 << 19) * ((1 << 20) - 1)
print("well")
"""


@pytest.mark.parametrize("script", [ILLEGAL_ACCESS, NEARLY_FULL], ids=["lost", "nearly full"])
def test_process_continues_after_lost_and_full_gpu(script):
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=300
    )
    assert (done.returncode, done.stdout) == (0, "well\n"), done.stderr[-2000:]
