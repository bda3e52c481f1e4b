# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""``skerry.ipc_handle`` and ``skerry.open_ipc``: memory of CUDA devices that two processes share."""

import multiprocessing
import os
import pickle
import subprocess
import sys
from multiprocessing.reduction import ForkingPickler

import pytest
import skerry as sk
from skerry.testing import instruments

from tests.python.session import HAS_GPU, UNDER_QEMU

pytestmark = pytest.mark.skipif(
    HAS_GPU, reason="injects faults of rehearsed devices, and was not run with native kernels"
)

needs_start_time = pytest.mark.skipif(
    UNDER_QEMU, reason="qemu shows a process another time of its start than it shows to others"
)

CHILD = """
import pickle, sys
import skerry as sk
handle = pickle.load(sys.stdin.buffer)
x = sk.open_ipc(handle)
"""


@pytest.fixture
def x():
    return sk.reshape(sk.arange(600, dtype=sk.int32, device="cuda:0"), (20, 30))


def run(handle, code, data=None):
    """Run code in another process, which has opened the handle as x; return what it prints."""
    done = subprocess.run(
        [sys.executable, "-c", CHILD + code],
        input=data if data is not None else pickle.dumps(handle),
        capture_output=True,
        check=False,
    )
    return done.stdout.decode().strip() or done.stderr.decode().strip().splitlines()[-1]


@pytest.mark.not_guarded("all memory is allocated singly there, and can be opened")
@needs_start_time
def test_another_process_reads_and_writes_the_memory(x):
    handle = sk.ipc_handle(x)
    code = "print(int(sk.sum(x)), x.device, x.dtype, x.shape, handle.process)\nx[0, 0] = 1000\nsk.synchronize(x.device)"
    assert run(handle, code) == f"179700 cuda:0 int32 (20, 30) {os.getpid()}"
    assert int(handle.array[0, 0]) == 1000
    assert int(x[0, 0]) == 0  # the array of the pool was copied


@needs_start_time
def test_memory_that_can_be_opened_is_not_copied(x):
    first = sk.ipc_handle(x)
    view = first.array[2:10:3, ::-2].T
    second = sk.ipc_handle(view, copy=False)
    assert second.array is view
    assert run(second, "print(x.tolist())") == str(view.tolist())
    assert "y" in run(second, "x[...] = 7\nsk.synchronize(x.device)\nprint('y')")
    assert int(first.array[2, 29]) == 7
    third = sk.ipc_handle(first.array, copy=True)
    assert run(third, "x[...] = 9\nsk.synchronize(x.device)\nprint('y')") == "y"
    assert int(first.array[2, 29]) == 7


@needs_start_time
def test_an_empty_array_and_one_element(x):
    assert run(sk.ipc_handle(x[:0]), "print(x.shape)") == "(0, 30)"
    assert run(sk.ipc_handle(sk.asarray(5.0, device="cuda:1")), "print(float(x), x.device)") == (
        "5.0 cuda:1"
    )


@needs_start_time
def test_opened_twice(x):
    code = "y = sk.open_ipc(handle)\ndel x\ny[0, 0] = 5\nprint(int(sk.open_ipc(handle)[0, 0]))"
    assert run(sk.ipc_handle(x), code) == "5"


@needs_start_time
def test_reading_follows_the_work_before_the_handle():
    x = sk.zeros(100_000, device="cuda:0")
    for _ in range(20):
        x += 1
    handle = sk.ipc_handle(x)
    assert run(handle, "print(float(sk.min(x)), float(sk.max(x)))") == "20.0 20.0"


PING_PONG = """
import pickle, sys
import skerry as sk
handle = pickle.load(sys.stdin.buffer)
x = sk.open_ipc(handle)
for _ in range(5):
    print("ready", flush=True)
    sys.stdin.buffer.readline()
    handle.wait()
    x += 1
    handle.record()
print("ready", flush=True)
sys.stdin.buffer.readline()
"""


@needs_start_time
def test_events_order_the_work_of_both_processes():
    handle = sk.ipc_handle(sk.zeros(200_000, device="cuda:0"))
    x = handle.array
    child = subprocess.Popen(
        [sys.executable, "-c", PING_PONG], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    child.stdin.write(pickle.dumps(handle))
    child.stdin.flush()
    for _ in range(5):
        assert child.stdout.readline() == b"ready\n"
        handle.wait()
        x *= 2
        handle.record()
        child.stdin.write(b"go\n")
        child.stdin.flush()
    assert child.stdout.readline() == b"ready\n"
    handle.wait()
    values = (float(sk.min(x)), float(sk.max(x)))
    child.stdin.write(b"end\n")
    child.stdin.close()
    child.stdout.close()
    assert child.wait(60) == 0
    assert values == (31.0, 31.0)


@pytest.mark.not_guarded("all memory is allocated singly there, and can be opened")
def test_a_closed_handle(x):
    handle = sk.ipc_handle(x)
    data = pickle.dumps(handle)
    handle.close()
    sk.synchronize("cuda:0")
    assert "ValueError: open_ipc: process" in run(None, "", data)
    with pytest.raises(ValueError, match="has closed it"):
        handle.array
    with pytest.raises(ValueError, match="ipc: the handle is closed"):
        pickle.dumps(handle)


def test_the_exporter_has_ended():
    code = (
        "import pickle, sys, skerry as sk\n"
        "handle = sk.ipc_handle(sk.ones(3, device='cuda:0'))\n"
        "sys.stdout.buffer.write(pickle.dumps(handle))"
    )
    data = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout
    with pytest.raises(
        ValueError, match=r"open_ipc: process \d+, which made the handle, has ended"
    ):
        sk.open_ipc(pickle.loads(data))


def test_handles_of_others(x):
    handle = sk.ipc_handle(x)
    with pytest.raises(ValueError, match="open_ipc: this process made the handle"):
        sk.open_ipc(handle)
    for name, value, text in [
        ("boot", "other", "another machine, or was made before a reboot"),
        ("user", 12345, "another user, 12345"),
        ("start", "1", "has ended"),
    ]:
        other = pickle.loads(pickle.dumps(handle))
        other._fields = {**other._fields, name: value}
        with pytest.raises(ValueError, match=text):
            sk.open_ipc(other)
    with pytest.raises(ValueError, match="has not opened the handle"):
        pickle.loads(pickle.dumps(handle)).wait()


def test_a_damaged_handle_does_not_reach_other_memory(x):
    handle = sk.ipc_handle(x)
    for name, value in [("strides", (1 << 40, 4)), ("shape", (20, 30_000_000))]:
        other = pickle.loads(pickle.dumps(handle))
        other._fields = {**other._fields, name: value}
        assert "ValueError" in run(other, "")


def test_bad_arguments(x):
    with pytest.raises(ValueError, match="ipc_handle: only memory of CUDA devices"):
        sk.ipc_handle(sk.ones(3, device="cpu"))
    with pytest.raises(TypeError, match=r"ipc_handle: x must be a skerry\.Array, not list"):
        sk.ipc_handle([1])
    with pytest.raises(TypeError, match="ipc_handle: copy must be a bool or None, not int"):
        sk.ipc_handle(x, copy=1)
    with pytest.raises(TypeError, match=r"open_ipc: handle must be a skerry\.IpcHandle, not bytes"):
        sk.open_ipc(b"")


@pytest.mark.not_guarded("all memory is allocated singly there, and can be opened")
def test_memory_of_the_pool_is_not_shared_without_a_copy(x):
    with pytest.raises(ValueError, match="copy=False forbids a copy"):
        sk.ipc_handle(x, copy=False)


@needs_start_time
def test_memory_is_freed(x):
    sk.synchronize("cuda:0")
    free_bytes = sk.Device("cuda:0").info.free_bytes
    for _ in range(3):
        handle = sk.ipc_handle(sk.zeros(1 << 20, device="cuda:0"))
        assert run(handle, "x += 1\nprint(float(x[-1]))") == "1.0"
        handle.close()
        del handle
    sk.trim("cuda:0")
    assert sk.Device("cuda:0").info.free_bytes >= free_bytes - (1 << 20)


def test_a_failed_call_loses_no_memory(x):
    def free_bytes():
        sk.synchronize("cuda:0")
        sk.trim("cuda:0")
        return sk.Device("cuda:0").info.free_bytes

    sk.ipc_handle(x).close()
    old_free_bytes = free_bytes()
    failures = 0
    for k in range(1, 40):
        with instruments.failing_cuda_call(k, 999) as fault:
            try:
                handle = sk.ipc_handle(x)
                handle.record()
                handle.wait()
            except sk.exceptions.DeviceError:
                failures += 1
        handle = None
        if not fault.was_met:
            break
    assert failures > 5
    assert free_bytes() == old_free_bytes
    assert int(sk.ipc_handle(x).array[1, 0]) == 30


def add_one(queue, results):
    x = queue.get()
    x += 1
    sk.synchronize(x.device)
    results.put(str(x.device))


@needs_start_time
def test_multiprocessing_sends_handles(x):
    context = multiprocessing.get_context("spawn")
    with sk.ipc_pickling():
        handle = sk.ipc_handle(x)
        shared = handle.array
        queue, results = context.Queue(), context.Queue()
        process = context.Process(target=add_one, args=(queue, results))
        process.start()
        queue.put(shared)
        assert results.get(timeout=60) == "cuda:0"
        process.join()
        assert len(ForkingPickler.dumps(x)) < 2000
        on_host = sk.ones(1000)
        assert sk.all(pickle.loads(ForkingPickler.dumps(on_host)) == on_host)
    assert int(shared[0, 0]) == 1
    assert len(ForkingPickler.dumps(x)) > x.nbytes
