# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Many threads without the GIL: the values of one thread, no crash, no lost reference."""

from __future__ import annotations

import contextlib
import gc
import os
import sys
import threading
import weakref
import zlib

import numpy as np
import pytest
import skerry as sk

from tests.free_threaded.threads import THREADS, run_threads


def checksum(x: sk.Array) -> int:
    return zlib.crc32(np.ascontiguousarray(x.to_device("cpu:0")).tobytes())


def test_gil_is_off():
    assert not sys._is_gil_enabled()


@sk.fuse
def chain(x, y):
    z = x * y + 1
    z += x
    return z - y, sk.sum(z, axis=1)


def mixed_calls(shared: list[sk.Array], number: int, calls: int) -> int:
    """Make about that many calls on shared arrays, and on some of the thread's; return a checksum of all results."""
    total = 0
    x = shared[number % len(shared)]
    state = sk.zeros(x.shape, dtype=x.dtype, device=x.device)
    rounds = calls // 20
    for i in range(rounds):
        x = shared[(number + i) % len(shared)]
        if state.device != x.device:
            state = state.to_device(x.device)
        y = sk.add(x, state)
        y = y * 0.5 - x
        state = sk.where(y > 0, y, -y)
        state = sk.reshape(state, (-1,))[::-1]
        state = sk.reshape(state, x.shape)
        state += x
        z = sk.concat([state, y, x])
        part = z[1 : 1 + x.shape[0]]
        state = sk.astype(part, x.dtype)
        top = sk.max(state, axis=0)
        state = state / (sk.abs(top) + 1)
        assert state.shape == x.shape
        assert state.dtype == x.dtype
        if i % 64 == 0:
            total = zlib.crc32(total.to_bytes(8), checksum(state))
        if i % 512 == 0:
            with sk.strict_promotion():
                a, b = chain(state, x)
            total = zlib.crc32(total.to_bytes(8), checksum(a) ^ checksum(b))
    return total


def test_threads_compute_what_one_thread_does(request):
    devices = [sk.Device("cpu:0"), *(sk.Device(f"cuda:{i}") for i in range(4))]
    shared = [
        sk.asarray(np.linspace(-1, 1, 12).reshape(4, 3) * (i + 1), device=device)
        for i, device in enumerate(devices)
    ]
    calls = request.config.getoption("--calls") // THREADS
    expected = [mixed_calls(shared, number, calls) for number in range(THREADS)]
    assert run_threads(lambda number: mixed_calls(shared, number, calls)) == expected


@pytest.mark.parametrize("is_changed_meanwhile", [False, True])
def test_pending_array_is_computed_by_the_thread_that_needs_it(is_changed_meanwhile):
    if is_changed_meanwhile and "TSAN_OPTIONS" in os.environ:
        pytest.skip("the program races, as ThreadSanitizer reports: it writes what another reads")

    def read(_number: int) -> None:
        for _ in range(50):
            x = sk.ones((300, 300))
            handed: list[sk.Array] = []
            is_there = threading.Event()
            sums: list[float] = []

            def take() -> None:
                is_there.wait()  # noqa: B023
                sums.append(float(sk.sum(handed[0])))  # noqa: B023
                sums.append(float(sk.sum(handed[0] * 2)))  # noqa: B023

            taker = threading.Thread(target=take)
            taker.start()

            @sk.fuse
            def hand_over(x):
                y = x + 1
                handed.append(y)  # noqa: B023
                is_there.set()  # noqa: B023
                for _ in range(20):
                    y = y * 1
                if is_changed_meanwhile:
                    handed[0] += 0  # noqa: B023
                return y

            y = hand_over(x)
            taker.join()
            assert sums == [180_000.0, 360_000.0]
            assert float(sk.sum(y)) == 180_000.0

    run_threads(read, 4)


def test_one_pending_array_is_read_by_many_threads():
    for _ in range(30):
        barrier = threading.Barrier(9)
        handed: list[sk.Array] = []

        def read(_number: int) -> tuple[float, tuple[int, ...]]:
            barrier.wait()  # noqa: B023
            y = handed[0]  # noqa: B023
            return float(y[3, 5]), y.__array_namespace__().asarray(y, copy=True).shape

        @sk.fuse
        def hand_over(x):
            handed.append(x * 3)  # noqa: B023
            barrier.wait()  # noqa: B023
            return handed[0] + 1  # noqa: B023

        def task(number: int) -> object:
            return read(number) if number else hand_over(sk.ones((200, 200)))

        results = run_threads(task, 9)
        assert results[1:] == [(3.0, (200, 200))] * 8
        assert float(results[0][0, 0]) == 4.0


@pytest.mark.parametrize("scope", [contextlib.nullcontext, sk.profile, sk.guard])
def test_lists_that_another_thread_changes(scope):
    values: list[object] = [[float(i), float(i)] for i in range(50)]
    arrays: list[object] = [sk.ones((2,)) for _ in range(50)]
    stop = threading.Event()

    def change() -> None:
        while not stop.is_set():
            values[:] = [[1.0, 2.0] for _ in range(40)]
            arrays[:] = [sk.ones((2,)) for _ in range(40)]
            values.extend([[3.0, 4.0]] * 20)
            arrays.extend([sk.ones((2,))] * 20)
            values[5] = [float("inf"), 0.0]
            del values[30:], arrays[30:]

    changer = threading.Thread(target=change)
    changer.start()
    try:

        def read(_number: int) -> None:
            for _ in range(300):
                with scope():
                    assert sk.asarray(values).shape[1] == 2
                    assert sk.stack(arrays).shape[1] == 2
                    assert sk.maximum(values, [[0.0, 0.0]]).shape[1] == 2
                    assert sk.lexsort(arrays).shape == (2,)

        run_threads(read, 4)
    finally:
        stop.set()
        changer.join()


def test_first_calls_on_all_threads():
    """Objects that are made by the first call are made once, whichever thread comes first."""

    def call(_number: int) -> list[object]:
        x = sk.asarray([3.0, 1.0, 1.0])
        capsule = sk.from_dlpack(x)
        return [
            type(sk.unique_counts(x)),
            type(sk.linalg.eigh(sk.eye(2))),
            x.device,
            np.from_dlpack(capsule).strides,
            repr(x),
        ]

    first, *others = run_threads(call)
    for other in others:
        assert other[0] is first[0]
        assert other[1] is first[1]
        assert other[2:] == first[2:]


class Owner(np.ndarray):
    """Memory of a Python object that can refer to the array."""


def test_collector_frees_cycles_of_foreign_owners():
    def make(_number: int) -> list[weakref.ref[Owner]]:
        references = []
        for _ in range(50):
            owner = np.zeros(1000).view(Owner)
            x = sk.asarray(owner, copy=False)
            owner.array = x
            owner.views = [x[i:] for i in range(5)]
            references.append(weakref.ref(owner))
            del owner, x
        return references

    references = [reference for some in run_threads(make, 8) for reference in some]
    gc.collect()
    gc.collect()
    assert not [reference for reference in references if reference() is not None]


def test_views_of_foreign_memory_come_and_go_on_all_threads():
    owner = np.arange(1000.0).view(Owner)
    x = sk.asarray(owner, copy=False)

    def look(number: int) -> float:
        total = 0.0
        for i in range(2000):
            y = x[number:]
            z = sk.asarray(owner, copy=False)
            total += float(y[i % 100]) - float(z[number + i % 100])
        return total

    assert run_threads(look) == [0.0] * THREADS


def test_memory_of_ended_threads_is_used_again():
    def task(_number: int) -> None:
        for _ in range(100):
            _arrays = [sk.ones((2,)) + 1 for _ in range(100)]

    for _ in range(20):
        run_threads(task)


@pytest.mark.parametrize("count", [2, 8])
def test_scopes_belong_to_their_thread(count):
    def task(number: int) -> None:
        device = f"cuda:{number % 4}"
        for _ in range(200):
            with sk.device(device):
                assert str(sk.zeros((2,)).device) == device
            assert str(sk.zeros((2,)).device) == "cpu:0"

    run_threads(task, count)
