# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""``from_dlpack``: the cases D1 to D21 of DLPack's exchange that concern the consumer."""

import concurrent.futures
import gc

import numpy as np
import pytest
import skerry as sk
from skerry.exceptions import InterchangeError
from skerry.testing import count_cuda_calls

from tests.python.interchange import dlpack_structs as dl
from tests.python.interchange.dlpack_import_aids import made_of, pointer, refused
from tests.python.interchange.dlpack_structs import Made, Producer
from tests.python.loops import loop_over
from tests.python.oracle import DTYPES, to_device, to_numpy


@pytest.mark.parametrize("versioned", [False, True])
def test_dlpack_D01_both_capsule_names_are_accepted(versioned):
    host = np.arange(6.0)
    structure = Made.from_array(host, versioned=versioned)
    x = sk.from_dlpack(structure.capsule())
    assert pointer(x) == host.ctypes.data
    assert x.tolist() == host.tolist()


def test_dlpack_D01_newest_version_is_requested_first():
    producer = Producer(lambda: Made.from_array(np.arange(3.0)).capsule())
    sk.from_dlpack(producer)
    assert producer.asked == [{"max_version": (1, 3)}]


@pytest.mark.parametrize("versioned", [False, True])
def test_dlpack_D02_renamed_on_success_and_rejected_the_second_time(versioned):
    structure = Made.from_array(np.arange(3.0), versioned=versioned)
    capsule = structure.capsule()
    x = sk.from_dlpack(capsule)
    assert dl.name_of(capsule) == ("used_dltensor_versioned" if versioned else "used_dltensor")
    with pytest.raises(InterchangeError, match="used_dltensor"):
        sk.from_dlpack(capsule)
    del capsule
    assert structure.deleted == 0
    assert x.tolist() == [0, 1, 2]
    del x
    assert structure.deleted == 1


@pytest.mark.parametrize("value", [3, None, "dltensor", dl.new_capsule(8, b"something else")])
def test_dlpack_D02_objects_that_are_not_capsules_are_rejected(value):
    with pytest.raises(InterchangeError, match="not a DLPack capsule"):
        sk.from_dlpack(Producer(lambda: value))


@pytest.mark.parametrize("versioned", [False, True])
def test_dlpack_D03_deleter_runs_once_after_the_last_view(versioned, device):
    base = to_device(device, np.arange(12.0).reshape(3, 4))
    structure = made_of(base, versioned=versioned)
    x = sk.from_dlpack(structure.capsule())
    view = x[1:, ::2]
    del x
    gc.collect()
    assert structure.deleted == 0
    assert np.array_equal(to_numpy(view), [[4, 6], [8, 10]])
    del view
    gc.collect()
    assert structure.deleted == 1
    assert not dl.STRAY


@pytest.mark.parametrize("versioned", [False, True])
def test_dlpack_D04_null_deleter_is_accepted(versioned):
    host = np.arange(3.0)
    structure = Made.from_array(host, versioned=versioned, deleter=False)
    assert sk.from_dlpack(structure.capsule()).tolist() == [0, 1, 2]
    refused_without_deleter = Made.from_array(
        host, versioned=versioned, deleter=False, ndim=-1
    ).capsule()
    with pytest.raises(BufferError):
        sk.from_dlpack(refused_without_deleter)


def test_dlpack_D05_null_strides_are_c_order(device):
    x = to_device(device, np.arange(24.0).reshape(2, 3, 4))
    y = sk.from_dlpack(made_of(x, strides=None).capsule())
    assert y.strides == x.strides
    assert np.array_equal(to_numpy(y), to_numpy(x))
    scalar = np.array(3.0)
    structure = Made(scalar.ctypes.data, (), None, owner=scalar)
    assert float(sk.from_dlpack(structure.capsule())) == 3.0


@pytest.mark.parametrize("dtype", DTYPES)
def test_dlpack_D05_layouts_are_those_of_numpy(dtype):
    host = np.arange(60).astype(dtype).reshape(3, 4, 5)
    for view in (
        host,
        host.T,
        host[::-1, 1:, ::-2],
        host[:, :1][:, [0]],
        np.broadcast_to(host[0], (2, 4, 5)),
        host[1, 2, 3:4].reshape(()),
        host.reshape((1,) * 20 + (60,)),
        host[:, 4:],
    ):
        x = sk.from_dlpack(Made.from_array(view).capsule())
        assert x.shape == view.shape
        assert x.dtype == view.dtype
        assert x.size == 0 or pointer(x) == view.ctypes.data
        assert np.array_equal(to_numpy(x), view)


def test_dlpack_D06_byte_offset_is_added(device):
    x = to_device(device, np.arange(8.0))
    y = sk.from_dlpack(made_of(x, shape=(3,), strides=(2,), byte_offset=16).capsule())
    assert to_numpy(y).tolist() == [2, 4, 6]
    assert pointer(y) == pointer(x) + 16


@pytest.mark.parametrize("data", [0, 8, 0xDEAD0001])
@loop_over("shape", [(0,), (3, 0), (0, 2**40)])
def test_dlpack_D07_pointer_of_an_empty_tensor_is_ignored(data, shape, device):
    dl_device = sk.ones((1,), device=device).__dlpack_device__()
    for strides in (None, [1] * len(shape), [2**62] * len(shape)):
        x = sk.from_dlpack(Made(data, shape, strides, device=dl_device).capsule())
        assert x.shape == shape
        assert x.device.kind == sk.Device(device).kind
        assert sk.sum(x).item() == 0


def test_dlpack_D08_read_only_is_kept_through_import_and_export(device):
    x = to_device(device, np.arange(3.0))
    y = sk.from_dlpack(made_of(x, flags=dl.READ_ONLY).capsule())
    with pytest.raises(ValueError, match="read-only"):
        y[0] = 1.0
    assert dl.opened(y.__dlpack__(max_version=(1, 0))).flags == dl.READ_ONLY
    with pytest.raises(BufferError):
        y.__dlpack__()
    writable = sk.from_dlpack(made_of(x).capsule())
    writable[0] = 5.0
    assert float(x[0]) == 5.0


def test_dlpack_D09_copy_made_despite_copy_false_is_rejected():
    host = np.arange(3.0)
    structure = Made.from_array(host, flags=dl.IS_COPIED)
    producer = Producer(structure.capsule)
    with pytest.raises(InterchangeError, match="copy"):
        sk.from_dlpack(producer, copy=False)
    assert producer.asked == [{"max_version": (1, 3), "copy": False}]
    assert structure.deleted == 1
    assert sk.from_dlpack(Producer(Made.from_array(host, flags=dl.IS_COPIED).capsule)).tolist() == [
        0,
        1,
        2,
    ]


def test_dlpack_D10_copy_by_device(device):
    x = to_device(device, np.arange(3.0))
    outside = Producer(lambda: x.__dlpack__(max_version=(1, 0)), x.__dlpack_device__())
    assert pointer(sk.from_dlpack(outside, copy=False)) == pointer(x)
    assert pointer(sk.from_dlpack(outside)) == pointer(x)
    copy_producer = Producer(
        lambda: x.__dlpack__(max_version=(1, 0), copy=True), x.__dlpack_device__()
    )
    fresh = sk.from_dlpack(copy_producer, copy=True)
    assert copy_producer.asked[0]["copy"] is True
    assert pointer(fresh) != pointer(x)
    other = "cpu:0" if device.startswith("cuda") else "cuda:0"
    assert sk.from_dlpack(outside, device=other).device == sk.Device(other)
    with pytest.raises(ValueError, match="copy"):
        sk.from_dlpack(outside, device=other, copy=False)
    for copy in (None, True):
        moved = sk.from_dlpack(outside, device=other, copy=copy)
        assert to_numpy(moved).tolist() == [0, 1, 2]


def test_dlpack_D10_data_of_producers_without_copy_keyword_is_copied():
    host = np.arange(3.0)

    class Old:
        def __dlpack__(self):
            return Made.from_array(host, versioned=False).capsule()

        def __dlpack_device__(self):
            return (1, 0)

    assert pointer(sk.from_dlpack(Old(), copy=True)) != host.ctypes.data
    assert pointer(sk.from_dlpack(Old())) == host.ctypes.data
    assert pointer(sk.from_dlpack(Made.from_array(host).capsule(), copy=True)) != host.ctypes.data


def test_dlpack_D12_host_copy_from_an_unsupported_device_on_request():
    host = np.arange(3.0)
    producer = Producer(lambda: Made.from_array(host).capsule(), (dl.ROCM, 0))
    with pytest.raises(InterchangeError, match="device="):
        sk.from_dlpack(producer)
    assert producer.asked == []
    assert sk.from_dlpack(producer, device="cpu:1").device == sk.Device("cpu:1")
    assert producer.asked == [{"max_version": (1, 3), "dl_device": (1, 0)}]


@pytest.mark.parametrize(
    ("device_id", "data_of"),
    [
        ((0, 0), "cpu:0"),
        ((4, 0), "cpu:0"),
        ((dl.ROCM, 0), "cpu:0"),
        ((2**31 - 1, 0), "cpu:0"),
        ((-1, 0), "cpu:0"),
        ((dl.CPU, -1), "cpu:0"),
        ((dl.CUDA, -1), "cuda:0"),
        ((dl.CUDA, 64), "cuda:0"),
        ((dl.CUDA, 2**31 - 1), "cuda:0"),
        ((dl.CUDA, 0), "cpu:0"),
        ((dl.CUDA, 0), 0xDEAD0000),
        ((dl.CUDA, 0), 8),
        ((dl.CUDA, 1), "cuda:0"),
        ((dl.CUDA_MANAGED, 0), "cpu:0"),
        ((dl.CUDA_MANAGED, 0), "cuda:0"),
    ],
    ids=str,
)
def test_dlpack_D12_invalid_devices_and_mismatched_pointers(device_id, data_of):
    structure = Made.from_array(np.arange(3.0), device_id)
    if isinstance(data_of, str):
        x = sk.ones((3,), device=data_of)
        if (
            x.device.kind == "cuda"
            and len({d.info.physical_index for d in sk.devices("cuda")}) == 1
        ):
            pytest.skip("both devices are one GPU")
        structure = made_of(x, device=device_id)
    else:
        structure.managed.tensor.data = data_of
    refused(structure)
    # The failed query left no error behind.
    assert float(sk.sum(sk.ones((3,), device="cuda:0"))) == 3


@pytest.mark.two_gpus
def test_dlpack_D13_producer_gets_the_stream_of_its_device(cuda_device):
    x = to_device(cuda_device, np.arange(3.0))
    producer = Producer(lambda: x.__dlpack__(max_version=(1, 0)), x.__dlpack_device__())
    sk.from_dlpack(producer)
    side = sk.Stream(cuda_device)
    with sk.stream(side):
        sk.from_dlpack(producer)
    assert [keywords["stream"] for keywords in producer.asked] == [1, side.handle]
    host = Producer(lambda: Made.from_array(np.arange(3.0)).capsule())
    sk.from_dlpack(host)
    assert "stream" not in host.asked[0]


@pytest.mark.two_gpus
def test_dlpack_D13_a_producer_without_streams_is_waited_for_on_the_default_stream(cuda_device):
    x = to_device(cuda_device, np.arange(3.0))

    structures = [made_of(x, versioned=False) for _ in range(2)]

    class Old:
        def __dlpack__(self):
            return structures.pop().capsule()

        def __dlpack_device__(self):
            return x.__dlpack_device__()

    side = sk.Stream(cuda_device)
    with sk.stream(side), count_cuda_calls() as calls:
        y = sk.from_dlpack(Old())
    assert (calls.get("event_record"), calls.get("stream_wait_event")) == (1, 1)
    with count_cuda_calls() as calls:
        sk.from_dlpack(Old())
    assert "event_record" not in calls
    assert to_numpy(y).tolist() == [0, 1, 2]


def test_dlpack_D13_the_producers_device_is_current_in_its_call_and_restored(cuda_device):
    x = to_device(cuda_device, np.arange(3.0))
    ordinal = x.device.info.physical_index
    producer = Producer(lambda: x.__dlpack__(max_version=(1, 0)), x.__dlpack_device__())
    # In a new thread, whose current device is the first one.
    with count_cuda_calls() as calls, concurrent.futures.ThreadPoolExecutor(1) as thread:
        thread.submit(sk.from_dlpack, producer).result()
    # Entered and left, unless it is already current.
    assert calls.get("push_device") == calls.get("pop_device")
    assert ("push_device" in calls) is (ordinal != 0)


@pytest.mark.parametrize(
    ("code", "name"),
    [(10, "float8_e4m3fn"), (12, "float8_e5m2"), (17, "float4_e2m1fn")],
)
def test_dlpack_D14_dtypes_of_other_libraries_are_named(code, name):
    for versioned in (False, True):
        structure = Made.from_array(np.arange(4.0), versioned=versioned)
        structure.managed.tensor.dtype = dl.DataType(code, 8, 1)
        refused(structure, match=rf"^from_dlpack: unsupported dtype: {name}; convert it to float32")


@pytest.mark.parametrize(
    "dtype",
    [
        (2, 64, 2),
        (2, 64, 0),
        (2, 64, 65535),
        (2, 63, 1),
        (2, 16, 2),
        (2, 0, 1),
        (0, 4, 1),
        (0, 128, 1),
        (6, 1, 1),
        (6, 64, 1),
        (3, 64, 1),
        (4, 32, 1),
        (4, 16, 2),
        (5, 32, 1),
        (5, 255, 1),
        (7, 8, 1),
        (255, 255, 65535),
    ],
    ids=str,
)
def test_dlpack_D14_unsupported_dtypes_are_rejected(dtype):
    for versioned in (False, True):
        structure = Made.from_array(np.arange(3.0), versioned=versioned)
        structure.managed.tensor.dtype = dl.DataType(*dtype)
        refused(structure, match="dtype")


@pytest.mark.parametrize("minor", [0, 1, 3, 9, 2**32 - 1])
def test_dlpack_D15_any_minor_version_is_accepted(minor):
    assert sk.from_dlpack(Made.from_array(np.arange(3.0), version=(1, minor)).capsule()).shape == (
        3,
    )


@pytest.mark.parametrize("major", [0, 2, 99, 2**32 - 1])
def test_dlpack_D15_only_the_deleter_is_used_of_other_major_versions(major):
    structure = Made.from_array(np.arange(3.0), version=(major, 0))
    # No other member may be read.
    structure.managed.tensor.ndim = -7
    structure.managed.tensor.data = 1
    capsule = structure.capsule()
    with pytest.raises(BufferError, match="version"):
        sk.from_dlpack(capsule)
    assert structure.deleted == 1
    del capsule
    assert structure.deleted == 1
    assert not dl.STRAY


def test_dlpack_D16_fewer_keywords_are_tried_after_a_type_error(cuda_device):
    x = to_device(cuda_device, np.arange(3.0))
    keyword_names = []

    class Stepwise:
        def __init__(self, most):
            self.most = most

        def __dlpack__(self, **keywords):
            keyword_names.append(sorted(keywords))
            if len(keywords) > self.most:
                raise TypeError("too many")
            return x.__dlpack__()

        def __dlpack_device__(self):
            return x.__dlpack_device__()

    for most in (0, 1, 2):
        assert to_numpy(sk.from_dlpack(Stepwise(most))).tolist() == [0, 1, 2]
    assert keyword_names == [
        ["max_version", "stream"],
        ["stream"],
        [],
        ["max_version", "stream"],
        ["stream"],
        ["max_version", "stream"],
    ]


def test_dlpack_asarray_falls_back_to_the_older_interface(cuda_device):
    x = to_device(cuda_device, np.arange(3.0))

    class Both:
        """Like PyTorch's tensors: has interface version 2, and may raise BufferError from DLPack."""

        error = BufferError("not on the current device")

        def __init__(self):
            about = {**x.__cuda_array_interface__, "version": 2}
            self.__cuda_array_interface__ = {k: v for k, v in about.items() if k != "stream"}

        def __dlpack__(self, **keywords):
            raise self.error

        def __dlpack_device__(self):
            return x.__dlpack_device__()

    assert pointer(sk.asarray(Both())) == pointer(x)
    with pytest.raises(BufferError, match="current device"):
        sk.from_dlpack(Both())
    Both.error = RuntimeError("something else")
    with pytest.raises(RuntimeError, match="something else"):
        sk.asarray(Both())


@pytest.mark.parametrize("device", ["cpu:0", "cuda:0"])
def test_dlpack_D16_type_errors_of_the_producer_are_kept_as_context(device):
    dl_device = sk.ones((1,), device=device).__dlpack_device__()

    class Broken:
        def __dlpack__(self, **keywords):
            raise TypeError(f"mine, {len(keywords)}")

        def __dlpack_device__(self):
            return dl_device

    with pytest.raises(TypeError, match="mine, 0") as caught:
        sk.from_dlpack(Broken())
    seen = []
    error = caught.value
    while error is not None:
        seen.append(str(error))
        error = error.__context__
    assert seen == (
        ["mine, 0", "mine, 1"] if device == "cpu:0" else ["mine, 0", "mine, 1", "mine, 2"]
    )


def test_dlpack_D16_errors_of_producers_pass_through():
    class Broken:
        error = KeyError("mine")

        def __dlpack__(self, **keywords):
            raise self.error

        def __dlpack_device__(self):
            return (1, 0)

    with pytest.raises(KeyError, match="mine"):
        sk.from_dlpack(Broken())
    Broken.error = BufferError("requires grad")
    with pytest.raises(BufferError, match="requires grad"):
        sk.from_dlpack(Broken())

    class NoDevice:
        def __dlpack__(self, **keywords):
            return None

    for value in (object(), NoDevice(), 3):
        with pytest.raises(AttributeError):
            sk.from_dlpack(value)
    for device_id in (3, (1,), ("1", 0), (1, 0, 0), None):
        with pytest.raises(TypeError):
            sk.from_dlpack(Producer(lambda: None, device_id))
    for device_id in ((2**40, 0), (1, 2**40)):
        with pytest.raises(BufferError):
            sk.from_dlpack(Producer(lambda: None, device_id))


def test_dlpack_D18_pinned_memory_is_imported_as_pinned_cpu_array():
    x = sk.ones((3,), pinned=True)
    y = sk.from_dlpack(x.__dlpack__(dl_device=(dl.CUDA_HOST, 0)))
    assert y.device == sk.Device("cpu:0")
    assert y.__dlpack_device__() == (dl.CUDA_HOST, 0)
    # The device type alone is not trusted.
    z = sk.from_dlpack(Made.from_array(np.arange(3.0), (dl.CUDA_HOST, 0)).capsule())
    assert z.__dlpack_device__() == (dl.CPU, 0)
    assert z.tolist() == [0, 1, 2]
