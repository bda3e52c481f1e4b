# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Graphs, memory pools and batched copies of cuda.core and the driver API: run by test_graphs_and_pools.py."""

import ctypes

import numpy as np
import pytest
from cuda.bindings import driver
from cuda.core import (
    Device,
    GraphMemoryResource,
    LaunchConfig,
    LegacyPinnedMemoryResource,
    ManagedMemoryResource,
    PinnedMemoryResource,
    Program,
    ProgramOptions,
    VirtualMemoryResource,
    VirtualMemoryResourceOptions,
    launch,
)

SCALE = """
extern "C" __global__ void scale(float* data, float factor, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] *= factor;
}
extern "C" __global__ void shift(float* data, float by, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] += by;
}
"""
COUNT = 300
NBYTES = COUNT * 4
CONFIG = LaunchConfig(grid=3, block=128)


def check(result):
    assert result[0] == driver.CUresult.CUDA_SUCCESS, result
    return result[1] if len(result) == 2 else result[1:]


def floats_of(buffer):
    kind = ctypes.c_float * (buffer.size // 4)
    return np.frombuffer(kind.from_address(int(buffer.handle)), np.float32)


@pytest.fixture
def device():
    device = Device(0)
    device.set_current()
    return device


@pytest.fixture
def stream(device):
    stream = device.create_stream()
    yield stream
    stream.close()


@pytest.fixture
def kernels(device):
    options = ProgramOptions(std="c++17", arch=f"sm_{device.arch}")
    compiled = Program(SCALE, code_type="c++", options=options).compile("cubin")
    return {name: compiled.get_kernel(name) for name in ("scale", "shift")}


@pytest.fixture
def pinned(stream):
    buffer = LegacyPinnedMemoryResource().allocate(NBYTES, stream=stream)
    floats_of(buffer)[:] = np.arange(COUNT)
    yield buffer
    buffer.close()


def scaled_and_shifted(device, kernels, buffer, factor, offset):
    builder = device.create_graph_builder().begin_building()
    size = np.int32(COUNT)
    launch(builder, CONFIG, kernels["scale"], buffer, np.float32(factor), size)
    launch(builder, CONFIG, kernels["shift"], buffer, np.float32(offset), size)
    return builder.end_building()


def test_a_graph_runs_each_time_it_is_launched(device, stream, kernels, pinned):
    builder = scaled_and_shifted(device, kernels, pinned, 2, 1)
    values = floats_of(pinned)
    np.testing.assert_array_equal(values, np.arange(COUNT))
    graph = builder.complete()
    graph.upload(stream)
    for _ in range(2):
        graph.launch(stream)
    stream.sync()
    np.testing.assert_array_equal(values, 4 * np.arange(COUNT) + 3)
    graph.close()
    builder.close()


def test_an_updated_graph_uses_the_new_parameters(device, stream, kernels, pinned):
    first = scaled_and_shifted(device, kernels, pinned, 2, 1)
    second = scaled_and_shifted(device, kernels, pinned, 1, 5)
    graph = first.complete()
    graph.update(second)
    graph.launch(stream)
    stream.sync()
    np.testing.assert_array_equal(floats_of(pinned), np.arange(COUNT) + 5)
    for resource in (graph, second, first):
        resource.close()


def test_branches_of_a_graph_join(device, stream, kernels, pinned):
    builder = device.create_graph_builder().begin_building()
    size = np.int32(COUNT // 2)
    left, right = builder.split(2)
    half = int(pinned.handle) + (COUNT // 2) * 4
    launch(left, CONFIG, kernels["scale"], int(pinned.handle), np.float32(3), size)
    launch(right, CONFIG, kernels["scale"], half, np.float32(5), size)
    joined = type(builder).join(left, right)
    launch(joined, CONFIG, kernels["shift"], pinned, np.float32(1), np.int32(COUNT))
    graph = joined.end_building().complete()
    graph.launch(stream)
    stream.sync()
    expected = np.arange(COUNT) * np.repeat([3, 5], COUNT // 2) + 1
    np.testing.assert_array_equal(floats_of(pinned), expected)


def test_a_graph_allocates_memory(device, stream, kernels, pinned):
    memory = GraphMemoryResource(device)
    builder = device.create_graph_builder().begin_building("relaxed")
    scratch = memory.allocate(NBYTES, stream=builder)
    scratch.copy_from(pinned, stream=builder)
    launch(builder, CONFIG, kernels["scale"], scratch, np.float32(4), np.int32(COUNT))
    pinned.copy_from(scratch, stream=builder)
    scratch.close()
    graph = builder.end_building().complete()
    graph.launch(stream)
    stream.sync()
    np.testing.assert_array_equal(floats_of(pinned), 4 * np.arange(COUNT))
    assert memory.attributes.reserved_mem_high >= NBYTES
    graph.close()


@pytest.mark.parametrize("resource", [ManagedMemoryResource, PinnedMemoryResource])
def test_the_host_and_kernels_share_memory_of_a_pool(stream, kernels, resource):
    memory = resource()
    buffer = memory.allocate(NBYTES, stream=stream)
    stream.sync()
    values = floats_of(buffer)
    values[:] = np.arange(COUNT)
    launch(stream, CONFIG, kernels["scale"], buffer, np.float32(2), np.int32(COUNT))
    stream.sync()
    np.testing.assert_array_equal(values, 2 * np.arange(COUNT))
    assert buffer.is_host_accessible
    assert buffer.is_device_accessible
    buffer.close(stream)
    stream.sync()


def test_a_batched_copy_fills_every_destination(device, stream, pinned):
    on_device = [device.allocate(400, stream=stream) for _ in range(3)]
    base = int(pinned.handle)
    sources = [base, base + 400, base + 800]
    attributes = driver.CUmemcpyAttributes()
    attributes.srcAccessOrder = driver.CUmemcpySrcAccessOrder.CU_MEMCPY_SRC_ACCESS_ORDER_STREAM
    check(
        driver.cuMemcpyBatchAsync(
            [driver.CUdeviceptr(int(buffer.handle)) for buffer in on_device],
            [driver.CUdeviceptr(source) for source in sources],
            [400] * 3,
            3,
            [attributes],
            [0],
            1,
            stream.handle,
        )
    )
    for number, buffer in enumerate(on_device):
        result = np.empty(100, np.float32)
        check(driver.cuMemcpyDtoHAsync(result.ctypes.data, int(buffer.handle), 400, stream.handle))
        stream.sync()
        np.testing.assert_array_equal(result, 100 * number + np.arange(100))


def test_a_buffer_is_freed_on_the_stream_that_used_it_last(device, stream, pinned):
    producer = device.create_stream()
    buffer = device.allocate(NBYTES, stream=producer)
    buffer.fill(3, stream=producer)
    stream.wait(producer.record())
    buffer.set_deallocation_stream(stream)
    buffer.copy_to(pinned, stream=stream)
    buffer.close()
    stream.sync()
    assert bytes(ctypes.string_at(int(pinned.handle), NBYTES)) == bytes([3]) * NBYTES
    producer.close()


@pytest.mark.filterwarnings("error")
def test_the_drivers_version_causes_no_warning(stream, kernels, pinned, capfd):
    launch(stream, CONFIG, kernels["shift"], pinned, np.float32(1), np.int32(COUNT))
    stream.sync()
    assert check(driver.cuDriverGetVersion()) >= 13000
    assert capfd.readouterr().err == ""


def test_a_device_works_after_a_reset(device):
    base = check(driver.cuMemAlloc(64))
    check(driver.cuDevicePrimaryCtxReset(0))
    assert driver.cuMemFree(base)[0] == driver.CUresult.CUDA_ERROR_INVALID_VALUE
    check(driver.cuMemFree(check(driver.cuMemAlloc(64))))


def test_a_mapped_allocation_can_grow(device, stream, kernels):
    memory = VirtualMemoryResource(device, VirtualMemoryResourceOptions(handle_type=None))
    buffer = memory.allocate(NBYTES)
    two = np.float32(2).view(np.uint32)
    # On the kernel's stream: streams of cuda.core are not ordered with the default stream.
    check(driver.cuMemsetD32Async(buffer.handle, two, COUNT, stream.handle))
    launch(stream, CONFIG, kernels["scale"], buffer, np.float32(3), np.int32(COUNT))
    stream.sync()
    grown = memory.modify_allocation(buffer, 2 * buffer.size)
    launch(stream, CONFIG, kernels["shift"], grown, np.float32(1), np.int32(COUNT))
    result = np.empty(COUNT, np.float32)
    stream.sync()
    check(driver.cuMemcpyDtoH(result, grown.handle, NBYTES))
    assert (result == 7).all()
    grown.close()


def test_another_device_needs_access_to_mapped_memory(device):
    peer_options = VirtualMemoryResourceOptions(handle_type=None, peers=[1])
    shared = VirtualMemoryResource(device, peer_options).allocate(NBYTES)
    private_resource = VirtualMemoryResource(device, VirtualMemoryResourceOptions(handle_type=None))
    private_buffer = private_resource.allocate(NBYTES)
    other = Device(1)
    other.set_current()
    options = ProgramOptions(arch=f"sm_{other.arch}")
    scale = Program(SCALE, code_type="c++", options=options).compile("cubin").get_kernel("scale")
    stream = other.create_stream()
    launch(stream, CONFIG, scale, shared, np.float32(3), np.int32(COUNT))
    stream.sync()
    launch(stream, CONFIG, scale, private_buffer, np.float32(3), np.int32(COUNT))
    with pytest.raises(Exception, match="CUDA_ERROR_ILLEGAL_ADDRESS"):
        stream.sync()
    check(driver.cuDevicePrimaryCtxReset(1))
