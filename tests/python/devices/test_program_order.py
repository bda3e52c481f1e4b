# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Uses of an array take effect in program order, on any streams.

Tasks are delayed, so that a read that runs too early returns the old values. ``tests/fuzz/programs.py`` runs random
programs.
"""

import copy
import pathlib
import pickle
import re
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
import skerry as sk
from skerry.testing import count_cuda_calls, instruments

from tests.python.devices.threads import in_thread
from tests.python.session import HAS_GPU

pytestmark = pytest.mark.skipif(HAS_GPU, reason="only rehearsed devices can be delayed")

ORDERING = {"event_record", "stream_wait_event", "event_create", "event_synchronize"}
ROOT = pathlib.Path(__file__).resolve().parents[3]


def pending_array(device, *, dtype=sk.float64):
    """Returns an array of 7 that another stream is about to overwrite with 0, 1, 2, 3."""
    values = sk.arange(4, dtype=dtype, device=device)
    x = sk.full((4,), 7, dtype=dtype, device=device)
    sk.synchronize(device)
    with sk.Stream(device):
        x[...] = values
    return x


def pickled(x, protocol):
    buffers = []
    data = pickle.dumps(x, protocol, buffer_callback=buffers.append if protocol == 5 else None)
    return pickle.loads(data, buffers=buffers).tolist()


OTHER = {"cuda:0": "cuda:1", "cuda:1": "cuda:0"}
READS = {
    "item": lambda x: [x[i].item() for i in range(4)],
    "float": lambda x: [float(x[i]) for i in range(4)],
    "int": lambda x: [int(x[i]) for i in range(4)],
    "tolist": lambda x: x.tolist(),
    "repr": lambda x: eval(re.search(r"\[.*\]", repr(x))[0]),
    "str": lambda x: eval(re.search(r"\[.*\]", str(x))[0]),
    "to cpu": lambda x: x.to_device("cpu:0").tolist(),
    "to cpu, strided": lambda x: x[::-1].to_device("cpu:0")[::-1].tolist(),
    "to cpu on a stream": lambda x: x.to_device("cpu:0", stream=sk.Stream(x.device)).tolist(),
    "to another device": lambda x: x.to_device(OTHER[str(x.device)]).tolist(),
    "to another device and back": lambda x: x.to_device(OTHER[str(x.device)]).to_device(x.device).tolist(),
    "to another device, strided": lambda x: x[::-1].to_device(OTHER[str(x.device)])[::-1].tolist(),
    "pickle 4": lambda x: pickled(x, 4),
    "pickle 5": lambda x: pickled(x, 5),
    "copy": lambda x: x.copy().tolist(),
    "deepcopy": lambda x: copy.deepcopy(x).tolist(),
    "np.from_dlpack": lambda x: np.from_dlpack(x, device="cpu").tolist(),
    "iteration": lambda x: [float(element) for element in x],
    "bool": lambda x: [float(i) for i in range(4)] if not bool(x[0]) and bool(x[3]) else None,
    "addition": lambda x: (x + 0).tolist(),
    "sum": lambda x: x.tolist() if float(sk.sum(x)) == 6.0 else None,
    "max": lambda x: x.tolist() if float(sk.max(x)) == 3.0 else None,
    "matmul": lambda x: x.tolist() if float(x @ x) == 14.0 else None,
    "sort": lambda x: sk.sort(x).tolist(),
    "cumulative_sum": lambda x: sk.diff(sk.cumulative_sum(x), prepend=sk.zeros((1,), device=x.device)).tolist(),
    "take": lambda x: sk.take(x, sk.arange(4, device=x.device)).tolist(),
    "as an index": lambda x: sk.arange(4.0, device=x.device)[sk.astype(x, sk.int64)].tolist(),
    "as a mask": lambda x: [0.0, *sk.arange(4.0, device=x.device)[x > 0].tolist()],
    "unique_values": lambda x: sk.unique_values(x).tolist(),
    "linalg": lambda x: x.tolist() if abs(float(sk.linalg.vector_norm(x)) - 14**0.5) < 1e-12 else None,
    "fft": lambda x: sk.real(sk.fft.ifft(sk.fft.fft(x))).tolist(),
    "concat": lambda x: sk.concat([x, x])[4:].tolist(),
    "from_dlpack": lambda x: sk.from_dlpack(x).tolist(),
    "as_cuda_array": lambda x: sk.as_cuda_array(x).tolist(),
    "a view": lambda x: [*x[:2].tolist(), *x[2:].tolist()],
    "another thread": lambda x: in_thread(lambda: x.tolist()),
}  # fmt: skip


def test_item_waits_for_matmul_on_another_stream():
    s = sk.Stream("cuda:0")
    a = sk.ones((600, 600), device="cuda:0")
    sk.synchronize("cuda:0")
    with sk.stream(s):
        b = a @ a
    assert float(b[5, 5]) == 600.0


@pytest.mark.parametrize("name", READS)
def test_reads_follow_a_write_on_another_stream(slow, cuda_device, name):
    assert READS[name](pending_array(cuda_device)) == pytest.approx([0.0, 1.0, 2.0, 3.0], abs=1e-12)


@pytest.mark.parametrize("name", READS)
def test_reads_on_a_third_stream_follow_the_write(slow, cuda_device, name):
    x = pending_array(cuda_device)
    with sk.Stream(cuda_device):
        assert READS[name](x) == pytest.approx([0.0, 1.0, 2.0, 3.0], abs=1e-12)


def test_consumer_streams_wait_for_exported_arrays(slow, cuda_device):
    """Both DLPack's stream and the legacy stream of the CUDA array interface wait, though the current stream is idle."""
    x = pending_array(cuda_device)
    consumers = sk.Stream(cuda_device)
    x.__dlpack__(stream=consumers.handle, max_version=(1, 0))
    consumers.synchronize()
    instruments.delay_work(0)
    assert sk.from_cuda_array_interface(
        x.__cuda_array_interface__, owner=x, sync=False
    ).tolist() == [0, 1, 2, 3]
    x = pending_array(cuda_device)
    assert x.__cuda_array_interface__["stream"] == 1
    sk.Stream.from_handle(cuda_device, 1).synchronize()
    about = x.__cuda_array_interface__
    assert sk.from_cuda_array_interface(about, owner=x, sync=False).tolist() == [0, 1, 2, 3]


WRITES = {
    "in place": lambda x: x.__iadd__(100),
    "assignment": lambda x: x.__setitem__(Ellipsis, 100),
    "part": lambda x: x.__setitem__(slice(1, None), 100),
    "scatter": lambda x: x.__setitem__(sk.asarray([0, 1, 2, 3], device=x.device), 100),
    "mask": lambda x: x.__setitem__(x < 50, 100),
    "view": lambda x: x[::-1].__iadd__(100),
    "alias": lambda x: sk.from_dlpack(x).__iadd__(100),
}


@pytest.mark.parametrize("name", WRITES)
def test_writes_follow_reads_on_other_streams(slow, cuda_device, name):
    x = sk.arange(4, device=cuda_device)
    sk.synchronize(cuda_device)
    with sk.Stream(cuda_device):
        sums = x + 0
    with sk.Stream(OTHER[cuda_device]):
        moved = x.to_device(OTHER[cuda_device])
    instruments.delay_work(0)
    WRITES[name](x)
    assert sums.tolist() == [0, 1, 2, 3]
    assert moved.tolist() == [0, 1, 2, 3]
    assert x.tolist() != [0, 1, 2, 3]


def test_upload_follows_a_read_on_another_stream(slow, cuda_device):
    x = sk.zeros((4,), device=cuda_device)
    sk.synchronize(cuda_device)
    with sk.Stream(cuda_device):
        y = x + 0
    instruments.delay_work(0)
    x[...] = sk.asarray(np.arange(4.0), device=cuda_device)
    assert y.tolist() == [0.0] * 4
    assert x.tolist() == [0.0, 1.0, 2.0, 3.0]


def test_deferred_index_error_is_raised_on_another_stream(slow, cuda_device):
    x = sk.arange(4, device=cuda_device)
    index = sk.asarray([9], device=cuda_device)
    with sk.Stream(cuda_device):
        y = x[index]
    with pytest.raises(IndexError, match="index 9 is out of bounds"):
        y.tolist()


def test_memory_in_use_by_a_stream_is_not_reused(slow, cuda_device):
    x = sk.arange(4, device=cuda_device)
    sk.synchronize(cuda_device)
    with sk.Stream(cuda_device):
        y = x + 0
    del x
    instruments.delay_work(0)
    others = [sk.full((4,), 9, device=cuda_device) for _ in range(4)]
    assert y.tolist() == [0, 1, 2, 3]
    assert all(array.tolist() == [9] * 4 for array in others)


def test_arrays_passed_between_threads_are_ordered(slow, cuda_device):
    x = in_thread(lambda: pending_array(cuda_device))
    with sk.Stream(cuda_device):
        y = in_thread(lambda: x * 2)
    assert (y + x).tolist() == [0.0, 3.0, 6.0, 9.0]


@pytest.mark.parametrize("stream", ["default", "own"])
def test_one_stream_needs_no_ordering_calls(cuda_device, stream):
    work_stream = sk.current_stream(cuda_device) if stream == "default" else sk.Stream(cuda_device)
    with work_stream:
        x = sk.arange(1000, dtype=sk.float64, device=cuda_device)
        y = x + x
        sk.synchronize(cuda_device)
        with count_cuda_calls() as calls:
            for _ in range(3):
                y = y + x
                y += 1
                y[1:] = x[:-1]
            float(sk.sum(y))
            y += 1
            work_stream.synchronize()
            y += 1
    # The copy to the host in float() records the only event.
    assert calls.get("event_record", 0) == 1
    assert not {"stream_wait_event", "event_create"} & calls.keys()


def test_alternating_streams_reuse_events(cuda_device):
    streams = [sk.Stream(cuda_device) for _ in range(3)]
    x = sk.ones((100,), device=cuda_device)

    def turn():
        for stream in streams:
            with stream:
                x.__iadd__(1)

    for _ in range(20):
        turn()
    with count_cuda_calls() as calls:
        for _ in range(100):
            turn()
    assert calls["stream_wait_event"] == 300
    assert calls.get("event_create", 0) <= 3
    assert not calls.keys() & {
        "event_synchronize",
        "stream_synchronize",
        "device_synchronize",
        "allocate_async",
    }
    assert x.tolist() == [361.0] * 100


def elapsed(work):
    began = time.monotonic()
    work()
    return time.monotonic() - began


def test_independent_work_runs_concurrently(cuda_device):
    arrays = [sk.ones((4,), device=cuda_device) for _ in range(4)]
    streams = [sk.Stream(cuda_device) for _ in range(3)]
    sk.synchronize(cuda_device)

    def work():
        arrays[0].__iadd__(1)
        for stream, x in zip(streams, arrays[1:], strict=True):
            with stream:
                x.__iadd__(1)
        sk.synchronize(cuda_device)

    with instruments.delayed_work(0.1):
        seconds = elapsed(work)
    assert 0.1 <= seconds < 0.3, "four tasks of 0.1 s"
    assert all(x.tolist() == [2.0] * 4 for x in arrays)


def test_reads_of_one_array_run_concurrently(cuda_device):
    x = sk.ones((4,), device=cuda_device)
    streams = [sk.Stream(cuda_device) for _ in range(4)]
    sk.synchronize(cuda_device)
    results = []

    def work():
        for stream in streams:
            with stream:
                results.append(x + 1)
        sk.synchronize(cuda_device)

    with instruments.delayed_work(0.2):
        assert 0.2 <= elapsed(work) < 0.6
    assert all(result.tolist() == [2.0] * 4 for result in results)


def test_arrays_do_not_remember_destroyed_streams(cuda_device):
    """After reads on thousands of streams, a write waits only for those that still exist."""
    x = sk.ones((4,), device=cuda_device)
    for _ in range(2000):
        with sk.Stream(cuda_device):
            x + 1
    with count_cuda_calls() as calls:
        x += 1
    # Waits remain for streams whose work is not complete, which may be many on a busy machine.
    assert calls.get("stream_wait_event", 0) < 500
    assert x.tolist() == [2.0] * 4


# Events and stream contexts.


def test_event_elapsed_is_in_seconds(cuda_device):
    start, end = sk.Event(cuda_device), sk.Event(cuda_device)
    x = sk.ones((4,), device=cuda_device)
    sk.synchronize(cuda_device)
    with instruments.delayed_work(0.03):
        start.record()
        for _ in range(2):
            x += 1
        end.record()
    with pytest.raises(ValueError, match=r"not done.*synchronize"):
        start.elapsed(end)
    end.synchronize()
    assert 0.06 <= start.elapsed(end) < 5
    assert end.elapsed(start) == -start.elapsed(end)


def test_events_record_on_the_given_or_current_stream(slow, cuda_device):
    stream = sk.Stream(cuda_device)
    x = sk.ones((4,), device=cuda_device)
    explicit, current, other = (sk.Event(cuda_device) for _ in range(3))
    with stream:
        x += 1
        current.record()
    explicit.record(stream)
    sk.Event(cuda_device).record(stream.handle)
    with sk.Stream(cuda_device):
        other.record()
    assert not explicit.done
    assert not current.done
    stream.synchronize()
    assert explicit.done
    assert current.done
    other.synchronize()
    waiting = sk.Stream(cuda_device)
    with waiting:
        explicit.wait()
    waiting.synchronize()


def test_event_elapsed_needs_recorded_events_of_one_device(cuda_device):
    done = sk.Event(cuda_device)
    done.record()
    done.synchronize()
    with pytest.raises(ValueError, match=r"the end of .* was never recorded"):
        done.elapsed(sk.Event(cuda_device))
    with pytest.raises(ValueError, match=r"the start of .* was never recorded"):
        sk.Event(cuda_device).elapsed(done)
    for device in (OTHER[cuda_device], "cpu:0"):
        other = sk.Event(device)
        other.record()
        with pytest.raises(sk.exceptions.DeviceMismatchError, match="two events of one device"):
            done.elapsed(other)
        with pytest.raises(sk.exceptions.DeviceMismatchError, match="of its own device"):
            sk.Event(device).record(sk.Stream(cuda_device))


def test_events_on_cpu_devices():
    start, end = sk.Event("cpu:0"), sk.Event("cpu:0")
    start.record()
    time.sleep(0.01)
    end.record(sk.current_stream("cpu:0"))
    assert end.done
    end.synchronize()
    assert 0.01 <= start.elapsed(end) < 5


def current(device):
    return sk.current_stream(device)


def test_stream_contexts_nest(cuda_device):
    first, second, default = sk.Stream(cuda_device), sk.Stream(cuda_device), current(cuda_device)
    with first as entered:
        assert entered is first
        with second, sk.Stream(OTHER[cuda_device]) as elsewhere:
            assert current(cuda_device) == second
            assert current(OTHER[cuda_device]) == elsewhere
            with first, sk.stream(first):
                assert current(cuda_device) == first
            assert current(cuda_device) == second
        assert current(cuda_device) == first
        assert current(OTHER[cuda_device]).handle == 1
        assert in_thread(lambda: current(cuda_device)) == default
    assert current(cuda_device) == default


def test_stream_context_is_exited_on_error(cuda_device):
    with pytest.raises(ZeroDivisionError), sk.Stream(cuda_device):
        raise ZeroDivisionError
    assert current(cuda_device).handle == 1


def test_threads_can_share_a_stream_context(cuda_device):
    stream, scope = sk.Stream(cuda_device), sk.stream(sk.Stream(cuda_device))
    barrier = threading.Barrier(4)

    def work():
        for manager in (stream, scope):
            with manager:
                barrier.wait()
                inside = current(cuda_device).handle
                barrier.wait()
            assert current(cuda_device).handle == 1
        return inside

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not barrier.broken


def test_stream_exit_without_enter_raises(cuda_device):
    stream = sk.Stream(cuda_device)
    with pytest.raises(ValueError, match="this thread has not entered this stream of"):
        stream.__exit__(None, None, None)
    with current("cpu:0") as cpu:
        assert cpu.device == sk.Device("cpu:0")


def test_per_thread_stream_is_ordered(slow, cuda_device):
    x = pending_array(cuda_device)
    with sk.stream(2, device=cuda_device):
        y = x + 1
    with sk.Stream(cuda_device):
        assert (y + x).tolist() == [1.0, 3.0, 5.0, 7.0]


# Random programs.


def programs(*options):
    return subprocess.run(
        [sys.executable, "-m", "tests.fuzz.programs", *options],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=3000,
        check=False,
    )


@pytest.mark.slow
def test_random_stream_programs_equal_sequential_ones():
    done = programs("--count", "400")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "400 programs" in done.stdout
    print(done.stdout)


def test_random_stream_program_can_be_printed():
    done = programs("--count", "1", "--seed", "5", "--start", "3", "--show")
    assert done.returncode == 0
    first, second = done.stdout.split("SKERRY_SYNC=0:\n")
    assert first.removeprefix("SKERRY_SYNC=1:\n") == second


#: Test modules that together cover every family of kernels.
FAMILIES = [
    "advanced_indexing", "creation", "fft", "in_place", "joining", "linalg", "linalg_products", "matmul", "reductions",
    "scan", "searchsorted", "sets", "sorting", "statistics", "take", "transfers", "views_and_indexing",
]  # fmt: skip


@pytest.mark.slow
def test_operations_declare_their_reads_and_writes():
    """The tests of operations pass when each line runs on another stream."""
    files = [next(ROOT.glob(f"tests/python/*/test_{name}.py")) for name in FAMILIES]
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-x",
        "-p",
        "tests.python.devices.rotating_streams",
        "-p",
        "no:cacheprovider",
    ]
    done = subprocess.run(
        [*command, "-k", "cuda and not cuda:1", *files],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-5000:]
