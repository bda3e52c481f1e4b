# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""
Image morphology with a custom Numba kernel
===========================================

*Opening* an image removes specks and keeps larger shapes: each pixel becomes the minimum of its
neighbourhood (erosion), then the maximum (dilation). The neighbourhood is computed by a kernel of
our own, written with Numba.
"""

import contextlib

import matplotlib.pyplot as plt
import numpy as np
import skerry as sk
from numba import cuda
from skerry.testing import numba_simulator

SIDE, BLOCK = 40, 8

# %%
# The kernel
# ----------
#
# One thread computes one pixel. The kernel takes skerry's arrays as they are, without a copy.


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


# %%
# Launch
# ------
#
# Blocks of 8 x 8 threads cover the image. On a machine without a GPU, Numba's simulator runs the
# kernel on the memory of a rehearsed device; the guide :doc:`/kernels` shows the emulated GPU,
# which also finds races.


def around(image: sk.Array, greatest: bool) -> sk.Array:
    """Run the kernel on a whole image."""
    result = sk.empty_like(image)
    grid = (-(-SIDE // BLOCK),) * 2
    is_rehearsed = image.device.info.rehearsal
    with numba_simulator() if is_rehearsed else contextlib.nullcontext():
        extreme_around[grid, (BLOCK, BLOCK)](image, result, greatest)
    return result


# %%
# A disc with specks
# ------------------

device = sk.devices("cuda")[0]
axis = sk.arange(SIDE, dtype=sk.float64, device=device)
i, j = sk.meshgrid(axis, axis, indexing="ij")
disc = (i - SIDE / 2) ** 2 + (j - SIDE / 2) ** 2 < 150.0
specks = sk.random.default_rng(0, device=device).random((SIDE, SIDE)) < 0.04
noisy = (disc | specks).astype(sk.int32)

# %%
# Erosion removes the specks, and the edge of the disc with them. Dilation gives the edge back.

eroded = around(noisy, greatest=False)
opened = around(eroded, greatest=True)
for title, x in {"disc": disc, "with specks": noisy, "eroded": eroded, "opened": opened}.items():
    print(f"{title:12} {int(sk.sum(x)):4} pixels")

# %%
# The same erosion with NumPy is a check of the kernel:

padded = np.pad(noisy.to_numpy(), 1, constant_values=1)
windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3))
assert np.array_equal(eroded.to_numpy(), windows.min(axis=(2, 3)))
assert sk.all(opened <= noisy)

# %%

figure, panels = plt.subplots(1, 3, figsize=(9, 3.3))
pictures = {"with specks": noisy, "eroded": eroded, "opened": opened}
for panel, (title, x) in zip(panels, pictures.items(), strict=True):
    panel.imshow(x.to_numpy(), cmap="gray")
    panel.set_title(title)
    panel.axis("off")
figure.savefig("morphology.png")
