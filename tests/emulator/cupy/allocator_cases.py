# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""One memory for skerry and CuPy: run by test_cupy.py in a new process."""

import contextlib

import cupy as cp
import numpy as np
import pytest
import skerry as sk

from tests.python.interchange.allocator_models import allocator


@pytest.mark.parametrize("ordinal", [0, 1])
@pytest.mark.parametrize("make_pool", [cp.get_default_memory_pool, cp.cuda.MemoryPool])
def test_arrays_of_skerry_in_the_pool_of_cupy(make_pool, ordinal):
    pool = make_pool()
    device = f"cuda:{ordinal}"
    with cp.cuda.Device(ordinal):
        used = pool.used_bytes()
        with allocator(sk.cupy_allocator(pool), device):
            x = sk.arange(10_000, dtype="int64", device=device)
            assert pool.used_bytes() == used + 80_384  # multiples of 512
            y = cp.asarray(x) * 2
            z = sk.asarray(y) + x
            assert z[-1].item() == 3 * 9999
            del x, y, z
        assert pool.used_bytes() == used


def test_memory_of_a_stream_is_reused_on_it():
    pool = cp.cuda.MemoryPool()
    stream = sk.Stream("cuda:0")
    with allocator(sk.cupy_allocator(pool), "cuda:0"):
        with stream:
            x = sk.ones(1000, device="cuda:0")
        address = x.__cuda_array_interface__["data"][0]
        del x
        with cp.cuda.Stream.from_external(stream):
            reused = pool.malloc(8000)
        assert reused.ptr == address


def test_a_full_pool_is_out_of_memory():
    pool = cp.cuda.MemoryPool()
    pool.set_limit(1 << 20)
    with allocator(sk.cupy_allocator(pool), "cuda:0"):
        with pytest.raises(sk.exceptions.OutOfMemoryError) as caught:
            sk.zeros(1 << 20, dtype="float64", device="cuda:0")
        assert type(caught.value.__cause__) is cp.cuda.memory.OutOfMemoryError
        assert pool.used_bytes() == 0


@contextlib.contextmanager
def allocator_of_cupy(functions):
    allocator = cp.cuda.PythonFunctionAllocator(functions.malloc, functions.free)
    with cp.cuda.using_allocator(allocator.malloc):
        yield


@pytest.mark.parametrize("ordinal", [0, 1])
def test_arrays_of_cupy_in_the_pool_of_skerry(ordinal):
    device = f"cuda:{ordinal}"
    statistics_before = sk.memory_statistics(device)
    with cp.cuda.Device(ordinal), allocator_of_cupy(sk.cuda_allocator_functions()):
        x = cp.arange(10_000)
        now = sk.memory_statistics(device)
        assert now.live_blocks == statistics_before.live_blocks + 1
        assert now.live_bytes >= statistics_before.live_bytes + x.nbytes
        cp.cuda.Stream.null.synchronize()  # CuPy does not order the work of two streams
        with cp.cuda.Stream(non_blocking=True) as stream:
            y = cp.sort(x[::-1] * 2)
            np.testing.assert_array_equal(cp.asnumpy(y), np.arange(10_000) * 2)
            del y
            stream.synchronize()
        del x
    assert sk.memory_statistics(device).live_blocks == statistics_before.live_blocks


def test_the_limit_of_skerry_holds_for_cupy():
    with allocator_of_cupy(sk.cuda_allocator_functions()):
        sk.set_memory_limit("cuda:0", sk.memory_statistics("cuda:0").live_bytes + (1 << 20))
        try:
            with pytest.raises(sk.exceptions.OutOfMemoryError, match="limit"):
                cp.empty(1 << 21, dtype="uint8")
        finally:
            sk.set_memory_limit("cuda:0", None)


def test_both_directions_do_not_recurse():
    functions = sk.cuda_allocator_functions()
    pool = cp.cuda.MemoryPool(
        cp.cuda.PythonFunctionAllocator(functions.malloc, functions.free).malloc
    )
    with allocator(sk.cupy_allocator(pool), "cuda:0"):
        x = sk.ones(1000, device="cuda:0")
        assert pool.used_bytes() >= x.nbytes
        assert (x + 1)[0].item() == 2
        del x
    pool.free_all_blocks()
