# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Correct Numba kernels: each takes (a, b), float32 of n elements, and blocks of 64 threads.

The values of a are small integers, so that sums are exact in any order.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.emulator.users_kernels.kernel_library import cuda, float32, float64, int32, int64

BLOCK = 64
WITH_EDGES = BLOCK + 2
TABLE = np.array([1, 2, 4, 8], np.float32)
Values = Any
Kernel = Callable[[Any, Any], None]


@dataclass(frozen=True)
class Right:
    """A kernel, the expected b, and its dynamic shared memory."""

    function: Kernel
    expected: Callable[[Values], Values]
    shared_nbytes: int = 0


KERNELS: dict[str, Right] = {}


def right(
    expected: Callable[[Values], Values], shared_nbytes: int = 0
) -> Callable[[Kernel], Kernel]:
    def keep(function: Kernel) -> Kernel:
        KERNELS[function.__name__] = Right(function, expected, shared_nbytes)
        return function

    return keep


def values(n: int) -> Values:
    return np.random.default_rng(n).integers(0, 16, n).astype(np.float32)


def padded(a: Values, multiple: int = BLOCK) -> Values:
    """Return the elements with one row for each block, padded with zeros."""
    return np.pad(a, (0, -a.size % multiple)).reshape(-1, multiple)


def at_front(some: Values, a: Values) -> Values:
    out = np.zeros(max(a.size, len(some)), np.float32)
    out[: len(some)] = some
    return out[: a.size]


def swapped(a: Values) -> Values:
    return padded(a).reshape(-1, 2)[:, ::-1].reshape(-1)[: a.size]


@right(lambda a: a)
def copy(a, b):
    i = cuda.grid(1)
    if i < a.size:
        b[i] = a[i]


@cuda.jit(device=True)
def twice_and_half(v):
    return v + v, v / 2


@right(lambda a: 2.5 * a + 1)
def device_function(a, b):
    i = cuda.grid(1)
    if i < a.size:
        double, half = twice_and_half(a[i])
        b[i] = double + half + 1


@right(lambda a: a[::-1])
def reverse(a, b):
    i = cuda.grid(1)
    if i < a.size:
        b[-1 - i] = a[i]


@right(lambda a: padded(a)[:, ::-1].reshape(-1)[: a.size])
def reverse_tile(a, b):
    s = cuda.shared.array(BLOCK, float32)
    i, t = cuda.grid(1), cuda.threadIdx.x
    s[t] = a[i] if i < a.size else 0
    cuda.syncthreads()
    if i < a.size:
        b[i] = s[BLOCK - 1 - t]


@right(lambda a: at_front(padded(a).sum(1), a))
def block_sum(a, b):
    s = cuda.shared.array(BLOCK, float32)
    i, t = cuda.grid(1), cuda.threadIdx.x
    s[t] = a[i] if i < a.size else 0
    cuda.syncthreads()
    half = BLOCK // 2
    while half > 0:
        if t < half:
            s[t] += s[t + half]
        cuda.syncthreads()
        half //= 2
    if t == 0:
        b[cuda.blockIdx.x] = s[0]


@right(lambda a: at_front(padded(a, 32).sum(1), a))
def warp_sum(a, b):
    i = cuda.grid(1)
    v = a[i] if i < a.size else float32(0)
    for step in (16, 8, 4, 2, 1):
        v += cuda.shfl_down_sync(0xFFFFFFFF, v, step)
    if cuda.laneid == 0 and i < a.size:
        b[i // 32] = v


@right(lambda a: np.repeat(padded(a, 32).max(1), 32)[: a.size])
def warp_maximum(a, b):
    i = cuda.grid(1)
    v = a[i] if i < a.size else float32(0)
    for step in (16, 8, 4, 2, 1):
        v = max(v, cuda.shfl_xor_sync(0xFFFFFFFF, v, step))
    if i < a.size:
        b[i] = v


@right(lambda a: np.cumsum(padded(a, 32), axis=1).reshape(-1)[: a.size])
def warp_scan(a, b):
    i = cuda.grid(1)
    v = a[i] if i < a.size else float32(0)
    step = 1
    while step < 32:
        other = cuda.shfl_up_sync(0xFFFFFFFF, v, step)
        if cuda.laneid >= step:
            v += other
        step *= 2
    if i < a.size:
        b[i] = v


@right(lambda a: at_front([a.sum()], a))
def total(a, b):
    i = cuda.grid(1)
    if i < a.size:
        cuda.atomic.add(b, 0, a[i])


@right(lambda a: at_front([a.max()], a))
def maximum(a, b):
    i = cuda.grid(1)
    if i < a.size:
        cuda.atomic.max(b, 0, a[i])


@right(lambda a: np.concatenate([[0], a[:-2] + a[2:], [0]]))
def neighbours(a, b):
    i = cuda.grid(1)
    if 0 < i < a.size - 1:
        b[i] = a[i - 1] + a[i + 1]


@right(lambda a: np.concatenate([[0], a[:-2] + a[1:-1] + a[2:], [0]]))
def stencil_by_tiles(a, b):
    s = cuda.shared.array(WITH_EDGES, float32)
    i, t = cuda.grid(1), cuda.threadIdx.x
    s[t + 1] = a[i] if i < a.size else 0
    if t == 0:
        s[0] = a[i - 1] if 0 < i <= a.size else 0
    if t == BLOCK - 1:
        s[BLOCK + 1] = a[i + 1] if i + 1 < a.size else 0
    cuda.syncthreads()
    if 0 < i < a.size - 1:
        b[i] = s[t] + s[t + 1] + s[t + 2]


@right(lambda a: 3 * a)
def grid_stride(a, b):
    for i in range(cuda.grid(1) // 2, a.size, cuda.gridsize(1) // 2):
        if cuda.grid(1) % 2 == 0:
            b[i] = 3 * a[i]


@right(lambda a: at_front(np.bincount(a.astype(int), minlength=16), a))
def histogram(a, b):
    s = cuda.shared.array(16, int32)
    i, t = cuda.grid(1), cuda.threadIdx.x
    if t < 16:
        s[t] = 0
    cuda.syncthreads()
    if i < a.size:
        cuda.atomic.add(s, int(a[i]), 1)
    cuda.syncthreads()
    if t < 16 and t < b.size:
        cuda.atomic.add(b, t, float32(s[t]))


@right(lambda a: np.cumsum(padded(a), axis=1).reshape(-1)[: a.size])
def scan(a, b):
    s = cuda.shared.array(BLOCK, float32)
    i, t = cuda.grid(1), cuda.threadIdx.x
    s[t] = a[i] if i < a.size else 0
    cuda.syncthreads()
    step = 1
    while step < BLOCK:
        v = s[t - step] if t >= step else float32(0)
        cuda.syncthreads()
        s[t] += v
        cuda.syncthreads()
        step *= 2
    if i < a.size:
        b[i] = s[t]


@right(lambda a: (a > 7).astype(np.float32))
def ballot(a, b):
    i = cuda.grid(1)
    ballot_mask = cuda.ballot_sync(0xFFFFFFFF, i < a.size and a[i] > 7)
    if i < a.size:
        b[i] = (ballot_mask >> cuda.laneid) & 1


@right(lambda a: a * (np.arange(a.size) % 4))
def local_array(a, b):
    i = cuda.grid(1)
    local_values = cuda.local.array(4, float32)
    for k in range(4):
        local_values[k] = a[i] * k if i < a.size else 0
    if i < a.size:
        b[i] = local_values[i % 4]


@right(lambda a: a * TABLE[np.arange(a.size) % 4])
def constant_table(a, b):
    table = cuda.const.array_like(TABLE)
    i = cuda.grid(1)
    if i < a.size:
        b[i] = a[i] * table[i % 4]


@right(lambda a: np.array([int(v).bit_length() for v in a], np.float32))
def while_loop(a, b):
    i = cuda.grid(1)
    if i < a.size:
        k, count = int(a[i]), 0
        while k > 0:
            k //= 2
            count += 1
        b[i] = count


@right(lambda a: np.array([int(v).bit_count() + 32 - int(v).bit_length() for v in a], np.float32))
def bits(a, b):
    i = cuda.grid(1)
    if i < a.size:
        k = int32(a[i])
        b[i] = cuda.popc(k) + cuda.clz(k)


@right(swapped)
def warp_exchange(a, b):
    s = cuda.shared.array(BLOCK, float32)
    i, t = cuda.grid(1), cuda.threadIdx.x
    s[t] = a[i] if i < a.size else 0
    cuda.syncwarp()
    v = s[t ^ 1]
    cuda.syncwarp()
    s[t] = v
    cuda.syncthreads()
    if i < a.size:
        b[i] = s[t]


@right(swapped, shared_nbytes=4 * BLOCK)
def dynamic_shared(a, b):
    s = cuda.shared.array(0, float32)
    i, t = cuda.grid(1), cuda.threadIdx.x
    s[t ^ 1] = a[i] if i < a.size else 0
    cuda.syncthreads()
    if i < a.size:
        b[i] = s[t]


@right(swapped)
def double_buffer(a, b):
    s = cuda.shared.array((2, BLOCK), float32)
    i, t = cuda.grid(1), cuda.threadIdx.x
    s[0, t] = a[i] if i < a.size else 0
    cuda.syncthreads()
    for k in range(3):
        s[(k + 1) % 2, t ^ 1] = s[k % 2, t]
        cuda.syncthreads()
    if i < a.size:
        b[i] = s[1, t]


# The sum is an integer, stored in a float's bytes.
@right(lambda a: at_front(np.array([a.sum()], np.int32).view(np.float32), a))
def compare_and_swap(a, b):
    i = cuda.grid(1)
    if i < a.size:
        words = b.view(int32)
        old, want = int32(0), int32(-1)
        while old != want:
            want = old
            old = cuda.atomic.cas(words, 0, want, want + int32(a[i]))


@right(lambda a: a - 1)
def early_return(a, b):
    i = cuda.grid(1)
    if i >= a.size:
        return
    b[i] = a[i] - 1


@right(lambda a: a + 5)
def one_thread_of_each_block(a, b):
    if cuda.threadIdx.x == 0:
        begin = cuda.grid(1)
        for k in range(begin, min(begin + BLOCK, a.size)):
            b[k] = a[k] + 5


@right(lambda a: np.roll(a, 1) + 1)
def whole_grid_waits(a, b):
    grid = cuda.cg.this_grid()
    i = cuda.grid(1)
    if i < a.size:
        b[i] = a[i] + 1
    grid.sync()
    v = b[i - 1] if i < a.size else float32(0)
    grid.sync()
    if i < a.size:
        b[i] = v


@right(lambda a: at_front([a.sum()], a))
def last_block(a, b):
    last = cuda.shared.array(1, int32)
    i, t = cuda.grid(1), cuda.threadIdx.x
    if i < a.size:
        cuda.atomic.add(b, 1, a[i])
    cuda.threadfence()
    cuda.syncthreads()
    if t == 0:
        last[0] = cuda.atomic.add(b, 2, 1.0) == cuda.gridDim.x - 1
    cuda.syncthreads()
    if last[0] and t == 0:
        b[0] = cuda.atomic.add(b, 1, 0.0)
        b[1] = 0
        b[2] = 0


@right(lambda a: at_front([a.sum()], a))
def lock(a, b):
    lock_words = b.view(int32)
    i = cuda.grid(1)
    if cuda.threadIdx.x == 0:
        partial_sum = float32(0)
        for k in range(i, min(i + BLOCK, a.size)):
            partial_sum += a[k]
        while cuda.atomic.cas(lock_words, 1, 0, 1) != 0:
            pass
        cuda.threadfence()
        b[0] += partial_sum
        cuda.threadfence()
        cuda.atomic.exch(lock_words, 1, 0)


@right(lambda a: np.repeat((padded(a) > 7).sum(1), BLOCK)[: a.size])
def count_of_block(a, b):
    i = cuda.grid(1)
    count = cuda.syncthreads_count(int32(i < a.size and a[i] > 7))
    if i < a.size:
        b[i] = count


@right(lambda a: np.repeat((padded(a) > 14).any(1), BLOCK)[: a.size])
def any_of_block(a, b):
    i = cuda.grid(1)
    has_any = cuda.syncthreads_or(int32(i < a.size and a[i] > 14))
    if i < a.size:
        b[i] = 1 if has_any else 0


@right(
    lambda a: (padded(a, 32)[:, :, None] == padded(a, 32)[:, None, :]).sum(2).reshape(-1)[: a.size]
)
def equal_lanes(a, b):
    i = cuda.grid(1)
    v = int32(a[i]) if i < a.size else int32(0)
    mask = cuda.match_any_sync(0xFFFFFFFF, v)
    if i < a.size:
        b[i] = cuda.popc(mask)


def product(a: Values) -> Values:
    side = math.isqrt(a.size) // 8 * 8
    m = a[: side * side].reshape(side, side)
    return at_front((m @ m).reshape(-1), a)


@right(product)
def tiled_product(a, b):
    """Square a matrix in tiles of 8 by 8, one for each block."""
    left = cuda.shared.array((8, 8), float32)
    other = cuda.shared.array((8, 8), float32)
    side = int(math.sqrt(float64(a.size))) // 8 * 8
    tiles = side // 8
    tile = cuda.blockIdx.x
    if tile >= tiles * tiles:
        return
    y, x = cuda.threadIdx.x // 8, cuda.threadIdx.x % 8
    row, column = tile // tiles * 8 + y, tile % tiles * 8 + x
    total = float32(0)
    for k in range(tiles):
        left[y, x] = a[row * side + k * 8 + x]
        other[y, x] = a[(k * 8 + y) * side + column]
        cuda.syncthreads()
        for j in range(8):
            total += left[y, j] * other[j, x]
        cuda.syncthreads()
    b[row * side + column] = total


def transposed(a: Values) -> Values:
    side = math.isqrt(a.size) // 8 * 8
    return at_front(a[: side * side].reshape(side, side).T.reshape(-1), a)


@right(transposed)
def tiled_transposition(a, b):
    s = cuda.shared.array((8, 9), float32)
    side = int(math.sqrt(float64(a.size))) // 8 * 8
    tiles = side // 8
    tile = cuda.blockIdx.x
    if tile >= tiles * tiles:
        return
    y, x = cuda.threadIdx.x // 8, cuda.threadIdx.x % 8
    top, left = tile // tiles * 8, tile % tiles * 8
    s[y, x] = a[(top + y) * side + left + x]
    cuda.syncthreads()
    b[(left + y) * side + top + x] = s[x, y]


@cuda.jit(device=True)
def fibonacci(n):
    if n < 2:
        return int64(n)
    return fibonacci(n - 1) + fibonacci(n - 2)


@right(lambda a: np.array([0, 1, 1, 2, 3, 5, 8, 13], np.float32)[a.astype(int) % 8])
def recursion(a, b):
    i = cuda.grid(1)
    if i < a.size:
        b[i] = fibonacci(int64(a[i]) % 8)


@right(lambda a: np.array([1 if v % 2 else 2 * v for v in a], np.float32))
def divergent_branches(a, b):
    i = cuda.grid(1)
    if i < a.size:
        v = int(a[i])
        if v % 2 == 1:
            while v > 1:
                v -= 2
            b[i] = v
        else:
            b[i] = math.sqrt(4.0 * v * v)


@right(lambda a: np.where(np.arange(a.size) % 2, a**2, 0).astype(np.float32))
def complex_numbers(a, b):
    i = cuda.grid(1)
    if i < a.size:
        z = complex(a[i], i % 2)
        b[i] = (z * z).imag * a[i] / 2 if i % 2 else 0
