# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Measures other threads during every wait for a device. test_waits.py runs it.

Pending work takes ``LONG``, and each runtime call that may wait takes another ``SLOW``, whether or not a rehearsed one
waits. Prints for each wait its duration, how far a plain Python thread and a thread that calls skerry for the same device
counted during it, and which calls that may wait were made.
"""

import copy
import gc
import io
import json
import pickle
import sys
import threading
import time

import numpy as np
import skerry as sk
from skerry.testing import count_cuda_calls, instruments

LONG, SLOW = 0.15, 0.06  # seconds
HERE, THERE = "cuda:0", "cuda:1"
BLOCK = 8 << 20  # bytes; test_waits.py has rehearsal give each device 64 MiB
WAITS = {}


def wait(function):
    """Registers a function that prepares a wait and returns the function that waits."""
    WAITS[function.__name__] = function
    return function


class Counter:
    """Counts in a thread, at most once a millisecond."""

    def __init__(self, step):
        self.step, self.count, self.is_over = step, 0, False
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        while not self.is_over:
            self.step()
            self.count += 1
            time.sleep(0.001)

    def end(self):
        self.is_over = True
        self.thread.join()


ASIDE = sk.Stream(HERE)


def ask_skerry():
    """Takes the locks of the device's pool and streams without waiting."""
    sk.memory_statistics(HERE)
    with ASIDE:
        pass


def work_on(x):
    """Returns the result of work on ``x`` that takes LONG."""
    with instruments.delayed_work(LONG):
        return x + 1


def pending(size=1000, device=HERE):
    x = sk.ones((size,), device=device)
    sk.synchronize(device)
    return work_on(x)


def measure(name):
    gc.collect()
    gc.freeze()  # so that the garbage collection itself is fast
    counters = Counter(lambda: None), Counter(ask_skerry)
    with count_cuda_calls() as calls:
        act = WAITS[name]()
        with instruments.slowed_waits(0 if name in LOOPS else SLOW):
            old_counts = [counter.count for counter in counters]
            start = time.perf_counter()
            act()
            seconds = time.perf_counter() - start
            counted = [counter.count - n for counter, n in zip(counters, old_counts, strict=True)]
    for counter in counters:
        counter.end()
    del act
    sk.synchronize(HERE)
    sk.synchronize(THERE)
    waiting = sorted(set(calls) & set(instruments.waiting_cuda_calls()))
    return {"name": name, "seconds": seconds, "counted": counted, "calls": waiting}


# Memory.


@wait
def free_an_array_that_nobody_uses():
    arrays = [sk.ones((1000,), device=HERE), pending()]
    return lambda: arrays.__delitem__(0)


@wait
def free_an_array_that_is_used():
    arrays = [pending()]
    return arrays.clear


@wait
def free_an_array_that_another_stream_uses():
    arrays = [sk.ones((1000,), device=HERE)]
    with sk.Stream(HERE):
        result = work_on(arrays[0])
    return lambda: (arrays.clear(), result)


@wait
def free_an_array_that_another_device_uses():
    arrays = [pending()]
    result = arrays[0].to_device(THERE)
    return lambda: (arrays.clear(), result)


@wait
def free_a_cycle():
    array = pending()
    cycle = [array]
    cycle.append(cycle)
    del array
    del cycle
    return gc.collect


@wait
def free_pinned_memory():
    arrays = [sk.empty((BLOCK,), dtype=sk.uint8, pinned=True)]
    result = pending()
    return lambda: (arrays.clear(), sk.trim("cpu:0"), result)


@wait
def free_page_locked_memory():
    arrays = [sk.empty((16 * BLOCK,), dtype=sk.uint8)]
    result = pending()
    return lambda: (arrays.clear(), sk.trim("cpu:0"), result)


@wait
def allocate():
    sk.trim(HERE)
    return lambda: sk.empty((BLOCK,), dtype=sk.uint8, device=HERE)


@wait
def allocate_pinned_memory():
    return lambda: sk.empty((3 * BLOCK,), dtype=sk.uint8, pinned=True)


@wait
def allocate_managed_memory():
    return lambda: sk.empty((3 * BLOCK,), dtype=sk.uint8, device=HERE, managed=True)


@wait
def free_managed_memory():
    arrays = [sk.ones((3 * BLOCK,), dtype=sk.uint8, device=HERE, managed=True)]
    result = work_on(arrays[0])
    return lambda: (arrays.clear(), sk.trim(HERE), result)


@wait
def allocate_page_locked_memory():
    sk.trim("cpu:0")
    return lambda: sk.empty((20 * BLOCK,), dtype=sk.uint8)


@wait
def allocate_under_pressure():
    sk.trim(HERE)
    blocks = [sk.ones((BLOCK,), dtype=sk.uint8, device=HERE) for _ in range(5)]
    with sk.Stream(HERE):
        results = [work_on(blocks[0][:10])]
    del blocks
    return lambda: results.append(sk.empty((6 * BLOCK,), dtype=sk.uint8, device=HERE))


@wait
def run_out_of_memory():
    result = pending()

    def act():
        try:
            sk.empty((9 * BLOCK,), dtype=sk.uint8, device=HERE)
        except sk.exceptions.OutOfMemoryError:
            return result
        raise AssertionError("there was enough")

    return act


@wait
def trim():
    with sk.Stream(HERE):
        arrays = [sk.ones((1000,), device=HERE)]
    results = [work_on(arrays[0])]
    arrays.clear()
    return lambda: (sk.trim(HERE), results)


@wait
def lower_the_limit():
    arrays = [sk.ones((BLOCK,), dtype=sk.uint8, device=HERE)]
    with sk.Stream(HERE):
        results = [work_on(arrays[0][:10])]
    arrays.clear()

    def act():
        sk.set_memory_limit(HERE, 1 << 20)
        sk.set_memory_limit(HERE)
        return results

    return act


# Streams and events.


@wait
def synchronize_a_device():
    result = pending()
    return lambda: (sk.synchronize(HERE), result)


@wait
def synchronize_a_stream():
    with sk.Stream(HERE) as stream:
        result = pending()
    return lambda: (stream.synchronize(), result)


@wait
def synchronize_an_event():
    result = pending()
    event = sk.Event(HERE)
    event.record()
    return lambda: (event.synchronize(), result)


@wait
def wait_for_another_kind_of_device():
    result = pending()
    return lambda: (sk.current_stream("cpu:0").wait(sk.current_stream(HERE)), result)


@wait
def launch_more_than_a_stream_holds():
    x = sk.ones((10,), device=HERE)
    sk.synchronize(HERE)
    results = [work_on(x)]

    def act():
        for _ in range(3000):
            results[0] += 1

    return act


# Reading.

READERS = {
    "to_device": lambda y: y.to_device("cpu:0"),
    "to_device_of_many": lambda y: y.to_device("cpu:1"),
    "numpy": lambda y: np.from_dlpack(y, device="cpu", copy=True),
    "tolist": lambda y: y.tolist(),
    "item": lambda y: y[3].item(),
    "repr": repr,
    "str": str,
    "float": lambda y: float(y[3]),
    "int": lambda y: int(y[3]),
    "bool": lambda y: bool(y[3]),
    "complex": lambda y: complex(y[3]),
    "index": lambda y: range(10)[sk.astype(y[3], sk.int64)],
    "contains": lambda y: 7.0 in y[:2],
    "iterate": lambda y: [float(element) for element in y[:2]],
    "pickle": pickle.dumps,
    "deepcopy_to_the_host": lambda y: copy.deepcopy(y).to_device("cpu:0"),
    "save": lambda y: sk.save(io.BytesIO(), y),
    "dlpack_to_the_host": lambda y: np.from_dlpack(y.to_device("cpu:0")),
    "dlpack_device": lambda y: y.__dlpack__(dl_device=(1, 0), copy=True),
    "nonzero": sk.nonzero,
    "mask": lambda y: y[y > 1],
    "unique": sk.unique_values,
    "repeat": lambda y: sk.repeat(y, sk.astype(y, sk.int64)),
    "inverse": lambda y: sk.linalg.inv(y[:4].reshape((2, 2)) + sk.eye(2, device=HERE)),
    "array_equal": lambda y: sk.array_equal(y, y),
    "to_another_kind": lambda y: sk.asarray(y, device="cpu:0"),
}


def reader(name, read):
    def prepare():
        result = pending()
        return lambda: read(result)

    prepare.__name__ = f"read_by_{name}"
    return prepare


for _name, _read in READERS.items():
    wait(reader(_name, _read))


@wait
def read_what_another_device_made():
    result = pending().to_device(THERE)
    return lambda: result.to_device("cpu:0")


# Writing.


@wait
def upload_more_than_is_staged():
    source = np.zeros(6 * BLOCK, np.uint8)
    result = pending()
    return lambda: (sk.asarray(source[: 5 * BLOCK], device=HERE), result)


@wait
def upload_a_list():
    source = [1.0] * 8000
    target = sk.ones((8000,), device=HERE)
    result = pending()

    def act():
        for _ in range(300):
            target[...] = source
        return result

    return act


@wait
def access_managed_memory():
    array = sk.ones((1000,), device=HERE, managed=True)
    result = work_on(array)
    return lambda: (np.asarray(array), result)


@wait
def upload_pinned_memory():
    source = sk.ones((1000,), pinned=True)
    result = pending()
    return lambda: (source.to_device(HERE), result)


@wait
def wait_for_an_upload_of_another_thread():
    """The uploads hold the chunks of pinned memory during the wait."""
    source = np.zeros(3 * BLOCK, np.uint8)
    result = pending()
    threads = [threading.Thread(target=lambda: sk.asarray(source, device=HERE)) for _ in range(2)]

    def act():
        for thread in threads:
            thread.start()
        time.sleep(0.02)
        x = sk.ones((4,), device=HERE)
        x[0] = 5.0
        y = sk.asarray([1.0, 2.0], device=HERE)
        for thread in threads:
            thread.join()
        return x, y, result

    return act


# First uses: each happens once per process.


@wait
def enable_peer_access():
    x = sk.ones((10,), device=HERE)
    return lambda: x.to_device(THERE)


@wait
def take_the_first_word_for_errors():
    x = sk.ones((10,), device=THERE)
    i = sk.zeros((1,), dtype=sk.int64, device=THERE)
    return lambda: sk.take(x, i)


@wait
def take_more_words_for_errors_than_there_are():
    x = sk.ones((10,), device=HERE)
    i = sk.zeros((1,), dtype=sk.int64, device=HERE)
    sk.take(x, i)
    sk.synchronize(HERE)
    results = [work_on(x)]
    return lambda: results.extend(sk.take(x, i) for _ in range(1100))


#: Waits that consist of many calls: the single calls are not slowed down by SLOW.
LOOPS = [
    "launch_more_than_a_stream_holds",
    "upload_a_list",
    "take_more_words_for_errors_than_there_are",
]
FIRST = ["enable_peer_access", "take_the_first_word_for_errors"]


#: A call that takes longer than WAITED seconds has waited. Meanwhile other threads must count at least LEAST times a second:
#: they reach several hundred, or 1 if the GIL is held.
WAITED, LEAST = 0.05, 25


def main():
    names = sys.argv[1:] or [*FIRST, *(name for name in WAITS if name not in FIRST)]
    for name in names:
        for _ in range(
            1 if name in FIRST else 4
        ):  # repeated, as a busy machine may starve a thread
            result = measure(name)
            result["waited"] = result["seconds"] > WAITED
            result["held"] = result["waited"] and min(result["counted"]) < max(
                3, result["seconds"] * LEAST
            )
            if not result["held"]:
                break
        print(json.dumps(result), flush=True)


if __name__ == "__main__":
    main()
