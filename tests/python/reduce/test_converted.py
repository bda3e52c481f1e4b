# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Reductions in another dtype than the array's: large arrays are converted in blocks, with the same bits."""

import numpy as np
import pytest
import skerry as sk

from tests.python.loops import loop_over
from tests.python.oracle import to_device, to_numpy

SHAPES = [(300_000,), (1000, 300), (300, 1000), (3, 100_000), (100_000, 3), (64, 64, 80)]
REDUCTIONS = {
    "mean": sk.mean,
    "var": sk.var,
    "std": lambda x, **options: sk.std(x, correction=1, **options),
    "sum": lambda x, **options: sk.sum(x, dtype=sk.float64, **options),
    "prod": lambda x, **options: sk.prod(x, dtype=sk.float64, **options),
}


def layouts(x):
    """Yields the array, with its axes reversed, and with gaps."""
    yield x
    yield sk.permute_dims(x, tuple(range(x.ndim))[::-1])
    yield x[::2, ...]


@loop_over("shape", SHAPES)
@loop_over("dtype", ["bool", "uint8", "int16", "int64", "float32"])
def test_reductions_equal_those_of_a_converted_array(dtype, shape, device):
    host = np.random.default_rng(7).integers(0, 2 if dtype == "bool" else 100, shape)
    for x in layouts(to_device(device, host.astype(dtype))):
        wide = sk.astype(x, sk.float64)
        for axis in (None, *range(x.ndim), (0, 1) if x.ndim > 2 else 0):
            for name, reduce in REDUCTIONS.items():
                if dtype == "float32" and name not in ("sum", "prod"):
                    continue
                got, want = reduce(x, axis=axis), reduce(wide, axis=axis)
                assert got.dtype == want.dtype
                assert got.device == x.device
                label = f"{name} of {x.shape}, {x.strides} along {axis}"
                assert to_numpy(got).tobytes() == to_numpy(want).tobytes(), label


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int64"])
@pytest.mark.parametrize("reduce", [sk.mean, sk.var, sk.std, sk.average, sk.nanmean, sk.nanvar])
def test_reductions_do_not_convert_the_whole_array(reduce, dtype):
    x = sk.ones((1 << 20,), dtype=dtype, device="cpu:0")
    reduce(x)
    sk.reset_peak("cpu:0")
    old_live_bytes = sk.memory_statistics("cpu:0").live_bytes
    reduce(x)
    assert sk.memory_statistics("cpu:0").peak_bytes - old_live_bytes < 1 << 20, "1 byte per element"
