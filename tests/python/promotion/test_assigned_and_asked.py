# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""In-place operations and assignments convert within a kind only; an explicit ``dtype=`` converts."""

import operator

import numpy as np
import pytest
import skerry as sk

from tests.python.loops import loop_over
from tests.python.oracle import DTYPES, assert_same, kind_of, sample, to_device
from tests.python.promotion.kind_rule import common


def is_same_kind(source, target):
    """NumPy's rule, by which bfloat16 is as float16; ml_dtypes has another."""
    names = (str(np.dtype(dtype)).replace("bfloat16", "float16") for dtype in (source, target))
    return np.can_cast(*names, "same_kind")


@loop_over("right", DTYPES)
@loop_over("left", DTYPES)
def test_in_place_target_keeps_its_dtype(left, right, device):
    x1, x2 = sample(left, (5,), 1, 1, 5), sample(right, (5,), 2, 1, 5)
    target, other = to_device(device, x1), to_device(device, x2)
    computed = common(left, right)
    if computed is not None and is_same_kind(computed, left):
        target *= other
        want = (
            x1 & x2 if left == "bool" else (x1.astype(computed) * x2.astype(computed)).astype(left)
        )
        assert_same(target, want, device, dtype=left, exact=kind_of(left) != "c")
    else:
        with pytest.raises(TypeError):
            operator.imul(target, other)
        assert_same(target, x1, device)
    target = to_device(device, x1)
    if is_same_kind(right, left):
        for key in (..., other == other, [4, 3, 2, 1, 0], slice(None)):
            target[key] = other
            assert_same(target, x2.astype(left)[:: -1 if isinstance(key, list) else 1], device)
    else:
        for key in (..., other == other, [0], slice(None)):
            with pytest.raises(TypeError, match="astype"):
                target[key] = other[:1] if isinstance(key, list) else other
        assert_same(target, x1, device)


@loop_over("shape", [(), (0,), (1,), (2, 3), (300, 7)])
def test_in_place_results_are_converted_in_every_layout(shape, device):
    """The converted result is written to the memory of the target, through any view, also where operands overlap it."""
    wide = sample("float64", shape, 3, 1, 9)
    for view in (
        lambda x: x,
        lambda x: x[..., ::-1] if x.ndim else x,
        lambda x: x.transpose(),
        lambda x: x[..., :1] if x.ndim else x,
    ):
        host = sample("float32", shape, 4, 1, 9)
        x = to_device(device, host)
        target, other = view(x), view(to_device(device, wide))
        target += other
        view(host)[...] += view(wide)
        assert_same(x, host, device)
        target /= wide.dtype.type(3)
        view(host)[...] /= np.float64(3)
        assert_same(x, host, device)
    host, x = np.arange(10, dtype="int16"), sk.arange(10, dtype="int16", device=device)
    x[2:] += sk.astype(x[:-2], "int64")
    host[2:] += host[:-2].astype("int64")
    assert_same(x, host, device)
    x[1:] += sk.asarray(x[:-1], dtype="uint16") * 40000  # wraps around as astype does
    host[1:] += host[:-1].astype("uint16") * np.uint16(40000)
    assert_same(x, host, device)


def test_shape_and_read_only_errors_come_before_any_conversion(device):
    x = sk.ones((3,), dtype="float32", device=device)
    with pytest.raises(ValueError, match="keeps its shape"):
        operator.iadd(x, sk.ones((2, 3), device=device))
    with pytest.raises(ValueError, match="read-only"):
        operator.iadd(sk.broadcast_to(x[:1], (3,)), sk.ones((3,), device=device))
    assert_same(x, np.ones(3, "float32"), device)


@pytest.mark.usefixtures("strict_promotion")
def test_strict_promotion_keeps_precision_in_place(device):
    x, y = sk.ones((3,), dtype="float32", device=device), sk.ones((3,), device=device)
    with pytest.raises(TypeError, match="can't be stored in place in x1"):
        x += y
    with pytest.raises(TypeError, match="cannot be assigned"):
        x[:] = y
    y += x
    y[:] = x
    assert_same(y, np.ones(3), device)


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
