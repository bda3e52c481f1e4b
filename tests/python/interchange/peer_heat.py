# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Two ranks with one device each: a sum of device arrays, and the heat equation with halo exchange.

`test_mpi.py` starts them with ``mpirun -n 2``; each compares its half of the result bit for bit with one device's.
"""

import numpy as np
import skerry as sk
from mpi4py import MPI

world = MPI.COMM_WORLD
rank, other = world.rank, 1 - world.rank
DEVICE = "cuda:0"
ROWS, COLUMNS, STEPS, RATE = 32, 24, 50, 0.125


def add_up():
    """``Allreduce`` of device arrays, without a copy by the caller."""
    x = sk.arange(1000, dtype=sk.float64, device=DEVICE) * (rank + 1)
    total = sk.empty((1000,), dtype=sk.float64, device=DEVICE)
    sk.synchronize(DEVICE)
    world.Allreduce(x, total)
    assert total.device == sk.Device(DEVICE)
    assert bool(sk.all(total == sk.arange(1000, dtype=sk.float64, device=DEVICE) * 3))


def step(u):
    """Advance the inner rows and columns by one step; the edges are constant."""
    inner = u[1:-1, 1:-1]
    change = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4.0 * inner
    u[1:-1, 1:-1] = inner + RATE * change


def exchange(u):
    """Send the row at the border, and receive the halo row, which is the last or the first row."""
    border, halo = (-2, -1) if rank == 0 else (1, 0)
    sent, received = u[border].copy(), sk.empty_like(u[halo])
    sk.synchronize(DEVICE)
    world.Sendrecv(sent, dest=other, recvbuf=received, source=other)
    u[halo, :] = received


def heat():
    start = np.random.default_rng(11).random((ROWS, COLUMNS))
    whole = sk.asarray(start, device="cpu:0").to_device(DEVICE)
    for _ in range(STEPS):
        step(whole)

    half = ROWS // 2
    first, last = (0, half + 1) if rank == 0 else (half - 1, ROWS)
    part = sk.asarray(start[first:last].copy(), device="cpu:0").to_device(DEVICE)
    for _ in range(STEPS):
        exchange(part)
        step(part)
    actual = part[:-1] if rank == 0 else part[1:]
    want = whole[:half] if rank == 0 else whole[half:]
    assert bool(sk.all(actual == want)), "bit for bit"
    assert not bool(sk.all(actual == sk.asarray(start, device="cpu:0").to_device(DEVICE)[half * rank : half * (rank + 1)]))  # fmt: skip


add_up()
heat()
world.Barrier()
if rank == 0:
    print(f"{world.size} ranks match one device")
