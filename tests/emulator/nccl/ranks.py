# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Ranks for programs that test the rehearsed NCCL: a thread or a process for each."""

import multiprocessing
import threading

import numpy as np
import skerry as sk

sk.rehearse(cuda=8, kernels=True)

import nccl.core as nccl  # noqa: E402 (after the stand-in is loaded)
from cuda.core import Device  # noqa: E402


def stream_of(rank):
    return sk.current_stream(sk.Device(f"cuda:{rank}"))


def array(rank, count=8, dtype=sk.float32):
    return sk.ones(count, dtype=dtype, device=sk.Device(f"cuda:{rank}"))


def values(x):
    """Copy an array to the host."""
    sk.synchronize(x.device)
    return np.asarray(x.to_device("cpu"))


def run_thread(rank, count, device, unique_id, body, errors):
    Device(device).set_current()
    try:
        body(rank, nccl.Communicator.init(count, rank, unique_id))
    except Exception as error:
        errors[rank] = error


def in_threads(body, count=2, devices=None):
    """Run ``body(rank, communicator)`` in a thread for each rank; return their exceptions."""
    unique_id, errors = nccl.get_unique_id(), [None] * count
    threads = [
        threading.Thread(
            target=run_thread,
            args=(rank, count, devices[rank] if devices else rank, unique_id, body, errors),
        )
        for rank in range(count)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return errors


def run_process(rank, count, unique_id, body):
    Device(rank).set_current()
    body(rank, nccl.Communicator.init(count, rank, nccl.UniqueId.from_bytes(unique_id)))


def in_processes(body, count=2):
    """Run ``body(rank, communicator)``, a function of a module, in a process for each rank; return their statuses."""
    context = multiprocessing.get_context("spawn")
    unique_id = nccl.get_unique_id().as_bytes
    processes = [
        context.Process(target=run_process, args=(rank, count, unique_id, body))
        for rank in range(count)
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    return [process.exitcode for process in processes]
