# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""The most similar of many images.

1,797 handwritten digits, half of them on each device. A query goes to both; each finds its own five best by one
product of matrices and ``topk``, and the ten candidates meet on the first device.
"""

import matplotlib.pyplot as plt
import numpy as np
import skerry as sk
from sklearn.datasets import load_digits

BEST, QUERIES = 5, [7, 42, 256]


def main() -> plt.Figure:
    """Search, check against NumPy and draw what was found."""
    images = load_digits().data
    images = images / np.linalg.norm(images, axis=1, keepdims=True)
    half = len(images) // 2
    first, second = sk.devices("cuda")[:2]
    shards = [
        sk.asarray(images[:half], device="cpu").to_device(first),
        sk.asarray(images[half:], device="cpu").to_device(second),
    ]
    queries = sk.asarray(images[QUERIES], device="cpu")

    found = []
    for shard, start in zip(shards, (0, half), strict=True):
        similarity = queries.to_device(shard.device) @ shard.T
        values, places = sk.topk(similarity, BEST, axis=-1)
        found.append((values.to_device(first), (places + start).to_device(first)))
    values, places = (sk.concat(parts, axis=-1) for parts in zip(*found, strict=True))
    values, best = sk.topk(values, BEST, axis=-1)
    places = np.asarray(sk.take_along_axis(places, best, axis=-1).to_device("cpu"))
    want = np.argsort(-(images[QUERIES] @ images.T), axis=-1, kind="stable")[:, :BEST]
    assert np.array_equal(places, want)

    figure, axes = plt.subplots(len(QUERIES), BEST, figsize=(6, 4))
    for row, line in zip(axes, places, strict=True):
        for rank, (each, place) in enumerate(zip(row, line, strict=True)):
            each.imshow(images[place].reshape(8, 8), cmap="gray_r")
            each.set_title("query" if rank == 0 else f"{place}", fontsize=8)
            each.axis("off")
    return figure


if __name__ == "__main__":
    main().savefig("nearest_images.png")
