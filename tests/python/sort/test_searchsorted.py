# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""searchsorted against NumPy: dtypes, layouts, sides, sorters, scalars, and NaN in the order of sort."""

import numpy as np
import pytest
import skerry as sk
from skerry.exceptions import DeviceMismatchError

from tests.python.loops import loop_over
from tests.python.oracle import DTYPES, assert_same, layouts_of, sample, to_device, to_numpy

REAL = [d for d in DTYPES if not d.startswith("complex")]
SIDES = loop_over("side", ["left", "right"])


def check(x1, x2, side, device, label=""):
    want = np.searchsorted(x1, x2, side=side)
    got = sk.searchsorted(to_device(device, x1), to_device(device, x2), side=side)
    assert_same(got, want, device, dtype="int64", label=label)


@SIDES
@loop_over("dtype", REAL)
def test_searchsorted_of_every_dtype_and_size(dtype, side):
    for n in (0, 1, 2, 3, 31, 32, 33, 100, 4097):
        x1 = np.sort(sample(dtype, n, n, *((0, 60) if dtype[0] in "iu" else (None, None))))
        for m in (0, 1, 31, 32, 33, 1000):
            x2 = sample(dtype, m, n + 1, *((0, 70) if dtype[0] in "iu" else (-4, 4)))
            check(x1, x2, side, "cpu:0", f"n={n} m={m}")


@SIDES
@pytest.mark.parametrize("dtype", ["int8", "float64"])
def test_searchsorted_of_every_layout(dtype, side, device):
    x = sample(dtype, (9, 14), 3)
    x1 = np.sort(sample(dtype, 200, 4))
    for name, array, theirs in layouts_of(x, device):
        got = sk.searchsorted(to_device(device, x1), array, side=side)
        assert_same(got, np.searchsorted(x1, theirs, side=side), device, label=name)
    stepped = sk.searchsorted(to_device(device, x1)[::3], to_device(device, x), side=side)
    assert_same(stepped, np.searchsorted(x1[::3], x, side=side), device)


@SIDES
def test_searchsorted_of_large_arrays(side):
    rng = np.random.default_rng(0)
    x1 = np.sort(rng.standard_normal(200_001).astype("float32"))
    check(x1, rng.standard_normal((50, 2001)).astype("float32"), side, "cpu:0")


@SIDES
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_searchsorted_orders_nan_and_zeros_like_sort(dtype, side, device):
    items = np.asarray([np.nan, -np.inf, -0.0, 0.0, -1, 1, np.inf, np.nan, 0.0, np.nan], dtype)
    x1 = sk.sort(to_device(device, items))
    values = np.asarray([np.nan, -np.nan, 0.0, -0.0, np.inf, -np.inf, 0.5, 2.0], dtype)
    want = np.searchsorted(np.sort(items), values, side=side)
    assert_same(sk.searchsorted(x1, to_device(device, values), side=side), want, device)
    # The order of sort determines how many items precede a value.
    everything = np.concatenate([items, values])
    ranks = np.unique(np.argsort(np.argsort(everything)))
    assert len(ranks) == len(everything)
    only_nan = sk.full((3,), float("nan"), dtype=np.dtype(dtype), device=device)
    got = sk.searchsorted(only_nan, to_device(device, values), side=side)
    assert_same(got, np.searchsorted(np.full(3, np.nan, dtype), values, side=side), device)


@SIDES
@loop_over("index_dtype", [d for d in DTYPES if d[0] in "iu"])
def test_searchsorted_with_a_sorter(index_dtype, side, device):
    x1 = sample("float64", 100, 1)
    x2 = sample("float64", (3, 20), 2)
    order = np.argsort(x1, kind="stable")
    sorter = to_device(device, order.astype(index_dtype))
    got = sk.searchsorted(to_device(device, x1), to_device(device, x2), side=side, sorter=sorter)
    assert_same(got, np.searchsorted(x1, x2, side=side, sorter=order), device)


def test_searchsorted_with_argsort_as_sorter(device):
    x1 = to_device(device, sample("float32", 1000, 1))
    x2 = to_device(device, sample("float32", 500, 2))
    got = sk.searchsorted(x1, x2, sorter=sk.argsort(x1))
    assert sk.all(got == sk.searchsorted(sk.sort(x1), x2))


@SIDES
def test_searchsorted_of_python_scalars(side, device):
    x1 = np.asarray([1, 2, 2, 5], "int16")
    for value in (0, 2, 9):
        got = sk.searchsorted(to_device(device, x1), value, side=side)
        assert_same(got, np.searchsorted(x1, value, side=side), device, dtype="int64")
    x1 = x1.astype("float32")
    for value in (0, 2.0, 4.9, float("inf"), float("nan")):
        got = sk.searchsorted(to_device(device, x1), value, side=side)
        want = np.searchsorted(x1, np.float32(value), side=side)
        assert_same(got, want, device, dtype="int64")


def test_searchsorted_promotes(device):
    x1 = np.asarray([1, 2, 200], "uint8")
    x2 = np.asarray([-5, 2, 300], "int16")
    assert_same(
        sk.searchsorted(to_device(device, x1), to_device(device, x2)),
        [0, 1, 3],
        device,
        dtype="int64",
    )
    wide = sk.searchsorted(
        to_device(device, x1.astype("float32")), to_device(device, np.asarray([1 + 1e-12, 2.0]))
    )
    assert_same(wide, [1, 1], device, dtype="int64")


@pytest.mark.usefixtures("strict_promotion")
def test_invalid_searchsorted_arguments_raise(device):
    x = sk.arange(5, device=device)
    with pytest.raises(ValueError):
        sk.searchsorted(sk.ones((2, 2), device=device), 1.0)
    with pytest.raises(ValueError):
        sk.searchsorted(sk.ones((), device=device), 1.0)
    with pytest.raises(ValueError):
        sk.searchsorted(x, 1, side="middle")
    with pytest.raises(ValueError):
        sk.searchsorted(x, 1, sorter=sk.arange(4, device=device))
    for call in (
        lambda: sk.searchsorted(x, 1, side=1),
        lambda: sk.searchsorted(x, 1.5),
        lambda: sk.searchsorted(x, sk.ones((2,), device=device)),
        lambda: sk.searchsorted(sk.ones((2,), dtype=sk.complex64, device=device), 1.0),
        lambda: sk.searchsorted(sk.ones((2,), device=device), 1j),
        lambda: sk.searchsorted(x, 1, sorter=sk.ones((5,), device=device)),
        lambda: sk.searchsorted(x, x, "left", None, None),
        lambda: sk.searchsorted([1j, 2], x),
    ):
        with pytest.raises(TypeError):
            call()
    assert int(sk.searchsorted(sk.astype(x, sk.int8), 1000)) == 5
    assert int(sk.searchsorted(sk.astype(x, sk.int8), -1000)) == 0
    for outside in (5, -1, 2**40):
        sorter = sk.full((5,), outside, dtype=sk.int64, device=device)
        with pytest.raises(IndexError):
            sk.searchsorted(x, 1, sorter=sorter)
    assert int(sk.searchsorted(x, 3)) == 3


@SIDES
@loop_over("dtype", REAL)
def test_sorter_out_of_bounds_raises(dtype, side, device):
    x = to_device(device, np.arange(100).astype(dtype))
    values = to_device(device, sample(dtype, 40, 1))
    order = np.arange(100)
    for outside in (100, -1, 2**40):
        bad = np.full(100, outside)
        with pytest.raises(IndexError, match=f"sorter holds {outside},"):
            sk.searchsorted(x, values, side=side, sorter=to_device(device, bad))
    got = sk.searchsorted(x, values, side=side, sorter=to_device(device, order))
    want = np.searchsorted(np.arange(100).astype(dtype), to_numpy(values), side=side)
    assert_same(got, want, device, dtype="int64")


def test_sorter_on_another_device_raises():
    x = sk.arange(3, device="cpu:0")
    with pytest.raises(DeviceMismatchError, match="sorter"):
        sk.searchsorted(x, x, sorter=sk.arange(3, device="cuda:0"))


@loop_over("dtype", ["bool", "int8", "uint8", "int64", "float32", "float64"])
def test_searchsorted_among_many_equal_items(dtype, device):
    """Searches take all steps, or none, in blocks of any length. Of many one-byte values, each is searched once."""
    for n in (1, 2, 31, 32, 33, 100, 400):
        items = np.sort((np.arange(n) // 3 - 20).astype(dtype))
        for repeats in (1, 600 // n + 1):
            values = np.tile((np.arange(n + 2) - 30).astype(dtype), repeats)
            for side in ("left", "right"):
                got = sk.searchsorted(
                    to_device(device, items), to_device(device, values), side=side
                )
                want = np.searchsorted(items, values, side=side)
                assert to_numpy(got).tolist() == want.tolist(), (n, side)
