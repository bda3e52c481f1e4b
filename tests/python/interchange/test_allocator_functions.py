# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""``cuda_allocator_functions``: skerry's pool for other libraries."""

import ctypes
import sys

import pytest
import skerry as sk
from skerry.exceptions import DeviceUnavailableError, OutOfMemoryError
from skerry.testing import instruments

from tests.python.interchange.allocator_models import cupy_module
from tests.python.session import HAS_GPU

DEVICE = "cuda:0"


def test_devices_without_functions():
    with pytest.raises(ValueError, match="cpu:0 is not a CUDA device"):
        sk.cuda_allocator_functions("cpu:0")
    with pytest.raises(DeviceUnavailableError):
        sk.cuda_allocator_functions("cuda:40")


def c_functions(functions):
    """Return the C functions, as PyTorch's CUDAPluggableAllocator finds them."""
    library = ctypes.CDLL(functions.library)
    allocate = getattr(library, functions.allocate_name)
    free = getattr(library, functions.free_name)
    assert ctypes.cast(allocate, ctypes.c_void_p).value == functions.allocate_address
    assert ctypes.cast(free, ctypes.c_void_p).value == functions.free_address
    allocate.restype, free.restype = ctypes.c_void_p, None
    allocate.argtypes = ctypes.c_ssize_t, ctypes.c_int, ctypes.c_void_p
    free.argtypes = ctypes.c_void_p, ctypes.c_ssize_t, ctypes.c_int, ctypes.c_void_p
    return allocate, free


class Interface:
    def __init__(self, address, nbytes):
        self.__cuda_array_interface__ = {
            "shape": (nbytes,), "typestr": "|u1", "data": (address, False), "version": 3, "stream": 1,
        }  # fmt: skip


def test_c_functions_allocate_from_the_pool():
    functions = sk.cuda_allocator_functions()
    ordinal = sk.Device(DEVICE).info.physical_index
    allocate, free = c_functions(functions)
    statistics_before = sk.memory_statistics(DEVICE)
    stream = sk.Stream(DEVICE)
    for handle in (None, 1, 2, stream.handle):
        block = allocate(1000, ordinal, handle)
        assert block % 256 == 0
        assert sk.memory_statistics(DEVICE).live_blocks == statistics_before.live_blocks + 1
        x = sk.asarray(Interface(block, 1000))
        assert x.device == sk.Device(DEVICE)
        x[...] = 3
        assert x.tolist() == [3] * 1000
        del x
        free(block, 1000, ordinal, handle)
        free(block, 1000, ordinal, handle)  # ignored
        assert sk.memory_statistics(DEVICE).live_blocks == statistics_before.live_blocks
    free(None, 0, ordinal, None)


def test_python_functions_allocate_on_their_device(cuda_device):
    functions = sk.cuda_allocator_functions(cuda_device)
    assert repr(functions) == f"CudaAllocatorFunctions({cuda_device})"
    assert functions.device == sk.Device(cuda_device)
    statistics_before = sk.memory_statistics(cuda_device).live_blocks
    block = functions.allocate(1 << 16)
    assert sk.memory_statistics(cuda_device).live_blocks == statistics_before + 1
    functions.deallocate(block, 1 << 16)
    assert sk.memory_statistics(cuda_device).live_blocks == statistics_before

    class StreamOfRmm:
        def __cuda_stream__(self):
            return 0, 0

    block = functions.allocate(100, StreamOfRmm())
    functions.deallocate(block, 100, StreamOfRmm())
    with pytest.raises(ValueError, match="was freed already"):
        functions.deallocate(block, 1 << 16)
    with pytest.raises(ValueError, match="nbytes must not be negative: -1"):
        functions.allocate(-1)
    with pytest.raises(OutOfMemoryError):
        functions.allocate(1 << 60)


def test_functions_of_cupy(monkeypatch):
    functions = sk.cuda_allocator_functions()
    ordinal = sk.Device(DEVICE).info.physical_index
    statistics_before = sk.memory_statistics(DEVICE).live_blocks
    for module in (None, cupy_module(None)):
        monkeypatch.setitem(sys.modules, "cupy", module)
        block = functions.malloc(100, ordinal)
        assert sk.memory_statistics(DEVICE).live_blocks == statistics_before + 1
        functions.free(block, ordinal)
        assert sk.memory_statistics(DEVICE).live_blocks == statistics_before
    with pytest.raises(ValueError, match="there is no CUDA device of ordinal 77"):
        functions.malloc(100, 77)


@pytest.mark.not_guarded("nothing is cached")
@pytest.mark.skipif(HAS_GPU, reason="only work of rehearsed devices can be delayed")
def test_memory_of_others_is_reused_after_the_streams_that_used_it():
    functions = sk.cuda_allocator_functions()
    first, second = sk.Stream(DEVICE), sk.Stream(DEVICE)
    sk.synchronize(DEVICE)
    sk.trim(DEVICE)
    x = sk.zeros((1 << 18,), dtype=sk.uint8, device=DEVICE)
    sk.synchronize(DEVICE)
    with instruments.delayed_work(0.05):
        block = functions.allocate(1 << 18, first)
        with second:
            x[...] = 1  # stands for work of the other library on that memory
        functions.deallocate(block, 1 << 18, second)
        other = functions.allocate(1 << 18, first)
        assert other != block, "the second stream may still use it"
    sk.synchronize(DEVICE)
    assert functions.allocate(1 << 18, first) == block
    for used in (block, other):
        functions.deallocate(used, 1 << 18, first)
