# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""The same two kernels in cuda.core, Numba and CuPy, on a stream of that library which skerry is not told of.

``add`` adds 1 to the elements of an array of float32, ``read`` copies them elsewhere. Both get an array of skerry whose
address was read before, so that neither waits for the other.
"""

import math

import numpy as np
import skerry as sk

SOURCE = """
extern "C" __global__ void add(float* a, long long step, long long n, float* out) {
  for (long long i = threadIdx.x; i < n; i += blockDim.x) a[i * step] += 1;
}
extern "C" __global__ void read(float* a, long long step, long long n, float* out) {
  for (long long i = threadIdx.x; i < n; i += blockDim.x) out[i] = a[i * step];
}
"""
DEVICE = "cuda:0"
THREADS = 32
MAX_SIZE = 64


class CudaCore:
    """Kernels of CUDA C++, compiled and launched by cuda.core."""

    def __init__(self):
        from cuda.core import Device

        from tests.emulator.users_kernels.checked_kernels import Program

        device = Device(0)
        device.set_current()
        self._program = Program(SOURCE, "stream_kernels.cu")
        self._stream = device.create_stream()
        self._out = sk.zeros(MAX_SIZE, dtype=sk.float32, device=DEVICE)
        self._pointer = self._out.__cuda_array_interface__["data"][0]
        self.stream = sk.Stream.from_handle(DEVICE, int(self._stream.handle))

    def run(self, name, located):
        from cuda.core import LaunchConfig, launch

        kernel = self._program.code.get_kernel(name)
        numbers = np.int64(located.step), np.int64(located.size)
        launch(self._stream, LaunchConfig(grid=1, block=THREADS), kernel, located.pointer, *numbers, self._pointer)  # fmt: skip  # the kernel


class Numba:
    """Kernels in Python."""

    def __init__(self):
        from tests.emulator.users_kernels.kernel_library import cuda

        def add(a, out):
            for i in range(cuda.threadIdx.x, a.size, cuda.blockDim.x):
                a[i] += 1

        def read(a, out):
            for i in range(cuda.threadIdx.x, a.size, cuda.blockDim.x):
                out[i] = a[i]

        self._kernels = {"add": cuda.jit(add), "read": cuda.jit(read)}
        from cuda.core import Device

        # Numba's own streams wait for the default stream.
        device = Device(0)
        device.set_current()
        self._core_stream = device.create_stream()
        self._stream = cuda.external_stream(int(self._core_stream.handle))
        self._cuda = cuda
        self._out = cuda.device_array(MAX_SIZE, np.float32)
        self.stream = sk.Stream.from_handle(DEVICE, int(self._core_stream.handle))

    def run(self, name, located):
        array = self._cuda.as_cuda_array(located, sync=False)
        self._kernels[name][1, THREADS, self._stream](array, self._out)  # the kernel


class Cupy:
    """Kernels of CUDA C++, compiled and launched by CuPy."""

    def __init__(self):
        import cupy as cp

        self._module = cp.RawModule(code=SOURCE)
        self._stream = cp.cuda.Stream(non_blocking=True)
        self._out = cp.zeros(MAX_SIZE, np.float32)
        self.stream = sk.Stream.from_handle(DEVICE, self._stream.ptr)

    def run(self, name, located):
        kernel = self._module.get_function(name)
        arguments = (np.intp(located.pointer), np.int64(located.step), np.int64(located.size), self._out)  # fmt: skip
        with self._stream:
            kernel((1,), (THREADS,), arguments)  # the kernel


LIBRARIES = {"cuda.core": CudaCore, "numba": Numba, "cupy": Cupy}


class Located:
    """The memory of an array of skerry, without its stream; does not keep it alive.

    Reading the array's own __cuda_array_interface__ would make streams wait.
    """

    def __init__(self, x):
        interface = x.__cuda_array_interface__
        self.pointer = interface["data"][0]
        self.size = math.prod(x.shape)
        self.step = x.strides[0] // x.itemsize
        self.__cuda_array_interface__ = {
            "data": (self.pointer, False),
            "shape": x.shape,
            "typestr": interface["typestr"],
            "strides": x.strides,
            "version": 3,
        }
        sk.synchronize(DEVICE)
