# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Reductions of float16 accumulate in float32, and the result is rounded once."""

import itertools

import numpy as np
import pytest
import skerry as sk

from tests.python.loops import loop_over
from tests.python.oracle import BASE_SHAPE, SIZES, assert_same, layouts_of, to_device, to_numpy

WHERE = ("cpu:0", "cuda:0")
EXTREMA = ("argmax", "argmin", "max", "min")
TRUTH = ("all", "any", "count_nonzero")
# Converted blocks have 4,096 or 16,384 items, of up to 512 columns.
SHAPES = [
    (4097, 4),
    (4, 4097),
    (3, 4097, 5),
    (2, 3, 5, 7),
    (65, 64, 63),
    (300, 700),
    (20_000, 3),
    (3, 20_000),
    (1000, 2),
    (40_000,),
]


def small_integers(shape, seed=0):
    """Returns integers whose sums are exact in float32, and nearly all sums of squares in float16."""
    return np.random.default_rng(seed).integers(-4, 5, shape).astype(np.float16)


def powers_of_two(shape, seed=0):
    """Returns numbers whose products stay in the range of float32, and often leave that of float16."""
    rng = np.random.default_rng(seed)
    signs = rng.integers(0, 2, shape) * 2 - 1
    sparse = rng.random(shape) < 1e-3 if np.prod(shape) > 1000 else True
    return (signs * np.exp2(sparse * rng.integers(-1, 2, shape))).astype(np.float16)


def exact(name, x, axis=None, keepdims=False):
    """Returns exact sums and products, rounded to float32 before the division of a mean, then to float16."""
    wide = x.astype(np.float64)
    with np.errstate(all="ignore"):
        if name == "mean":
            count = x.size if axis is None else np.prod(np.take(x.shape, axis))
            total = wide.sum(axis=axis, keepdims=keepdims).astype(np.float32)
            return np.asarray(total / np.float32(count)).astype(np.float16)
        result = np.asarray(getattr(np, name)(wide, axis=axis, keepdims=keepdims))
        return result if name in TRUTH or name.startswith("arg") else result.astype(np.float16)


def check(name, array, x, axis, device, label, keepdims=False):
    got = getattr(sk, name)(array, axis=axis, keepdims=keepdims)
    assert_same(got, exact(name, x, axis, keepdims), device, label=f"{name} {label} axis={axis}")


@pytest.mark.parametrize("name", ["sum", "mean", *EXTREMA, *TRUTH])
def test_float16_reductions_of_every_layout_are_exact(name, device):
    for layout, array, x in layouts_of(small_integers(BASE_SHAPE), device):
        axes = [None, *range(-x.ndim, x.ndim)]
        if x.ndim == 2 and not name.startswith("arg"):
            axes += [(), (0, 1)] if name != "mean" else [(0, 1)]
        for axis, keepdims in itertools.product(axes, (False, True)):
            check(name, array, x, axis, device, layout, keepdims)


@pytest.mark.parametrize("device", WHERE)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_float16_reductions_of_any_axis_are_exact(shape, device):
    x, factors = small_integers(shape), powers_of_two(shape)
    array, my_factors = to_device(device, x), to_device(device, factors)
    backward, my_backward = x[..., ::-1], array[..., ::-1]
    for axis in (None, *range(x.ndim)):
        for name in ("sum", "mean", *EXTREMA, *TRUTH):
            check(name, array, x, axis, device, str(shape))
            check(name, my_backward, backward, axis, device, f"{shape} backward")
        check("prod", my_factors, factors, axis, device, str(shape))


@pytest.mark.parametrize("device", WHERE)
def test_float16_reductions_of_every_size_are_exact(device):
    for size in SIZES[1:]:
        x = small_integers((size,), size)
        for name in ("sum", "mean", *EXTREMA, *TRUTH):
            check(name, to_device(device, x), x, None, device, f"of {size}")


@pytest.mark.parametrize("device", WHERE)
def test_float16_sums_and_means_beyond_the_range(device):
    ones = to_device(device, np.ones(70_000, np.float16))
    assert_same(sk.sum(ones), np.float16(np.inf), device)
    assert_same(sk.mean(ones), np.float16(1), device)
    assert_same(sk.sum(ones[:65_519]), np.float16(65504), device)
    assert_same(sk.sum(ones[:65_520]), np.float16(np.inf), device)
    assert_same(sk.sum(ones, dtype=sk.float32), np.float32(70_000), device)
    assert_same(sk.sum(ones, dtype=sk.float64), np.float64(70_000), device)
    assert_same(sk.var(ones), np.float16(0), device)
    both = np.repeat(np.array([60_000, -60_000], np.float16), 1000)
    assert_same(sk.sum(to_device(device, both)), np.float16(0), device)
    assert_same(sk.std(to_device(device, both)), np.float16(60_000), device)
    assert_same(sk.var(to_device(device, both)), np.float16(np.inf), device)
    # Adding 1 to 2,048 gives 2,048 in float16.
    growing = np.concatenate([[2048], np.ones(2000)]).astype(np.float16)
    assert_same(sk.sum(to_device(device, growing)), np.float16(4048), device)
    powers = np.array([2**15, 2**15, 2.0**-14, 2.0**-14], np.float16)
    assert_same(sk.prod(to_device(device, powers)), np.float16(4), device)
    tiny = np.full(6, 2.0**-5, np.float16)  # 2^-30 in between, below the range of float16
    assert_same(
        sk.prod(to_device(device, np.append(tiny, 2.0**10).astype(np.float16))),
        np.float16(2.0**-20),
        device,
    )


@pytest.mark.parametrize("device", WHERE)
def test_float16_as_dtype_casts_elements_first(device):
    x = to_device(device, np.full(3, 60_000, np.int32))
    assert_same(sk.sum(x, dtype=sk.float16), np.float16(np.inf), device)
    assert_same(sk.sum(x[:1], dtype=sk.float16), np.float16(60_000), device)
    wide = to_device(device, np.full(1000, 2049.0, np.float32))  # 2,048 as float16
    assert_same(sk.sum(wide[:30], dtype=sk.float16), np.float16(61_440), device)
    assert sk.prod(wide, dtype=sk.float16).dtype == np.float16
    assert_same(
        sk.prod(to_device(device, np.full(3, 1000, np.float16)), dtype=sk.float32),
        np.float32(1e9),
        device,
    )


@pytest.mark.parametrize("device", WHERE)
@loop_over("shape", SHAPES)
@pytest.mark.parametrize("name", ["var", "std"])
def test_float16_variances_are_rounded_float32(name, shape, device):
    rng = np.random.default_rng(1)
    for offset in (0, 100):
        x = (offset + rng.standard_normal(shape)).astype(np.float16)
        for axis, correction in itertools.product((None, *range(x.ndim)), (0, 1)):
            want = getattr(np, name)(x.astype(np.float64), axis=axis, ddof=correction)
            got = getattr(sk, name)(to_device(device, x), axis=axis, correction=correction)
            assert got.dtype == np.float16
            error = np.abs(to_numpy(got) - want)
            # Half a unit in the last place, plus the float32 error of the mean.
            missed = np.finfo(np.float32).eps * np.max(np.abs(x))
            missed = missed * 4 * (np.sqrt(want) if name == "var" else 1)
            bound = (
                np.spacing(want.astype(np.float16)).astype(np.float64) * 0.5 + 2e-5 * want + missed
            )
            assert np.all(error <= bound), (axis, offset, np.max(error - bound))


@np.errstate(invalid="ignore")  # signalling NaNs: NumPy warns of them on aarch64
@pytest.mark.parametrize("device", WHERE)
def test_float16_extrema_of_all_bit_patterns(device):
    bits = np.arange(1 << 16, dtype=np.uint16)
    rng = np.random.default_rng(2)
    every = bits.view(np.float16)
    numbers = every[~np.isnan(every)]
    orders = [every, every[::-1], rng.permutation(every), numbers, rng.permutation(numbers)]
    for x in orders:
        array = to_device(device, np.ascontiguousarray(x))
        for name in (*EXTREMA, *TRUTH):
            assert_same(getattr(sk, name)(array), getattr(np, name)(x), device, label=name)
    matrix = rng.permutation(bits).view(np.float16).reshape(256, 256)
    for name, axis in itertools.product((*EXTREMA, *TRUTH), (0, 1)):
        got = getattr(sk, name)(to_device(device, matrix), axis=axis)
        assert_same(got, getattr(np, name)(matrix, axis=axis), device, label=name)


@np.errstate(invalid="ignore")  # signalling NaNs: NumPy warns of them on aarch64
@pytest.mark.parametrize("device", WHERE)
@pytest.mark.parametrize("other", [0.0, -0.0, 1.0, np.inf, np.nan])
def test_float16_reductions_of_each_bit_pattern_with_another(other, device):
    every = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    for pair in ((every, np.full_like(every, other)), (np.full_like(every, other), every)):
        x = np.stack(pair)
        for array, axis in ((x, 0), (np.ascontiguousarray(x.T), 1)):
            for name in (*EXTREMA, *TRUTH):
                got = getattr(sk, name)(to_device(device, array), axis=axis)
                assert_same(got, getattr(np, name)(array, axis=axis), device, label=name)
            for name in ("sum", "prod"):
                wide = array.astype(np.float32)
                with np.errstate(all="ignore"):
                    want = getattr(np, name)(wide, axis=axis).astype(np.float16)
                assert_same(
                    getattr(sk, name)(to_device(device, array), axis=axis), want, device, label=name
                )


@pytest.mark.parametrize("device", WHERE)
def test_float16_reductions_of_one_element(device):
    every = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    number = ~np.isnan(every)
    for name in ("max", "min", "prod", "mean"):
        got = to_numpy(getattr(sk, name)(to_device(device, every.reshape(-1, 1)), axis=1))
        np.testing.assert_array_equal(got, every, err_msg=name)
        if name != "mean":  # on a GPU a sum begins with +0, which -0 does not change
            same_signs = np.signbit(got[number]) == np.signbit(every[number])
            assert same_signs.all(), name


@pytest.mark.parametrize("device", WHERE)
def test_float16_reductions_without_elements(device):
    x = sk.empty((0, 3), dtype=sk.float16, device=device)
    for axis, shape in ((None, ()), (0, (3,)), (1, (0,))):
        assert_same(sk.sum(x, axis=axis), np.zeros(shape, np.float16), device)
        assert_same(sk.prod(x, axis=axis), np.ones(shape, np.float16), device)
        assert_same(sk.any(x, axis=axis), np.zeros(shape, bool), device)
        assert_same(sk.count_nonzero(x, axis=axis), np.zeros(shape, np.int64), device)
        for name in ("mean", "var", "std"):
            assert_same(getattr(sk, name)(x, axis=axis), np.full(shape, np.nan, np.float16), device)
    for name in EXTREMA:
        with pytest.raises(ValueError, match="no elements"):
            getattr(sk, name)(x, axis=0)


@pytest.mark.usefixtures("restore_threads")
def test_float16_reductions_do_not_depend_on_the_number_of_threads():
    x = sk.asarray(np.random.default_rng(0).random((3000, 1000)).astype(np.float16), device="cpu:0")
    results = []
    for threads in (1, 2, 3):
        sk.set_num_threads(threads)
        functions = itertools.product((sk.sum, sk.var, sk.argmax, sk.max), (None, 0, 1))
        results.append([to_numpy(function(x, axis=axis)) for function, axis in functions])
    for others in results[1:]:
        for one, other in zip(results[0], others, strict=True):
            assert np.array_equal(one, other)
