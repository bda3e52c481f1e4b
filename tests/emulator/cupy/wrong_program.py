# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""A CuPy program over two devices with three mistakes; each marked line is to be named by `sanitize`."""

import cupy as cp

CODE = r"""
extern "C" __global__ void last_one_wins(int* x) {
  x[0] = threadIdx.x;  // race
}
extern "C" __global__ void one_too_many(float* x, int n) {
  if (threadIdx.x <= n) x[threadIdx.x] = 1;  // overrun
}
extern "C" __global__ void read_elsewhere(const float* x, float* y) {
  y[threadIdx.x] = x[threadIdx.x];  // wrong device
}
"""

kernels = cp.RawModule(code=CODE, options=("-lineinfo",))


def run(name, blocks, threads, arguments):
    try:
        kernels.get_function(name)((blocks,), (threads,), arguments)
        cp.cuda.Device().synchronize()
    except cp.cuda.runtime.CUDARuntimeError as problem:
        print(name, problem, *getattr(problem, "__notes__", ()))


with cp.cuda.Device(0):
    run("last_one_wins", 1, 64, (cp.zeros(1, "int32"),))
    source = cp.ones(32, "float32")
with cp.cuda.Device(1):
    run("read_elsewhere", 1, 32, (source, cp.zeros(32, "float32")))
with cp.cuda.Device(0):
    run("one_too_many", 1, 32, (cp.zeros(5, "float32"), cp.int32(5)))
