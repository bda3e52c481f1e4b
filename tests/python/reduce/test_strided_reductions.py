# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Reductions over elements of any stride, including 0, equal those of a dense copy."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
import skerry as sk
from skerry.testing import instruments

from tests.python.loops import loop_over
from tests.python.oracle import HALVES, kind_of, to_device, to_numpy

TABLE = {entry["name"]: entry for entry in instruments.reduction_table()}
NAMES = [name for name, entry in TABLE.items() if not entry["is_private"]]
CASES = [(name, dtype) for name in NAMES for dtype in TABLE[name]["loops"]]
STEPS = (0, 1, 2, 3, 7, -1, -2)
#: Around the edges of blocks and runs, up to more than 16 KiB along one axis.
LENGTHS = (31, 129, 513, 1025, 2047, 2048, 2049, 4097, 16385)
#: Involve squares and means, whose rounding depends on the order of summation.
INEXACT = {"mean", "std", "var"}
#: Units in the last place by which they may differ. Vectors of 16 bytes add up more elements per lane, one by one.
UNITS = 8 if instruments.instruction_set() in ("x86-64-v3", "x86-64-v4") else 32


def values_of(name: str, dtype: str, n: int) -> np.ndarray:
    """Returns integers, whose sums and products are exact in any order."""
    rng = np.random.default_rng(n)
    if name == "prod":
        return rng.choice(np.asarray([1, 1, 1, -1]), n).astype(dtype)
    return rng.integers(0, 3, n).astype(dtype)


def views_of(base: sk.Array, n: int, step: int) -> Iterator[tuple[str, sk.Array, int]]:
    """Yields arrays of n elements at the step along an axis, and the axis, from a `base` of three rows."""
    if step == 0:
        yield "one axis", sk.broadcast_to(base[0, :1], (n,)), 0
        yield "rows", sk.broadcast_to(base[:, :1], (3, n)), 1
        yield "columns", sk.broadcast_to(base[0, :9], (n, 9)), 0
        yield "both axes", sk.broadcast_to(base[0, :1], (n, 9)), 0
        return
    yield "one axis", base[0, ::step][:n], 0
    yield "rows", base[:, ::step][:, :n], 1


def compare(name: str, x: sk.Array, axis: int, label: str) -> None:
    """Compares the view with a dense copy of it, made by NumPy."""
    dense = to_device(str(x.device), np.ascontiguousarray(to_numpy(x)))
    for options in ({"axis": axis}, {"axis": axis, "keepdims": True}, {}):
        if not options and TABLE[name]["has_one_axis"] and x.ndim > 1:
            continue
        got, want = (to_numpy(getattr(sk, name)(array, **options)) for array in (x, dense))
        if name in INEXACT and kind_of(want.dtype) in "fc":
            allowed = UNITS * float(sk.finfo(want.dtype).eps)
            np.testing.assert_allclose(got, want, allowed, allowed, err_msg=label)
        else:
            np.testing.assert_array_equal(got, want, err_msg=label)


@loop_over(("name", "dtype"), CASES, items="name")
def test_reductions_of_elements_of_any_stride(name: str, dtype: str) -> None:
    columns = max(map(abs, STEPS)) * max(LENGTHS)
    base = to_device("cpu:0", values_of(name, dtype, 3 * columns).reshape(3, columns))
    for n in LENGTHS:
        for step in STEPS:
            for kind, x, axis in views_of(base, n, step):
                compare(name, x, axis, f"{kind}, {n} at step {step}")


@pytest.mark.parametrize("name", NAMES)
def test_reductions_of_a_broadcast_element(name: str, device: str) -> None:
    """There are enough elements for several threads and chunks."""
    for dtype in ("uint8", "float32", "complex128"):
        if dtype not in TABLE[name]["loops"]:
            continue
        one = sk.ones((1,), dtype=dtype, device=device)
        for n in (2049, 300_000):
            compare(name, sk.broadcast_to(one, (n,)), 0, f"{dtype}, {n}")


@loop_over(
    ("name", "dtype"),
    [
        (name, dtype)
        for name in ("sum", "mean", "nansum", "nanmean")
        for dtype in (*HALVES, "float32", "float64", "complex64", "complex128")
    ],
    items="name",
)
def test_sums_of_negative_zeros_are_zero(name: str, dtype: str, device: str) -> None:
    """A sum starts at 0, as NumPy's does: the sign of a zero does not tell the number of elements or the layout."""
    longest = max(LENGTHS)
    base = sk.full((3, 2 * longest), -0.0, dtype=dtype, device=device)
    if kind_of(dtype) == "c":
        base = sk.negative(sk.zeros_like(base))  # both parts
    for n in (1, 2, 7, 8, 9, 15, 16, 17, 32, 33, 64, 65, 127, *LENGTHS):
        for step in (0, 1, 2, -1):
            for kind, x, axis in views_of(base, n, step):
                got = to_numpy(getattr(sk, name)(x, axis=axis))
                signs = np.signbit([got.real, got.imag])
                assert not signs.any(), f"{name} of {kind}, {n} at step {step}"
