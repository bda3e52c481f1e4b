# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""``set_allocator``: arrays in memory of other libraries."""

import contextlib
import gc
import os
import subprocess
import sys
import threading

import numpy as np
import pytest
import skerry as sk
from skerry.exceptions import OutOfMemoryError
from skerry.testing import instruments

from tests.python.devices.threads import in_thread
from tests.python.interchange.allocator_models import (
    MemoryResource,
    StreamOrderedPool,
    allocator,
    cupy_module,
    rmm_modules,
    torch_module,
)
from tests.python.session import HAS_GPU

DEVICE = "cuda:0"


def address(x):
    return x.__cuda_array_interface__["data"][0]


@pytest.fixture
def pool():
    gc.collect()
    pool = StreamOrderedPool(DEVICE)
    yield pool
    gc.collect()
    pool.close()


def pair(pool):
    return pool.allocate, pool.free


def test_arrays_are_in_memory_of_the_allocator(pool):
    with allocator(pair(pool)):
        x = sk.arange(1000, dtype=sk.float32, device=DEVICE)
        assert pool.live[address(x)] == (4000, 1)
        y = sk.sort(x[::-1] * 2)
        assert pool.calls > 2, "scratch memory, too"
        assert set(pool.live) == {address(x), address(y)}
        assert y[:3].tolist() == [0, 2, 4]
        del x
        assert set(pool.live) == {address(y)}
        del y
        assert not pool.live
    calls = pool.calls
    assert sk.ones((3,), device=DEVICE).tolist() == [1, 1, 1]
    assert pool.calls == calls


def test_empty_arrays_need_no_memory(pool):
    with allocator(pair(pool)):
        assert sk.ones((0,), device=DEVICE).tolist() == []
    assert pool.calls == 0


def test_memory_is_freed_by_the_allocator_that_gave_it(pool):
    other = StreamOrderedPool(DEVICE)
    pooled = sk.ones((100,), device=DEVICE)
    with allocator(pair(pool)):
        x = sk.ones((100,), device=DEVICE)
        with allocator(pair(other)):
            y = x + pooled
            assert (len(pool.live), len(other.live)) == (1, 1)
            del x, pooled
            assert (len(pool.live), len(other.live)) == (0, 1)
    z = y + 1
    assert z[0].item() == 3
    del y
    other.close()


def test_arrays_count_in_the_statistics_and_the_limit(pool):
    sk.trim(DEVICE)
    statistics_before = sk.memory_statistics(DEVICE)
    with allocator(pair(pool)):
        x = sk.empty((1 << 20,), dtype=sk.uint8, device=DEVICE)
        now = sk.memory_statistics(DEVICE)
        # The model's block is skerry's, too.
        assert now.live_blocks == statistics_before.live_blocks + 2
        assert now.live_bytes >= statistics_before.live_bytes + (2 << 20)
        sk.set_memory_limit(DEVICE, now.live_bytes + 1000)
        try:
            with pytest.raises(OutOfMemoryError, match="limit"):
                sk.empty((1 << 20,), dtype=sk.uint8, device=DEVICE)
        finally:
            sk.set_memory_limit(DEVICE, None)
        del x


def test_the_stream_is_that_of_the_array(pool):
    stream = sk.Stream(DEVICE)
    seen = []

    def free(address, nbytes, stream):
        seen.append(stream)
        pool.free(address, nbytes, stream)

    with allocator((pool.allocate, free)):
        with stream:
            x = sk.ones((10,), device=DEVICE)
        assert pool.live[address(x)] == (x.nbytes, stream.handle)
        y = x + 1  # on the default stream
        del x
        assert seen == [stream], "freed on the stream of the allocation"
        assert y.tolist() == [2] * 10
        del y
    assert seen[-1].handle == 1


@pytest.mark.skipif(HAS_GPU, reason="only work of rehearsed devices can be delayed")
def test_memory_is_reused_after_the_work_of_other_streams(pool):
    first, second = sk.Stream(DEVICE), sk.Stream(DEVICE)
    with allocator(pair(pool)), instruments.delayed_work(0.02):
        with first:
            x = sk.full((1000,), 7, dtype=sk.int64, device=DEVICE)
        with second:
            y = x + 1
        reused = address(x)
        del x
        with first:
            z = sk.full((1000,), 100, dtype=sk.int64, device=DEVICE)
        assert address(z) == reused
        assert y[0].item() == 8
        assert z[0].item() == 100
        del y, z


@pytest.mark.parametrize("value", [None, 0])
def test_no_address_is_out_of_memory(value):
    live = sk.memory_statistics(DEVICE).live_bytes
    with allocator((lambda nbytes, stream: value, print)):
        with pytest.raises(OutOfMemoryError, match="set_allocator returned no address") as caught:
            sk.ones((3,), device=DEVICE)
        assert caught.value.__cause__ is None
        assert caught.value.device == DEVICE
    assert sk.memory_statistics(DEVICE).live_bytes == live


@pytest.mark.parametrize("error", [RuntimeError("no memory"), MemoryError(), ValueError("wrong")])
def test_exceptions_are_the_cause_of_out_of_memory(error):
    def fail(nbytes, stream):
        raise error

    with allocator((fail, print)):
        with pytest.raises(OutOfMemoryError, match=f"failed: {type(error).__name__}") as caught:
            sk.ones((3,), device=DEVICE)
        assert caught.value.__cause__ is error
        assert caught.value.requested == 24
    assert sk.ones((3,), device=DEVICE).tolist() == [1, 1, 1]


@pytest.mark.parametrize("result", ["text", 1.5, 1 << 70])
def test_results_that_are_no_addresses(result):
    with (
        allocator((lambda nbytes, stream: result, print)),
        pytest.raises(OutOfMemoryError) as caught,
    ):
        sk.ones((3,), device=DEVICE)
    assert isinstance(caught.value.__cause__, (TypeError, OverflowError))


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
def test_an_interrupt_passes(error):
    def interrupt(nbytes, stream):
        raise error

    live = sk.memory_statistics(DEVICE).live_bytes
    with allocator((interrupt, print)), pytest.raises(error):
        sk.ones((3,), device=DEVICE)
    assert sk.memory_statistics(DEVICE).live_bytes == live


def test_garbage_is_collected_before_out_of_memory(pool):
    def allocate(nbytes, stream):
        return None if pool.live else pool.allocate(nbytes, stream)

    with allocator((allocate, pool.free)):
        cycle = [sk.ones((10,), device=DEVICE)]
        cycle.append(cycle)
        del cycle
        x = sk.ones((20,), device=DEVICE)
        assert len(pool.live) == 1
        del x


@pytest.mark.parametrize("shift", [1, 8, 128])
def test_misaligned_memory_is_given_back(pool, shift):
    addresses, returned = [], []

    def allocate(nbytes, stream):
        addresses.append(pool.allocate(nbytes + 256, stream) + shift)
        return addresses[-1]

    def free(address, nbytes, stream):
        returned.append(address)
        pool.free(address - shift, nbytes + 256, stream)

    live = sk.memory_statistics(DEVICE).live_blocks
    with (
        allocator((allocate, free)),
        pytest.raises(ValueError, match=r"^ones: .* not a multiple of 256"),
    ):
        sk.ones((3,), device=DEVICE)
    assert len(addresses) == 1
    assert addresses == returned
    assert sk.memory_statistics(DEVICE).live_blocks == live + len(pool.blocks)


@pytest.mark.two_gpus
def test_memory_of_another_device_is_given_back():
    other = StreamOrderedPool("cuda:1")
    on_other = sk.Stream.from_handle("cuda:1", 1)
    with allocator(
        (
            lambda nbytes, stream: other.allocate(nbytes, on_other),
            lambda address, nbytes, stream: other.free(address, nbytes, on_other),
        )
    ):
        with pytest.raises(ValueError, match="memory of the device of CUDA ordinal 1"):
            sk.ones((3,), device=DEVICE)
        assert not other.live
    other.close()


def test_host_memory_is_given_back():
    host = np.empty(1 << 12, dtype=np.uint8)
    returned = []
    aligned = -(-host.ctypes.data // 256) * 256
    with (
        allocator((lambda nbytes, stream: aligned, lambda *block: returned.append(block[0]))),
        pytest.raises(ValueError, match="not memory of a CUDA device"),
    ):
        sk.ones((3,), device=DEVICE)
    assert returned == [aligned]


class Closer:
    """Frees arrays while an exception propagates."""

    def __init__(self, arrays):
        self.close = arrays.clear


def test_a_free_that_fails_is_reported_as_unraisable(pool, monkeypatch):
    reports = []
    monkeypatch.setattr(sys, "unraisablehook", reports.append)

    def free(address, nbytes, stream):
        pool.free(address, nbytes, stream)
        raise RuntimeError("lost")

    with allocator((pool.allocate, free)):
        arrays = [sk.ones((3,), device=DEVICE)]
        with pytest.raises(KeyError), contextlib.closing(Closer(arrays)):
            raise KeyError("kept")
    assert [str(report.exc_value) for report in reports] == ["lost"]


def test_arrays_of_the_allocator_itself_come_from_the_pool():
    arrays = {}

    def allocate(nbytes, stream):
        array = sk.empty((nbytes,), dtype=sk.uint8, device=DEVICE)
        arrays[address(array)] = array
        return address(array)

    with allocator((allocate, lambda address, nbytes, stream: arrays.pop(address))):
        x = sk.ones(
            (64,), device=DEVICE
        )  # a multiple of 256 bytes, which guarded memory aligns to 256
        assert set(arrays) == {address(x)}
        del x
        assert not arrays


def test_memory_is_allocated_and_freed_on_any_thread(pool):
    with allocator(pair(pool)):
        x = in_thread(lambda: sk.ones((100,), device=DEVICE))
        y = sk.ones((100,), device=DEVICE)
        arrays = [y]
        del y
        thread = threading.Thread(target=arrays.clear)
        thread.start()
        thread.join()
        assert set(pool.live) == {address(x)}
        del x
        assert not pool.live


def test_allocators_change_while_threads_allocate(pool):
    failures = []
    barrier = threading.Barrier(5)

    def allocate_many():
        try:
            barrier.wait()
            for n in range(60):
                x = sk.full((n + 1,), n, dtype=sk.int64, device=DEVICE)
                assert (x + 1)[n].item() == n + 1
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=allocate_many) for _ in range(4)]
    for thread in threads:
        thread.start()
    barrier.wait()
    while any(thread.is_alive() for thread in threads):
        sk.set_allocator(DEVICE, pair(pool))
        sk.set_allocator(DEVICE, None)
    for thread in threads:
        thread.join()
    assert not failures
    assert not pool.live


def program():
    stream = sk.Stream(DEVICE)
    x = sk.arange(64, dtype=sk.float32, device=DEVICE)
    with stream:
        y = sk.sort(x[::-1] * 3)
        total = sk.sum(y)
    z = sk.concat([x, y])[sk.concat([x, y]) > 5]
    return float(total), float(z[0])


def test_a_failure_of_every_call_loses_nothing(pool):
    expected = program()
    countdown = [0]

    def allocate(nbytes, stream):
        countdown[0] -= 1
        if countdown[0] < 0:  # also the attempts that follow
            raise RuntimeError("injected")
        return pool.allocate(nbytes, stream)

    gc.collect()
    gc.freeze()  # each failure collects garbage, which is slow with all of pytest's objects
    live = sk.memory_statistics(DEVICE).live_blocks - len(pool.blocks)
    try:
        with allocator((allocate, pool.free)):
            for k in range(100):
                countdown[0] = k
                try:
                    assert program() == expected
                    break
                except OutOfMemoryError as error:
                    message = str(error.__cause__)  # the exception would keep the program's arrays
                assert message == "injected"
                assert not pool.live, k
            else:
                pytest.fail("the program has more than 100 allocations")
        assert k > 5
        assert not pool.live
    finally:
        gc.unfreeze()
    assert sk.memory_statistics(DEVICE).live_blocks - len(pool.blocks) == live


@pytest.mark.skipif(HAS_GPU, reason="calls of rehearsed devices can be made to fail")
def test_a_failing_cuda_call_loses_nothing(pool):
    with allocator(pair(pool)):
        expected = program()
        for k in range(1, 40):
            with instruments.failing_cuda_call(k, 2), contextlib.suppress(OutOfMemoryError):
                assert program() == expected
            gc.collect()
            sk.synchronize(DEVICE)
            assert not pool.live, k


def test_cuda_core_resources(pool):
    with allocator(MemoryResource(pool)):
        x = sk.ones((10,), device=DEVICE)
        assert address(x) in pool.live
        assert (x + 1).tolist() == [2] * 10
        del x
        assert not pool.live


def check_library_allocator(value, pool, text):
    assert repr(value) == text
    stream = sk.Stream(DEVICE)
    with allocator(value):
        x = sk.ones((10,), device=DEVICE)
        assert pool.live[address(x)] == (x.nbytes, 1)
        with stream:
            y = x + 1
        assert pool.live[address(y)] == (y.nbytes, stream.handle)
        assert y.tolist() == [2] * 10
        del x, y
        assert not pool.live


def install(monkeypatch, modules):
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)


def test_rmm(pool, monkeypatch):
    modules = rmm_modules({sk.Device(DEVICE).info.physical_index: pool})
    install(monkeypatch, modules)
    check_library_allocator(sk.rmm(), pool, "rmm()")
    resource = modules["rmm.mr"].DeviceMemoryResource(pool)
    check_library_allocator(sk.rmm(resource), pool, f"rmm({resource!r})")
    with allocator(resource):
        x = sk.ones((10,), device=DEVICE)
        assert address(x) in pool.live
        del x


def test_torch(pool, monkeypatch):
    install(monkeypatch, {"torch": torch_module({sk.Device(DEVICE).info.physical_index: pool})})
    check_library_allocator(sk.torch_allocator(), pool, "torch_allocator()")


def test_cupy(pool, monkeypatch):
    module = cupy_module(pool)
    install(monkeypatch, {"cupy": module})
    check_library_allocator(sk.cupy_allocator(), pool, "cupy_allocator()")
    other = module.get_default_memory_pool()
    check_library_allocator(sk.cupy_allocator(other), pool, f"cupy_allocator({other!r})")


@pytest.mark.parametrize("function", [sk.rmm, sk.torch_allocator, sk.cupy_allocator])
def test_libraries_that_are_not_installed(function, monkeypatch):
    for name in ("rmm", "rmm.mr", "torch", "cupy"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ImportError):
        function()


@pytest.mark.parametrize("value", [1, "pool", (print,), (print, 1), (print, print, print), print])
def test_other_objects_are_rejected(value):
    with pytest.raises(TypeError, match=r"^set_allocator: allocator must be a pair of functions"):
        sk.set_allocator(DEVICE, value)


def test_devices_without_allocators():
    for value in (None, (print, print)):
        with pytest.raises(NotImplementedError, match="cpu:0 is not a CUDA device"):
            sk.set_allocator("cpu:0", value)
    with pytest.raises(sk.exceptions.DeviceUnavailableError):
        sk.set_allocator("cuda:40", None)


def run(code):
    environment = {**os.environ, "SKERRY_REHEARSE": "1"}
    environment.pop("SKERRY_CUDA_LOGICAL", None)
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=120
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.mark.skipif(HAS_GPU, reason="other processes would use the GPU")
def test_arrays_may_be_alive_at_exit():
    code = """
import os, warnings, skerry as sk
warnings.simplefilter("ignore", DeprecationWarning)  # Python 3.12: of a fork in a process with threads
functions = sk.cuda_allocator_functions()
def free(address, nbytes, stream):
    functions.deallocate(address, nbytes, stream)
sk.set_allocator("cuda:0", (functions.allocate, free))
x = sk.ones((10,), device="cuda:0")
child = os.fork()
if child == 0:
    del x
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
print(x[0].item())
"""
    assert run(code) == "1.0\n"


@pytest.mark.skipif(HAS_GPU, reason="only streams of rehearsed devices can be marked as captured")
def test_memory_is_not_freed_on_a_captured_stream(pool):
    """In a graph, each launch would free it again: it is freed after the capture."""
    stream = sk.Stream(DEVICE)
    handles = []

    def free(address, nbytes, stream):
        handles.append(stream.handle)
        pool.free(address, nbytes, stream)

    with allocator((pool.allocate, free)), stream:
        x = sk.ones((10,), device=DEVICE)
        graph = instruments.ForeignGraph(stream.handle)
        y = sk.ones((20,), device=DEVICE)
        address = x.__cuda_array_interface__["data"][0]
        del x
        assert address in pool.live
        graph.end_capture()
        sk.trim(DEVICE)
        assert address not in pool.live
        assert handles == [stream.handle]
        # The graph writes to this array in each launch.
        del y
        sk.trim(DEVICE)
        assert len(pool.live) == 1
        graph.launch(stream.handle)
        graph.destroy()
        stream.synchronize()
        sk.ones((30,), device=DEVICE)  # releases the memory of graphs that are gone
    sk.trim(DEVICE)
    assert not pool.live
