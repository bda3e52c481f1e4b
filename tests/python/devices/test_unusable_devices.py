# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Devices that cannot be used: the driver is too old, or the device has no kernels, is busy, full or lost."""

import os
import subprocess
import sys

import numpy as np
import pytest
import skerry as sk
from skerry.exceptions import DeviceUnavailableError, OutOfMemoryError
from skerry.testing import instruments

from tests.python.oracle import to_numpy
from tests.python.session import HAS_GPU, UNDER_QEMU

pytestmark = pytest.mark.skipif(HAS_GPU, reason="failures are injected into rehearsed devices")

#: Error of the CUDA runtime -> (reason, a word of the remedy).
UNAVAILABLE = {
    35: ("driver_too_old", "update"),
    46: ("busy", "another process"),
    209: ("no_kernel_image", "build of skerry for this GPU"),
    222: ("driver_too_old", "update"),
    803: ("driver_too_old", "restart"),
    804: ("driver_too_old", "update"),
}


@pytest.mark.parametrize("code", UNAVAILABLE)
def test_unusable_device_raises_with_reason_and_remedy(code):
    reason, remedy = UNAVAILABLE[code]
    x = sk.ones((3,), device="cuda:0")
    y = x + x
    with (
        instruments.failing_cuda_call(2, code),  # get_device, then the launch
        pytest.raises(DeviceUnavailableError) as caught,
    ):
        y = x + x
    assert caught.value.reason == reason
    for word in ("cuda:0", f"{code})", remedy):
        assert word in str(caught.value)
    assert to_numpy(y).tolist() == [2, 2, 2]
    assert to_numpy(x + x).tolist() == [2, 2, 2], "the failure is not remembered"


def run(code, **environment):
    environment = {**os.environ, "SKERRY_REHEARSE": "2", **environment}
    program = (
        "import gc, numpy as np, skerry as sk\nfrom skerry.testing import instruments\n"
        "from skerry.exceptions import *\n" + code
    )
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, f"{done.returncode}: {done.stderr}"
    assert not done.stderr, "the process must print no error"
    return done.stdout


@pytest.mark.parametrize(
    ("code", "reason"),
    [(35, "driver_too_old"), (34, "stub_library"), (46, "busy"), (100, "no_device"), (3, "no_device")],
)  # fmt: skip
def test_cpu_works_after_failed_initialization_of_devices(code, reason):
    said = run(
        "print(sk.devices('cuda'), float(sk.sum(sk.ones((3,)))))\n"
        "try:\n    sk.ones((3,), device='cuda:0')\n"
        "except DeviceUnavailableError as problem:\n    print(problem.reason, problem)\n",
        SKERRY_REHEARSE_FAIL=f"k=3,code={code}",  # after two queries for versions
    )
    assert said.startswith(f"() 3.0\n{reason} ones: cuda:0")
    assert "CPU arrays work" in said


LOST = """
cpu, lost, other = (sk.arange(6.0, device=d) for d in ("cpu:0", "cuda:0", "cuda:1"))
sk.synchronize("cuda:0")
instruments.fail_cuda_call(2, 700, is_sticky=True)
texts = []
for attempt in (lambda: lost + lost, lambda: sk.ones((2,), device="cuda:0"), lambda: float(lost[0]),
                lambda: lost.to_device("cpu:0"), lambda: cpu.to_device("cuda:0"), lambda: sk.synchronize("cuda:0"),
                lambda: other.to_device("cuda:0"), lambda: sk.Stream("cuda:0"), lambda: sk.trim("cuda:0")):
    try:
        attempt()
    except FatalDeviceError as problem:
        assert problem.code == 700 and problem.device == "cuda:0", problem
        assert isinstance(problem, RuntimeError)
        name, lost_text = str(problem).split(": ", 1)
        assert name in ("add", "ones", "__getitem__", "float", "to_device", "synchronize", "Stream", "trim"), problem
        texts.append(lost_text)
    else:
        raise SystemExit("no error")
assert len(set(texts)) == 1, "the first cause"
for word in ("cuda:0 is lost", "illegal memory access", "700", "CPU arrays", "restart"):
    assert word in texts[0], texts[0]
assert np.asarray(cpu + cpu).tolist() == [0, 2, 4, 6, 8, 10]
assert np.asarray((other + other).to_device("cpu:0")).tolist() == [0, 2, 4, 6, 8, 10]
assert repr(cpu) and sk.devices("cuda")[0].info
END
print("well")
"""


@pytest.mark.parametrize(
    "end",
    [
        "del lost; gc.collect(); assert sk.memory_statistics('cuda:0').live_bytes == 0",
        "keep = lost",
    ],
    ids=["freed", "alive at exit"],
)
def test_lost_device_leaves_others_and_a_clean_exit(end):
    assert run(LOST.replace("END", end)) == "well\n"


FULL = """
x = sk.astype(sk.arange(1 << 20, device="cuda:0") % 1000, sk.float32)  # 4 MiB
arrays, y = [], np.asarray(x.to_device("cpu:0"))
sk.trim("cuda:0")
while True:
    try:
        arrays.append(sk.ones((1 << 18,), dtype=sk.float32, device="cuda:0"))
    except OutOfMemoryError as problem:
        text = str(problem)
        assert problem.requested == 1 << 20 and problem.device == "cuda:0"
        break
for word in ("cannot allocate 1.00 MiB on cuda:0", "free of 48.0 MiB", "live in", "cached", "peak", "tried",
             "free arrays that are not needed"):
    assert word in text, text
assert len(arrays) >= 40, len(arrays)

# From a full device to an empty one: each operation raises or is correct, and leaks nothing.
calls = {
    "add": lambda: x + x, "sum": lambda: sk.sum(x), "sort": lambda: sk.sort(x), "cumsum": lambda: sk.cumulative_sum(x),
    "mask": lambda: x[x > 500], "unique": lambda: sk.unique_values(x), "matmul": lambda: sk.reshape(x, (1024, 1024)) @ x[:1024],
    "fft": lambda: sk.fft.rfft(x), "concat": lambda: sk.concat([x, x]), "to device": lambda: sk.asarray(y, device="cuda:0"),
}
expected, errors = {}, 0
while True:
    for name, call in calls.items():
        live = sk.memory_statistics("cuda:0").live_bytes
        try:
            got = np.asarray(call().to_device("cpu:0"))
        except OutOfMemoryError:
            errors += 1
        else:
            expected.setdefault(name, []).append(got)
            del got
        sk.synchronize("cuda:0")
        assert sk.memory_statistics("cuda:0").live_bytes == live, name
    if not arrays:
        break
    del arrays[-3:]
assert errors > 10 and set(expected) == set(calls), (errors, list(expected))
for name, results in expected.items():
    assert all(np.array_equal(each, results[-1]) for each in results), name
assert np.array_equal(expected["sort"][0], np.sort(y)) and np.array_equal(expected["add"][0], y + y)
assert np.array_equal(np.asarray(x.to_device("cpu:0")), y)
print("well")
"""


def test_operations_on_a_full_device_raise_or_are_correct():
    assert run(FULL, SKERRY_REHEARSE_MEMORY="48MiB") == "well\n"


@pytest.mark.skipif(UNDER_QEMU, reason="qemu does not limit the address space")
def test_failed_fft_workspace_raises_at_the_next_wait():
    said = run(
        "import resource\n"
        "x = sk.ones((1 << 22,), dtype=sk.complex128, device='cuda:0')\n"
        "small = sk.fft.fft(x[:8]); del small; sk.fft.fft(x[:9]); sk.synchronize('cuda:0')\n"
        "spare = sk.empty((1 << 22,), dtype=sk.complex128, device='cuda:0'); del spare\n"
        "with open('/proc/self/statm') as f: used = int(f.read().split()[0]) * 4096\n"
        "resource.setrlimit(resource.RLIMIT_AS, (used + (8 << 20), resource.RLIM_INFINITY))\n"
        "y = sk.fft.fft(x)\n"
        "try:\n    sk.synchronize('cuda:0')\n    raise SystemExit('no error')\n"
        "except OutOfMemoryError as problem:\n    print(problem.device, problem.requested, problem)\n"
        "resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))\n"
        "print(complex(sk.fft.fft(x)[0]).real)\n",
        SKERRY_NUM_THREADS="1",
    )
    assert said.startswith("cuda:0 67108864 fft: no workspace memory")
    assert said.endswith("4194304.0\n")


def test_allocation_larger_than_the_device_raises():
    with pytest.raises(
        OutOfMemoryError,
        match="since it is larger than the device's memory; split the array, or use a smaller dtype",
    ):
        sk.empty((1 << 40,), device="cuda:0")
    assert np.array_equal(to_numpy(sk.ones((2,), device="cuda:0")), [1, 1])
