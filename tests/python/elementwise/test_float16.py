# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""float16 and bfloat16: computed in float32 and rounded once, for all 65,536 values; float16 in NumPy and Python."""

import copy
import math
import pickle

import numpy as np
import pytest
import skerry as sk
from skerry.testing import instruments

from tests.python.elementwise.test_elementwise import EXACT, ON_BITS
from tests.python.oracle import HALVES, assert_within_a_unit, comparable, to_device, to_numpy

WHERE = ["cpu:0", "cuda:0"]
ALL = np.arange(65536, dtype=np.uint16).view(np.float16)
BY_DTYPE = pytest.mark.parametrize("half", HALVES)
TABLE = {entry["name"]: entry for entry in instruments.op_table() if "float16" in entry["loops"]}
UNARY = [name for name, entry in TABLE.items() if entry["arity"] == 1]
EXACT_BINARY = sorted(
    name
    for name, entry in TABLE.items()
    if entry["arity"] == 2
    and name not in ON_BITS
    and (name in EXACT or entry["loops"]["float16"] == "bool")
)
inf = math.inf


def in_float32(name, *args):
    if name == "nan_to_num":  # NumPy knows no NaN of bfloat16
        limits = sk.finfo(args[0].dtype)
        wide = np.nan_to_num(args[0].astype(np.float32), posinf=limits.max, neginf=limits.min)
        return wide.astype(args[0].dtype)
    if name in ON_BITS:
        return getattr(np, name)(*args)
    with np.errstate(all="ignore"):
        # The product makes NaNs quiet: NumPy's fmin of a signalling NaN is NaN on aarch64.
        wide = [x.astype(np.float32) * 1 for x in args]
        if name == "reciprocal":
            return (np.float32(1) / wide[0]).astype(args[0].dtype)
        result = getattr(np, name)(*wide)
        return result.astype(args[0].dtype) if result.dtype.kind == "f" else result


def every_value(half):
    return ALL.view(half)


@pytest.mark.parametrize("device", WHERE)
@pytest.mark.parametrize("name", UNARY)
@BY_DTYPE
@np.errstate(invalid="ignore")  # signalling NaNs: NumPy warns of them on aarch64
def test_unary_functions_of_every_value(half, name, device):
    x = every_value(half)
    got, want = to_numpy(getattr(sk, name)(to_device(device, x))), in_float32(name, x)
    assert got.dtype == want.dtype
    if name in EXACT or want.dtype == bool:
        np.testing.assert_array_equal(comparable(got), comparable(want))
        zero = comparable(want) == 0
        np.testing.assert_array_equal(np.signbit(got[zero]), np.signbit(want[zero]))
    else:
        assert_within_a_unit(got, want, label=name)


@pytest.mark.parametrize("device", WHERE)
@pytest.mark.parametrize("name", EXACT_BINARY)
@BY_DTYPE
@np.errstate(invalid="ignore")  # signalling NaNs: NumPy warns of them on aarch64
def test_binary_functions_of_every_value(half, name, device):
    x = every_value(half)
    other = np.random.default_rng(1).permutation(x)
    got = to_numpy(getattr(sk, name)(to_device(device, x), to_device(device, other)))
    if name != "floor_divide":
        np.testing.assert_array_equal(comparable(got), comparable(in_float32(name, x, other)))
        return
    # floor(x1 / x2). NumPy gives NaN for infinities.
    with np.errstate(all="ignore"):
        want = np.floor(x.astype(np.float64) / other.astype(np.float64)).astype(half)
    np.testing.assert_array_equal(comparable(got), comparable(want))


@pytest.mark.parametrize("device", WHERE)
def test_floor_divide_at_the_limits(device):
    x1 = np.array([inf, -inf, 1, -1, 6e-8, -6e-8], np.float16)
    x2 = np.array([2, 2, inf, inf, -65504, 65504], np.float16)
    got = to_numpy(to_device(device, x1) // to_device(device, x2))
    assert got.tolist() == [inf, -inf, 0, 0, -1, -1]


@pytest.mark.parametrize("device", WHERE)
@BY_DTYPE
@np.errstate(invalid="ignore")  # signalling NaNs: NumPy warns of them on aarch64
def test_nextafter_steps_in_the_stored_dtype(half, device):
    x = every_value(half)
    finite = x[np.isfinite(x.astype(np.float32))]
    for towards in (-inf, 0.0, inf):
        got = to_numpy(sk.nextafter(to_device(device, finite), towards))
        with np.errstate(all="ignore"):
            want = np.nextafter(finite, finite.dtype.type(towards))
        np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("device", WHERE)
def test_float64_to_float16_is_rounded_once(device):
    values = np.array([1 + 2**-11 + 2**-40, 1 + 2**-11, 65520 - 2**-30, 65520, 2**-25 + 2**-70])
    want = [1 + 2**-10, 1.0, 65504.0, inf, 2**-24]
    assert sk.astype(to_device(device, values), sk.float16).tolist() == want
    assert [sk.asarray(x, dtype=sk.float16, device=device).item() for x in values] == want
    assert sk.asarray(values.tolist(), dtype=sk.float16, device=device).tolist() == want


@pytest.mark.parametrize("device", WHERE)
def test_float16_with_python_scalars(device):
    x = to_device(device, np.array([1, 2.5], np.float16))
    for got, want in [(x + 1.5, [2.5, 4.0]), (3 - x, [2.0, 0.5]), (x * 1e6, [inf, inf])]:
        assert got.dtype == np.float16
        assert got.tolist() == want
    assert (x + 70_000).tolist() == (x + 10**300).tolist() == [inf, inf]
    assert (x + 1j).dtype == np.complex64
    assert (x + 1j).tolist() == [1 + 1j, 2.5 + 1j]
    assert (x + True).tolist() == [2.0, 3.5]
    for wrong in (10**400, "1"):
        with pytest.raises((OverflowError, TypeError)):
            x + wrong
    for value in (np.float16(2), np.float64(2)):
        assert (x * value).dtype == (value * x).dtype == np.float16
    assert (np.float16(2) * sk.ones((2,), dtype=sk.float32, device=device)).dtype == np.float32
    assert np.add(x, x).tolist() == [2.0, 5.0]


def test_integers_and_bools_promote_to_float16():
    x = sk.ones((2,), dtype=sk.float16)
    for other in (sk.ones((2,), dtype=sk.int64), sk.ones((2,), dtype=sk.bool)):
        assert (x + other).dtype == np.float16
        assert (x + other).tolist() == [2.0, 2.0]
        with sk.strict_promotion(), pytest.raises(TypeError, match="float16"):
            x + other
    with sk.strict_promotion(), pytest.raises(TypeError):
        x + True


def test_float16_repr_equals_numpy():
    host = np.array([1, 2.5, -0.0, 65504, 6e-8, inf, np.nan], np.float16)
    for part in (host, host[:2], host[3], np.arange(2000, dtype=np.float16)):
        x = sk.asarray(part)
        digits = np.array2string(part, separator=", ", prefix="Array(", threshold=1000)
        assert repr(x).startswith(f"Array({digits},")
        assert "dtype=float16" in repr(x)
    assert f"{sk.asarray(host[1]):.3f}" == "2.500"


@BY_DTYPE
def test_copies_and_pickles_keep_bits(half):
    host = every_value(half)
    x = sk.asarray(host)
    for protocol in (2, 5):
        duplicate = pickle.loads(pickle.dumps(x, protocol))
        assert duplicate.dtype == np.dtype(half)
        assert bytes(duplicate) == ALL.tobytes()
    assert bytes(copy.copy(x)) == bytes(copy.deepcopy(x)) == bytes(x) == ALL.tobytes()
    assert np.shares_memory(np.asarray(x), ALL)
    assert np.shares_memory(np.asarray(sk.asarray(host, dtype=half, copy=False)), ALL)


def test_finfo_of_float16():
    about, theirs = sk.finfo(sk.float16), np.finfo(np.float16)
    assert (about.bits, about.eps, about.max, about.min) == (16, 2**-10, 65504.0, -65504.0)
    assert about.smallest_normal == float(theirs.smallest_normal)
    assert about.dtype == sk.float16
