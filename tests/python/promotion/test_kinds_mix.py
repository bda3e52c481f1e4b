# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Dtypes and values of results of mixed kinds: two arrays, an array and a scalar, a floating function of integers."""

import functools
import operator

import numpy as np
import pytest
import skerry as sk

from tests.python.loops import loop_over
from tests.python.oracle import DTYPES, HALVES, assert_same, kind_of, sample, to_device
from tests.python.promotion.kind_rule import common, computed_in, with_scalar

NUMBERS = "iufc"
# Function -> the kinds that it is defined for. Sums and products of bools are bools: see OF_BOOLS.
BINARY = {
    "add": NUMBERS, "multiply": NUMBERS, "divide": "fc", "equal": "b" + NUMBERS, "not_equal": "b" + NUMBERS,
    "less": "iuf", "greater_equal": "iuf", "maximum": "iuf", "minimum": "iuf", "hypot": "f", "atan2": "f",
    "logaddexp": "f", "copysign": "f", "bitwise_and": "biu", "bitwise_xor": "biu", "subtract": NUMBERS,
}  # fmt: skip
NUMPY_NAMES = {"atan2": "arctan2", "asin": "arcsin", "atan": "arctan"}
OF_BOOLS = {"add": "logical_or", "maximum": "logical_or", "multiply": "logical_and", "minimum": "logical_and"}  # fmt: skip
REFUSED_OF_BOOLS = {"subtract"}
UNARY = {
    "sqrt": "fc", "exp": "fc", "sin": "fc", "tanh": "fc", "log1p": "fc", "expm1": "fc", "cbrt": "f", "square": NUMBERS,
    "abs": NUMBERS, "atan": "fc", "reciprocal": "fc", "isfinite": NUMBERS, "isnan": NUMBERS, "signbit": "f",
}  # fmt: skip
FLOATING_REDUCTIONS = {"mean": "fc", "var": "f", "std": "f"}


def counterpart(name):
    return getattr(np, NUMPY_NAMES.get(name, name))


def operands(left, right, device):
    x1 = sample(left, (7,), seed=1, low=1, high=5)
    x2 = sample(right, (7,), seed=2, low=1, high=5)
    return x1, x2, to_device(device, x1), to_device(device, x2)


def check(got, function, arrays, computed, device, label):
    with np.errstate(all="ignore"):
        # skerry computes halves in float32 and rounds the result once, so NumPy computes in float32 here.
        wide = "float32" if computed in HALVES else computed
        want = np.asarray(function(*(x.astype(computed).astype(wide) for x in arrays)))
    dtype = computed if want.dtype == wide else want.dtype
    if kind_of(want.dtype) == "f" and kind_of(computed) == "c":
        dtype = want.dtype
    exact = kind_of(want.dtype) not in "fc"
    assert_same(got, want, device, dtype=dtype, exact=exact, scale=10.0, label=label)


@loop_over("right", DTYPES)
@loop_over("left", DTYPES)
def test_mixed_kinds_promote_to_the_higher_kind(left, right, device):
    x1, x2, mine1, mine2 = operands(left, right, device)
    joint = common(left, right)
    assert common(right, left) == joint
    for name, kinds in BINARY.items():
        function, reference, label = (
            getattr(sk, name),
            counterpart(name),
            f"{name}({left}, {right})",
        )
        computed = None if joint is None else computed_in(joint, kinds)
        if joint == "bool" and name in OF_BOOLS:
            reference, computed = getattr(np, OF_BOOLS[name]), "bool"
        if computed is None or (joint == "bool" and name in REFUSED_OF_BOOLS):
            with pytest.raises(TypeError):
                function(mine1, mine2)
        else:
            check(function(mine1, mine2), reference, (x1, x2), computed, device, label)


@loop_over("right", DTYPES)
@loop_over("left", DTYPES)
def test_where_concat_and_stack_promote_alike(left, right, device):
    x1, x2, mine1, mine2 = operands(left, right, device)
    joint = common(left, right)
    calls = {
        "where": (lambda xp, a, b: xp.where(xp.asarray([True, False] * 3 + [True]), a, b)),
        "concat": lambda xp, a, b: xp.concat([a, b]),
        "stack": lambda xp, a, b: xp.stack([a, b]),
    }
    if joint is None:
        for dtypes in ((left, right), (mine1, right), (mine1, mine2)):
            with pytest.raises(TypeError):
                sk.result_type(*dtypes)
    else:
        assert sk.result_type(left, mine2) == np.dtype(joint)
    for name, call in calls.items():
        with sk.device(device):
            if joint is None:
                with pytest.raises(TypeError):
                    call(sk, mine1, mine2)
            else:
                want = call(np, x1.astype(joint), x2.astype(joint))
                assert_same(call(sk, mine1, mine2), want, device, label=name)


@loop_over("value", [True, 2, 2.5, 2j])
@loop_over("dtype", DTYPES)
def test_scalar_of_a_higher_kind_promotes_the_array(dtype, value, device):
    x = sample(dtype, (5,), low=1, high=5)
    array = to_device(device, x)
    joint = with_scalar(dtype, value)
    assert sk.result_type(dtype, value) == np.dtype(joint)
    for name, kinds in {"add": NUMBERS, "multiply": NUMBERS, "divide": "fc", "equal": "biufc"}.items():  # fmt: skip
        reference, computed = counterpart(name), computed_in(joint, kinds)
        if joint == "bool" and name in OF_BOOLS:
            reference, computed = getattr(np, OF_BOOLS[name]), "bool"
        scalar = np.full((5,), value).astype(computed)
        check(getattr(sk, name)(array, value), reference, (x, scalar), computed, device, name)
        check(getattr(sk, name)(value, array), reference, (scalar, x), computed, device, name)


def test_integer_scalar_must_fit_the_computed_dtype_only(device):
    x = sk.asarray([64, 128], dtype="uint8", device=device)
    assert_same(x / 256, np.array([0.25, 0.5]), device)
    with pytest.raises(OverflowError, match="300"):
        x + 300


@loop_over("dtype", DTYPES)
def test_functions_convert_unsupported_kinds_to_a_default_dtype(dtype, device):
    x = sample(dtype, (4, 3), low=1, high=5)
    array = to_device(device, x)
    for name, kinds in UNARY.items():
        function, computed = getattr(sk, name, None), computed_in(dtype, kinds)
        if function is None:
            continue
        if computed is None or (kind_of(dtype) == "c" and name == "cbrt"):
            with pytest.raises(TypeError):
                function(array)
        else:
            check(function(array), counterpart(name), (x,), computed, device, name)
    for name, kinds in FLOATING_REDUCTIONS.items():
        computed = computed_in(dtype, kinds)
        if computed is None:  # var and std of complex numbers are real: test_numpy_parameters.py
            assert getattr(sk, name)(array).dtype == x.real.dtype
            with sk.strict_promotion(), pytest.raises(TypeError):
                getattr(sk, name)(array)
        elif computed != "float16":
            check(getattr(sk, name)(array), counterpart(name), (x,), computed, device, name)
            along = functools.partial(counterpart(name), axis=0)
            check(getattr(sk, name)(array, axis=0), along, (x,), computed, device, name)


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int64"])
def test_linalg_and_fft_accept_integers(dtype, device):
    x = np.array([[2, 1], [0, 1]]).astype(dtype)
    array, as_real = to_device(device, x), to_device(device, x.astype("float64"))
    for name in ("inv", "det", "svdvals", "qr", "eigvals", "pinv", "matrix_norm", "vector_norm", "matrix_rank"):  # fmt: skip
        function = getattr(sk.linalg, name)
        got, want = function(array), function(as_real)
        for a, b in zip(*(r if isinstance(r, tuple) else (r,) for r in (got, want)), strict=True):
            assert a.dtype == b.dtype
            assert a.device == sk.Device(device)
            assert bool(sk.all(a == b)), name
    for name in ("fft", "ifft", "rfft", "ihfft", "fftn", "rfftn"):
        got, want = getattr(sk.fft, name)(array), getattr(sk.fft, name)(as_real)
        assert got.dtype == np.dtype("complex128")
        assert bool(sk.all(got == want)), name
    right = sk.ones((2,), dtype="float32", device=device)
    assert sk.linalg.solve(array, right).dtype == (array @ right).dtype == np.dtype("float32")
    if dtype != "bool":
        assert_same(sk.linalg.matrix_power(array, 3), np.linalg.matrix_power(x, 3), device)


def test_bool_reductions_and_products_equal_numpy(device):
    x = np.array([[True, False, True], [True, True, True]])
    array = to_device(device, x)
    for name in ("sum", "prod", "max", "min", "argmax", "argmin", "any", "all", "mean"):
        for axis in (None, 0, 1):
            got = getattr(sk, name)(array, axis=axis)
            assert_same(got, getattr(np, name)(x, axis=axis), device, label=name)
    assert_same(sk.cumulative_sum(array, axis=1), np.cumsum(x, axis=1), device)
    assert_same(array @ array.T, x @ x.T, device)
    assert_same(sk.tensordot(array, array, axes=2), np.tensordot(x, x, axes=2), device)
    assert_same(sk.linalg.trace(array), np.trace(x), device)
    for refused in (operator.neg, lambda a: a - a):
        with pytest.raises(TypeError):
            refused(array)
    with pytest.raises(ValueError):
        sk.max(array[:0])


def test_logical_functions_and_where_accept_numbers(device):
    x = np.array([0.0, 2.5, np.nan])
    array = to_device(device, x)
    n = sk.asarray([0, 1, 2], device=device)
    assert_same(sk.logical_and(array, n), np.logical_and(x, [0, 1, 2]), device)
    assert_same(sk.logical_not(n), np.array([True, False, False]), device)
    assert_same(sk.logical_or(n, 2.5), np.array([True] * 3), device)
    assert_same(sk.where(array, n, -1), np.where(x, [0, 1, 2], -1), device)


def test_clip_and_searchsorted_and_isin_promote(device):
    n = sk.asarray([0, 1, 2, 3], device=device)
    assert_same(sk.clip(n, 0.5, 2.5), np.clip(np.arange(4), 0.5, 2.5), device)
    high = sk.asarray([1.0, 1.5, 1.0, 4.0], dtype="float32", device=device)
    assert_same(sk.clip(n, 0, high), np.array([0, 1, 1, 3], dtype="float32"), device)
    assert_same(sk.searchsorted(n, 1.5), np.searchsorted(np.arange(4), 1.5), device)
    assert_same(sk.isin(n, sk.asarray([1.0, 2.5], device=device)), np.array([False, True, False, False]), device)  # fmt: skip


def test_highest_kind_determines_the_dtype_in_any_order(device):
    arrays = [sk.ones((1,), dtype=name, device=device) for name in ("uint64", "int8", "float32")]
    for i in range(3):
        rotated_arrays = arrays[i:] + arrays[:i]
        assert (
            sk.concat(rotated_arrays).dtype
            == sk.result_type(*rotated_arrays)
            == np.dtype("float32")
        )
        assert sk.asarray([x[0] for x in rotated_arrays]).dtype == np.dtype("float32")
    assert sk.asarray([True, 1, 2.5]).dtype == np.dtype("float64")


def test_float_scalar_gives_uint64_and_int8_a_common_dtype():
    assert sk.result_type(sk.uint64, sk.int8, 1.0) == np.dtype("float64")
    assert sk.result_type(sk.uint64, sk.asarray([1]), 1, 1j) == np.dtype("complex128")
    with pytest.raises(sk.exceptions.DTypeError, match="uint64 and int8 don't promote"):
        sk.result_type(sk.uint64, sk.int8, 1)
    with sk.strict_promotion(), pytest.raises(sk.exceptions.DTypeError):
        sk.result_type(sk.uint64, sk.int8, 1.0)
