# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Copies of rows that are written several times, and of arrays out of cache, against NumPy."""

import numpy as np
import pytest
import skerry as sk

from tests.python.oracle import assert_same, sample, to_device


@pytest.mark.parametrize("dtype", ["uint8", "float32", "complex128"])
def test_tile_and_repeat_of_rows_of_any_length(dtype, device):
    host = sample(dtype, (210_007,))
    memory = to_device(device, host)
    for n in (5, 4097, 16_385, 70_002):
        for part in (np.s_[:n], np.s_[: 3 * n : 3], np.s_[n::-1], np.s_[3 * n :: -2]):
            want, array = host[part], memory[part]
            for times in (2, 3):
                assert_same(sk.tile(array, times), np.tile(want, times), device)
            rows = want.size // 5
            want, array = (
                want[: rows * 5].reshape(5, rows),
                sk.reshape(array[: rows * 5], (5, rows)),
            )
            for host_view, array_view in (
                (want, array),
                (want.T, array.T),
                (want[:, ::-1], array[:, ::-1]),
            ):
                assert_same(
                    sk.repeat(array_view, 3, axis=0), np.repeat(host_view, 3, axis=0), device
                )
                assert_same(sk.tile(array_view, (2, 1)), np.tile(host_view, (2, 1)), device)


@pytest.mark.parametrize("dtype", ["uint8", "float32", "float64", "complex128"])
def test_streamed_copies_are_complete(dtype):
    width = np.dtype(dtype).itemsize
    side = int((7.5 * 2**20 / width) ** 0.5) + 3  # 7 MiB and more use streaming stores
    host = sample(dtype, (side, side + 2))
    array = sk.asarray(host, copy=True)
    for part in (np.s_[:], np.s_[:, 1:-1], np.s_[1:, ::-1]):
        for want, array_view in ((host[part], array[part]), (host[part].T, array[part].T)):
            assert_same(sk.reshape(array_view, (-1,)), want.reshape(-1), "cpu:0")
            copied = sk.asarray(array_view, copy=True)
            mine_too = sk.empty((array_view.size + 1,), dtype=dtype)[1:]
            sk.reshape(mine_too, array_view.shape)[...] = copied
            assert_same(mine_too, want.reshape(-1), "cpu:0")
