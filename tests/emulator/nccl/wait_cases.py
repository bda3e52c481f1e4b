# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Waits for other ranks: deadlocks fail at once, slow programs never; test_nccl.py runs these cases in a process."""

import ctypes
import queue
import random
import signal
import subprocess
import sys
import threading
import time

import nccl.core as nccl
import pytest
from cuda.core import Device, LaunchConfig, ObjectCode, launch
from skerry import testing

from tests.emulator.nccl.ranks import array, in_processes, in_threads, stream_of, values

# The time limit is then not what ends a wait.
LONG, SHORT = 3600, 1
SLOW_SECONDS = 2.5
KERNEL_SECONDS = 11  # a rank may compute ten times as long as the time limit
NAMED_SECONDS = 2
SLOW_KERNEL = b"""
.version 7.0
.target sm_80
.address_size 64
.visible .entry slow(.param .u64 count) {
  .reg .pred %p;
  .reg .u64 %rd<2>;
  ld.param.u64 %rd0, [count];
  mov.u64 %rd1, 0;
again:
  add.u64 %rd1, %rd1, 1;
  setp.lt.u64 %p, %rd1, %rd0;
  @%p bra again;
  ret;
}
"""


def total(rank, comm):
    x = array(rank)
    comm.allreduce(x, x, nccl.SUM, stream=stream_of(rank))
    return float(values(x)[0])


def assert_totals(delay, count=2, timeout=SHORT):
    """Call ``delay`` on rank 1, which the others wait for in a collective."""
    results = {}

    def body(rank, comm):
        if rank == 1:
            delay(comm)
        results[rank] = total(rank, comm)

    with testing.nccl_settings(timeout=timeout):
        assert in_threads(body, count) == [None] * count
    assert set(results.values()) == {float(count)}


def run_slow_kernel(comm):
    """Run a kernel for longer than ten times the time limit of SHORT."""
    kernel = ObjectCode.from_ptx(SLOW_KERNEL).get_kernel("slow")
    stream = Device(comm.rank).create_stream()
    count, seconds = 100_000, 0.0
    while seconds < KERNEL_SECONDS:
        count = int(1.2 * count * KERNEL_SECONDS / seconds) if seconds > 0.1 else 2 * count
        begin = time.monotonic()
        launch(stream, LaunchConfig(grid=1, block=1), kernel, count)
        stream.sync()
        seconds = time.monotonic() - begin


def compute(seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pass


def receive_late(seconds):
    """Wait for another thread, which waits for another process."""
    items = queue.SimpleQueue()

    def read():
        code = f"import time; time.sleep({seconds}); print('item')"
        with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as child:
            items.put(child.stdout.read())

    reader = threading.Thread(target=read)
    reader.start()
    assert items.get() == b"item\n"
    reader.join()


def test_a_kernel_may_take_longer_than_the_time_limit():
    assert_totals(run_slow_kernel)


def test_a_rank_may_compute_longer_than_the_time_limit():
    assert_totals(lambda comm: compute(SLOW_SECONDS))


def test_a_rank_that_computes_without_end_meets_the_time_limit():
    """Ten times as late: it may be a preparation, or a loop that polls."""
    has_failed = threading.Event()

    def body(rank, comm):
        if rank == 1:
            begin = time.monotonic()
            while not has_failed.is_set():
                pass
            # About nine: it counts fully until the second sample of what the rank does.
            assert time.monotonic() - begin > 5 * SHORT
        else:
            total(rank, comm)
            has_failed.set()
            assert "no rank has made progress for 1 seconds" in comm.get_last_error()

    with testing.nccl_settings(timeout=SHORT, errors="async"):
        assert in_threads(body) == [None, None]


def test_a_rank_may_wait_for_a_process():
    assert_totals(lambda comm: receive_late(1), timeout=LONG)


def test_a_rank_may_sleep():
    assert_totals(lambda comm: time.sleep(1), timeout=LONG)


def test_a_rank_that_sleeps_meets_the_time_limit():
    def body(rank, comm):
        if rank == 1:
            time.sleep(SLOW_SECONDS)
        total(rank, comm)

    with testing.nccl_settings(timeout=SHORT, errors="async"):
        errors = in_threads(body)
    assert "no rank has made progress for 1 seconds" in str(errors[1])


def test_the_handler_of_a_timer_may_end_a_wait():
    """It makes the call of rank 1 in the main thread, which waits for the other threads."""
    communicators, results = {}, {}

    def handle(number, frame):
        Device(1).set_current()
        results[1] = total(1, communicators[1])

    def body(rank, comm):
        communicators[rank] = comm
        if rank == 1:
            signal.setitimer(signal.ITIMER_REAL, SLOW_SECONDS)
        else:
            results[0] = total(0, comm)

    earlier_handler = signal.signal(signal.SIGALRM, handle)
    try:
        with testing.nccl_settings(timeout=LONG):
            assert in_threads(body) == [None, None]
    finally:
        signal.signal(signal.SIGALRM, earlier_handler)
    assert results == {0: 2.0, 1: 2.0}


def test_ranks_that_hand_over_to_other_threads_are_right():
    """Random waits of threads for each other, each of which a thread that sleeps or computes ends."""
    numbers = random.Random(1)
    turns = [[numbers.choice("cshb") for _ in range(8)] for _ in range(4)]
    barriers = [threading.Barrier(4) for _ in range(8)]

    def body(rank, comm):
        for turn in range(8):
            kind = turns[rank][turn]
            if kind == "c":
                compute(0.2)
            elif kind == "s":
                time.sleep(0.4)
            elif kind == "h":
                receive_late(0.2)
            if turn % 2:
                barriers[turn].wait()
            assert total(rank, comm) == 4.0

    with testing.nccl_settings(timeout=LONG):
        assert in_threads(body, 4) == [None] * 4


def end(has_failed):
    del has_failed


def wait_without_end(has_failed):
    """Wait for the other rank, which waits for this one in a collective."""
    has_failed.wait()


def assert_deadlock_is_named(leave=end):
    has_failed, results = threading.Event(), []

    def body(rank, comm):
        if rank == 1:
            return leave(has_failed)
        begin = time.monotonic()
        total(rank, comm)
        has_failed.set()
        results.extend([time.monotonic() - begin, comm.get_last_error()])
        return None

    with testing.nccl_settings(timeout=LONG, errors="async"):
        assert in_threads(body) == [None, None]
    seconds, text = results
    assert "deadlock: " in text
    assert "rank 1 has made no collective call here" in text
    assert seconds < NAMED_SECONDS


@pytest.mark.parametrize("leave", [end, wait_without_end])
def test_a_deadlock_is_named_at_once(leave):
    assert_deadlock_is_named(leave)


def test_a_deadlock_is_named_while_the_main_thread_joins_one_of_c():
    """As a C++ program does: pthread_join waits for a futex that is not private."""
    done = []

    @ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)
    def body(_):
        done.append(assert_deadlock_is_named())

    libc, thread = ctypes.CDLL(None), ctypes.c_ulong()
    assert libc.pthread_create(ctypes.byref(thread), None, body, None) == 0
    assert libc.pthread_join(thread, None) == 0
    assert done == [None]


def receive_in_part(rank, comm):
    """Wait for each other in a part; each has left one of two other communicators, which the other has not."""
    with testing.nccl_settings(timeout=LONG, errors="async"):
        other, part = comm.split(0, rank), comm.split(0, rank)
        assert total(rank, part) == 2.0
        [comm, other][rank].destroy()
        x, begin = array(rank), time.monotonic()
        part.recv(x, 1 - rank, stream=stream_of(rank))
        values(x)
        assert "deadlock: " in part.get_last_error()
        assert time.monotonic() - begin < NAMED_SECONDS


def test_a_deadlock_is_named_where_ranks_have_left_other_communicators():
    assert in_processes(receive_in_part) == [0, 0]


def compute_and_leave(rank, comm):
    """Rank 0 waits for rank 1, which sleeps, while rank 2 computes and leaves."""
    with testing.nccl_settings(timeout=SHORT, errors="async"):
        assert total(rank, comm) == 3.0
        if rank == 0:
            x = array(rank)
            comm.recv(x, 1, stream=stream_of(rank))
            values(x)
            assert "no rank has made progress for 1 seconds" in comm.get_last_error()
            return
        if rank == 2:
            compute(1)
            comm.destroy()
        time.sleep(2 * SLOW_SECONDS)


def test_a_rank_that_has_left_does_not_compute():
    assert in_processes(compute_and_leave, 3) == [0, 0, 0]


def test_a_deadlock_in_destroy_is_named_at_once():
    seconds = []

    def body(rank, comm):
        total(rank, comm)
        if rank == 0:
            x = array(rank)
            comm.allreduce(x, x, nccl.SUM, stream=stream_of(rank))
            begin = time.monotonic()
            comm.destroy()
            seconds.append(time.monotonic() - begin)

    with testing.nccl_settings(timeout=LONG, errors="async"):
        assert in_threads(body) == [None, None]
    assert seconds[0] < NAMED_SECONDS


@pytest.mark.parametrize("end_communicator", ["abort", "revoke"])
def test_a_rank_that_ends_the_communicator_at_once_does_not_disturb_joining(end_communicator):
    """The ranks that are still in ncclCommInitRank get their communicator, as all have joined."""
    for turn in range(100):

        def body(rank, comm, hasty_rank=turn % 4):
            if rank == hasty_rank:
                getattr(comm, end_communicator)()
            comm.abort()

        assert in_threads(body, 4) == [None] * 4


def test_a_rank_that_aborts_after_a_split_does_not_disturb_it():
    """Those that get no part don't wait for the others."""
    for turn in range(100):

        def body(rank, comm, hasty_rank=turn % 4):
            part = comm.split(None if rank == hasty_rank else 0, rank)
            assert part.nranks == 3 if rank != hasty_rank else not part.is_valid
            comm.abort()

        assert in_threads(body, 4) == [None] * 4
