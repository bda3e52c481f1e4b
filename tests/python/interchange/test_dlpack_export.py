# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""``x.__dlpack__``: the cases D1 to D21 of DLPack's exchange that concern the producer."""

import ctypes
import gc
import pathlib
import subprocess
import sys
import weakref

import numpy as np
import pytest
import skerry as sk
from skerry.testing import count_cuda_calls
from skerry.testing.instruments import failing_allocation

from tests.python.interchange import dlpack_structs as dl
from tests.python.loops import loop_over
from tests.python.oracle import DTYPES, to_device, to_numpy

VERSIONED = {"max_version": (1, 0)}


def layouts(device="cpu:0", dtype="float64"):
    x = to_device(device, np.arange(24).astype(dtype).reshape(2, 3, 4))
    return {
        "C": x,
        "transposed": sk.permute_dims(x, (2, 0, 1)),
        "reversed": x[::-1, :, ::-1],
        "stepped": x[:, ::2, 1::2],
        "broadcast": sk.broadcast_to(x[:1], (5, 3, 4)),
        "0-d": x[1, 2, 3],
        "rank 9": sk.reshape(x, (1, 2, 1, 3, 1, 4, 1, 1, 1)),
        "offset": x[1:, 1:, 1:],
    }


@pytest.mark.parametrize(
    ("max_version", "name", "written"),
    [
        (None, "dltensor", None),
        ((0, 8), "dltensor", None),
        ((1, 0), "dltensor_versioned", (1, 0)),
        ((1, 3), "dltensor_versioned", (1, 3)),
        ((1, 9), "dltensor_versioned", (1, 3)),
        ((2, 0), "dltensor_versioned", (1, 3)),
        ((99, 0), "dltensor_versioned", (1, 3)),
    ],
)
def test_dlpack_D01_capsule_name_by_max_version(max_version, name, written, device):
    capsule = sk.ones((3,), device=device).__dlpack__(max_version=max_version)
    assert dl.name_of(capsule) == name
    if written:
        version = dl.opened(capsule).version
        assert (version.major, version.minor) == written


@pytest.mark.parametrize("max_version", [1, "10", (1,), (1, 0, 0), ("1", "0"), (1.0, 0)])
def test_dlpack_D01_max_version_of_another_type(max_version):
    with pytest.raises(TypeError):
        sk.ones((3,)).__dlpack__(max_version=max_version)


def test_dlpack_D02_capsule_is_renamed_and_rejected_by_a_second_consumer():
    x = sk.ones((3,))
    for keywords in ({}, VERSIONED):
        capsule = x.__dlpack__(**keywords)
        np.from_dlpack(dl.Producer(lambda c=capsule: c))
        assert dl.name_of(capsule).startswith("used_dltensor")
        with pytest.raises(ValueError):
            np.from_dlpack(dl.Producer(lambda c=capsule: c))


@pytest.mark.parametrize("keywords", [{}, VERSIONED], ids=["legacy", "versioned"])
def test_dlpack_D03_only_an_unconsumed_capsule_frees_its_tensor(keywords, device):
    gc.collect()
    old_live_bytes = sk.memory_statistics(device).live_bytes
    x = sk.ones((1000,), device=device)
    capsule = x.__dlpack__(**keywords)
    del x
    gc.collect()
    assert sk.memory_statistics(device).live_bytes > old_live_bytes
    del capsule
    assert sk.memory_statistics(device).live_bytes == old_live_bytes
    x = sk.ones((1000,), device=device)
    capsule = x.__dlpack__(**keywords)
    imported_array = sk.from_dlpack(capsule)
    del x, capsule
    gc.collect()
    assert to_numpy(imported_array).sum() == 1000
    del imported_array
    assert sk.memory_statistics(device).live_bytes == old_live_bytes


def test_dlpack_D03_capsule_is_freed_while_an_error_propagates():
    def leave():
        capsule = sk.ones((3,)).__dlpack__()
        raise KeyError(dl.name_of(capsule))

    with pytest.raises(KeyError, match="dltensor"):
        leave()


@pytest.mark.parametrize("name", list(layouts()))
def test_dlpack_D05_D06_strides_are_set_and_byte_offset_is_zero(name, device):
    x = layouts(device)[name]
    for keywords in ({"max_version": (1, 3)}, {} if name != "broadcast" else VERSIONED):
        capsule = x.__dlpack__(**keywords)
        tensor = dl.opened(capsule).tensor
        assert x.ndim == 0 or bool(tensor.strides)
        assert dl.described(tensor) == (x.shape, x.strides, x.dtype)
        assert tensor.byte_offset == 0
        if not device.startswith("cuda"):
            assert tensor.data == np.asarray(x).__array_interface__["data"][0]
        else:
            assert tensor.data == x.__cuda_array_interface__["data"][0]


class OddStrides:
    """Memory that DLPack can't describe, as its strides are in elements."""

    def __init__(self, owner):
        self.owner = owner
        changes = {"shape": (3,), "strides": (12,)}
        self.__cuda_array_interface__ = {**owner.__cuda_array_interface__, **changes}


def test_dlpack_D05_strides_that_are_not_multiples_of_the_itemsize_are_rejected(cuda_device):
    x = sk.ones((10,), device=cuda_device)
    with pytest.raises(ValueError, match="stride"):
        sk.asarray(OddStrides(x)).__dlpack__()


def test_dlpack_D07_no_elements_no_pointer(device):
    for shape in ((0,), (3, 0, 2), (0, 0)):
        tensor = dl.opened(sk.ones(shape, device=device).__dlpack__()).tensor
        assert tensor.data is None
        assert dl.described(tensor)[0] == shape
    sliced = sk.ones((4, 4), device=device)[2:2, 1:]
    assert dl.opened(sliced.__dlpack__()).tensor.data is None


def test_dlpack_D08_read_only_is_flagged_and_never_legacy(device):
    x = sk.broadcast_to(sk.ones((1,), device=device), (3,))
    assert dl.opened(x.__dlpack__(**VERSIONED)).flags == dl.READ_ONLY
    assert dl.opened(sk.ones((3,), device=device).__dlpack__(**VERSIONED)).flags == 0
    with pytest.raises(BufferError, match="read-only"):
        x.__dlpack__()
    assert dl.name_of(x.__dlpack__(copy=True)) == "dltensor"
    if device.startswith("cpu"):
        assert np.from_dlpack(x).flags.writeable is False


def test_dlpack_D09_is_copied_if_and_only_if_copied(device):
    x = sk.ones((3,), device=device)
    for copy in (None, False):
        assert dl.opened(x.__dlpack__(copy=copy, **VERSIONED)).flags & dl.IS_COPIED == 0
    assert dl.opened(x.__dlpack__(copy=True, **VERSIONED)).flags == dl.IS_COPIED
    on_host = dl.opened(x.__dlpack__(dl_device=(dl.CPU, 0), **VERSIONED)).flags
    assert on_host == (dl.IS_COPIED if device.startswith("cuda") else 0)


@pytest.mark.parametrize("copy", [None, True, False])
def test_dlpack_D10_copy_by_device(copy, device):
    x = to_device(device, np.arange(4.0))
    same = dl.opened(x.__dlpack__(copy=copy, dl_device=x.__dlpack_device__(), **VERSIONED))
    data_pointer = dl.opened(x.__dlpack__(**VERSIONED)).tensor.data
    assert (same.tensor.data == data_pointer) == (copy is not True)
    if device.startswith("cuda"):
        if copy is False:
            with pytest.raises(BufferError, match="copy"):
                x.__dlpack__(copy=copy, dl_device=(dl.CPU, 0))
        else:
            host_copy = sk.from_dlpack(x.__dlpack__(copy=copy, dl_device=(dl.CPU, 0)))
            assert host_copy.device == sk.Device("cpu:0")
            assert host_copy.tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("stream", [None, 1, 2, -1])
def test_dlpack_D11_host_copy_is_complete(stream, cuda_device):
    side = sk.Stream(cuda_device)
    with sk.stream(side):
        x = sk.ones((300, 300), device=cuda_device)
        for _ in range(5):
            x = x @ x / 300.0
        capsule = x.__dlpack__(dl_device=(dl.CPU, 0), stream=stream)
    tensor = dl.opened(capsule).tensor
    assert (tensor.device.type, tensor.device.index) == (dl.CPU, 0)
    values = (ctypes.c_double * 90000).from_address(tensor.data)
    assert np.allclose(values, 1.0)


@pytest.mark.parametrize(
    "dl_device",
    [(dl.CUDA, 7), (dl.CUDA_HOST, 0), (dl.ROCM, 0), (dl.CPU, 1), (2**40 + 1, 0), (0, 0)],
)
def test_dlpack_D12_other_devices_are_rejected(dl_device, device):
    with pytest.raises(BufferError, match="to_device"):
        sk.ones((3,), device=device).__dlpack__(dl_device=dl_device)


def test_dlpack_D12_a_cpu_array_is_not_moved_to_a_gpu_and_types_are_checked(cuda_device):
    with pytest.raises(BufferError):
        sk.ones((3,)).__dlpack__(dl_device=(dl.CUDA, 0))
    for dl_device in (1, "cpu", (1,), ("1", 0), [1, 0, 0]):
        with pytest.raises(TypeError):
            sk.ones((3,), device=cuda_device).__dlpack__(dl_device=dl_device)


@pytest.mark.parametrize("stream", [0, -2, -(2**63), 2**63, 2**70])
def test_dlpack_D13_invalid_stream_values(stream, cuda_device):
    with pytest.raises(ValueError, match="stream"):
        sk.ones((3,), device=cuda_device).__dlpack__(stream=stream)


def test_dlpack_D13_unknown_streams_and_streams_of_another_device():
    x = sk.ones((3,), device="cuda:0")
    other = sk.devices("cuda")[-1]
    if x.device.info.rehearsal:
        with pytest.raises(ValueError, match="not a stream of cuda:0"):
            x.__dlpack__(stream=0xDEAD000)
    if other.info.physical_index != x.device.info.physical_index:
        with pytest.raises(ValueError, match="not a stream of cuda:0"):
            x.__dlpack__(stream=sk.Stream(other).handle)


@pytest.mark.parametrize("stream", ["a", True, False, 1.0, (1,), b"1"])
def test_dlpack_D13_stream_types(stream, cuda_device):
    with pytest.raises(TypeError, match="stream"):
        sk.ones((3,), device=cuda_device).__dlpack__(stream=stream)


def test_dlpack_D13_stream_of_a_cpu_array_is_none():
    x = sk.ones((3,))
    x.__dlpack__(stream=None)
    for stream in (1, -1, 0, "a"):
        with pytest.raises(BufferError, match="stream"):
            x.__dlpack__(stream=stream)


def test_dlpack_D13_streams_are_ordered_by_an_event_and_never_waited_for(cuda_device):
    side, consumer = sk.Stream(cuda_device), sk.Stream(cuda_device)
    x = sk.ones((3,), device=cuda_device)

    def calls_of(stream, **current):
        with count_cuda_calls() as calls:
            if current:
                with sk.stream(side):
                    x.__dlpack__(stream=stream)
            else:
                x.__dlpack__(stream=stream)
        assert not any("synchronize" in name for name in calls)
        return calls.get("event_record", 0), calls.get("stream_wait_event", 0)

    # Work is on the legacy default stream, which None means as well.
    assert calls_of(None) == calls_of(1) == calls_of(-1) == (0, 0)
    assert calls_of(2) == calls_of(consumer.handle) == (1, 1)
    assert calls_of(np.int64(consumer.handle)) == (1, 1)
    # Work is on a side stream.
    sk.synchronize(cuda_device)
    assert calls_of(None, current_stream=side) == calls_of(1, current_stream=side) == (1, 1)
    assert calls_of(side.handle, current_stream=side) == calls_of(-1, current_stream=side) == (0, 0)


def test_dlpack_D13_consumers_stream_waits_for_pending_work(cuda_device):
    side, consumer = sk.Stream(cuda_device), sk.Stream(cuda_device)
    x = sk.ones((400, 400), device=cuda_device)
    sk.synchronize(cuda_device)
    with sk.stream(side):
        for _ in range(10):
            y = x @ x
        capsule = y.__dlpack__(stream=consumer.handle)
    consumer.synchronize()
    assert side.idle
    del capsule


@loop_over("dtype", DTYPES)
def test_dlpack_D14_types_have_one_lane_and_bool_has_eight_bits(dtype, device):
    about = dl.opened(sk.ones((2,), dtype=dtype, device=device).__dlpack__()).tensor.dtype
    numpy_dtype = np.dtype(dtype)
    assert (about.code, about.bits) == (dl.CODES[numpy_dtype.kind], 8 * numpy_dtype.itemsize)
    assert about.lanes == 1


def test_dlpack_D16_unknown_keywords_are_a_type_error(device):
    x = sk.ones((2,), device=device)
    with pytest.raises(TypeError, match="no_such"):
        x.__dlpack__(no_such=1)
    with pytest.raises(TypeError):
        x.__dlpack__(None)
    with pytest.raises(TypeError):
        x.__dlpack_device__(1)


def test_dlpack_D17_no_keywords_at_all(device):
    capsule = sk.ones((2,), device=device).__dlpack__()
    assert dl.name_of(capsule) == "dltensor"
    assert dl.opened(capsule).tensor.shape[0] == 2


def test_dlpack_D18_host_memory_has_id_zero():
    for device in ("cpu:0", "cpu:1"):
        x = sk.ones((2,), device=device)
        assert x.__dlpack_device__() == (dl.CPU, 0)
        dl_device = dl.opened(x.__dlpack__()).tensor.device
        assert (dl_device.type, dl_device.index) == (dl.CPU, 0)


def test_dlpack_D18_pinned_memory_is_cuda_host_on_request():
    x = sk.ones((2,), pinned=True)
    assert x.__dlpack_device__() == (dl.CUDA_HOST, 0)

    def exported_device(**keywords):
        capsule = x.__dlpack__(**keywords)
        dl_device = dl.opened(capsule).tensor.device
        return dl_device.type, dl_device.index

    # PyTorch rejects kDLCUDAHost in a capsule; it also exports its own pinned tensors as kDLCPU.
    assert exported_device() == exported_device(dl_device=(dl.CPU, 0)) == (dl.CPU, 0)
    assert exported_device(dl_device=(dl.CUDA_HOST, 0)) == (dl.CUDA_HOST, 0)
    # mpi4py passes -1 for all devices but kDLCPU.
    assert exported_device(stream=-1) == exported_device(stream=1) == (dl.CPU, 0)
    with pytest.raises(ValueError):
        exported_device(stream=0)
    assert np.from_dlpack(x).tolist() == [1.0, 1.0]


def test_dlpack_D18_cuda_memory_has_the_ordinal_of_the_runtime(cuda_device):
    x = sk.ones((2,), device=cuda_device)
    assert x.__dlpack_device__() == (dl.CUDA, x.device.info.physical_index)
    dl_device = dl.opened(x.__dlpack__()).tensor.device
    assert (dl_device.type, dl_device.index) == x.__dlpack_device__()


class Owner(np.ndarray):
    """NumPy memory that supports weak references."""


@pytest.mark.parametrize("keywords", [{}, VERSIONED], ids=["legacy", "versioned"])
def test_dlpack_D19_the_owner_lives_until_the_deleter(keywords):
    owner = np.arange(5.0).view(Owner)
    watch = weakref.ref(owner)
    capsule = sk.asarray(owner).__dlpack__(**keywords)
    del owner
    gc.collect()
    assert watch() is not None
    imported_array = np.from_dlpack(dl.Producer([capsule].pop))
    del capsule
    view = imported_array[::2]
    del imported_array
    gc.collect()
    assert watch() is not None
    assert view.tolist() == [0, 2, 4]
    del view
    gc.collect()
    assert watch() is None


@pytest.mark.skipif(sys.platform != "linux", reason="pthread_create by its name in libc")
@pytest.mark.parametrize("keywords", [{}, VERSIONED], ids=["legacy", "versioned"])
def test_dlpack_D19_the_deleter_needs_no_gil(keywords, device):
    gc.collect()
    old_live_bytes = sk.memory_statistics(device).live_bytes
    capsule = sk.ones((1000,), device=device).__dlpack__(**keywords)
    managed = dl.opened(capsule)
    dl.set_name(capsule, b"used_dltensor")
    # PyDLL keeps the GIL while this thread waits: a deleter that needed it would deadlock.
    library = ctypes.PyDLL(None)
    thread = ctypes.c_ulong()
    address = ctypes.c_void_p(ctypes.addressof(managed))
    start = ctypes.c_void_p(managed.deleter)
    assert library.pthread_create(ctypes.byref(thread), None, start, address) == 0
    assert library.pthread_join(thread, None) == 0
    assert sk.memory_statistics(device).live_bytes == old_live_bytes


AFTER_THE_END = """
import ctypes, sys
import numpy as np, skerry as sk
from tests.python.interchange import dlpack_structs as dl
array = {
    "own": lambda: sk.ones((1000,)),
    "cuda": lambda: sk.ones((1000,), device="cuda:0"),
    "pinned": lambda: sk.ones((1000,), pinned=True),
    "numpy": lambda: sk.asarray(np.ones(1000)),
    "foreign": lambda: sk.from_dlpack(dl.Made.from_array(np.ones(10)).capsule()),
}[sys.argv[1]]()
capsule = array.__dlpack__(max_version=(1, 0))
managed = dl.opened(capsule)
dl.set_name(capsule, b"used_dltensor_versioned")
del array
library = ctypes.CDLL(None)
# What exit() calls comes after Py_Finalize, in reverse order.
puts = ctypes.cast(library.puts, ctypes.c_void_p)
text = ctypes.create_string_buffer(b"freed after the end")
kept = [text, managed]
ctypes.pythonapi.Py_IncRef(ctypes.py_object(kept))
ctypes.pythonapi.Py_IncRef(ctypes.py_object(text))
register = library["__cxa_atexit"]
register.argtypes = [ctypes.c_void_p] * 3
buffer = library["strdup"]
buffer.restype = ctypes.c_void_p
assert register(puts, buffer(b"freed after the end"), None) == 0
assert register(managed.deleter, ctypes.addressof(managed), None) == 0
"""


@pytest.mark.skipif(sys.platform != "linux", reason="__cxa_atexit by its name in libc")
@pytest.mark.parametrize("kind", ["own", "cuda", "pinned", "numpy", "foreign"])
def test_dlpack_D19_the_deleter_after_the_end_of_the_interpreter(kind):
    done = subprocess.run(
        [sys.executable, "-c", AFTER_THE_END, kind],
        cwd=pathlib.Path(__file__).parents[3],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "freed after the end\n"


def test_dlpack_D20_failed_export_leaks_nothing(device):
    x = sk.broadcast_to(sk.ones((1,), device=device), (1000,))
    gc.collect()
    old_live_bytes = sk.memory_statistics(device).live_bytes
    with pytest.raises(BufferError):
        x.__dlpack__()

    with failing_allocation(), pytest.raises(MemoryError):
        x.__dlpack__(copy=True)
    if device.startswith("cuda"):
        with pytest.raises(ValueError):
            x.__dlpack__(copy=True, stream=0)
    assert sk.memory_statistics(device).live_bytes == old_live_bytes


def test_dlpack_D21_the_structures_have_the_sizes_of_the_header():
    assert ctypes.sizeof(dl.Tensor) == 48
    assert ctypes.sizeof(dl.Managed) == 64
    assert ctypes.sizeof(dl.ManagedVersioned) == 80
    assert dl.ManagedVersioned.tensor.offset == 32
    assert ctypes.sizeof(dl.ExchangeTable) == 56
    # Exported values are at these offsets.
    x = sk.asarray([[1.0, 2.0, 3.0]])
    for keywords in ({}, VERSIONED):
        managed = dl.opened(x.__dlpack__(**keywords))
        assert managed.tensor.ndim == 2
        assert managed.tensor.shape[:2] == [1, 3]
        assert managed.deleter
        assert managed.context


def test_dlpack_round_trips_leak_nothing(device):
    x = sk.ones((100,), device=device)
    gc.collect()
    old_live_bytes = sk.memory_statistics(device).live_bytes
    for _ in range(10_000):
        y = sk.from_dlpack(x.__dlpack__(**VERSIONED))
    del y
    assert sk.memory_statistics(device).live_bytes == old_live_bytes
