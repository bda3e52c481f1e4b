# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Communicators that shrink, grow, are revoked or suspended, and windows; test_nccl.py runs these cases in a process."""

import threading
import time

import nccl.core as nccl
import pytest
import skerry as sk
from cuda.core import Device
from nccl.bindings import nccl as bindings
from skerry import testing

from tests.emulator.nccl.ranks import array, in_threads, stream_of, values

SHRINK_ABORT = nccl.CommShrinkFlag.ABORT
SHRINKAGES = 20  # a rank may begin one while others are still in the one before


def raise_first(errors):
    for error in errors:
        if error is not None:
            raise error


def in_plain_threads(body, count):
    errors = [None] * count

    def run(rank):
        try:
            body(rank)
        except Exception as error:
            errors[rank] = error

    threads = [threading.Thread(target=run, args=(rank,)) for rank in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return errors


def total(comm, rank):
    """Return the sum of ones over the communicator's ranks, on device ``rank``."""
    x = array(rank)
    comm.allreduce(x, x, nccl.SUM, stream=stream_of(rank))
    return float(values(x)[0])


@pytest.mark.parametrize("excluded", [[], [1], [0, 3]])
def test_shrink_numbers_the_remaining_ranks(excluded):
    remaining = [rank for rank in range(4) if rank not in excluded]

    def body(rank, comm):
        if rank in excluded:
            return
        for part in [comm.shrink(excluded) for _ in range(SHRINKAGES)]:
            assert (part.nranks, part.rank) == (len(remaining), remaining.index(rank))
            assert total(part, rank) == len(remaining)
            part.destroy()

    raise_first(in_threads(body, 4))


def test_shrink_goes_on_after_a_rank_is_lost():
    def body(rank, comm):
        if rank == 2:
            return
        x = array(rank)
        comm.allreduce(x, x, nccl.SUM, stream=stream_of(rank))
        sk.synchronize(x.device)
        with pytest.raises(Exception, match="rank 2 has made no collective call here"):
            comm.allreduce(x, x, nccl.SUM, stream=stream_of(rank))
        part = comm.shrink([2], flag=SHRINK_ABORT)
        assert total(part, rank) == 2

    with testing.nccl_settings(timeout=1, errors="async"):
        raise_first(in_threads(body, 3))


def test_shrink_aborts_calls_that_wait():
    barrier = threading.Barrier(2, timeout=60)

    def body(rank, comm):
        if rank == 2:
            return
        x = array(rank)
        comm.allreduce(x, x, nccl.SUM, stream=stream_of(rank))
        barrier.wait()
        part = comm.shrink([2], flag=SHRINK_ABORT)
        assert total(part, rank) == 2
        comm.abort()

    raise_first(in_threads(body, 3))


@pytest.mark.parametrize(
    ("excluded", "message"),
    [([0], "rank 0 is excluded and must not call it"), ([2], "ranks 2 are not all of the")],
)
def test_shrink_rejects_ranks(excluded, message):
    comms = nccl.Communicator.init_all(2)
    with pytest.raises(Exception, match=message):
        comms[0].shrink(excluded)


def test_grow_adds_ranks():
    comms = nccl.Communicator.init_all(2)
    for _ in range(2):  # each time with another id
        identifier = comms[0].get_unique_id()

        def body(rank, identifier=identifier):
            Device(rank).set_current()
            if rank == 0:
                whole = comms[0].grow(4, identifier)
            elif rank == 1:
                whole = comms[1].grow(4)
            else:
                whole = nccl.Communicator().grow(4, identifier, rank=rank)
            assert (whole.nranks, whole.rank) == (4, rank)
            assert total(whole, rank) == 4

        raise_first(in_plain_threads(body, 4))


def test_grow_rejects_fewer_ranks_and_another_id():
    comm = nccl.Communicator.init_all(1)[0]
    identifier = comm.get_unique_id()
    with pytest.raises(Exception, match="1 ranks are not more than the communicator's 1"):
        comm.grow(1, identifier)
    with pytest.raises(Exception, match="the id is not the last one of the communicator's"):
        comm.grow(2, nccl.get_unique_id())
    with pytest.raises(Exception, match="the previous id has not been used yet"):
        comm.get_unique_id()


def test_grow_without_an_id_is_named():
    comms = nccl.Communicator.init_all(2)
    with (
        testing.nccl_settings(timeout=1, errors="async"),
        pytest.raises(Exception, match="no rank has called ncclCommGetUniqueId"),
    ):
        comms[1].grow(3)


def test_revoke_ends_calls_and_shrink_goes_on():
    barrier = threading.Barrier(3, timeout=60)

    def body(rank, comm):
        x = array(rank)
        if rank != 2:
            comm.allreduce(x, x, nccl.SUM, stream=stream_of(rank))
        barrier.wait()
        if rank == 2:
            return
        comm.revoke()
        sk.synchronize(x.device)
        assert int(comm.get_async_error()) == 0
        with pytest.raises(Exception, match="has called ncclCommRevoke at resize_cases"):
            comm.allreduce(x, x, nccl.SUM, stream=stream_of(rank))
        with pytest.raises(Exception, match="ncclCommFinalize: the communicator has been revoked"):
            comm.finalize()
        with pytest.raises(Exception, match="after ncclCommRevoke is not rehearsed"):
            comm.split(0, 0)
        part = comm.shrink([2])
        assert total(part, rank) == 2
        bindings.comm_destroy(comm._comm)

    raise_first(in_threads(body, 3))


def test_a_suspended_communicator_rejects_calls():
    comms = nccl.Communicator.init_all(1)
    comms[0].suspend()
    with pytest.raises(Exception, match="the communicator is suspended"):
        total(comms[0], 0)
    comms[0].resume()
    assert total(comms[0], 0) == 1


def test_suspend_waits_for_earlier_calls():
    calls = []

    def body(rank, comm):
        x = array(rank)
        if rank == 1:
            time.sleep(0.2)
            calls.append(rank)
        comm.allreduce(x, x, nccl.SUM, stream=stream_of(rank))
        comm.suspend()
        assert calls == [1]

    raise_first(in_threads(body, 2))


def test_a_window_returns_its_memory():
    comms = nccl.Communicator.init_all(2)
    address = bindings.mem_alloc(4096)
    for comm in comms:
        window = bindings.comm_window_register(comm._comm, address, 4096, 0)
        assert bindings.win_get_user_ptr(comm._comm, window) == address
        bindings.comm_window_deregister(comm._comm, window)
    bindings.mem_free(address)


@pytest.mark.parametrize("register", ["comm_register", "comm_window_register"])
def test_memory_that_is_not_there_is_not_registered(register):
    comm = nccl.Communicator.init_all(1)[0]
    address = bindings.mem_alloc(4096)
    flags = [0] if register == "comm_window_register" else []
    with pytest.raises(Exception, match="a buffer of 1048576 bytes is not within memory of a"):
        getattr(bindings, register)(comm._comm, address, 1 << 20, *flags)
    bindings.mem_free(address)
