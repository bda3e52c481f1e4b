# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""``skerry.profile``: which calls are recorded, and with what."""

import asyncio
import contextvars
import inspect
import itertools
import json
import subprocess
import sys
import threading
import types

import numpy as np
import pytest
import skerry as sk


@pytest.fixture(params=["cpu:0", "cuda:0"])
def x(request):
    return sk.reshape(sk.arange(20_000, dtype=sk.float32, device=request.param), (100, 200))


def functions(profile):
    return [record.function for record in profile.records]


def test_a_record_of_each_call(x):
    with sk.profile() as profile:
        line = inspect.currentframe().f_lineno + 1
        y = sk.sqrt(x)
    (record,) = profile.records
    assert record.function == "sqrt"
    assert (record.filename, record.line) == (__file__, line)
    assert (record.dtype, record.shape, record.device) == ("float32", (100, 200), str(y.device))
    assert record.nbytes == 160_000
    assert (record.stream != 0) == (y.device != sk.Device("cpu"))
    assert record.host_seconds > 0
    assert record.device_seconds > 0
    assert record.thread == threading.get_ident()
    assert not record.failed


def test_kinds_of_calls(x):
    median = sk.median  # imported before
    with sk.profile() as profile:
        y = x + x
        y -= 1
        -y
        y < x  # noqa: B015
        y[0]
        y[0, :2] = 3
        y.sum(axis=0)
        sk.max(y)
        sk.sort(y)
        sk.where(y > 0, y, x)
        sk.concat([y, x])
        sk.zeros(3, device=x.device)
        y @ x.T
        median(y)
        y.to_device("cpu")
        sk.linalg.trace(y)
    assert functions(profile) == [
        "add", "subtract", "negative", "comparison", "getitem", "setitem", "sum", "max", "sort",
        "comparison", "where", "concat", "zeros", "matmul", "median", "to_device", "trace",
    ]  # fmt: skip
    assert {record.device for record in profile.records} == {str(x.device)}


def test_bytes(x):
    out = sk.empty_like(x)
    row = x[0]
    with sk.profile() as profile:
        x + row
        sk.add(x, x, out=out)
        out += row
        x.T  # an attribute
        sk.reshape(x, (200, 100))
        x[1:]
        sk.sum(x)
    nbytes = {record.function: record.nbytes for record in profile.records}
    assert [record.nbytes for record in profile.records[:3]] == [160_800, 160_000, 160_800]
    assert nbytes["reshape"] == nbytes["getitem"] == 0
    assert nbytes["sum"] == 80_004


def test_nothing_is_recorded_outside(x):
    profile = sk.profile()
    assert profile.records == []
    with profile:
        pass
    x + x
    assert profile.records == []
    assert profile.ledger == []


def test_calls_make_no_events_without_a_profile():
    x = sk.ones(10, device="cuda:0")
    with sk.profile():
        x + x
    with sk.testing.count_cuda_calls() as outside:
        x + x
    with sk.profile(), sk.testing.count_cuda_calls() as inside:
        x + x
    assert "event_create_timed" not in outside
    assert inside["event_create_timed"] == inside["event_record"] == 2


def test_a_failed_call_is_recorded(x):
    seven = sk.ones(7, device=x.device)
    with sk.profile() as profile, pytest.raises(ValueError, match="add"):
        x + seven
    assert [(record.function, record.failed) for record in profile.records] == [("add", True)]


def test_iteration(x):
    with sk.profile() as profile:
        for _ in x[:3]:
            pass
    assert functions(profile) == ["getitem"] * 4
    assert not any(record.failed for record in profile.records)


def test_devices_and_streams():
    stream = sk.Stream("cuda:1")
    with sk.profile() as profile:
        x = sk.ones(1000, device="cuda:1")
        with stream:
            x + 1
        sk.ones(10)
        sk.ones(10, device=sk.Device("cuda:0"))
        with sk.device("cuda:0"):
            sk.ones(10)
        sk.asarray(np.ones(3), device="cuda:1")
        sk.ones(3).to_device("cuda:1")
    devices = [record.device for record in profile.records]
    assert devices == ["cuda:1", "cuda:1", "cpu:0", "cuda:0", "cuda:0", "cuda:1", "cpu:0", "cuda:1"]
    assert profile.records[1].stream == stream.handle != profile.records[0].stream


def test_device_times_are_in_order():
    x = sk.ones((200, 200), device="cuda:0")
    with sk.profile() as profile:
        for _ in range(5):
            x = x @ x * 0.005
    records = profile.records
    assert len(records) == 10
    for earlier, later in itertools.pairwise(records):
        assert earlier.device_start + earlier.device_seconds <= later.device_start + 1e-6
    for record in records:
        assert record.start <= record.device_start + record.device_seconds + 1e-4


def test_fused_operations_are_one_record(x):
    @sk.fuse
    def function(x):
        return sk.sqrt(sk.exp(x * 0.001) + 1)

    function(x)
    with sk.profile() as profile:
        function(x)
    (record,) = profile.records
    assert (record.function, record.shape) == ("fuse", (100, 200))
    assert record.operations == ("multiply", "exp", "add", "sqrt")
    assert record.nbytes == 160_000
    assert "fuse(multiply, exp, add, sqrt)" in str(profile)


def test_the_ledger_of_a_profile():
    x = sk.ones(10, device="cuda:0")
    with sk.profile() as profile:
        float(x[0])
    (entry,) = profile.ledger
    (call,) = (record for record in profile.records if record.function == "float")
    assert entry.kinds == ("transfer", "sync")
    assert call.start <= entry.start
    assert entry.start + entry.seconds <= call.start + call.host_seconds
    assert entry.thread == call.thread
    with sk.guard(transfers="raise"), sk.profile(), pytest.raises(sk.exceptions.GuardError):
        float(x[0])


def test_the_table(x):
    with sk.profile() as profile:
        x + x
        x + 1
        sk.sqrt(x)
    header, *rows = str(profile).splitlines()
    assert header.split() == ["operation", "device", "calls", "host", "ms", "device", "ms", "MB", "GB/s"]  # fmt: skip
    calls = {row.split()[0]: row.split()[1:3] for row in rows}
    assert calls == {"add": [str(x.device), "2"], "sqrt": [str(x.device), "1"]}
    assert repr(profile) == "<skerry.profile: 3 records>"


def test_the_trace(tmp_path):
    x = sk.ones(1000, device="cuda:0")
    stream = sk.Stream("cuda:0")
    with sk.profile() as profile:
        y = x + 1
        with stream:
            y = y * 2
        y.tolist()
    profile.save(tmp_path / "trace.json")
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    names = {(event["name"], event["args"]["name"]) for event in events if event["ph"] == "M"}
    assert {("process_name", "host"), ("process_name", "cuda:0")} <= names
    assert ("thread_name", f"stream {stream.handle:#x}") in names
    assert ("thread_name", f"thread {threading.get_ident()}") in names
    spans = [event for event in events if event["ph"] == "X"]
    assert all(event["dur"] >= 0 and event["ts"] > 0 for event in spans)
    by_category = {}
    for event in spans:
        by_category.setdefault(event["cat"], []).append(event["name"])
    assert by_category["call"] == ["add", "multiply", "tolist"]
    assert by_category["device"] == ["add", "multiply", "tolist"]
    assert by_category["transfer+sync"] == ["copy to the host"]


def test_profiles_nest(x):
    with sk.profile() as outer:
        sk.sqrt(x)
        with sk.profile() as inner:
            sk.exp(x)
        sk.sin(x)
    assert functions(outer) == ["sqrt", "exp", "sin"]
    assert functions(inner) == ["exp"]


def test_threads_and_contexts(x):
    def run_calls(name):
        with sk.profile() as profile:
            for _ in range(20):
                getattr(sk, name)(x)
        names_of_threads[name] = functions(profile)

    names_of_threads = {}
    with sk.profile() as outer:
        names = ["sqrt", "exp", "sin"]
        threads = [
            threading.Thread(target=contextvars.Context().run, args=(run_calls, n)) for n in names
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        thread = threading.Thread(target=contextvars.copy_context().run, args=(sk.cos, x))
        thread.start()
        thread.join()
    assert names_of_threads == {name: [name] * 20 for name in names}
    assert functions(outer) == ["cos"]
    assert outer.records[0].thread != threading.get_ident()


def test_tasks_have_their_own_profiles(x):
    async def profiled(event):
        with sk.profile() as profile:
            await event.wait()
            sk.sqrt(x)
        return profile

    async def other(event):
        sk.exp(x)
        event.set()

    async def run_both():
        event = asyncio.Event()
        return (await asyncio.gather(profiled(event), other(event)))[0]

    assert functions(asyncio.run(run_both())) == ["sqrt"]


def test_a_profile_left_open_by_a_generator_ends_with_it(x):
    def generate():
        with sk.profile() as profile:
            yield profile

    generator = generate()
    profile = next(generator)
    generator.close()
    x + x
    assert profile.records == []


def test_bad_arguments_and_reuse():
    with pytest.raises(TypeError, match="profile: nvtx must be a bool, not int"):
        sk.profile(nvtx=1)
    used = sk.profile()
    with used, pytest.raises(RuntimeError, match="only once"), used:
        pass
    with pytest.raises(RuntimeError, match="not entered"):
        sk.profile().__exit__(None, None, None)


@pytest.fixture
def ranges(monkeypatch):
    """Replaces the package nvtx, and returns the list of pushed and popped ranges."""
    calls = []
    domain = types.SimpleNamespace(
        get_event_attributes=lambda message: message,
        push_range=calls.append,
        pop_range=lambda: calls.append(None),
    )
    module = types.SimpleNamespace(get_domain=lambda name: domain if name == "skerry" else None)
    monkeypatch.setitem(sys.modules, "nvtx", module)
    return calls


def test_nvtx_ranges(x, ranges):
    with sk.profile(nvtx=True):
        sk.sqrt(x)
        with sk.profile():
            x + x
    sk.sqrt(x)
    assert ranges == [
        f"sqrt float32(100, 200) {x.device} 80000 bytes", None,
        f"add float32(100, 200) {x.device} 80000 bytes", None,
    ]  # fmt: skip
    with sk.profile():
        sk.sqrt(x)
    assert len(ranges) == 4


def test_nvtx_ranges_of_fused_functions(x, ranges):
    with sk.profile(nvtx=True):
        sk.fuse(lambda x: sk.exp(x * 0.001) + 1)(x)
    pushed = [text for text in ranges if text is not None]
    assert pushed[-1].startswith("fuse multiply exp add float32(100, 200)")
    assert len(pushed) == ranges.count(None)


def test_nvtx_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "nvtx", None)
    with pytest.raises(ModuleNotFoundError, match="pip install nvtx"):
        sk.profile(nvtx=True)


NVTX_PROGRAM = """
import sys, threading, types
calls = []
domain = types.SimpleNamespace(
    get_event_attributes=lambda message: message,
    push_range=calls.append, pop_range=lambda: calls.append(None))
sys.modules["nvtx"] = types.SimpleNamespace(get_domain=lambda name: domain)
import skerry as sk
x = sk.ones(3)
thread = threading.Thread(target=lambda: x + 1)
thread.start()
thread.join()
with sk.profile() as profile:
    sk.sum(x)
print(calls, len(profile.records))
"""


def test_the_environment_variable(monkeypatch):
    monkeypatch.setenv("SKERRY_NVTX", "1")
    done = subprocess.run(
        [sys.executable, "-c", NVTX_PROGRAM], capture_output=True, text=True, check=True
    )
    expected = ["ones cpu:0 0 bytes", None, "add float64(3,) cpu:0 24 bytes", None]
    expected += ["sum float64(3,) cpu:0 24 bytes", None]
    assert done.stdout.strip() == f"{expected} 1"
