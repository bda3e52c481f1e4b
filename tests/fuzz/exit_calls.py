# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""A process that exits while its threads are in calls: started by ``exits.py``, with its plan as the argument."""

from __future__ import annotations

import atexit
import contextlib
import gc
import json
import os
import pickle
import sys
import threading
import time

import numpy as np
import skerry as sk

DEVICES = ("cpu:0", "cuda:0", "cuda:1")


class Producer:
    """Implements DLPack in Python, so that the GIL may be released inside an import."""

    def __init__(self, x):
        self.x = x

    def __dlpack__(self, **keywords):
        for _ in range(100):
            pass
        return self.x.__dlpack__(**keywords)

    def __dlpack_device__(self):
        return self.x.__dlpack_device__()


class Interface:
    """Memory owned by a Python object, with a CUDA array interface."""

    def __init__(self, x):
        self.x = x

    @property
    def __cuda_array_interface__(self):
        for _ in range(100):
            pass
        return self.x.__cuda_array_interface__


def reads(device):
    x = sk.ones((100,), device=device)
    return lambda: (float(sk.sum(x + 1)), x[3].item(), x.tolist())


def transfers(device):
    x = sk.ones((50_000,), device=device)
    return lambda: [x.to_device(other) for other in DEVICES]


def multiplications(device):
    x = sk.ones((200, 200), device=device)
    small = sk.ones((8, 8), dtype=sk.float32, device=device)
    return lambda: (x @ x, small @ small, sk.vecdot(x, x))


def elementwise(device):
    x = sk.ones((300_000,), device=device)
    y = sk.ones((10,), device=device)

    def call():
        z = sk.sin(x) + x
        z += 1
        z[::2] = 0
        return y + y * 2

    return call


def transforms(device):
    x = sk.ones((30_000,), dtype=sk.complex128, device=device)
    y = sk.ones((64, 37), dtype=sk.float32, device=device)
    return lambda: (sk.fft.fft(x), sk.fft.rfft(y))


def decompositions(device):
    x = sk.eye(60, device=device) * 2
    return lambda: (sk.linalg.svd(x), sk.linalg.inv(x), sk.linalg.qr(x), sk.linalg.eigh(x))


def sorting(device):
    x = sk.asarray(np.random.default_rng(0).random(50_000), device=device)
    return lambda: (
        sk.sort(x),
        sk.argsort(x),
        sk.unique_values(x),
        sk.cumulative_sum(x),
        x[x > 0.5],
    )


def allocation(device):
    return lambda: [sk.empty((n,), device=device) for n in (1, 1000, 100_000, 3_000_000)]


def exchange(device):
    x = sk.arange(1000, device=device)
    host = np.arange(1000.0)
    importers = [lambda: sk.from_dlpack(Producer(x)), lambda: sk.asarray(host)]
    if device != "cpu:0":
        importers.append(lambda: sk.as_cuda_array(Interface(x)))
    return lambda: [importer() + 1 for importer in importers]


def printing(device):
    x = sk.arange(2000, device=device)
    return lambda: (repr(x), str(x[:3]), repr(x.device), pickle.loads(pickle.dumps(x)))


def waiting(device):
    if device == "cpu:0":
        device = "cuda:0"
    x = sk.ones((1000,), device=device)

    def call():
        stream = sk.Stream(device)
        with sk.stream(stream):
            y = x + x
        event = sk.Event(device)
        event.record(stream)
        event.synchronize()
        stream.synchronize()
        sk.synchronize(device)
        return y

    return call


def garbage(device):
    def call():
        cycle = [Interface(sk.ones((100,), device=device))]
        cycle.append(cycle)
        if device != "cpu:0":
            cycle[0].import_of_itself = sk.as_cuda_array(cycle[0])
        cycle = None
        gc.collect()

    return call


def errors(device):
    x = sk.ones((3,), device=device)

    def call():
        for wrong in (
            lambda: x + sk.ones((4,), device=device),
            lambda: x[7],
            lambda: sk.add(x, "1"),
        ):
            with contextlib.suppress(ValueError, IndexError, TypeError):
                wrong()

    return call


def aborts(device):
    """Abort: not drawn at random, to test the report of a failure."""
    os.abort()


def main(threads, wait, end, status) -> None:
    ending = threading.Event()
    begun = threading.Barrier(len(threads) + 1)

    def work(name, device):
        call = globals()[name](device)
        begun.wait()
        while not ending.is_set():
            call()

    for name, device, daemon in threads:
        threading.Thread(target=work, args=(name, device), daemon=daemon).start()
    keep = [sk.ones((1000,), device=device) for device in DEVICES]
    begun.wait()
    time.sleep(wait)
    if not all(daemon for _, _, daemon in threads):
        ending.set()  # otherwise Python would wait forever
    if end == "in atexit":
        atexit.register(lambda: [float(sk.sum(x + 1)) for x in keep])
    if end == "by sys.exit":
        sys.exit(status)
    if end == "by an exception":
        raise RuntimeError("as planned")


if __name__ == "__main__":
    main(**json.loads(sys.argv[1]))
