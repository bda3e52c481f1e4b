# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Valid CUDA array interfaces, imported by asarray, as_cuda_array and from_cuda_array_interface: the cases I1 to I18."""

import threading
import types

import numpy as np
import pytest
import skerry as sk
from skerry.testing import count_cuda_calls, instruments

from tests.python.interchange.cai_producers import ABSENT, Producer, as_host, describe, python
from tests.python.loops import loop_over
from tests.python.oracle import NUMPYS, layouts_of, sample, to_device, to_numpy
from tests.python.session import HAS_GPU

pytestmark = pytest.mark.two_gpus
WAITS = {"device_synchronize", "stream_synchronize", "event_synchronize"}
ORDER = WAITS | {"event_record", "stream_wait_event"}
rehearsed_only = pytest.mark.skipif(HAS_GPU, reason="reads or delays rehearsed devices")


@pytest.fixture
def x(cuda_device):
    return to_device(cuda_device, np.arange(12.0).reshape(3, 4))


def pointer_of(x):
    return x.__cuda_array_interface__["data"][0]


def assert_shares(y, x):
    assert pointer_of(y) == pointer_of(x)
    assert (y.shape, y.dtype, y.device) == (x.shape, x.dtype, x.device)
    assert np.array_equal(to_numpy(y), to_numpy(x))


def test_import_good_I01_version_0_of_rmm(cuda_device):
    x = sk.asarray(np.arange(9, dtype="u1")).to_device(cuda_device)
    about = {
        "data": (pointer_of(x), False),
        "shape": (9,),
        "strides": None,
        "typestr": "|u1",
        "version": 0,
    }
    assert_shares(sk.from_cuda_array_interface(about, x), x)


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"version": 0, "stream": ABSENT, "descr": ABSENT}, id="v0"),
        pytest.param({"version": 1, "stream": ABSENT, "strides": ABSENT}, id="v1"),
        pytest.param({"version": 2, "stream": ABSENT, "descr": ABSENT}, id="v2, PyTorch"),
        pytest.param({"version": 2, "stream": ABSENT, "strides": ABSENT}, id="v2, JAX"),
        pytest.param({"version": 3, "stream": 1}, id="v3, CuPy"),
        pytest.param({"version": 3, "stream": ABSENT, "strides": (32, 8)}, id="v3, cuDF"),
    ],
)
@pytest.mark.parametrize("take", [sk.asarray, sk.as_cuda_array])
def test_import_good_I02_all_versions_without_a_copy(take, changes, x):
    y = take(Producer(x, **changes))
    assert_shares(y, x)
    y[1, 1] = 99.0
    assert float(x[1, 1]) == 99.0


def test_import_good_I03_three_ways_to_express_c_order(x):
    for strides in (ABSENT, None, (32, 8)):
        y = sk.as_cuda_array(Producer(x, strides=strides))
        assert y.strides == (32, 8)
        assert y.__cuda_array_interface__["strides"] is None
        assert_shares(y, x)


@loop_over("dtype", NUMPYS)
def test_import_good_I04_layouts(dtype, cuda_device):
    for name, view, host in layouts_of(sample(dtype, (9, 14)), cuda_device):
        y = sk.as_cuda_array(Producer(view))
        assert y.strides == view.strides or view.size == 1, name
        assert pointer_of(y) == pointer_of(view)
        assert np.array_equal(to_numpy(y), host), name


@rehearsed_only
@pytest.mark.parametrize(
    ("shape", "strides", "start"),
    [
        ((3, 1, 2), (8, 3, 32), 0),
        ((1, 1), (7, -5), 24),
        ((1,), (2**62,), 0),
        ((1, 3), (-(2**63), 8), 0),
        ((2, 3), (0, 8), 8),
        ((3,), (0,), 40),
        ((), (), 88),
        ((3, 4), (-32, -8), 88),
        ((2, 2, 2), (8, 8, 8), 0),
        ((1,) * 64, (1,) * 64, 16),
    ],
)
def test_import_good_I04_layouts_match_numpy(shape, strides, start, x):
    sk.synchronize(x.device)
    about = describe(x, shape=shape, strides=strides, data=(pointer_of(x) + start, False))
    y = sk.from_cuda_array_interface(about, x)
    assert np.array_equal(to_numpy(y), as_host(about, x))
    assert np.array_equal(to_numpy(y + 1), as_host(about, x) + 1)


@pytest.mark.parametrize(
    ("shape", "strides"),
    [
        ((0,), None),
        ((3, 0), (8, 8)),
        ((0, 3), (2**62, 2**62)),
        ((2, 0, 4), (7, -1, 3)),
        ((0,) * 64, None),
    ],
)
def test_import_good_I05_no_elements(shape, strides, x, cuda_device):
    for pointer in (0, pointer_of(x), 0xDEAD0000, 3):
        about = describe(x, shape=shape, strides=strides, data=(pointer, False))
        for device in (None, cuda_device, "cuda:1"):
            with count_cuda_calls() as calls:
                y = sk.from_cuda_array_interface(about, device=device)
            assert "get_pointer_attributes" not in calls
            assert y.shape == shape
            assert y.device == sk.Device(device or "cuda:0")
            assert y.__cuda_array_interface__["data"][0] == 0
            assert float(sk.sum(y)) == 0.0
        with sk.device(cuda_device):
            assert sk.from_cuda_array_interface(about).device == sk.Device(cuda_device)


def test_import_good_I06_no_elements_and_no_pointer(x):
    y = sk.as_cuda_array(Producer(x, shape=(0, 5), data=(None, False)))
    assert y.shape == (0, 5)


def test_import_good_I07_no_stream_no_synchronisation(x):
    for stream in (None, ABSENT):
        for version in range(4):
            producer = Producer(x, stream=stream, version=version)
            with count_cuda_calls() as calls:
                sk.as_cuda_array(producer)
            assert not ORDER & set(calls)


def test_import_good_I08_one_event_for_each_stream(x, cuda_device):
    s, t = sk.Stream(cuda_device), sk.Stream(cuda_device)
    for stream in (s.handle, np.int64(t.handle)):
        with count_cuda_calls() as calls:
            sk.as_cuda_array(Producer(x, stream=stream))
        assert calls["event_record"] == calls["stream_wait_event"] == 1
        assert not WAITS & set(calls)
    with count_cuda_calls() as calls:
        a = sk.as_cuda_array(Producer(x, stream=s.handle))
        b = sk.as_cuda_array(Producer(x, stream=t.handle))
        total = a + b
    assert calls["event_record"] == calls["stream_wait_event"] == 2
    assert np.array_equal(to_numpy(total), 2 * to_numpy(x))
    # The producer's stream is our current stream: already ordered.
    on_default, on_per_thread, on_s = (Producer(x, stream=n) for n in (1, 2, s.handle))
    with count_cuda_calls() as calls:
        sk.as_cuda_array(on_default)
    assert not ORDER & set(calls)
    with sk.stream(s), count_cuda_calls() as calls:
        sk.as_cuda_array(on_s)
    assert not ORDER & set(calls)
    with sk.stream(s), count_cuda_calls() as calls:
        imported_arrays = [sk.as_cuda_array(producer) for producer in (on_default, on_per_thread)]
    assert calls["event_record"] == calls["stream_wait_event"] == len(imported_arrays) == 2


def test_import_good_I08_synchronisation_is_a_choice(x, cuda_device):
    s = sk.Stream(cuda_device)
    with count_cuda_calls() as calls:
        sk.as_cuda_array(Producer(x, stream=s.handle), sync=False)
        sk.from_cuda_array_interface(describe(x, stream=s.handle), x, sync=False)
    assert not ORDER & set(calls)
    with count_cuda_calls() as calls:
        sk.as_cuda_array(Producer(x, version=2, stream=ABSENT), sync="device")
    assert calls["device_synchronize"] == 1
    for bad in ("host", 1, None):
        with pytest.raises(TypeError, match="sync"):
            sk.as_cuda_array(Producer(x), sync=bad)


@rehearsed_only
def test_import_good_I08_the_environment_turns_it_off():
    code = (
        "import skerry as sk\nfrom skerry.testing import count_cuda_calls\n"
        "x = sk.ones((2,), device='cuda:0'); s = sk.Stream('cuda:0')\n"
        "about = dict(x.__cuda_array_interface__, stream=s.handle)\n"
        "with count_cuda_calls() as calls: y = sk.from_cuda_array_interface(about, x)\n"
        "print(calls.get('stream_wait_event', 0))"
    )
    assert python(code).split() == ["1"]
    assert python(code, SKERRY_CAI_SYNC="1").split() == ["1"]
    assert python(code, SKERRY_CAI_SYNC="0").split() == ["0"]


@rehearsed_only
def test_import_good_I08_a_slow_producer_is_waited_for():
    code = (
        "import skerry as sk\n"
        "x = sk.zeros((1000,), device='cuda:0'); about = x.__cuda_array_interface__; sk.synchronize()\n"
        "s = sk.Stream('cuda:0')\n"
        "with sk.stream(s):\n"
        "    for _ in range(10): x += 1\n"
        "y = sk.from_cuda_array_interface(dict(about, stream=s.handle), x, sync={sync}) * 1.0\n"
        "print(float(sk.min(y)))"
    )
    slow = {"SKERRY_REHEARSE_DELAY_US": "20000"}
    assert python(code.format(sync=True), **slow).split() == ["10.0"]
    assert python(code.format(sync="'device'"), **slow).split() == ["10.0"]
    # The test can fail.
    assert python(code.format(sync=False), **slow).split() != ["10.0"]


@rehearsed_only
def test_import_good_I08_host_memory_is_read_after_the_producers_stream():
    out = python(
        "import skerry as sk\nfrom skerry.testing import count_cuda_calls\n"
        "x = sk.ones((4,), pinned=True); s = sk.Stream('cuda:0')\n"
        "about = dict(x.__cuda_array_interface__, stream=s.handle)\n"
        "with count_cuda_calls() as calls: y = sk.from_cuda_array_interface(about, x)\n"
        "print(calls.get('stream_synchronize', 0), y.device)"
    )
    assert out.split() == ["1", "cpu:0"]


def test_import_good_I09_read_only_stays_so(x):
    y = sk.as_cuda_array(Producer(x, data=(pointer_of(x), True)))
    with pytest.raises(ValueError, match="read-only"):
        y[0, 0] = 1.0
    with pytest.raises(ValueError, match="read-only"):
        y += 1
    assert np.array_equal(to_numpy(y[1:]), to_numpy(x[1:]))
    for view in (y, y.T, y[1:]):
        assert view.__cuda_array_interface__["data"][1] is True
        with pytest.raises(BufferError):
            view.__dlpack__()
        assert not instruments.is_writable(sk.from_dlpack(Redirect(view)))
    assert not instruments.is_writable(sk.as_cuda_array(Producer(y)))


class Redirect:
    """Another object with the DLPack protocol of an array."""

    def __init__(self, x):
        self.__dlpack__ = x.__dlpack__
        self.__dlpack_device__ = x.__dlpack_device__


@pytest.mark.parametrize(
    "changes",
    [
        {"extra": ..., "order": "C", "strides ": 3},
        {"descr": ABSENT},
        {"descr": None},
        {"descr": [("", "<f8")]},
        {"mask": None},
        {"shape": (np.int64(3), np.uint8(4))},
        {"strides": (np.int32(32), np.int64(8))},
        {"shape": [3, 4], "strides": [32, 8]},
        {"version": np.int8(3)},
        {"typestr": np.str_("<f8")},
    ],
    ids=str,
)
def test_import_good_I10_variants_of_producers(changes, x):
    assert_shares(sk.as_cuda_array(Producer(x, **changes)), x)


@pytest.mark.parametrize("flag", [True, np.True_, 1, False, np.False_, 0], ids=repr)
def test_import_good_I10_read_only_flags(flag, x):
    y = sk.as_cuda_array(Producer(x, data=(np.uint64(pointer_of(x)), flag)))
    assert y.__cuda_array_interface__["data"][1] is bool(flag)
    assert pointer_of(sk.as_cuda_array(Producer(x, data=[pointer_of(x), flag]))) == pointer_of(x)


def test_import_good_I11_structures_are_rejected_by_name(x):
    for descr in ([("a", "<f4"), ("b", "<i4")], [("a", "<f4"), ("", "|V4")], ABSENT):
        with pytest.raises(TypeError, match="V8"):
            sk.as_cuda_array(Producer(x, typestr="|V8", descr=descr))


def test_import_good_I12_any_kind_of_attribute_is_read_once(x):
    about = describe(x)
    reads = []

    class Dynamic:
        def __getattr__(self, name):
            if name != "__cuda_array_interface__":
                raise AttributeError(name)
            reads.append(name)
            return about

    class OfTheClass:
        __cuda_array_interface__ = about
        memory = x

    on_instance = types.SimpleNamespace(__cuda_array_interface__=about)
    for take in (sk.as_cuda_array, sk.asarray):
        for producer in (Dynamic(), OfTheClass(), on_instance):
            assert_shares(take(producer), x)
        assert len(reads) == 1
        reads.clear()
        counted = Producer(x)
        take(counted)
        assert counted.reads == 1


@rehearsed_only
def test_import_good_I14_pinned_host_memory_is_a_pinned_cpu_array():
    x = sk.ones((12,), pinned=True)
    y = sk.as_cuda_array(Producer(x))
    assert y.device == sk.Device("cpu:0")
    assert instruments.is_pinned(y)
    assert_shares(y, x)
    y[3] = 5.0
    assert x[3].item() == 5.0
    z = sk.from_cuda_array_interface(describe(x), x, device="cpu:1")
    assert z.device == sk.Device("cpu:1")
    assert z.to_device("cuda:0").to_device("cpu").tolist() == x.tolist()
    with pytest.raises(ValueError, match="pinned host memory"):
        sk.from_cuda_array_interface(describe(x), x, device="cuda:0")


@pytest.mark.parametrize("ordinal", [0, 1])
def test_import_good_I14_managed_memory_is_a_managed_array_of_its_device(ordinal):
    x = sk.ones((12,), device=f"cuda:{ordinal}", managed=True)
    y = sk.as_cuda_array(Producer(x))
    assert instruments.is_managed(y)
    assert_shares(y, x)
    # An address does not tell the logical devices of a GPU apart; rehearsed devices are GPUs of their own.
    assert y.device.info.physical_index == x.device.info.physical_index
    y += 1
    assert np.asarray(y).tolist() == [2.0] * 12
    other = sk.from_cuda_array_interface(describe(x), x, device=f"cuda:{1 - ordinal}")
    assert other.device == sk.Device(f"cuda:{1 - ordinal}")
    assert (other + 1).tolist() == [3.0] * 12


def test_import_good_I15_result_is_on_the_memorys_device():
    x = sk.arange(12, device="cuda:1")
    with count_cuda_calls() as calls:
        y = sk.as_cuda_array(Producer(x))
    if not HAS_GPU:  # two logical devices of one GPU can't be told apart by a pointer
        assert y.device == sk.Device("cuda:1")
    assert calls.get("push_device") == calls.get("pop_device")
    assert calls["get_pointer_attributes"] == 1
    z = sk.from_cuda_array_interface(describe(x), x, device="cuda:1")
    assert z.device == sk.Device("cuda:1")
    assert z.tolist() == list(range(12))


@pytest.mark.parametrize("dtype", ["uint8", "int16", "float32", "complex64", "complex128"])
def test_import_good_I16_in_the_middle_of_an_allocation(dtype, cuda_device):
    x = to_device(cuda_device, sample(dtype, (50,)))
    width = x.itemsize
    for start in (1, 3, 7):
        about = describe(x, shape=(20,), data=(pointer_of(x) + start * width, False))
        y = sk.from_cuda_array_interface(about, x)
        assert np.array_equal(to_numpy(y), to_numpy(x[start : start + 20]))
        assert np.array_equal(
            to_numpy(y + y), to_numpy(x[start : start + 20] + x[start : start + 20])
        )


@loop_over("dtype", NUMPYS)
def test_import_good_I17_round_trip(dtype, cuda_device):
    for name, view, _ in layouts_of(sample(dtype, (9, 14)), cuda_device):
        y = sk.as_cuda_array(Producer(view))
        z = sk.asarray(Producer(y))
        for other in (y, z):
            theirs, ours = view.__cuda_array_interface__, other.__cuda_array_interface__
            assert theirs == ours, name
            assert other.device == view.device
    x = sk.ones((3,), device=cuda_device)
    assert sk.as_cuda_array(x) is x


class Both(Producer):
    """Has both protocols and records the calls."""

    def __init__(self, x, **changes):
        super().__init__(x, **changes)
        self.asked = []

    def __dlpack__(self, **keywords):
        self.asked.append("dlpack")
        return self.memory.__dlpack__(**keywords)

    def __dlpack_device__(self):
        self.asked.append("device")
        return self.memory.__dlpack_device__()


@pytest.mark.parametrize("version", [0, 1, 2, 3])
def test_import_good_I18_choice_of_protocol(version, x):
    both = Both(x, version=version)
    assert_shares(sk.asarray(both), x)
    assert both.reads == 1
    assert ("dlpack" in both.asked) == (version < 3)
    both = Both(x, version=version)
    assert_shares(sk.from_dlpack(both), x)
    assert both.reads == 0
    assert "dlpack" in both.asked
    both = Both(x, version=version)
    assert_shares(sk.as_cuda_array(both), x)
    assert both.asked == []


def test_import_good_by_many_threads_at_once(x):
    failures = []

    def take():
        try:
            for _ in range(300):
                assert float(sk.as_cuda_array(Producer(x))[2, 3]) == 11.0
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=take) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_is_cuda_array_does_not_validate():
    assert sk.is_cuda_array(types.SimpleNamespace(__cuda_array_interface__={}))
    assert not sk.is_cuda_array(types.SimpleNamespace(__cuda_array_interface__=None))
    assert not sk.is_cuda_array(np.ones(3))
    assert not sk.is_cuda_array(None)
    assert sk.is_cuda_array(sk.ones((1,), device="cuda:0"))
