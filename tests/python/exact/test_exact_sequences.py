# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Ranges by their exact elements: integers of linspace, floats at the limits of float64, powers of geomspace."""

import itertools
import math
import random
from fractions import Fraction

import numpy as np
import pytest
import skerry as sk
from skerry.exceptions import DeviceMismatchError

from tests.python.exact.exact_oracle import INF, INTEGERS, NAN, TWO_DEVICES, assert_close, ends_of
from tests.python.libraries import library


def exact_elements(start, stop, num, endpoint):
    intervals = max(1, num - 1 if endpoint else num)
    start, stop = Fraction(start), Fraction(stop)
    return [start + i * (stop - start) / intervals for i in range(num)]


@pytest.mark.parametrize("device", TWO_DEVICES)
@pytest.mark.parametrize("dtype", INTEGERS)
def test_integer_linspace_is_exact(dtype, device):
    """Elements are rounded towards negative infinity, as by NumPy."""
    rng = random.Random(dtype)
    pairs = list(itertools.product(ends_of(dtype), repeat=2))
    for start, stop in rng.sample(pairs, min(60, len(pairs))):
        for num, endpoint in itertools.product((0, 1, 2, 3, 7), (True, False)):
            got = sk.linspace(start, stop, num, dtype=dtype, device=device, endpoint=endpoint)
            assert got.dtype == np.dtype(dtype)
            assert got.tolist() == [
                math.floor(x) for x in exact_elements(start, stop, num, endpoint)
            ]


@pytest.mark.parametrize("device", TWO_DEVICES)
def test_long_integer_linspace_is_exact(device):
    for start, stop, dtype in (
        (-(2**63), 2**63 - 1, "int64"),
        (2**64 - 1, 3, "uint64"),
        (-128, 127, "int8"),
    ):
        got = sk.linspace(start, stop, 70_001, dtype=dtype, device=device).tolist()
        assert got == [math.floor(x) for x in exact_elements(start, stop, 70_001, True)]


@pytest.mark.parametrize("device", TWO_DEVICES)
@pytest.mark.parametrize(
    ("start", "stop", "dtype"),
    [
        (0, 300, "uint8"),
        (0.5, 300.5, "uint8"),
        (-1, 3, "uint64"),
        (0, 2**63, "int64"),
        (0, 2**64, "uint64"),
        (0, 2**70, "int64"),
        (0.0, 1e300, "int64"),
        (0.5, INF, "int32"),
        (NAN, 1, "int16"),
        (-129, 0, "int8"),
    ],
)
def test_linspace_out_of_integer_range_raises(start, stop, dtype, device):
    for ends in ((start, stop), (stop, start)):
        with pytest.raises(OverflowError, match="linspace"):
            sk.linspace(*ends, 4, dtype=dtype, device=device)
    assert sk.linspace(start, stop, 0, dtype=dtype, device=device).shape == (0,)


@pytest.mark.parametrize("device", TWO_DEVICES)
def test_excluded_endpoint_may_be_out_of_range(device):
    got = sk.linspace(0, 300, 4, dtype=sk.uint8, endpoint=False, device=device)
    assert got.tolist() == [0, 75, 150, 225]


@pytest.mark.parametrize("device", TWO_DEVICES)
@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_linspace_at_the_limits_of_float64(dtype, device):
    for start, stop in itertools.product(ends_of("float64"), repeat=2):
        for num, endpoint in ((1, True), (2, True), (5, True), (6, False)):
            x = sk.linspace(start, stop, num, dtype=dtype, device=device, endpoint=endpoint)
            got = sk.real(x).tolist() if dtype == "complex128" else x.tolist()
            assert got[0] == start
            assert not (endpoint and num > 1) or got[-1] == stop
            scale = max(abs(start), abs(stop))
            for actual, want in zip(got, exact_elements(start, stop, num, endpoint), strict=True):
                label = f"{start} to {stop}, {num}"
                tiny = scale < 1e-300  # a unit is the smallest subnormal
                assert_close(
                    actual, want, "float64", units=1, scale=0 if tiny else scale, label=label
                )


@pytest.mark.parametrize("device", TWO_DEVICES)
def test_linspace_between_infinities(device):
    for start, stop, want in (
        (0, INF, [0, INF, INF, INF]),
        (INF, 1, [INF, INF, INF, 1]),
        (-INF, INF, [-INF, NAN, NAN, INF]),
        (INF, INF, [INF] * 4),
        (1, NAN, [1, NAN, NAN, NAN]),
    ):
        for dtype in ("float16", "float32", "float64"):
            got = sk.linspace(start, stop, 4, dtype=dtype, device=device).tolist()
            np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("device", TWO_DEVICES)
def test_geomspace_and_logspace_err_by_one_ulp(device):
    """Rounded exponents would give up to 700 units."""
    mpmath = library("mpmath")
    with mpmath.workprec(200):
        for start, stop in (
            (1, 1000),
            (1, 256),
            (3, 7),
            (1e-300, 1e300),
            (5e-324, 1.7e308),
            (1e-308, 5e-324),
            (-1e-5, -1e200),
            (1.7e308, 1.6e308),
        ):
            for num in (1, 2, 9, 50):
                got = sk.geomspace(start, stop, num, device=device).tolist()
                assert got[0] == start
                assert num == 1 or got[-1] == stop
                ratio = mpmath.mpf(stop) / start
                for i, actual in enumerate(got):
                    want = start * ratio ** (mpmath.mpf(i) / max(num - 1, 1))
                    assert abs(mpmath.mpf(actual) - want) <= 1.01 * math.ulp(actual)
        for base, start, stop in (
            (10, 0, 300),
            (10.0, -320, 308),
            (2, 0, 1023),
            (math.e, 1 / 3, 7),
        ):
            got = sk.logspace(start, stop, 31, base=base, device=device).tolist()
            for i, actual in enumerate(got):
                exponent = start + (mpmath.mpf(stop) - start) * i / 30
                want = mpmath.mpf(base) ** exponent
                assert abs(mpmath.mpf(actual) - want) <= 1.01 * math.ulp(actual)


@pytest.mark.parametrize("device", TWO_DEVICES)
def test_integer_geomspace_and_logspace(device):
    threes = [3**i for i in range(34)]
    assert sk.geomspace(1, 3**33, 34, dtype=sk.int64, device=device).tolist() == threes
    assert sk.geomspace(1, 256, 9, dtype=int, device=device).tolist() == [2**i for i in range(9)]
    assert sk.geomspace(-1, -(2**63), 2, dtype=int, device=device).tolist() == [-1, -(2**63)]
    assert sk.geomspace(1, 2**64 - 1, 2, dtype="uint64", device=device).tolist() == [1, 2**64 - 1]
    assert sk.logspace(0, 3, 4, dtype=int, device=device).tolist() == [1, 10, 100, 1000]
    for call in (
        lambda: sk.geomspace(1, 300, 3, dtype="uint8", device=device),
        lambda: sk.geomspace(-1, -3, 3, dtype="uint8", device=device),
        lambda: sk.logspace(0, 3, 4, dtype="uint8", device=device),
        lambda: sk.logspace(0, 400, 4, dtype="int64", device=device),
    ):
        with pytest.raises(OverflowError, match="out of range"):
            call()


@pytest.mark.parametrize("name", ["geomspace", "logspace"])
def test_geomspace_and_logspace_use_the_device_of_their_ends(name):
    function = getattr(sk, name)
    start, stop = (sk.asarray(x, device="cuda:0") for x in (1.0, 8.0))
    elsewhere = sk.asarray(8.0, device="cuda:1")
    for call in (
        lambda: function(start, stop, 4),
        lambda: function(1.0, stop, 4),
        lambda: function(start, 8, 4, device="cuda:0"),
    ):
        assert call().device == sk.Device("cuda:0")
        assert call().tolist() == function(1.0, 8.0, 4).tolist()
    for call in (
        lambda: function(start, elsewhere, 4),
        lambda: function(start, stop, 4, device="cuda:1"),
        lambda: function(start, np.asarray(8.0), 4),
        lambda: function(np.asarray(8.0), 2, 4, device="cuda:1"),
    ):
        with pytest.raises(DeviceMismatchError):
            call()
    if name == "logspace":
        with pytest.raises(DeviceMismatchError):
            function(start, stop, 4, base=elsewhere)
