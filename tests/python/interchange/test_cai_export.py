# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Export by __cuda_array_interface__: the cases E1 to E18.

E17, the checks of each consumer, is in test_consumer_models.py.
"""

import asyncio
import gc
import inspect
import threading

import numpy as np
import pytest
import skerry as sk
from skerry.testing import count_cuda_calls
from skerry.testing.instruments import captured_stream

from tests.python.interchange.cai_producers import as_host, python
from tests.python.loops import loop_over
from tests.python.oracle import NUMPYS, layouts_of, sample, to_device, to_numpy
from tests.python.session import HAS_GPU

KEYS = {"shape", "typestr", "descr", "data", "strides", "version", "stream"}
rehearsed_only = pytest.mark.skipif(HAS_GPU, reason="reads or breaks rehearsed devices")


@pytest.fixture
def x(cuda_device):
    return to_device(cuda_device, np.arange(12.0).reshape(3, 4))


def test_export_E01_a_dict_with_exactly_these_keys(x):
    for view in (x, x.T, x[:0], x[0, 0]):
        assert type(view.__cuda_array_interface__) is dict
        assert set(view.__cuda_array_interface__) == KEYS


def test_export_E02_python_ints_and_bools(x):
    for view in (x, x.T, x[::-1, ::2]):
        about = view.__cuda_array_interface__
        pointer, read_only = about["data"]
        assert type(about["data"]) is tuple
        assert type(pointer) is int
        assert type(read_only) is bool
        assert type(about["shape"]) is tuple
        assert all(type(n) is int for n in about["shape"])
        assert about["strides"] is None or all(type(n) is int for n in about["strides"])
        assert type(about["version"]) is int
        assert type(about["stream"]) is int
        assert type(about["descr"]) is list


@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0), (2, 0, 4)])
def test_export_E03_no_elements_no_pointer(shape, cuda_device):
    empty = sk.empty(shape, device=cuda_device)
    for view in (empty, empty.T if len(shape) == 2 else empty, sk.broadcast_to(empty, (2, *shape))):
        about = view.__cuda_array_interface__
        assert about["data"][0] == 0
        assert about["strides"] is None or len(about["strides"]) == len(about["shape"])
        assert 0 in about["shape"]
    full = sk.ones((4, 4), device=cuda_device)
    assert full[2:2, 1:].__cuda_array_interface__["data"][0] == 0


def test_export_E04_strides_are_none_only_for_c_order(cuda_device):
    base = sample("float32", (9, 14))
    for name, view, host in layouts_of(base, cuda_device):
        about = view.__cuda_array_interface__
        assert "strides" in about
        in_c_order = host.flags.c_contiguous and name != "F"  # its host array has another layout
        assert (about["strides"] is None) == in_c_order, name
        if about["strides"] is not None:
            assert about["strides"] == view.strides, name


def test_export_E04_broadcast_arrays_never_pass_for_contiguous(cuda_device):
    # Numba's exporter ignores axes of stride 0, so its consumers read out of bounds.
    for shape in [(3, 4), (5,), (2, 1, 3)]:
        stretched = sk.broadcast_to(sk.ones((), device=cuda_device), shape)
        assert stretched.__cuda_array_interface__["strides"] == (0,) * len(shape)
    row = sk.ones((4,), device=cuda_device)
    assert sk.broadcast_to(row, (3, 4)).__cuda_array_interface__["strides"] == (0, 8)
    # A single row is C-contiguous whatever the stride of its axis.
    assert sk.broadcast_to(row, (1, 4)).__cuda_array_interface__["strides"] is None
    assert row[None, ::4].__cuda_array_interface__["strides"] is None


def test_export_E05_absent_on_cpu_arrays():
    for device in ("cpu:0", "cpu:1"):
        y = sk.ones((2,), device=device)
        assert not hasattr(y, "__cuda_array_interface__")
        assert not sk.is_cuda_array(y)
        with pytest.raises(AttributeError, match="to_device"):
            y.__cuda_array_interface__
    pinned = sk.ones((2,), pinned=True)
    assert pinned.__cuda_array_interface__["stream"] is None
    assert sk.is_cuda_array(pinned)


@rehearsed_only
def test_export_E05_absent_on_a_lost_device_and_in_a_forked_child():
    assert python(
        "import skerry as sk\n"
        "from skerry.testing.instruments import failing_cuda_call\n"
        "x = sk.ones((2,), device='cuda:0'); y = sk.ones((2,), device='cuda:1')\n"
        "sk.synchronize()\n"
        "with failing_cuda_call(1, 700, is_sticky=True):\n"
        "    try: sk.synchronize('cuda:0')\n"
        "    except sk.exceptions.FatalDeviceError: pass\n"
        "    print(hasattr(x, '__cuda_array_interface__'), hasattr(y, '__cuda_array_interface__'))"
    ).split() == ["False", "True"]
    assert python(
        "import os, skerry as sk\n"
        "x = sk.ones((2,), device='cuda:0'); sk.synchronize()\n"
        "pid = os.fork()\n"
        "if pid == 0: os._exit(int(hasattr(x, '__cuda_array_interface__')))\n"
        "print(os.waitpid(pid, 0)[1])"
    ).split() == ["0"]


def test_export_E06_is_a_property():
    assert type(inspect.getattr_static(sk.Array, "__cuda_array_interface__")) is property
    # cuDF looks it up this way.
    x = sk.ones((2,), device="cuda:0")
    assert isinstance(inspect.getattr_static(x, "__cuda_array_interface__", None), property)
    assert "array interface" in sk.Array.__cuda_array_interface__.__doc__


def test_export_E07_stream_is_the_legacy_one_and_never_0(x, cuda_device):
    assert x.__cuda_array_interface__["stream"] == 1
    s = sk.Stream(cuda_device)
    with sk.stream(s):
        # An event orders the work before it, since most consumers use that stream unconditionally.
        assert x.__cuda_array_interface__["stream"] == 1
    s.synchronize()
    assert x.__cuda_array_interface__["stream"] == 1


def test_export_E07_pending_work_of_all_streams_is_ordered_by_events(cuda_device):
    plain = sk.ones((8,), device=cuda_device)
    with count_cuda_calls() as calls:
        plain.__cuda_array_interface__
    assert not {"event_record", "stream_wait_event"} & set(calls)
    s, t = sk.Stream(cuda_device), sk.Stream(cuda_device)
    with sk.stream(s):
        x = sk.ones((8,), device=cuda_device)
    with sk.stream(t):
        t.wait(s)
        x += 1
    # Outside both blocks: the streams of the work matter, not the current stream.
    with count_cuda_calls() as calls:
        x.__cuda_array_interface__
    # One event, on t, which already waits for s.
    assert calls["event_record"] == calls["stream_wait_event"] == 1
    assert not {"device_synchronize", "stream_synchronize", "event_synchronize"} & set(calls)


@rehearsed_only
def test_export_E07_no_event_while_a_graph_is_captured(cuda_device):
    s, t = sk.Stream(cuda_device), sk.Stream(cuda_device)
    with sk.stream(s):
        x = sk.ones((8,), device=cuda_device)
    events = {"event_record", "stream_wait_event"}
    # An event in the default stream would break the capture of the current stream, also if the default stream takes
    # part in the capture.
    for captured in (t.handle, 1):
        with captured_stream(captured), sk.stream(t), count_cuda_calls() as calls:
            assert x.__cuda_array_interface__["stream"] == t.handle
        assert not events & set(calls)
    # A captured stream other than the current one is skipped; the others are ordered.
    with captured_stream(s.handle), sk.stream(t), count_cuda_calls() as calls:
        assert x.__cuda_array_interface__["stream"] == 1
    assert calls["event_record"] == 1
    with count_cuda_calls() as calls:
        assert x.__cuda_array_interface__["stream"] == 1
    assert calls["event_record"] == 1


@rehearsed_only
def test_export_E07_consumers_on_the_default_stream_see_slow_work_done():
    code = (
        "import skerry as sk\n"
        "s = sk.Stream('cuda:1')\n"
        "x = sk.zeros((1000,), device='cuda:1'); plain = x.__cuda_array_interface__; s.wait(sk.Stream.from_handle('cuda:1', 1))\n"
        "with sk.stream(s):\n"
        "    for _ in range(10): x += 1\n"
        "about = {about}\n"
        "y = sk.from_cuda_array_interface(about, x, sync=False) * 1.0\n"
        "print(float(sk.min(y)))"
    )
    slow = {"SKERRY_REHEARSE_DELAY_US": "20000"}
    assert python(code.format(about="x.__cuda_array_interface__"), **slow).split() == ["10.0"]
    # The test can fail: an export before the work does not order it.
    assert python(code.format(about="plain"), **slow).split() != ["10.0"]


def test_export_E08_versions_0_to_3(x):
    for version in range(4):
        with sk.cuda_array_interface_version(version) as entered:
            assert entered == version
            about = x.__cuda_array_interface__
        assert about["version"] == version
        assert set(about) == (KEYS if version == 3 else KEYS - {"stream"})
        assert np.array_equal(to_numpy(sk.from_cuda_array_interface(about, x)), to_numpy(x))
    assert x.__cuda_array_interface__["version"] == 3
    with sk.cuda_array_interface_version(2), sk.cuda_array_interface_version(1):
        assert x.__cuda_array_interface__["version"] == 1
    for bad in (-1, 4):
        with pytest.raises(ValueError, match="use 0, 1, 2 or 3"):
            sk.cuda_array_interface_version(bad)
    for bad in ("3", None, 2.0, True):
        with pytest.raises(TypeError):
            sk.cuda_array_interface_version(bad)


def test_export_E08_version_is_local_to_the_thread_and_task(x):
    seen = []

    def other():
        seen.append(x.__cuda_array_interface__["version"])

    with sk.cuda_array_interface_version(0):
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
    assert seen == [3]

    async def task(version):
        with sk.cuda_array_interface_version(version):
            await asyncio.sleep(0)
            return x.__cuda_array_interface__["version"]

    async def both():
        return await asyncio.gather(task(1), task(2))

    assert asyncio.run(both()) == [1, 2]


@rehearsed_only
def test_export_E08_version_from_the_environment():
    code = "import skerry as sk; print(sk.ones((1,), device='cuda:0').__cuda_array_interface__)"
    for version in range(4):
        out = python(code, SKERRY_CAI_VERSION=str(version))
        assert f"'version': {version}" in out
        assert ("'stream'" in out) == (version == 3)
    assert "'version': 3" in python(code, SKERRY_CAI_VERSION="")
    for bad in ("4", "-1", "three", "22", "2 "):
        with pytest.raises(AssertionError, match=r"SKERRY_CAI_VERSION=.*0 to 3"):
            python(code, SKERRY_CAI_VERSION=bad)


@loop_over("dtype", NUMPYS)
def test_export_E09_typestr_is_numpys(dtype, cuda_device):
    about = sk.zeros((3,), dtype=dtype, device=cuda_device).__cuda_array_interface__
    assert about["typestr"] == np.dtype(dtype).str
    assert np.dtype(about["typestr"]) == np.dtype(dtype)
    assert about["descr"] == [("", np.dtype(dtype).str)]


def test_export_E10_pointer_is_that_of_the_first_element(x):
    pointer = x.__cuda_array_interface__["data"][0]
    for view, offset in [
        (x[1:, 2:], 1 * 32 + 2 * 8),
        (x[::-1], 2 * 32),
        (x[::-1, ::-1], 2 * 32 + 3 * 8),
        (x[2, 1], 2 * 32 + 8),
        (x.T[3:], 3 * 8),
    ]:
        assert view.__cuda_array_interface__["data"][0] == pointer + offset


def test_export_E11_read_only_views_are_flagged(x):
    assert x.__cuda_array_interface__["data"][1] is False
    assert sk.broadcast_to(x[0], (5, 4)).__cuda_array_interface__["data"][1] is True


def test_export_E12_each_access_returns_a_new_dict(x):
    first, second = x.__cuda_array_interface__, x.__cuda_array_interface__
    assert first == second
    assert first is not second
    assert first["descr"] is not second["descr"]
    first.clear()
    second["descr"].append(1)
    assert set(x.__cuda_array_interface__) == KEYS
    assert len(x.__cuda_array_interface__["descr"]) == 1


def test_export_E13_a_consumer_that_keeps_the_array_outlives_the_name(cuda_device):
    class Consumer:
        def __init__(self, producer):
            self.producer = producer
            self.about = producer.__cuda_array_interface__

    x = sk.full((1000,), 7.0, device=cuda_device)
    consumer = Consumer(x)
    del x
    gc.collect()
    for _ in range(3):
        sk.zeros((1000,), device=cuda_device)
    y = sk.from_cuda_array_interface(consumer.about, consumer.producer)
    assert float(sk.sum(y)) == 7000.0


def test_export_E14_memory_is_not_moved_while_exported(x):
    old_interface = x.__cuda_array_interface__
    assert not hasattr(x, "resize")
    for name in ("shape", "strides", "dtype", "data"):
        with pytest.raises(AttributeError):
            setattr(x, name, (12,))
    x += 1
    x[...] = 2.0
    x[1:] = x[:-1]
    assert x.__cuda_array_interface__ == old_interface


def test_export_E15_no_side_effect_on_the_current_device():
    # Device 0 is current; exporting an array of another device must not change that.
    x = sk.ones((8,), device="cuda:1")
    with count_cuda_calls() as calls:
        x.__cuda_array_interface__
    assert calls == {}
    with sk.stream(sk.Stream("cuda:1")):
        y = sk.ones((8,), device="cuda:1")
        with count_cuda_calls() as calls:
            y.__cuda_array_interface__
    # Each change is restored.
    assert calls.get("push_device") == calls.get("pop_device")
    assert calls["event_record"] == 1


def test_export_E16_other_threads_see_the_same(x, cuda_device):
    seen = []

    def look():
        other = "cuda:1" if cuda_device == "cuda:0" else "cuda:0"
        with sk.device(other), sk.stream(sk.Stream(cuda_device)):
            seen.append(x.__cuda_array_interface__)

    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    here = x.__cuda_array_interface__
    assert {k: v for k, v in seen[0].items() if k != "stream"} == {
        k: v for k, v in here.items() if k != "stream"
    }


@rehearsed_only
@loop_over("dtype", NUMPYS)
def test_export_E18_numpy_reads_the_same_values_by_it(dtype, cuda_device):
    for name, view, host in layouts_of(sample(dtype, (9, 14)), cuda_device):
        about = view.__cuda_array_interface__
        sk.synchronize(cuda_device)
        assert np.array_equal(as_host(about, view), host), name
    empty = sk.empty((0, 2), dtype=dtype, device=cuda_device)
    assert as_host(empty.__cuda_array_interface__, empty).shape == (0, 2)


def test_export_makes_no_cuda_call():
    x = sk.ones((8,), device="cuda:0")
    with count_cuda_calls() as calls:
        for _ in range(100):
            x.__cuda_array_interface__
    assert calls == {}
    assert x.__cuda_array_interface__["version"] == 3
