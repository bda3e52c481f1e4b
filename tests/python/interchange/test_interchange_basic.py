# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Export and import of arrays: buffer protocol, __cuda_array_interface__, DLPack."""

import array
import ctypes
import gc
import inspect
import struct
import weakref

import numpy as np
import pytest
import skerry as sk
from skerry.exceptions import InterchangeError

from tests.python.loops import loop_over
from tests.python.oracle import DTYPES, NUMPYS, to_device, to_numpy


class Interface:
    """Has a __cuda_array_interface__ and keeps its memory alive."""

    def __init__(self, owner, **changes):
        self.owner = owner
        self.__cuda_array_interface__ = {**owner.__cuda_array_interface__, **changes}


@pytest.mark.parametrize("dtype", DTYPES)
def test_buffer_protocol_shares_memory_both_ways(dtype):
    host = np.zeros((3, 4), dtype)
    x = sk.asarray(host[:, ::2], device="cpu:1")
    assert x.strides == host[:, ::2].strides
    host[1, 2] = 1
    assert x[1, 1].item() == 1
    back = np.asarray(x)
    assert back.dtype == np.dtype(dtype)
    assert np.shares_memory(back, host)
    assert x.tolist() == back.tolist()


def test_buffers_keep_their_owner():
    x = sk.asarray(np.arange(1000.0))
    gc.collect()
    assert float(sk.sum(x)) == 499500
    view = np.asarray(sk.arange(3))
    gc.collect()
    assert view.tolist() == [0, 1, 2]


def test_buffers_of_the_standard_library():
    assert sk.asarray(array.array("i", [1, 2])).dtype == np.int32
    assert sk.asarray(bytearray(b"ab")).tolist() == [97, 98]
    with pytest.raises(ValueError, match="read-only"):
        sk.asarray(memoryview(b"ab"))[0] = 1


def test_memory_that_needs_conversion_is_copied():
    odd = np.frombuffer(bytearray(41), dtype=np.uint8)[1:].view(np.float64)
    assert not odd.flags.aligned
    for host in (np.arange(3.0).astype(">f8"), odd):
        assert to_numpy(sk.asarray(host)).tolist() == host.tolist()
        with pytest.raises(ValueError, match="copy"):
            sk.asarray(host, copy=False)
    assert sk.asarray(np.ones(2, np.longdouble), dtype=sk.float32).tolist() == [1.0, 1.0]
    for host in (
        np.ones(2, np.longdouble),
        np.array(["a"]),
        np.array([None]),
        np.array(["2020-01-01"], "M8[D]"),
    ):
        with pytest.raises(TypeError):
            sk.asarray(host)


def test_cuda_arrays_are_not_copied_to_the_host_implicitly(cuda_device):
    x = sk.ones((3,), device=cuda_device)
    for convert in (np.asarray, np.array, bytes, lambda a: a.__array__("float32", False)):
        with pytest.raises(TypeError, match=r'x\.to_device\("cpu"\)'):
            convert(x)
    for name in ("__array_interface__", "__array_struct__"):
        assert not hasattr(x, name)
        with pytest.raises(AttributeError, match="to_device"):
            getattr(x, name)


@pytest.mark.parametrize("device", ["cpu:0", "cpu:1", "cuda:0"])
def test_there_is_no_buffer_protocol(device):
    """Its slot belongs to the type: torch.asarray would read CPU arrays as float32 bytes, and fail for arrays on a GPU."""
    x = sk.ones((3,), device=device)
    with pytest.raises(TypeError, match="bytes-like"):
        memoryview(x)
    with pytest.raises(TypeError):
        struct.unpack_from("d", x)
    assert struct.unpack_from("d", np.asarray(x.to_device("cpu"))) == (1.0,)


def test_bytes_are_the_elements_in_c_order():
    x = sk.asarray([[1, 2], [3, 4]], dtype="int16")
    assert bytes(x) == np.asarray(x).tobytes()
    assert bytes(x.T) == np.asarray(x).T.tobytes()
    assert bytes(sk.asarray(5)) == (5).to_bytes(8, "little")
    assert memoryview(np.asarray(x)).tolist() == [[1, 2], [3, 4]]


@loop_over("dtype", NUMPYS)
@loop_over("layout", ["whole", "T", "reversed", "strided", "stretched", "empty", "0-d"])
def test_the_array_interface(dtype, layout):
    base = sk.astype(to_device("cpu:1", np.arange(24).reshape(4, 6) % 2), dtype)
    x = {
        "whole": lambda: base,
        "T": lambda: base.T,
        "reversed": lambda: base[::-1, ::-1],
        "strided": lambda: base[1:, ::2],
        "stretched": lambda: sk.broadcast_to(base[0], (3, 6)),
        "empty": lambda: base[:, :0],
        "0-d": lambda: base[1, 1],
    }[layout]()

    class Carrier:
        def __init__(self, x):
            self.__array_interface__ = x.__array_interface__

    direct, by_dict = np.asarray(x), np.asarray(Carrier(x))
    about = x.__array_interface__
    assert about["data"][0] != 0
    assert about["strides"] == x.strides
    for host in (direct, by_dict):
        assert host.dtype == np.dtype(dtype)
        assert host.shape == x.shape
        assert host.tolist() == x.tolist()
        assert host.flags.aligned
        assert host.flags.writeable == (layout != "stretched")
        if x.size:
            assert host.strides == x.strides
            assert host.__array_interface__["data"][0] == about["data"][0]
    assert x.__array_interface__ is not about


def test_views_keep_the_memory_alive_and_release_it():
    gc.collect()
    old_live_bytes = sk.memory_statistics("cpu:0").live_bytes
    x = sk.ones((1000,))
    views = [np.asarray(x), np.asarray(x[::2]), x.__array__(), np.asarray(x.__array_struct__ and x)]
    capsule = x.__array_struct__
    reference = weakref.ref(x)
    del x
    gc.collect()
    assert reference() is not None
    assert views[1].sum() == 500
    del views
    gc.collect()
    assert reference() is not None
    del capsule
    gc.collect()
    assert reference() is None
    assert sk.memory_statistics("cpu:0").live_bytes == old_live_bytes


def test_array_method():
    x = sk.ones((3,))
    assert np.array(x, dtype="float32").dtype == np.float32
    assert np.shares_memory(np.asarray(x), np.asarray(x))
    assert not np.shares_memory(np.array(x, copy=True), np.asarray(x))
    for copy_needed in (
        lambda: x.__array__("float32", copy=False),
        lambda: x.__array__("float32", False),
    ):
        with pytest.raises(ValueError, match="copy"):
            copy_needed()
    with pytest.raises(ValueError, match="copy"):
        np.array(x, dtype="float32", copy=False)
    assert np.shares_memory(np.array(x, copy=False), np.asarray(x))
    assert np.shares_memory(x.__array__(), np.asarray(x))
    assert not np.shares_memory(x.__array__(copy=True), np.asarray(x))
    assert x.__array__("float32").dtype == np.float32
    assert np.asarray(sk.empty((0, 3))).shape == (0, 3)
    assert np.asarray(sk.asarray(2.5)).shape == ()


@loop_over("dtype", NUMPYS)
def test_cuda_array_interface(dtype, cuda_device):
    x = sk.zeros((3, 4), dtype=dtype, device=cuda_device)
    about = x.__cuda_array_interface__
    assert type(about) is dict
    typestr = np.dtype(dtype).str
    assert about["shape"] == (3, 4)
    assert about["typestr"] == typestr
    assert about["descr"] == [("", typestr)]
    assert about["strides"] is None
    assert (about["version"], about["stream"]) == (3, 1)
    pointer, read_only = about["data"]
    assert type(pointer) is int
    assert pointer > 0
    assert read_only is False
    assert x[:, 1:].__cuda_array_interface__["data"][0] == pointer + x.itemsize
    assert x.T.__cuda_array_interface__["strides"] == (x.itemsize, 4 * x.itemsize)
    stretched = sk.broadcast_to(x[0], (5, 4)).__cuda_array_interface__
    assert stretched["strides"] == (0, x.itemsize)
    assert stretched["data"][1] is True
    assert sk.empty((0, 3), device=cuda_device).__cuda_array_interface__["data"][0] == 0


def test_cuda_interface_is_a_property_absent_on_cpu_arrays(device):
    assert type(inspect.getattr_static(sk.Array, "__cuda_array_interface__")) is property
    x = sk.ones((2,), device=device)
    assert hasattr(x, "__cuda_array_interface__") == device.startswith("cuda")
    if device.startswith("cpu"):
        with pytest.raises(AttributeError, match="to_device"):
            x.__cuda_array_interface__


@pytest.mark.two_gpus
def test_import_of_the_interface_shares_memory_and_keeps_the_owner(cuda_device):
    base = to_device(cuda_device, np.arange(12.0).reshape(3, 4))
    for view in (base, base.T, base[::-1, ::2], base[1:, 2:], base[0, 0], base[:0]):
        y = sk.asarray(Interface(view))
        assert y.device == sk.Device(cuda_device) or y.size == 0
        assert np.array_equal(to_numpy(y), to_numpy(view))
    y = sk.asarray(Interface(base))
    y[0, 0] = 7.0
    assert float(base[0, 0]) == 7.0
    z = sk.asarray(Interface(sk.ones((1000,), device=cuda_device)))
    gc.collect()
    sk.zeros((1000,), device=cuda_device)
    assert float(sk.sum(z)) == 1000.0


@pytest.mark.parametrize(
    "changes",
    [
        {"shape": (-1,)},
        {"shape": (2**62, 2**62)},
        {"shape": ("a",)},
        {"typestr": ">f8"},
        {"typestr": "<f16"},
        {"typestr": 3},
        {"strides": (8, 8)},
        {"strides": (2**63,)},
        {"strides": (2**62,)},
        {"data": (0, False)},
        {"data": (12345, False)},
        {"data": (4096, False)},
        {"data": None},
        {"data": (2**64, False)},
        {"data": (-1, False)},
        {"stream": 0},
        {"stream": "1"},
    ],
    ids=str,
)
def test_bad_interfaces_are_rejected(changes, cuda_device):
    x = sk.ones((3,), device=cuda_device)
    with pytest.raises((ValueError, TypeError, OverflowError)) as caught:
        sk.asarray(Interface(x, **changes))
    assert str(caught.value)


def test_dlpack_to_numpy_and_back():
    x = to_device("cpu:0", np.arange(12.0).reshape(3, 4))
    for view in (x, x.T, x[::-1, 1:], x[0, 0], x[:0]):
        y = np.from_dlpack(view)
        assert np.array_equal(y, to_numpy(view))
    shared = np.from_dlpack(x)
    x[0, 0] = 5.0
    assert shared[0, 0] == 5.0
    host = np.arange(6).reshape(2, 3)
    y = sk.from_dlpack(host)
    host[0, 0] = 9
    assert int(y[0, 0]) == 9
    z = sk.from_dlpack(host, copy=True)
    host[0, 0] = 1
    assert int(z[0, 0]) == 9


@pytest.mark.parametrize("dtype", NUMPYS)
def test_dlpack_round_trip(dtype):
    x = sk.ones((2, 3), dtype=dtype)
    y = np.from_dlpack(x)
    assert y.dtype == np.dtype(dtype)
    assert sk.from_dlpack(y).dtype == np.dtype(dtype)


def test_dlpack_device_and_versions(cuda_device):
    x = sk.ones((2,))
    assert x.__dlpack_device__() == (1, 0)
    assert "dltensor_versioned" in repr(x.__dlpack__(max_version=(1, 0)))
    legacy = repr(x.__dlpack__())
    assert "dltensor" in legacy
    assert "versioned" not in legacy
    y = sk.ones((2,), device=cuda_device)
    assert y.__dlpack_device__()[0] == 2
    assert np.from_dlpack(y, device="cpu").tolist() == [1.0, 1.0]
    with pytest.raises(BufferError):
        y.__dlpack__(dl_device=(1, 0), copy=False)
    with pytest.raises(BufferError):
        x.__dlpack__(dl_device=(2, 0))
    with pytest.raises(BufferError):
        x.__dlpack__(stream=1)
    with pytest.raises(ValueError):
        y.__dlpack__(stream=0)
    for stream in (None, -1, 1):
        y.__dlpack__(stream=stream)


def test_dlpack_capsules_are_freed_whether_or_not_they_are_used():
    gc.collect()
    old_live_bytes = sk.memory_statistics("cpu:0").live_bytes
    for versioned in (None, (1, 0)):
        x = sk.ones((1000,))
        capsule = x.__dlpack__(max_version=versioned)
        del x, capsule
    y = np.from_dlpack(sk.ones((1000,)))
    del y
    gc.collect()
    assert sk.memory_statistics("cpu:0").live_bytes == old_live_bytes


def test_dlpack_of_own_arrays_and_of_a_producer_on_a_device(device):
    x = sk.ones((2,), device=device)
    y = sk.from_dlpack(x)
    y[0] = 3.0
    assert float(x[0]) == 3.0
    assert y.device == x.device

    class Producer:
        def __dlpack__(self, **keywords):
            return x.__dlpack__(**keywords)

        def __dlpack_device__(self):
            return x.__dlpack_device__()

    z = sk.from_dlpack(Producer(), device=device)
    assert z.device == sk.Device(device)
    assert to_numpy(z).tolist() == [3.0, 1.0]
    other = "cpu:0" if device != "cpu:0" else "cuda:0"
    assert sk.from_dlpack(x, device=other).device == sk.Device(other)
    with pytest.raises(InterchangeError) as caught:
        sk.from_dlpack(x, device=other, copy=False)
    assert isinstance(caught.value, BufferError)
    assert isinstance(caught.value, ValueError)


def test_read_only_arrays_and_dlpack():
    x = sk.broadcast_to(sk.ones((1,)), (3,))
    with pytest.raises(BufferError):
        x.__dlpack__()
    assert np.from_dlpack(x).flags.writeable is False


def test_producers_without_keywords_and_producers_that_fail():
    class Old:
        def __init__(self, x):
            self.x = x

        def __dlpack__(self, stream=None):
            return self.x.__dlpack__()

        def __dlpack_device__(self):
            return (1, 0)

    assert sk.from_dlpack(Old(sk.arange(3))).tolist() == [0, 1, 2]

    class Broken(Old):
        def __dlpack__(self, **keywords):
            raise KeyError("mine")

    with pytest.raises(KeyError):
        sk.from_dlpack(Broken(None))

    class Empty(Old):
        def __dlpack__(self, **keywords):
            return 3

    with pytest.raises(ValueError):
        sk.from_dlpack(Empty(None))
    # AttributeError as in the standard, TypeError as for any wrong argument.
    for kind in (AttributeError, TypeError):
        with pytest.raises(kind, match=r"from_dlpack: x .* object has no __dlpack__"):
            sk.from_dlpack(object())
    capsule = sk.ones((3,)).__dlpack__()

    class Twice(Old):
        def __dlpack__(self, **keywords):
            return capsule

    first = sk.from_dlpack(Twice(None))
    with pytest.raises(ValueError):
        sk.from_dlpack(Twice(None))
    assert first.tolist() == [1.0, 1.0, 1.0]


def test_pointer_of_rehearsed_memory_is_readable_on_the_host(cuda_device):
    x = sk.arange(5, device=cuda_device)
    sk.synchronize(cuda_device)
    if not x.device.info.rehearsal:
        pytest.skip("the pointer of a real GPU can't be read by the host")
    pointer = x.__cuda_array_interface__["data"][0]
    assert list((ctypes.c_int64 * 5).from_address(pointer)) == [0, 1, 2, 3, 4]
