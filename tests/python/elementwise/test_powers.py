# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Powers by scalars give the bits of powers by arrays, for every fast path."""

import numpy as np
import pytest
import skerry as sk

from tests.python.loops import loop_over
from tests.python.oracle import to_device, to_numpy

FLOATS = ["float16", "float32", "float64"]
EXPONENTS = [2, 3, -1, 0, 1, -2, 4, 0.5, 2.5]


def bases(dtype):
    """Returns numbers of every size and sign, and special ones."""
    rng = np.random.default_rng(3)
    limits = np.finfo(dtype)
    powers = rng.uniform(limits.minexp - limits.nmant, limits.maxexp, 3000)
    with np.errstate(all="ignore"):
        wide = (rng.choice([-1, 1], 3000) * np.exp2(powers)).astype(dtype)
    special = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, limits.max, limits.tiny, -limits.max]
    return np.concatenate(
        [wide, rng.uniform(-4, 4, 3000).astype(dtype), np.asarray(special, dtype)]
    )


def bits(x):
    """Returns the bits of floats, with all NaNs equal."""
    values = to_numpy(x)
    return np.where(np.isnan(values), 0, values.view(f"u{values.itemsize}"))


@loop_over("exponent", EXPONENTS)
@loop_over("dtype", FLOATS)
def test_scalar_exponents_equal_array_exponents(dtype, exponent, device):
    x = to_device(device, bases(dtype))
    by_array = sk.pow(x, sk.full_like(x, exponent))
    np.testing.assert_array_equal(bits(x**exponent), bits(by_array))
    target = sk.asarray(x, copy=True)
    target **= exponent
    np.testing.assert_array_equal(bits(target), bits(by_array))


@pytest.mark.parametrize("dtype", FLOATS)
def test_squares_and_reciprocals_equal_products_and_quotients(dtype, device):
    x = to_device(device, bases(dtype))
    np.testing.assert_array_equal(bits(x**2), bits(x * x))
    np.testing.assert_array_equal(bits(x**-1.0), bits(1 / x))


@pytest.mark.parametrize(
    ("dtype", "exact"), [("complex64", "complex128"), ("complex128", "clongdouble")]
)
def test_complex_squares_are_accurate_in_each_part(dtype, exact, device):
    rng = np.random.default_rng(5)
    host = np.exp(rng.uniform(-20, 20, (2, 4000))) * rng.choice([-1, 1], (2, 4000))
    host[:, :99] = np.nextafter(host[0, :99], 1e9)  # parts that cancel in re^2 - im^2
    z = (host[0] + 1j * host[1]).astype(dtype)
    x = to_device(device, z)
    wide = z.astype(exact)
    want = (wide.real - wide.imag) * (wide.real + wide.imag), 2 * wide.real * wide.imag
    for square in (x**2, x**2.0, x ** np.float64(2), sk.square(x)):
        got = to_numpy(square)
        assert got.dtype == dtype
        for part, expected in zip((got.real, got.imag), want, strict=True):
            assert np.all(
                np.abs(part - expected) <= 3 * np.spacing(np.abs(expected).astype(part.dtype))
            )
    np.testing.assert_allclose(to_numpy(x ** (2 + 0j)), z * z, rtol=1e-5)
    np.testing.assert_allclose(to_numpy(x**-1), 1 / z, rtol=1e-5)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_cubes_are_rounded_nearly_once(dtype, device):
    values = bases(dtype)
    values = values[np.isfinite(values)]
    actual = to_numpy(to_device(device, values) ** 3)
    with np.errstate(all="ignore"):
        want = (values.astype(np.longdouble) ** 3).astype(dtype)
        neighbours = [np.nextafter(want, dtype_of(dtype)(end)) for end in (-np.inf, np.inf)]
    assert np.all((actual == want) | (actual == neighbours[0]) | (actual == neighbours[1]))
    assert np.mean(actual == want) > 0.99


def dtype_of(name):
    return np.dtype(name).type


@loop_over("exponent", [2, 3])
@loop_over("dtype", ["int8", "uint8", "int32", "int64", "uint64"])
def test_integer_powers_wrap_around(dtype, exponent, device):
    x = to_device(device, np.random.default_rng(0).integers(0, 127, 1000).astype(dtype))
    product = x * x if exponent == 2 else x * x * x
    np.testing.assert_array_equal(to_numpy(x**exponent), to_numpy(product))
    np.testing.assert_array_equal(to_numpy(sk.pow(x, sk.full_like(x, exponent))), to_numpy(product))


@loop_over("dtype", ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"])
def test_integer_powers_by_exponents_of_every_width(dtype, device):
    # Exponents of narrow dtypes and those below 128 are vectorized, others run one at a time.
    limits = np.iinfo(dtype)
    some = [0, 1, 2, 3, 63, *range(126, 130), 1000, limits.max, limits.min, -1, -2]
    some = [exponent for exponent in some if limits.min <= exponent <= limits.max]
    few = [exponent for exponent in some if 0 <= exponent < 128]
    bases = [0, 1, 2, 3, 5, 7, 100, limits.max, limits.min, *((-1, -2, -3) if limits.min else ())]

    def power(base, exponent):
        if exponent < 0:
            return {1: 1, -1: 1 if exponent % 2 == 0 else -1}.get(base, 0)
        wrapped = pow(base, exponent, 2**limits.bits)
        return wrapped - 2**limits.bits if wrapped > limits.max else wrapped

    for exponents in (few, some):
        pairs = [(base, exponent) for base in bases for exponent in exponents] * 9
        a, b = (np.asarray(values, dtype) for values in zip(*pairs, strict=True))
        x, y = to_device(device, a), to_device(device, b)
        want = np.asarray([power(*pair) for pair in pairs], dtype)
        np.testing.assert_array_equal(to_numpy(sk.pow(x, y)), want)
        np.testing.assert_array_equal(to_numpy(sk.pow(x[::-1], y[::-1])), want[::-1])
        for base in bases:
            want = np.asarray([power(base, int(exponent)) for exponent in b], dtype)
            np.testing.assert_array_equal(to_numpy(base**y), want)
        for exponent in exponents:
            if exponent < 0:
                with pytest.raises(ValueError, match="x2 is negative"):
                    x**exponent
                continue
            want = np.asarray([power(int(base), exponent) for base in a], dtype)
            np.testing.assert_array_equal(to_numpy(x**exponent), want)


def test_pow_promotes_its_operands(device):
    x = to_device(device, np.arange(1, 5, dtype="int32"))
    assert (x**2).dtype == np.int32
    assert (x**2.0).dtype == np.float64
    np.testing.assert_array_equal(to_numpy(x**-1.0), 1 / np.arange(1, 5))
