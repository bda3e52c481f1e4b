# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Complex special cases of the standard in both precisions, for every kind of loop, on CPU and CUDA devices."""

import math

import numpy as np
import pytest
import skerry as sk

from tests.python.elementwise.complex_special_values import ANY, Unsigned, all_cases
from tests.python.loops import loop_over
from tests.python.oracle import to_device, to_numpy

inf, nan = math.inf, math.nan
CASES = all_cases()
WHERE = ["cpu:0", "cuda:0"]
DTYPES = ["complex64", "complex128"]


def fits(got, want, eps):
    """True if a part is as expected: NaN, zeros with their sign, other numbers to a few units in the last place."""
    if want is ANY:
        return True
    if isinstance(want, Unsigned):
        return fits(abs(got), want.value, eps)
    if math.isnan(want):
        return math.isnan(got)
    if want == 0 or math.isinf(want):
        return got == want and math.copysign(1, got) == math.copysign(1, want)
    return abs(got - want) <= 4 * eps * abs(want)


def check(name, got, cases):
    eps = float(np.finfo(got.dtype).eps)
    wrong = [
        f"{name}({z[0]}, {z[1]}) = ({value.real}, {value.imag}) instead of {want}"
        for value, (z, want) in zip(got.tolist(), cases, strict=True)
        if not (fits(value.real, want[0], eps) and fits(value.imag, want[1], eps))
    ]
    assert not wrong, "\n".join(wrong)


def layouts(values, device):
    """Yields the same elements in contiguous, stepped, reversed and 2-D memory."""
    x = to_device(device, values)
    yield x
    stepped = to_device(device, np.repeat(values, 3))[1::3]
    yield stepped
    yield to_device(device, np.ascontiguousarray(values[::-1]))[::-1]


@pytest.mark.parametrize("device", WHERE)
@loop_over("dtype", DTYPES)
@pytest.mark.parametrize("name", CASES)
def test_complex_special_cases_in_one_array(name, dtype, device):
    values = np.array([complex(*z) for z, _ in CASES[name]], dtype=dtype)
    for x in layouts(values, device):
        check(name, to_numpy(getattr(sk, name)(x)), CASES[name])


@pytest.mark.parametrize("device", WHERE)
@loop_over("dtype", DTYPES)
@pytest.mark.parametrize("name", CASES)
def test_complex_special_cases_alone_and_repeated(name, dtype, device):
    function = getattr(sk, name)
    for z, want in CASES[name]:
        values = np.full(37, complex(*z), dtype=dtype)
        got = to_numpy(function(to_device(device, values)))
        check(name, got, [(z, want)] * 37)
        check(name, to_numpy(function(to_device(device, values[0, ...]))).reshape(1), [(z, want)])


SOME = [nan, inf, -inf, 0.0, -0.0, 1.5, -2.0]


@pytest.fixture(params=DTYPES)
def grid(request):
    """Returns complex values with all pairs of notable parts."""
    real, imag = (part.ravel() for part in np.meshgrid(SOME, SOME))
    z = np.empty(real.size, dtype=request.param)
    z.real, z.imag = real, imag
    return z


@pytest.mark.parametrize("device", WHERE)
def test_abs_of_infinity_with_nan_is_infinite(grid, device):
    got = to_numpy(sk.abs(to_device(device, grid)))
    infinite = np.isinf(grid.real) | np.isinf(grid.imag)
    assert np.all(got[infinite] == inf)
    nans = np.isnan(grid) & ~infinite
    assert np.all(np.isnan(got[nans]))
    axis = (grid.real == 0) & ~np.isnan(grid.imag) & ~infinite
    assert np.array_equal(got[axis], np.abs(grid.imag[axis]))
    assert not np.any(np.signbit(got[~nans]))


@pytest.mark.parametrize("device", WHERE)
def test_predicates_check_both_parts(grid, device):
    x = to_device(device, grid)
    real, imag = grid.real, grid.imag
    assert np.array_equal(to_numpy(sk.isnan(x)), np.isnan(real) | np.isnan(imag))
    assert np.array_equal(to_numpy(sk.isinf(x)), np.isinf(real) | np.isinf(imag))
    assert np.array_equal(to_numpy(sk.isfinite(x)), np.isfinite(real) & np.isfinite(imag))


@pytest.mark.parametrize("device", WHERE)
def test_complex_equality_and_sums_are_componentwise(grid, device):
    x1, x2 = (a.ravel() for a in np.meshgrid(grid, grid))
    mine1, mine2 = to_device(device, x1), to_device(device, x2)
    same = (x1.real == x2.real) & (x1.imag == x2.imag)
    assert np.array_equal(to_numpy(mine1 == mine2), same)
    assert np.array_equal(to_numpy(mine1 != mine2), ~same)
    with np.errstate(invalid="ignore"):
        for got, real, imag in [
            (mine1 + mine2, x1.real + x2.real, x1.imag + x2.imag),
            (mine1 - mine2, x1.real - x2.real, x1.imag - x2.imag),
        ]:
            got = to_numpy(got)
            for part, want in ((got.real, real), (got.imag, imag)):
                np.testing.assert_array_equal(part, want)
                numbers = ~np.isnan(want)
                assert np.array_equal(np.signbit(part[numbers]), np.signbit(want[numbers]))


@pytest.mark.parametrize("device", WHERE)
def test_products_and_quotients_of_nan_are_nan(grid, device):
    nans = to_device(device, np.full_like(grid, complex(nan, nan)))
    for function in (sk.multiply, sk.divide):
        got = to_numpy(function(nans, nans))
        assert np.all(np.isnan(got.real) & np.isnan(got.imag))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("index", [slice(None), slice(1)])
def test_quotients_do_not_depend_on_extreme_neighbours(dtype, index):
    rng = np.random.default_rng(5)
    z = rng.normal(size=(2, 2048, 2)) * np.exp(20 * rng.normal(size=(2, 2048, 1)))
    x, y = (part.astype(dtype).ravel() for part in z.view("complex128"))
    got = to_numpy(sk.divide(to_device("cpu:0", x), to_device("cpu:0", y[index])))
    extreme = x.copy()
    extreme[::64] = np.resize([0, inf, nan, complex(0, inf), complex(-inf, nan)], 32)
    extreme_result = to_numpy(sk.divide(to_device("cpu:0", extreme), to_device("cpu:0", y[index])))
    same = x == extreme
    assert 0 < np.count_nonzero(~same) <= 32
    assert got[same].tobytes() == extreme_result[same].tobytes()


@pytest.mark.parametrize("device", WHERE)
@pytest.mark.parametrize("dtype", DTYPES)
def test_round_is_componentwise(dtype, device):
    parts = [0.5, -0.5, 1.5, 2.5, -1.5, nan, inf, -inf, 0.0, -0.0]
    z = np.array([complex(a, b) for a in parts for b in reversed(parts)], dtype=dtype)
    got = to_numpy(sk.round(to_device(device, z)))
    np.testing.assert_array_equal(got.real, np.round(z.real))
    np.testing.assert_array_equal(got.imag, np.round(z.imag))
    for part, want in ((got.real, z.real), (got.imag, z.imag)):
        assert np.array_equal(np.signbit(part), np.signbit(want)) or np.any(np.isnan(want))


@pytest.mark.parametrize("device", WHERE)
@pytest.mark.parametrize("dtype", DTYPES)
def test_huge_arguments_do_not_overflow_in_between(dtype, device):
    big = 1e18 if dtype == "complex64" else 1e153
    z = np.array([complex(big, big), complex(-big, 2 * big), complex(3 * big, -4 * big)] * 5)
    x = to_device(device, z.astype(dtype))
    eps = float(np.finfo(dtype).eps)
    assert np.allclose(to_numpy(sk.divide(x, x)), 1, rtol=0, atol=4 * eps)
    assert np.allclose(to_numpy(sk.abs(sk.sign(x))), 1, rtol=0, atol=4 * eps)
    assert np.allclose(to_numpy(sk.reciprocal(x)) * z, 1, rtol=0, atol=8 * eps)
    assert np.allclose(to_numpy(sk.abs(x)), np.abs(z), rtol=4 * eps, atol=0)
    for name in ("acos", "acosh", "asin", "asinh", "atan", "atanh", "sqrt", "log"):
        got = to_numpy(getattr(sk, name)(x)).astype("complex128")
        assert np.allclose(got, reference(name, z), rtol=1e-5), name


def reference(name, z):
    import cmath

    return np.array([getattr(cmath, name)(value) for value in z.tolist()])
