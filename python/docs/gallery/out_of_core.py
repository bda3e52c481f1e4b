# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""
Out-of-core arrays with dask
============================

The mean and standard deviation of 80 million numbers, which need 640 MB, on a device with a limit
of 100 MB: dask creates one chunk after the other there, and keeps only partial sums.
"""

import dask
import dask.array as da
import matplotlib.pyplot as plt
import numpy as np
import skerry as sk

CHUNK, CHUNKS, LIMIT = 1_000_000, 80, 100_000_000
device = sk.devices("cuda")[0]

# %%
# Chunks
# ------
#
# A function makes each chunk on the device. Its numbers depend only on its position, so the result
# does not depend on the order in which dask runs the tasks.


def chunk_of(block_id: tuple[int, ...], device: sk.Device) -> sk.Array:
    """Make a chunk on the device."""
    return sk.random.default_rng(block_id[0], device=device).normal(3.0, 2.0, CHUNK)


# %%
# A second function passes each chunk on unchanged, and records how much memory is in use.

in_use: list[int] = []


def watched(x: sk.Array) -> sk.Array:
    """Record the memory in use."""
    in_use.append(sk.memory_statistics(device).live_bytes)
    return x


# %%
# dask builds a graph of tasks; nothing runs yet. ``meta`` tells dask that chunks are arrays of
# skerry.

meta = sk.empty((0,), device=device)
sizes = ((CHUNK,) * CHUNKS,)
numbers = da.map_blocks(chunk_of, chunks=sizes, dtype="float64", device=device, meta=meta)
numbers = numbers.map_blocks(watched)
print(f"{numbers.nbytes / 1e6:.0f} MB in {numbers.npartitions} chunks")

# %%
# Compute
# -------
#
# The limit holds for all arrays of the device: a program that needs more raises
# ``OutOfMemoryError``, as it would on a small GPU.

sk.set_memory_limit(device, LIMIT)
try:
    with dask.config.set(scheduler="threads", num_workers=2):
        mean, spread = dask.compute(numbers.mean(), numbers.std())
finally:
    sk.set_memory_limit(device, None)

print(f"mean {float(mean):.4f}, standard deviation {float(spread):.4f}, on {mean.device}")
assert mean.device == device
assert abs(float(mean) - 3.0) < 1e-3
assert abs(float(spread) - 2.0) < 1e-3

# %%
# The memory in use at each chunk: a few chunks at a time, never all.

figure, axes = plt.subplots(figsize=(5, 4))
axes.plot(np.asarray(in_use) / 1e6, label="in use")
axes.axhline(LIMIT / 1e6, color="red", linestyle=":", label="limit of the device")
axes.axhline(numbers.nbytes / 1e6, color="black", linestyle=":", label="all numbers at once")
axes.set_xlabel("chunk")
axes.set_ylabel("memory, MB")
axes.legend()
figure.savefig("out_of_core.png")
