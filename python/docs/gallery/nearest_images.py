# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""
Nearest-neighbour search on two GPUs
====================================

Which of 1,797 handwritten digits are most similar to a given one? The images are divided among two
devices. Each finds its five best matches, and the ten candidates are merged: the scheme of vector
databases that are larger than one GPU.
"""

import matplotlib.pyplot as plt
import numpy as np
import skerry as sk
from sklearn.datasets import load_digits

BEST, QUERIES = 5, [7, 42, 256]

# %%
# Shards
# ------
#
# Each image is a vector of 64 numbers, of length 1, so that a scalar product is the cosine of the
# angle between two images.

images = load_digits().data
images = images / np.linalg.norm(images, axis=1, keepdims=True)
half = len(images) // 2
first, second = sk.devices("cuda")[:2]
shards = [sk.asarray(images[:half], device=first), sk.asarray(images[half:], device=second)]
print([(shard.shape, str(shard.device)) for shard in shards])

# %%
# Search in each shard
# --------------------
#
# The queries are sent to both devices. One matrix product gives all similarities, and ``topk`` the
# best of each row. The results are small: 5 values and indices for each query move to the first
# device.

queries = sk.asarray(images[QUERIES])
most_similar = []
for shard, start in zip(shards, (0, half), strict=True):
    similarity = queries.to_device(shard.device) @ shard.T
    values, indices = sk.topk(similarity, BEST, axis=-1)
    most_similar.append((values.to_device(first), (indices + start).to_device(first)))

# %%
# Merge
# -----
#
# The best of the ten candidates, by another ``topk``; ``take_along_axis`` picks their numbers.

values, indices = (sk.concat(parts, axis=-1) for parts in zip(*most_similar, strict=True))
values, best = sk.topk(values, BEST, axis=-1)
indices = sk.take_along_axis(indices, best, axis=-1).to_numpy()
print(indices)
print(values.to_numpy().round(3))

expected = np.argsort(-(images[QUERIES] @ images.T), axis=-1, kind="stable")[:, :BEST]
assert np.array_equal(indices, expected), "two devices differ from one"

# %%
# The best match of each query is the query itself; the others are the same digit.

figure, panels = plt.subplots(len(QUERIES), BEST, figsize=(6, 4))
for row, numbers, cosines in zip(panels, indices, values.to_numpy(), strict=True):
    for rank, (panel, index, cosine) in enumerate(zip(row, numbers, cosines, strict=True)):
        panel.imshow(images[index].reshape(8, 8), cmap="gray_r")
        panel.set_title("query" if rank == 0 else f"{cosine:.2f}", fontsize=8)
        panel.axis("off")
figure.savefig("nearest_images.png")
