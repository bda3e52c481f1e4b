# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""
Least squares on four GPUs
==========================

*Data parallelism*: each device has a part of the data, computes the gradient of its part, and all
add their gradients. The model is then the same on every device. Needs four CUDA devices, or
``SKERRY_REHEARSE=4 SKERRY_REHEARSE_KERNELS=1``, and nccl4py.
"""

import skerry as sk

ROWS, FEATURES, STEPS, RATE = 4000, 8, 50, 0.1
devices = sk.devices("cuda")[:4]

# %%
# Data
# ----
#
# Random numbers are the same on every device, so each rank makes the whole data, and takes its
# part of the rows.


def data(device: sk.Device) -> tuple[sk.Array, sk.Array]:
    """Return features and targets, with noise."""
    rng = sk.random.default_rng(3, device=device)
    x = rng.standard_normal((ROWS, FEATURES))
    weights = sk.arange(FEATURES, dtype=sk.float64, device=device)
    return x, x @ weights + 0.01 * rng.standard_normal(ROWS)


def gradient(x: sk.Array, y: sk.Array, weights: sk.Array) -> sk.Array:
    """Return the sum of the gradients of the rows."""
    return sk.matrix_transpose(x) @ (x @ weights - y)


# %%
# One rank
# --------
#
# ``all_reduce`` takes an array on the rank's device and returns one there. Nothing waits: the call
# is work of the device's stream, like the operations before and after it.


def train(comm: sk.comm.Communicator) -> sk.Array:
    """Return the weights after all steps."""
    x, y = data(comm.device)
    part = slice(comm.rank * ROWS // comm.size, (comm.rank + 1) * ROWS // comm.size)
    weights = sk.zeros(FEATURES, dtype=sk.float64, device=comm.device)
    for _ in range(STEPS):
        total = comm.all_reduce(gradient(x[part], y[part], weights))
        weights = weights - RATE / ROWS * total
    return weights


# %%
# Run
# ---
#
# ``run`` calls the function in a thread for each device, and returns the results by rank. The
# weights have the same bits on all devices.

results = sk.comm.run(train, devices)
for rank, weights in enumerate(results):
    print(f"rank {rank} on {weights.device}: {weights.to_numpy().round(3)}")
assert all((weights.to_numpy() == results[0].to_numpy()).all() for weights in results)

# %%
# One device
# ----------
#
# The same sums on one device, in the order of the ranks. The emulated GPU's NCCL adds in that
# order, so the results are equal bit for bit. Real NCCL adds in another order.

x, y = data(devices[0])
weights = sk.zeros(FEATURES, dtype=sk.float64, device=devices[0])
size = len(devices)
for _ in range(STEPS):
    parts = [slice(k * ROWS // size, (k + 1) * ROWS // size) for k in range(size)]
    total = gradient(x[parts[0]], y[parts[0]], weights)
    for part in parts[1:]:
        total = total + gradient(x[part], y[part], weights)
    weights = weights - RATE / ROWS * total
difference = float(sk.max(sk.abs(weights - results[0])))
print(f"largest difference from one device: {difference}")
assert difference < 1e-12
