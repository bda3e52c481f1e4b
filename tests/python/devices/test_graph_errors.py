# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""``skerry.capture``: what is rejected, and that everything is as before afterwards."""

import contextlib
import copy
import inspect
import pickle
import subprocess
import sys

import numpy as np
import pytest
import skerry as sk
from skerry.exceptions import (
    DeviceError,
    DeviceMismatchError,
    DTypeError,
    GuardError,
    OutOfMemoryError,
)
from skerry.testing import instruments

from tests.python.devices.live_bytes import live_bytes
from tests.python.session import HAS_GPU

needs_rehearsal = pytest.mark.skipif(HAS_GPU, reason="failures are injected into rehearsed devices")


@pytest.fixture(autouse=True)
def everything_is_as_before(x):
    """No test leaves a capture, another stream or memory behind."""
    old_stream, old_bytes = sk.current_stream("cuda:0"), live_bytes()
    yield
    assert sk.current_stream("cuda:0") == old_stream
    assert sk.capture(lambda x: x + 1, x)(x).tolist() == [1, 2, 3, 4]
    assert live_bytes() == old_bytes


WAITS = {
    "item": lambda x: x[0].item(),
    "bool": lambda x: bool(x[1]),
    "tolist": lambda x: x.tolist(),
    "to_numpy": lambda x: x.to_numpy(),
    "to_device": lambda x: x.to_device("cpu"),
    "mask": lambda x: x[x > 1],
    "nonzero": sk.nonzero,
    "unique_values": sk.unique_values,
    "asarray": lambda x: x + sk.asarray([1.0, 2.0, 3.0, 4.0], device=x.device),
    "numpy": lambda x: sk.asarray(np.ones(4), device=x.device),
    "synchronize": lambda x: sk.synchronize(x.device),
    "stream.synchronize": lambda x: sk.current_stream(x.device).synchronize(),
    "dlpack": lambda x: sk.from_dlpack(x, device="cpu"),
}


@pytest.mark.parametrize("name", WAITS)
def test_waits_and_copies_from_and_to_the_host(x, name):
    def function(x):
        y = x + 1
        return WAITS[name](y)  # the line

    with pytest.raises(GuardError, match="captured function") as raised:
        sk.capture(function, x)
    lines = [entry.lineno for entry in raised.traceback if entry.name == "function"]
    first = inspect.getsourcelines(function)[1]
    assert lines == [first + 1]  # counted from 0


@pytest.mark.not_guarded("freeing guarded memory waits for its device")
def test_a_guard_sees_the_capture(x):
    with sk.guard() as ledger, pytest.raises(GuardError):
        sk.capture(lambda x: x.tolist(), x)
    assert ledger.entries == []


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt, GeneratorExit])
def test_an_exception_midway(x, error):
    y = x * 1

    def function(x):
        y.__iadd__(x * 2)
        raise error("midway")

    with pytest.raises(error, match="midway"):
        sk.capture(function, x)
    assert y.tolist() == [0, 1, 2, 3]


def other_stream(x):
    with sk.Stream(x.device):
        return x + 1


REJECTED = {
    "nested": (lambda x: sk.capture(lambda: 1), "another capture"),
    "stream": (other_stream, "another stream"),
    "ipc": (lambda x: sk.ipc_handle(x), "memory of several processes"),
    "event": (lambda x: sk.Event(x.device).record(), "event"),
    "idle": (lambda x: sk.current_stream(x.device).idle, "query"),
    "written": (lambda x: x.__iadd__(1), "writes to argument 0"),
    "view": (lambda x: x[1:].__setitem__(0, 1), "writes to argument 0"),
    "result": (lambda x: {"a": [sk.ones(3, device="cpu")]}, r"the result\['a'\]\[0\] is on cpu"),
}


@pytest.mark.parametrize("name", REJECTED)
def test_what_a_graph_cannot_contain(x, name):
    function, text = REJECTED[name]
    with pytest.raises(ValueError, match=text):
        sk.capture(function, x)


def test_a_replay_in_a_capture(x):
    graph = sk.capture(lambda x: x + 1, x)
    with pytest.raises(ValueError, match="replay of a graph"):
        sk.capture(lambda x: graph(x), x)
    assert graph(x).tolist() == [1, 2, 3, 4]


def test_fused_functions_neither_capture_nor_replay(x):
    graph = sk.capture(lambda x: x + 1, x)
    with pytest.raises(ValueError, match="can't replay"):
        sk.fuse(lambda x: graph(x))(x)
    with pytest.raises(ValueError, match="can't capture"):
        sk.fuse(lambda x: sk.capture(lambda x: x + 1, x))(x)


def test_devices_of_the_cpu():
    with pytest.raises(ValueError, match="cpu:0 can't be captured"):
        sk.capture(lambda x: x + 1, sk.ones(3, device="cpu"))
    with pytest.raises(DeviceMismatchError, match="one kind"):
        sk.capture(lambda x, y: x, sk.ones(3, device="cuda:0"), sk.ones(3, device="cpu"))


@pytest.mark.parametrize("function", [3, None, "f"])
def test_what_is_not_callable(function):
    with pytest.raises(TypeError, match="capture: function must be callable"):
        sk.capture(function)


def test_bodies_that_run_later(x):
    def generator(x):
        yield x

    async def coroutine(x):
        return x

    for function in (generator, coroutine):
        with pytest.raises(TypeError, match="runs after the call"):
            sk.capture(function, x)


def wrong_arguments(x):
    return [
        ((), {}, TypeError, "argument 0 is missing"),
        ((x, x), {}, TypeError, "argument 1 was not captured"),
        ((x,), {"k": 1}, TypeError, "argument k was not captured"),
        ((3.0,), {}, TypeError, "argument 0 must be a value of type Array.* not .* float"),
        ((x[1:],), {}, ValueError, r"argument 0 .*\(3,\).*\(4,\)"),
        ((sk.astype(x, sk.int64),), {}, DTypeError, "argument 0 .*int64.*float64"),
        ((x.to_device("cuda:1"),), {}, DeviceMismatchError, "argument 0 .*cuda:1.*cuda:0"),
        ((x.to_device("cpu"),), {}, DeviceMismatchError, "argument 0 .*cpu:0.*cuda:0"),
    ]


@pytest.mark.parametrize("case", range(8))
def test_arguments_unlike_those_of_the_capture(x, case):
    graph = sk.capture(lambda x: x + 1, x)
    result = graph(x)
    args, kwargs, error, text = wrong_arguments(x)[case]
    with pytest.raises(error, match=text):
        graph(*args, **kwargs)
    assert result.tolist() == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("captured", "other"), [(3, 4), (3, 3.0), ("a", "b"), (None, 0), ([1], [2])]
)
def test_values_unlike_those_of_the_capture(x, captured, other):
    graph = sk.capture(lambda x, scale: x + 1, x, scale=captured)
    graph(x, scale=captured)
    with pytest.raises(ValueError, match="argument scale"):
        graph(x, scale=other)


def test_values_are_equal_or_the_same_object(x):
    graph = sk.capture(lambda x, *_: x + 1, x, float("1.5"), np.float32(2), object)
    assert graph(x, 1.5, np.float32(2), object).tolist() == [1, 2, 3, 4]


def test_graphs_are_neither_pickled_nor_copied(x):
    graph = sk.capture(lambda x: x + 1, x)
    for function in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="pickled or copied"):
            function(graph)
    with pytest.raises(TypeError, match=r"skerry\.capture"):
        sk.Graph()


@needs_rehearsal
def test_devices_that_were_not_in_use_take_no_part():
    code = """
import skerry as sk
sk.rehearse(cuda=2)
x = sk.ones(3, device="cuda:0")
try:
    sk.capture(lambda x: x.to_device("cuda:1"), x)
except ValueError as error:
    print(error)
sk.zeros(3, device="cuda:1")
print(sk.capture(lambda x: x.to_device("cuda:1"), x)(x).tolist())
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "cuda:1 takes no part in the capture" in done.stdout
    assert "[1.0, 1.0, 1.0]" in done.stdout


def program(x, y):
    """Capture and replay, with all kinds of calls; return the values, or raise an error of the failing call."""
    graph = sk.capture(
        lambda x: (sk.sort(x * 2).to_device("cuda:1") + y, sk.take(x, sk.astype(x, sk.int64))), x
    )
    graph(x)
    return [value.tolist() for value in graph(x + 0)]


@needs_rehearsal
@pytest.mark.slow
@pytest.mark.parametrize("status", [1, 2, 901])
def test_every_call_that_fails_raises_and_loses_nothing(x, status):
    y = x.to_device("cuda:1")
    expected = program(x, y)
    old = [live_bytes(device) for device in ("cuda:0", "cuda:1")]
    met = True
    k = 0
    while met:
        k += 1
        raised = contextlib.suppress(DeviceError, OutOfMemoryError)
        with instruments.failing_cuda_call(k, status) as fault, raised:
            assert program(x, y) == expected
        met = fault.was_met
        assert [live_bytes(device) for device in ("cuda:0", "cuda:1")] == old
        assert program(x, y) == expected
    assert k > 20


@needs_rehearsal
def test_memory_that_runs_out_in_a_capture(x):
    old = live_bytes()
    sk.set_memory_limit("cuda:0", old + (1 << 20))
    try:
        with pytest.raises(OutOfMemoryError):
            sk.capture(lambda x: sk.zeros(1 << 20, device="cuda:0"), x)
    finally:
        sk.set_memory_limit("cuda:0", None)
