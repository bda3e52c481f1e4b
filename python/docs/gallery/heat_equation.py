# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""
Heat equation on two GPUs
=========================

A plate is heated along its left edge. Its upper half is on one device, its lower half on the
other. This is *domain decomposition*, the usual way to give a grid to several GPUs: each device
computes its part and exchanges only the rows at the border.
"""

import matplotlib.pyplot as plt
import skerry as sk

N, STEPS, SPEED = 96, 600, 0.24
first, second = sk.devices("cuda")[:2]

# %%
# One time step
# -------------
#
# In each step the temperature of an inner point moves towards the mean of its four neighbours. The
# function names no device: it runs where its array is, and slices are views, so the assignment
# changes the array in place.


def step(u: sk.Array) -> None:
    """Advance the inner points by one time step."""
    inner = u[1:-1, 1:-1]
    around = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]
    u[1:-1, 1:-1] = inner + SPEED * (around - 4.0 * inner)


# %%
# Two halves and their halos
# --------------------------
#
# Each half also stores the adjacent row of the other half, its *halo*. ``to_device`` is the only
# way between devices, so the plate is divided by a slice and a transfer.

plate = sk.zeros((N, N), device=first)
plate[:, 0] = 100.0
upper = plate[: N // 2 + 1, :].copy()
lower = plate[N // 2 - 1 :, :].to_device(second)
print(upper.shape, upper.device)
print(lower.shape, lower.device)

# %%
# Before each step the halos are copied: one row in each direction. Without ``to_device`` the
# assignment would raise a ``DeviceMismatchError``.


def exchange(upper: sk.Array, lower: sk.Array) -> None:
    """Copy the rows next to the border to the halos of the other half."""
    upper[-1, :] = lower[1, :].to_device(upper.device)
    lower[0, :] = upper[-2, :].to_device(lower.device)


# %%
# Run and compare
# ---------------
#
# Nothing in the loop waits: a call returns when its work is enqueued, so both devices compute at
# the same time. The whole plate is computed on the first device, too. The results are equal bit
# for bit.

for _ in range(STEPS):
    exchange(upper, lower)
    step(upper)
    step(lower)
    step(plate)

both = sk.concat([upper[:-1, :], lower[1:, :].to_device(first)])
assert sk.all(both == plate), "two devices differ from one"
print(f"largest difference: {float(sk.max(sk.abs(both - plate)))}")

# %%
# The dotted line is the border between the devices. The lines of equal temperature cross it
# without a break.

temperature = both.to_numpy()
figure, axes = plt.subplots(figsize=(5, 4))
picture = axes.imshow(temperature, cmap="inferno")
axes.contour(temperature, levels=[5, 10, 20, 40], colors="white", linewidths=0.6)
axes.axhline(N // 2 - 0.5, color="white", linestyle=":")
axes.text(N - 4, N // 2 - 4, str(first), color="white", ha="right")
axes.text(N - 4, N // 2 + 8, str(second), color="white", ha="right")
figure.colorbar(picture, label="temperature")
figure.savefig("heat_equation.png")
