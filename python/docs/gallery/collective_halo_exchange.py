# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""
Halo exchange on four GPUs
==========================

*Domain decomposition* with ranks: a plate is divided into four parts, one for each device. Before
each step the ranks send their border rows to each other. Needs four CUDA devices, or
``SKERRY_REHEARSE=4 SKERRY_REHEARSE_KERNELS=1``, and nccl4py.
"""

import skerry as sk

ROWS, COLUMNS, STEPS, SPEED = 64, 48, 100, 0.24
devices = sk.devices("cuda")[:4]

# %%
# One time step
# -------------
#
# The temperature of an inner point moves towards the mean of its four neighbours.


def step(u: sk.Array) -> None:
    """Advance the inner points by one time step."""
    inner = u[1:-1, 1:-1]
    around = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]
    u[1:-1, 1:-1] = inner + SPEED * (around - 4.0 * inner)


def plate(device: sk.Device) -> sk.Array:
    """Return the plate, which is heated along its left edge."""
    u = sk.zeros((ROWS, COLUMNS), device=device)
    u[:, 0] = 100.0
    return u


# %%
# Halos
# -----
#
# Each part also stores one row of each neighbour. A group starts all transfers together: outside
# of it, two ranks that both send first could wait for each other.


def exchange(comm: sk.comm.Communicator, u: sk.Array) -> None:
    """Receive the rows next to the borders into the first and the last row."""
    halos = {}
    with comm.group():
        if comm.rank > 0:
            comm.send(u[1], comm.rank - 1)
            halos[0] = comm.recv(u[0].shape, u.dtype, comm.rank - 1)
        if comm.rank + 1 < comm.size:
            comm.send(u[-2], comm.rank + 1)
            halos[-1] = comm.recv(u[0].shape, u.dtype, comm.rank + 1)
    for row, halo in halos.items():
        u[row] = halo


# %%
# One rank
# --------
#
# A rank has its rows of the plate and the adjacent ones of its neighbours, as a copy.


def simulate(comm: sk.comm.Communicator) -> sk.Array:
    """Return this rank's part of the plate, without halos."""
    begin, end = comm.rank * ROWS // comm.size, (comm.rank + 1) * ROWS // comm.size
    above, below = int(comm.rank > 0), int(comm.rank + 1 < comm.size)
    u = plate(comm.device)[begin - above : end + below].copy()
    for _ in range(STEPS):
        exchange(comm, u)
        step(u)
    return u[above : u.shape[0] - below]


# %%
# Run and compare
# ---------------
#
# Rows are only moved between the devices, so the results are equal to those of one device bit for
# bit.

parts = sk.comm.run(simulate, devices)
whole = plate(devices[0])
for _ in range(STEPS):
    step(whole)
joined = sk.concat([part.to_device(devices[0]) for part in parts])
print(f"{len(parts)} parts, largest difference: {float(sk.max(sk.abs(joined - whole)))}")
assert sk.all(joined == whole), "four devices differ from one"
