# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Profiles, guards, traces of memory, graphs and managed memory on many threads without the GIL."""

from __future__ import annotations

import contextlib
import contextvars
import os
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest
import skerry as sk
from skerry.testing import instruments

from tests.free_threaded.threads import run_threads

DEVICES = 4  # rehearsed by conftest.py
ROUNDS = 30


def use_everything(number: int) -> list[object]:
    """Return what one thread computes and records on a device of its own."""
    device = f"cuda:{number}"
    weights = sk.arange(12.0, device=device) + number

    def step(x: sk.Array) -> sk.Array:
        return x * weights - sk.sum(x)

    outcome: list[object] = []
    for i in range(ROUNDS):
        with sk.profile() as profile, sk.guard(allocations="log") as ledger:
            graph = sk.capture(step, weights)
            for factor in (1, 2):
                outcome.append(graph(weights * factor).tolist())
            x = sk.full((50,), i, device=device, managed=True)
            x += sk.stack([x, x])[1]
            outcome.append(np.asarray(x).sum())
        outcome.append([(r.function, r.shape, r.device, r.nbytes) for r in profile.records])
        outcome.append([(entry.cause, entry.nbytes, entry.source) for entry in ledger.entries])
    return outcome


@pytest.mark.skipif(
    os.environ.get("SKERRY_ALLOCATOR", "").startswith("guard"),
    reason="freeing guarded memory waits for its device, which ends the captures of other threads",
)
def test_threads_record_what_one_thread_does():
    expected = [use_everything(number) for number in range(DEVICES)]
    results = run_threads(use_everything, DEVICES)
    for result, value in zip(results, expected, strict=True):
        assert result == value


def test_threads_record_in_one_profile_and_read_it():
    x = sk.ones((20,))

    def record(_number: int) -> None:
        for i in range(200):
            y = sk.stack([x, x, x])
            assert float(y[1, 2]) == 1.0
            if i % 20 == 0:
                assert {r.function for r in profile.records} <= {"stack", "getitem", "float"}

    with sk.profile() as profile:
        contexts = [contextvars.copy_context() for _ in range(8)]
        run_threads(lambda number: contexts[number].run(record, number), len(contexts))
    assert len(profile.records) == 8 * 200 * 3
    assert sum(r.nbytes for r in profile.records if r.function == "stack") == 8 * 200 * 4 * 160


def test_profile_of_calls_with_a_list_that_another_thread_empties():
    arrays: list[sk.Array] = []
    is_over = threading.Event()

    def change() -> None:
        while not is_over.is_set():
            arrays[:] = [sk.ones((2,)) for _ in range(1000)]
            del arrays[:]
            arrays.extend(sk.ones((2,)) for _ in range(500))
            del arrays[250:]

    def call(_number: int) -> None:
        for _ in range(100):
            with sk.profile() as profile:
                for _ in range(20):
                    with contextlib.suppress(ValueError):  # the list is empty
                        assert sk.stack(arrays).shape[1] == 2
            assert {record.nbytes % 16 for record in profile.records} == {0}

    changer = threading.Thread(target=change)
    changer.start()
    try:
        run_threads(call, 4)
    finally:
        is_over.set()
        changer.join()


def test_profiles_come_and_go_beside_calls():
    """Opening the first profile and closing the last one exchange the functions that other threads call."""
    x = sk.ones((5,))

    def call(number: int) -> list[str]:
        functions: list[str] = []
        for _ in range(300):
            if number % 2 == 0:
                assert float(sk.sum(x + x)) == 10.0
                continue
            with sk.profile() as profile:
                assert float(sk.sum(x + x)) == 10.0
            functions += [record.function for record in profile.records]
        return functions

    calls = ["add", "sum", "float"] * 300
    assert run_threads(call, 8) == [calls if number % 2 else [] for number in range(8)]


def create_and_look(number: int, device: str) -> None:
    shape = (1000 + number,)  # of this thread alone
    for _ in range(50):
        x = sk.ones(shape, device=device)
        blocks = [block for block in sk.memory_snapshot().blocks if block.nbytes == x.nbytes]
        assert {(block.function, block.filename) for block in blocks} == {("ones", __file__)}
        assert [block.state for block in blocks].count("live") == 1


def test_threads_create_traced_memory():
    with instruments.traced_memory():
        run_threads(lambda number: create_and_look(number, "cpu:0"), 8)
        run_threads(lambda number: create_and_look(100 + number, f"cuda:{number % DEVICES}"), 8)


def test_the_name_of_a_function_in_a_trace_outlives_its_text():
    def names_of_blocks(number: int) -> set[str | None]:
        values = [1.0] * (number + 50)
        sk.add.outer(sk.ones((2,)), values)
        texts = ["".join(["another ", "text"]) for _ in range(100)]  # in the memory of the name
        blocks = [block for block in sk.memory_snapshot().blocks if block.nbytes == 8 * len(values)]
        assert len(texts) == 100
        return {block.function for block in blocks}

    with instruments.traced_memory():
        assert run_threads(names_of_blocks, 8) == [{"add.outer"}] * 8


def test_threads_replay_one_graph():
    x = sk.zeros((3,), device="cuda:0")
    total = sk.zeros((3,), device="cuda:0")
    graph = sk.capture(lambda x: total.__iadd__(x), x)

    def replay(number: int) -> None:
        argument = x + number
        for _ in range(50):
            graph(argument)

    run_threads(replay, 8)
    assert total.tolist() == [50 * sum(range(8))] * 3


@pytest.mark.skipif(
    "uint64" not in instruments.built_dtypes(), reason="states of generators are uint64"
)
def test_threads_replay_draws_of_one_generator():
    def default_rng() -> sk.random.Generator:
        return sk.random.default_rng(1, device="cuda:0")

    rng = default_rng()
    total = sk.zeros((), dtype=sk.int64, device="cuda:0")
    graph = sk.capture(lambda: total.__iadd__(sk.sum(rng.integers(0, 1 << 20, 7))))
    run_threads(lambda _number: [graph() for _ in range(50)], 8)
    same = default_rng()
    assert int(total) == sum(int(sk.sum(same.integers(0, 1 << 20, 7))) for _ in range(400))


#: A call that empties the list of its arrays, after it has read it, and faults.
FAULT = """
import numpy as np
import pytest
import skerry as sk

class Emptying:
    def __index__(self):
        arrays.clear()
        return 0

x = sk.ones((100,))
lying = np.lib.stride_tricks.as_strided(np.asarray(x), (300_000,), (8,))
arrays = [x, lying]
sk.concat(arrays, axis=Emptying())
"""


@pytest.mark.skipif(
    "TSAN_OPTIONS" in os.environ, reason="ThreadSanitizer has the handlers of signals"
)
def test_report_of_a_fault_names_arrays_of_a_list_that_has_changed():
    environment = {**os.environ, "SKERRY_ALLOCATOR": "guard"}
    done = subprocess.run(
        [sys.executable, "-c", FAULT], env=environment, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == -signal.SIGSEGV
    assert "numpy.float64 (300000,), strides (8,) in a block of 800 bytes" in done.stderr
