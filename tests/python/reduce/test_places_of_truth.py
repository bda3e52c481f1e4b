# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""argmax, argmin and their nan variants of bools, which stop at the first element that decides."""

import numpy as np
import pytest
import skerry as sk

from tests.python.loops import loop_over
from tests.python.oracle import to_device, to_numpy

NAMES = ["argmax", "argmin", "nanargmax", "nanargmin"]


@pytest.mark.parametrize("name", NAMES)
@loop_over("n", [1, 15, 16, 17, 255, 256, 257, 300, 1000, 70_000, 1_000_000])
def test_argmax_of_bools_finds_any_position(name, n):
    """Tests the first deciding element alone, with others after it, and arrays without one."""
    for index in {0, min(n - 1, 16), n // 3, n // 2, n - 1}:
        for others in (0.0, 0.5):
            x = np.zeros(n, bool)
            x[index:] = np.random.default_rng(n).random(n - index) < others
            x[index] = True
            for values in (x, np.zeros(n, bool)):
                host = ~values if "argmin" in name else values
                assert int(getattr(sk, name)(to_device("cpu:0", host))) == getattr(np, name)(
                    host
                ), index


@pytest.mark.parametrize("name", NAMES)
@loop_over(
    "shape", [(7, 3), (300, 2), (3, 4), (5, 700), (700, 5), (3, 40_000), (40_000, 3), (4, 300, 5)]
)
def test_argmax_of_bools_along_any_axis(name, shape, device):
    x = np.random.default_rng(1).random(shape)
    for truth in (x < 0.5, x < 0.01, x > 0.01):
        for axis in range(len(shape)):
            for host in (truth, truth[::-1], truth[..., ::2]):
                got = getattr(sk, name)(to_device(device, host), axis=axis)
                np.testing.assert_array_equal(to_numpy(got), getattr(np, name)(host, axis=axis))


@pytest.mark.parametrize("name", NAMES)
def test_argmax_of_bools_takes_nonzero_bytes_as_true(name):
    host = np.array([[1, 2, 0, 1], [0, 3, 1, 0], [255, 255, 1, 2]] * 20, np.uint8).view(bool)
    for axis in (None, 0, 1):
        got = getattr(sk, name)(sk.asarray(host), axis=axis)
        np.testing.assert_array_equal(to_numpy(got), getattr(np, name)(host, axis=axis))
