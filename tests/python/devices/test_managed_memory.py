# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""``managed=True``: memory of a CUDA device that the host can access, too."""

import copy
import gc
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest
import skerry as sk
from skerry.exceptions import GuardError, InterchangeError, OutOfMemoryError
from skerry.testing import count_cuda_calls, instruments

from tests.python.ledger import Comparison
from tests.python.session import HAS_GPU

DEVICE = "cuda:0"
CPU, CUDA, CUDA_MANAGED = 1, 2, 13  # DLPack's codes
#: name -> creation of an array of a shape, dtype and device in managed memory
CREATE = {
    "empty": lambda *args, **options: sk.empty(*args, managed=True, **options),
    "zeros": lambda *args, **options: sk.zeros(*args, managed=True, **options),
    "ones": lambda *args, **options: sk.ones(*args, managed=True, **options),
    "full": lambda shape, dtype, **options: sk.full(shape, 7, dtype, managed=True, **options),
}
VALUES = {"zeros": 0, "ones": 1, "full": 7}


def arange(n, dtype="float64", device=DEVICE):
    x = sk.empty(n, dtype, device=device, managed=True)
    x[...] = sk.arange(n, dtype=dtype, device=device)
    return x


def address(x):
    return x.data.ptr


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("shape", [(), (0,), (3, 0), (1,), (4097,), (31, 33)])
@pytest.mark.parametrize("dtype", ["bool", "int64", "float32", "complex64"])
@pytest.mark.parametrize("name", CREATE)
def test_arrays_are_on_the_device_and_the_host(name, dtype, shape, order, cuda_device):
    x = CREATE[name](shape, dtype, order=order, device=cuda_device)
    assert instruments.is_managed(x)
    assert not instruments.is_pinned(x)
    assert (str(x.device), x.shape, x.dtype) == (
        cuda_device,
        shape,
        sk.zeros((), dtype=dtype).dtype,
    )
    view = np.asarray(x)
    assert (view.shape, view.dtype, view.flags.f_contiguous) == (
        shape,
        np.dtype(dtype),
        np.empty(shape, order=order).flags.f_contiguous,
    )
    if x.size > 0:
        assert view.ctypes.data == address(x)
    if name in VALUES:
        assert (view == np.full(shape, VALUES[name], dtype)).all()


def test_other_arrays_are_not_managed(device):
    x = sk.ones(3, device=device)
    assert not instruments.is_managed(x)
    y = sk.ones(3, device=DEVICE, managed=True)
    others = [y + 1, sk.empty_like(y), y.copy(), copy.deepcopy(y), y.to_device("cuda:1")]
    assert [instruments.is_managed(z) for z in others] == [False] * len(others)
    assert instruments.is_managed(y[1:])
    assert instruments.is_managed(y.to_device(DEVICE))


@pytest.mark.parametrize("device", ["cpu:0", "cpu:1"])
@pytest.mark.parametrize("name", CREATE)
def test_cpu_devices_have_none(name, device):
    with pytest.raises(ValueError, match=f"managed=True is for CUDA devices, not {device}"):
        CREATE[name]((3,), "float64", device=device)
    with pytest.raises(ValueError, match="managed=True is for CUDA devices"):
        CREATE[name]((3,), "float64", device=device, pinned=True)


def test_it_is_not_pinned():
    with pytest.raises(ValueError, match="pinned=True is for CPU devices, not cuda:0"):
        sk.zeros(3, device=DEVICE, managed=True, pinned=True)


def test_invalid_shapes_raise():
    with pytest.raises(ValueError, match="negative"):
        sk.zeros(-1, device=DEVICE, managed=True)
    with pytest.raises(ValueError):
        sk.zeros(1 << 62, device=DEVICE, managed=True)


def test_both_sides_see_what_the_other_writes():
    x = arange(1000)
    view = np.asarray(x)
    view[:3] = -1
    y = x * 2
    assert y.tolist() == [-2, -2, -2, *range(6, 2000, 2)]
    x += 1
    assert np.asarray(x)[:4].tolist() == [0, 0, 0, 4]
    np.asarray(x[::-2])[0] = 50
    assert x[999].item() == 50


@pytest.mark.parametrize("index", [np.s_[2:], np.s_[::-1], np.s_[1::3], np.s_[..., None]], ids=str)
def test_views_of_the_host_have_the_layout(index):
    x = arange(100, "int64")
    view = np.asarray(x[index])
    assert view.ctypes.data == address(x[index])
    assert view.strides == np.arange(100)[index].strides
    assert (view == np.arange(100)[index]).all()
    matrix = sk.reshape(x, (10, 10)).T
    assert (np.asarray(matrix) == np.arange(100).reshape(10, 10).T).all()


#: Accesses of the host that share the memory.
ACCESSES = {
    "asarray": np.asarray,
    "array": lambda x: np.array(x, copy=None),
    "__array__": lambda x: x.__array__(),
    "from_dlpack": np.from_dlpack,
    "from_dlpack on the host": lambda x: np.from_dlpack(x, device="cpu"),
    "memoryview": lambda x: np.asarray(memoryview(x.data)),
    "__array_interface__": lambda x: np.asarray(Interface(x)),
}


class Interface:
    """An object with the array interface of an array."""

    def __init__(self, x):
        self.x = x
        self.__array_interface__ = x.__array_interface__


@pytest.mark.parametrize("name", ACCESSES)
def test_the_host_waits_for_the_work_on_the_array(name):
    x = arange(10)
    with instruments.delayed_work(0.05):
        x += 1
        with sk.Stream(DEVICE):
            x *= 2
    view = ACCESSES[name](x)
    assert view.tolist() == [2.0 * (i + 1) for i in range(10)]
    assert view.ctypes.data == address(x)
    del x
    gc.collect()
    assert view[9] == 20.0  # the view keeps the memory


def test_the_host_waits_for_the_readers_before_it_writes():
    x = arange(10)
    with instruments.delayed_work(0.05), sk.Stream(DEVICE):
        y = x + 1
    np.asarray(x)[...] = -1
    assert y.tolist() == [float(i + 1) for i in range(10)]


@pytest.mark.parametrize("name", ACCESSES)
def test_an_access_is_a_wait_and_no_transfer(name):
    x = arange(10)
    with sk.guard() as ledger:
        ACCESSES[name](x)
    assert {entry.kinds for entry in ledger.entries} == {("sync",)}
    assert {entry.cause for entry in ledger.syncs} == {"access of the host to managed memory"}
    assert {entry.source for entry in ledger.syncs} == {DEVICE}
    with sk.guard(syncs="raise"), pytest.raises(GuardError, match="managed memory"):
        ACCESSES[name](x)


@pytest.mark.skipif(HAS_GPU, reason="compares with the count of rehearsed devices")
def test_the_ledger_counts_what_the_machine_counts():
    x = arange(1000)
    host = np.arange(1000.0)
    with Comparison() as comparison:
        np.asarray(x)
        x.to_device("cpu")
        x.to_device("cuda:1").to_device(DEVICE)
        x[...] = sk.asarray(host, device=DEVICE)
        sk.sum(x).item()
    comparison.check()


def test_errors_of_earlier_work_are_raised():
    x = arange(10)
    x[...] = sk.take(sk.arange(10.0, device=DEVICE), sk.full(10, 99, device=DEVICE))
    with pytest.raises(IndexError):
        np.asarray(x)
    np.asarray(x)


@pytest.mark.parametrize("target", ["cpu:0", "cpu:1", "cuda:0", "cuda:1"])
def test_copies_to_and_from_other_memory(target):
    expected = [float(i) for i in range(5000)]
    x = arange(5000)
    assert x.to_device(target).tolist() == expected
    other = sk.arange(5000.0, device=target)
    y = sk.empty(5000, device="cuda:1", managed=True)
    y[...] = other.to_device("cuda:1")
    assert np.asarray(y).tolist() == expected
    assert y.to_device(target).tolist() == expected


def test_copies_from_pinned_memory():
    pinned = sk.ones(100, pinned=True)
    x = sk.zeros(100, device=DEVICE, managed=True)
    x[...] = pinned.to_device(DEVICE)
    pinned[...] = 0
    assert x.tolist() == [1.0] * 100


def test_dlpack_names_managed_memory(cuda_device):
    x = sk.ones(3, device=cuda_device, managed=True)
    index = x.device.info.physical_index
    assert x.__dlpack_device__() == (CUDA_MANAGED, index)
    y = sk.from_dlpack(x.__dlpack__(max_version=(1, 0)))
    assert instruments.is_managed(y)
    assert address(y) == address(x)
    for name in [(CUDA_MANAGED, index), (CUDA, index), (CPU, 0)]:
        z = sk.from_dlpack(x.__dlpack__(max_version=(1, 0), dl_device=name, copy=False))
        assert address(z) == address(x)
        assert (z.device.kind == "cpu") == (name[0] == CPU)
    with pytest.raises(InterchangeError, match="can't be exported"):
        x.__dlpack__(dl_device=(3, 0))


def test_dlpack_copies_are_managed_unless_another_device_is_named():
    x = arange(3)
    for options, is_managed in [
        ({}, True),
        ({"dl_device": x.__dlpack_device__()}, True),
        ({"dl_device": (CUDA, x.device.info.physical_index)}, False),
        ({"dl_device": (CPU, 0)}, False),
    ]:
        y = sk.from_dlpack(x.__dlpack__(copy=True, **options))
        assert instruments.is_managed(y) is is_managed
        assert address(y) != address(x)
        assert y.tolist() == [0, 1, 2]
    z = np.from_dlpack(x, copy=True)
    z[0] = 9
    assert x[0].item() == 0


class Producer:
    """Another library's array in managed memory."""

    def __init__(self, x):
        self.x = x
        self.streams = []

    def __dlpack_device__(self):
        return self.x.__dlpack_device__()

    def __dlpack__(self, *, stream=None, **options):
        self.streams.append(stream)
        return self.x.__dlpack__(stream=stream, **options)


def test_managed_memory_of_other_libraries_is_imported():
    x = arange(10)
    producer = Producer(x)
    with sk.guard(syncs="raise"):  # a consumer that names its stream does not wait
        y = sk.from_dlpack(producer)
    assert producer.streams == [1]
    assert instruments.is_managed(y)
    y += 1
    assert np.asarray(x).tolist() == [float(i + 1) for i in range(10)]
    with pytest.raises(InterchangeError):
        sk.from_dlpack(producer, device="cuda:1", copy=False)
    assert sk.from_dlpack(producer, device="cpu").tolist() == y.tolist()


def test_the_cuda_array_interface_is_that_of_the_device():
    x = arange(4)
    interface = x.__cuda_array_interface__
    assert interface["data"] == (address(x), False)
    assert interface["stream"] == 1


def test_read_only_arrays_have_read_only_views():
    x = sk.broadcast_to(sk.ones((1,), device=DEVICE, managed=True), (3,))
    view = np.asarray(x)
    assert not view.flags.writeable
    assert view.strides == (0,)


def test_pickle_and_repr_are_those_of_the_device():
    x = arange(4)
    ordinary = sk.arange(4.0, device=DEVICE)
    assert repr(x) == repr(ordinary)
    assert str(x) == str(ordinary)
    y = pickle.loads(pickle.dumps(x))
    assert y.device == x.device
    assert not instruments.is_managed(y)
    assert y.tolist() == x.tolist()


def test_memory_is_counted_and_freed():
    old = sk.memory_statistics(DEVICE).live_bytes
    x = sk.empty(1 << 20, "uint8", device=DEVICE, managed=True)
    assert sk.memory_statistics(DEVICE).live_bytes == old + (1 << 20)
    view = np.asarray(x)
    del x
    assert sk.memory_statistics(DEVICE).live_bytes == old + (1 << 20)
    del view
    assert sk.memory_statistics(DEVICE).live_bytes == old


def test_the_limit_counts_managed_memory():
    sk.trim(DEVICE)
    limit = sk.memory_statistics(DEVICE).live_bytes + (1 << 20)
    sk.set_memory_limit(DEVICE, limit)
    try:
        x = sk.empty(1 << 19, "uint8", device=DEVICE, managed=True)
        with pytest.raises(OutOfMemoryError):
            sk.empty(1 << 20, "uint8", device=DEVICE, managed=True)
        with pytest.raises(OutOfMemoryError):
            sk.empty(1 << 20, "uint8", device=DEVICE)
        del x
        sk.empty(1 << 20, "uint8", device=DEVICE)
    finally:
        sk.set_memory_limit(DEVICE, None)


@pytest.mark.not_guarded("nothing is cached")
@pytest.mark.skipif(HAS_GPU, reason="an emulated GPU caches nothing")
def test_freed_memory_is_reused_without_a_call():
    def step():
        x = sk.zeros(1 << 16, device=DEVICE, managed=True)
        return x + 1

    step()
    with count_cuda_calls() as calls:
        step()
    assert not {"allocate_managed", "deallocate"} & set(calls)
    # The two kinds of memory have caches of their own.
    sk.zeros(1 << 16, device=DEVICE)
    assert instruments.is_managed(sk.zeros(1 << 16, device=DEVICE, managed=True))
    assert not instruments.is_managed(sk.zeros(1 << 16, device=DEVICE))


def test_memory_that_another_stream_uses_is_not_reused_before():
    stream = sk.Stream(DEVICE)
    x = arange(1000)
    with instruments.delayed_work(0.05), stream:
        y = x + 1
    del x
    z = sk.full(1000, -1.0, device=DEVICE, managed=True)
    assert y.tolist() == [float(i + 1) for i in range(1000)]
    assert z.tolist() == [-1.0] * 1000


def test_allocators_are_not_called():
    def refuse(*args):
        raise AssertionError("called")

    sk.set_allocator(DEVICE, (refuse, refuse))
    try:
        x = sk.empty(100, device=DEVICE, managed=True)
    finally:
        sk.set_allocator(DEVICE, None)
    assert instruments.is_managed(x)


def test_a_graph_allocates_none_and_uses_what_exists():
    def allocate(x):
        return x + sk.ones(3, device=DEVICE, managed=True)

    with pytest.raises(ValueError, match="managed memory"):
        sk.capture(allocate, sk.ones(3, device=DEVICE))

    x = arange(3)
    graph = sk.capture(lambda y: y + x, sk.ones(3, device=DEVICE))
    np.asarray(x)[...] = 5
    assert graph(sk.ones(3, device=DEVICE)).tolist() == [6.0] * 3

    with pytest.raises(GuardError, match="managed memory"):
        sk.capture(lambda y: sk.asarray(np.asarray(x)), sk.ones(3, device=DEVICE))


def test_views_of_the_host_share_memory():
    x = sk.ones(3, device=DEVICE, managed=True)
    for function in (np.shares_memory, np.may_share_memory, sk.shares_memory, sk.may_share_memory):
        assert function(np.asarray(x), x)
        assert function(x[1:], x)
        assert not function(x[:1], x[1:])
        assert not function(x, sk.ones(3, device=DEVICE))
        assert not function(x, np.ones(3))


def test_blocks_are_traced_by_kind():
    gc.collect()
    with instruments.traced_memory():
        x = sk.ones(100, device=DEVICE, managed=True)
        assert [block.kind for block in sk.memory_snapshot(DEVICE).blocks] == ["managed"]
        del x


@pytest.mark.skipif(HAS_GPU, reason="a setting of rehearsed devices")
def test_devices_without_managed_memory_raise():
    program = (
        "import skerry as sk\n"
        "try:\n    sk.zeros(3, device='cuda:0', managed=True)\n"
        "except NotImplementedError as error:\n    print(error)\n"
        "print(sk.zeros(3, device='cuda:0').tolist())\n"
    )
    environment = {"SKERRY_REHEARSE_MANAGED_MEMORY": "0", "SKERRY_REHEARSE": "1"}
    printed = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert printed.startswith("zeros: cuda:0 has no managed memory")
    assert printed.endswith("[0.0, 0.0, 0.0]\n")
