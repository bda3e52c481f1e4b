# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Integer quotients and powers are exact or rejected; real and imag of real arrays keep the dtype."""

import numpy as np
import pytest
import skerry as sk

from tests.python.loops import loop_over
from tests.python.oracle import to_device, to_numpy

INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]


@loop_over("dtype", INTEGERS)
def test_builtin_divmod_is_exact(dtype, device):
    limits = np.iinfo(dtype)
    values = [v for v in (limits.min, -7, -1, 1, 7, 100, limits.max) if limits.min <= v != 0]
    values = [int(v) for v in values]
    x = to_device(device, np.asarray(values, dtype))
    divisors = [v for v in (2, 3, 7, -3, int(limits.max), int(limits.max) - 1) if limits.min <= v]
    for divisor in divisors:
        right = [divmod(value, divisor) for value in values]
        for pair in (
            divmod(x, divisor),
            divmod(x, to_device(device, np.asarray(divisor, dtype))),
            sk.fuse(divmod)(x, divisor),
        ):
            assert [part.dtype for part in pair] == [x.dtype] * 2
            assert list(zip(*(part.tolist() for part in pair), strict=True)) == right
        swapped = [divmod(divisor, value) for value in values]
        assert list(zip(*(part.tolist() for part in divmod(divisor, x)), strict=True)) == swapped
    with pytest.raises(OverflowError):
        divmod(x, 2**64)
    with pytest.raises(OverflowError):
        divmod(2**64, x)


def test_builtin_divmod_of_floats_and_arrays(device):
    x = np.asarray([7.5, -7.5, 0.0, np.nan])
    for got, expected in zip(divmod(to_device(device, x), 2.0), divmod(x, 2.0), strict=True):
        assert np.array_equal(to_numpy(got), expected, equal_nan=True)
    with pytest.raises(TypeError):
        divmod(to_device(device, x), "2")
    with pytest.raises(TypeError):
        divmod(to_device(device, x), 1j)
    if device == "cpu:0":
        quotient, rest = divmod(np.asarray([7, 8]), sk.asarray([2, 3]))
        assert (quotient.tolist(), rest.tolist()) == ([3, 2], [1, 2])


@pytest.mark.parametrize("dtype", [d for d in INTEGERS if not d.startswith("u")])
def test_negative_powers_of_integers_are_rejected(dtype, device):
    for size in (3, 40000):
        x = to_device(device, np.ones(size, dtype))
        for call in (
            lambda: x**-1,  # noqa: B023
            lambda: sk.pow(x, -3),  # noqa: B023
            lambda: x ** np.int64(-1),  # noqa: B023
            lambda: sk.fuse(lambda x: x**-1)(x),  # noqa: B023
            lambda: x.__ipow__(-1),  # noqa: B023
            lambda: np.power(x, -1),  # noqa: B023
        ):
            with pytest.raises(ValueError, match=r"^pow: x2 is negative"):
                call()
        assert (x**-1.0).dtype == sk.float64
        assert bool(sk.all(x**0 == 1))


def test_negative_powers_of_unsigned_and_bool(device):
    with pytest.raises(OverflowError):
        to_device(device, np.ones(3, "uint8")) ** -1
    with pytest.raises(ValueError, match="pow"):
        to_device(device, np.ones(3, "bool")) ** -1
    # Exponents in an array are not checked: the result is 0 unless the base is 1 or -1, as documented.
    x = to_device(device, np.asarray([3, 1, -1]))
    assert (x ** to_device(device, np.asarray([-1, -1, -1]))).tolist() == [0, 1, -1]


REALS = [*INTEGERS, "float16", "float32", "float64", "bool"]


@loop_over("dtype", REALS)
def test_real_and_imag_functions_match_the_attributes(dtype, device):
    for size in (3, 40000):
        x = to_device(device, np.ones(size, dtype))
        for real, imag in (
            (sk.real(x), sk.imag(x)),
            (x.real, x.imag),
            sk.fuse(lambda x: (sk.real(x), sk.imag(x)))(x),
            (np.real(x), np.imag(x)),
        ):
            assert (real.dtype, imag.dtype) == (x.dtype, x.dtype)
            assert (real.shape, imag.shape, imag.device) == (x.shape, x.shape, x.device)
            assert np.array_equal(to_numpy(real), to_numpy(x))
            assert not np.any(to_numpy(imag))
    with sk.strict_promotion(), pytest.raises(TypeError, match=r"^imag"):
        sk.imag(x)
