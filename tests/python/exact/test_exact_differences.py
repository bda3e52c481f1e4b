# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Derivatives and integrals against exact arithmetic."""

import itertools
import random
from fractions import Fraction

import numpy as np
import pytest
import skerry as sk

from tests.python.exact.exact_oracle import FLOATS, INTEGERS, TWO_DEVICES, assert_close, ends_of


def exact_gradient(values, positions):
    """Returns first-order derivatives at the ends; inside, derivatives of the parabola through three points."""
    y, x = [Fraction(v) for v in values], [Fraction(v) for v in positions]
    slope = lambda i: (y[i + 1] - y[i]) / (x[i + 1] - x[i])  # noqa: E731
    inner = [
        (slope(i) * (x[i] - x[i - 1]) + slope(i - 1) * (x[i + 1] - x[i])) / (x[i + 1] - x[i - 1])
        for i in range(1, len(y) - 1)
    ]
    return [slope(0), *inner, slope(len(y) - 2)]


def exact_area(values, positions):
    y, x = [Fraction(v) for v in values], [Fraction(v) for v in positions]
    return sum((x[i + 1] - x[i]) * (y[i] + y[i + 1]) / 2 for i in range(len(y) - 1))


def assert_gradient(got, values, positions, dtype):
    for actual, want in zip(got.tolist(), exact_gradient(values, positions), strict=True):
        steps = [abs(Fraction(b) - Fraction(a)) for a, b in itertools.pairwise(positions)]
        scale = max(abs(Fraction(v)) for v in values) / min(steps)
        ratio = max(steps) / min(steps)
        label = f"{values} at {positions}"
        units = {"float16": 1, "float32": 2**29, "float64": 1}[dtype] * 8 * min(ratio, 2**10)
        scale = scale if max(steps) != min(steps) or dtype == "float32" else 0
        assert_close(actual, want, dtype, units=1.5, scale=scale, scale_units=units, label=label)


@pytest.mark.parametrize("device", TWO_DEVICES)
@pytest.mark.parametrize("dtype", [*INTEGERS, *FLOATS])
def test_gradients_at_the_limits_of_dtypes(dtype, device):
    rng = random.Random(dtype)
    numbers, result = ends_of(dtype), dtype if dtype in FLOATS else "float64"
    for _ in range(30):
        values = [rng.choice(numbers) for _ in range(4)]
        x = sk.asarray(values, dtype=dtype, device=device)
        for step in (1, 2, 0.5):
            positions = [Fraction(i) * Fraction(step) for i in range(4)]
            gradient = sk.gradient(x, step)
            assert gradient.dtype == np.dtype(result)
            assert_gradient(gradient, values, positions, result)


@pytest.mark.parametrize("device", TWO_DEVICES)
@pytest.mark.parametrize("dtype", [*INTEGERS, *FLOATS])
def test_differences_of_positions_are_exact(dtype, device):
    """Positions are decreasing unsigned integers, close integers above 2**53, and distant ones."""
    is_float = dtype in FLOATS
    top = float(np.finfo(dtype).max) / 4 if is_float else int(np.iinfo(dtype).max)
    sets = [[0, 1, 3, 4], [100, 50, 25, 5]]
    if is_float:
        sets.append([0.0, top / 8, top / 2, top])
    else:
        sets += [[top - 5, top - 4, top - 2, top], [0, top // 3, top - 1, top]]
    for positions, result in itertools.product(sets, FLOATS):
        if is_float and np.dtype(dtype).itemsize > np.dtype(result).itemsize:
            continue
        if max(positions) > 1e4 and result == "float16":
            continue
        values = [1.0, 2.0, 4.0, -8.0]
        y = sk.asarray(values, dtype=result, device=device)
        x = sk.asarray(positions, dtype=dtype, device=device)
        gradient, area = sk.gradient(y, x), sk.trapezoid(y, x)
        assert gradient.dtype == area.dtype == np.dtype(result)
        assert_gradient(gradient, values, positions, result)
        scale = 8 * Fraction(max(map(abs, positions)))
        units = 2**29 if result == "float32" else 1
        assert_close(
            float(area), exact_area(values, positions), result, scale=scale, scale_units=4 * units
        )


@pytest.mark.parametrize("device", TWO_DEVICES)
def test_gradient_of_distant_positions_does_not_overflow(device):
    positions = [0.0, 1e200, 3e200, 4e200]
    for edge_order in (1, 2):
        gradient = sk.gradient(
            sk.asarray([1.0, 2, 4, 5], device=device),
            sk.asarray(positions, device=device),
            edge_order=edge_order,
        )
        assert_close(max(gradient.tolist()), 1e-200, "float64", units=8)
        assert_close(min(gradient.tolist()), 1e-200, "float64", units=8)


@pytest.mark.parametrize("device", TWO_DEVICES)
@pytest.mark.parametrize("dtype", [*INTEGERS, *FLOATS])
def test_areas_at_the_limits_of_dtypes(dtype, device):
    rng = random.Random(dtype)
    numbers, result = ends_of(dtype), dtype if dtype in FLOATS else "float64"
    for _ in range(40):
        values = [rng.choice(numbers) for _ in range(2)]
        y = sk.asarray(values, dtype=dtype, device=device)
        for step in (1, 0.25, 2):
            want = exact_area(values, [0, Fraction(step)])
            assert_close(float(sk.trapezoid(y, dx=step)), want, result, scale=max(map(abs, values)))


@pytest.mark.parametrize("device", TWO_DEVICES)
def test_trapezoid_of_float16_accumulates_in_higher_precision(device):
    y = sk.full((5000,), 10.0, dtype=sk.float16, device=device)
    assert float(sk.trapezoid(y)) == 49984  # 49990, rounded to float16
    assert sk.trapezoid(y).dtype == sk.float16
    x = sk.arange(5000, device=device)
    assert float(sk.trapezoid(y, x)) == 49984


@pytest.mark.parametrize("device", TWO_DEVICES)
def test_gradient_takes_axes_of_any_integer_type(device):
    x = sk.asarray([[1.0, 2.0, 4.0], [3.0, 3.0, 3.0]], device=device)
    want = [gradient.tolist() for gradient in sk.gradient(x)]
    for kind in (np.int64, np.int8, np.uint16):
        assert sk.gradient(x, axis=kind(1)).tolist() == want[1]
        assert [gradient.tolist() for gradient in sk.gradient(x, axis=(kind(0), kind(1)))] == want
