# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""
Out-of-core arrays with dask
============================

The mean and standard deviation of 80 million numbers, which need 640 MB, on a device with a limit of 100 MB: dask
creates one chunk after the other there, and keeps only partial sums.
"""

import dask
import dask.array as da
import matplotlib.pyplot as plt
import numpy as np
import skerry as sk

CHUNK, CHUNKS, LIMIT = 1_000_000, 80, 100_000_000


def chunk_of(block_id: tuple[int, ...], device: sk.Device) -> sk.Array:
    """Make a chunk on the device; its numbers depend only on its position."""
    return sk.random.default_rng(block_id[0], device=device).normal(3.0, 2.0, CHUNK)


def main() -> plt.Figure:
    """Reduce the chunks, and draw the memory in use at each of them."""
    device = sk.devices("cuda")[0]
    in_use: list[int] = []

    def watched(x: sk.Array) -> sk.Array:
        in_use.append(sk.memory_statistics(device).live_bytes)
        return x

    sk.set_memory_limit(device, LIMIT)
    sk.reset_peak(device)
    try:
        numbers = da.map_blocks(
            chunk_of,
            chunks=((CHUNK,) * CHUNKS,),
            dtype="float64",
            device=device,
            meta=sk.empty((0,), device=device),
        ).map_blocks(watched)
        with dask.config.set(scheduler="threads", num_workers=2):
            mean, spread = dask.compute(numbers.mean(), numbers.std())
    finally:
        sk.set_memory_limit(device, None)
    assert mean.device == device
    assert abs(float(mean) - 3.0) < 1e-3
    assert abs(float(spread) - 2.0) < 1e-3

    figure, axes = plt.subplots(figsize=(5, 4))
    axes.plot(np.asarray(in_use) / 1e6)
    axes.axhline(LIMIT / 1e6, color="red", linestyle=":", label="limit of the device")
    axes.axhline(
        CHUNKS * CHUNK * 8 / 1e6, color="black", linestyle=":", label="all numbers at once"
    )
    axes.set_xlabel("chunk")
    axes.set_ylabel("memory in use, MB")
    axes.legend()
    return figure


if __name__ == "__main__":
    main().savefig("out_of_core.png")
