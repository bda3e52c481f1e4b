# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Functions of the rehearsed NCCL and NVML by ctypes, with arguments and groups that nccl4py has none for."""

import ctypes
import os
import pathlib
import threading

import nccl.core as nccl
import pytest
from skerry import testing
from skerry_emulator import _nccl, _reports

from tests.emulator.nccl.ranks import array, stream_of, values

LIBRARY = _nccl._library()
LIBRARY.ncclGetLastError.restype = ctypes.c_char_p
SUCCESS, INVALID_ARGUMENT = 0, 4
FLOAT32, SUM = int(nccl.FLOAT32), int(nccl.SUM)


def created(count):
    return [int(comm._comm) for comm in nccl.Communicator.init_all(count)]


def call(name, x, rank, comm, *arguments, count=None):
    """Call a collective in place."""
    data = ctypes.c_void_p(x.__cuda_array_interface__["data"][0])
    stream = ctypes.c_void_p(int(stream_of(rank).handle))
    count = ctypes.c_size_t(x.size if count is None else count)
    return getattr(LIBRARY, name)(
        data, data, count, FLOAT32, *arguments, ctypes.c_void_p(comm), stream
    )


def sums(comms, between=lambda: None):
    """Return the sum of ones by each rank; call a function before the end of the group."""
    arrays = [array(rank) for rank in range(len(comms))]
    LIBRARY.ncclGroupStart()
    for rank, comm in enumerate(comms):
        assert call("ncclAllReduce", arrays[rank], rank, comm, SUM) == SUCCESS
    between()
    assert LIBRARY.ncclGroupEnd() == SUCCESS
    return [float(values(x)[0]) for x in arrays]


def split(comms, colors):
    parts = [ctypes.c_void_p() for _ in comms]
    LIBRARY.ncclGroupStart()
    for comm, color, part in zip(comms, colors, parts, strict=True):
        LIBRARY.ncclCommSplit(ctypes.c_void_p(comm), color, 0, ctypes.byref(part), None)
    assert LIBRARY.ncclGroupEnd() == SUCCESS
    return [part.value for part in parts]


def test_a_thread_splits_several_ranks_in_a_group():
    assert sums(split(created(4), [0, 1, 1, 1])) == [1.0, 3.0, 3.0, 3.0]


def test_boards_of_nested_splits_differ():
    comms = created(4)
    for colors in [[0] * 4, [0] * 4, [0] * 4, [0, 0, 1, 1], [0] * 4]:
        comms = split(comms, colors)
    assert sums(comms) == [2.0] * 4


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("ncclBroadcast", [-1]),
        ("ncclGather", [-1]),
        ("ncclScatter", [-1]),
        ("ncclReduce", [SUM, -1]),
        ("ncclReduce", [-1, 0]),
        ("ncclAllReduce", [-1]),
        ("ncclAllReduce", [99]),
        ("ncclReduceScatter", [-1]),
    ],
)
def test_an_invalid_root_or_reduction_is_rejected(name, arguments):
    comms = created(1)
    assert call(name, array(0), 0, comms[0], *arguments) == INVALID_ARGUMENT
    assert sums(comms) == [1.0]


def test_a_count_beyond_the_address_space_is_rejected():
    comms = created(2)
    assert call("ncclAllGather", array(0), 0, comms[0], count=1 << 61) == INVALID_ARGUMENT
    assert sums(comms) == [2.0, 2.0]


@pytest.mark.parametrize(
    "name",
    [
        "ncclCommCount",
        "ncclCommUserRank",
        "ncclCommCuDevice",
        "ncclCommGetAsyncError",
        "ncclCommQueryProperties",
    ],
)
def test_a_query_of_a_null_communicator_is_rejected(name):
    assert getattr(LIBRARY, name)(None, (ctypes.c_int * 64)()) == INVALID_ARGUMENT


def test_a_reduction_of_a_null_communicator_is_rejected():
    reduction, factor = ctypes.c_int(), ctypes.c_float(2)
    arguments = [ctypes.byref(reduction), ctypes.byref(factor), FLOAT32, 1, None]
    assert LIBRARY.ncclRedOpCreatePreMulSum(*arguments) == INVALID_ARGUMENT


def test_invalid_growths_and_revocations_are_rejected():
    comms, whole = created(1), ctypes.c_void_p()
    assert LIBRARY.ncclCommRevoke(ctypes.c_void_p(comms[0]), 1) == INVALID_ARGUMENT
    new_rank, present_rank = None, ctypes.c_void_p(comms[0])
    for comm, rank, message in [
        (new_rank, 1, b"a new rank passes an id and its number"),
        (new_rank, -1, b"a new rank passes an id and its number"),
        (present_rank, 0, b"a present rank keeps its number"),
    ]:
        arguments = [2, None, rank, ctypes.byref(whole), None]
        assert LIBRARY.ncclCommGrow(comm, *arguments) == INVALID_ARGUMENT
        assert message in LIBRARY.ncclGetLastError(None)
        assert whole.value is None
    assert sums(comms) == [1.0]


def test_a_query_leaves_an_open_group_as_it_is():
    failed = created(2)
    with testing.nccl_settings(errors="async"):
        assert call("ncclAllReduce", array(0), 0, failed[0], SUM) == SUCCESS
        assert call("ncclAllReduce", array(1), 1, failed[1], SUM) != SUCCESS  # not grouped
        _reports.library().wait()
    code = ctypes.c_int()

    def query():
        LIBRARY.ncclCommGetAsyncError(ctypes.c_void_p(failed[0]), ctypes.byref(code))

    assert sums(created(2), query) == [2.0, 2.0]
    assert code.value != SUCCESS


def test_a_wait_for_the_devices_leaves_an_open_group_as_it_is():
    assert sums(created(2), _reports.library().wait) == [2.0, 2.0]


def test_ranks_may_be_threads_one_after_the_other():
    comms, arrays, codes = created(2), [array(0), array(1)], []
    for rank in range(2):
        thread = threading.Thread(
            target=lambda rank=rank: codes.append(
                call("ncclAllReduce", arrays[rank], rank, comms[rank], SUM)
            )
        )
        thread.start()
        thread.join()
    assert codes == [SUCCESS, SUCCESS]
    assert [float(values(x)[0]) for x in arrays] == [2.0, 2.0]


def test_a_board_that_its_creator_has_left_empty_is_not_waited_for():
    unique_id = nccl.get_unique_id()
    board = pathlib.Path("/dev/shm", unique_id.as_bytes.partition(b"\0")[0].decode())
    board.touch()
    try:
        with (
            testing.nccl_settings(timeout=1),
            pytest.raises(Exception, match="the rank that creates it has ended"),
        ):
            nccl.Communicator.init(2, 0, unique_id)
    finally:
        board.unlink(missing_ok=True)


@pytest.mark.parametrize("handle", [0xFFFFFFFF, 1 << 32, 99, 0])
def test_nvml_rejects_what_is_no_handle(handle):
    library = ctypes.CDLL(os.path.join(_nccl.folder(), "libnvidia-ml.so.1"))
    index = ctypes.c_uint()
    invalid_argument = 2  # of NVML
    assert (
        library.nvmlDeviceGetIndex(ctypes.c_void_p(handle), ctypes.byref(index)) == invalid_argument
    )
