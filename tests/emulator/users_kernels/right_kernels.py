# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Correct CUDA C++ kernels: each takes (const float* a, float* b, int n) and blocks of 128 threads.

The values of a are small integers, so that sums are exact in any order.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

BLOCK = 128
HEAD = """
__device__ inline int grid_index() { return blockIdx.x * blockDim.x + threadIdx.x; }
__constant__ float table[4] = {1.0f, 2.0f, 4.0f, 8.0f};
__device__ unsigned arrived;
__device__ float partial[64];
__device__ volatile int turn;
struct pair { float x, y; };
__device__ float twice(float v) { return v + v; }
"""


def blocks_of(a: np.ndarray) -> list[np.ndarray]:
    """Return the elements of each block of threads."""
    return [a[k : k + BLOCK] for k in range(0, a.size, BLOCK)]


def at_front(values: list[float] | np.ndarray, n: int) -> np.ndarray:
    """Return the values, padded with zeros to n elements."""
    out = np.zeros(n, np.float32)
    out[: len(values)] = values
    return out


def neighbours(a: np.ndarray) -> np.ndarray:
    out = np.zeros_like(a)
    out[1:-1] = a[:-2] + a[2:]
    return out


def of_blocks(function: Callable[[np.ndarray], np.ndarray]) -> Callable[[np.ndarray], np.ndarray]:
    return lambda a: np.concatenate([function(part) for part in blocks_of(a)])


def reverse_tile(part: np.ndarray) -> np.ndarray:
    whole = at_front(part, BLOCK)[::-1]
    return whole[: part.size]


def swapped(part: np.ndarray) -> np.ndarray:
    whole = at_front(part, BLOCK).reshape(-1, 2)[:, ::-1].reshape(-1)
    return whole[: part.size]


def every_warp(a: np.ndarray) -> np.ndarray:
    whole = at_front(a, -(-a.size // 32) * 32).reshape(-1, 32)
    return at_front(whole.sum(1), a.size)


GUARD = "int i = grid_index(), t = threadIdx.x; (void)t; "
# Name: body, expected b.
KERNELS: dict[str, tuple[str, Callable[[np.ndarray], np.ndarray]]] = {
    "copy": (GUARD + "if (i < n) b[i] = a[i];", lambda a: a),
    "scale": (GUARD + "if (i < n) b[i] = twice(a[i]) + 1.0f;", lambda a: 2 * a + 1),
    "reverse": (GUARD + "if (i < n) b[n - 1 - i] = a[i];", lambda a: a[::-1]),
    "reverse_tile": (
        GUARD + """__shared__ float s[128]; s[t] = i < n ? a[i] : 0.0f; __syncthreads();
        if (i < n) b[i] = s[127 - t];""",
        of_blocks(reverse_tile),
    ),
    "block_sum": (
        GUARD + """__shared__ float s[128]; s[t] = i < n ? a[i] : 0.0f; __syncthreads();
        for (int k = 64; k > 0; k /= 2) { if (t < k) s[t] += s[t + k]; __syncthreads(); }
        if (t == 0) b[blockIdx.x] = s[0];""",
        lambda a: at_front([part.sum() for part in blocks_of(a)], a.size),
    ),
    "warp_sum": (
        GUARD + """float v = i < n ? a[i] : 0.0f;
        for (int k = 16; k > 0; k /= 2) v += __shfl_down_sync(0xffffffff, v, k);
        if (t % 32 == 0 && i < n) b[i / 32] = v;""",
        every_warp,
    ),
    "total": (GUARD + "if (i < n) atomicAdd(b, a[i]);", lambda a: at_front([a.sum()], a.size)),
    "neighbours": (GUARD + "if (i > 0 && i < n - 1) b[i] = a[i - 1] + a[i + 1];", neighbours),
    "grid_stride": (
        "for (int i = grid_index(); i < n; i += blockDim.x * gridDim.x) b[i] = 3.0f * a[i];",
        lambda a: 3 * a,
    ),
    "histogram": (
        GUARD + """__shared__ int s[16]; if (t < 16) s[t] = 0; __syncthreads();
        if (i < n) atomicAdd(&s[(int)a[i]], 1); __syncthreads();
        if (t < 16 && t < n) atomicAdd(&b[t], (float)s[t]);""",
        lambda a: at_front(np.bincount(a.astype(int), minlength=16), a.size),
    ),
    "scan": (
        GUARD + """__shared__ float s[128]; s[t] = i < n ? a[i] : 0.0f; __syncthreads();
        for (int k = 1; k < 128; k *= 2) {
          float v = t >= k ? s[t - k] : 0.0f; __syncthreads(); s[t] += v; __syncthreads();
        }
        if (i < n) b[i] = s[t];""",
        of_blocks(lambda part: np.cumsum(part)),
    ),
    "ballot": (
        GUARD + """unsigned found = __ballot_sync(0xffffffff, i < n && a[i] > 7.0f);
        if (i < n) b[i] = (float)((found >> (t % 32)) & 1u);""",
        lambda a: (a > 7).astype(np.float32),
    ),
    "local_array": (
        GUARD + """float v[4]; for (int k = 0; k < 4; ++k) v[k] = i < n ? a[i] * k : 0.0f;
        int chosen = i % 4; if (i < n) b[i] = v[chosen];""",
        lambda a: a * (np.arange(a.size) % 4),
    ),
    "maximum": (
        GUARD + "if (i < n) atomicMax((int*)b, __float_as_int(a[i]));",
        lambda a: at_front([a.max()], a.size),
    ),
    "last_block": (
        GUARD + """__shared__ bool is_last; __shared__ float s[128];
        s[t] = i < n ? a[i] : 0.0f; __syncthreads();
        for (int k = 64; k > 0; k /= 2) { if (t < k) s[t] += s[t + k]; __syncthreads(); }
        if (t == 0) {
          partial[blockIdx.x] = s[0]; __threadfence();
          is_last = atomicAdd(&arrived, 1u) == gridDim.x - 1;
        }
        __syncthreads();
        if (is_last && t == 0) {
          float sum = 0.0f; for (int k = 0; k < gridDim.x; ++k) sum += partial[k];
          b[0] = sum; arrived = 0;
        }""",
        lambda a: at_front([a.sum()], a.size),
    ),
    "dynamic_shared": (
        GUARD + """extern __shared__ float d[]; d[t ^ 1] = i < n ? a[i] : 0.0f; __syncthreads();
        if (i < n) b[i] = d[t];""",
        of_blocks(swapped),
    ),
    "pairs": (
        GUARD + """if (i < n / 2) { pair p = ((const pair*)a)[i]; ((pair*)b)[i] = pair{p.y, p.x}; }
        if (i == 0 && n % 2) b[n - 1] = a[n - 1];""",
        lambda a: np.concatenate([a[: a.size // 2 * 2].reshape(-1, 2)[:, ::-1].reshape(-1), a[a.size // 2 * 2 :]]),
    ),
    "constant_table": (
        GUARD + "if (i < n) b[i] = a[i] * table[i % 4];",
        lambda a: a * np.array([1, 2, 4, 8], np.float32)[np.arange(a.size) % 4],
    ),
    "while_loop": (
        GUARD + "if (i < n) { int k = (int)a[i], c = 0; while (k > 0) { k /= 2; ++c; } b[i] = c; }",
        lambda a: np.array([int(v).bit_length() for v in a], np.float32),
    ),
    "warp_exchange": (
        GUARD + """__shared__ float s[128]; s[t] = i < n ? a[i] : 0.0f; __syncwarp();
        float v = s[t ^ 1]; __syncwarp(); s[t] = v; __syncthreads(); if (i < n) b[i] = s[t];""",
        of_blocks(swapped),
    ),
    "double_buffer": (
        GUARD + """__shared__ float s[2][128]; s[0][t] = i < n ? a[i] : 0.0f; __syncthreads();
        for (int k = 0; k < 3; ++k) { s[(k + 1) % 2][t ^ 1] = s[k % 2][t]; __syncthreads(); }
        if (i < n) b[i] = s[1][t];""",
        of_blocks(swapped),
    ),
    "compare_and_swap": (
        GUARD + """if (i < n) {
          int* to = (int*)b; int old = *(volatile int*)to, want;
          do { want = old; old = atomicCAS(to, want, __float_as_int(__int_as_float(want) + a[i])); } while (old != want);
        }""",
        lambda a: at_front([a.sum()], a.size),
    ),
    "chain_of_blocks": (
        GUARD + """if (t == 0) {
          while (turn != (int)blockIdx.x) __nanosleep(20);
          __threadfence(); b[0] += a[0] * blockIdx.x; __threadfence();
          turn = blockIdx.x + 1 < gridDim.x ? blockIdx.x + 1 : 0;
        }""",
        lambda a: at_front([a[0] * sum(range(len(blocks_of(a))))], a.size),
    ),
    "early_return": (GUARD + "if (i >= n) return; b[i] = a[i] - 1.0f;", lambda a: a - 1),
    "one_thread_of_each_block": (
        GUARD + "if (t == 0) for (int k = i; k < n && k < i + 128; ++k) b[k] = a[k] + 5.0f;",
        lambda a: a + 5,
    ),
}  # fmt: skip
SIZES = (33, 128, 1000, 4097)


def source() -> str:
    """Return a program with all kernels."""
    head = 'extern "C" __global__ void '
    return HEAD + "".join(
        f"{head}{name}(const float* a, float* b, int n) {{\n{body}\n}}\n"
        for name, (body, _) in KERNELS.items()
    )


def values(n: int) -> np.ndarray:
    return np.random.default_rng(n).integers(0, 16, n).astype(np.float32)
