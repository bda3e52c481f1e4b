# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Transposed operands at the edges of the CUDA kernels' tiles, against NumPy."""

import itertools

import numpy as np
import pytest
import skerry as sk

from tests.python.loops import loop_over
from tests.python.oracle import assert_same, to_device

# Tiles have 32 elements a side, or 64 for items of 1 and 2 bytes. Axes below 16 are not tiled.
EDGES = (1, 15, 16, 31, 32, 33, 63, 64, 65, 129)
DTYPES = ("int8", "int16", "float32", "float64", "complex128")


def matrix(shape, dtype, start=0):
    """Returns consecutive integers modulo 120, which every dtype holds."""
    return (np.arange(start, start + int(np.prod(shape))) % 120).astype(dtype).reshape(shape)


@pytest.mark.parametrize("dtype", DTYPES)
def test_transposed_operands_at_the_edges_of_tiles(device, dtype):
    for rows, columns in itertools.product(EDGES, EDGES):
        x, y = matrix((rows, columns), dtype), matrix((columns, rows), dtype, 7)
        array, across = to_device(device, x), to_device(device, y).T
        label = f"{rows} x {columns}"
        assert_same(array + across, x + y.T, device, label=label)
        assert_same(across - array, y.T - x, device, label=label)


@loop_over("dtype", DTYPES)
@loop_over("offset", [0, 1, 7])
def test_transposed_operands_at_offsets_within_a_sector(device, dtype, offset):
    for rows, columns in ((16, 33), (65, 31), (64, 64)):
        flat = matrix((offset + rows * columns,), dtype)
        y = flat[offset:].reshape(columns, rows).T
        x = matrix((rows, columns), dtype, 3)
        across = sk.reshape(to_device(device, flat)[offset:], (columns, rows), copy=False).T
        assert_same(to_device(device, x) + across, x + y, device, label=f"{rows} x {columns}")
        above = x.real > 60
        want = np.where(above, y, y.dtype.type(1))
        assert_same(sk.where(to_device(device, above), across, 1), want, device)


@pytest.mark.parametrize("dtype", DTYPES)
def test_operands_in_every_order_of_axes(device, dtype):
    for shape in ((17, 40), (3, 17, 33), (40, 2, 33), (16, 5, 70), (2, 3, 34, 17)):
        x = matrix(shape, dtype)
        for order in itertools.permutations(range(len(shape))):
            y = matrix([shape[axis] for axis in order], dtype, 5)
            back = tuple(int(axis) for axis in np.argsort(order))
            got = to_device(device, x) + sk.permute_dims(to_device(device, y), back)
            assert_same(got, x + y.transpose(back), device, label=f"{shape} {order}")


@pytest.mark.parametrize("dtype", DTYPES)
def test_transposed_operands_with_negative_and_long_strides(device, dtype):
    x, y = matrix((50, 70), dtype), matrix((141, 101), dtype, 9)
    array, other = to_device(device, x), to_device(device, y)
    for part in itertools.product(
        (slice(0, 140, 2), slice(139, 69, -1)), (slice(50), slice(99, 49, -1))
    ):
        assert_same(array + other[part].T, x + y[part].T, device, label=f"{part}")
    assert_same(array[::-1] + other[:70, :50].T, x[::-1] + y[:70, :50].T, device)
    assert_same(array[:, ::-1] - other[:70, :50].T, x[:, ::-1] - y[:70, :50].T, device)


@pytest.mark.parametrize("dtype", DTYPES)
def test_several_transposed_operands(device, dtype):
    x, y = matrix((70, 45), dtype), matrix((70, 45), dtype, 11)
    hosts = (matrix((70, 45), "int8", 3) > 40, x, y)
    assert_same(
        to_device(device, np.ascontiguousarray(x.T)) + to_device(device, x).T, x.T + x.T, device
    )
    for across in itertools.product((False, True), repeat=3):
        arrays = [
            to_device(device, host).T
            if is_across
            else to_device(device, np.ascontiguousarray(host.T))
            for host, is_across in zip(hosts, across, strict=True)
        ]
        assert_same(
            sk.where(*arrays), np.where(*(host.T for host in hosts)), device, label=f"{across}"
        )


@pytest.mark.parametrize("dtype", DTYPES)
def test_broadcast_with_transposed_and_sliced_operands(device, dtype):
    for rows, columns in ((1, 300), (3, 300), (300, 3), (40, 129), (257, 260)):
        x = matrix((columns, rows), dtype)
        row, column = matrix((columns + 1,), dtype, 2), matrix((rows, 1), dtype, 4)
        array = to_device(device, x).T
        assert_same(array + to_device(device, row)[1:], x.T + row[1:], device)
        assert_same(array - to_device(device, column), x.T - column, device)
        assert_same(
            to_device(device, x)[:, : rows - 1] + 1, x[:, : rows - 1] + x.dtype.type(1), device
        )
        assert_same(to_device(device, column) + to_device(device, row), column + row, device)


@pytest.mark.parametrize("dtype", DTYPES)
def test_in_place_with_transposed_operands(device, dtype):
    for side in (17, 64, 65):
        x, y = matrix((side, side), dtype), matrix((side, side), dtype, 6)
        array, other = to_device(device, x), to_device(device, y)
        want = x.copy()
        array += other.T
        want += y.T
        assert_same(array, want, device)
        array += array.T  # overlaps its input
        want += want.T.copy()
        assert_same(array, want, device)
        array.T[1:] += other[1:]
        want.T[1:] += y[1:]
        assert_same(array, want, device)


def test_results_of_another_item_size_than_operands(device):
    x = matrix((70, 45), "float64")
    for dtype in ("int8", "int16", "float32", "complex64"):
        y = matrix((45, 70), dtype, 8)
        target = np.zeros((70, 45), "complex128")
        array = to_device(device, target)
        array[...] = sk.astype(to_device(device, y).T, sk.complex128)
        assert_same(array, y.T.astype("complex128"), device)
        cast = sk.astype(to_device(device, y.real.copy()).T, sk.float64)
        assert_same(to_device(device, x) < cast, x < y.real.T, device)
