# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""CuPy's arrays and kernels on two emulated devices: run by test_cupy.py in a new process."""

import cupy as cp
import numpy as np
import pytest

SCALE = 'extern "C" __global__ void scale(float* x, float factor) { x[threadIdx.x] *= factor; }'


@pytest.fixture(params=[0, 1], autouse=True)
def device(request):
    with cp.cuda.Device(request.param) as current:
        yield current
        current.synchronize()


def test_arrays_are_on_the_current_device(device):
    assert cp.cuda.runtime.getDeviceCount() == 2
    assert cp.arange(10).device == device
    assert int(cp.arange(10).sum()) == 45


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "complex64", "float16", "bool"])
def test_elementwise_and_reductions(dtype):
    host = (np.arange(2000) % 7).astype(dtype).reshape(40, 50)
    x = cp.asarray(host)
    np.testing.assert_array_equal(cp.asnumpy(x | x if dtype == "bool" else x + x), host + host)
    np.testing.assert_allclose(cp.asnumpy(x.sum(axis=0)), host.sum(axis=0), rtol=1e-3)
    np.testing.assert_allclose(cp.asnumpy(x.mean(axis=1)), host.mean(axis=1), rtol=1e-2)
    np.testing.assert_array_equal(cp.asnumpy(x.T[3:7, ::2]), host.T[3:7, ::2])


def test_reductions_that_cub_would_compute():
    x = cp.arange(1000.0)
    assert float(x.sum()) == 499500.0
    assert float(x.max()) == 999.0
    assert int(x.argmax()) == 999
    assert float(cp.cumsum(x)[-1]) == 499500.0
    assert cp.bincount(cp.array([1, 2, 2])).tolist() == [0, 1, 2]
    assert cp.histogram(cp.arange(10), 3)[0].tolist() == [3, 3, 4]


def test_sorts():
    host = np.random.default_rng(1).permutation(300).reshape(3, 100)
    x = cp.asarray(host)
    np.testing.assert_array_equal(cp.asnumpy(cp.sort(x, axis=0)), np.sort(host, axis=0))
    np.testing.assert_array_equal(cp.asnumpy(cp.argsort(x)), np.argsort(host))
    keys = np.array([[1, 2, 0, 1], [0, 1, 0, 0]])
    np.testing.assert_array_equal(cp.asnumpy(cp.lexsort(cp.asarray(keys))), np.lexsort(keys))
    assert cp.unique(cp.array([3, 1, 1])).tolist() == [1, 3]


def test_a_sort_is_in_the_order_of_its_stream():
    with cp.cuda.Stream(non_blocking=True):
        x = cp.arange(100000)[::-1].copy()
        assert cp.sort(x)[:3].tolist() == [0, 1, 2]


def test_kernels_of_users():
    x = cp.ones(4, "float32")
    cp.RawKernel(SCALE, "scale")((1,), (4,), (x, cp.float32(3)))
    assert x.tolist() == [3.0] * 4
    squares = cp.ElementwiseKernel("T x", "T y", "y = x * x", "squares")
    assert squares(cp.arange(4)).tolist() == [0, 1, 4, 9]
    length = cp.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "length")
    assert float(length(cp.array([3.0, 4.0]))) == 5.0


@cp.fuse()
def fused(a, b):
    return a * b + b


def test_fused_functions():
    assert fused(cp.arange(3), cp.arange(3)).tolist() == [0, 2, 6]


def test_streams_events_and_graphs():
    stream = cp.cuda.Stream()
    calls = []
    x = cp.zeros(4)
    with stream:
        start = cp.cuda.Event()
        start.record()
        stream.launch_host_func(calls.append, 1)
        x += 1
        stream.add_callback(lambda *arguments: calls.append(arguments[1:]), 2)
        end = stream.record()
    stream.synchronize()
    assert end.done
    assert cp.cuda.get_elapsed_time(start, end) >= 0
    assert calls == [1, (0, 2)]
    with stream:
        stream.begin_capture()
        x += 1
        graph = stream.end_capture()
        graph.launch()
    stream.synchronize()
    assert x.tolist() == [2.0] * 4


def test_the_pool_reuses_memory(device):
    pool = cp.get_default_memory_pool()
    x = cp.zeros(1 << 16)
    address, used = x.data.ptr, pool.used_bytes()
    del x
    assert pool.used_bytes() == used - (1 << 19)
    assert cp.empty(1 << 16).data.ptr == address
    pool.free_all_blocks()


@pytest.mark.parametrize("kind", ["malloc_async", "malloc_managed"])
def test_other_allocators(kind):
    allocator = {
        "malloc_async": cp.cuda.malloc_async,
        "malloc_managed": cp.cuda.MemoryPool(cp.cuda.malloc_managed).malloc,
    }[kind]
    with cp.cuda.using_allocator(allocator):
        x = cp.arange(1000)
        y = cp.asarray(np.arange(1000))
        assert int((x + y).sum()) == 999000
        del x, y


def test_copies_between_devices(device):
    x = cp.arange(100)
    with cp.cuda.Device(1 - device.id):
        y = cp.asarray(x)
        assert y.device.id == 1 - device.id
        assert int(y.sum()) == 4950


def test_properties_of_a_device(device):
    properties = cp.cuda.runtime.getDeviceProperties(device.id)
    assert properties["name"] == b"skerry emulated GPU"
    assert properties["warpSize"] == 32
    assert device.compute_capability == f"{properties['major']}{properties['minor']}"
    assert properties["totalGlobalMem"] == device.mem_info[1]
    assert cp.cuda.Device.from_pci_bus_id(device.pci_bus_id) == device


def test_errors_have_cupys_types():
    with pytest.raises(cp.cuda.runtime.CUDARuntimeError, match="cudaErrorInvalidDevice"):
        cp.cuda.runtime.setDevice(9)
    with pytest.raises(cp.cuda.memory.OutOfMemoryError):
        cp.empty(1 << 50, "uint8")
