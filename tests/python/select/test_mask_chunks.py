# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Selection by masks at the edges of the CUDA kernels' words and chunks, against NumPy."""

import numpy as np
import pytest
import skerry as sk

from tests.python.loops import loop_over
from tests.python.oracle import assert_same, to_device

# A word of flags covers 32 elements, a chunk 4,096. Items of 16 bytes are written half a chunk at a time.
SIZES = (1, 31, 32, 33, 2047, 2048, 2049, 4095, 4096, 4097, 8193, 100_003)
RNG = np.random.default_rng(12)


@loop_over("size", SIZES)
@loop_over("share", [0, 0.01, 0.5, 0.99, 1])
def test_masks_select_items_of_every_size(device, size, share):
    mask = RNG.random(size) < share
    device_mask = to_device(device, mask)
    for dtype in ("int8", "int16", "float32", "float64", "complex128"):
        x = (np.arange(size) % 127).astype(dtype)
        assert_same(to_device(device, x)[device_mask], x[mask], device, label=dtype)
    assert_same(sk.nonzero(device_mask)[0], mask.nonzero()[0], device)


@pytest.mark.parametrize("offset", [1, 7])
def test_masks_at_offsets_within_a_sector(device, offset):
    x, mask = np.arange(9000, dtype="float32"), RNG.random(9000) < 0.6
    assert_same(
        to_device(device, x)[offset:][to_device(device, mask)[offset:]],
        x[offset:][mask[offset:]],
        device,
    )
    (got,) = sk.nonzero(to_device(device, mask)[offset:])
    assert_same(got, mask[offset:].nonzero()[0], device)


@loop_over("shape", [(3, 5), (1, 4097), (64, 65), (7, 11, 13), (2, 3, 5, 7, 11), (1,) * 9])
def test_nonzero_of_several_ranks(device, shape):
    mask = RNG.random(shape) < 0.5
    for got, want in zip(sk.nonzero(to_device(device, mask)), mask.nonzero(), strict=True):
        assert_same(got, want, device)
