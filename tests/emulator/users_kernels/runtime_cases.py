# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Programs of cuda.bindings.runtime on the emulated GPU: run by test_graphs_and_pools.py."""

import ctypes

import numpy as np
import pytest
from cuda.bindings import driver, nvrtc
from cuda.bindings import runtime as cudart

DOUBLE = """
extern "C" __global__ void doubled(const float* from, float* to, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = 2 * from[i];
}
"""
COUNT = 200
NBYTES = COUNT * 4


def check(result):
    assert int(result[0]) == 0, result
    return result[1] if len(result) == 2 else result[1:]


@pytest.fixture(scope="module")
def doubled():
    check(cudart.cudaSetDevice(0))
    check(cudart.cudaFree(0))
    program = check(nvrtc.nvrtcCreateProgram(DOUBLE.encode(), b"doubled.cu", 0, None, None))
    attributes = cudart.cudaDeviceAttr
    major = check(cudart.cudaDeviceGetAttribute(attributes.cudaDevAttrComputeCapabilityMajor, 0))
    check(nvrtc.nvrtcCompileProgram(program, 1, [f"-arch=compute_{major}0".encode()]))
    text = b" " * check(nvrtc.nvrtcGetPTXSize(program))
    check(nvrtc.nvrtcGetPTX(program, text))
    module = check(driver.cuModuleLoadData(text))
    return check(driver.cuModuleGetFunction(module, b"doubled"))


def launch(function, source, target, stream=0):
    kinds = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int)
    check(
        driver.cuLaunchKernel(
            function, 2, 1, 1, 128, 1, 1, 0, stream, ((source, target, COUNT), kinds), 0
        )
    )


def floats_at(address):
    return np.frombuffer((ctypes.c_float * COUNT).from_address(address), np.float32)


def test_device_properties():
    assert check(cudart.cudaGetDeviceCount()) == 2
    for number in range(2):
        properties = check(cudart.cudaGetDeviceProperties(number))
        assert b"emulated" in properties.name
        assert properties.managedMemory
        assert properties.canMapHostMemory
        assert properties.cooperativeLaunch
        assert properties.unifiedAddressing


def test_host_and_device_share_managed_and_mapped_memory(doubled):
    managed = check(cudart.cudaMallocManaged(NBYTES, cudart.cudaMemAttachGlobal))
    mapped = check(cudart.cudaHostAlloc(NBYTES, cudart.cudaHostAllocMapped))
    floats_at(managed)[:] = np.arange(COUNT)
    launch(doubled, managed, check(cudart.cudaHostGetDevicePointer(mapped, 0)))
    check(cudart.cudaDeviceSynchronize())
    np.testing.assert_array_equal(floats_at(mapped), 2 * np.arange(COUNT))
    check(cudart.cudaFree(managed))
    check(cudart.cudaFreeHost(mapped))


def test_memory_is_allocated_and_freed_in_stream_order(doubled):
    stream = check(cudart.cudaStreamCreate())
    values = np.arange(COUNT, dtype=np.float32)
    first, second = (check(cudart.cudaMallocAsync(NBYTES, stream)) for _ in range(2))
    kind = cudart.cudaMemcpyKind
    check(
        cudart.cudaMemcpyAsync(
            first, values.ctypes.data, NBYTES, kind.cudaMemcpyHostToDevice, stream
        )
    )
    launch(doubled, first, second, stream)
    check(cudart.cudaFreeAsync(first, stream))
    result = np.empty_like(values)
    check(
        cudart.cudaMemcpyAsync(
            result.ctypes.data, second, NBYTES, kind.cudaMemcpyDeviceToHost, stream
        )
    )
    check(cudart.cudaFreeAsync(second, stream))
    check(cudart.cudaStreamSynchronize(stream))
    np.testing.assert_array_equal(result, 2 * values)
    check(cudart.cudaStreamDestroy(stream))


def test_peers_copy_and_read(doubled):
    pointers = []
    for number in range(2):
        check(cudart.cudaSetDevice(number))
        assert check(cudart.cudaDeviceCanAccessPeer(number, 1 - number))
        check(cudart.cudaDeviceEnablePeerAccess(1 - number, 0))
        pointers.append(check(cudart.cudaMalloc(NBYTES)))
    values = np.arange(COUNT, dtype=np.float32)
    kind = cudart.cudaMemcpyKind.cudaMemcpyDefault
    check(cudart.cudaMemcpy(pointers[1], values.ctypes.data, NBYTES, kind))
    check(cudart.cudaSetDevice(0))
    launch(doubled, pointers[1], pointers[0])
    result = np.empty_like(values)
    check(cudart.cudaMemcpy(result.ctypes.data, pointers[0], NBYTES, kind))
    np.testing.assert_array_equal(result, 2 * values)
    for number in range(2):
        check(cudart.cudaSetDevice(number))
        check(cudart.cudaDeviceDisablePeerAccess(1 - number))
        check(cudart.cudaFree(pointers[number]))
    check(cudart.cudaSetDevice(0))


def test_runtime_calls_capture_streams(doubled):
    first, second = (check(cudart.cudaStreamCreate()) for _ in range(2))
    forked, joined = (check(cudart.cudaEventCreate()) for _ in range(2))
    source, target = (check(cudart.cudaMalloc(NBYTES)) for _ in range(2))
    values = np.arange(COUNT, dtype=np.float32)
    result = np.zeros_like(values)
    kind = cudart.cudaMemcpyKind.cudaMemcpyDefault
    mode = cudart.cudaStreamCaptureMode.cudaStreamCaptureModeGlobal
    check(cudart.cudaStreamBeginCapture(first, mode))
    check(cudart.cudaEventRecord(forked, first))
    check(cudart.cudaStreamWaitEvent(second, forked, 0))
    check(cudart.cudaMemcpyAsync(source, values.ctypes.data, NBYTES, kind, first))
    check(cudart.cudaMemsetAsync(target, 0, NBYTES, second))
    check(cudart.cudaEventRecord(joined, second))
    check(cudart.cudaStreamWaitEvent(first, joined, 0))
    launch(doubled, source, target, first)
    check(cudart.cudaMemcpyAsync(result.ctypes.data, target, NBYTES, kind, first))
    graph = check(cudart.cudaStreamEndCapture(first))
    assert check(cudart.cudaGraphGetNodes(graph))[1] == 4
    assert not result.any()
    clone = check(cudart.cudaGraphClone(graph))
    for source_graph in (graph, clone):
        result[:] = 0
        executable = check(cudart.cudaGraphInstantiate(source_graph, 0))
        check(cudart.cudaGraphLaunch(executable, second))
        check(cudart.cudaStreamSynchronize(second))
        np.testing.assert_array_equal(result, 2 * values)
        check(cudart.cudaGraphExecDestroy(executable))
        check(cudart.cudaGraphDestroy(source_graph))


def test_runtime_calls_add_graph_nodes():
    data = check(cudart.cudaMalloc(NBYTES))
    graph = check(cudart.cudaGraphCreate(0))
    fill = cudart.cudaMemsetParams()
    fill.dst, fill.value, fill.elementSize, fill.width, fill.height = data, 7, 4, COUNT, 1
    filled = check(cudart.cudaGraphAddMemsetNode(graph, None, 0, fill))
    result = np.zeros(COUNT, np.uint32)
    copy = cudart.cudaMemcpy3DParms()
    copy.srcPtr = cudart.make_cudaPitchedPtr(data, NBYTES, COUNT, 1)
    copy.dstPtr = cudart.make_cudaPitchedPtr(result.ctypes.data, NBYTES, COUNT, 1)
    copy.extent = cudart.make_cudaExtent(NBYTES, 1, 1)
    copy.kind = cudart.cudaMemcpyKind.cudaMemcpyDeviceToHost
    check(cudart.cudaGraphAddMemcpyNode(graph, [filled], 1, copy))
    executable = check(cudart.cudaGraphInstantiate(graph, 0))
    check(cudart.cudaGraphLaunch(executable, 0))
    check(cudart.cudaStreamSynchronize(0))
    np.testing.assert_array_equal(result, np.full(COUNT, 7))
    check(cudart.cudaGraphExecDestroy(executable))
    check(cudart.cudaGraphDestroy(graph))
    check(cudart.cudaFree(data))


def test_unsupported_functions_fail_and_print_their_name(capsys):
    describe = cudart.cudaCreateChannelDesc
    _, channels = describe(32, 0, 0, 0, cudart.cudaChannelFormatKind.cudaChannelFormatKindFloat)
    assert channels.x == 32
    for _ in range(2):
        status, _ = cudart.cudaMallocArray(channels, 16, 16, 0)
        assert status == cudart.cudaError_t.cudaErrorNotSupported
    assert capsys.readouterr().err == "skerry: emulated GPU: cudaMallocArray: not supported\n"
