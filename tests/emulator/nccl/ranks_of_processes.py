# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""A program whose ranks are processes: every collective once, and a replayed graph, with the values that NumPy computes."""

import numpy as np
import skerry as sk

from tests.emulator.nccl.expected import inputs, reduced

PROGRAM = """
from tests.emulator.nccl.ranks import in_processes
from tests.emulator.nccl.ranks_of_processes import check
assert in_processes(check, 3) == [0, 0, 0]
"""
RANKS, COUNT = 3, 3 * 70_001


def check(rank, comm):
    from tests.emulator.nccl.ranks import nccl, stream_of, values

    stream = stream_of(rank)
    parts = inputs(RANKS, COUNT, "float32")
    x = sk.asarray(parts[rank], device=sk.Device(f"cuda:{rank}"))
    total = reduced("sum", parts)
    segment = slice(rank * COUNT // RANKS, (rank + 1) * COUNT // RANKS)
    for _ in range(3):
        result = sk.empty_like(x)
        comm.allreduce(x, result, nccl.SUM, stream=stream)
        np.testing.assert_array_equal(values(result), total)
    result = sk.empty_like(x[segment])
    comm.reduce_scatter(x, result, nccl.SUM, stream=stream)
    np.testing.assert_array_equal(values(result), total[segment])
    result = sk.empty((RANKS, COUNT), dtype=x.dtype, device=x.device)
    comm.allgather(x, result, stream=stream)
    np.testing.assert_array_equal(values(result), np.stack(parts))
    result = sk.empty_like(x)
    comm.broadcast(x, result, root=2, stream=stream)
    np.testing.assert_array_equal(values(result), parts[2])
    with nccl.group():
        comm.send(x, (rank + 1) % RANKS, stream=stream)
        comm.recv(result, (rank - 1) % RANKS, stream=stream)
    np.testing.assert_array_equal(values(result), parts[rank - 1])
    replay_sums(rank, comm, x, total)
    comm.destroy()


def replay_sums(rank, comm, x, total):
    from cuda.core import Device

    from tests.emulator.nccl.ranks import nccl, values

    result = sk.zeros_like(x)
    sk.synchronize(x.device)
    builder = Device(rank).create_stream().create_graph_builder().begin_building()
    comm.allreduce(x, result, nccl.SUM, stream=builder.stream)
    graph, stream = builder.end_building().complete(), Device(rank).create_stream()
    for _ in range(3):
        graph.launch(stream)
        stream.sync()
        np.testing.assert_array_equal(values(result), total)
        result *= 0
        sk.synchronize(x.device)
    graph.close()
    builder.close()
