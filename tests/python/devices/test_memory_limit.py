# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""``set_memory_limit`` bounds live and cached bytes together, whatever was allocated before."""

import gc
import random
import threading

import pytest
import skerry as sk

MIB = 1 << 20
# One size for each kind of block: of the thread's own cache, of the shared cache, and of the system.
SIZES = [64, 1000, 5000, 100_000, MIB // 2, 2 * MIB, 7 * MIB]


def held_bytes(device):
    now = sk.memory_statistics(device)
    return now.live_bytes + now.cached_bytes


@pytest.fixture
def limited(device):
    gc.collect()
    sk.trim(device)
    gc.freeze()  # each rejection collects garbage, which is slow with all of pytest's objects
    yield device
    gc.unfreeze()
    sk.set_memory_limit(device, None)
    sk.trim(device)


def make(device, nbytes, pinned):
    return sk.empty((nbytes,), dtype=sk.int8, device=device, **({"pinned": True} if pinned else {}))


def makers(device):
    return [False, True] if device == "cpu:0" else [False]


@pytest.mark.not_guarded("nothing is cached")
def test_cached_blocks_are_not_reused_above_the_limit(limited):
    for pinned in makers(limited):
        for nbytes in SIZES:
            sk.set_memory_limit(limited, None)
            sk.trim(limited)
            base = held_bytes(limited)
            arrays = [make(limited, nbytes, pinned) for _ in range(4)]
            whole = (held_bytes(limited) - base) // 4
            del arrays
            limit = held_bytes(limited) - 4 * whole + 2 * whole
            sk.set_memory_limit(limited, limit)
            assert held_bytes(limited) <= limit
            with pytest.raises(sk.exceptions.OutOfMemoryError, match="limit"):
                arrays = [make(limited, nbytes, pinned) for _ in range(4)]
            arrays = [make(limited, nbytes, pinned) for _ in range(2)]
            assert held_bytes(limited) <= limit
            # With a limit below the live bytes, nothing is allocated, and freed memory is not cached.
            sk.set_memory_limit(limited, limit - whole)
            arrays.pop()
            assert held_bytes(limited) <= limit - whole
            with pytest.raises(sk.exceptions.OutOfMemoryError):
                arrays.extend(make(limited, nbytes, pinned) for _ in range(2))
            del arrays


def test_random_allocations_keep_within_the_limit(limited):
    rng = random.Random(5)
    base = held_bytes(limited)
    # Blocks cached by other threads, such as those of a library of another test, are not released.
    cached_bytes = sk.memory_statistics(limited).cached_bytes
    arrays, limit, refused = [], None, 0
    for _ in range(800):
        choice = rng.random()
        if choice < 0.55:
            nbytes = rng.choice(SIZES)
            try:
                arrays.append(make(limited, nbytes, rng.choice(makers(limited))))
                assert limit is None or held_bytes(limited) <= limit
            except sk.exceptions.OutOfMemoryError:
                refused += 1
                assert limit is not None
                # The array did not fit, with its size rounded up to at most twice as much and 8 KiB.
                assert sk.memory_statistics(limited).live_bytes + 2 * nbytes + 8192 > limit
        elif choice < 0.95 and arrays:
            old_held_bytes = held_bytes(limited)
            arrays.pop(rng.randrange(len(arrays)))
            assert limit is None or held_bytes(limited) <= max(limit, old_held_bytes)
        else:
            live = sk.memory_statistics(limited).live_bytes
            limit = rng.choice([None, base + rng.randrange(40 * MIB), live, live - MIB, live + MIB])
            limit = None if limit is None else max(limit, 0)
            sk.set_memory_limit(limited, limit)
            now = sk.memory_statistics(limited)
            assert (
                limit is None
                or held_bytes(limited) <= limit
                or now.live_bytes + cached_bytes > limit
            )
    assert refused > 20


def test_threads_keep_within_one_limit(limited):
    base = held_bytes(limited)
    limit = base + 12 * MIB
    sk.set_memory_limit(limited, limit)
    highest, wrong = [], []

    def work(seed):
        rng = random.Random(seed)
        arrays = []
        try:
            for _ in range(60):
                try:
                    arrays.append(make(limited, rng.choice(SIZES), rng.choice(makers(limited))))
                except sk.exceptions.OutOfMemoryError:
                    arrays.clear()
                highest.append(sk.memory_statistics(limited).live_bytes)
        except Exception as problem:  # asserted on the test's own thread
            wrong.append(problem)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert max(highest) <= limit
