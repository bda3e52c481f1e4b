# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Errors of the rehearsed NCCL that programs can handle; test_nccl.py runs them in a process."""

import re

import nccl.core as nccl
import pytest
import skerry as sk
from nccl.bindings import nccl as bindings
from skerry import testing

from tests.emulator.nccl.ranks import array, in_threads, stream_of, values


@pytest.fixture(autouse=True)
def async_errors():
    with testing.nccl_settings(errors="async", timeout=1):
        yield


def sums(rank, comm, results, count=3):
    x = array(rank)
    for _ in range(count):
        comm.allreduce(x, x, nccl.SUM, stream=stream_of(rank))
        results[rank] = float(values(x)[0])


def test_the_devices_are_usable_after_a_mistake():
    states = {}

    def body(rank, comm):
        x = array(rank, 8 + rank)
        try:
            comm.allreduce(x, x, nccl.SUM, stream=stream_of(rank))
        finally:
            sk.synchronize(x.device)
            states[rank] = comm.get_async_error(), comm.get_last_error()
            comm.abort()

    assert any("ranks disagree" in str(error) for error in in_threads(body) if error)
    codes = {code for code, _ in states.values()}
    assert codes == {bindings.Result.InvalidUsage, bindings.Result.RemoteError}
    assert all("count 9" in text for _, text in states.values())
    results = {}
    assert in_threads(lambda rank, comm: sums(rank, comm, results, 1)) == [None, None]
    assert results == {0: 2.0, 1: 2.0}


def test_an_abort_ends_the_calls_of_other_ranks():
    def body(rank, comm):
        if rank == 1:
            return comm.abort()
        return sums(rank, comm, {})

    errors = in_threads(body)
    assert errors[1] is None
    assert re.search("rank 1 has called ncclCommAbort at error_cases.py", str(errors[0]))


def test_missing_functions_are_named():
    comm = nccl.Communicator.init_all(1)[0]
    with pytest.raises(Exception, match="ncclTeamWorld"):
        comm.team_world
    with pytest.raises(bindings.NCCLError, match="float8"):
        bindings.all_reduce(1, 1, 8, int(nccl.FLOAT8E4M3), 0, comm._comm, 0)
    comm.destroy()


def test_a_dead_rank_is_missed_by_the_others():
    results = {}
    with testing.nccl_faults(dead={1: 2}):
        errors = in_threads(lambda rank, comm: sums(rank, comm, results))
    assert all("rank 1" in str(error) for error in errors)
    assert results[0] == 2.0


def test_an_abort_can_be_requested():
    results = {}
    with testing.nccl_faults(abort={0: 3}):
        errors = in_threads(lambda rank, comm: sums(rank, comm, results))
    assert all(
        "requested fault: rank 0 aborts collective call number 3" in str(error) or error is None
        for error in errors
    )
    assert results[1] in (4.0, 8.0)


def test_a_slow_link_changes_no_value():
    import time

    results = {}
    begin = time.monotonic()
    with testing.nccl_faults(slow={(0, 1): 0.2}):
        errors = in_threads(lambda rank, comm: sums(rank, comm, results))
    assert time.monotonic() - begin > 3 * 0.2
    assert errors == [None, None]
    assert results == {0: 8.0, 1: 8.0}


@pytest.mark.parametrize("options", [{"slow": {(0, 1): -1}}, {"dead": {1: 0}}, {"abort": {-1: 1}}])
def test_invalid_faults_are_rejected(options):
    with pytest.raises(ValueError, match="nccl_faults: "):
        testing.nccl_faults(**options).__enter__()


def test_a_delay_without_end_is_rejected():
    with pytest.raises(ValueError, match="slow:0-1:inf is not understood"):
        testing.nccl_faults(slow={(0, 1): float("inf")}).__enter__()


def test_invalid_settings_are_rejected():
    with pytest.raises(ValueError, match="SKERRY_NCCL_TIMEOUT=0 is not understood"):
        testing.nccl_settings(timeout=0).__enter__()
