# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""float16 and bfloat16 on a CUDA device: all 65,536 values, through every function of one argument and casts.

`test_bfloat16.py` has the casts of bfloat16, on all devices.
"""

import numpy as np
import pytest
import skerry as sk
from skerry.testing import instruments

from tests.python.elementwise import bits_on_cuda, equal_inputs
from tests.python.oracle import HALVES, kind_of
from tests.python.session import HAS_GPU

if not HAS_GPU:
    pytest.skip("a rehearsed device runs the CPU's kernels", allow_module_level=True)
if "float16" not in instruments.built_dtypes():
    pytest.skip("built without float16", allow_module_level=True)

EVERY = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
NUMBERS = EVERY[np.isfinite(EVERY)]
UNARY = [
    (name, dtype)
    for name, dtype in bits_on_cuda.CASES
    if dtype in HALVES and equal_inputs.TABLE[name]["arity"] == 1
]
OTHERS = [name for name in instruments.built_dtypes() if name != "float16"]
ALLOWED = bits_on_cuda.allowed()


def every(dtype):
    """Returns all values of a dtype of 16 bits."""
    return EVERY.view(dtype)


def on_cuda(values):
    return sk.asarray(np.ascontiguousarray(values), device="cpu:0").to_device("cuda:0")


def same_bits(got, want):
    """Returns where the bits are equal; all NaNs are equal, as conversions may give any."""
    return (equal_inputs.bits(got, True) == equal_inputs.bits(want, True)).all(axis=-1)


@pytest.mark.skipif(
    instruments.instruction_set() == "x86-64-v2", reason="x86-64-v2 uses the functions of libm"
)
@pytest.mark.parametrize(("name", "dtype"), UNARY)
def test_bits_of_every_value_equal_those_of_the_host(name, dtype):
    function = getattr(sk, name)
    values = every(dtype)
    want = equal_inputs.on_host(function(sk.asarray(values, device="cpu:0")))
    got = equal_inputs.on_host(function(on_cuda(values)))
    differs = ~same_bits(got, want)
    if (name, "float32") not in ALLOWED:
        assert not differs.any(), values[differs]
    elif differs.any():
        # The float32 results differ, and round to adjacent numbers.
        assert bits_on_cuda.units_apart(got[differs], want[differs]) == 1
        assert np.count_nonzero(differs) < 100


@pytest.mark.parametrize("dtype", HALVES)
@pytest.mark.parametrize("name", ["abs", "negative", "positive", "signbit"])
def test_functions_keep_nan_bits(name, dtype):
    # As NumPy does with float16, whose sign is the same bit.
    got = equal_inputs.on_host(getattr(sk, name)(on_cuda(every(dtype))))
    assert got.tobytes() == getattr(np, name)(EVERY).tobytes()


@pytest.mark.parametrize("dtype", HALVES)
def test_copysign_takes_the_sign_of_nan(dtype):
    values = every(dtype)
    got = equal_inputs.on_host(sk.copysign(on_cuda(values), on_cuda(values[::-1])))
    assert got.tobytes() == np.copysign(EVERY, EVERY[::-1]).tobytes()


@pytest.mark.parametrize("dtype", OTHERS)
def test_casts_of_every_float16(dtype):
    values = EVERY if kind_of(dtype) in "bfc" else NUMBERS
    if kind_of(dtype) in "iu":
        limits = np.iinfo(dtype)
        wide = values.astype(np.float64)
        values = values[(wide > limits.min - 1) & (wide < limits.max + 1)]
    got = equal_inputs.on_host(sk.astype(on_cuda(values), dtype))
    with np.errstate(invalid="ignore"):
        assert same_bits(got, values.astype(dtype)).all()


def between(dtype):
    """Returns the midpoints of adjacent float16 values, and the next numbers on both sides."""
    values = np.unique(NUMBERS.astype(np.float64))
    middles = np.concatenate([(values[1:] + values[:-1]) / 2, [65520.0, -65520.0]]).astype(dtype)
    above, below = (np.nextafter(middles, dtype(end)) for end in (np.inf, -np.inf))
    with np.errstate(invalid="ignore"):
        return np.concatenate([middles, above, below, EVERY.astype(dtype)])


@pytest.mark.parametrize("dtype_name", [name for name in OTHERS if kind_of(name) != "c"])
def test_casts_to_float16_are_rounded(dtype_name):
    dtype = np.dtype(dtype_name)
    if kind_of(dtype) == "f":
        values = between(dtype.type)
    elif kind_of(dtype) == "b":
        values = np.array([True, False] * 33)
    else:
        fixed, wide = bits_on_cuda.integers(dtype, 1000, np.random.default_rng(0))
        ends = np.iinfo(dtype)
        integers = np.arange(max(-70_000, ends.min), min(70_000, ends.max) + 1).astype(dtype)
        values = np.concatenate([fixed, wide, integers])
    got = equal_inputs.on_host(sk.astype(on_cuda(values), "float16"))
    with np.errstate(over="ignore"):
        assert same_bits(got, values.astype(np.float16)).all()
