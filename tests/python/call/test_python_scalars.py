# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""format, round, floor, ceil and trunc of 0-d arrays match those of the Python scalar."""

import math

import numpy as np
import pytest
import skerry as sk

from tests.python.loops import loop_over

VALUES = [
    *((value, dtype) for value in (0.5, 1.5, -2.5, 1234.5678, 1e300) for dtype in ("float64",)),
    *((value, dtype) for value in (7, -12345) for dtype in ("int64", "float32")),
    (200, "uint8"),
    (True, "bool"),
]


@loop_over(("value", "dtype"), VALUES)
def test_real_scalars(value, dtype, device):
    x = sk.full((), value, dtype=np.dtype(dtype), device=device)
    scalar = x.item()
    for spec in ("", "g", ".3f", ".3e", ">20", "+") if dtype != "bool" else ("", "d"):
        want = str(x) if spec == "" else format(scalar, spec) if spec != ">20" else f"{scalar:>20}"
        assert format(x, spec) == want
    for function in (round, math.floor, math.ceil, math.trunc):
        assert function(x) == function(scalar)
        assert type(function(x)) is int
    for digits in (0, 1, -2):
        assert round(x, digits) == round(scalar, digits)
        assert type(round(x, digits)) is type(round(scalar, digits))
    assert f"{x!r}" == repr(x)


def test_complex_scalars_are_formatted_and_not_rounded(device):
    z = sk.asarray(1.25 - 2j, device=device)
    assert f"{z:.1f}" == f"{1.25 - 2j:.1f}"
    for function in (round, math.floor, math.ceil, math.trunc):
        with pytest.raises(TypeError, match=r"skerry\.real"):
            function(z)


def test_arrays_with_axes_are_not_formatted_or_rounded_as_scalars(device):
    x = sk.asarray([1.5, 2.5], device=device)
    assert f"{x}" == str(x) == format(x)
    with pytest.raises(TypeError, match="only a 0-d array"):
        f"{x:.3e}"
    for function, name in [
        (round, "round"),
        (math.floor, "floor"),
        (math.ceil, "ceil"),
        (math.trunc, "trunc"),
    ]:
        with pytest.raises(TypeError, match=rf"skerry\.{name}"):
            function(x)
    with pytest.raises(TypeError, match=r"skerry\.round"):
        round(x, 1)


def test_wrong_arguments_raise_as_for_python_scalars(device):
    x = sk.asarray(1.5, device=device)
    with pytest.raises(ValueError):
        f"{x:q}"
    with pytest.raises(TypeError):
        round(x, "1")
    for value in (math.nan, math.inf):
        with pytest.raises((ValueError, OverflowError)):
            round(sk.asarray(value, device=device))
