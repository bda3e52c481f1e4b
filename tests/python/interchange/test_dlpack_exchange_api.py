# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""``type(x).__dlpack_c_exchange_api__``: skerry's table of C functions called with ctypes, and tables built with it."""

import ctypes
import gc

import numpy as np
import pytest
import skerry as sk
import tvm_ffi
from skerry.testing import count_cuda_calls

from tests.python.interchange import dlpack_structs as dl
from tests.python.interchange.dlpack_structs import Made
from tests.python.loops import loop_over
from tests.python.oracle import DTYPES, to_device, to_numpy

TABLE = dl.ExchangeTable.from_address(
    dl.pointer_of(sk.Array.__dlpack_c_exchange_api__, b"dlpack_exchange_api")
)
from_object = dl.FromObject(TABLE.from_object)
to_object = dl.ToObject(TABLE.to_object)
view_object = dl.ViewObject(TABLE.view_object)
current_stream = dl.CurrentStream(TABLE.current_stream)
allocate = dl.Allocate(TABLE.allocate)


def exported(x):
    """Export an array: return the address of the owning structure, and the structure."""
    out = ctypes.c_void_p()
    assert from_object(x, ctypes.byref(out)) == 0
    return out.value, dl.ManagedVersioned.from_address(out.value)


def delete(address):
    managed = dl.ManagedVersioned.from_address(address)
    dl.Deleter(managed.deleter)(address)


def imported(address):
    """Import a structure as an array, which takes ownership."""
    out = ctypes.c_void_p()
    assert to_object(address, ctypes.byref(out)) == 0
    x = ctypes.cast(out, ctypes.py_object).value
    ctypes.pythonapi.Py_DecRef(ctypes.py_object(x))
    return x


def test_the_capsule_is_on_the_type_and_has_its_name():
    capsule = sk.Array.__dlpack_c_exchange_api__
    assert dl.name_of(capsule) == "dlpack_exchange_api"
    assert sk.Array.__dlpack_c_exchange_api__ is capsule
    assert (TABLE.version.major, TABLE.version.minor) == (1, 3)
    assert TABLE.previous is None


@loop_over("dtype", DTYPES)
def test_export_and_import_of_the_same_memory(dtype, device):
    base = to_device(device, np.arange(24).astype(dtype).reshape(2, 3, 4))
    for x in (base, base[::-1, 1:, ::2], sk.permute_dims(base, (2, 0, 1)), base[1, 2, 3], base[:0]):
        address, managed = exported(x)
        assert dl.described(managed.tensor) == (x.shape, x.strides, x.dtype)
        assert (managed.version.major, managed.flags, managed.tensor.byte_offset) == (1, 0, 0)
        dl_device = managed.tensor.device
        assert (dl_device.type, dl_device.index) == x.__dlpack_device__()
        y = imported(address)
        assert np.array_equal(to_numpy(y), to_numpy(x))
        if x.size and dtype != "bool":
            y[...] = 1
            assert np.all(to_numpy(x) == 1)


def test_export_keeps_the_memory_and_the_deleter_frees_it(device):
    gc.collect()
    old_live_bytes = sk.memory_statistics(device).live_bytes
    x = sk.ones((1000,), device=device)
    address, _ = exported(x)
    del x
    assert sk.memory_statistics(device).live_bytes > old_live_bytes
    delete(address)
    assert sk.memory_statistics(device).live_bytes == old_live_bytes
    y = imported(exported(sk.ones((1000,), device=device))[0])
    assert to_numpy(y).sum() == 1000
    del y
    assert sk.memory_statistics(device).live_bytes == old_live_bytes


def test_views_without_ownership(device):
    x = to_device(device, np.arange(24.0).reshape(2, 3, 4))
    tensors = [(v, dl.Tensor()) for v in (x, x[::-1, :, 1::2], x[0, 0, 0], x[:, :0])]
    for v, tensor in tensors:
        for _ in range(2):
            assert view_object(v, ctypes.byref(tensor)) == 0
    # Check all at the end: their shapes and strides must not share memory.
    for v, tensor in tensors:
        assert dl.described(tensor) == (v.shape, v.strides, v.dtype)
        assert v.ndim == 0 or bool(tensor.strides)


def test_read_only_is_flagged(device):
    x = sk.broadcast_to(sk.ones((1,), device=device), (3,))
    address, managed = exported(x)
    assert managed.flags == dl.READ_ONLY
    with pytest.raises(ValueError, match="read-only"):
        imported(address)[0] = 1


def test_pinned_memory_is_reported():
    address, managed = exported(sk.ones((3,), pinned=True))
    assert (managed.tensor.device.type, managed.tensor.device.index) == (dl.CUDA_HOST, 0)
    delete(address)


def test_other_objects_raise_type_error():
    out = ctypes.c_void_p()
    for value in (np.ones(3), None, [1]):
        with pytest.raises(TypeError):
            from_object(value, ctypes.byref(out))
        assert out.value is None
        with pytest.raises(TypeError):
            view_object(value, ctypes.byref(dl.Tensor()))


@pytest.mark.parametrize(
    "changes",
    [{"ndim": -1}, {"dtype": (2, 64, 2)}, {"device": (dl.ROCM, 0)}, {"version": (2, 0)}],
    ids=str,
)
def test_caller_keeps_the_structure_of_a_rejected_import(changes):
    host = np.arange(3.0)
    structure = Made(host.ctypes.data, (3,), **changes)
    out = ctypes.c_void_p(5)
    with pytest.raises(BufferError):
        to_object(structure.address, ctypes.byref(out))
    assert out.value is None
    assert structure.deleted == 0
    delete(structure.address)
    assert not dl.STRAY


def test_the_current_stream(cuda_device):
    ordinal = sk.Device(cuda_device).info.physical_index
    out = ctypes.c_void_p()
    assert current_stream(dl.CUDA, ordinal, ctypes.byref(out)) == 0
    assert out.value == 1
    first = next(d for d in sk.devices("cuda") if d.info.physical_index == ordinal)
    side = sk.Stream(first)
    with sk.stream(side):
        assert current_stream(dl.CUDA, ordinal, ctypes.byref(out)) == 0
        assert out.value == side.handle
    assert current_stream(dl.CPU, 0, ctypes.byref(out)) == 0
    assert out.value is None
    with pytest.raises(BufferError):
        current_stream(dl.CUDA, 63, ctypes.byref(out))


def test_allocation_like_a_prototype(device):
    code, index = sk.ones((1,), device=device).__dlpack_device__()
    structure = Made(None, (3, 4), None, (0, 32, 1), (code, index))
    out = ctypes.POINTER(dl.ManagedVersioned)()
    slot = ctypes.cast(ctypes.pointer(out), ctypes.POINTER(ctypes.c_void_p))
    assert allocate(ctypes.byref(structure.managed.tensor), slot, None, None) == 0
    tensor = out.contents.tensor
    assert dl.described(tensor) == ((3, 4), (16, 4), np.dtype("int32"))
    assert (tensor.device.type, tensor.device.index) == (code, index)
    x = imported(ctypes.addressof(out.contents))
    x[...] = 7
    assert to_numpy(x).tolist() == [[7] * 4] * 3
    delete(structure.address)


@pytest.mark.parametrize(
    ("changes", "kind"),
    [
        ({"dtype": (4, 32, 1)}, b"BufferError"),
        ({"device": (dl.ROCM, 0)}, b"BufferError"),
        ({"device": (dl.CUDA, 63)}, b"BufferError"),
        ({"ndim": -1}, b"BufferError"),
        ({"shape": (-1,)}, b"ValueError"),
        ({"shape": (2**62,)}, b"ValueError"),
        ({"shape": (2**50,)}, b"MemoryError"),
    ],
    ids=str,
)
def test_failed_allocation_reports_to_the_callback(changes, kind):
    structure = Made(**{"data": None, "shape": (3,), **changes})
    reports = []
    report = dl.SetError(
        lambda context, error_type, text: reports.append((context, error_type, text))
    )
    out = ctypes.c_void_p(5)
    status = allocate(
        ctypes.byref(structure.managed.tensor),
        ctypes.byref(out),
        77,
        ctypes.cast(report, ctypes.c_void_p),
    )
    assert status == -1
    assert out.value is None
    assert [t[:2] for t in reports] == [(77, kind)]
    assert reports[0][2]
    delete(structure.address)


class Foreign:
    """A library's array whose type has a table; ``__dlpack__`` must not be called."""

    def __init__(self, structure):
        self.made = structure
        self.calls = 0

    def __dlpack__(self, **keywords):
        raise AssertionError("the protocol was used")

    def __dlpack_device__(self):
        raise AssertionError("the protocol was used")


STREAM = [None]


@dl.FromObject
def _foreign_from(foreign_array, out):
    foreign_array.calls += 1
    out[0] = foreign_array.made.address
    return 0


@dl.CurrentStream
def _foreign_stream(code, index, out):
    out[0] = STREAM[0]
    return 0


def table(version=(1, 3), previous=None, **functions):
    exchange_table = dl.ExchangeTable(dl.Version(*version), previous)
    for name, function in functions.items():
        setattr(exchange_table, name, ctypes.cast(function, ctypes.c_void_p))
    return exchange_table


FOREIGN = table(from_object=_foreign_from, current_stream=_foreign_stream)
NEWER = table((2, 0), ctypes.addressof(FOREIGN))
NEWEST = table((3, 0))


def attach(exchange_table):
    Foreign.__dlpack_c_exchange_api__ = dl.new_capsule(
        ctypes.addressof(exchange_table), b"dlpack_exchange_api"
    )


@pytest.mark.parametrize("exchange_table", [FOREIGN, NEWER], ids=["1", "2, then 1"])
def test_a_producers_table_is_used(exchange_table):
    attach(exchange_table)
    host = np.arange(3.0)
    structure = Made.from_array(host)
    foreign_array = Foreign(structure)
    x = sk.from_dlpack(foreign_array)
    assert foreign_array.calls == 1
    assert np.asarray(x).ctypes.data == host.ctypes.data
    del x
    assert structure.deleted == 1
    fresh = sk.from_dlpack(Foreign(Made.from_array(host)), copy=True)
    assert np.asarray(fresh).ctypes.data != host.ctypes.data


def test_unknown_table_versions_fall_back_to_the_protocol():
    attach(NEWEST)
    with pytest.raises(AssertionError, match="protocol"):
        sk.from_dlpack(Foreign(None))
    Foreign.__dlpack_c_exchange_api__ = dl.new_capsule(8, b"another name")
    with pytest.raises(AssertionError, match="protocol"):
        sk.from_dlpack(Foreign(None))
    Foreign.__dlpack_c_exchange_api__ = 8
    with pytest.raises(AssertionError, match="protocol"):
        sk.from_dlpack(Foreign(None))


def test_lazy_and_gradient_tensors_use_the_protocol():
    """PyTorch's table exports the raw memory of tensors that are lazily conjugated or require a gradient."""
    attach(FOREIGN)
    for name, value in (
        ("requires_grad", True),
        ("is_conj", lambda: True),
        ("is_neg", lambda: True),
    ):
        foreign_array = Foreign(Made.from_array(np.arange(3.0)))
        setattr(foreign_array, name, value)
        with pytest.raises(AssertionError, match="protocol"):
            sk.from_dlpack(foreign_array)
        assert foreign_array.calls == 0
        setattr(foreign_array, name, (lambda: False) if callable(value) else False)
        assert sk.from_dlpack(foreign_array).tolist() == [0, 1, 2]


@pytest.mark.parametrize("changes", [{"ndim": -1}, {"version": (2, 0)}, {"data": 0}], ids=str)
def test_tensors_from_a_table_are_validated_and_freed_once(changes):
    attach(FOREIGN)
    structure = Made(**{"data": np.arange(3.0).ctypes.data, "shape": (3,), **changes})
    with pytest.raises(BufferError):
        sk.from_dlpack(Foreign(structure))
    assert structure.deleted == 1
    assert not dl.STRAY


def test_our_work_is_ordered_after_the_producers_stream(cuda_device):
    attach(FOREIGN)
    x = to_device(cuda_device, np.arange(3.0))
    side = sk.Stream(cuda_device)
    device = x.__dlpack_device__()
    pointer = x.__cuda_array_interface__["data"][0]
    # In the table, 0 is the runtime's default stream, our current stream: nothing to order.
    for theirs, expected in ((None, None), (1, None), (side.handle, 1)):
        STREAM[0] = theirs
        structure = Made(pointer, (3,), device=device, owner=x)
        with count_cuda_calls() as calls:
            y = sk.from_dlpack(Foreign(structure))
        assert calls.get("event_record") == calls.get("stream_wait_event") == expected
        assert not any("synchronize" in name for name in calls)
        assert to_numpy(y).tolist() == [0, 1, 2]
    STREAM[0] = None


def test_tvm_ffi_round_trip_shares_memory():
    x = sk.reshape(sk.arange(6, dtype=sk.float32), (2, 3))
    theirs = tvm_ffi.from_dlpack(x)
    assert theirs.shape == (2, 3)
    back = sk.from_dlpack(theirs)
    assert back.dtype == np.float32
    back[0, 0] = 9.0
    assert float(x[0, 0]) == 9.0
    assert np.from_dlpack(theirs)[0, 0] == 9.0


def test_tvm_ffi_functions_accept_and_return_arrays():
    echo = tvm_ffi.get_global_func("testing.echo")
    x = sk.arange(4, dtype=sk.float32)
    y = echo(x)
    # The array passes through our table in both directions.
    assert type(y) is sk.Array
    assert np.shares_memory(np.asarray(x), np.asarray(y))


def test_tvm_ffi_keeps_the_memory(device):
    gc.collect()
    old_live_bytes = sk.memory_statistics(device).live_bytes
    theirs = tvm_ffi.from_dlpack(sk.ones((1000,), device=device))
    gc.collect()
    assert sk.memory_statistics(device).live_bytes > old_live_bytes
    del theirs
    assert sk.memory_statistics(device).live_bytes == old_live_bytes
