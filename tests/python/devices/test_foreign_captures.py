# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Another library captures a stream on which skerry works: its graph contains the work and keeps the memory."""

import contextlib

import pytest
import skerry as sk
from skerry.exceptions import DeviceError, OutOfMemoryError
from skerry.testing import instruments

from tests.python.devices.live_bytes import live_bytes
from tests.python.session import HAS_GPU

pytestmark = pytest.mark.skipif(HAS_GPU, reason="a test captures a stream of a rehearsed device")


@pytest.fixture
def stream():
    return sk.Stream("cuda:0")


@contextlib.contextmanager
def captured(stream):
    """Capture the body's work on the stream, as another library does; it destroys the graph at the end of the test."""
    graph = instruments.ForeignGraph(stream.handle)
    with sk.stream(stream):
        try:
            yield graph
        finally:
            graph.end_capture()


def test_work_runs_in_each_launch_only(x, stream):
    with captured(stream) as graph:
        x += 1
    assert x.tolist() == [0, 1, 2, 3]
    with sk.stream(stream):  # skerry does not see the launches
        graph.launch(stream.handle)
        graph.launch(stream.handle)
        assert x.tolist() == [2, 3, 4, 5]
    graph.destroy()


def test_new_arrays_and_temporaries_belong_to_the_graph(x, stream):
    old = live_bytes()
    with captured(stream) as graph:
        y = sk.sort((x + 1) * 2)
    del y
    assert live_bytes() > old
    with captured(stream) as other:
        y = sk.sqrt(x * x) - 1
    for _ in range(20):
        others = [sk.full(4, -1.0, device="cuda:0") for _ in range(20)]
        with sk.stream(stream):
            others += [sk.full(4, -1.0, device="cuda:0") for _ in range(20)]
        graph.launch(stream.handle)
        other.launch(stream.handle)
        stream.synchronize()
        assert all(one.tolist() == [-1] * 4 for one in others)
    assert y.tolist() == [-1, 0, 1, 2]
    graph.destroy()
    other.destroy()
    del y, others
    assert live_bytes() == old


def test_memory_is_kept_while_a_destroyed_graph_runs(x, stream):
    old = live_bytes()
    with captured(stream) as graph:
        x * 2
    with instruments.delayed_work(0.02):
        graph.launch(stream.handle)
        graph.destroy()
        assert live_bytes() > old
    stream.synchronize()
    assert live_bytes() == old


def test_earlier_work_on_other_streams_is_done_before(x, stream):
    other = sk.Stream("cuda:0")
    with instruments.delayed_work(0.02), sk.stream(other):
        x += 5
    with captured(stream) as graph:
        y = x + 1
    graph.launch(stream.handle)
    assert y.tolist() == [6, 7, 8, 9]
    graph.destroy()


def test_copies_on_and_between_devices(x, stream):
    elsewhere = sk.asarray([5.0, 6.0, 7.0, 8.0], device="cuda:1")
    with captured(stream) as graph:
        y = sk.asarray(x, copy=True) + elsewhere.to_device("cuda:0")
    graph.launch(stream.handle)
    assert y.tolist() == [5, 7, 9, 11]
    graph.destroy()


@pytest.mark.not_guarded("freeing guarded memory waits for its device, which ends a capture")
def test_waits_raise(x, stream):
    calls = [
        lambda: x.tolist(),
        lambda: sk.asarray([1.0], device="cuda:0"),
        lambda: sk.nonzero(x),
        lambda: float(x[0]),
    ]
    with captured(stream) as graph:
        for call in calls:
            with pytest.raises(ValueError, match="is being captured into a graph"):
                call()
        y = x + 1
    graph.launch(stream.handle)
    assert y.tolist() == [1, 2, 3, 4]
    graph.destroy()


@pytest.mark.not_guarded("freeing guarded memory waits for its device, which ends a capture")
def test_random_numbers_raise(x, stream):
    rng = sk.random.default_rng(7, device="cuda:0")
    with captured(stream) as graph:
        with pytest.raises(ValueError, match="is being captured into a graph"):
            rng.random(4)
        y = x + 1
    graph.launch(stream.handle)
    assert y.tolist() == [1, 2, 3, 4]
    assert rng.random(4).tolist() == sk.random.default_rng(7, device="cuda:0").random(4).tolist()
    graph.destroy()


@pytest.mark.not_guarded("freeing guarded memory waits for its device, which ends a capture")
def test_a_replay_leaves_nothing_in_the_graph(x, stream):
    inner = sk.capture(lambda a: a + 1, x)
    assert inner(x).tolist() == [1, 2, 3, 4]
    with captured(stream) as graph:
        with pytest.raises(ValueError, match="is being captured into a graph"):
            inner(x + 10)
        y = x + 1
    other = inner(sk.asarray([5.0, 6, 7, 8], device="cuda:0"))
    graph.launch(stream.handle)
    assert y.tolist() == [1, 2, 3, 4]
    assert other.tolist() == [6, 7, 8, 9]
    assert inner(sk.zeros_like(x)).tolist() == [1, 1, 1, 1]
    graph.destroy()


@pytest.mark.not_guarded("freeing guarded memory waits for its device, which ends a capture")
def test_captured_work_cannot_be_waited_for(x, stream):
    with captured(stream) as graph:
        y = x + 1
        with sk.stream(sk.Stream("cuda:0")), pytest.raises(ValueError, match="end the capture"):
            y + 1
    graph.launch(stream.handle)
    with sk.stream(sk.Stream("cuda:0")):
        assert (y + 1).tolist() == [2, 3, 4, 5]
    graph.destroy()


def captured_values(x, stream, k=0, status=1):
    """Capture while the k-th call fails, and run the graph. Return the values, or None after an error of the call."""
    sk.trim("cuda:0")
    graph = instruments.ForeignGraph(stream.handle)
    y = None
    errors = contextlib.suppress(DeviceError, OutOfMemoryError)
    with instruments.failing_cuda_call(k, status) as fault, errors, sk.stream(stream):
        y = sk.sort(x * 2) + sk.zeros(300_000, device="cuda:0")[:4]
    try:
        graph.end_capture()
    except RuntimeError:
        # After a failed call skerry may wait for the device, which makes the capture invalid.
        assert k != 0
        return fault.was_met, None
    graph.launch(stream.handle)
    graph.destroy()
    stream.synchronize()
    return fault.was_met, None if y is None else y.tolist()


@pytest.mark.slow
@pytest.mark.parametrize("status", [1, 2])
def test_every_call_that_fails_raises_and_loses_nothing(x, stream, status):
    assert captured_values(x, stream) == (True, [0, 2, 4, 6])
    old = live_bytes()
    k, was_met = 0, True
    while was_met:
        k += 1
        was_met, values = captured_values(x, stream, k, status)
        assert values in (None, [0, 2, 4, 6])
        assert live_bytes() == old
        assert captured_values(x, stream)[1] == [0, 2, 4, 6]
    assert k > 10
