# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Passes over views with gaps between rows: bits equal eager ones, and memory in the gaps is not touched."""

import os
import subprocess
import sys

import numpy as np
import pytest
import skerry as sk
from skerry.testing import instruments

from tests.python.fuse.recorded_sizes import all_sizes_recorded  # noqa: F401

ROWS = [*range(1, 41), 63, 64, 100, 127, 128, 129, 200, 255, 256, 257]


def numbers(shape, dtype, seed=0):
    values = np.random.default_rng(seed).normal(scale=9, size=shape)
    return sk.asarray(np.where(values == 0, 1, values).astype(dtype), copy=True)


def compare(run, *args):
    """Asserts that the function and its fused form give equal bits."""
    with np.errstate(all="ignore"):
        want, got = run(*args), sk.fuse(run)(*args)
    for a, b in zip(want, got, strict=True):
        assert a.dtype == b.dtype
        assert a.shape == b.shape
        assert np.asarray(a).tobytes() == np.asarray(b).tobytes()


def several(x, y, row, column, one):
    """Returns some of the intermediate values; each operand appears in each position."""
    difference = x - y
    combination = difference * row + column
    return difference * one, combination, sk.where(combination == x, x, y) * column


@pytest.mark.parametrize("gap", [1, 2, 3])
@pytest.mark.parametrize("dtype", ["float64", "float32", "int8", "complex128"])
def test_gapped_rows_of_all_lengths(dtype, gap):
    for row in ROWS:
        x = numbers((37, row + gap), dtype)
        parts = x[:, :row], x[:, gap:], numbers(row, dtype, 1), numbers((37, 1), dtype, 2)
        compare(several, *parts, numbers((), dtype, 3))
        compare(several, *(part[::-1] for part in parts[:2]), *parts[2:], numbers((), dtype, 3))
        compare(several, *(part[:, ::-1] for part in parts[:2]), *parts[2:], numbers((), dtype, 3))


@pytest.mark.parametrize("row", [5, 14, 62, 126])
@pytest.mark.parametrize("rank", [2, 3, 4])
def test_stencils_of_two_to_four_axes(rank, row):
    lengths = (*(7, 6, 5)[: rank - 1], row)
    x = numbers(tuple(length + 2 for length in lengths), "float64")
    inner = (slice(1, -1),) * rank

    def spread(x, dense):
        total = x[inner] * -2.0
        for axis in range(rank):
            for part in (slice(None, -2), slice(2, None)):
                total = total + x[(*inner[:axis], part, *inner[axis + 1 :])]
        return total * 0.1 + x[inner], total, dense / total

    compare(spread, x, numbers(lengths, "float64", 1))


@pytest.mark.parametrize("row", [6, 30, 100])
def test_mixed_dtypes_in_one_pass(row):
    def mix(small, wide, flags, dense):
        light = sk.astype(small[:, 1:], sk.float32) * 0.5
        return (
            sk.where(flags[:, 1:], light, dense),
            light + wide[:, 1:],
            small[:, 1:] // small[:, :-1],
        )

    shape = (50, row + 1)
    flags = np.random.default_rng(1).integers(0, 255, shape, dtype="uint8").view("bool")
    args = (
        sk.asarray(
            np.random.default_rng(0).integers(0, 3, shape, dtype="uint8"), copy=True
        ),  # includes zeros
        numbers(shape, "float64"),
        sk.asarray(flags, copy=True),
        numbers((50, row), "float32"),
    )
    compare(mix, *args)
    compare(lambda *operands: mix(*(x[:, ::-1] for x in operands)), *args)
    # Operands with different pitches: the smaller number is copied.
    compare(lambda x, y: (x[:, 1:] - y[:, 2:],), args[1], numbers((50, row + 2), "float64", 1))


@pytest.mark.parametrize("row", [6, 30, 100])
def test_in_place_updates_do_not_write_gaps(row):
    def update(x):
        part = x[:, 1:-1]
        part += x[:, 2:] * 0.25
        part *= 0.5
        part -= x[:, :-2]

    want, got = (numbers((40, row + 2), "float64") for _ in range(2))
    update(want)
    sk.fuse(update)(got)
    assert np.asarray(want).tobytes() == np.asarray(got).tobytes()

    def change(dense, x):
        dense *= x[:, 1:]
        dense += x[:, :-1]

    outer = np.full((40 * row + 16,), 7.0)
    inside = sk.asarray(outer[8:-8].reshape(40, row), copy=False)
    x = numbers((40, row + 1), "float64", 1)
    expected = (inside * x[:, 1:]) + x[:, :-1]
    sk.fuse(change)(inside, x)
    assert np.asarray(inside).tobytes() == np.asarray(expected).tobytes()
    assert (outer[:8] == 7).all()
    assert (outer[-8:] == 7).all()


def test_nan_and_infinity_in_gapped_rows():
    values = np.random.default_rng(0).normal(size=(40, 63))
    values[::3, ::7] = np.nan
    values[1::3, ::5] = np.inf
    x = sk.asarray(values, copy=True)
    compare(lambda x: ((x[:, 1:] * 2 + x[:, :-1]) * x[:, 1:], x[:, 1:] > x[:, :-1]), x)


def test_sums_of_gapped_expressions():
    x = numbers((60, 70), "float64")
    for axis in (0, 1, None):
        compare(lambda x, axis=axis: (sk.sum((x[:, 1:] - x[:, :-1]) * 0.5, axis=axis),), x)


@pytest.mark.parametrize("allocator", ["guard", "guard-front"])
def test_passes_read_only_inside_views(allocator):
    """The pages before and after arrays are not accessible."""
    test = f"import {__name__} as test; test.compare_views_at_the_edges()"
    environment = {**os.environ, "SKERRY_ALLOCATOR": allocator}
    environment["PYTHONPATH"] = os.pathsep.join(sys.path)
    subprocess.run([sys.executable, "-c", test], env=environment, check=True)


def compare_views_at_the_edges():
    whole = sk.arange(2048, dtype="float64")
    with instruments.recorded_from(0):
        for row in (3, 15, 31, 50, 63, 127):
            rows = 2048 // (row + 1)
            first = sk.reshape(whole[: rows * (row + 1)] * 1.0, (rows, row + 1))[:, :row]
            last = sk.reshape(whole[-rows * (row + 1) :] * 1.0, (rows, row + 1))[:, 1:]
            compare(lambda x, y: (x * 2 + y, x - y), first, last)


def test_out_of_cache_arrays():
    x = numbers((1100, 1100), "float64")

    def spread(x):
        inner = x[1:-1, 1:-1]
        total = x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:]
        return inner + (total - 4 * inner) * 0.1, total

    compare(spread, x)
    compare(spread, x[:, :100])
    compare(spread, x[::-1, ::-1])
    compare(lambda x: (x * 2 + x.T, x[:, ::-1] * 0.5 + x), x)
    compare(lambda x: (sk.sum((x - 1.5) * x, axis=1),), x)

    def update(x, y):
        y *= 0.5
        y += x
        x -= y * y
        return x, y

    want = update(numbers((1100, 1100), "float64"), numbers((1100, 1100), "float64", 1))
    got = sk.fuse(update)(numbers((1100, 1100), "float64"), numbers((1100, 1100), "float64", 1))
    for a, b in zip(want, got, strict=True):
        assert np.asarray(a).tobytes() == np.asarray(b).tobytes()
