# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""`skerry.comm` on emulated GPUs; test_nccl.py runs these cases in a process."""

import time

import numpy as np
import pytest
import skerry as sk
from skerry.exceptions import DeviceMismatchError

from tests.python.interchange import comm_checks

DEVICES = [f"cuda:{rank}" for rank in range(4)]


@pytest.mark.parametrize("ranks", [2, 4])
def test_all_calls(ranks):
    assert sk.comm.run(comm_checks.check_all, DEVICES[:ranks]) == list(range(ranks))


def test_halves_are_reduced():
    def body(comm):
        x = sk.full(5, comm.rank + 0.5, dtype=sk.float16, device=comm.device)
        return comm.all_reduce(x).to_numpy()

    for total in sk.comm.run(body, DEVICES):
        np.testing.assert_array_equal(total, np.full(5, 8, np.float16))


def test_the_first_exception_is_raised():
    def body(comm):
        if comm.rank == 2:
            raise KeyError("a mistake")
        return comm.all_reduce(sk.zeros(3, device=comm.device))

    with pytest.raises(KeyError) as raised:
        sk.comm.run(body, DEVICES)
    assert "on rank 2, cuda:2" in raised.value.__notes__


CALLS = {
    "all_reduce": lambda comm, x: comm.all_reduce(x),
    "reduce_scatter": lambda comm, x: comm.reduce_scatter(x),
    "all_gather": lambda comm, x: comm.all_gather(x),
    "broadcast": lambda comm, x: comm.broadcast(x),
    "send": lambda comm, x: comm.send(x, 1 - comm.rank),
}


@pytest.mark.parametrize("device", ["cpu:0", "cuda:2"])
@pytest.mark.parametrize("name", CALLS)
def test_arrays_on_another_device_are_rejected(name, device):
    """On all ranks: nothing has been sent that the others could wait for."""

    def body(comm):
        with pytest.raises(
            DeviceMismatchError,
            match=rf'{name}: x is on {device}, rank {comm.rank} on {comm.device}; move it .* x.to_device\("{comm.device}"\)',
        ):
            CALLS[name](comm, sk.zeros((2, 3), device=device))
        return float(comm.all_reduce(sk.ones(1, device=comm.device))[0])

    assert sk.comm.run(body, DEVICES[:2]) == [2.0, 2.0]


@pytest.mark.parametrize("devices", [["cuda:0", "cuda:0"], ["cpu:0"]])
def test_run_takes_different_cuda_devices(devices):
    with pytest.raises(ValueError, match="run: devices must be different CUDA devices"):
        sk.comm.run(lambda comm: None, devices)


def test_calls_are_in_program_order_on_any_stream():
    """Operands are written, and results are read, on streams other than that of the call."""

    def body(comm):
        streams = [sk.Stream(comm.device) for _ in range(3)]
        for turn in range(20):
            with streams[0]:
                x = sk.full(1000, float(turn), device=comm.device) + comm.rank
            with streams[1]:
                total = comm.all_reduce(x)
            with streams[2]:
                x *= 0
                result = total + 1
            expected = comm.size * turn + sum(range(comm.size)) + 1
            assert (result.to_numpy() == expected).all()

    sk.comm.run(body, DEVICES)


def test_a_rank_may_run_ahead_of_the_others():
    """A stream whose queue is full does not hold the GIL, which the rank needs that the stream waits for."""

    def body(comm):
        if comm.rank == 1:
            time.sleep(0.5)
        x = comm.all_reduce(sk.ones(4, device=comm.device))
        for _ in range(1500):
            x = x + 1
        return float(x[0])

    assert sk.comm.run(body, DEVICES[:2]) == [1502.0, 1502.0]
