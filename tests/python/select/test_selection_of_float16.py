# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""take, indexing, masks, nonzero and where of float16: items keep their bits; -0.0 is false and NaN is true."""

import numpy as np
import pytest
import skerry as sk

from tests.python.oracle import BASE_SHAPE, assert_same, layouts_of, to_device, to_numpy

PATTERNS = np.arange(65_536, dtype=np.uint16).view(np.float16)
BASE = np.random.default_rng(1).choice(PATTERNS, BASE_SHAPE)


def same_bits(got, want):
    want = np.ascontiguousarray(want)
    assert got.dtype == np.float16
    assert got.shape == want.shape
    np.testing.assert_array_equal(to_numpy(got).view(np.uint16), want.view(np.uint16))


def test_float16_take_and_masks_of_every_layout(device):
    rng = np.random.default_rng(2)
    for _, array, want in layouts_of(BASE, device):
        for axis in range(want.ndim):
            index = rng.integers(-want.shape[axis], want.shape[axis], 30)
            same_bits(
                sk.take(array, to_device(device, index), axis=axis), np.take(want, index, axis)
            )
            along = rng.integers(0, want.shape[axis], want.shape)
            got = sk.take_along_axis(array, to_device(device, along), axis=axis)
            same_bits(got, np.take_along_axis(want, along, axis))
        if want.ndim == 2:
            mask = rng.integers(0, 2, want.shape).astype(bool)
            same_bits(array[to_device(device, mask)], want[mask])
            same_bits(array[to_device(device, mask[:, 0])], want[mask[:, 0]])


def test_float16_assignment_by_indices_and_masks(device):
    rng = np.random.default_rng(3)
    x = PATTERNS[:9000].reshape(90, 100)
    mask = rng.integers(0, 2, x.shape).astype(bool)
    rows = rng.permutation(90)[:40]
    for key in (mask, rows, mask[:, 0], (slice(None), rows)):
        moved = (
            to_device(device, key)
            if isinstance(key, np.ndarray)
            else tuple(to_device(device, k) if isinstance(k, np.ndarray) else k for k in key)
        )
        array, want = to_device(device, x), x.copy()
        values = rng.choice(PATTERNS, want[key].shape)
        array[moved] = to_device(device, values)
        want[key] = values
        same_bits(array, want)
        array[moved] = 0.1  # Python numbers are rounded to the dtype
        want[key] = 0.1
        same_bits(array, want)
    array, want = to_device(device, x), x.copy()
    array[2:80:3, ::-2] = to_device(device, x[:26, 50:])
    want[2:80:3, ::-2] = x[:26, 50:]
    same_bits(array, want)


@pytest.mark.parametrize("size", [1, 100, 4096, 65_536])
def test_float16_masks_keep_all_bit_patterns(size, device):
    x = np.random.default_rng(size).permutation(PATTERNS)[:size]
    mask = np.random.default_rng(size).random(size) < 0.3
    same_bits(to_device(device, x)[to_device(device, mask)], x[mask])


@np.errstate(invalid="ignore")  # signalling NaNs: NumPy warns of them on aarch64
def test_float16_truth_of_all_bit_patterns(device):
    array = to_device(device, PATTERNS)
    (indices,) = sk.nonzero(array)
    assert_same(indices, np.flatnonzero(PATTERNS), device, dtype="int64")
    assert len(indices) == 65_534  # all except the two zeros
    assert_same(sk.astype(array, sk.bool), PATTERNS.astype(bool), device)
    x = PATTERNS.reshape(256, 256)
    for got, want in zip(sk.nonzero(to_device(device, x)), np.nonzero(x), strict=True):
        assert_same(got, want, device, dtype="int64")


def test_float16_where(device):
    condition = np.random.default_rng(4).integers(0, 2, 65_536).astype(bool)
    other = PATTERNS[::-1].copy()
    got = sk.where(
        to_device(device, condition), to_device(device, PATTERNS), to_device(device, other)
    )
    same_bits(got, np.where(condition, PATTERNS, other))
    got = sk.where(to_device(device, condition), to_device(device, PATTERNS), 0.1)
    assert_same(got, np.where(condition, PATTERNS, np.float16(0.1)), device)


def test_float16_repeat_by_an_array(device):
    counts = np.random.default_rng(5).integers(0, 4, 500)
    same_bits(
        sk.repeat(to_device(device, PATTERNS[:500]), to_device(device, counts)),
        np.repeat(PATTERNS[:500], counts),
    )
