# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""``from_dlpack``: ownership and lifetime of memory, the cases D19 and D20 of DLPack's exchange."""

import ctypes
import gc
import threading
import weakref

import numpy as np
import pytest
import skerry as sk
from skerry.testing import count_cuda_calls

from tests.python.interchange import dlpack_structs as dl
from tests.python.interchange.dlpack_import_aids import made_of, pointer, refused
from tests.python.interchange.dlpack_structs import Made
from tests.python.loops import loop_over
from tests.python.oracle import odd_bytes, to_device, to_numpy


class Owner:
    """Supports weak references."""


def test_dlpack_D19_owner_is_released_with_the_array(device):
    x = to_device(device, np.arange(3.0))
    owner = Owner()
    owner.memory = x
    watch = weakref.ref(owner)
    structure = made_of(x, owner=owner)
    y = sk.from_dlpack(structure.capsule())
    del owner, structure
    gc.collect()
    assert watch() is not None
    z = y + 1
    del y
    gc.collect()
    assert watch() is None
    assert to_numpy(z).tolist() == [1, 2, 3]


def test_dlpack_D19_a_foreign_deleter_runs_on_any_thread():
    structure = Made.from_array(np.arange(3.0))
    box = [sk.from_dlpack(structure.capsule())]
    thread = threading.Thread(target=box.clear)
    thread.start()
    thread.join()
    assert structure.deleted == 1
    # A thread without the GIL calls the deleter of skerry's export, which releases the imported memory.
    structure = Made.from_array(np.arange(3.0))
    capsule = sk.from_dlpack(structure.capsule()).__dlpack__()
    managed = dl.opened(capsule)
    dl.set_name(capsule, b"used_dltensor")
    library = ctypes.CDLL(None)
    thread = ctypes.c_ulong()
    start, address = ctypes.c_void_p(managed.deleter), ctypes.c_void_p(ctypes.addressof(managed))
    assert library.pthread_create(ctypes.byref(thread), None, start, address) == 0
    assert library.pthread_join(thread, None) == 0
    assert structure.deleted == 1


@pytest.mark.two_gpus
def test_dlpack_D19_release_is_ordered_after_work_on_other_streams(cuda_device):
    x = sk.ones((400, 400), device=cuda_device)
    side = sk.Stream(cuda_device)
    sk.synchronize(cuda_device)
    idle = []
    structure = made_of(x)
    y = sk.from_dlpack(structure.capsule())
    with sk.stream(side):
        z = y @ y
        z = y @ z
    with count_cuda_calls() as calls:
        del y
    assert structure.deleted == 1
    # The default stream, on which producers order their reuse, waits for the side stream.
    assert (calls.get("event_record"), calls.get("stream_wait_event")) == (1, 1)
    sk.Stream.from_handle(cuda_device, 1).synchronize()
    idle.append(side.idle)
    assert idle == [True]
    assert z.shape == (400, 400)


INVALID = {
    "ndim -1": {"ndim": -1},
    "ndim 65": {"ndim": 65},
    "ndim 2^31-1": {"ndim": 2**31 - 1},
    "null shape": {"shape": None, "ndim": 1},
    "negative dimension": {"shape": (-1,)},
    "least dimension": {"shape": (-(2**63),)},
    "product overflows": {"shape": (2**40, 2**40), "strides": (0, 0)},
    "bytes overflow": {"shape": (2**61,)},
    "no strides, overflow": {"shape": (2**32, 2**32), "strides": None},
    "stride overflows": {"shape": (2,), "strides": (2**62,)},
    "least stride": {"shape": (2,), "strides": (-(2**63),)},
    "extent overflows": {"shape": (2**20, 2), "strides": (2**45, 2**59)},
    "below zero": {"shape": (2,), "strides": (-(2**59),)},
    "past the end": {"shape": (2,), "strides": (2**60 - 1,), "data": 2**63 + 2**62},
    "byte_offset overflows": {"byte_offset": 2**64 - 8},
    "byte_offset 2^63": {"byte_offset": 2**63},
    "byte_offset 2^62": {"byte_offset": 2**62},
    "byte_offset 2^56": {"byte_offset": 2**56},
    "end out of the address space": {"shape": (2,), "strides": (2**53,)},
    "null pointer": {"data": 0},
    "null pointer with offset": {"data": 0, "byte_offset": 4096},
    "misaligned pointer": {"byte_offset": 3},
}


@loop_over("versioned", [False, True])
@pytest.mark.parametrize("name", list(INVALID))
def test_dlpack_D20_rejected_import_frees_once_and_leaks_nothing(name, versioned, device):
    x = sk.ones((3,), device=device)
    gc.collect()
    old_live_bytes = sk.memory_statistics(device).live_bytes
    refused(made_of(x, versioned=versioned, **INVALID[name]), (BufferError, ValueError))
    assert sk.memory_statistics(device).live_bytes == old_live_bytes


def test_dlpack_imports_leak_nothing_and_call_each_deleter_once():
    host = np.arange(3.0)
    counted = 0
    for _ in range(5_000):
        structure = Made.from_array(host)
        sk.from_dlpack(structure.capsule())
        counted += structure.deleted
    assert counted == 5_000
    assert not dl.STRAY


def test_dlpack_of_numpy_arrays(device):
    host = np.arange(6.0).reshape(2, 3)
    x = sk.from_dlpack(host)
    assert pointer(x) == host.ctypes.data
    assert x.device == sk.Device("cpu:0")
    fixed = host.copy()
    fixed.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        sk.from_dlpack(fixed)[0, 0] = 1
    assert sk.from_dlpack(host, device=device).device == sk.Device(device)
    for bad in (host.astype(">f8"), np.array(["a"]), np.zeros(2, "longdouble")):
        with pytest.raises((BufferError, TypeError)):
            sk.from_dlpack(bad)
    with sk.device("cpu:1"):
        assert sk.from_dlpack(host).device == sk.Device("cpu:1")
    sub = odd_bytes(64).view(np.float64)
    assert sub.ctypes.data % 8
    with pytest.raises(BufferError, match="copy=True"):
        sk.from_dlpack(sub)
    assert sk.from_dlpack(sub, copy=True).tolist() == [0.0] * 8
