# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""SKERRY_ALLOCATOR=system: each array on a CUDA device is a separate allocation, for compute-sanitizer."""

import os
import subprocess
import sys

import pytest

from tests.python.session import HAS_GPU

pytestmark = pytest.mark.skipif(HAS_GPU, reason="other processes would use the GPU")

BEFORE = """
import contextlib, gc, numpy as np, skerry as sk
from skerry.testing import instruments
from skerry.exceptions import *
from skerry.testing import count_cuda_calls
D = "cuda:0"
def memory(): return sk.memory_statistics(D)
keep = sk.ones((1,), dtype=sk.int8, device=D)
sk.synchronize()
"""


def run(code, allocator="system", **environment):
    environment = {
        **os.environ, "SKERRY_REHEARSE": "1", "SKERRY_ALLOCATOR": allocator, **environment
    }  # fmt: skip
    environment.pop("SKERRY_CUDA_LOGICAL", None)
    done = subprocess.run(
        [sys.executable, "-c", BEFORE + code],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert not done.stderr
    return done.stdout.split("\n")[:-1]


def test_each_array_is_a_separate_allocation():
    code = """
for _ in range(3):
    with count_cuda_calls() as calls:
        arrays = [sk.empty((n,), dtype=sk.int8, device=D) for n in (1, 3, 513, 1 << 20)]
    print({k: v for k, v in calls.items() if "allocate" in k}, memory().live_bytes)
    with count_cuda_calls() as calls:
        del arrays
    print({k: v for k, v in calls.items() if "allocate" in k}, memory().live_bytes)
print(memory().cached_bytes, memory().live_blocks, memory().peak_bytes)
"""
    live = 1 + 1 + 3 + 513 + (1 << 20)
    assert run(code) == [
        f"{{'allocate': 4}} {live}",
        "{'deallocate': 4} 1",
        *[f"{{'allocate': 4}} {live}", "{'deallocate': 4} 1"] * 2,
        f"0 1 {live}",
    ]
    pooled = run(code, "pool")
    assert pooled[0].startswith("{'allocate_async': 4}")
    assert pooled[2].startswith("{}"), "the second round is served from the cache"
    assert run(code, "") == pooled


def test_scratch_and_results_are_freed_at_once():
    code = """
x = sk.arange(10000, dtype=sk.float32, device=D)
before = memory().live_bytes
for _ in range(3):
    y = sk.sort(x[::-1] + 1)
    y = y[y > 5]
    del y
gc.collect()
assert memory().live_bytes == before, memory()
del x, keep
print(memory().live_bytes, memory().live_blocks, memory().cached_bytes, sk.trim(D))
"""
    assert run(code) == ["0 0 0 0"]


def test_memory_is_freed_after_the_work_of_all_streams():
    """Work runs 2 ms late. Touching freed memory would lose the rehearsed device."""
    code = """
instruments.delay_work(0.002)
s, t = sk.Stream(D), sk.Stream(D)
x = sk.ones((1000,), device=D)
sk.synchronize()
for _ in range(5):
    with sk.stream(s):
        y = x + 1
    t.wait(s)
    with sk.stream(t):
        z = y * 2
        del y
        z = z + z
    z.to_device("cpu:0")
    with sk.stream(s):
        w = x - 1
    del w
with sk.stream(t):
    print(float(sk.sum(z)))
"""
    assert run(code) == ["8000.0"]


def test_memory_limit_counts_requested_bytes():
    code = """
sk.set_memory_limit(D, 1001)
x = sk.empty((1000,), dtype=sk.int8, device=D)
try:
    sk.empty((1,), dtype=sk.int8, device=D)
except OutOfMemoryError as error:
    print(str(error).split("tried ")[1])
del x
x = sk.empty((1000,), dtype=sk.int8, device=D)
print(memory().live_bytes, memory().limit_bytes)
try:
    sk.empty((1002,), dtype=sk.int8, device=D)
except OutOfMemoryError as error:
    print(str(error).split("tried ")[1])
"""
    remedy = "; free arrays that are not needed any more"
    end = "; SKERRY_TRACE_MEMORY=1 in the environment names the lines that hold memory"
    assert run(code) == [
        f"collecting garbage{remedy}{end}",
        "1001 1001",
        f"nothing, since it is larger than the limit; raise the limit by set_memory_limit, or split the array{end}",
    ]


def test_allocation_on_a_full_device_collects_garbage():
    code = """
class Cycle: pass
a = Cycle()
a.self, a.x = a, sk.empty((40 << 20,), dtype=sk.int8, device=D)
del a
y = sk.empty((40 << 20,), dtype=sk.int8, device=D)
before = memory()
try:
    sk.empty((40 << 20,), dtype=sk.int8, device=D)
except OutOfMemoryError as error:
    print("64.0 MiB" in str(error), error.requested)
print(memory().live_bytes == before.live_bytes, float(sk.sum(sk.ones((4,), device=D))))
"""
    assert run(code, SKERRY_REHEARSE_MEMORY="64MiB") == ["True 41943040", "True 4.0"]


def test_failed_allocations_leave_statistics_unchanged():
    code = """
before = memory()
for k in range(1, 6):
    with instruments.failing_cuda_call(k, 1), contextlib.suppress(DeviceError, OutOfMemoryError):
        sk.empty((100,), dtype=sk.int8, device=D)
    gc.collect()
    assert memory().live_bytes == before.live_bytes and memory().live_blocks == 1
print("same")
"""
    assert run(code) == ["same"]


def test_show_config_names_the_allocator():
    shown = "print(sk.show_config(mode='dicts')['cuda']['allocator']); sk.show_config()"
    lines = run(shown)
    assert lines[0] == "system"
    assert any(line.endswith("rehearsed on this CPU, allocator system") for line in lines)
    lines = run(shown, "pool")
    assert lines[0] == "pool"
    assert any(line.endswith("rehearsed on this CPU") for line in lines)
