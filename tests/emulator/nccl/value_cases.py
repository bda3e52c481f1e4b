# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Values of every collective against NumPy, by nccl4py with arrays of skerry; test_nccl.py runs them in a process."""

import ml_dtypes
import numpy as np
import pytest
import skerry as sk
from skerry import testing

from tests.emulator.nccl.expected import inputs, reduced
from tests.emulator.nccl.ranks import in_threads, nccl, stream_of, values

REDUCTIONS = {"sum": nccl.SUM, "prod": nccl.PROD, "max": nccl.MAX, "min": nccl.MIN, "avg": nccl.AVG}
DTYPES = ["int8", "uint8", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64"]


@pytest.fixture(params=[2, 4, 8], scope="module")
def comms(request):
    communicators = nccl.Communicator.init_all(request.param)
    yield communicators
    for comm in communicators:
        comm.finalize()
        comm.destroy()


def on_device(rank, x):
    return sk.asarray(x, device=sk.Device(f"cuda:{rank}"))


def call(comms, name, sources, results, *arguments):
    with nccl.group():
        for rank, comm in enumerate(comms):
            getattr(comm, name)(sources[rank], results[rank], *arguments, stream=stream_of(rank))
    return [values(x) for x in results]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("operation", REDUCTIONS)
@pytest.mark.parametrize("count", [0, 1, 3, 1000, 20001])
def test_all_reduce(comms, operation, dtype, count):
    parts = inputs(len(comms), count, dtype)
    sources = [on_device(rank, part) for rank, part in enumerate(parts)]
    results = [sk.empty_like(x) for x in sources]
    for result in call(comms, "allreduce", sources, results, REDUCTIONS[operation]):
        np.testing.assert_array_equal(result, reduced(operation, parts))


@pytest.mark.parametrize("operation", REDUCTIONS)
def test_all_reduce_of_bfloat16(comms, operation):
    from nccl.bindings import nccl as bindings

    parts = inputs(len(comms), 1000, ml_dtypes.bfloat16)
    arrays = [on_device(rank, part.view(np.uint16)) for rank, part in enumerate(parts)]
    with nccl.group():
        for rank, comm in enumerate(comms):
            address = arrays[rank].__cuda_array_interface__["data"][0]
            bindings.all_reduce(
                address, address, 1000, int(nccl.BFLOAT16), int(REDUCTIONS[operation]), comm._comm,
                stream_of(rank).handle,
            )  # fmt: skip
    for x in arrays:
        np.testing.assert_array_equal(values(x).view(ml_dtypes.bfloat16), reduced(operation, parts))


@pytest.mark.parametrize("count", [1, 1003])
def test_other_collectives(comms, count):
    ranks = len(comms)
    parts = inputs(ranks, ranks * count, "float32")
    total = reduced("sum", parts)
    whole = [on_device(rank, part) for rank, part in enumerate(parts)]
    small = [x[:count] for x in whole]

    def zeros(size):
        return [
            sk.zeros(size, dtype=sk.float32, device=sk.Device(f"cuda:{rank}"))
            for rank in range(ranks)
        ]

    results = call(comms, "reduce", whole, zeros(ranks * count), nccl.SUM, ranks - 1)
    np.testing.assert_array_equal(results[-1], total)
    assert not results[0].any()
    for result in call(comms, "broadcast", whole, zeros(ranks * count), 1):
        np.testing.assert_array_equal(result, parts[1])
    for rank, result in enumerate(call(comms, "reduce_scatter", whole, zeros(count), nccl.SUM)):
        np.testing.assert_array_equal(result, total[rank * count : (rank + 1) * count])
    gathered = np.concatenate([part[:count] for part in parts])
    for result in call(comms, "allgather", small, zeros(ranks * count)):
        np.testing.assert_array_equal(result, gathered)
    np.testing.assert_array_equal(
        call(comms, "gather", small, zeros(ranks * count), 0)[0], gathered
    )
    for rank, result in enumerate(call(comms, "alltoall", whole, zeros(ranks * count))):
        segment = slice(rank * count, (rank + 1) * count)
        np.testing.assert_array_equal(result, np.concatenate([part[segment] for part in parts]))
    for rank, result in enumerate(call(comms, "scatter", whole, zeros(count), 0)):
        np.testing.assert_array_equal(result, parts[0][rank * count : (rank + 1) * count])


def test_all_reduce_in_place(comms):
    parts = inputs(len(comms), 5000, "float64")
    arrays = [on_device(rank, part) for rank, part in enumerate(parts)]
    for result in call(comms, "allreduce", arrays, arrays, nccl.SUM):
        np.testing.assert_array_equal(result, reduced("sum", parts))


def test_a_ring_of_sends(comms):
    ranks = len(comms)
    parts = inputs(ranks, 777, "int32")
    sources = [on_device(rank, part) for rank, part in enumerate(parts)]
    results = [sk.zeros_like(x) for x in sources]
    for _ in range(5):
        with nccl.group():
            for rank, comm in enumerate(comms):
                comm.send(sources[rank], (rank + 1) % ranks, stream=stream_of(rank))
                comm.recv(results[rank], (rank - 1) % ranks, stream=stream_of(rank))
    for rank, result in enumerate(results):
        np.testing.assert_array_equal(values(result), parts[rank - 1])


@pytest.mark.parametrize("dtype", ["float32", "int64", "float16"])
def test_a_premultiplied_sum(comms, dtype):
    parts = inputs(len(comms), 100, dtype)
    arrays = [on_device(rank, part) for rank, part in enumerate(parts)]
    factor = np.array([3], dtype)
    reductions = [comm.create_pre_mul_sum(factor) for comm in comms]
    with nccl.group():
        for rank, comm in enumerate(comms):
            x = arrays[rank]
            comm.allreduce(x, x, reductions[rank], stream=stream_of(rank))
    accumulator = np.float32 if dtype == "float16" else dtype
    scaled = [part.astype(accumulator) * factor[0].astype(accumulator) for part in parts]
    for x in arrays:
        np.testing.assert_array_equal(values(x), reduced("sum", scaled).astype(dtype))


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_the_order_of_sums_can_be_shuffled(comms, dtype):
    parts = inputs(len(comms), 10000, dtype)

    def run():
        arrays = [on_device(rank, part) for rank, part in enumerate(parts)]
        return {x.tobytes() for x in call(comms, "allreduce", arrays, arrays, nccl.SUM)}

    fixed = run()
    assert run() == fixed
    assert len(fixed) == 1
    results = set()
    for seed in range(4):
        with testing.nccl_settings(order=seed):
            bits = run()
        assert len(bits) == 1  # all ranks agree
        results |= bits
    assert run() == fixed
    # Two terms have the same sum in either order.
    assert len(results - fixed) >= 1 or len(comms) == 2


def test_threads_and_a_split():
    results = [None] * 4

    def body(rank, comm):
        x = on_device(rank, np.full(10, float(rank), np.float32))
        for _ in range(100):
            comm.allreduce(x, x, nccl.AVG, stream=stream_of(rank))
        part = comm.split(color=rank % 2, key=-rank)
        y = on_device(rank, np.full(3, float(rank), np.float32))
        part.allreduce(y, y, nccl.SUM, stream=stream_of(rank))
        results[rank] = (values(x)[0], part.rank, part.nranks, values(y)[0])
        part.destroy()
        comm.destroy()

    assert in_threads(body, 4) == [None] * 4
    assert results == [(1.5, 1, 2, 2.0), (1.5, 1, 2, 4.0), (1.5, 0, 2, 2.0), (1.5, 0, 2, 4.0)]


def draw_call(rng):
    """Return a collective's name, its arguments, the arrays of four ranks, and its result."""
    count, operation, root = (
        int(rng.integers(1, 3000)),
        rng.choice(list(REDUCTIONS)),
        int(rng.integers(4)),
    )
    parts = inputs(4, count, rng.choice(["float32", "int64", "uint8"]), seed=count)
    calls = [
        ("allreduce", [REDUCTIONS[operation]], parts, reduced(operation, parts)),
        ("broadcast", [root], parts, parts[root]),
        ("allgather", [], parts, np.stack(parts)),
    ]
    return calls[rng.integers(3)]


@pytest.mark.parametrize("seed", range(3))
def test_random_calls(seed):
    """All ranks draw the same calls; each checks its results after some of them."""

    def body(rank, comm):
        rng = np.random.default_rng(seed)
        pending = []
        for turn in range(150):
            name, arguments, parts, desired = draw_call(rng)
            x = on_device(rank, parts[rank])
            result = sk.empty(desired.shape, dtype=x.dtype, device=x.device)
            getattr(comm, name)(x, result, *arguments, stream=stream_of(rank))
            pending.append((result, desired))
            if rng.random() < 0.1 or turn == 149:
                for actual, expected in pending:
                    np.testing.assert_array_equal(values(actual), expected)
                pending.clear()
        comm.destroy()

    assert in_threads(body, 4) == [None] * 4


def test_the_default_streams_are_in_order_with_skerry():
    comms = nccl.Communicator.init_all(2)
    for _ in range(50):
        arrays = [sk.ones(1000, device=sk.Device(f"cuda:{rank}")) * 3 for rank in range(2)]
        with nccl.group():
            for comm, x in zip(comms, arrays, strict=True):
                comm.allreduce(x, x, nccl.SUM)
        for x in arrays:
            assert (values(x + 1) == 7).all()
    for comm in comms:
        comm.destroy()


def test_an_array_may_be_deleted_while_a_collective_waits():
    """The wait for the other rank does not hold the GIL, which that rank needs."""

    def body(rank, comm):
        for _ in range(20):
            x = sk.ones(1 << 20, device=sk.Device(f"cuda:{rank}"))
            comm.allreduce(x, x, nccl.SUM, stream=stream_of(rank))
            y = x + 1
            del x
            z = sk.ones(1 << 20, device=sk.Device(f"cuda:{rank}"))
            del y, z
        comm.destroy()

    assert in_threads(body, 2) == [None, None]


def test_bytes_of_links_are_counted(comms):
    ranks, nbytes = len(comms), 8000
    arrays = [
        sk.ones(nbytes // 4, dtype=sk.float32, device=sk.Device(f"cuda:{rank}"))
        for rank in range(ranks)
    ]
    with testing.nccl_link_bytes() as links:
        call(comms, "allreduce", arrays, arrays, nccl.SUM)
    assert set(links) == {
        (f"cuda:{a}", f"cuda:{b}") for a in range(ranks) for b in range(ranks) if a != b
    }
    # Each rank receives 2 (n - 1) / n of the array, as in a ring.
    assert sum(links.values()) == 2 * (ranks - 1) * nbytes


def test_nvml_counts_the_devices():
    assert len(nccl.Communicator.init_all()) == 8
