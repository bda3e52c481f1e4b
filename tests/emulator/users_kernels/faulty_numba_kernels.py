# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Numba kernels with one error each, at the line marked HERE; for races also at the line marked OTHER.

Each takes (a, b), one-dimensional float32 of n elements. They are plain functions, which checked_numba_kernels.py compiles.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.emulator.users_kernels.kernel_library import cuda, float32, float64, int32

Kernel = Callable[[Any, Any], None]


@dataclass(frozen=True)
class Faulty:
    """A kernel and its launch parameters."""

    function: Kernel
    kind: str  # empty: Numba raises the exception `raises` itself
    blocks: int = 2
    threads: int = 64
    a: str = "array"  # or host, other_device, freed, empty, odd, two_streams
    error: bool = True  # a GPU would fail
    raises: str = ""
    options: tuple[tuple[str, bool], ...] = ()
    within: Callable[..., Any] | None = None  # the device function with the marks

    def line_of(self, mark: str) -> int:
        """Return the number of the line with a mark, from 1, or 0."""
        lines, first = inspect.getsourcelines(self.within or self.function)
        line_numbers = (
            k for k, line in enumerate(lines, first) if mark in line.partition("#")[2].split()
        )
        return next(line_numbers, 0)


KERNELS: dict[str, Faulty] = {}


def faulty(kind: str, **launch: Any) -> Callable[[Kernel], Kernel]:
    def keep(function: Kernel) -> Kernel:
        KERNELS[function.__name__] = Faulty(function, kind, **launch)
        return function

    return keep


@faulty("out_of_bounds")
def no_bound(a, b):
    i = cuda.grid(1)
    b[i] = a[i + 1]  # HERE


@faulty("out_of_bounds", blocks=3)
def off_by_one(a, b):
    i = cuda.grid(1)
    if i <= a.size:
        a[i] = 1.0  # HERE


@faulty("out_of_bounds")
def before_the_begin(a, b):
    i = cuda.grid(1)
    b[i] = a[i - 1 - a.size]  # HERE


@faulty("out_of_bounds")
def beyond_shared(a, b):
    s = cuda.shared.array(32, float32)
    t = cuda.threadIdx.x
    s[t + a.size - 128] = 1.0  # HERE
    cuda.syncthreads()
    b[t] = s[0]


@faulty("use_after_free", a="freed")
def reads_freed(a, b):
    i = cuda.grid(1)
    b[i] = a[i]  # HERE


@faulty("use_after_free", a="freed")
def adds_to_freed(a, b):
    cuda.atomic.add(a, 0, 1.0)  # HERE


@faulty("wrong_device", a="other_device")
def reads_other_device(a, b):
    i = cuda.grid(1)
    b[i] = a[i]  # HERE


@faulty("wrong_device", a="other_device")
def writes_other_device(a, b):
    a[cuda.grid(1)] = 2.0  # HERE


@faulty("host_pointer", a="host")
def reads_host(a, b):
    i = cuda.grid(1)
    b[i] = a[i]  # HERE


@faulty("host_pointer", a="host")
def writes_host(a, b):
    a[cuda.grid(1)] = 2.0  # HERE


@faulty("misaligned", a="odd")
def reads_between(a, b):
    i = cuda.grid(1)
    b[i] = a[i]  # HERE


@faulty("misaligned", a="odd")
def writes_between(a, b):
    a[cuda.grid(1)] = 2.0  # HERE


@faulty("uninitialised", a="empty", error=False)
def empty_array(a, b):
    i = cuda.grid(1)
    b[i] = a[i] + 1.0  # HERE


@faulty("uninitialised", error=False)
def shared_not_filled(a, b):
    s = cuda.shared.array(64, float32)
    t = cuda.threadIdx.x
    if t < 32:
        s[t] = a[t]
    cuda.syncthreads()
    if s[t] > 0.5:  # HERE
        b[cuda.grid(1)] = 1.0


@faulty("uninitialised", error=False)
def sum_of_shared(a, b):
    s = cuda.shared.array(64, float64)
    i, t = cuda.grid(1), cuda.threadIdx.x
    if t > 0:
        s[t] = a[i]
    cuda.syncthreads()
    b[i] = s[t] + s[t // 2]  # HERE


@faulty("race_shared", error=False)
def no_barrier(a, b):
    s = cuda.shared.array(64, float32)
    t = cuda.threadIdx.x
    s[t] = a[cuda.grid(1)]  # OTHER
    b[cuda.grid(1)] = s[63 - t]  # HERE


@faulty("race_shared", error=False)
def one_counter(a, b):
    s = cuda.shared.array(1, float32)
    t = cuda.threadIdx.x
    if t == 0:
        s[0] = 0.0
    cuda.syncthreads()
    s[0] = t  # HERE OTHER
    cuda.syncthreads()
    b[cuda.grid(1)] = s[0]


@faulty("race_shared", error=False)
def reduction_without_barriers(a, b):
    s = cuda.shared.array(64, float32)
    t = cuda.threadIdx.x
    s[t] = a[cuda.grid(1)]
    cuda.syncthreads()
    half = 32
    while half > 0:
        if t < half:
            s[t] = s[t] + s[t + half]  # HERE OTHER
        half //= 2
    if t == 0:
        b[cuda.blockIdx.x] = s[0]


@faulty("race_global", error=False)
def one_element(a, b):
    a[0] = cuda.grid(1)  # HERE OTHER


@faulty("race_global", error=False)
def neighbour_in_place(a, b):
    i = cuda.grid(1)
    v = a[(i + 1) % a.size]  # OTHER
    a[i] = v  # HERE


@faulty("race_global", error=False)
def histogram_without_atomics(a, b):
    i = cuda.grid(1)
    k = int(a[i]) % 4
    b[k] += 1.0  # HERE OTHER


@faulty("race_streams", a="two_streams", error=False)
def on_two_streams(a, b):
    i = cuda.grid(1)
    a[i] = a[i] + 1.0


@faulty("deadlock")
def members_that_never_come(a, b):
    t = cuda.threadIdx.x
    if t % 32 < 8:
        cuda.syncwarp()  # HERE
    else:
        cuda.syncthreads()
    b[t] = 1.0


@faulty("deadlock")
def grid_barrier_of_some(a, b):
    grid = cuda.cg.this_grid()
    if cuda.blockIdx.x == 0:
        return
    grid.sync()  # HERE
    b[cuda.threadIdx.x] = 1.0


@faulty("synchronisation", error=False)
def returns_before_a_barrier(a, b):
    i = cuda.grid(1)
    t = cuda.threadIdx.x
    s = cuda.shared.array(64, float32)
    s[t] = a[i]
    if i >= a.size - 5:
        return
    cuda.syncthreads()  # HERE
    b[i] = s[t]


@faulty("never_ends")
def waits_for_nobody(a, b):
    while cuda.atomic.add(a, 0, 0.0) < 1e9:  # HERE
        pass
    b[cuda.grid(1)] = 1.0


@faulty("never_ends")
def loop_without_step(a, b):
    k = 0
    while k < a.size:  # HERE
        k += a.size // 256 + int(cuda.atomic.add(b, 0, 0.0))  # OTHER


@faulty("never_ends", blocks=1)
def lock_that_is_kept(a, b):
    lock_words = b.view(int32)
    while cuda.atomic.cas(lock_words, 0, 0, 1) != 0:  # HERE
        pass


@cuda.jit(device=True, lineinfo=True)
def without_end(n):
    if n < 0:
        return n
    return without_end(n + 1) * without_end(n + 2) + n  # HERE


@faulty("stack_overflow", within=without_end.py_func)
def recursion_without_end(a, b):
    b[cuda.grid(1)] = without_end(cuda.grid(1))


@faulty("", raises="ValueError", options=(("debug", True), ("opt", False)))
def raises_in_debug(a, b):
    i = cuda.grid(1)
    if i == 37:
        raise ValueError("thirty-seven")  # HERE
    b[i] = 1.0


@faulty("", raises="AssertionError", options=(("debug", True), ("opt", False)))
def asserts_in_debug(a, b):
    i = cuda.grid(1)
    assert a[i] < 100.0  # HERE
    b[i] = 1.0


@faulty("out_of_bounds", options=(("debug", True), ("opt", False)))
def out_of_bounds_in_debug(a, b):
    i = cuda.grid(1)
    b[i] = a[i + 1]  # HERE
