# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Values that the standard defines and the official suite does not test: promotion, rounding, powers, remainders."""

import itertools
import math
import operator

import numpy as np
import pytest
import skerry as sk

from tests.python.loops import loop_over
from tests.python.oracle import DTYPES, assert_same, to_device, to_numpy

pytestmark = pytest.mark.usefixtures("strict_promotion")

SIGNED, UNSIGNED = ["int8", "int16", "int32", "int64"], ["uint8", "uint16", "uint32", "uint64"]
INTEGERS = SIGNED + UNSIGNED
REAL = ["float16", "bfloat16", "float32", "float64"]
COMPLEX = ["complex64", "complex128"]

# The tables of the standard's page on type promotion, each of which also holds with operands exchanged. float16 and
# bfloat16, which the standard does not have, rank below float32, and give it together.
PROMOTION = {("bool", "bool"): "bool"}
for names in (SIGNED, UNSIGNED, REAL, COMPLEX):
    for i, j in itertools.combinations_with_replacement(range(len(names)), 2):
        PROMOTION[names[i], names[j]] = names[j]
PROMOTION["float16", "bfloat16"] = "float32"
for row, results in {
    "int8": ["int16", "int32", "int64"],
    "int16": ["int16", "int32", "int64"],
    "int32": ["int32", "int32", "int64"],
    "int64": ["int64", "int64", "int64"],
}.items():
    PROMOTION.update(
        {(row, column): result for column, result in zip(UNSIGNED[:3], results, strict=True)}
    )
for real, results in {
    "float16": ["complex64", "complex128"],
    "bfloat16": ["complex64", "complex128"],
    "float32": ["complex64", "complex128"],
    "float64": ["complex128", "complex128"],
}.items():
    PROMOTION.update(
        {(real, column): result for column, result in zip(COMPLEX, results, strict=True)}
    )
PROMOTION.update({(b, a): result for (a, b), result in list(PROMOTION.items())})


@loop_over("left", DTYPES)
@loop_over("right", DTYPES)
def test_promotion_follows_the_table_exactly(left, right, device):
    want = PROMOTION.get((left, right))
    x1, x2 = (sk.ones((2,), dtype=name, device=device) for name in (left, right))
    function = operator.and_ if want == "bool" else operator.mul
    pairs = [(x1, x2), (x1.dtype, x2), (x1, right), (x1.dtype, x2.dtype)]
    if want is None:
        for pair in pairs:
            with pytest.raises(TypeError):
                sk.result_type(*pair)
        for call in (
            lambda: function(x1, x2),
            lambda: x1 == x2,
            lambda: sk.where(x1 == x1, x1, x2),
        ):
            with pytest.raises(TypeError):
                call()
        return
    assert all(sk.result_type(*pair) == np.dtype(want) for pair in pairs)
    assert function(x1, x2).dtype == np.dtype(want)
    assert function(x1, x2[0]).dtype == np.dtype(want), "0-d arrays promote like any other"
    assert (x1 == x2).dtype == np.dtype("bool")
    assert sk.where(x1 == x1, x1, x2).dtype == np.dtype(want)


@loop_over("source", DTYPES)
@loop_over("target", DTYPES)
def test_can_cast_follows_promotion(source, target):
    want = PROMOTION.get((source, target)) == target
    assert sk.can_cast(np.dtype(source), np.dtype(target)) is want
    assert sk.can_cast(sk.ones((2,), dtype=source), np.dtype(target)) is want


def test_promotion_does_not_depend_on_order():
    for permutation in itertools.permutations(["int8", "uint8", "int16", "uint32"]):
        assert sk.result_type(*(np.dtype(name) for name in permutation)) == np.dtype("int64")
    for permutation in itertools.permutations(["float32", "float16", "complex64", "float64"]):
        assert sk.result_type(*(np.dtype(name) for name in permutation)) == np.dtype("complex128")


SCALARS = [
    (True, {"bool": "bool"}),
    (3, {name: name for name in INTEGERS + REAL + COMPLEX}),
    (1.5, {name: name for name in REAL + COMPLEX}),
    (
        2j,
        {
            **dict.fromkeys(["float16", "bfloat16", "float32"], "complex64"),
            "float64": "complex128",
            **{name: name for name in COMPLEX},
        },
    ),
]


@loop_over(("scalar", "results"), SCALARS)
@loop_over("dtype", DTYPES)
def test_python_scalars_take_the_dtype_of_the_array(scalar, results, dtype, device):
    x = sk.ones((3,), dtype=dtype, device=device)
    forward, backward = (
        (operator.and_, lambda a, b: operator.and_(b, a))
        if scalar is True
        else (operator.mul, lambda a, b: operator.mul(b, a))
    )
    if dtype not in results:
        # The standard leaves bool with numbers undefined; here it raises like other mixed kinds.
        for call in (forward, backward):
            with pytest.raises(TypeError):
                call(x, scalar)
        return
    for call in (forward, backward):
        got = call(x, scalar)
        assert_same(got, np.full(3, scalar, dtype=results[dtype]), device)
    assert sk.result_type(x, scalar) == np.dtype(results[dtype])
    assert sk.result_type(scalar, x.dtype) == np.dtype(results[dtype])


REFLECTED = {
    "__radd__": (operator.add, INTEGERS + REAL + COMPLEX),
    "__rsub__": (operator.sub, INTEGERS + REAL + COMPLEX),
    "__rmul__": (operator.mul, INTEGERS + REAL + COMPLEX),
    "__rtruediv__": (operator.truediv, REAL + COMPLEX),
    "__rfloordiv__": (operator.floordiv, INTEGERS + REAL),
    "__rmod__": (operator.mod, INTEGERS + REAL),
    "__rpow__": (operator.pow, INTEGERS + REAL),
    "__rand__": (operator.and_, INTEGERS),
    "__ror__": (operator.or_, INTEGERS),
    "__rxor__": (operator.xor, INTEGERS),
    "__rlshift__": (operator.lshift, INTEGERS),
    "__rrshift__": (operator.rshift, INTEGERS),
}


@pytest.mark.parametrize("name", REFLECTED)
def test_reflected_operators_swap_operands(name, device):
    function, dtypes = REFLECTED[name]
    for dtype in dtypes:
        values = np.array([1, 2, 3, 5], dtype=dtype)
        x = to_device(device, values)
        for scalar in (6, 6.0) if dtype in REAL else (6,):
            # NumPy promotes the scalar as the standard does when it is an array of the dtype.
            want = function(np.array(scalar, dtype=dtype), values)
            exact = dtype in INTEGERS or name not in ("__rpow__", "__rtruediv__")
            assert_same(function(scalar, x), want, device, exact=exact, label=f"{name} {dtype}")
            assert_same(getattr(x, name)(scalar), want, device, exact=exact)
        other = to_device(device, values[::-1].copy())
        got = getattr(x, name)(other)
        assert_same(
            got, function(values[::-1], values), device, exact=exact, label=f"{name} {dtype}"
        )


def wide(dtype, seed, count=20_011):
    """Returns floats of every exponent, including subnormals, with random digits."""
    rng = np.random.default_rng(seed)
    bits = rng.integers(0, 2 ** (8 * np.dtype(dtype).itemsize), count, dtype=f"u{dtype.itemsize}")
    values = bits.view(dtype)
    with np.errstate(invalid="ignore"):  # signaling NaNs
        return np.where(np.isfinite(values), values, dtype.type(1.5))


@pytest.mark.parametrize("dtype", REAL)
def test_arithmetic_is_correctly_rounded(dtype, device):
    dtype = np.dtype(dtype)
    uniform_pair = np.random.default_rng(3).uniform(-2, 2, (2, 20_011)).astype(dtype)
    for a, b in ((wide(dtype, 0), wide(dtype, 1)), uniform_pair):
        x1, x2 = to_device(device, a), to_device(device, b)
        with np.errstate(all="ignore"):
            for function in (np.add, np.subtract, np.multiply, np.divide):
                got = getattr(sk, function.__name__)(x1, x2)
                assert_same(got, function(a, b), device, label=function.__name__)
                assert_same(
                    getattr(sk, function.__name__)(x1, 0.1), function(a, dtype.type(0.1)), device
                )
            positive = np.abs(a)
            assert_same(
                sk.sqrt(to_device(device, positive)), np.sqrt(positive), device, label="sqrt"
            )
            assert_same(sk.reciprocal(x1), dtype.type(1) / a, device, label="reciprocal")
            assert_same(sk.square(x1), a * a, device, label="square")


@pytest.mark.parametrize("dtype", REAL)
def test_products_are_rounded_before_addition(dtype, device):
    """A fused multiply-add would keep digits of the product in x1 * x2 - x3."""
    x = (1 + np.arange(1, 2000) * sk.finfo(dtype).eps).astype(dtype)
    array = to_device(device, x)
    assert_same(array * array - array, x * x - x, device)


@pytest.mark.parametrize("dtype", REAL)
def test_remainder_and_floor_division_equal_python(dtype, device):
    rng = np.random.default_rng(5)
    a = rng.uniform(-1000, 1000, 3001).astype(dtype)
    b = rng.uniform(-7, 7, 3001).astype(dtype)
    with np.errstate(all="ignore"):
        want = np.array([x % y for x, y in zip(a.tolist(), b.tolist(), strict=True)])
    if dtype != "float32":
        assert_same(to_device(device, a) % to_device(device, b), want.astype(dtype), device)
    else:
        np.testing.assert_allclose(
            to_numpy(to_device(device, a) % to_device(device, b)), want, atol=1e-6
        )
    # floor(x1 / x2) of the exact quotient, computed with integers.
    want = [math.floor(fraction(x) / fraction(y)) for x, y in zip(a, b, strict=True)]
    with np.errstate(over="ignore"):
        want = np.array([float(v) for v in want]).astype(dtype)
    assert_same(to_device(device, a) // to_device(device, b), want, device)


def fraction(x):
    from fractions import Fraction

    return Fraction(float(x))


@loop_over("dtype", INTEGERS)
def test_integer_powers_are_exact_modulo_the_width(dtype, device):
    bits = np.iinfo(dtype).bits
    base = np.array([0, 1, 2, 3, 5, 7, 10, 11, 13] + ([-1, -2, -3] if dtype in SIGNED else []))
    exponent = np.arange(14)
    x1, x2 = (part.ravel().astype(dtype) for part in np.meshgrid(base, exponent))
    got = to_numpy(to_device(device, x1) ** to_device(device, x2))
    want = [pow(int(a), int(b), 2**bits) for a, b in zip(x1, x2, strict=True)]
    assert got.view(f"u{bits // 8}").tolist() == want
    assert got.dtype == np.dtype(dtype)


@pytest.mark.parametrize("dtype", REAL)
def test_powers_of_floats(dtype, device):
    rng = np.random.default_rng(9)
    x1, x2 = rng.uniform(0, 30, 4001).astype(dtype), rng.uniform(-8, 8, 4001).astype(dtype)
    with np.errstate(over="ignore"):
        want = np.power(x1.astype("longdouble"), x2.astype("longdouble")).astype(dtype)
    assert_same(to_device(device, x1) ** to_device(device, x2), want, device, exact=False)
    for exponent in (0.5, 1.0, 2.0, -1.0, 3.0, 0.0):
        with np.errstate(all="ignore"):
            want = np.power(x1.astype("longdouble"), exponent).astype(dtype)
        assert_same(
            to_device(device, x1) ** exponent, want, device, exact=False, label=f"** {exponent}"
        )
    cubes = np.array([-3.0, -2.0, -1.0, 2.0, 3.0] * 9, dtype=dtype)
    assert_same(to_device(device, cubes) ** 3.0, cubes * cubes * cubes, device)


@pytest.mark.parametrize("name", ["round", "ceil", "floor", "trunc", "sign", "abs", "positive"])
def test_integer_functions_do_not_convert_to_floats(name, device):
    values = np.array([2**63 - 1, 2**63 - 2, 2**53 + 1, -(2**53) - 1, -(2**63) + 1, 0, 7] * 5)
    want = {"sign": np.sign, "abs": np.abs}.get(name, np.positive)(values)
    assert_same(getattr(sk, name)(to_device(device, values)), want, device)
    large = np.array([2**64 - 1, 2**63 + 1, 0] * 5, dtype="uint64")
    want = {"sign": np.sign}.get(name, np.positive)(large)
    assert_same(getattr(sk, name)(to_device(device, large)), want, device)


SUMS = {
    **dict.fromkeys(SIGNED, "int64"),
    **dict.fromkeys(UNSIGNED, "uint64"),
    **{name: name for name in REAL + COMPLEX},
}


@loop_over("dtype", SUMS)
def test_sums_have_the_default_integer_or_floating_dtype(dtype, device):
    x = to_device(device, np.ones((3, 2), dtype=dtype))
    for name in ("sum", "prod", "cumulative_sum", "cumulative_prod"):
        extra = {"axis": 0} if name.startswith("cumulative") else {}
        got = getattr(sk, name)(x, **extra)
        assert got.dtype == np.dtype(SUMS[dtype]), name
        assert got.device == sk.Device(device)


def test_sums_cast_to_dtype_first(device):
    x = to_device(device, np.full(3, 100, dtype="int64"))
    assert_same(sk.sum(x, dtype=sk.int8), np.array(44, dtype="int8"), device)
    assert_same(sk.prod(x, dtype=sk.uint8), np.array(1_000_000 % 256, dtype="uint8"), device)
    big = to_device(device, np.full(2, 3e38, dtype="float32"))
    assert float(sk.sum(big, dtype=sk.float64)) == pytest.approx(6e38)
    assert float(sk.sum(big)) == math.inf
