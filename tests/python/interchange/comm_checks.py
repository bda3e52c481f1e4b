# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Checks of `skerry.comm` that each rank makes, on CPU devices by MPI and on CUDA devices by NCCL."""

import time

import numpy as np
import pytest
import skerry as sk
from skerry.exceptions import DTypeError, ShapeError

DTYPES = (
    "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64 complex64 complex128"
)


def inputs(comm, shape, dtype="float32"):
    """Return the arrays of all ranks, and that of this one on its device."""
    rng = np.random.default_rng(5)
    parts = [rng.integers(0, 9, shape).astype(dtype) for _ in range(comm.size)]
    return parts, sk.asarray(parts[comm.rank], device=comm.device)


def check(comm, actual, desired):
    assert actual.device == comm.device
    assert actual.dtype == desired.dtype
    np.testing.assert_array_equal(actual.to_numpy(), desired)


def check_reductions(comm):
    for dtype in ("int32", "float64"):
        parts, x = inputs(comm, (comm.size, 3), dtype)
        for op, reduce in (("sum", np.sum), ("prod", np.prod), ("max", np.max), ("min", np.min)):
            total = reduce(np.stack(parts), axis=0).astype(dtype)
            check(comm, comm.all_reduce(x, op=op), total)
            check(comm, comm.reduce_scatter(x, op=op), total[comm.rank])
    parts, x = inputs(comm, 4, "complex64")
    check(comm, comm.all_reduce(x), np.sum(parts, axis=0))
    parts, x = inputs(comm, 4, "bool")
    check(comm, comm.all_reduce(x, op="max"), np.any(parts, axis=0))
    parts, x = inputs(comm, ())
    check(comm, comm.all_reduce(x, op="mean"), np.mean(parts, axis=0, dtype=np.float32))


def check_moves(comm):
    for dtype in DTYPES.split():
        parts, x = inputs(comm, (2, 3), dtype)
        check(comm, comm.all_gather(x), np.stack(parts))
        check(comm, comm.broadcast(x, root=1), parts[1])
        with comm.group():
            comm.send(x, (comm.rank + 1) % comm.size)
            result = comm.recv(x.shape, x.dtype, (comm.rank - 1) % comm.size)
        check(comm, result, parts[comm.rank - 1])
    if comm.rank == 0:
        comm.send(x, 1)
    elif comm.rank == 1:
        check(comm, comm.recv(x.shape, x.dtype, 0), parts[0])


def check_layouts(comm):
    parts, x = inputs(comm, (3, 4))
    check(comm, comm.all_reduce(x.T), np.sum(parts, axis=0).T)
    check(comm, comm.all_gather(x[:, ::2]), np.stack(parts)[:, :, ::2])
    check(comm, comm.all_reduce(x[:0]), np.zeros((0, 4), np.float32))


def check_errors(comm):
    _, x = inputs(comm, (2, 3), "int16")
    with pytest.raises(DTypeError, match="sum of int16"):
        comm.all_reduce(x)
    with pytest.raises(DTypeError, match="mean of int32"):
        comm.all_reduce(inputs(comm, 3, "int32")[1], op="mean")
    with pytest.raises(ValueError, match="all_reduce: unknown op: average; accepted: sum, mean"):
        comm.all_reduce(x, op="average")
    with pytest.raises(ShapeError, match=r"reduce_scatter: the first axis .* shape \(3,\)"):
        comm.reduce_scatter(sk.ones(3, device=comm.device))
    with pytest.raises(ValueError, match="send: destination must be a rank of"):
        comm.send(x, comm.rank)
    with pytest.raises(ValueError, match="recv: source must be a rank of"):
        comm.recv((3,), sk.float32, comm.rank)
    with pytest.raises(ValueError, match="broadcast: root must be a rank of"):
        comm.broadcast(x, root=comm.size)
    with pytest.raises(TypeError, match="all_gather: x must be an array of skerry, not list"):
        comm.all_gather([1.0])


def check_barrier(comm):
    """No rank leaves a barrier before the last one has called it, and its device has done its work."""
    comm.barrier()
    if comm.rank == 1:
        time.sleep(0.1)
    called = time.monotonic()  # one clock for all processes
    comm.barrier()
    times = np.array([called, time.monotonic()])
    times = comm.all_gather(sk.asarray(times, device=comm.device)).to_numpy()
    assert times[:, 0].max() <= times[:, 1].min()


def check_all(comm):
    for function in (check_reductions, check_moves, check_layouts, check_errors, check_barrier):
        function(comm)
        comm.barrier()
    return comm.rank
