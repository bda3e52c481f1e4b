# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Scans of float16 carry float32, and round each result from it."""

import itertools

import numpy as np
import pytest
import skerry as sk

from tests.python.oracle import BASE_SHAPE, SIZES, assert_same, layouts_of, to_device, to_numpy

WHERE = ("cpu:0", "cuda:0")
NUMPY_NAMES = {"cumulative_sum": "cumsum", "cumulative_prod": "cumprod"}
SHAPES = [
    (4097, 4),
    (4, 4097),
    (3, 4097, 5),
    (70, 300, 3),
    (2, 3, 5, 7),
    (10_000, 31),
    (31, 10_000),
]


def values(name, shape, seed=0):
    """Returns values whose running sums and products are exact in float32, and leave the range of float16."""
    rng = np.random.default_rng(seed)
    if name == "cumulative_sum":
        return rng.integers(-300, 301, shape).astype(np.float16)
    turns = np.where(rng.random(shape) < 0.01, 2.0 ** rng.integers(-9, 10, shape), 1)
    return (turns * (rng.integers(0, 2, shape) * 2 - 1)).astype(np.float16)


def reference(name, x, axis, include_initial=False):
    wide = getattr(np, NUMPY_NAMES[name])(x.astype(np.float64), axis=axis)
    if include_initial:
        shape = tuple(1 if a == axis % x.ndim else n for a, n in enumerate(x.shape))
        first = np.full(shape, name == "cumulative_prod", np.float64)
        wide = np.concatenate([first, wide], axis=axis)
    with np.errstate(over="ignore", under="ignore"):
        return wide.astype(np.float16)


def check(name, array, x, axis, device, label):
    for initial in (False, True):
        got = getattr(sk, name)(array, axis=axis, include_initial=initial)
        want = reference(name, x, axis, initial)
        assert_same(got, want, device, label=f"{name} {label} axis={axis} initial={initial}")


@pytest.mark.parametrize("name", NUMPY_NAMES)
def test_float16_scans_of_every_layout_are_exact(name, device):
    for layout, array, x in layouts_of(values(name, BASE_SHAPE), device):
        for axis in range(-x.ndim, x.ndim):
            check(name, array, x, axis, device, layout)


@pytest.mark.parametrize("device", WHERE)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_float16_scans_of_every_axis_are_exact(shape, device):
    x = values("cumulative_sum", shape)
    array = to_device(device, x)
    reverse = tuple(reversed(range(x.ndim)))
    for axis in range(x.ndim):
        check("cumulative_sum", array, x, axis, device, str(shape))
        across = x.ndim - 1 - axis
        check("cumulative_sum", sk.permute_dims(array, reverse), x.T, across, device, f"{shape}.T")
        check("cumulative_sum", array[..., ::-1], x[..., ::-1], axis, device, f"{shape} backward")


@pytest.mark.parametrize("device", WHERE)
def test_float16_scans_of_every_size_are_exact(device):
    for size in (*SIZES, 131_072, 131_073, 300_000):
        x = values("cumulative_sum", (size,), size)
        check("cumulative_sum", to_device(device, x), x, 0, device, f"of {size}")
    for size in SIZES[:8]:
        x = values("cumulative_prod", (size,), size)
        check("cumulative_prod", to_device(device, x), x, 0, device, f"of {size}")


@pytest.mark.parametrize("device", WHERE)
def test_float16_scans_of_short_rows(device):
    for rows, length in itertools.product((1, 7, 130, 4097), (1, 2, 3, 8, 31, 32, 33)):
        x = values("cumulative_sum", (rows, length), rows)
        check("cumulative_sum", to_device(device, x), x, 1, device, f"{rows} x {length}")
        check(
            "cumulative_sum",
            to_device(device, x)[::-1, :],
            x[::-1],
            1,
            device,
            f"{rows} x {length}",
        )


@pytest.mark.parametrize("device", WHERE)
def test_float16_scan_carries_are_not_rounded(device):
    x = np.concatenate([np.ones(70_000), -np.ones(70_000)]).astype(np.float16)
    got = to_numpy(sk.cumulative_sum(to_device(device, x)))
    assert got[65_518] == 65504
    assert np.isinf(got[65_519:74_000]).all()
    assert got[-1] == 0
    assert_same(sk.cumulative_sum(to_device(device, x)), reference("cumulative_sum", x, 0), device)
    powers = np.array([2**15, 2, 2, 2.0**-14, 2.0**-14, 2.0**-14, 2**15, 2**10], np.float16)
    want = [2**15, np.inf, np.inf, 8, 2.0**-11, 0, 2.0**-10, 1]  # 0: 2^-25, a tie
    got = sk.cumulative_prod(to_device(device, powers))
    assert_same(got, np.array(want, np.float16), device)
    column = np.stack([x, x[::-1]], axis=1)
    assert_same(
        sk.cumulative_sum(to_device(device, column), axis=0),
        reference("cumulative_sum", column, 0),
        device,
    )


@pytest.mark.parametrize("device", WHERE)
def test_float16_scans_keep_each_bit_pattern(device):
    every = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    number = ~np.isnan(every)
    pairs = np.stack([every, np.full_like(every, -0.0)], axis=1)
    got = to_numpy(sk.cumulative_sum(to_device(device, pairs), axis=1))
    assert np.array_equal(
        got[number].view(np.uint16), pairs[:, :1].repeat(2, 1)[number].view(np.uint16)
    )
    assert np.isnan(got[~number]).all()
    across = to_numpy(
        sk.cumulative_prod(to_device(device, np.stack([every, np.ones_like(every)])), axis=0)
    )
    assert np.array_equal(
        across[:, number].view(np.uint16), np.stack([every, every])[:, number].view(np.uint16)
    )


@pytest.mark.parametrize("device", WHERE)
def test_float16_scans_with_dtype(device):
    x = to_device(device, np.full(3, 60_000, np.float16))
    assert_same(
        sk.cumulative_sum(x, dtype=sk.float32), np.array([6e4, 12e4, 18e4], np.float32), device
    )
    whole = to_device(device, np.array([60_000, 1, 60_000], np.int32))
    want = np.array([60_000, 60_000, np.inf], np.float16)
    assert_same(sk.cumulative_sum(whole, dtype=sk.float16), want, device)
    for name in NUMPY_NAMES:
        none = np.empty((0,), np.float16)
        check(name, to_device(device, none), none, 0, device, "of nothing")


@pytest.mark.parametrize("device", WHERE)
def test_float16_diff(device):
    x = np.array([[1, 4, 2.5, -3], [65504, -65504, 0, 2.0**-24]], np.float16)
    for axis, n in itertools.product((0, 1), (0, 1, 2)):
        with np.errstate(over="ignore"):
            want = np.diff(x, n=n, axis=axis)
        assert_same(sk.diff(to_device(device, x), axis=axis, n=n), want, device)
