# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Interpolation, fractions and ``nan_to_num``: signs of zeros and other bits, and reads outside an array."""

import numpy as np
import pytest
import skerry as sk

from tests.python.oracle import to_device, to_numpy


def test_interp_reads_only_its_points(device):
    """Points that do not increase, and NaN as x, are allowed. A read outside the points would give NaN or fault."""

    def between_nans(numbers):
        return to_device(device, np.asarray([np.nan, *numbers, np.nan]))[1:-1]

    x = to_device(device, np.asarray([-1.0, 0.5, 1.0, 2.5, 9.0, np.inf, -np.inf, np.nan]))
    values = between_nans([10.0, 20.0, 30.0])
    for points in ([3.0, 2.0, 1.0], [2.0, 3.0, 1.0], [1.0, 1.0, 1.0], [1.0, 2.0, 3.0]):
        result = to_numpy(sk.interp(x, between_nans(points), values))
        assert np.all(np.isfinite(result[:-1])), points
        assert np.isnan(result[-1])
    assert result.tolist()[:-1] == [10.0, 10.0, 10.0, 25.0, 30.0, 30.0, 10.0]


def test_interp_of_few_elements_equals_interp_of_many(device):
    """A CPU interpolates few elements one at a time, with the same bits."""
    rng = np.random.default_rng(5)
    x, values = rng.uniform(-1.2, 1.2, 900), to_device(device, rng.normal(size=70))
    x[::90] = np.resize([np.nan, np.inf, -np.inf, -0.0], 10)
    for points in (np.sort(rng.uniform(-1, 1, 70)), np.linspace(-1, 1, 70)):
        x[1::90] = points[:10]
        xp = to_device(device, points)
        whole_result = to_numpy(sk.interp(to_device(device, x), xp, values))
        few = [
            to_numpy(sk.interp(to_device(device, chunk), xp, values)) for chunk in x.reshape(90, 10)
        ]
        assert np.concatenate(few).tobytes() == whole_result.tobytes()


def test_modf_of_integers_keeps_the_sign_of_zero(device):
    rest, whole = sk.modf(to_device(device, np.asarray([-3, 0, 3])))
    assert np.signbit(to_numpy(rest)).tolist() == [True, False, False]
    assert to_numpy(whole).tolist() == [-3.0, 0.0, 3.0]


def test_nan_to_num_keeps_the_signs_of_complex_zeros(device):
    x = np.asarray([complex(-0.0, -0.0), complex(0.0, -0.0), complex(-0.0, np.nan)])
    for part in (sk.real, sk.imag):
        got = to_numpy(part(sk.nan_to_num(to_device(device, x))))
        assert np.signbit(got).tolist() == np.signbit(getattr(np, part.__name__)(x)).tolist()


@pytest.mark.parametrize("dtype", ["float32", "complex128"])
def test_nan_to_num_keeps_the_sign_of_a_zero_replacement(device, dtype):
    x = to_device(device, np.asarray([np.nan, 1.0], dtype))
    for zero, sign in ((-0.0, True), (np.float64(-0.0), True), (0.0, False), (0, False)):
        assert np.signbit(to_numpy(sk.real(sk.nan_to_num(x, nan=zero))).tolist()[0]) == sign, zero
