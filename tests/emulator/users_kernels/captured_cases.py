# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Kernels of Numba and cuda.core in graphs of skerry, on the emulated GPU: run by test_captured_kernels.py."""

import gc

import numpy as np
import pytest
import skerry as sk
from cuda.core import Device, LaunchConfig, Program, ProgramOptions, launch
from numba import cuda

pytestmark = pytest.mark.filterwarnings("ignore:.*NumbaPerformanceWarning|.*under-utilization")


@pytest.fixture
def x():
    return sk.arange(6.0, device="cuda:0")


@cuda.jit
def triple(x, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = 3 * x[i]


def tripled(x):
    """Mix a kernel of Numba with skerry's own work."""
    y = x + 1
    out = sk.empty_like(y)
    stream = cuda.external_stream(sk.current_stream(x.device).handle)
    triple[1, 32, stream](y, out)
    return out * 2


def test_kernels_of_numba(x):
    expected = tripled(x)  # compiles the kernel
    graph = sk.capture(tripled, x)
    for i in range(3):
        np.testing.assert_array_equal(graph(x + i).to_numpy(), 6 * (x.to_numpy() + i + 1))
    np.testing.assert_array_equal(expected.to_numpy(), 6 * (x.to_numpy() + 1))


def test_memory_of_such_kernels_is_kept_alive(x):
    holder = [x + 1]
    out = sk.zeros(6, device="cuda:0")

    def function():
        stream = cuda.external_stream(sk.current_stream("cuda:0").handle)
        triple[1, 32, stream](holder[0], out)

    triple[1, 32](holder[0], out)
    cuda.synchronize()
    graph = sk.capture(function)
    holder.clear()
    gc.collect()
    others = [sk.full(6, -1.0, device="cuda:0") for _ in range(50)]
    out[...] = 0
    graph()
    np.testing.assert_array_equal(out.to_numpy(), 3 * (x.to_numpy() + 1))
    del others


ADD = 'extern "C" __global__ void add(double* x, double a) { x[threadIdx.x] += a; }'


def test_kernels_of_cuda_core(x):
    device = Device(0)
    device.set_current()
    program = Program(ADD, code_type="c++", options=ProgramOptions(arch=f"sm_{device.arch}"))
    kernel = program.compile("ptx").get_kernel("add")

    def function(x):
        y = x * 2
        stream = device.create_stream(sk.current_stream("cuda:0"))
        pointer = y.__cuda_array_interface__["data"][0]
        launch(stream, LaunchConfig(grid=1, block=6), kernel, pointer, np.float64(0.5))
        return y + 1

    graph = sk.capture(function, x)
    for i in range(3):
        np.testing.assert_array_equal(graph(x + i).to_numpy(), 2 * (x.to_numpy() + i) + 1.5)


def test_a_wait_of_another_library_fails_the_capture(x):
    def function(x):
        cuda.external_stream(sk.current_stream("cuda:0").handle).synchronize()
        return x + 1

    with pytest.raises(Exception, match=r"(?i)captur"):
        sk.capture(function, x)
    assert sk.capture(lambda x: x + 1, x)(x)[0].item() == 1


def test_captured_memory_is_not_exported_to_other_streams(x):
    def function(x):
        assert x.__cuda_array_interface__["stream"] is None
        with pytest.raises(ValueError, match="another stream"):
            x.__dlpack__(stream=other_handle)
        return x + 1

    other_handle = int(cuda.stream().handle)
    assert sk.capture(function, x)(x)[0].item() == 1


def test_a_graph_of_cuda_core_contains_work_of_skerry(x):
    device = Device(0)
    device.set_current()
    stream = device.create_stream()
    builder = stream.create_graph_builder().begin_building()
    with sk.stream(builder.stream):
        y = sk.sort((x * 2)[::-1]) + x
    graph = builder.end_building().complete()
    assert x.tolist() == [0, 1, 2, 3, 4, 5]
    for i in range(2):
        x += i
        sk.synchronize("cuda:0")
        graph.launch(stream)
        stream.sync()
        np.testing.assert_array_equal(y.to_numpy(), 3 * x.to_numpy())
    others = [sk.full(6, -1.0, device="cuda:0") for _ in range(50)]
    graph.launch(stream)
    stream.sync()
    assert all(other.tolist() == [-1] * 6 for other in others)
