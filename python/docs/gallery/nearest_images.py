# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""
Nearest-neighbour search on two GPUs
====================================

1,797 handwritten digits, half of them on each device. Queries are sent to both devices; each finds its five best
matches with one matrix product and ``topk``, and the ten candidates are merged on the first device.
"""

import matplotlib.pyplot as plt
import numpy as np
import skerry as sk
from sklearn.datasets import load_digits

BEST, QUERIES = 5, [7, 42, 256]


def main() -> plt.Figure:
    """Search, check against NumPy and draw the matches."""
    images = load_digits().data
    images = images / np.linalg.norm(images, axis=1, keepdims=True)
    half = len(images) // 2
    first, second = sk.devices("cuda")[:2]
    shards = [
        sk.asarray(images[:half], device="cpu").to_device(first),
        sk.asarray(images[half:], device="cpu").to_device(second),
    ]
    queries = sk.asarray(images[QUERIES], device="cpu")

    most_similar = []
    for shard, start in zip(shards, (0, half), strict=True):
        similarity = queries.to_device(shard.device) @ shard.T
        values, indices = sk.topk(similarity, BEST, axis=-1)
        most_similar.append((values.to_device(first), (indices + start).to_device(first)))
    values, indices = (sk.concat(parts, axis=-1) for parts in zip(*most_similar, strict=True))
    values, best = sk.topk(values, BEST, axis=-1)
    indices = np.asarray(sk.take_along_axis(indices, best, axis=-1).to_device("cpu"))
    want = np.argsort(-(images[QUERIES] @ images.T), axis=-1, kind="stable")[:, :BEST]
    assert np.array_equal(indices, want)

    figure, axes = plt.subplots(len(QUERIES), BEST, figsize=(6, 4))
    for row, line in zip(axes, indices, strict=True):
        for rank, (panel, index) in enumerate(zip(row, line, strict=True)):
            panel.imshow(images[index].reshape(8, 8), cmap="gray_r")
            panel.set_title("query" if rank == 0 else f"{index}", fontsize=8)
            panel.axis("off")
    return figure


if __name__ == "__main__":
    main().savefig("nearest_images.png")
