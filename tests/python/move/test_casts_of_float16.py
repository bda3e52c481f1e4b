# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Casts from and to float16, rounded once; copies, joins and views of it, to the bit."""

import numpy as np
import skerry as sk

from tests.python.loops import loop_over
from tests.python.oracle import DTYPES, assert_same, kind_of, to_device, to_numpy

OTHERS = [name for name in DTYPES if name != "float16"]
PATTERNS = np.arange(65_536, dtype=np.uint16).view(np.float16)
FINITE = PATTERNS[np.isfinite(PATTERNS)]


def same_bits(got, want):
    np.testing.assert_array_equal(to_numpy(got).view(np.uint16), want.view(np.uint16))


def views(x, device):
    array = to_device(device, x)
    yield array, x
    yield array[::-3], x[::-3]
    yield (
        to_device(device, x[: x.size // 6 * 6].reshape(6, -1)).T,
        x[: x.size // 6 * 6].reshape(6, -1).T,
    )


@loop_over("dtype", OTHERS)
def test_casts_of_every_float16_to_every_dtype(dtype, device):
    info = np.iinfo(dtype) if kind_of(dtype) in "iu" else None
    x = PATTERNS if info is None else FINITE
    if info is not None:
        wide = x.astype(np.float64)
        x = x[(wide > float(info.min) - 1) & (wide < float(info.max) + 1)]
    for array, theirs in views(x, device):
        with np.errstate(invalid="ignore"):  # signaling NaNs
            want = theirs.astype(dtype)
        assert_same(sk.astype(array, np.dtype(dtype)), want, device)


def sources(dtype):
    """Values next to those of float16, and ties between two of them."""
    kind = kind_of(dtype)
    if kind == "b":
        return np.tile(np.asarray([True, False, True]), 70)
    if kind in "iu":
        info = np.iinfo(dtype)
        candidates = [2**i + d for i in range(64) for d in (-33, -17, -16, -1, 0, 1, 16, 17, 33)]
        candidates += [65_504, 65_519, 65_520, 65_521, *(-i for i in candidates)]
        return np.asarray([i for i in candidates if info.min <= i <= info.max], dtype)
    wide = FINITE.astype(np.float64)
    up = np.nextafter(FINITE, np.float16(np.inf)).astype(np.float64)
    up[np.isinf(up)] = 65_536
    ties = (wide + up) / 2
    x = np.concatenate([wide, ties, [np.inf, -np.inf, np.nan, 1e30, -1e30, 1e-30, -1e-30]])
    x = x.astype(dtype)
    return np.concatenate([x, np.nextafter(x, x.dtype.type(np.inf)), np.nextafter(x, -x[-7])])


@loop_over("dtype", [name for name in OTHERS if not name.startswith("complex")])
def test_casts_to_float16_round_to_nearest(dtype, device):
    with np.errstate(over="ignore"):
        x = sources(dtype)
        for array, theirs in views(x, device):
            want = theirs.astype(np.float16)
            got = sk.astype(array, sk.float16)
            assert_same(got, want, device)
            np.testing.assert_array_equal(np.signbit(to_numpy(got)), np.signbit(want))


def test_float64_casts_to_float16_round_once(device):
    """As float32, these would be ties, or above them."""
    tie = 1 + 2.0**-11
    x = [tie + 2.0**-40, tie - 2.0**-40, tie, 1 + 3 * 2.0**-11 - 2.0**-40, 65_520 - 2.0**-30]
    x += [2.0**-25 + 2.0**-70, 2.0**-25, 3 * 2.0**-25 - 2.0**-60, 2.0**-14 - 2.0**-25 - 2.0**-60]
    x = np.asarray([*x, *(-value for value in x)] * 9)
    with np.errstate(over="ignore"):
        want = x.astype(np.float16)
        assert (want != x.astype(np.float32).astype(np.float16)).any()
    assert_same(sk.astype(to_device(device, x), sk.float16), want, device)


def test_copies_and_joins_keep_all_bits(device):
    x = PATTERNS.reshape(2, 256, 128)
    array = to_device(device, x)
    same_bits(array, x)
    same_bits(sk.asarray(array, copy=True), x)
    same_bits(sk.astype(array, sk.float16), x)
    same_bits(sk.permute_dims(array, (2, 0, 1)), np.ascontiguousarray(x.transpose(2, 0, 1)))
    same_bits(sk.concat([array, array], axis=1), np.concatenate([x, x], axis=1))
    same_bits(sk.stack([array[0], array[1]], axis=-1), np.stack([x[0], x[1]], axis=-1))
    same_bits(sk.roll(array, 3, axis=1), np.roll(x, 3, axis=1))
    same_bits(sk.flip(array), np.flip(x).copy())
    same_bits(sk.tile(array[0], (1, 2)), np.tile(x[0], (1, 2)))
    same_bits(sk.repeat(array[0], 2, axis=0), np.repeat(x[0], 2, axis=0))
    target = sk.zeros(x.shape, dtype=sk.float16, device=device)
    target[:, ::2] = array[:, ::2]
    same_bits(target[:, ::2], np.ascontiguousarray(x[:, ::2]))


def test_concat_promotes_float16(device):
    half = to_device(device, FINITE[:100])
    single = to_device(device, np.linspace(0, 1, 7, dtype=np.float32))
    want = np.concatenate([FINITE[:100].astype(np.float32), to_numpy(single)])
    assert_same(sk.concat([half, single]), want, device, dtype="float32")
