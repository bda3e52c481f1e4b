# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Correct kernels that compute with every byte of an array, in Python and in CUDA C++.

Each takes (a, b), bytes and int32 of n elements, where b has zeros, and blocks of 64 threads. EXPECTED has b, by name.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

BLOCK = 64
Values = Any


def _sums(a: Values) -> Values:
    tiles = np.pad(a, (0, -a.size % BLOCK)).reshape(-1, BLOCK)
    return np.pad(tiles.sum(1), (0, a.size))[: a.size]


def _reversed_tiles(a: Values) -> Values:
    return np.pad(a, (0, -a.size % BLOCK)).reshape(-1, BLOCK)[:, ::-1].reshape(-1)[: a.size]


EXPECTED: dict[str, Callable[[Values], Values]] = {
    "scaled": lambda a: 3 * a + 1,
    "with_next": lambda a: a + np.roll(a, -1),
    "histogram": lambda a: np.bincount(a % a.size, minlength=a.size),
    "reverse_tile": _reversed_tiles,
    "block_sum": _sums,
}

SOURCE = """
#define BLOCK 64
extern "C" __global__ void scaled(const unsigned char* a, int* b, int n) {
  int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) b[i] = 3 * a[i] + 1;
}
extern "C" __global__ void with_next(const unsigned char* a, int* b, int n) {
  int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) b[i] = a[i] + a[(i + 1) % n];
}
extern "C" __global__ void histogram(const unsigned char* a, int* b, int n) {
  int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) atomicAdd(&b[a[i] % n], 1);
}
extern "C" __global__ void reverse_tile(const unsigned char* a, int* b, int n) {
  __shared__ int s[BLOCK];
  int t = threadIdx.x, i = blockIdx.x * BLOCK + t;
  s[t] = i < n ? a[i] : 0;
  __syncthreads();
  if (i < n) b[i] = s[BLOCK - 1 - t];
}
extern "C" __global__ void block_sum(const unsigned char* a, int* b, int n) {
  __shared__ int s[BLOCK];
  int t = threadIdx.x, i = blockIdx.x * BLOCK + t;
  s[t] = i < n ? a[i] : 0;
  __syncthreads();
  for (int half = BLOCK / 2; half > 0; half /= 2) {
    if (t < half) s[t] += s[t + half];
    __syncthreads();
  }
  if (t == 0) b[blockIdx.x] = s[0];
}
"""


def python_kernels() -> dict[str, Any]:
    """Return the compiled kernels by name."""
    from tests.emulator.users_kernels.kernel_library import cuda, int32
    from tests.emulator.users_kernels.right_numba_kernels import KERNELS

    def scaled(a, b):
        i = cuda.grid(1)
        if i < a.size:
            b[i] = 3 * int32(a[i]) + 1

    def with_next(a, b):
        i = cuda.grid(1)
        if i < a.size:
            b[i] = int32(a[i]) + int32(a[(i + 1) % a.size])

    def histogram(a, b):
        i = cuda.grid(1)
        if i < a.size:
            cuda.atomic.add(b, a[i] % a.size, 1)

    # Their tiles are of float32, which is exact for sums of 64 bytes.
    of_tiles = (KERNELS[name].function for name in ("reverse_tile", "block_sum"))
    functions = (scaled, with_next, histogram, *of_tiles)
    return {function.__name__: cuda.jit(lineinfo=True)(function) for function in functions}
