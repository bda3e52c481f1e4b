# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Two ranks that send each other skerry arrays; `test_consumers.py` starts them with ``mpirun -n 2``."""

import numpy as np
import skerry as sk
from mpi4py import MPI

from tests.python.interchange import consumer_models
from tests.python.interchange.test_consumer_models import MALFORMED, malformed

world = MPI.COMM_WORLD
rank, other = world.rank, 1 - world.rank
KINDS = {"float32": MPI.FLOAT, "float64": MPI.DOUBLE, "int64": MPI.LONG, "uint8": MPI.UNSIGNED_CHAR}


class Interface:
    """Has only the CUDA array interface, since mpi4py prefers DLPack."""

    def __init__(self, owner, about=None):
        self.owner = owner
        self.__cuda_array_interface__ = about or owner.__cuda_array_interface__


def ways(x):
    """Yield the forms in which mpi4py accepts an array."""
    yield x
    yield [x, KINDS.get(x.dtype.name, MPI.DOUBLE)] if x.dtype.name in KINDS else x
    if x.device.kind == "cuda":
        yield Interface(x)


def fails(error, call, *arguments):
    try:
        call(*arguments)
    except error:
        return
    raise AssertionError(f"{call.__name__} raised no {error.__name__}")


def collectives(device, dtype):
    x = sk.astype(sk.arange(1000, device=device) % 100, dtype) + rank
    out = sk.zeros((1000,), dtype=dtype, device=device)
    sk.synchronize(device)
    want = (np.arange(1000) % 100 * 2 + 1).astype(dtype)
    for source in ways(x):
        for target in ways(out):
            out[:] = 0
            sk.synchronize(device)
            world.Allreduce(source, target)
            got = np.asarray(out.to_device("cpu"))
            assert np.array_equal(got, want), (device, dtype, got, want)


def exchange(device, dtype):
    x = sk.full((100,), rank + 1, dtype=dtype, device=device)
    for view in (x, x[10:20], sk.reshape(x, (10, 10)), sk.reshape(x, (4, 25)).T, x[:0], x[0]):
        got = sk.zeros(view.shape, dtype=dtype, device=device)
        sk.synchronize(device)
        world.Sendrecv(view, dest=other, recvbuf=got, source=other)
        assert bool(sk.all(got == other + 1))
    shared = sk.arange(7, device=device) * (1 - rank)
    sk.synchronize(device)
    world.Bcast(shared, root=0)
    assert shared.tolist() == list(range(7))


def mixed():
    """A host array on one side, a CUDA array on the other."""
    x = sk.full((5,), float(rank), device="cpu:0" if rank else "cuda:1")
    got = np.zeros(5)
    sk.synchronize(x.device)
    world.Sendrecv(x, dest=other, recvbuf=got, source=other)
    assert got.tolist() == [float(other)] * 5


def refused(device):
    x = sk.reshape(sk.arange(12, device=device), (3, 4))
    frozen = sk.broadcast_to(sk.arange(1, device=device), (1,))[:]
    sk.synchronize(device)
    for strided in (x[:, ::2], x[::-1], sk.broadcast_to(x[0], (3, 4))):
        fails(BufferError, MPI.COMM_SELF.Bcast, strided)
        if device.startswith("cuda"):
            fails(BufferError, MPI.COMM_SELF.Bcast, Interface(strided))
    if device.startswith("cuda"):
        pointer, _ = frozen.__cuda_array_interface__["data"]
        about = dict(frozen.__cuda_array_interface__, data=(pointer, True))
        for read_only in (Interface(frozen, about), sk.asarray(Interface(frozen, about))):
            MPI.COMM_SELF.Sendrecv(read_only, dest=0, recvbuf=np.zeros(1, np.int64), source=0)
            fails(
                BufferError,
                lambda b: MPI.COMM_SELF.Sendrecv(np.zeros(1, np.int64), 0, 0, b),
                read_only,
            )


def agreement():
    """Compare the model of mpi4py with mpi4py itself, on interfaces that are malformed for some library."""
    compared = 0
    x = sk.arange(3, dtype=sk.float64, device="cuda:0")
    for name, changes, _ in MALFORMED:
        about = {**malformed(x, changes), "descr": None}
        if name != "mpi4py" and {"data", "shape"} & set(changes):
            continue  # mpi4py would read those addresses
        outcomes = []
        for take in (
            lambda about: consumer_models.mpi4py(about, receive=True),
            lambda about: MPI.COMM_SELF.Bcast(Interface(x, about)),
        ):
            try:
                take(about)
                outcomes.append(None)
            except Exception as error:
                outcomes.append(type(error))
        assert outcomes[0] is outcomes[1], (name, changes, outcomes)
        compared += 1
    assert compared > 20


for device in ("cpu:0", "cuda:0"):
    for dtype in KINDS:
        collectives(device, dtype)
        exchange(device, dtype)
    exchange(device, "complex128")
    refused(device)
mixed()
agreement()
world.Barrier()
if rank == 0:
    print(f"{world.size} ranks agree; {MPI.Get_library_version().split(',')[0]}")
