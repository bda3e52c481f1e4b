# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Rules of the CUDA runtime that a rehearsed device does not enforce, so that violations would fail on a GPU only."""

import contextlib
import os
import subprocess
import sys

import numpy as np
import pytest
import skerry as sk
from skerry.testing import count_cuda_calls, instruments

from tests.python.devices.threads import in_thread
from tests.python.oracle import to_numpy
from tests.python.session import HAS_GPU

rehearsed_only = pytest.mark.skipif(HAS_GPU, reason="only work of rehearsed devices can be delayed")


def address(x):
    return x.__cuda_array_interface__["data"][0]


@pytest.mark.slow
@pytest.mark.not_guarded("nothing is cached")
@rehearsed_only
def test_per_thread_streams_of_two_threads_do_not_share_blocks(cuda_device, slow):
    """Handle 2 is a different stream in each thread, so it orders nothing between threads."""
    x = sk.ones((8,), device=cuda_device)
    sk.synchronize(cuda_device)
    sk.trim(cuda_device)
    per_thread = sk.Stream.from_handle(cuda_device, 2)

    def work():
        with sk.stream(per_thread):
            y = x + 1
            return address(y)  # y is freed while its kernel is still running

    own_address = work()
    theirs = in_thread(work)
    assert own_address != theirs
    sk.synchronize(cuda_device)
    with sk.stream(per_thread):  # many, as other tests may have left free blocks
        new_arrays = [sk.empty((8,), device=cuda_device) for _ in range(1000)]
    assert {own_address, theirs} <= {address(y) for y in new_arrays}, (
        "blocks of completed work are reused"
    )


def test_block_of_a_per_thread_stream_records_an_event(cuda_device):
    per_thread = sk.Stream.from_handle(cuda_device, 2)
    with count_cuda_calls() as calls:
        with sk.stream(per_thread):
            y = sk.ones((8,), device=cuda_device) + 1
        del y
    assert calls["event_record"] == 2, "after the temporary's last use, and at the end of y's block"


@rehearsed_only
def test_small_transfers_on_per_thread_streams_do_not_share_chunks(cuda_device, slow):
    """One event covers all copies from a chunk, which would not do for copies of two threads."""

    def waits(handle):
        stream = sk.Stream.from_handle(cuda_device, handle)
        with sk.stream(stream), count_cuda_calls() as calls:
            x = [sk.asarray(np.full(16, i), device=cuda_device) for i in range(6)]
        sk.synchronize(cuda_device)
        assert [to_numpy(array)[0] for array in x] == list(range(6))
        return calls.get("event_synchronize", 0)

    waits(1)  # the last chunk now belongs to this stream
    assert waits(1) == 0
    assert waits(2) >= 2, "there are four chunks"


@rehearsed_only
def test_waits_on_a_captured_stream_raise_before_enqueuing(cuda_device):
    """A graph can't wait for the host, nor the host for a graph."""
    x = sk.ones((8,), device=cuda_device)
    host = np.ones(8)
    s = sk.Stream(cuda_device)
    sk.synchronize(cuda_device)
    sk.trim(cuda_device)
    old_live_bytes = sk.memory_statistics(cuda_device).live_bytes
    calls = {
        "to the device": lambda: sk.asarray(host, device=cuda_device),
        "from the device": lambda: x.to_device("cpu:0"),
    }
    for name, call in calls.items():
        with (
            instruments.captured_stream(s.handle),
            sk.stream(s),
            count_cuda_calls() as cuda_calls,
            pytest.raises(ValueError, match=r"captured into a graph.*end the capture"),
        ):
            call()
        enqueued = {"launch_host_kernel", "copy_async", "copy_peer_async", "stream_synchronize"}
        assert not enqueued & set(cuda_calls), name
        assert sk.memory_statistics(cuda_device).live_bytes == old_live_bytes, name
    with sk.stream(s):
        assert float(sk.sum(x + 1)) == 16


@rehearsed_only
def test_current_device_is_restored_after_failed_calls():
    """Otherwise other libraries on this thread would continue on the wrong device."""
    x = sk.ones((3,), device="cuda:1")
    for k in range(1, 20):
        with (
            instruments.failing_cuda_call(k, 1) as fault,  # not fatal
            contextlib.suppress(sk.exceptions.DeviceError),
        ):
            x + x
        with count_cuda_calls() as calls:
            sk.ones((3,), device="cuda:0")
        assert "push_device" not in calls, f"cuda:0 is no longer current after call {k}"
        if not fault.was_met:
            break
    assert k > 3


@rehearsed_only
def test_unused_gpu_gets_no_context():
    """Device 0 is current in every thread that selected none; restoring it with a call would create its context."""
    code = """
import threading
from tests.fuzz import exit_calls, exits
exit_calls.DEVICES = ("cpu:0", "cuda:1")
def use_all():
    for name in exits.CALLS:
        getattr(exit_calls, name)("cuda:1")()
    x = sk.ones((300,), device="cuda:1")
    assert sk.Device("cuda:1").info.free_bytes > 0
    pinned = sk.ones((4,), pinned=True)
    pinned.to_device("cuda:1")
    sk.set_memory_limit("cuda:1", 1 << 20)
    try:
        sk.ones((1 << 20,), device="cuda:1")
    except MemoryError:
        pass
    sk.set_memory_limit("cuda:1", None)
    sk.trim("cuda:1")
use_all()
thread = threading.Thread(target=use_all)
thread.start(); thread.join()
print(instruments.rehearsed_contexts())
instruments.set_rehearsed_device(0)
print(instruments.rehearsed_contexts())
"""
    assert run(code, SKERRY_REHEARSE="2", SKERRY_CUDA_LOGICAL="1") == ["[1]", "[0,", "1]"]


@rehearsed_only
def test_current_device_of_another_library_is_kept():
    for ordinal in (0, 1):
        assert instruments.set_rehearsed_device(ordinal) == 0
        for device in ("cuda:0", "cuda:1"):
            x = sk.ones((3,), device=device)
            sk.synchronize(device)
            assert float(x[1]) == 1
        with count_cuda_calls() as calls:
            sk.ones((3,), device=f"cuda:{ordinal}")
        assert "push_device" not in calls
    assert instruments.set_rehearsed_device(0) == 0


def run(code, **environment):
    environment = {**os.environ, **environment}
    done = subprocess.run(
        [sys.executable, "-c", "import skerry as sk\nfrom skerry.testing import *\nfrom skerry.testing import instruments\n" + code],
        env=environment, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.mark.not_guarded("nothing is cached")
@pytest.mark.skipif(HAS_GPU, reason="other processes would use the GPU")
def test_full_gpu_releases_blocks_cached_by_its_other_logical_device():
    code = """
def block(device): return sk.empty((40 << 20,), dtype=sk.int8, device=device)
block("cuda:0")
print(sk.memory_statistics("cuda:0").cached_bytes >= 40 << 20)
x = block("cuda:1")
print(sk.memory_statistics("cuda:0").cached_bytes, sk.memory_statistics("cuda:1").live_blocks)
del x
sk.set_memory_limit("cuda:0", 1 << 20)
try:
    block("cuda:0")
except MemoryError:
    print(sk.memory_statistics("cuda:1").cached_bytes >= 40 << 20)
"""
    said = run(code, SKERRY_REHEARSE="1", SKERRY_CUDA_LOGICAL="2", SKERRY_REHEARSE_MEMORY="64MiB")
    assert said == ["True", "0", "1", "True"]


@pytest.mark.skipif(HAS_GPU, reason="other processes would use the GPU")
def test_pinned_memory_is_allocated_from_a_device_in_use():
    """cuda:0 would get a context for nothing."""
    code = """
keep = sk.ones((3,), device="cuda:2")
sk.synchronize("cuda:2")
with count_cuda_calls() as calls:
    x = sk.ones((4,), pinned=True)
print(calls["host_allocate"], calls["push_device"], calls["pop_device"])
"""
    assert run(code, SKERRY_REHEARSE="4", SKERRY_CUDA_LOGICAL="1") == ["1", "1", "1"]
