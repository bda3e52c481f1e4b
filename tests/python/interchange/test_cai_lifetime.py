# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Lifetime of memory across the CUDA array interface (case I13): ownership, order of release, garbage collection."""

import concurrent.futures
import contextlib
import gc
import statistics
import sys
import threading
import weakref

import numpy as np
import pytest
import skerry as sk
from skerry.testing import count_cuda_calls, instruments

from tests.python.interchange.cai_producers import Producer, describe, python
from tests.python.oracle import to_device, to_numpy
from tests.python.session import HAS_GPU


@pytest.fixture
def x(cuda_device):
    return to_device(cuda_device, np.arange(12.0).reshape(3, 4))


class Counted(Producer):
    """Counts released producers."""

    released = 0

    def __del__(self):
        type(self).released += 1


@pytest.fixture(autouse=True)
def start_counting():
    gc.collect()
    Counted.released = 0


def test_import_good_I13_owner_is_released_once_after_the_last_view(x):
    for take in (sk.asarray, sk.as_cuda_array):
        Counted.released = 0
        producer = Counted(x)
        seen = weakref.ref(producer)
        y = take(producer)
        views = [y[1:], y.T, y[0], sk.broadcast_to(y, (2, 3, 4)), sk.reshape(y, (12,))]
        del producer, y
        while views:
            gc.collect()
            assert seen() is not None
            assert Counted.released == 0
            views.pop()
        assert seen() is None
        assert Counted.released == 1


def test_import_good_I13_owner_of_a_description(x):
    owner = Counted(x)
    y = sk.from_cuda_array_interface(describe(x), owner)
    del owner
    assert Counted.released == 0
    del y
    assert Counted.released == 1
    # Without an owner nothing is kept alive, not even the description.
    about = describe(x)
    old_refcounts = sys.getrefcount(about), sys.getrefcount(x)
    y = sk.from_cuda_array_interface(about)
    assert (sys.getrefcount(about), sys.getrefcount(x)) == old_refcounts
    assert np.array_equal(to_numpy(y), to_numpy(x))


def test_import_good_I13_a_copy_releases_the_owner(x):
    producer = Counted(x)
    z = sk.asarray(producer, copy=True)
    w = sk.as_cuda_array(producer) + 1
    del producer
    assert Counted.released == 1
    assert np.array_equal(to_numpy(z) + 1, to_numpy(w))


def test_import_good_I13_an_export_of_an_import_keeps_the_first_owner(x):
    producer = Counted(x)
    y = sk.as_cuda_array(producer)
    del producer
    z = sk.as_cuda_array(Producer(y))
    del y
    assert Counted.released == 0
    capsule = z.__dlpack__()
    del z
    assert Counted.released == 0
    del capsule
    assert Counted.released == 1


def test_import_good_I13_views_released_on_other_threads(x):
    producer = Counted(x)
    y = sk.as_cuda_array(producer)
    views = [y[i:] for i in range(3)] * 10
    del producer, y
    with concurrent.futures.ThreadPoolExecutor(5) as pool:
        work = [*(pool.submit(sk.sum, view) for view in views[:4]), pool.submit(views.clear)]
    for done in work:
        done.result()
    del work, done
    assert Counted.released == 1


def test_export_keeps_memory_as_long_as_its_array(cuda_device):
    gc.collect()
    old_live_bytes = sk.memory_statistics(cuda_device).live_bytes
    x = sk.ones((1000,), device=cuda_device)
    seen = weakref.ref(x)
    about = x.__cuda_array_interface__
    y = sk.asarray(x)
    z = sk.as_cuda_array(Producer(x))
    del x, y
    assert seen() is not None
    assert float(sk.sum(z)) == 1000.0
    del z
    assert seen() is None
    assert sk.memory_statistics(cuda_device).live_bytes == old_live_bytes
    assert about["shape"] == (1000,)


def blocks_left(rounds):
    """Return Python's memory blocks leaked by 10,000 rounds: the median of five runs, as a cache may grow in one."""
    left = []
    for _ in range(5):
        gc.collect()
        old_blocks = sys.getallocatedblocks()
        rounds(10_000)
        gc.collect()
        left.append(sys.getallocatedblocks() - old_blocks)
    return statistics.median(left)


@pytest.mark.slow
def test_many_imports_leak_nothing(cuda_device):
    x = sk.ones((8,), device=cuda_device)
    producer = Producer(x)

    def rounds(n):  # two imports in each
        for _ in range(n):
            about = x.__cuda_array_interface__
            sk.from_cuda_array_interface(about, x)
            sk.as_cuda_array(producer)[1:]

    rounds(100)
    gc.collect()
    live = sk.memory_statistics(cuda_device).live_bytes
    references = sys.getrefcount(x), sys.getrefcount(producer)
    assert blocks_left(rounds) < 5
    assert sk.memory_statistics(cuda_device).live_bytes == live
    assert (sys.getrefcount(x), sys.getrefcount(producer)) == references


def test_leak_check_finds_one_block_in_a_thousand_rounds():
    leaked_objects = []

    def rounds(n):
        leaked_objects.extend(object() for i in range(n) if i % 1000 == 0)

    assert blocks_left(rounds) > 5


def test_release_orders_our_work_before_the_producers_stream(x, cuda_device):
    s, consumer_stream = sk.Stream(cuda_device), sk.Stream(cuda_device)
    s.wait(1)  # for the work that wrote the memory
    seen = []

    class Owner(Producer):
        def __del__(self):
            seen.append(instruments.counted_cuda_calls())

    y = sk.as_cuda_array(Owner(x, stream=s.handle))
    with sk.stream(consumer_stream):
        consumer_stream.wait(s)
        z = y + 1
    with count_cuda_calls() as calls:
        old_counts = instruments.counted_cuda_calls()
        del y
    # One event on our stream and one wait in the producer's, both before the owner is released.
    assert calls["event_record"] == calls["stream_wait_event"] == 1
    assert "stream_synchronize" not in calls
    assert seen[0]["stream_wait_event"] == old_counts["stream_wait_event"] + 1
    consumer_stream.synchronize()
    assert np.array_equal(to_numpy(z), to_numpy(x) + 1)
    # Work on the default stream must also be ordered before the producer's stream.
    y = sk.as_cuda_array(Owner(x, stream=s.handle))
    z = y + 1
    with count_cuda_calls() as calls:
        del y
    assert calls["stream_wait_event"] == 1
    # Without work there is nothing to order.
    y = sk.as_cuda_array(Owner(x, stream=s.handle))
    with count_cuda_calls() as calls:
        del y
    assert calls == {}


@pytest.mark.skipif(HAS_GPU, reason="delays rehearsed devices")
def test_release_is_seen_by_a_producer_that_reuses_memory_in_stream_order():
    code = (
        "import skerry as sk\n"
        "pool = sk.ones((1000,), device='cuda:0'); sk.synchronize()\n"
        "plain = pool.__cuda_array_interface__; s = sk.Stream('cuda:0')\n"
        "class Owner:\n"
        "    def __del__(self):\n"
        "        with sk.stream(s): pool[...] = -5.0\n"  # as a caching allocator would reuse it
        "own = sk.Stream('cuda:0')\n"
        "y = sk.from_cuda_array_interface(dict(plain, stream={stream}), Owner())\n"
        "with sk.stream(own):\n"
        "    own.wait(s)\n"
        "    z = y * 0.0\n"
        "    for _ in range(4): z += y\n"
        "    del y\n"
        "own.synchronize(); print(float(sk.min(z)))\n"
    )
    slow = {"SKERRY_REHEARSE_DELAY_US": "20000"}
    assert python(code.format(stream="s.handle"), **slow).split() == ["4.0"]
    # The test can fail: here the interface names another stream than that on which the memory is reused.
    assert python(code.format(stream="1"), **slow).split() != ["4.0"]


@pytest.mark.parametrize(
    "code",
    [
        "import builtins; builtins.keep = y",
        "o.y = y",
        "import sys; sys.modules['kept'] = y",
        "import threading, time\nthreading.Thread(target=lambda z=y: time.sleep(5), daemon=True).start()",
        "import atexit; atexit.register(lambda z=y: z + 1)",
        "s = sk.Stream('cuda:0')\nwith sk.stream(s): z = y + 1\ndel y",
        "c = y.__dlpack__(); del y",
        "import os, sys; sys.stdout.flush(); y + 1; os._exit(0)",
    ],
)
@pytest.mark.skipif(HAS_GPU, reason="delays rehearsed devices")
def test_exit_with_imports_is_clean(code):
    python(
        "import skerry as sk\n"
        "class Owner: pass\n"
        "o = Owner(); o.memory = sk.ones((8,), device='cuda:0')\n"
        "o.__cuda_array_interface__ = o.memory.__cuda_array_interface__\n"
        "y = sk.as_cuda_array(o)\n" + code,
        SKERRY_REHEARSE_DELAY_US="200",
    )


# Garbage collection


class Node:
    """Owns memory and may refer to arrays of it."""

    def __init__(self, x):
        self.memory = x
        self.__cuda_array_interface__ = x.__cuda_array_interface__


def test_only_arrays_of_a_python_owner_are_tracked(x):
    assert not gc.is_tracked(x)
    assert not gc.is_tracked(x + 1)
    assert not gc.is_tracked(sk.ones((3,)))
    assert gc.is_tracked(sk.as_cuda_array(Producer(x)))
    assert gc.is_tracked(sk.as_cuda_array(Producer(x))[1:])
    assert gc.is_tracked(sk.asarray(np.ones(3)))
    assert not gc.is_tracked(sk.from_cuda_array_interface(describe(x)))
    assert not gc.is_tracked(sk.as_cuda_array(Producer(x)) + 1)


def test_gc_referents_of_arrays(x):
    owned = [x, x + 1, sk.ones((3,)), sk.from_cuda_array_interface(describe(x))]
    assert gc.get_referents(*owned) == [sk.Array] * len(owned)
    producer = Producer(x)
    first = sk.as_cuda_array(producer)
    assert gc.get_referents(first) == [sk.Array, producer]
    assert gc.get_referents(first[1:]) == [sk.Array, first]


@pytest.mark.parametrize(
    "close",
    [
        lambda node, y: setattr(node, "y", y),
        lambda node, y: setattr(node, "y", y[1:]),
        lambda node, y: setattr(node, "all", [y, y[1:], y.T, {"z": y[0]}]),
        lambda node, y: setattr(node, "call", lambda: y),
        lambda node, y: node.__dict__.update(a=y[1:], b=y[:1]),
    ],
)
def test_cycles_through_an_owner_are_collected(close, x):
    node = Node(x)
    seen = weakref.ref(node)
    close(node, sk.as_cuda_array(node))
    del node
    gc.collect()
    assert seen() is None


def test_cycles_through_two_owners_are_collected(x):
    a, b = Node(x), Node(x)
    a.y, b.y = sk.as_cuda_array(b), sk.as_cuda_array(a)
    seen = weakref.ref(a), weakref.ref(b)
    del a, b
    gc.collect()
    assert [reference() for reference in seen] == [None, None]


def test_cycles_through_a_buffer_are_collected():
    class Host(np.ndarray):
        pass

    host = np.ones(10).view(Host)
    host.y = sk.asarray(host)
    seen = weakref.ref(host)
    assert np.shares_memory(np.asarray(host.y), host)
    del host
    gc.collect()
    assert seen() is None


def test_reachable_owners_are_not_collected(x):
    node = Node(x)
    seen = weakref.ref(node)
    y = sk.as_cuda_array(node)
    node.all = [y, y[1:]]
    tail = y[2:]
    del node, y
    for _ in range(3):
        gc.collect()
    assert seen() is not None
    assert len(seen().all) == 2
    assert to_numpy(tail).tolist() == [[8.0, 9.0, 10.0, 11.0]]
    assert seen().all[0].shape == (3, 4)
    del tail
    gc.collect()
    assert seen() is None


def test_owner_referenced_by_a_capsule_is_not_collected(x):
    node = Node(x)
    seen = weakref.ref(node)
    node.y = sk.as_cuda_array(node)
    capsule = node.y.__dlpack__()
    del node
    gc.collect()
    assert seen() is not None, "the memory of the capsule would be gone"
    del capsule
    gc.collect()
    assert seen() is None


def test_finalizer_that_exports_the_array_keeps_the_owner(x):
    saved = []

    class Stubborn(Node):
        def __del__(self):
            saved.append(self.y.__dlpack__())

    node = Stubborn(x)
    node.y = sk.as_cuda_array(node)
    seen = weakref.ref(node)
    del node
    gc.collect()
    assert len(saved) == 1
    y = sk.from_dlpack(saved[0]) if hasattr(saved[0], "__dlpack__") else None
    assert y is None
    del saved[0]
    gc.collect()
    assert seen() is None


@pytest.mark.slow
@pytest.mark.filterwarnings(
    "ignore:.*torch:FutureWarning"
)  # isinstance() on objects in torch's modules
def test_collection_while_threads_work_without_the_gil(cuda_device):
    x = sk.ones((300_000,), device=cuda_device)
    stop = threading.Event()
    failures = []

    def work():
        try:
            while not stop.is_set():
                node = Node(x)
                node.y = sk.as_cuda_array(node)
                node.z = node.y[1:]
                z = sk.asarray(node.z, copy=True)
                if z.shape != (299_999,):
                    failures.append(z.shape)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for _ in range(20):
        gc.collect()
    stop.set()
    for thread in threads:
        thread.join()
    assert not failures
    gc.collect()
    assert not [candidate for candidate in gc.get_objects() if isinstance(candidate, Node)]


@pytest.mark.skipif(
    HAS_GPU, reason="failures of CUDA calls are injected into rehearsed devices only"
)
def test_every_cuda_call_of_an_import_may_fail(x, cuda_device):
    s = sk.Stream(cuda_device)
    s.wait(1)
    producer = Producer(x, stream=s.handle)
    sk.synchronize()
    references = sys.getrefcount(producer), sys.getrefcount(producer.description)
    for k in range(1, 100):
        with (
            instruments.failing_cuda_call(k, 1) as fault,  # cudaErrorInvalidValue: not fatal
            contextlib.suppress(sk.exceptions.DeviceError, ValueError),
        ):
            y = sk.as_cuda_array(producer)
            del y
        assert (sys.getrefcount(producer), sys.getrefcount(producer.description)) == references
        if not fault.was_met:
            break
    assert k > 4
    assert np.array_equal(to_numpy(sk.as_cuda_array(producer)), to_numpy(x))


@pytest.mark.skipif(
    HAS_GPU, reason="failures of CUDA calls are injected into rehearsed devices only"
)
def test_every_cuda_call_of_an_export_may_fail(cuda_device):
    sk.synchronize()
    with sk.stream(sk.Stream(cuda_device)):
        x = sk.ones((3,), device=cuda_device)
    failed = 0
    for k in range(1, 100):
        with instruments.failing_cuda_call(k, 1) as fault:
            try:
                x.__cuda_array_interface__
            except AttributeError:  # the only exception that hasattr handles
                failed += 1
        if not fault.was_met:
            break
    assert k > 4
    assert failed > 0
    assert x.__cuda_array_interface__["shape"] == (3,)
