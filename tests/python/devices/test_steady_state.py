# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Repeated loops call the CUDA runtime only for their copies and kernels."""

import numpy as np
import pytest
import skerry as sk
from skerry.testing import count_cuda_calls

from tests.python.session import HAS_GPU

pytestmark = pytest.mark.not_guarded("it is about cached memory")

DEVICE = "cuda:0"
#: MEMORY, WAITING and MAKING: calls that allocate or free memory, that wait for a GPU, and that create objects.
MEMORY = {
    "allocate", "allocate_managed", "deallocate", "allocate_async", "deallocate_async", "pool_trim", "memory_info",
    "pool_set_release_threshold", "host_allocate", "host_deallocate", "host_register", "host_unregister",
}  # fmt: skip
WAITING = {"device_synchronize", "stream_synchronize", "event_synchronize"}
MAKING = {"stream_create", "stream_destroy", "event_create", "event_destroy", "push_device"}


def array(*shape, dtype="float32"):
    return sk.reshape(sk.arange(int(np.prod(shape)), dtype=np.dtype(dtype), device=DEVICE), shape)


SMALL, LARGE, HUGE = array(4), array(1 << 18), array(11 << 20)
MATRIX, TALL = array(64, 48), array(5000, 3)
MIXED = sk.astype(LARGE, sk.float64)
HOST = np.arange(1 << 16, dtype=np.float32)
PINNED = sk.ones((1 << 16,), dtype=sk.float32, pinned=True)
INDICES = sk.arange(0, 64, 3, device=DEVICE)
MASK = LARGE > 1000


def three_sizes():
    return [x + x for x in (SMALL, LARGE, HUGE)]


def chain():
    x = LARGE
    for _ in range(10):
        x = x * 0.5 + LARGE
    return x


def in_place():
    x = LARGE + 0
    x += LARGE
    x[1:] -= LARGE[:-1]
    x[::2] = 1.0
    return x


#: name -> (call, True if it has to wait for the device to read back a size or a value)
LOOPS = {
    "a + b": (lambda: LARGE + LARGE, False),
    "a + 1.5": (lambda: LARGE + 1.5, False),
    "three sizes up to 44 MiB": (three_sizes, False),
    "chain": (chain, False),
    "in place": (in_place, False),
    "mixed dtypes": (lambda: LARGE + MIXED, False),
    "broadcast": (lambda: MATRIX + MATRIX[0], False),
    "where": (lambda: sk.where(MASK, LARGE, -LARGE), False),
    "slices": (lambda: LARGE[1:-1:2] - LARGE[::-2][:131071], False),
    "astype": (lambda: sk.astype(MATRIX.T, sk.float64), False),
    "sum": (lambda: (sk.sum(LARGE), sk.sum(MATRIX, axis=0), sk.sum(TALL, axis=1)), False),
    "mean and var": (lambda: (sk.mean(LARGE), sk.var(MATRIX, axis=1)), False),
    "max, argmax, all": (lambda: (sk.max(LARGE), sk.argmax(MATRIX, axis=0), sk.all(MASK)), False),
    "cumulative_sum": (lambda: (sk.cumulative_sum(LARGE), sk.cumulative_sum(MATRIX, axis=0)), False),
    "sort": (lambda: (sk.sort(LARGE), sk.sort(MATRIX, axis=0), sk.argsort(MATRIX)), False),
    "searchsorted": (lambda: sk.searchsorted(LARGE, SMALL), False),
    "matmul": (lambda: (MATRIX @ MATRIX.T, MATRIX.T @ MATRIX), False),
    "fft": (lambda: sk.fft.fft(MATRIX), False),
    "take": (lambda: sk.take(MATRIX, INDICES, axis=0), False),
    "concat": (lambda: sk.concat([MATRIX, MATRIX.T], axis=None), False),
    "roll, tile, repeat": (lambda: (sk.roll(MATRIX, 1), sk.tile(MATRIX, (2, 1)), sk.repeat(SMALL, 3)), False),
    "mask": (lambda: LARGE[MASK], True),
    "unique_values": (lambda: sk.unique_values(MATRIX), True),
    "scalar": (lambda: float(sk.sum(SMALL)), True),
    "to host": (lambda: LARGE.to_device("cpu:0"), True),
    "from numpy": (lambda: sk.asarray(HOST, device=DEVICE), True),
    "from pinned": (lambda: PINNED.to_device(DEVICE), True),
}  # fmt: skip


@pytest.mark.parametrize("name", LOOPS)
def test_steady_loops_allocate_nothing_from_the_driver(name):
    call, waits = LOOPS[name]
    for _ in range(5):
        result = call()
    sk.synchronize(DEVICE)
    with count_cuda_calls() as calls:
        for _ in range(20):
            result = call()  # the old result is alive while the new one is computed, as in programs
    assert not calls.keys() & MEMORY
    assert not calls.keys() & MAKING
    if not waits:
        assert not calls.keys() & WAITING
    del result


def test_loop_of_several_operations_waits_once_at_its_end():
    def step(x):
        y = sk.tanh(x @ x.T) / 64
        return x + sk.mean(y, axis=1, keepdims=True) - y[:, :48]

    x = step(step(MATRIX))
    with count_cuda_calls() as calls:
        for _ in range(10):
            x = step(x)
        sk.synchronize(DEVICE)
    assert not calls.keys() & MEMORY
    assert sum(calls.get(name, 0) for name in WAITING) == 1


def test_alternating_streams_allocate_nothing_from_the_driver():
    streams = [sk.Stream(DEVICE) for _ in range(2)]

    def turn():
        for stream in streams:
            with sk.stream(stream):
                x = LARGE + LARGE
                y = x * x
        return y

    for _ in range(5):
        turn()
    sk.synchronize(DEVICE)
    with count_cuda_calls() as calls:
        for _ in range(20):
            turn()
    assert not calls.keys() & (MEMORY | WAITING | MAKING)


@pytest.mark.skipif(HAS_GPU, reason="launches on a GPU are not counted")
def test_small_addition_is_one_launch():
    x = SMALL + SMALL
    with count_cuda_calls() as calls:
        x = SMALL + SMALL
    assert calls == {"get_device": 1, "launch_host_kernel": 1}
    del x


def test_counts_of_calls_nest():
    with count_cuda_calls() as outer:
        SMALL + SMALL
        with count_cuda_calls() as inner:
            sk.synchronize(DEVICE)
    sk.synchronize(DEVICE)
    assert inner["device_synchronize"] == 1
    assert outer["device_synchronize"] == 1
    with count_cuda_calls() as nothing:
        pass
    assert nothing == {}
