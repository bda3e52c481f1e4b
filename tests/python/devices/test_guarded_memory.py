# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""SKERRY_ALLOCATOR=guard: an access outside an array faults, with a message that names the operation and the array."""

import os
import platform
import re
import signal
import subprocess
import sys

import pytest

from tests.python.session import EMULATED, HAS_GPU, UNDER_QEMU

pytestmark = pytest.mark.skipif(HAS_GPU or EMULATED, reason="memory of a GPU is not guarded")

# The context of a signal has the kind of an access on x86-64 only.
READS = "reads" if platform.machine() == "x86_64" else "accesses"

BEFORE = """
import ctypes, sys, threading
import numpy as np, skerry as sk
from skerry.exceptions import OutOfMemoryError
from skerry.testing import guarded_numpy
D = sys.argv[1]

def pointer(x):
    on_host = D.startswith("cpu")
    return (np.asarray(x).__array_interface__ if on_host else x.__cuda_array_interface__)["data"][0]
"""


def run(code, allocator="guard", device="cpu:0", options=(), **environment):
    return subprocess.run(
        [sys.executable, *options, "-c", BEFORE + code, device],
        env={**os.environ, "SKERRY_REHEARSE": "1", "SKERRY_CPU_DEVICES": "2", "SKERRY_ALLOCATOR": allocator}
        | environment,
        capture_output=True,
        text=True,
        timeout=120,
    )  # fmt: skip


def output_of(code, *args, **kwargs):
    done = run(code, *args, **kwargs)
    assert done.returncode == 0, done.stderr
    assert not done.stderr
    return done.stdout.split()


@pytest.mark.parametrize("options", [(), ("-X", "faulthandler")])
@pytest.mark.parametrize("threads", ["1", "3"])
def test_read_past_the_end_names_operation_and_array(threads, options):
    code = """
x = sk.ones((4, 25), dtype=sk.float32)
lying = np.lib.stride_tricks.as_strided(np.asarray(x), (300_000,), (4,))
sk.negative(lying)
"""
    done = run(code, options=options, SKERRY_NUM_THREADS=threads)
    assert done.returncode == -signal.SIGSEGV
    match = re.search(
        rf"^skerry: negative: {READS} (\d+) bytes? beyond the end of numpy.float32 \(300000,\), strides \(4,\) "
        r"in a block of 400 bytes at 0x[0-9a-f]+ \(SKERRY_ALLOCATOR\)$",
        done.stderr,
        re.M,
    )
    assert match, done.stderr
    assert threads != "1" or int(match[1]) <= 64
    assert "skerry: negative: its other arrays: none\n" in done.stderr
    assert ("Fatal Python error: Segmentation fault" in done.stderr) == bool(options)


CALLS = {
    "lying + 1": "add",
    "sk.sort(lying)": "sort",
    "sk.concat([x, lying])": "concat",
    "lying.sum()": "sum",
    "sk.where(x > 0, x, lying)": "where",
    "lying[[50]]": "getitem",
}


@pytest.mark.parametrize(("call", "name"), CALLS.items())
def test_faults_name_the_operation(call, name):
    code = f"""
x = sk.ones((100,))
lying = sk.asarray(np.lib.stride_tricks.as_strided(np.asarray(sk.ones((7,))), (100,), (8,)), copy=False)
{call}
"""
    done = run(code)
    assert done.returncode == -signal.SIGSEGV, done.stderr
    assert re.match(
        rf"skerry: {name}: {READS} \d+ bytes? beyond the end of float64 \(100,\), strides \(8,\) in a block of 56 bytes",
        done.stderr,
    ), done.stderr


def test_fault_in_rehearsed_work_names_the_enqueuing_operation():
    """The kernel runs later, on another thread, and reads freed memory, as the view's owner does not keep it alive."""
    code = """
from skerry.testing import instruments
a, b = sk.ones((7, 10), device=D), sk.ones((10,), device=D)
class Owner: __cuda_array_interface__ = a.__cuda_array_interface__
view = sk.asarray(Owner(), copy=False)[:, ::2]
del a
instruments.delay_work(0.02)
c = view + b[::2]
d = c * 2
sk.synchronize()
"""
    done = run(code, device="cuda:0")
    assert done.returncode == -signal.SIGSEGV, done.stderr
    assert re.match(
        rf"skerry: add: {READS} byte 0 of float64 \(7, 5\), strides \(80, 16\) in a block of 560 bytes at 0x\w+ "
        r"that was freed \(SKERRY_ALLOCATOR\)\nskerry: add: its other arrays: float64 \(5,\), strides \(16,\)\n",
        done.stderr,
    ), done.stderr


@pytest.mark.parametrize("device", ["cpu:0", "cpu:1", "cuda:0"])
def test_first_byte_past_any_array_faults(device):
    """For sizes up to two pages and 1 MiB: the last byte of an array is accessible, the next one is not."""
    code = """
import mmap, os, signal
def faults(address):
    child = os.fork()
    if child == 0:
        signal.signal(signal.SIGSEGV, signal.SIG_DFL)
        os.close(2)
        ctypes.string_at(address, 1)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGSEGV
for n in (1, 2, 3, 7, 63, 64, 65, 1000, 1024, 1025, 4095, 4096, 4097, 8192, 1 << 20, (1 << 20) + 1):
    x = sk.zeros((n,), dtype=sk.int8, device=D)
    sk.synchronize()
    p = pointer(x)
    assert not faults(p) and not faults(p + n - 1), n
    assert faults(p + n), n
    del x
    assert faults(p), n
print("ok")
"""
    assert output_of(code, device=device) == ["ok"]
    front_code = code.replace("assert faults(p + n), n", "assert faults(p - 1), n")
    assert output_of(front_code, "guard-front", device=device) == ["ok"]


def test_guarded_numpy_guards_arrays_inside_the_context():
    code = """
def end(x): return (x.__array_interface__["data"][0] + x.nbytes) % 4096
with guarded_numpy():
    inside = [np.ones(n, dtype=np.int8) for n in (1, 3, 100, 5000)] + [np.zeros(7), np.arange(9.0) * 2]
    grown = np.zeros(3)
    grown.resize(1000, refcheck=False)
assert not grown.any() and end(grown) == 0
assert all(end(x) == 0 for x in inside)
assert any(end(np.ones(n, dtype=np.int8)) for n in (1, 3, 100, 5000))
print(inside[5].tolist() == list(range(0, 18, 2)))
"""
    assert output_of(code) == ["True"]
    done = run(code, "pool")
    assert "guarded_numpy: SKERRY_ALLOCATOR is pool; set it to guard or guard-front" in done.stderr


def test_counting_calls_excludes_garbage_collection():
    code = """
import gc
from skerry.testing import count_cuda_calls
gc.set_threshold(1)
for collects in (True, False):
    cycle = [sk.ones((5,), device=D)]
    cycle.append(cycle)
    (gc.enable if collects else gc.disable)()
    with count_cuda_calls() as calls:
        del cycle
        [[] for _ in range(5000)]
    assert calls == {}, calls
    assert gc.isenabled() == collects
with count_cuda_calls() as calls:
    gc.collect()
print("ok", calls["deallocate"])
"""
    assert output_of(code, device="cuda:0")[0] == "ok"


@pytest.mark.parametrize("device", ["cpu:0", "cuda:0"])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex64", "complex128"])
def test_uninitialized_memory_is_signalling_nan(device, dtype):
    code = f"""
for n in (1, 2, 3, 100, 5000):
    x = sk.empty((n,), dtype=sk.{dtype}, device=D)
    assert bool(sk.all(sk.isnan(x)))
bits = np.asarray(sk.empty((3,), device=D).to_device("cpu:0")).view(np.uint64)
print(all((bits >> 51) & 0x1fff == 0xffe), "signalling")
"""
    assert output_of(code, device=device) == ["True", "signalling"]


@pytest.mark.parametrize("device", ["cpu:0", "cuda:0"])
def test_guarded_memory_has_statistics_and_limits(device):
    code = """
def now(): return sk.memory_statistics(D)
start = now().live_bytes
x = [sk.zeros((n,), dtype=sk.int8, device=D) for n in (1, 1000, 1 << 20)]
held = now().live_bytes - start
assert now().live_blocks >= 3 and (1 << 20) + 1001 <= held <= (1 << 20) * 9 // 8 + 2000, held
del x
sk.synchronize()
assert now().live_bytes == start and now().cached_bytes == 0 and now().peak_bytes >= start + held
sk.set_memory_limit(D, start + (1 << 20))
try:
    sk.zeros((2 << 20,), dtype=sk.int8, device=D)
except OutOfMemoryError as error:
    print("limit" in str(error))
sk.zeros((1000,), device=D)
"""
    assert output_of(code, device=device) == ["True"]


def test_more_live_arrays_than_guard_pages():
    """Creates more arrays than the allocator guards, and than the system's limit of memory mappings."""
    code = """
x = [sk.full((3,), i, dtype=sk.int32) for i in range(40_000)]
y = [sk.full((3,), i, dtype=sk.int32, device="cuda:0") for i in range(20_000)]
assert all(int(x[i][2]) == i for i in range(0, 40_000, 777))
assert all(int(y[i][2]) == i for i in range(0, 20_000, 777))
del x, y
print(sum(1 for _ in open("/proc/self/maps")) < 1000)
"""
    assert output_of(code) == ["True"]


def test_write_outside_an_array_is_found_at_deallocation():
    code = """
x = sk.zeros((5,), dtype=sk.int8)
ctypes.memset(pointer(x) + offset, 7, 1)
del x
print("unseen")
"""
    done = run("offset = -1\n" + code)
    assert done.returncode == -signal.SIGABRT, done.stderr
    assert "found a block of 5 bytes" in done.stderr
    assert "written before its beginning" in done.stderr
    done = run("offset = 5\n" + code, "guard-front")
    assert done.returncode == -signal.SIGABRT, done.stderr
    assert "written beyond its end" in done.stderr


def test_other_faults_are_not_handled():
    by_qemu = "qemu: uncaught target signal 11 (Segmentation fault) - core dumped\n"
    expected = by_qemu if UNDER_QEMU else ""
    done = run("ctypes.string_at(8, 1)")
    assert (done.returncode, done.stderr) == (-signal.SIGSEGV, expected)
    done = run("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)")
    assert (done.returncode, done.stderr) == (-signal.SIGSEGV, expected)
    done = run("ctypes.string_at(8, 1)", options=["-X", "faulthandler"])
    assert done.returncode == -signal.SIGSEGV
    assert done.stderr.count("Fatal Python error") == 1
