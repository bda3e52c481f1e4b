# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""In-place operations and assignments never lose values; an explicit ``dtype=`` converts."""

import operator

import numpy as np
import pytest
import skerry as sk

from tests.python.loops import loop_over
from tests.python.oracle import DTYPES, assert_same, sample, to_device
from tests.python.promotion.kind_rule import common


@loop_over("right", DTYPES)
@loop_over("left", DTYPES)
def test_in_place_target_keeps_its_dtype(left, right, device):
    x1, x2 = sample(left, (5,), 1, 1, 5), sample(right, (5,), 2, 1, 5)
    target, other = to_device(device, x1), to_device(device, x2)
    if common(left, right) == left:
        target *= other
        want = x1 & x2 if left == "bool" else x1.astype(left) * x2.astype(left)
        assert_same(target, want, device, dtype=left, exact=np.dtype(left).kind != "c")
        target[...] = other
        assert_same(target, x2.astype(left), device)
    else:
        with pytest.raises(TypeError):
            operator.imul(target, other)
        with pytest.raises(TypeError, match="astype"):
            target[...] = other
        with pytest.raises(TypeError, match="astype"):
            target[other == other] = other
        assert_same(target, x1, device)


def test_higher_kind_in_place_raises_and_says_so(device):
    n = sk.arange(3, device=device)
    mask = sk.asarray([True, False], device=device)
    for call in (
        lambda: operator.iadd(n, 0.5),
        lambda: operator.itruediv(n, 2),
        lambda: operator.imul(n, 1j),
        lambda: operator.iadd(mask, 1),
        lambda: operator.iadd(n, sk.ones((3,), device=device)),
    ):
        with pytest.raises(TypeError, match="can't be stored in place in x1"):
            call()
    assert_same(n, np.arange(3), device)
    mask += True
    assert_same(mask, np.array([True, True]), device)


@pytest.mark.parametrize(
    ("dtype", "value", "stored"),
    [
        ("int64", 2.0, 2), ("int64", 2 + 0j, 2), ("uint8", 255.0, 255), ("uint64", 2.0**63, 2**63), ("int8", True, 1),
        ("float32", 2.5 + 0j, 2.5), ("bool", 1, True), ("bool", 0.0, False), ("float64", True, 1.0),
    ],
)  # fmt: skip
def test_exactly_representable_scalars_are_assigned(dtype, value, stored, device):
    for key in (0, slice(0, 1), sk.asarray([0], device=device), sk.asarray([True, False], device=device)):  # fmt: skip
        x = sk.zeros((2,), dtype=dtype, device=device)
        x[key] = value
        assert_same(x, np.array([stored, 0], dtype=dtype), device)


@pytest.mark.parametrize(
    ("dtype", "value", "error"),
    [
        ("int64", 2.5, TypeError), ("int64", float("nan"), TypeError), ("int64", 1e30, TypeError),
        ("int64", 1j, TypeError), ("uint8", 256.0, OverflowError), ("uint8", -1.0, OverflowError),
        ("float32", 1j, TypeError), ("bool", 2, TypeError), ("bool", 0.5, TypeError),
    ],
)  # fmt: skip
def test_assignment_that_loses_values_raises(dtype, value, error, device):
    x = sk.zeros((2,), dtype=dtype, device=device)
    for key in (0, slice(None), sk.asarray([0], device=device)):
        with pytest.raises(error):
            x[key] = value
    with pytest.raises(error):
        sk.full_like(x, value)
    assert_same(x, np.zeros((2,), dtype=dtype), device)


def test_dtype_argument_converts_like_astype(device):
    assert_same(
        sk.asarray([1.5, -1.5, 2], dtype="int64", device=device), np.array([1, -1, 2]), device
    )
    assert_same(sk.asarray(1.5, dtype="uint8", device=device), np.uint8(1), device)
    assert_same(sk.asarray([0.5, 0, 2j], dtype="bool", device=device), np.array([True, False, True]), device)  # fmt: skip
    assert_same(sk.full((2,), 2.7, dtype="int32", device=device), np.array([2, 2], "int32"), device)
    assert_same(sk.full_like(sk.ones((2,), device=device), 2.7, dtype="int32"), np.array([2, 2], "int32"), device)  # fmt: skip
    assert_same(sk.linspace(0, 9, 10, dtype="int64", device=device), np.arange(10), device)
    assert_same(sk.linspace(0, 1, 3, dtype="float32", device=device), np.array([0, 0.5, 1], "float32"), device)  # fmt: skip
    x = sk.asarray([1.5, 2.5], device=device)
    assert_same(sk.sum(x, dtype="int64"), np.int64(3), device)
    assert_same(sk.cumulative_sum(x, dtype="int64"), np.array([1, 3]), device)
    mixed = [sk.ones((1,), dtype=name, device=device) for name in ("uint64", "int8")]
    assert sk.asarray([m[0] for m in mixed], dtype="float32").dtype == np.dtype("float32")


@pytest.mark.parametrize(
    ("value", "dtype", "error"),
    [(float("nan"), "int64", OverflowError), (1e30, "uint64", OverflowError), (300.0, "uint8", OverflowError), (1j, "float64", TypeError)],
)  # fmt: skip
def test_values_out_of_range_of_the_requested_dtype_raise(value, dtype, error, device):
    with pytest.raises(error):
        sk.asarray([value], dtype=dtype, device=device)
    with pytest.raises(error):
        sk.full((2,), value, dtype=dtype, device=device)
