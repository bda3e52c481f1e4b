# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Python ints out of a dtype's range work where the result is defined: comparisons, limits and searches.

The oracle is Python, which compares ints and floats of any size exactly. Arithmetic and assignment reject such ints.
"""

import math
import operator

import numpy as np
import pytest
import skerry as sk

from tests.python.loops import loop_over
from tests.python.oracle import to_device, to_numpy

INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float16", "float32", "float64"]
COMPARISONS = {
    "equal": operator.eq,
    "not_equal": operator.ne,
    "less": operator.lt,
    "less_equal": operator.le,
    "greater": operator.gt,
    "greater_equal": operator.ge,
}
SIZES = (3, 5000)  # fused functions record arrays from 32 KiB on


def elements(dtype):
    if dtype in FLOATS:
        limits = np.finfo(dtype)
        return [0.0, -0.0, 1.5, float(limits.max), float(limits.min), math.inf, -math.inf, math.nan]
    limits = np.iinfo(dtype)
    return [0, 1, int(limits.min), int(limits.max), int(limits.max) // 2]


def beyond(dtype):
    """Return ints that the dtype can't hold, starting with the nearest ones."""
    if dtype in FLOATS:
        largest = int(np.finfo(dtype).max)
        # Ints from half a step above the largest finite number on round to infinity.
        step = largest - int(np.nextafter(np.finfo(dtype).max, np.zeros((), dtype)))
        first = largest + step // 2
        return [first, -first, 2 * largest, 10**400, -(10**400)]
    limits = np.iinfo(dtype)
    above, below = int(limits.max) + 1, int(limits.min) - 1
    return [
        above,
        above + 44,
        2**63,
        2**64,
        2**70,
        10**400,
        below,
        below - 44,
        -(2**70),
        -(10**400),
    ]


def some(dtype, repeats, device):
    values = elements(dtype) * repeats
    return values, to_device(device, np.asarray(values, dtype=dtype))


def outside(dtype, number):
    """Whether the number is out of range: for example, uint64 can hold 2**63."""
    return dtype in FLOATS or not np.iinfo(dtype).min <= number <= np.iinfo(dtype).max


@loop_over("dtype", INTEGERS + FLOATS)
@pytest.mark.parametrize("name", COMPARISONS)
def test_comparisons_with_out_of_range_ints_are_exact(name, dtype, device):
    function, compare = getattr(sk, name), COMPARISONS[name]
    for repeats in SIZES:
        values, x = some(dtype, repeats, device)
        for number in filter(lambda n: outside(dtype, n), beyond(dtype)):
            right = [compare(value, number) for value in values]
            mirrored = [compare(number, value) for value in values]
            for got, expected in (
                (compare(x, number), right),
                (compare(number, x), mirrored),
                (function(x, number), right),
                (function(number, x), mirrored),
                (sk.fuse(compare)(x, number), right),
                (sk.fuse(lambda x, n: compare(n, x))(x, number), mirrored),
                (getattr(np, name)(x, number), right),
            ):
                assert got.dtype == sk.bool
                assert got.device == x.device
                assert to_numpy(got).tolist() == expected, (name, dtype, number)


@loop_over("dtype", INTEGERS + FLOATS)
@pytest.mark.parametrize("name", COMPARISONS)
def test_comparisons_with_lists_of_out_of_range_ints_are_exact(name, dtype, device):
    function, compare = getattr(sk, name), COMPARISONS[name]
    values, x = some(dtype, 1, device)
    numbers = [1, *beyond(dtype)]
    column = sk.reshape(x, (-1, 1))
    right = [[compare(value, number) for number in numbers] for value in values]
    mirrored = [[compare(number, value) for number in numbers] for value in values]
    for got, expected in (
        (compare(column, numbers), right),
        (compare(numbers, column), mirrored),
        (function(column, tuple(numbers)), right),
        (function(numbers, column), mirrored),
        (sk.fuse(compare)(column, numbers), right),
    ):
        assert (got.dtype, got.device) == (sk.bool, x.device)
        assert to_numpy(got).tolist() == expected, (name, dtype)


@loop_over("dtype", INTEGERS)
def test_searches_for_lists_of_out_of_range_ints(dtype, device):
    values = sorted(elements(dtype))
    x = to_device(device, np.asarray(values, dtype=dtype))
    numbers = sorted([1, *beyond(dtype)])
    for side, below in (("left", operator.lt), ("right", operator.le)):
        right = [sum(below(value, number) for value in values) for number in numbers]
        assert sk.searchsorted(x, numbers, side=side).tolist() == right
        assert x.searchsorted(numbers, side).tolist() == right
    for invert in (False, True):
        right = [(number in values) != invert for number in numbers]
        assert sk.isin(numbers, x, invert=invert).tolist() == right
        right = [(value in numbers) != invert for value in values]
        assert sk.isin(x, numbers, invert=invert).tolist() == right
    if dtype not in ("int64", "uint64"):  # a sorted list has the default dtype
        fitting = [n for n in numbers if -(2**63) <= n < 2**63]
        right = [sum(n < value for n in fitting) for value in values]
        assert sk.searchsorted(fitting, x).tolist() == right


@loop_over("dtype", INTEGERS)
@pytest.mark.parametrize("name", ["maximum", "minimum", "fmax", "fmin", "clip"])
def test_limits_in_lists_of_out_of_range_ints(name, dtype, device):
    values, x = some(dtype, 1, device)
    limits = np.iinfo(dtype)
    column = sk.reshape(x, (-1, 1))
    below = [int(limits.min) - 1, 1, -(2**70)]
    above = [int(limits.max) + 1, 1, 2**70]
    if name == "clip":
        got = sk.clip(column, below, above)
        right = [
            [min(max(value, b), a) for b, a in zip(below, above, strict=True)] for value in values
        ]
        assert column.clip(below, above).tolist() == right
        with pytest.raises(OverflowError, match=r"^clip: int out of range"):
            sk.clip(column, above, None)
    else:
        limit = LIMITS[name]
        neutral, other = (below, above) if limit is max else (above, below)
        got = getattr(sk, name)(column, neutral)
        right = [[limit(value, number) for number in neutral] for value in values]
        assert getattr(sk, name)(neutral, column).tolist() == right
        subject = f"{name}: x2" if name in ("fmax", "fmin") else name  # functions in Python name it
        with pytest.raises(OverflowError, match=rf"^{subject}: int out of range of {dtype}"):
            getattr(sk, name)(column, other)
    assert got.dtype == x.dtype
    assert to_numpy(got).tolist() == right


def test_comparing_functions_take_lists_of_out_of_range_ints(device):
    x = to_device(device, np.asarray([5, 7], "uint8"))
    assert not sk.array_equal(x, [5, 300])
    assert not sk.array_equiv([-1, 7], x)
    assert sk.array_equal(x, [5, 7])
    assert sk.isclose(x, [5, 300]).tolist() == [True, False]
    assert not sk.allclose([300, -1], x)
    assert sk.setdiff1d(x, [5, 300]).tolist() == [7]
    assert sk.intersect1d([5, 300], x).tolist() == [5]
    assert sk.interp(x, [0, 1000], [0.0, 1.0]).tolist() == [0.005, 0.007]
    assert sk.digitize(x, [-1000, 6, 1000]).tolist() == [1, 2]
    assert sk.bincount(x, weights=[1000, 2]).tolist() == [0] * 5 + [1000, 0, 2]


def test_comparisons_of_views_and_scalars(device):
    x = to_device(device, np.arange(24, dtype="uint8").reshape(2, 3, 4))
    for view in (x[:, ::-1, ::2], sk.permute_dims(x, (2, 0, 1)), x[0, 0, 0], x[:0], x[..., None]):
        assert (view == 256).shape == view.shape
        assert not bool(sk.any(view == 256))
        assert bool(sk.all(view < 300))
    assert (x == np.int64(256)).tolist() == (x != x).tolist()


def test_complex_arrays_are_unequal_to_out_of_range_ints(device):
    x = to_device(device, np.asarray([1j, math.inf, math.nan], dtype="complex64"))
    assert (x == 10**400).tolist() == [False] * 3
    assert (x != 10**39).tolist() == [True] * 3
    with pytest.raises(TypeError):
        sk.less(x, 10**400)


def test_bools_compare_as_numbers_with_out_of_range_ints(device):
    x = to_device(device, np.asarray([True, False]))
    assert (x == 2**70).tolist() == [False, False]
    assert (x < 2**70).tolist() == [True, True]


LIMITS = {"maximum": max, "minimum": min, "fmax": max, "fmin": min}


@loop_over("dtype", INTEGERS)
@pytest.mark.parametrize("name", LIMITS)
def test_minimum_and_maximum_with_out_of_range_ints(name, dtype, device):
    function = getattr(sk, name)
    for repeats in SIZES:
        values, x = some(dtype, repeats, device)
        for number in filter(lambda n: outside(dtype, n), beyond(dtype)):
            is_neutral = LIMITS[name](0, number) == 0
            for call in (
                lambda: function(x, number),  # noqa: B023
                lambda: function(number, x),  # noqa: B023
                lambda: sk.fuse(function)(x, number),  # noqa: B023
                lambda: getattr(np, name)(x, number),  # noqa: B023
            ):
                if is_neutral:
                    got = call()
                    assert got.dtype == x.dtype
                    assert to_numpy(got).tolist() == values
                else:
                    with pytest.raises(
                        OverflowError, match=rf"^{name}: int out of range of {dtype}"
                    ):
                        call()


def test_limits_of_floats_round_to_infinities(device):
    values, x = some("float64", 1, device)
    for got in (sk.minimum(x, 10**400), sk.maximum(-(10**400), x), sk.clip(x, -(10**400), 10**400)):
        assert np.array_equal(to_numpy(got), values, equal_nan=True)
    with pytest.raises(OverflowError, match="maximum"):
        sk.maximum(x, 10**400)
    assert sk.maximum(to_device(device, np.asarray([1.0], "float16")), 70000).tolist() == [math.inf]


@loop_over("dtype", INTEGERS)
def test_clip_is_minimum_of_maximum(dtype, device):
    values, x = some(dtype, 1, device)
    limits = np.iinfo(dtype)
    inside = [int(limits.min), 1, int(limits.max)]
    bounds = [None, *inside, *(n for n in beyond(dtype) if outside(dtype, n))]
    for low in bounds:
        for high in bounds:
            right = values
            if low is not None:
                right = [max(v, low) for v in right]
            if high is not None:
                right = [min(v, high) for v in right]
            if all(limits.min <= v <= limits.max for v in right):
                for clip in (sk.clip, sk.fuse(sk.clip)):
                    got = clip(x, low, high)
                    assert got.dtype == x.dtype
                    assert to_numpy(got).tolist() == right, (low, high)
            else:
                with pytest.raises(OverflowError, match=r"^clip: int out of range"):
                    sk.clip(x, low, high)
    assert np.clip(x, -(2**70), 2**70).tolist() == values


@loop_over("dtype", INTEGERS + FLOATS)
def test_searchsorted_puts_out_of_range_ints_at_the_ends(dtype, device):
    values = sorted(elements(dtype), key=lambda v: (v != v, v))
    x = to_device(device, np.asarray(values, dtype=dtype))
    for number in filter(lambda n: outside(dtype, n), beyond(dtype)):
        right = sum(value < number for value in values)
        for side in ("left", "right"):
            got = sk.searchsorted(x, number, side=side)
            assert (got.shape, got.dtype, int(got)) == ((), sk.int64, right), (number, side)
    order = sk.argsort(x, descending=True)
    assert int(sk.searchsorted(sk.flip(x), beyond(dtype)[0], sorter=sk.flip(order))) >= 0


@loop_over("dtype", [*INTEGERS, *FLOATS, "bool"])
def test_isin_of_out_of_range_ints_is_false(dtype, device):
    values = [False, True] if dtype == "bool" else elements(dtype)
    x = to_device(device, np.asarray(values, dtype=dtype))
    numbers = [2**70] if dtype == "bool" else [n for n in beyond(dtype) if outside(dtype, n)]
    for number in numbers:
        assert sk.isin(x, number).tolist() == [False] * len(values)
        assert sk.isin(x, number, invert=True).tolist() == [True] * len(values)
        assert sk.isin(x, [number, 1]).tolist() == [value == 1 for value in values]
        assert sk.isin(x, [number]).tolist() == [False] * len(values)
        assert not bool(sk.isin(number, x))
    assert sk.isin(x, numbers).tolist() == [False] * len(values)


def test_array_equal_and_isclose_with_out_of_range_ints(device):
    x = to_device(device, np.asarray(5, "uint8"))
    assert not sk.array_equal(x, 300)
    assert not sk.array_equal(-1, x)
    assert sk.array_equal(x, 5)
    assert not sk.array_equal(x[None], 5)
    assert sk.array_equiv(x[None], 5)
    assert not sk.array_equiv(2**70, x[None])
    assert sk.isclose(x, 2**70).tolist() is False
    assert not sk.allclose(300, x)


def test_where_accepts_scalars_as_conditions(device):
    x = to_device(device, np.asarray([1, 2], "uint8"))
    y = to_device(device, np.asarray([[1.5], [2.5]]))
    for condition in (True, 1, 2**70, -(10**400), 0.5, 1j, np.bool_(True), np.uint8(3)):
        got = sk.where(condition, x, y)
        assert (got.dtype, got.device, got.tolist()) == (sk.float64, x.device, [[1, 2], [1, 2]])
        assert sk.fuse(sk.where)(condition, x, 7).tolist() == [1, 2]
    for condition in (False, 0, 0.0, np.bool_(False)):
        assert sk.where(condition, x, y).tolist() == [[1.5, 1.5], [2.5, 2.5]]
        assert sk.where(condition, x, 7).tolist() == [7, 7]
    with sk.device(device):
        for condition in (True, 2**70, 0.5):
            got = sk.where(condition, 1, 2.5)
            assert (got.dtype, got.device, got.tolist()) == (sk.float64, x.device, 1.0)
    with sk.strict_promotion():
        assert sk.where(True, x, x).tolist() == [1, 2]
        with pytest.raises(TypeError, match="condition"):
            sk.where(1, x, x)


@pytest.mark.parametrize(
    ("range_", "right"), [((-10, 300), [1, 0, 0, 1]), ((-10.0, 2**70), [2, 0, 0, 0])]
)
def test_histogram_counts_in_any_range(range_, right, device):
    x = to_device(device, np.asarray([1, 250], "uint8"))
    counts, edges = sk.histogram(x, 4, range=range_)
    assert counts.tolist() == right
    assert (edges[0].item(), edges[-1].item()) == range_


ARITHMETIC = "add subtract multiply floor_divide remainder bitwise_and bitwise_or bitwise_xor"


@loop_over("dtype", INTEGERS)
def test_arithmetic_and_assignment_reject_out_of_range_ints(dtype, device):
    x = to_device(device, np.ones(3, dtype))
    for number in filter(lambda n: outside(dtype, n), beyond(dtype)):
        for name in ARITHMETIC.split():
            with pytest.raises(OverflowError, match=rf"^{name}: "):
                getattr(sk, name)(x, number)
        with pytest.raises(OverflowError):
            x += number
        with pytest.raises(OverflowError):
            x[0] = number
        with pytest.raises(OverflowError):
            sk.where(x > 0, x, number)
        with pytest.raises(OverflowError):
            sk.full_like(x, number)
    assert x.tolist() == [1, 1, 1]
