# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Programs of cuda.core and NVRTC on the emulated GPU: run by test_users_kernels.py."""

import numpy as np
import pytest
from cuda.bindings import driver
from cuda.core import Device, LaunchConfig, Linker, LinkerOptions, Program, ProgramOptions, launch

AXPY = """
template <class T>
__global__ void axpy(T a, const T* x, const T* y, T* out, size_t n) {
  const size_t step = gridDim.x * static_cast<size_t>(blockDim.x);
  for (size_t i = blockIdx.x * static_cast<size_t>(blockDim.x) + threadIdx.x; i < n; i += step) {
    out[i] = a * x[i] + y[i];
  }
}
"""
BLOCK_SUM = """
extern "C" __global__ void block_sum(const float* x, float* total, int n) {
  __shared__ float shared[256];
  const int i = blockIdx.x * 256 + threadIdx.x;
  shared[threadIdx.x] = i < n ? x[i] : 0;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (threadIdx.x < half) shared[threadIdx.x] += shared[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(total, shared[0]);
}
"""
MODULE_STATE = """
__constant__ float table[4] = {1, 2, 3, 4};
__device__ int calls = 5;
struct pair { float factor; int count; };
extern "C" __global__ void scaled(pair of, float* out, int* seen) {
  const int i = threadIdx.x;
  if (i < of.count) {
    out[i] = of.factor * table[i & 3] + __shfl_xor_sync(~0u, i, 1);
    atomicAdd(&calls, 1);
  }
  __syncthreads();
  if (i == 0) {
    *seen = calls;
    printf("%d calls, %s, %.2f\\n", calls, "a text", of.factor);
  }
}
"""


def check(result):
    assert result[0] == driver.CUresult.CUDA_SUCCESS, result
    return result[1] if len(result) == 2 else result[1:]


class Memory:
    """An array on a device, written and read on a stream."""

    def __init__(self, device, stream, values):
        self.stream = stream
        self.shape, self.dtype = values.shape, values.dtype
        self.buffer = device.allocate(values.nbytes, stream=stream)
        values = np.ascontiguousarray(values)
        check(
            driver.cuMemcpyHtoDAsync(
                int(self.buffer.handle), values.ctypes.data, values.nbytes, stream.handle
            )
        )
        stream.sync()

    def read(self):
        values = np.empty(self.shape, self.dtype)
        check(
            driver.cuMemcpyDtoHAsync(
                values.ctypes.data, int(self.buffer.handle), values.nbytes, self.stream.handle
            )
        )
        self.stream.sync()
        return values


@pytest.fixture(params=[0, 1])
def device(request):
    device = Device(request.param)
    device.set_current()
    return device


@pytest.fixture
def stream(device):
    return device.create_stream()


def program(device, source, **options):
    options = ProgramOptions(std="c++17", arch=f"sm_{device.arch}", **options)
    return Program(source, code_type="c++", options=options)


@pytest.mark.parametrize("kind", ["ptx", "cubin"])
@pytest.mark.parametrize(
    ("cpp", "dtype"), [("float", "float32"), ("double", "float64"), ("int", "int32")]
)
def test_a_template_is_compiled_for_its_types(device, stream, kind, cpp, dtype):
    name = f"axpy<{cpp}>"
    compiled = program(device, AXPY).compile(kind, name_expressions=(name,))
    kernel = compiled.get_kernel(name)
    x, y = np.arange(5000, dtype=dtype), np.arange(5000, dtype=dtype)[::-1].copy()
    on_x, on_y, out = (Memory(device, stream, v) for v in (x, y, np.zeros_like(x)))
    number = np.dtype(dtype).type(3)
    config = LaunchConfig(grid=8, block=256)
    launch(stream, config, kernel, number, on_x.buffer, on_y.buffer, out.buffer, np.uint64(5000))
    np.testing.assert_array_equal(out.read(), 3 * x + y)


def test_blocks_add_to_one_sum(device, stream):
    kernel = program(device, BLOCK_SUM).compile("cubin").get_kernel("block_sum")
    x = (np.arange(3000) % 17).astype("float32")
    on_x, total = Memory(device, stream, x), Memory(device, stream, np.zeros(1, "float32"))
    config = LaunchConfig(grid=12, block=256)
    launch(stream, config, kernel, on_x.buffer, total.buffer, np.int32(3000))
    assert total.read()[0] == x.sum()
    assert kernel.attributes.shared_size_bytes == 1024
    assert kernel.attributes.max_threads_per_block >= 256


def test_a_module_has_variables_and_prints(device, stream, capfd):
    kernel = program(device, MODULE_STATE).compile("cubin").get_kernel("scaled")
    out, seen = (
        Memory(device, stream, np.zeros(32, "float32")),
        Memory(device, stream, np.zeros(1, "i4")),
    )
    pair = np.array([(2.5, 32)], np.dtype([("factor", "f4"), ("count", "i4")]))
    handed = pair.view("u8")[0]  # passes the struct of eight bytes
    launch(stream, LaunchConfig(grid=1, block=32), kernel, handed, out.buffer, seen.buffer)
    lane = np.arange(32)
    np.testing.assert_array_equal(out.read(), 2.5 * np.array([1, 2, 3, 4] * 8) + (lane ^ 1))
    assert seen.read()[0] == 37
    assert capfd.readouterr().out == "37 calls, a text, 2.50\n"


FUNCTION = 'extern "C" __device__ int twice(int x) { return 2 * x; }'
CALLER = """
extern "C" __device__ int twice(int);
extern "C" __global__ void caller(int* out) { out[threadIdx.x] = twice(threadIdx.x); }
"""


@pytest.mark.parametrize("kinds", [("ptx", "ptx"), ("cubin", "ptx"), ("ltoir", "ltoir")])
def test_objects_are_linked(device, stream, kinds):
    lto = kinds[0] == "ltoir"
    objects = [
        program(
            device, source, relocatable_device_code=True, link_time_optimization=lto or None
        ).compile(kind)
        for source, kind in zip((FUNCTION, CALLER), kinds, strict=True)
    ]
    options = LinkerOptions(arch=f"sm_{device.arch}", link_time_optimization=lto or None)
    linked = Linker(*objects, options=options).link("cubin")
    out = Memory(device, stream, np.zeros(32, "int32"))
    launch(stream, LaunchConfig(grid=1, block=32), linked.get_kernel("caller"), out.buffer)
    np.testing.assert_array_equal(out.read(), 2 * np.arange(32))


def test_the_linker_names_an_undefined_function(device):
    compiled = program(device, CALLER, relocatable_device_code=True).compile("ptx")
    linker = Linker(compiled, options=LinkerOptions(arch=f"sm_{device.arch}"))
    with pytest.raises(Exception, match=r"(?s)Undefined reference to 'twice'"):
        linker.link("cubin")


def test_the_linker_names_a_duplicate_definition(device):
    objects = [
        program(device, FUNCTION, relocatable_device_code=True, name=name).compile("ptx")
        for name in ("first", "second")
    ]
    linker = Linker(*objects, options=LinkerOptions(arch=f"sm_{device.arch}"))
    with pytest.raises(Exception, match=r"(?s)multiple definition of 'twice'"):
        linker.link("cubin")


def test_a_compile_error_is_raised(device):
    with pytest.raises(Exception, match="undefined"):
        program(device, "__global__ void k() { x = 1; }").compile("cubin")


def test_events_order_streams(device):
    kernel = (
        program(device, AXPY)
        .compile("cubin", name_expressions=("axpy<int>",))
        .get_kernel("axpy<int>")
    )
    first, second = device.create_stream(), device.create_stream()
    x = Memory(device, first, np.ones(5000, "int32"))
    handed = (np.int32(1), x.buffer, x.buffer, x.buffer, np.uint64(5000))
    config = LaunchConfig(grid=8, block=256)
    for _ in range(5):
        launch(first, config, kernel, *handed)
    done = first.record()
    second.wait(done)
    launch(second, config, kernel, *handed)
    second.sync()
    np.testing.assert_array_equal(x.read(), np.full(5000, 64))


def test_both_devices_are_emulated():
    assert check(driver.cuDeviceGetCount()) == 2
    names = [Device(number).name for number in range(2)]
    assert all("emulated" in name for name in names), names
