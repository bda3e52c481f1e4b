# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""
Image morphology with a custom Numba kernel
===========================================

A Numba kernel erodes or dilates an image: it computes the minimum or maximum within a square. It accepts skerry's
arrays without a copy. Opening, erosion followed by dilation, removes specks. On a machine without a GPU Numba's
simulator runs the kernel on rehearsed devices.
"""

import contextlib

import matplotlib.pyplot as plt
import numpy as np
import skerry as sk
from numba import cuda
from skerry.testing import numba_simulator

SIDE, BLOCK = 40, 8


@cuda.jit
def extreme_around(image, result, greatest):
    """Write the maximum or minimum of the 3 x 3 neighbourhood of each element."""
    i, j = cuda.grid(2)
    if i < image.shape[0] and j < image.shape[1]:
        extremum = image[i, j]
        for k in range(max(i - 1, 0), min(i + 2, image.shape[0])):
            for n in range(max(j - 1, 0), min(j + 2, image.shape[1])):
                extremum = max(extremum, image[k, n]) if greatest else min(extremum, image[k, n])
        result[i, j] = extremum


def around(image: sk.Array, greatest: bool) -> sk.Array:
    """Run the kernel on a whole image."""
    result = sk.empty_like(image)
    grid = (-(-SIDE // BLOCK),) * 2
    simulated = image.device.info.rehearsal
    with numba_simulator() if simulated else contextlib.nullcontext():
        extreme_around[grid, (BLOCK, BLOCK)](image, result, greatest)
    return result


def main() -> plt.Figure:
    """Make a disc with specks, open it, and draw each step."""
    device = sk.devices("cuda")[0]
    i, j = sk.meshgrid(*[sk.arange(SIDE, dtype=sk.float64, device=device)] * 2, indexing="ij")
    disc = (i - SIDE / 2) ** 2 + (j - SIDE / 2) ** 2 < 150.0
    rng = sk.random.default_rng(0, device=device)
    noisy = sk.astype(disc | (rng.random((SIDE, SIDE)) < 0.04), sk.int32)

    eroded = around(noisy, greatest=False)
    opened = around(eroded, greatest=True)

    padded = np.pad(np.asarray(noisy.to_device("cpu")), 1, constant_values=1)
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3))
    assert np.array_equal(np.asarray(eroded.to_device("cpu")), windows.min(axis=(2, 3)))
    assert bool(sk.all(opened <= noisy))

    figure, axes = plt.subplots(1, 3, figsize=(9, 3.3))
    for panel, title, x in zip(
        axes, ("with specks", "eroded", "opened"), (noisy, eroded, opened), strict=True
    ):
        panel.imshow(np.asarray(x.to_device("cpu")), cmap="gray")
        panel.set_title(title)
        panel.axis("off")
    return figure


if __name__ == "__main__":
    main().savefig("morphology.png")
