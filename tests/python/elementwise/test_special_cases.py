# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Special cases of the standard for real arguments, integers, and conversions to Python scalars.

Every case is checked in each precision, alone, repeated for the vectorised loops, and in one array with the others in
contiguous, strided and reversed memory, on a CPU and a CUDA device, with the sign of zeros.
"""

import math
import operator

import numpy as np
import pytest
import skerry as sk

from tests.python.elementwise.real_special_values import (
    ALL,
    BINARY,
    OPERATORS,
    PREDICATES,
    UNARY,
    binary_cases,
    fitting,
)
from tests.python.loops import loop_over
from tests.python.oracle import to_device, to_numpy

inf, nan = math.inf, math.nan
WHERE = ["cpu:0", "cuda:0"]
FLOATS = ["float16", "float32", "float64"]
LENGTH = 37  # whole vectors of every instruction set, and a tail


def check(got, want, labels):
    """Asserts that every element is as expected: NaN, zeros with their sign, others to a few units in the last place."""
    want = np.asarray(want, dtype=got.dtype)
    tolerance = 4 * np.finfo(got.dtype).eps * np.abs(want)
    with np.errstate(invalid="ignore"):
        fits = (got == want) | (np.abs(got - want) <= np.where(np.isfinite(want), tolerance, -1))
    fits &= (want != 0) | (np.signbit(got) == np.signbit(want))
    fits |= np.isnan(got) & np.isnan(want)
    wrong = [f"{labels[i]} = {got[i]} instead of {want[i]}" for i in np.flatnonzero(~fits)]
    assert not wrong, "\n".join(wrong)


def layouts(values, device):
    """Yields the elements in contiguous, strided and reversed memory."""
    yield to_device(device, values)
    yield to_device(device, np.repeat(values, 3))[1::3]
    yield to_device(device, np.ascontiguousarray(values[::-1]))[::-1]


@pytest.mark.parametrize("device", WHERE)
@loop_over("dtype", FLOATS)
@pytest.mark.parametrize("name", UNARY)
def test_unary_special_cases(name, dtype, device):
    function = getattr(sk, name)
    values = np.array([x for x, _ in UNARY[name]] * 9, dtype=dtype)
    want = [result for _, result in UNARY[name]] * 9
    for x in layouts(values, device):
        check(to_numpy(function(x)), want, [f"{name}({value})" for value in values])
    for x, result in UNARY[name]:
        alone = np.full(LENGTH, x, dtype=dtype)
        check(
            to_numpy(function(to_device(device, alone))),
            [result] * LENGTH,
            [f"{name}({x})"] * LENGTH,
        )
        check(
            to_numpy(function(to_device(device, alone)[0])).reshape(1),
            [result],
            [f"{name}({x}) 0-d"],
        )


@pytest.mark.parametrize("device", WHERE)
@loop_over("dtype", FLOATS)
@pytest.mark.parametrize("name", BINARY)
def test_binary_special_cases(name, dtype, device):
    function = getattr(sk, name)
    cases = binary_cases(name, dtype)
    left, right = (np.array([case[i] for case in cases], dtype=dtype) for i in (0, 1))
    want, labels = [case[2] for case in cases], [f"{name}{case[:2]}" for case in cases]
    for x1, x2 in zip(layouts(left, device), layouts(right, device), strict=True):
        check(to_numpy(function(x1, x2)), want, labels)
    for x1, x2, result in cases:
        arrays = [to_device(device, np.full(LENGTH, x, dtype=dtype)) for x in (x1, x2)]
        label = [f"{name}({x1}, {x2})"] * LENGTH
        check(to_numpy(function(*arrays)), [result] * LENGTH, label)
        for got in (
            function(arrays[0], x2),
            function(x1, arrays[1]),
            function(arrays[0], arrays[1][0]),
        ):
            assert got.dtype == np.dtype(dtype)
            check(to_numpy(got), [result] * LENGTH, label)
        check(to_numpy(function(arrays[0][0], arrays[1][0])).reshape(1), [result], label)


@pytest.mark.parametrize("device", WHERE)
@loop_over("dtype", FLOATS)
@pytest.mark.parametrize("name", OPERATORS)
def test_operators_have_the_special_cases_of_their_functions(name, dtype, device):
    plain, in_place = OPERATORS[name]
    for x1, x2, result in binary_cases(name, dtype):
        left, right = (to_device(device, np.full(LENGTH, x, dtype=dtype)) for x in (x1, x2))
        label = [f"{x1} {name} {x2}"] * LENGTH
        for got in (plain(left, right), plain(left, x2), plain(x1, right)):
            check(to_numpy(got), [result] * LENGTH, label)
        for other in (right, x2, right[0]):
            target = to_device(device, np.full(LENGTH, x1, dtype=dtype))
            check(to_numpy(in_place(target, other)), [result] * LENGTH, label)


@pytest.mark.parametrize("device", WHERE)
@loop_over("dtype", FLOATS)
@pytest.mark.parametrize("name", PREDICATES)
def test_predicates_of_special_values(name, dtype, device):
    for x, want in PREDICATES[name]:
        got = to_numpy(getattr(sk, name)(to_device(device, np.full(LENGTH, x, dtype=dtype))))
        assert got.dtype == bool
        assert np.all(got == want), f"{name}({x}) in {dtype} on {device}"


@pytest.mark.parametrize("device", WHERE)
@pytest.mark.parametrize("dtype", FLOATS)
def test_comparisons_of_nan_infinities_and_zeros(dtype, device):
    values = np.array([fitting(x, dtype) for x in ALL], dtype)
    x1, x2 = (part.ravel() for part in np.meshgrid(values, values))
    pairs = list(zip(x1.tolist(), x2.tolist(), strict=True))
    for function in (operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge):
        got = to_numpy(function(to_device(device, x1), to_device(device, x2)))
        assert got.tolist() == [function(a, b) for a, b in pairs], function.__name__


@pytest.mark.parametrize("device", WHERE)
@pytest.mark.parametrize("dtype", FLOATS)
def test_copysign_with_nan(dtype, device):
    nans = np.array([nan, -nan] * LENGTH, dtype=dtype)
    nans = np.copysign(nans, np.array([1, -1] * LENGTH, dtype=dtype))
    negative = np.array([False, True] * LENGTH)
    for x1 in (nans, nans[::-1].copy(), np.full_like(nans, 3), np.full_like(nans, -inf)):
        got = to_numpy(sk.copysign(to_device(device, x1), to_device(device, nans)))
        assert np.array_equal(np.signbit(got), negative)
        assert np.array_equal(np.abs(got), np.abs(x1), equal_nan=True)
        for x2 in (-2.0, -0.0, 0.0, inf):
            got = to_numpy(sk.copysign(to_device(device, nans), x2))
            assert np.all(np.isnan(got))
            assert np.all(np.signbit(got) == (math.copysign(1, x2) < 0))
    assert np.array_equal(to_numpy(sk.signbit(to_device(device, nans))), negative)


@pytest.mark.parametrize("device", WHERE)
@pytest.mark.parametrize(
    "dtype", ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
)
def test_integer_edges_are_defined_and_raise_no_signal(dtype, device):
    bounds = np.iinfo(dtype)
    bits = bounds.bits
    low = to_device(device, np.full(LENGTH, bounds.min, dtype=dtype))
    zero = to_device(device, np.zeros(LENGTH, dtype=dtype))
    for name in ("floor_divide", "remainder"):
        assert getattr(sk, name)(low, zero).shape == (LENGTH,)
    if bounds.min < 0:
        minus_one = to_device(device, np.full(LENGTH, -1, dtype=dtype))
        assert sk.floor_divide(low, minus_one).shape == (LENGTH,)
        assert np.all(to_numpy(sk.remainder(low, minus_one)) == 0)
        assert np.all(to_numpy(sk.abs(low)) == bounds.min)
        assert np.all(to_numpy(sk.bitwise_right_shift(minus_one, zero + bits)) == -1)
    five = zero + 5
    for shift in (bits, bits + 1):
        assert np.all(to_numpy(sk.bitwise_left_shift(five, zero + shift)) == 0)
        assert np.all(to_numpy(sk.bitwise_right_shift(five, zero + shift)) == 0)
    assert np.all(to_numpy(sk.negative(five)) == np.negative(np.asarray(5, dtype=dtype)))


@pytest.mark.parametrize("device", WHERE)
@pytest.mark.parametrize("dtype", FLOATS)
def test_clip_propagates_nan_and_takes_infinite_bounds(dtype, device):
    x = to_device(device, np.array([nan, -inf, -2, 0.5, 3, inf] * 7, dtype=dtype))
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


@pytest.mark.parametrize("dtype", FLOATS)
def test_clip_by_scalars_and_by_arrays_gives_the_same_bits(dtype):
    """The signs of zeros are equal too; the bits of NaNs are unspecified."""
    values = [-0.0, 0.0, 1.0, -1.0, nan, inf, -inf, 5e-324, 2.0]
    x = np.asarray(values * 5, dtype=dtype)
    for low in values:
        for high in values:
            single = to_numpy(sk.clip(to_device("cpu:0", x), low, high))
            bounds = [to_device("cpu:0", np.full_like(x, bound)) for bound in (low, high)]
            array_result = to_numpy(sk.clip(to_device("cpu:0", x), *bounds))
            assert np.array_equal(single, array_result, equal_nan=True), (low, high)
            signs = [np.signbit(y)[~np.isnan(y)] for y in (single, array_result)]
            assert np.array_equal(*signs), (low, high)


@pytest.mark.parametrize("device", WHERE)
@pytest.mark.parametrize("dtype", FLOATS)
def test_special_values_convert_to_python_scalars(dtype, device):
    for value, truth in [(nan, True), (inf, True), (-inf, True), (0.0, False), (-0.0, False)]:
        x = sk.asarray(value, dtype=dtype, device=device)
        assert bool(x) is truth
        assert math.copysign(1, float(x)) == math.copysign(1, value)
        assert math.isnan(complex(x).real) == math.isnan(value)
    assert int(sk.asarray(-0.0, dtype=dtype, device=device)) == 0
    assert int(sk.asarray(-2.75, dtype=dtype, device=device)) == -2
    for z, truth in [(complex(0, nan), True), (complex(-0.0, 0.0), False), (1j, True)]:
        assert bool(sk.asarray(z, device=device)) is truth


def test_real_of_real_arrays_is_the_array(device):
    for dtype in ("int32", "float16", "float64"):
        x = sk.ones((3,), dtype=dtype, device=device)
        assert sk.real(x) is x
    z = sk.ones((3,), dtype="complex128", device=device)
    assert sk.real(z) is not z
