# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""
k-means clustering
==================

Clustering of points from four clouds, on a device. Each step assigns every point to the nearest centre, and moves each
centre to the mean of its points. A matrix product sums the points of each centre, so that no element is read by the
host.
"""

import matplotlib.pyplot as plt
import numpy as np
import skerry as sk

CLOUDS = [(-2.0, 0.0), (2.0, 0.5), (0.0, 3.0), (0.5, -3.0)]


def nearest(points: sk.Array, centres: sk.Array) -> sk.Array:
    """Return the index of the nearest centre of each point."""
    between = points[:, None, :] - centres[None, :, :]
    return sk.argmin(sk.sum(between * between, axis=-1), axis=-1)


def main() -> plt.Figure:
    """Find the clouds and draw them."""
    device = sk.devices("cuda")[0]
    rng = sk.random.default_rng(1, device=device)
    clouds = sk.asarray(CLOUDS, device=device)
    points = sk.reshape(
        clouds[:, None, :] + 0.7 * rng.standard_normal((len(CLOUDS), 2000, 2)), (-1, 2)
    )

    centres = points[:: points.shape[0] // len(CLOUDS), :][: len(CLOUDS), :].copy()
    for _ in range(20):
        labels = nearest(points, centres)
        is_member = sk.astype(
            labels[None, :] == sk.arange(len(CLOUDS), device=device)[:, None], points.dtype
        )
        centres = is_member @ points / sk.sum(is_member, axis=1, keepdims=True)

    x, y = np.asarray(points.to_device("cpu")).T
    result_centres = np.asarray(centres.to_device("cpu"))
    for cloud in CLOUDS:
        assert np.min(np.hypot(*(result_centres - cloud).T)) < 0.1, f"no centre at {cloud}"
    figure, axes = plt.subplots(figsize=(5, 4))
    axes.scatter(x, y, c=np.asarray(labels.to_device("cpu")), s=2, cmap="viridis")
    axes.scatter(*result_centres.T, color="red", marker="x", s=80)
    axes.set_aspect("equal")
    return figure


if __name__ == "__main__":
    main().savefig("k_means.png")
