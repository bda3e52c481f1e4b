# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""bfloat16: its dtype and scalars, which are of ml_dtypes, promotion, casts, and functions computed in float32.

``test_float16.py`` tests the elementwise functions for all of its values.
"""

import math

import numpy as np
import pytest
import skerry as sk
from skerry.exceptions import DTypeError

from tests.python.loops import loop_over
from tests.python.oracle import DTYPES, assert_same, sample, to_device, to_numpy

ml_dtypes = pytest.importorskip("ml_dtypes", reason="bfloat16 is a dtype of ml_dtypes")

TYPE = ml_dtypes.bfloat16
DTYPE = np.dtype(TYPE)
PATTERNS = np.arange(1 << 16, dtype=np.uint16).view(TYPE)
FINITE = PATTERNS[np.isfinite(PATTERNS.astype(np.float32))]
OTHERS = [name for name in DTYPES if name != "bfloat16"]
inf = math.inf


def rounded(x):
    """Rounds float64 to bfloat16 once: to float32 with an odd last bit if inexact, then to nearest, ties to even."""
    with np.errstate(all="ignore"):
        narrow = x.astype(np.float32)
        towards = np.where(x > narrow, np.float32(inf), np.float32(-inf))
        is_even = (narrow.view(np.uint32) & 1) == 0
        odd = np.where((narrow != x) & is_even, np.nextafter(narrow, towards), narrow)
    odd = np.where(np.isinf(narrow) & np.isfinite(x), narrow, odd)
    return odd.astype(TYPE)


def test_name_is_the_scalar_type_of_ml_dtypes():
    assert sk.bfloat16 is TYPE
    assert sk.zeros(2, dtype=sk.bfloat16).dtype is DTYPE
    for dtype in (TYPE, DTYPE, "bfloat16", "".join(["bfloat", "16"])):
        assert sk.zeros(2, dtype=dtype).dtype is DTYPE
    assert "bfloat16" in dir(sk)
    assert "bfloat16" not in sk.__all__
    assert "bfloat16" not in sk.__array_namespace_info__().dtypes()


def test_limits_and_kinds():
    about = sk.finfo(sk.bfloat16)
    assert (about.bits, about.eps, about.dtype) == (16, 2**-7, DTYPE)
    assert about.max == -about.min == (2 - 2**-7) * 2.0**127
    assert about.smallest_normal == 2.0**-126
    for kind in ("real floating", "numeric", sk.bfloat16, ("bool", "real floating")):
        assert sk.isdtype(sk.bfloat16, kind)
    for kind in ("bool", "integral", "complex floating", sk.float16, sk.uint16):
        assert not sk.isdtype(sk.bfloat16, kind)
    with pytest.raises(TypeError, match="finfo"):
        sk.iinfo(sk.bfloat16)


def test_promotion():
    result_type = sk.result_type
    assert result_type(sk.bfloat16, sk.bfloat16) is DTYPE
    assert result_type(sk.bfloat16, sk.float16) == np.float32
    for other in ("float32", "float64", "complex64", "complex128"):
        assert result_type(sk.bfloat16, other) == result_type(other, sk.bfloat16) == other
    for other in ("bool", "int8", "int64", "uint64"):
        assert result_type(sk.bfloat16, other) is DTYPE
        with sk.strict_promotion(), pytest.raises(TypeError, match="bfloat16"):
            result_type(sk.bfloat16, other)
    assert result_type(sk.bfloat16, 1, 2.5) is DTYPE
    assert result_type(sk.bfloat16, 1j) == np.complex64


def test_can_cast():
    can_cast = sk.can_cast
    assert can_cast(sk.bfloat16, "float32")
    for other in ("float16", "int8"):
        assert not can_cast(sk.bfloat16, other)
        assert not can_cast(other, sk.bfloat16)
    assert can_cast("float64", sk.bfloat16, casting="same_kind")
    assert can_cast(sk.bfloat16, "float16", casting="same_kind")
    assert not can_cast("complex64", sk.bfloat16, casting="same_kind")
    assert not can_cast(sk.bfloat16, "int64", casting="same_kind")
    assert can_cast(sk.bfloat16, "int64", casting="unsafe")
    assert can_cast(sk.bfloat16, sk.bfloat16, casting="no")


def test_scalars(device):
    x = to_device(device, np.array([1, 2.5], TYPE))
    for got, want in [(x + 1.5, [2.5, 4.0]), (3 - x, [2.0, 0.5]), (x * 1e300, [inf, inf])]:
        assert got.dtype is DTYPE
        assert got.tolist() == want
    assert (x + 1j).dtype == np.complex64
    for value in (TYPE(2), np.float64(2), np.float16(2)):
        assert (x * value).dtype is DTYPE
        assert (value * x).tolist() == [2.0, 5.0]
    assert (TYPE(2) * sk.ones(2, dtype=sk.float32, device=device)).dtype == np.float32
    assert (TYPE(2) * sk.ones(2, dtype=sk.int64, device=device)).dtype == np.float64
    assert sk.asarray(TYPE(0.1), device=device).dtype is DTYPE
    assert sk.asarray([TYPE(0.5), TYPE(2)], device=device).dtype is DTYPE
    assert sk.asarray([TYPE(0.5), 2], device=device).dtype == np.float64
    assert type(x[1].item()) is float
    assert (float(x[1]), int(x[1]), f"{x[1]:.3f}") == (2.5, 2, "2.500")
    x[0] = TYPE(7)
    assert x.tolist() == [7.0, 2.5]


def test_numpy_arrays_beside_arrays():
    host = np.array([1, 2.5, -3], TYPE)
    x = sk.asarray(host, copy=True)
    assert sk.all(x == host)
    for got in (x + host, sk.add(host, x), np.add(x, x), np.add(x, host)):
        assert isinstance(got, sk.Array)
        assert_same(got, np.array([2, 5, -6], TYPE), "cpu:0")
    x += host
    assert x.tolist() == [2, 5, -6]
    np.testing.assert_array_equal(np.asarray(x), 2 * host)


def test_repr():
    x = sk.asarray([1.0, 2.5, -0.0, inf, math.nan, 1e-40], dtype=sk.bfloat16)
    digits = np.array2string(np.asarray(x), separator=", ", prefix="Array(")
    assert repr(x) == f"Array({digits}, dtype=bfloat16, device='cpu:0')"
    assert repr(x[1]) == "Array(2.5, dtype=bfloat16, device='cpu:0')"
    assert "shape=(2000,), dtype=bfloat16" in repr(sk.arange(2000, dtype=sk.bfloat16))


@loop_over("dtype", OTHERS)
def test_casts_of_every_value(dtype, device):
    x = PATTERNS
    if np.dtype(dtype).kind in "iu":
        limits, wide = np.iinfo(dtype), FINITE.astype(np.float64)
        x = FINITE[(wide > float(limits.min) - 1) & (wide < float(limits.max) + 1)]
    with np.errstate(all="ignore"):
        want = x.astype(np.float64).astype(dtype)
    assert_same(sk.astype(to_device(device, x), dtype), want, device)
    strided = to_device(device, x)[::-3]
    assert_same(sk.astype(strided, dtype), want[::-3], device)


def ties(dtype):
    """Returns the values of bfloat16, the midpoints between two of them, and their neighbors."""
    values = np.unique(FINITE.astype(np.float64))
    x = np.concatenate([values, (values[1:] + values[:-1]) / 2, [inf, -inf, math.nan]])
    with np.errstate(all="ignore"):
        x = x.astype(dtype)
        return np.concatenate([x, np.nextafter(x, dtype(inf)), np.nextafter(x, dtype(-inf))])


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64], ids=str)
def test_casts_are_rounded_once(dtype, device):
    x = ties(dtype)
    got = sk.astype(to_device(device, x), sk.bfloat16)
    want = rounded(x.astype(np.float64))
    assert_same(got, want, device)
    np.testing.assert_array_equal(np.signbit(to_numpy(got)), np.signbit(want))


@loop_over("dtype", [name for name in OTHERS if np.dtype(name).kind in "iu"])
def test_casts_of_integers_are_rounded_once(dtype, device):
    limits = np.iinfo(dtype)
    numbers = [2**i + d for i in range(64) for d in (-(2**40), -257, -129, -1, 0, 1, 129, 257)]
    numbers += [3 * 2**i + d for i in range(9, 60) for d in (-1, 2**i >> 8, 2**i >> 7, 1)]
    numbers = [i for i in (*numbers, *(-i for i in numbers)) if limits.min <= i <= limits.max]

    def exact(i):
        shift = max(abs(i).bit_length() - 8, 0)
        return float(math.copysign(round_half_even(abs(i), shift) << shift, i)) if i else 0.0

    def round_half_even(i, shift):
        quotient, rest = divmod(i, 1 << shift)
        half = (1 << shift) >> 1
        return quotient + (shift > 0 and (rest > half or (rest == half and quotient % 2 == 1)))

    got = sk.astype(to_device(device, np.array(numbers, dtype)), sk.bfloat16)
    assert got.tolist() == [exact(i) for i in numbers]


def test_creation(device):
    values = [0.1, 1e39, -3.4e38, 2.0**-133, True, 7, 1 + 2**-8 + 2**-40]
    want = rounded(np.asarray(values, np.float64))
    assert_same(sk.asarray(values, dtype=sk.bfloat16, device=device), want, device)
    for value in values:
        full = sk.full((3,), value, dtype=sk.bfloat16, device=device)
        assert_same(full, rounded(np.full(3, value, np.float64)), device)
    arange = sk.arange(-5, 5, 0.3, dtype=sk.bfloat16, device=device)
    assert_same(arange, rounded(-5 + np.arange(34) * 0.3), device)
    linspace = sk.linspace(0, 7, 50, dtype=sk.bfloat16, device=device)
    assert_same(linspace, rounded(np.arange(50) * (7 / 49)), device)
    assert_same(sk.eye(3, dtype=sk.bfloat16, device=device), np.eye(3).astype(TYPE), device)


#: Functions of a matrix of small integers, whose sums and products are exact in float32.
FUNCTIONS = {
    "sum": lambda x: sk.sum(x, axis=0),
    "mean": sk.mean,
    "prod": lambda x: sk.prod(x[:, :9], axis=1),
    "max": lambda x: sk.max(x, axis=1),
    "argmin": lambda x: sk.argmin(x, axis=0),
    "any": lambda x: sk.any(x, axis=0),
    "count_nonzero": sk.count_nonzero,
    "var": lambda x: sk.var(x, axis=1),
    "cumulative_sum": lambda x: sk.cumulative_sum(x, axis=1),
    "cumulative_prod": lambda x: sk.cumulative_prod(x[:, :9], axis=1),
    "diff": sk.diff,
    "sort": lambda x: sk.sort(x, axis=0),
    "argsort": lambda x: sk.argsort(x, descending=True, stable=True),
    "searchsorted": lambda x: sk.searchsorted(sk.sort(x[0]), x[1]),
    "unique_values": sk.unique_values,
    "isin": lambda x: sk.isin(x, x[0, :3]),
    "take": lambda x: sk.take(x, sk.asarray([3, 0, 2], device=x.device), axis=1),
    "mask": lambda x: x[x > 0],
    "where": lambda x: sk.where(x > 0, x, -x),
    "nonzero": lambda x: sk.nonzero(x)[1],
    "matmul": lambda x: x @ x.T,
    "tensordot": lambda x: sk.tensordot(x, x, axes=2),
    "outer": lambda x: sk.linalg.outer(x[0], x[1]),
    "concat": lambda x: sk.concat([x, x[:, ::-1]], axis=1),
    "roll": lambda x: sk.roll(x, 3, axis=0),
    "tril": sk.tril,
    "repeat": lambda x: sk.repeat(x, 2, axis=0),
    "permute": lambda x: sk.permute_dims(x, (1, 0)).copy(),
    "clip": lambda x: sk.clip(x, -1, 2),
    "median": lambda x: sk.median(x, axis=0),
    "histogram": lambda x: sk.histogram(x, bins=5)[0],
    "bincount": lambda x: sk.bincount(sk.asarray([0, 1, 1], device=x.device), weights=x[0, :3]),
    "pad": lambda x: sk.pad(x, 2, mode="reflect"),
    "ptp": sk.ptp,
    "nanmax": sk.nanmax,
    "interp": lambda x: sk.interp(x[0], sk.arange(9.0, device=x.device), sk.arange(9.0, device=x.device)),
    "allclose": lambda x: sk.isclose(x, x + 1),
    "nan_to_num": sk.nan_to_num,
    "maximum.reduce": sk.maximum.reduce,
}  # fmt: skip


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_equal_those_of_float32_rounded_once(name, device):
    x = sample("int8", (13, 37), low=-4, high=4).astype(np.float32)
    want = to_numpy(FUNCTIONS[name](to_device(device, x)))
    got = FUNCTIONS[name](to_device(device, x.astype(TYPE)))
    expected = want.astype(TYPE) if want.dtype == np.float32 else want
    assert_same(got, expected, device)


def test_sort_keys_of_all_bit_patterns(device):
    x = np.random.default_rng(0).permutation(PATTERNS)
    wide = x.astype(np.float32)
    keys = np.where(np.isnan(wide), np.float32(inf), wide)
    order = np.lexsort((np.arange(x.size), keys, np.isnan(wide)))
    got = to_numpy(sk.sort(to_device(device, x)))
    assert got.tobytes() == x[order].tobytes()
    assert_same(sk.argsort(to_device(device, x)), order, device, dtype="int64")


def test_selection_keeps_all_bit_patterns(device):
    x = PATTERNS.reshape(256, 256)
    array = to_device(device, x)
    mask = np.random.default_rng(1).random(x.shape) < 0.3
    assert to_numpy(array[to_device(device, mask)]).tobytes() == x[mask].tobytes()
    assert to_numpy(array.T.copy()).tobytes() == np.ascontiguousarray(x.T).tobytes()
    (indices,) = sk.nonzero(to_device(device, PATTERNS))
    assert len(indices) == 65_534


def test_in_place_results_are_converted_within_the_kind(device):
    x = sk.ones(3, dtype=sk.bfloat16, device=device)
    x += sk.full(3, 0.1, dtype=sk.float64, device=device)
    assert x.dtype is DTYPE
    assert x.tolist() == [1.1015625] * 3
    with pytest.raises(DTypeError):
        x += sk.ones(3, dtype=sk.complex64, device=device)


def test_linalg_and_fft_name_the_dtype():
    x = sk.ones((2, 2), dtype=sk.bfloat16)
    with pytest.raises(DTypeError, match="bfloat16"):
        sk.linalg.inv(x)
