# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""What the rehearsed NCCL computes, by NumPy: ranks reduced in their order, halves in float32 and rounded once."""

import ml_dtypes
import numpy as np

OPERATIONS = {"sum": np.add, "prod": np.multiply, "max": np.maximum, "min": np.minimum}
HALVES = (np.dtype(np.float16), np.dtype(ml_dtypes.bfloat16))


def inputs(ranks, count, dtype, seed=0):
    """Return an array for each rank."""
    rng = np.random.default_rng(seed)
    dtype = np.dtype(dtype)
    if dtype.kind in "iu":
        low = 0 if dtype.kind == "u" else -5
        return [rng.integers(low, 6, count).astype(dtype) for _ in range(ranks)]
    return [rng.standard_normal(count).astype(dtype) for _ in range(ranks)]


def reduced(operation, parts):
    dtype = parts[0].dtype
    accumulator = np.dtype(np.float32) if dtype in HALVES else dtype
    if operation == "avg":
        if dtype.kind in "iu":
            return np.trunc(sum(part.astype(np.int64) for part in parts) / len(parts)).astype(dtype)
        factor = np.asarray(1 / len(parts), dtype).astype(accumulator)
        parts = [(part.astype(accumulator) * factor).astype(accumulator) for part in parts]
        operation = "sum"
    total = parts[0].astype(accumulator)
    for part in parts[1:]:
        total = OPERATIONS[operation](total, part.astype(accumulator), dtype=accumulator)
    return total.astype(dtype)
