# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""dask workers: two processes, each with its own rehearsed device, which both call cuda:0."""

import os
import sys

import numpy as np
import pytest
import skerry as sk

from tests.python.libraries import library
from tests.python.loops import loop_over
from tests.python.oracle import DTYPES, kind_of, sample, to_numpy
from tests.python.session import HAS_GPU

da = library("dask.array")
dask = library("dask")
distributed = library("distributed")
protocol = library("distributed.protocol")

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")
REHEARSED = pytest.mark.skipif(HAS_GPU, reason="needs rehearsed devices")
HOST = np.random.default_rng(3).standard_normal((60, 20))

# Frames, without workers


def layouts(x):
    yield x
    yield x[::2, 1:]
    yield x.T
    yield x[:0]
    yield x[1, 1]
    yield sk.broadcast_to(x[0], (5, 4))
    yield sk.broadcast_to(x[:, :1], (3, 4))


@pytest.mark.parametrize(
    "serializers", [["dask"], ["cuda", "dask"], ["pickle"]], ids=lambda s: s[0]
)
@loop_over("dtype", DTYPES)
def test_arrays_round_trip_through_serialization(dtype, serializers, device):
    x = sk.asarray(sample(dtype, (3, 4)), device=device)
    for sent in layouts(x):
        header, frames = protocol.serialize(sent, serializers=serializers)
        got = protocol.deserialize(header, frames)
        assert got.device == sent.device
        assert got.dtype == sent.dtype
        assert np.array_equal(to_numpy(got), to_numpy(sent), equal_nan=kind_of(dtype) in "fc")
    expected = "cuda" if device.startswith("cuda") and "cuda" in serializers else serializers[-1]
    assert header["serializer"] == expected


def address(x):
    return np.asarray(x).__array_interface__["data"][0]


def test_frames_of_cpu_arrays_are_their_memory():
    x = sk.arange(1000.0, device="cpu:0")
    header, frames = protocol.serialize(x, serializers=["dask"])
    assert address(np.frombuffer(frames[0])) == address(x)
    assert address(protocol.deserialize(header, frames)) == address(x)


def test_frames_for_gpus_are_their_memory(cuda_device):
    x = sk.arange(1000.0, device=cuda_device)
    _, (frame,) = protocol.serialize(x, serializers=["cuda"])
    pointer = x.__cuda_array_interface__["data"][0]
    assert frame.__cuda_array_interface__["data"][0] == pointer


def test_broadcast_axes_are_sent_once(device):
    x = sk.broadcast_to(sk.ones((1,), device=device), (1000, 1000))
    _, frames = protocol.serialize(x, serializers=["dask"])
    assert sum(memoryview(frame).nbytes for frame in frames) == x.itemsize


# Workers


@pytest.fixture(scope="module")
def cluster():
    # Workers must find the same modules as this process.
    environment = {
        "SKERRY_REHEARSE": "1",
        "SKERRY_CPU_DEVICES": "1",
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    options = {"processes": True, "threads_per_worker": 1, "dashboard_address": None}
    with (
        dask.config.set({"distributed.admin.large-graph-warning-threshold": "1GB"}),
        distributed.LocalCluster(
            n_workers=2, env=environment, host="127.0.0.1", silence_logs=50, **options
        ) as cluster,
    ):
        yield cluster


@pytest.fixture
def client(cluster):
    with distributed.Client(cluster) as client:
        client.wait_for_workers(2, timeout=30)
        yield client


def names_of_devices():
    return [str(device) for device in sk.devices()]


def chunks_on(device, chunks=(15, 20)):
    return da.from_array(sk.asarray(HOST, device=device), chunks=chunks, asarray=False)


@REHEARSED
def test_each_worker_has_its_own_device(client):
    names_by_worker = client.run(names_of_devices)
    assert list(names_by_worker.values()) == [["cpu:0", "cuda:0"]] * 2
    assert len(set(client.run(os.getpid).values())) == 2


@REHEARSED
@pytest.mark.parametrize("device", ["cpu:0", "cuda:0"])
def test_sum_svd_and_rechunk_over_two_workers(client, device):
    d = chunks_on(device).persist()
    distributed.wait(d)
    holders = {worker for (worker, *_) in client.who_has(d).values()}
    assert len(holders) == 2, "both workers hold chunks"
    for ours, want in (
        (d.sum(axis=0), HOST.sum(axis=0)),
        (da.linalg.svd(d)[1], np.linalg.svd(HOST)[1]),
        (d.rechunk((60, 5)) + 1, HOST + 1),
    ):
        result = ours.compute()
        assert type(result) is sk.Array
        assert result.device == sk.Device(device)
        np.testing.assert_allclose(to_numpy(result), want, rtol=1e-10)


@REHEARSED
def test_a_task_beyond_the_memory_limit_fails_and_its_worker_lives(client):
    def limit(nbytes):
        sk.set_memory_limit("cuda:0", nbytes)

    def large(n):
        return sk.zeros((n,), dtype=sk.float64, device="cuda:0").size

    old_pids = client.run(os.getpid)
    client.run(limit, 1 << 20)
    try:
        refused = client.submit(large, 1 << 20, retries=0, pure=False)
        with pytest.raises(sk.exceptions.OutOfMemoryError, match="limit"):
            refused.result(timeout=30)
        assert client.submit(large, 1 << 10, pure=False).result(timeout=30) == 1 << 10
    finally:
        client.run(limit, None)
    assert client.run(os.getpid) == old_pids


@REHEARSED
def test_arrays_are_never_received_on_another_device(client):
    for argument in (sk.ones((5,), device="cuda:1"), sk.ones((100_000,), device="cuda:1")):
        with pytest.raises(sk.exceptions.DeviceUnavailableError, match="cuda:1"):
            client.submit(lambda x: float(x[0]), argument, pure=False).result(timeout=30)
    assert client.submit(lambda: 5, pure=False).result(timeout=30) == 5, "workers live"


@REHEARSED
def test_work_of_a_killed_worker_is_repeated(client):
    d = chunks_on("cuda:0").persist()
    distributed.wait(d)
    victim, pid = next(iter(client.run(os.getpid).items()))
    assert client.has_what()[victim]
    os.kill(pid, 9)
    result = (d * 2).sum(axis=1).compute()
    np.testing.assert_allclose(to_numpy(result), HOST.sum(axis=1) * 2)
    client.wait_for_workers(2, timeout=30)
