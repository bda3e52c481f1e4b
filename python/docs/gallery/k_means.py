# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""
k-means clustering
==================

Clustering of points from four clouds, on a device. Each step assigns every point to the nearest
centre, and moves each centre to the mean of its points. The loop reads no element on the host, so
it never waits for the device.
"""

import matplotlib.pyplot as plt
import numpy as np
import skerry as sk

CLOUDS = [(-2.0, 0.0), (2.0, 0.5), (0.0, 3.0), (0.5, -3.0)]
STEPS = 20

# %%
# Points
# ------
#
# The generator belongs to a device and draws there. The same seed gives the same points on every
# device.

device = sk.devices("cuda")[0]
rng = sk.random.default_rng(1, device=device)
clouds = sk.asarray(CLOUDS, device=device)
noise = 0.7 * rng.standard_normal((len(CLOUDS), 2000, 2))
points = (clouds[:, None, :] + noise).reshape(-1, 2)
print(points.shape, points.device)

# %%
# A step
# ------
#
# Broadcasting gives the vectors from all centres to all points at once, of shape ``(8000, 4, 2)``.


def nearest(points: sk.Array, centres: sk.Array) -> sk.Array:
    """Return the index of the nearest centre of each point."""
    between = points[:, None, :] - centres[None, :, :]
    return sk.argmin(sk.sum(between * between, axis=-1), axis=-1)


# %%
# The points of each centre could be selected by a mask, but the size of the selection would have
# to be read by the host. A matrix product with a table of zeros and ones sums them without a wait.


def means(points: sk.Array, labels: sk.Array) -> sk.Array:
    """Return the mean of the points of each label."""
    numbers = sk.arange(len(CLOUDS), device=points.device)
    is_member = (labels[None, :] == numbers[:, None]).astype(points.dtype)
    return is_member @ points / sk.sum(is_member, axis=1, keepdims=True)


# %%
# Run
# ---
#
# The first centres are one point of each cloud. The path of each centre stays on the device until
# it is drawn.

centres = points[:: points.shape[0] // len(CLOUDS), :].copy()
path = [centres]
for _ in range(STEPS):
    labels = nearest(points, centres)
    centres = means(points, labels)
    path.append(centres)

print(centres.to_numpy().round(2))
for cloud in CLOUDS:
    assert np.hypot(*(centres.to_numpy() - cloud).T).min() < 0.1, f"no centre at {cloud}"

# %%
# The lines are the ways of the centres to their clouds.

figure, axes = plt.subplots(figsize=(5, 4))
axes.scatter(*points.to_numpy().T, c=labels.to_numpy(), s=2, cmap="viridis")
for way in sk.stack(path, axis=1).to_numpy():
    axes.plot(*way.T, color="red", marker=".", linewidth=1)
axes.scatter(*centres.to_numpy().T, color="red", marker="x", s=80)
axes.set_aspect("equal")
figure.savefig("k_means.png")
