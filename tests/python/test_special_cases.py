# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Special cases typed by hand from the text of the array API standard 2025.12.

Every case is checked in both precisions and inside arrays long enough for the vectorised loops, on a CPU device and on
a CUDA device, with the sign of zeros. A real expectation is a float; a complex one is a pair (real, imag), in which
``ANY`` stands for what the standard leaves open.
"""

import math

import numpy as np
import pytest
import skerry as sk
from oracle import on, to_numpy

inf, nan, pi, e = math.inf, math.nan, math.pi, math.e
ANY = None

UNARY = {
    "abs": [(nan, nan), (-0.0, 0.0), (inf, inf), (-inf, inf)],
    "acos": [(nan, nan), (1.5, nan), (-1.5, nan), (1.0, 0.0), (inf, nan)],
    "acosh": [(nan, nan), (0.5, nan), (-3.0, nan), (1.0, 0.0), (inf, inf)],
    "asin": [(nan, nan), (1.5, nan), (-1.5, nan), (0.0, 0.0), (-0.0, -0.0)],
    "asinh": [(nan, nan), (0.0, 0.0), (-0.0, -0.0), (inf, inf), (-inf, -inf)],
    "atan": [(nan, nan), (0.0, 0.0), (-0.0, -0.0), (inf, pi / 2), (-inf, -pi / 2)],
    "atanh": [
        (nan, nan),
        (-1.5, nan),
        (1.5, nan),
        (-1.0, -inf),
        (1.0, inf),
        (0.0, 0.0),
        (-0.0, -0.0),
    ],
    "ceil": [
        (nan, nan),
        (0.0, 0.0),
        (-0.0, -0.0),
        (inf, inf),
        (-inf, -inf),
        (-0.5, -0.0),
        (2.0, 2.0),
    ],
    "cos": [(nan, nan), (0.0, 1.0), (-0.0, 1.0), (inf, nan), (-inf, nan)],
    "cosh": [(nan, nan), (0.0, 1.0), (-0.0, 1.0), (inf, inf), (-inf, inf)],
    "exp": [(nan, nan), (0.0, 1.0), (-0.0, 1.0), (inf, inf), (-inf, 0.0)],
    "expm1": [(nan, nan), (0.0, 0.0), (-0.0, -0.0), (inf, inf), (-inf, -1.0)],
    "floor": [
        (nan, nan),
        (0.0, 0.0),
        (-0.0, -0.0),
        (inf, inf),
        (-inf, -inf),
        (0.5, 0.0),
        (-2.0, -2.0),
    ],
    "log": [(nan, nan), (-1.0, nan), (0.0, -inf), (-0.0, -inf), (1.0, 0.0), (inf, inf)],
    "log1p": [(nan, nan), (-2.0, nan), (-1.0, -inf), (-0.0, -0.0), (0.0, 0.0), (inf, inf)],
    "log2": [(nan, nan), (-1.0, nan), (0.0, -inf), (-0.0, -inf), (1.0, 0.0), (inf, inf)],
    "log10": [(nan, nan), (-1.0, nan), (0.0, -inf), (-0.0, -inf), (1.0, 0.0), (inf, inf)],
    "negative": [(0.0, -0.0), (-0.0, 0.0), (inf, -inf), (nan, nan)],
    "positive": [(0.0, 0.0), (-0.0, -0.0), (nan, nan)],
    "reciprocal": [(nan, nan), (0.0, inf), (-0.0, -inf), (inf, 0.0), (-inf, -0.0)],
    "round": [
        (nan, nan),
        (0.0, 0.0),
        (-0.0, -0.0),
        (0.5, 0.0),
        (1.5, 2.0),
        (2.5, 2.0),
        (-0.5, -0.0),
        (-1.5, -2.0),
        (inf, inf),
        (-inf, -inf),
    ],
    "sign": [(nan, nan), (0.0, 0.0), (-3.0, -1.0), (inf, 1.0), (-inf, -1.0)],
    "sin": [(nan, nan), (0.0, 0.0), (-0.0, -0.0), (inf, nan), (-inf, nan)],
    "sinh": [(nan, nan), (0.0, 0.0), (-0.0, -0.0), (inf, inf), (-inf, -inf)],
    "sqrt": [(nan, nan), (-1.0, nan), (0.0, 0.0), (-0.0, -0.0), (inf, inf)],
    "square": [(nan, nan), (-0.0, 0.0), (-inf, inf)],
    "tan": [(nan, nan), (0.0, 0.0), (-0.0, -0.0), (inf, nan), (-inf, nan)],
    "tanh": [(nan, nan), (0.0, 0.0), (-0.0, -0.0), (inf, 1.0), (-inf, -1.0)],
    "trunc": [(nan, nan), (0.0, 0.0), (-0.0, -0.0), (inf, inf), (-0.9, -0.0), (0.9, 0.0)],
}

BINARY = {
    "add": [
        (nan, 1, nan),
        (inf, -inf, nan),
        (-inf, inf, nan),
        (inf, inf, inf),
        (-0.0, -0.0, -0.0),
        (-0.0, 0.0, 0.0),
        (0.0, -0.0, 0.0),
        (2.5, -2.5, 0.0),
        (inf, 1, inf),
        (1, -inf, -inf),
    ],
    "atan2": [
        (nan, 1, nan),
        (1, nan, nan),
        (1, 0.0, pi / 2),
        (1, -0.0, pi / 2),
        (0.0, 1, 0.0),
        (0.0, 0.0, 0.0),
        (0.0, -0.0, pi),
        (0.0, -1, pi),
        (-0.0, 1, -0.0),
        (-0.0, 0.0, -0.0),
        (-0.0, -0.0, -pi),
        (-0.0, -1, -pi),
        (-1, 0.0, -pi / 2),
        (-1, -0.0, -pi / 2),
        (1, inf, 0.0),
        (1, -inf, pi),
        (-1, inf, -0.0),
        (-1, -inf, -pi),
        (inf, 1, pi / 2),
        (-inf, 1, -pi / 2),
        (inf, inf, pi / 4),
        (inf, -inf, 3 * pi / 4),
        (-inf, inf, -pi / 4),
        (-inf, -inf, -3 * pi / 4),
    ],
    "copysign": [(1, -0.0, -1.0), (-2, 0.0, 2.0), (inf, -1, -inf), (0.0, -1, -0.0)],
    "divide": [
        (nan, 1, nan),
        (inf, inf, nan),
        (0.0, 0.0, nan),
        (0.0, -0.0, nan),
        (0.0, 1, 0.0),
        (-0.0, 1, -0.0),
        (1, 0.0, inf),
        (1, -0.0, -inf),
        (-1, 0.0, -inf),
        (-1, -0.0, inf),
        (inf, 5, inf),
        (inf, -5, -inf),
        (-inf, 5, -inf),
        (-inf, -5, inf),
        (5, inf, 0.0),
        (5, -inf, -0.0),
        (-5, inf, -0.0),
        (-5, -inf, 0.0),
    ],
    "floor_divide": [
        (nan, 1, nan),
        (1, nan, nan),
        (inf, inf, nan),
        (-inf, inf, nan),
        (inf, -inf, nan),
        (0.0, 0.0, nan),
        (-0.0, 0.0, nan),
        (0.0, 3, 0.0),
        (-0.0, 3, -0.0),
        (0.0, -3, -0.0),
        (-0.0, -3, 0.0),
        (3, 0.0, inf),
        (3, -0.0, -inf),
        (-3, 0.0, -inf),
        (-3, -0.0, inf),
        (inf, 5, inf),
        (inf, -5, -inf),
        (-inf, 5, -inf),
        (-inf, -5, inf),
        (5, inf, 0.0),
        (5, -inf, -0.0),
        (-5, inf, -0.0),
        (-5, -inf, 0.0),
        (7, 2, 3.0),
        (-7, 2, -4.0),
        (7, -2, -4.0),
        (-7, -2, 3.0),
        (6, 0.1, 59.0),
    ],
    "hypot": [
        (inf, nan, inf),
        (nan, -inf, inf),
        (nan, 1, nan),
        (3, 4, 5.0),
        (-0.0, -0.0, 0.0),
        (5, 0.0, 5.0),
    ],
    "logaddexp": [
        (nan, 1, nan),
        (1, nan, nan),
        (inf, 1, inf),
        (1, inf, inf),
        (-inf, -inf, -inf),
        (-inf, 2, 2.0),
    ],
    "maximum": [(nan, 1, nan), (1, nan, nan), (inf, 1, inf), (-inf, 1, 1.0)],
    "minimum": [(nan, 1, nan), (1, nan, nan), (inf, 1, 1.0), (-inf, 1, -inf)],
    "multiply": [
        (nan, 1, nan),
        (inf, 0.0, nan),
        (-inf, -0.0, nan),
        (-1, 0.0, -0.0),
        (inf, -2, -inf),
    ],
    "nextafter": [(0.0, -0.0, -0.0), (-0.0, 0.0, 0.0), (nan, 1, nan), (1, nan, nan), (5, 5, 5.0)],
    "pow": [
        (3, 0.0, 1.0),
        (nan, 0.0, 1.0),
        (nan, -0.0, 1.0),
        (inf, 0.0, 1.0),
        (nan, 2, nan),
        (2, nan, nan),
        (2, inf, inf),
        (-2, inf, inf),
        (2, -inf, 0.0),
        (-2, -inf, 0.0),
        (1, inf, 1.0),
        (1, -inf, 1.0),
        (-1, inf, 1.0),
        (0.5, inf, 0.0),
        (-0.5, inf, 0.0),
        (0.5, -inf, inf),
        (inf, 2, inf),
        (inf, -2, 0.0),
        (-inf, 3, -inf),
        (-inf, 2, inf),
        (-inf, 2.5, inf),
        (-inf, -3, -0.0),
        (-inf, -2, 0.0),
        (-inf, -2.5, 0.0),
        (0.0, 2, 0.0),
        (0.0, -2, inf),
        (-0.0, 3, -0.0),
        (-0.0, 2, 0.0),
        (-0.0, 2.5, 0.0),
        (-0.0, -3, -inf),
        (-0.0, -2, inf),
        (-0.0, -2.5, inf),
        (-8, 1 / 3, nan),
        (-2, 3, -8.0),
        (-0.0, 0.5, 0.0),
        (-inf, 0.5, inf),
    ],
    "remainder": [
        (nan, 1, nan),
        (1, nan, nan),
        (inf, 1, nan),
        (-inf, 1, nan),
        (1, 0.0, nan),
        (0.0, 0.0, nan),
        (0.0, 5, 0.0),
        (0.0, -5, -0.0),
        (-0.0, 5, 0.0),
        (-0.0, -5, -0.0),
        (5, inf, 5.0),
        (5, -inf, -inf),
        (-5, inf, inf),
        (-5, -inf, -5.0),
        (7, 3, 1.0),
        (-7, 3, 2.0),
        (7, -3, -2.0),
        (-7, -3, -1.0),
        (6, 3, 0.0),
        (6, -3, -0.0),
        (-6, 3, 0.0),
    ],
    "subtract": [(inf, inf, nan), (2.5, 2.5, 0.0), (-0.0, 0.0, -0.0), (0.0, 0.0, 0.0)],
}

PREDICATES = {
    "isfinite": [(nan, False), (inf, False), (-inf, False), (1, True)],
    "isinf": [(nan, False), (inf, True), (-inf, True), (1, False)],
    "isnan": [(nan, True), (inf, False), (1, False)],
    "signbit": [
        (0.0, False),
        (-0.0, True),
        (inf, False),
        (-inf, True),
        (nan, False),
        (-nan, True),
        (-2, True),
    ],
}

# (real, imag) -> (real, imag). Rows whose conjugate follows by symmetry are checked conjugated too where marked.
COMPLEX = {
    "acos": [
        ((0.0, 0.0), (pi / 2, -0.0)),
        ((-0.0, 0.0), (pi / 2, -0.0)),
        ((0.0, nan), (pi / 2, nan)),
        ((1.0, inf), (pi / 2, -inf)),
        ((1.0, nan), (nan, nan)),
        ((-inf, 1.0), (pi, -inf)),
        ((inf, 1.0), (0.0, -inf)),
        ((-inf, inf), (3 * pi / 4, -inf)),
        ((inf, inf), (pi / 4, -inf)),
        ((nan, inf), (nan, -inf)),
        ((nan, nan), (nan, nan)),
    ],
    "acosh": [
        ((0.0, 0.0), (0.0, pi / 2)),
        ((-0.0, 0.0), (0.0, pi / 2)),
        ((1.0, inf), (inf, pi / 2)),
        ((0.0, nan), (nan, ANY)),
        ((1.0, nan), (nan, nan)),
        ((-inf, 1.0), (inf, pi)),
        ((inf, 1.0), (inf, 0.0)),
        ((-inf, inf), (inf, 3 * pi / 4)),
        ((inf, inf), (inf, pi / 4)),
        ((inf, nan), (inf, nan)),
        ((-inf, nan), (inf, nan)),
        ((nan, inf), (inf, nan)),
        ((nan, 1.0), (nan, nan)),
        ((nan, nan), (nan, nan)),
    ],
    "asinh": [
        ((0.0, 0.0), (0.0, 0.0)),
        ((1.0, inf), (inf, pi / 2)),
        ((1.0, nan), (nan, nan)),
        ((inf, 1.0), (inf, 0.0)),
        ((inf, inf), (inf, pi / 4)),
        ((inf, nan), (inf, nan)),
        ((nan, 0.0), (nan, 0.0)),
        ((nan, 1.0), (nan, nan)),
        ((nan, nan), (nan, nan)),
    ],
    "atanh": [
        ((0.0, 0.0), (0.0, 0.0)),
        ((0.0, nan), (0.0, nan)),
        ((1.0, 0.0), (inf, 0.0)),
        ((1.0, inf), (0.0, pi / 2)),
        ((1.0, nan), (nan, nan)),
        ((inf, 1.0), (0.0, pi / 2)),
        ((inf, inf), (0.0, pi / 2)),
        ((inf, nan), (0.0, nan)),
        ((nan, 1.0), (nan, nan)),
        ((nan, nan), (nan, nan)),
    ],
    "cosh": [
        ((0.0, 0.0), (1.0, 0.0)),
        ((0.0, inf), (nan, ANY)),
        ((0.0, nan), (nan, ANY)),
        ((1.0, inf), (nan, nan)),
        ((1.0, nan), (nan, nan)),
        ((inf, 0.0), (inf, 0.0)),
        ((inf, inf), (inf, nan)),
        ((inf, nan), (inf, nan)),
        ((nan, 0.0), (nan, ANY)),
        ((nan, 1.0), (nan, nan)),
        ((nan, nan), (nan, nan)),
    ],
    "exp": [
        ((0.0, 0.0), (1.0, 0.0)),
        ((-0.0, 0.0), (1.0, 0.0)),
        ((1.0, inf), (nan, nan)),
        ((1.0, nan), (nan, nan)),
        ((inf, 0.0), (inf, 0.0)),
        ((-inf, 1.0), (0.0, 0.0)),
        ((inf, 1.0), (inf, inf)),
        ((-inf, inf), (0.0, 0.0)),
        ((inf, inf), (inf, nan)),
        ((-inf, nan), (0.0, 0.0)),
        ((inf, nan), (inf, nan)),
        ((nan, 0.0), (nan, 0.0)),
        ((nan, 1.0), (nan, nan)),
        ((nan, nan), (nan, nan)),
    ],
    "expm1": [
        ((0.0, 0.0), (0.0, 0.0)),
        ((-0.0, 0.0), (0.0, 0.0)),
        ((1.0, inf), (nan, nan)),
        ((1.0, nan), (nan, nan)),
        ((inf, 0.0), (inf, 0.0)),
        ((-inf, 1.0), (-1.0, 0.0)),
        ((-inf, inf), (-1.0, 0.0)),
        ((inf, inf), (inf, nan)),
        ((-inf, nan), (-1.0, 0.0)),
        ((inf, nan), (inf, nan)),
        ((nan, 0.0), (nan, 0.0)),
        ((nan, 1.0), (nan, nan)),
        ((nan, nan), (nan, nan)),
    ],
    "log": [
        ((-0.0, 0.0), (-inf, pi)),
        ((0.0, 0.0), (-inf, 0.0)),
        ((1.0, inf), (inf, pi / 2)),
        ((1.0, nan), (nan, nan)),
        ((-inf, 1.0), (inf, pi)),
        ((inf, 1.0), (inf, 0.0)),
        ((-inf, inf), (inf, 3 * pi / 4)),
        ((inf, inf), (inf, pi / 4)),
        ((-inf, nan), (inf, nan)),
        ((inf, nan), (inf, nan)),
        ((nan, 1.0), (nan, nan)),
        ((nan, inf), (inf, nan)),
        ((nan, nan), (nan, nan)),
    ],
    "log1p": [
        ((-1.0, 0.0), (-inf, 0.0)),
        ((1.0, inf), (inf, pi / 2)),
        ((1.0, nan), (nan, nan)),
        ((-inf, 1.0), (inf, pi)),
        ((inf, 1.0), (inf, 0.0)),
        ((-inf, inf), (inf, 3 * pi / 4)),
        ((inf, inf), (inf, pi / 4)),
        ((inf, nan), (inf, nan)),
        ((nan, 1.0), (nan, nan)),
        ((nan, inf), (inf, nan)),
        ((nan, nan), (nan, nan)),
    ],
    "sign": [((0.0, 0.0), (0.0, 0.0)), ((-0.0, -0.0), (0.0, 0.0)), ((3.0, 4.0), (0.6, 0.8))],
    "sinh": [
        ((0.0, 0.0), (0.0, 0.0)),
        ((0.0, inf), (ANY, nan)),
        ((0.0, nan), (ANY, nan)),
        ((1.0, inf), (nan, nan)),
        ((1.0, nan), (nan, nan)),
        ((inf, 0.0), (inf, 0.0)),
        ((inf, inf), (ANY, nan)),
        ((inf, nan), (ANY, nan)),
        ((nan, 0.0), (nan, 0.0)),
        ((nan, 1.0), (nan, nan)),
        ((nan, nan), (nan, nan)),
    ],
    "sqrt": [
        ((0.0, 0.0), (0.0, 0.0)),
        ((-0.0, 0.0), (0.0, 0.0)),
        ((1.0, inf), (inf, inf)),
        ((nan, inf), (inf, inf)),
        ((1.0, nan), (nan, nan)),
        ((-inf, 1.0), (0.0, inf)),
        ((inf, 1.0), (inf, 0.0)),
        ((-inf, nan), (nan, ANY)),
        ((inf, nan), (inf, nan)),
        ((nan, 1.0), (nan, nan)),
        ((nan, nan), (nan, nan)),
    ],
    "tanh": [
        ((0.0, 0.0), (0.0, 0.0)),
        ((1.0, inf), (nan, nan)),
        ((1.0, nan), (nan, nan)),
        ((inf, 1.0), (1.0, 0.0)),
        ((inf, 3.0), (1.0, 0.0)),
        ((inf, inf), (1.0, ANY)),
        ((inf, nan), (1.0, ANY)),
        ((nan, 0.0), (nan, 0.0)),
        ((nan, 1.0), (nan, nan)),
        ((nan, nan), (nan, nan)),
        ((0.0, nan), (0.0, nan)),
        ((0.0, inf), (0.0, nan)),
    ],
}

WHERE = ["cpu:0", "cuda:0"]
LENGTH = 37  # whole vectors of every instruction set, and a tail


def assert_value(got, want, what):
    """Every element equals ``want``: NaN as NaN, zeros with their sign, others to a few units in the last place."""
    for value in np.unique(got.view(f"u{got.itemsize}")).view(got.dtype):
        value = float(value)
        if math.isnan(want):
            assert math.isnan(value), f"{what}: {value} instead of nan"
        elif want == 0 or math.isinf(want):
            same = value == want and math.copysign(1, value) == math.copysign(1, want)
            assert same, f"{what}: {value} instead of {want}"
        else:
            tolerance = 4 * float(np.finfo(got.dtype).eps)
            assert abs(value - want) <= tolerance * abs(want), f"{what}: {value} instead of {want}"


def run(name, dtype, where, *values):
    args = [on(where, np.full(LENGTH, value, dtype=dtype)) for value in values]
    return to_numpy(getattr(sk, name)(*args))


@pytest.mark.parametrize("where", WHERE)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", UNARY)
def test_unary_special_cases(name, dtype, where):
    for x, want in UNARY[name]:
        assert_value(run(name, dtype, where, x), want, f"{name}({x}) in {dtype} on {where}")


@pytest.mark.parametrize("where", WHERE)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", BINARY)
def test_binary_special_cases(name, dtype, where):
    for x1, x2, want in BINARY[name]:
        if (name, x1, x2) == ("floor_divide", 6, 0.1) and dtype == "float32":
            continue  # a case of the rounding of 0.1 in float64
        assert_value(
            run(name, dtype, where, x1, x2), want, f"{name}({x1}, {x2}) in {dtype} on {where}"
        )


@pytest.mark.parametrize("where", WHERE)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", PREDICATES)
def test_predicates(name, dtype, where):
    for x, want in PREDICATES[name]:
        got = run(name, dtype, where, x)
        assert got.dtype == bool
        assert np.all(got == want), f"{name}({x}) in {dtype} on {where}"


@pytest.mark.parametrize("where", WHERE)
@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize("name", COMPLEX)
def test_complex_special_cases(name, dtype, where):
    for z, want in COMPLEX[name]:
        got = run(name, dtype, where, complex(*z))
        for part, expected in zip((got.real, got.imag), want, strict=True):
            if expected is not ANY:
                assert_value(
                    np.ascontiguousarray(part),
                    expected,
                    f"{name}({z}) = {got[0]} in {dtype} on {where}",
                )


@pytest.mark.parametrize("where", WHERE)
@pytest.mark.parametrize(
    "dtype", ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
)
def test_integer_edges_are_defined_and_raise_no_signal(dtype, where):
    bounds = np.iinfo(dtype)
    bits = bounds.bits
    low = on(where, np.full(LENGTH, bounds.min, dtype=dtype))
    zero = on(where, np.zeros(LENGTH, dtype=dtype))
    for name in ("floor_divide", "remainder"):
        assert getattr(sk, name)(low, zero).shape == (LENGTH,)
    if bounds.min < 0:
        minus_one = on(where, np.full(LENGTH, -1, dtype=dtype))
        assert sk.floor_divide(low, minus_one).shape == (LENGTH,)
        assert np.all(to_numpy(sk.remainder(low, minus_one)) == 0)
        assert np.all(to_numpy(sk.abs(low)) == bounds.min)
        assert np.all(to_numpy(sk.bitwise_right_shift(minus_one, zero + bits)) == -1)
    five = zero + 5
    for shift in (bits, bits + 1):
        assert np.all(to_numpy(sk.bitwise_left_shift(five, zero + shift)) == 0)
        assert np.all(to_numpy(sk.bitwise_right_shift(five, zero + shift)) == 0)
    assert np.all(to_numpy(sk.negative(five)) == np.negative(np.asarray(5, dtype=dtype)))


@pytest.mark.parametrize("where", WHERE)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_clip_propagates_nan_and_takes_infinite_bounds(dtype, where):
    x = on(where, np.array([nan, -inf, -2, 0.5, 3, inf] * 7, dtype=dtype))
    assert np.array_equal(
        to_numpy(sk.clip(x, -1, 1)),
        np.array([nan, -1, -1, 0.5, 1, 1] * 7, dtype=dtype),
        equal_nan=True,
    )
    assert np.array_equal(to_numpy(sk.clip(x)), to_numpy(x), equal_nan=True)
    assert np.array_equal(
        to_numpy(sk.clip(x, min=0)),
        np.array([nan, 0, 0, 0.5, 3, inf] * 7, dtype=dtype),
        equal_nan=True,
    )
    assert np.all(np.isnan(to_numpy(sk.clip(x, nan, 1))))
