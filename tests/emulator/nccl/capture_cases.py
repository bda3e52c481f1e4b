# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Calls captured into CUDA graphs, which are replayed; test_nccl.py runs these cases in a process."""

import contextlib

import numpy as np
import pytest
import skerry as sk
from cuda.core import Device
from skerry import testing

from tests.emulator.nccl.expected import inputs, reduced
from tests.emulator.nccl.ranks import array, in_threads, nccl, values

REPLAYS = 3
COUNT = 12  # a multiple of each number of ranks


def created_stream(rank):
    device = Device(rank)
    device.set_current()
    return device.create_stream()


def captured(rank, body):
    """Capture ``body(stream)`` on a new stream of a rank's device; return the graph and the stream."""
    sk.synchronize(sk.Device(f"cuda:{rank}"))
    builder = created_stream(rank).create_graph_builder().begin_building()
    body(builder.stream)
    return builder.end_building().complete(), created_stream(rank)


def replay(graph, stream):
    graph.launch(stream)
    stream.sync()


def on_device(rank, x):
    return sk.asarray(x, device=sk.Device(f"cuda:{rank}"))


def ring(comm, x, result, stream):
    with nccl.group():
        comm.send(x, (comm.rank + 1) % comm.nranks, stream=stream)
        comm.recv(result, (comm.rank - 1) % comm.nranks, stream=stream)


CALLS = {
    "allreduce": lambda comm, x, result, stream: comm.allreduce(x, result, nccl.SUM, stream=stream),
    "reduce": lambda comm, x, result, stream: comm.reduce(x, result, nccl.SUM, root=1, stream=stream),
    "broadcast": lambda comm, x, result, stream: comm.broadcast(x, result, root=1, stream=stream),
    "allgather": lambda comm, x, result, stream: comm.allgather(x, result, stream=stream),
    "reduce_scatter": lambda comm, x, result, stream: comm.reduce_scatter(x, result, nccl.SUM, stream=stream),
    "alltoall": lambda comm, x, result, stream: comm.alltoall(x, result, stream=stream),
    "gather": lambda comm, x, result, stream: comm.gather(x, result, root=1, stream=stream),
    "scatter": lambda comm, x, result, stream: comm.scatter(x, result, root=1, stream=stream),
    "ring": ring,
}  # fmt: skip


def expected(name, parts, rank):
    """Return what a rank receives; None: nothing."""
    ranks = len(parts)
    part = slice(rank * COUNT // ranks, (rank + 1) * COUNT // ranks)
    return {
        "allreduce": lambda: reduced("sum", parts),
        "reduce": lambda: reduced("sum", parts) if rank == 1 else None,
        "broadcast": lambda: parts[1],
        "allgather": lambda: np.concatenate(parts),
        "reduce_scatter": lambda: reduced("sum", parts)[part],
        "alltoall": lambda: np.concatenate([other[part] for other in parts]),
        "gather": lambda: np.concatenate(parts) if rank == 1 else None,
        "scatter": lambda: parts[1][part],
        "ring": lambda: parts[rank - 1],
    }[name]()


def raise_first(errors):
    for error in errors:
        if error is not None:
            raise error


@pytest.mark.parametrize("ranks", [2, 4])
@pytest.mark.parametrize("name", CALLS)
def test_replays_read_the_operands_again(name, ranks):
    sizes = {"allgather": COUNT * ranks, "gather": COUNT * ranks}
    sizes |= dict.fromkeys(["reduce_scatter", "scatter"], COUNT // ranks)

    def body(rank, comm):
        x = sk.zeros(COUNT, dtype=sk.float32, device=sk.Device(f"cuda:{rank}"))
        result = sk.zeros(sizes.get(name, COUNT), dtype=sk.float32, device=x.device)
        graph, stream = captured(rank, lambda stream: CALLS[name](comm, x, result, stream))
        assert not values(result).any()  # a capture runs nothing
        for turn in range(REPLAYS):
            parts = inputs(ranks, COUNT, "float32", seed=turn)
            x[...] = on_device(rank, parts[rank])
            sk.synchronize(x.device)
            replay(graph, stream)
            expectation = expected(name, parts, rank)
            if expectation is not None:
                np.testing.assert_array_equal(values(result), expectation)

    raise_first(in_threads(body, ranks))


def test_bytes_are_counted_for_each_replay():
    comms = nccl.Communicator.init_all(2)
    arrays, results = (
        [array(rank, 100) for rank in range(2)],
        [array(rank, 100) for rank in range(2)],
    )
    graphs = [
        captured(rank, lambda stream, rank=rank: CALLS["ring"](comms[rank], arrays[rank], results[rank], stream))
        for rank in range(2)
    ]  # fmt: skip
    with testing.nccl_link_bytes() as nbytes:
        for _ in range(REPLAYS):
            for graph, stream in graphs:
                graph.launch(stream)
            for _, stream in graphs:
                stream.sync()
    expectation = 400 * REPLAYS
    assert nbytes == {("cuda:0", "cuda:1"): expectation, ("cuda:1", "cuda:0"): expectation}


def test_a_graph_has_several_calls_and_kernels():
    def body(rank, comm):
        x, y = array(rank, 1000), array(rank, 1000)

        def step(stream):
            comm.allreduce(x, x, nccl.SUM, stream=stream)
            comm.allreduce(x, y, nccl.AVG, stream=stream)
            comm.broadcast(y, y, root=0, stream=stream)

        graph, stream = captured(rank, step)
        for turn in range(REPLAYS):
            replay(graph, stream)
            assert (values(x) == 4.0 ** (turn + 1)).all()
            assert (values(y) == 4.0 ** (turn + 1)).all()

    raise_first(in_threads(body, 4))


def test_direct_calls_may_come_between_replays():
    def body(rank, comm):
        x = array(rank)
        graph, stream = captured(rank, lambda stream: CALLS["allreduce"](comm, x, x, stream))
        for _ in range(REPLAYS):
            graph.launch(stream)
            comm.allreduce(x, x, nccl.SUM, stream=stream)
        stream.sync()
        assert (values(x) == 4.0**REPLAYS).all()

    raise_first(in_threads(body, 2))


@contextlib.contextmanager
def recoverable():
    """Keep the devices after a mistake."""
    with testing.nccl_settings(timeout=1, errors="async"):
        yield
        for rank in range(2):
            sk.synchronize(sk.Device(f"cuda:{rank}"))


def graphs_of(comms, arrays, ranks=range(2)):
    return [
        captured(rank, lambda stream, rank=rank: CALLS["allreduce"](comms[rank], arrays[rank], arrays[rank], stream))
        for rank in ranks
    ]  # fmt: skip


def test_a_graph_that_one_rank_does_not_replay_is_reported(capfd):
    comms, arrays = nccl.Communicator.init_all(2), [array(0), array(1)]
    graphs = graphs_of(comms, arrays)
    with recoverable():
        replay(*graphs[0])
    text = capfd.readouterr().err
    assert (
        "rank 0: ncclAllReduce(count 8, float32, sum, captured call 1) at capture_cases.py:" in text
    )
    assert "rank 1 has made no collective call here" in text
    assert "captured calls, which run when their graphs are launched: 1" in text


def test_a_call_that_one_rank_does_not_capture_is_reported():
    comms, arrays = nccl.Communicator.init_all(2), [array(0), array(1)]
    (graph,) = graphs_of(comms, arrays, [0])
    stream = created_stream(1)
    with recoverable():
        graph[0].launch(graph[1])
        with pytest.raises(Exception, match="ranks disagree on collective call number 1") as raised:
            CALLS["allreduce"](comms[1], arrays[1], arrays[1], stream)
    assert "rank 0: ncclAllReduce(count 8, float32, sum, captured call 1) at" in str(raised.value)
    assert "rank 1: ncclAllReduce(count 8, float32, sum) at" in str(raised.value)


def test_graphs_in_another_order_are_reported(capfd):
    comms, arrays = nccl.Communicator.init_all(2), [array(0), array(1)]
    first, second = graphs_of(comms, arrays), graphs_of(comms, arrays)
    with recoverable():
        first[0][0].launch(first[0][1])
        with pytest.raises(Exception, match="CUDA_ERROR_LAUNCH_FAILED"):
            second[1][0].launch(second[1][1])
    text = capfd.readouterr().err
    assert "rank 0: ncclAllReduce(count 8, float32, sum, captured call 1) at" in text
    assert "rank 1: ncclAllReduce(count 8, float32, sum, captured call 2) at" in text


def test_a_communicator_of_a_graph_is_not_destroyed():
    """NCCL waits there until the graph is destroyed."""
    comms = nccl.Communicator.init_all(1)
    x = array(0)
    graph, stream = captured(0, lambda stream: CALLS["allreduce"](comms[0], x, x, stream))
    with pytest.raises(Exception, match="ncclCommDestroy: a graph has captured calls of the"):
        comms[0].destroy()
    replay(graph, stream)
    graph.close()


def test_a_replay_after_an_abort_is_reported(capfd):
    comms = nccl.Communicator.init_all(1)
    x = array(0)
    graph, stream = captured(0, lambda stream: CALLS["allreduce"](comms[0], x, x, stream))
    comms[0].abort()
    with pytest.raises(Exception, match="CUDA_ERROR_LAUNCH_FAILED"):
        graph.launch(stream)
    text = capfd.readouterr().err
    assert "captured call 1), captured at capture_cases.py:" in text
    assert "its communicator has been destroyed" in text


def test_a_graph_of_several_devices_is_refused():
    comms, x = nccl.Communicator.init_all(2), array(1)
    streams = [created_stream(rank) for rank in range(2)]
    Device(0).set_current()
    builder = streams[0].create_graph_builder().begin_building()
    streams[1].wait(builder.stream.record())
    with pytest.raises(Exception, match="a graph with calls of several devices is not rehearsed"):
        CALLS["allreduce"](comms[1], x, x, streams[1])


def test_a_launch_on_another_device_is_reported(capfd):
    comms, x = nccl.Communicator.init_all(1), array(0)
    graph, _ = captured(0, lambda stream: CALLS["allreduce"](comms[0], x, x, stream))
    stream = created_stream(1)
    with pytest.raises(Exception, match="CUDA_ERROR_LAUNCH_FAILED"):
        graph.launch(stream)
    assert "is launched on a stream of device 1" in capfd.readouterr().err


def test_capture_of_skerry_refuses_calls():
    comm = nccl.Communicator.init_all(1)[0]

    def step(x):
        stream = sk.current_stream(x.device)
        comm.allreduce(x, x, nccl.SUM, stream=stream)
        return x

    with pytest.raises(Exception, match=r"skerry\.capture takes no calls of NCCL"):
        sk.capture(step, array(0))
    x = array(0)
    comm.allreduce(x, x, nccl.SUM, stream=sk.current_stream(x.device))
    assert (values(x) == 1).all()
