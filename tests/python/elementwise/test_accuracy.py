# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Error bounds of every elementwise function, checked at every level, and the tables that document them."""

import csv

import numpy as np
import pytest

from bench import accuracy
from tests.python.loops import loop_over
from tests.python.session import LEVELS

BOUNDS = {"f": 1.0, "c": 4.0}  # units in the last place; eps of the modulus
CASES = {(one.name, one.dtype.name): one for one in accuracy.functions()}


@pytest.fixture(scope="module")
def measured(full):
    """Measures errors at each level. CUDA's functions have other errors, measured for the tables only."""
    real, complex_ = (1_000_000, 1000) if full else (2000, 25)
    with accuracy.back_ends(LEVELS) as ends:
        levels = [end for end in ends if end.name in LEVELS]
        measurements = accuracy.measure(accuracy.functions(), levels, real, complex_)
        yield (
            {(one.name, one.dtype.name): one for one in measurements},
            {end.name for end in levels},
        )


@pytest.mark.slow
@loop_over(("name", "dtype"), CASES, items="name")
def test_errors_are_within_bounds(name, dtype, measured):
    function, levels = measured[0][name, dtype], measured[1]
    assert levels
    assert set(function.errors) == levels
    beyond = {
        end: f"{error:.3f} at {function.worst_call(end)}, {function.ranges[end]}"
        for end, error in function.errors.items()
        if not error <= BOUNDS[function.dtype.kind]
    }
    assert not beyond


def test_documented_errors_are_complete_and_within_bounds():
    for kind, path in accuracy.TABLES.items():
        with path.open(newline="") as file:
            rows = list(csv.DictReader(file))
        assert [(row["function"], row["dtype"]) for row in rows] == [
            case for case, function in CASES.items() if function.dtype.kind == kind
        ]
        for row in rows:
            figures = [
                float(row[end]) for end in row if end not in ("function", "dtype", "largest at")
            ]
            assert figures
            assert max(figures) <= BOUNDS[kind], row


class OneUlpOff:
    """A back end whose results are off by one unit in the last place."""

    name = "off"

    def __call__(self, name, args):
        exact = getattr(np, name)(*args)
        part = np.finfo(exact.dtype).dtype
        wrong = np.nextafter(exact.view(part), part.type(np.inf)).view(exact.dtype)
        return np.where(np.isfinite(exact), wrong, exact)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
def test_measurement_finds_an_error_of_one_ulp(dtype):
    (function,) = (one for one in accuracy.functions(["sqrt"]) if one.dtype == dtype)
    list(accuracy.measure([function], [OneUlpOff()], 200, 20))
    least = 1.4 if function.dtype.kind == "f" else 1.0
    assert least < function.errors["off"] < 2.6
