# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""
Heat equation on two GPUs
=========================

A plate is heated along its left edge. Its upper half is on one device, its lower half on the other. Each half also
stores the adjacent row of the other half, its halo, which is exchanged before each step. The result is identical to
that of one device, bit for bit.
"""

import matplotlib.pyplot as plt
import numpy as np
import skerry as sk

N, STEPS, SPEED = 96, 600, 0.24


def step(u: sk.Array) -> None:
    """Advance the inner points by one time step."""
    inner = u[1:-1, 1:-1]
    around = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]
    u[1:-1, 1:-1] = inner + SPEED * (around - 4.0 * inner)


def exchange(upper: sk.Array, lower: sk.Array) -> None:
    """Copy the rows next to the border to the halos of the other half, by explicit transfers."""
    upper[-1, :] = lower[1, :].to_device(upper.device)
    lower[0, :] = upper[-2, :].to_device(lower.device)


def main() -> plt.Figure:
    """Run on two devices and on one, and draw the plate."""
    first, second = sk.devices("cuda")[:2]
    plate = sk.zeros((N, N), device=first)
    plate[:, 0] = 100.0
    upper = plate[: N // 2 + 1, :].copy()
    lower = plate[N // 2 - 1 :, :].to_device(second)
    for _ in range(STEPS):
        exchange(upper, lower)
        step(upper)
        step(lower)
        step(plate)
    both = np.concatenate(
        [np.asarray(upper[:-1, :].to_device("cpu")), np.asarray(lower[1:, :].to_device("cpu"))]
    )
    assert np.array_equal(both, np.asarray(plate.to_device("cpu"))), "two devices differ from one"

    figure, axes = plt.subplots(figsize=(5, 4))
    picture = axes.imshow(both, cmap="inferno")
    axes.axhline(N // 2 - 0.5, color="white", linestyle=":")
    axes.text(N - 4, N // 2 - 4, str(first), color="white", ha="right")
    axes.text(N - 4, N // 2 + 8, str(second), color="white", ha="right")
    figure.colorbar(picture, label="temperature")
    return figure


if __name__ == "__main__":
    main().savefig("heat_equation.png")
