# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Creation functions of float16: sequences are computed in float64 and rounded once."""

import numpy as np
import pytest
import skerry as sk

from tests.python.loops import loop_over
from tests.python.oracle import assert_same, to_device, to_numpy

HALF = sk.float16


@pytest.mark.parametrize(
    ("start", "stop", "step"),
    [(0, 5, 1), (0, 70_000, 1), (2, -3, -0.1), (0.1, 9.7, 0.3), (-7, 7, 1e-3), (0, 6e-6, 1e-8)],
)
def test_arange(start, stop, step, device):
    """NumPy's own arange accumulates in float16."""
    with np.errstate(over="ignore"):
        size = int(np.ceil((stop - start) / step))
        want = (start + np.arange(size, dtype=np.float64) * step).astype(np.float16)
    assert_same(sk.arange(start, stop, step, dtype=HALF, device=device), want, device)


@loop_over("num", [0, 1, 2, 5, 1023, 1024, 1025, 100_001])
@loop_over("endpoint", [True, False])
def test_linspace(num, endpoint, device):
    for start, stop in ((0, 1), (-2.5, 7.1), (1, -65_504), (3, 3), (1 + 2**-11, 1 + 2**-10)):
        steps = max(1, num - 1 if endpoint else num)
        want = start + np.arange(num, dtype=np.float64) * ((stop - start) / steps)
        if endpoint and num > 1:
            want[-1] = stop
        got = sk.linspace(start, stop, num, dtype=HALF, device=device, endpoint=endpoint)
        assert_same(got, want.astype(np.float16), device)


def test_filled_arrays(device):
    for shape in [(), (0,), (3,), (2, 0, 3), (40, 50)]:
        for value in (1, True, -0.0, 0.1, 65_519, 65_520, -1e9, 1 + 2**-11 + 2**-40, np.nan, 6e-8):
            with np.errstate(over="ignore"):
                want = np.full(shape, np.float64(value).astype(np.float16))
            got = sk.full(shape, value, dtype=HALF, device=device)
            assert_same(got, want, device)
            np.testing.assert_array_equal(np.signbit(to_numpy(got)), np.signbit(want))
        prototype = sk.empty(shape, dtype=HALF, device=device)
        assert prototype.dtype == np.float16
        assert_same(sk.zeros_like(prototype), np.zeros(shape, "float16"), device)
        assert_same(sk.ones_like(prototype), np.ones(shape, "float16"), device)
        assert_same(sk.full_like(prototype, 2.5), np.full(shape, 2.5, "float16"), device)


def test_eye_tril_triu(device):
    for k in (-3, 0, 2):
        want = np.eye(4, 5, k, dtype=np.float16)
        assert_same(sk.eye(4, 5, k=k, dtype=HALF, device=device), want, device)
        x = np.arange(40, dtype=np.float16).reshape(2, 4, 5) - np.float16(20)
        x[0, 0] = [np.nan, np.inf, -np.inf, -0.0, 1]
        assert_same(sk.tril(to_device(device, x), k=k), np.tril(x, k), device)
        assert_same(sk.triu(to_device(device, x), k=k), np.triu(x, k), device)


def test_asarray_and_meshgrid(device):
    values = [0.1, 1e5, -65_520, 2**-25, 3 * 2**-25, True, 7]
    with np.errstate(over="ignore"):
        want = np.asarray(values, np.float64).astype(np.float16)
    assert_same(sk.asarray(values, dtype=HALF, device=device), want, device)
    assert_same(sk.asarray(np.float16(0.1), device=device), np.asarray(np.float16(0.1)), device)
    x, y = np.arange(3, dtype=np.float16), np.arange(4, dtype=np.float16)
    for actual, theirs in zip(
        sk.meshgrid(to_device(device, x), to_device(device, y)), np.meshgrid(x, y), strict=True
    ):
        assert_same(actual, theirs, device)
