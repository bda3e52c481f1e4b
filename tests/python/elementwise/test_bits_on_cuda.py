# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Elementwise functions give the CPU's bits on a CUDA device, except for those that the documentation lists."""

import numpy as np
import pytest
import skerry as sk
from skerry.testing import instruments

from tests.python.elementwise import bits_on_cuda
from tests.python.oracle import HALVES
from tests.python.session import HAS_GPU

if not HAS_GPU:
    pytest.skip("a rehearsed device runs the CPU's kernels", allow_module_level=True)
if instruments.instruction_set() == "x86-64-v2":
    pytest.skip("x86-64-v2 uses the functions of libm", allow_module_level=True)

ALLOWED = bits_on_cuda.allowed()


@pytest.mark.parametrize(("name", "dtype"), bits_on_cuda.CASES)
def test_bits_equal_those_of_the_host(name, dtype, full):
    _, different, largest = bits_on_cuda.compare(name, dtype, 1_000_000 if full else 20_000)
    # Results of float16 and bfloat16 are float32 results, rounded, possibly to the next number where those differ.
    half = dtype in HALVES
    most = ALLOWED.get((name, "float32" if half else dtype))
    if most is not None:
        # `most` was measured for 10^6 arguments on an emulated GPU, whose approximations differ from a GPU's in the last bit.
        assert largest <= (1 if half else most + 1)
    else:
        assert different == 0, f"by {largest} ULP at most"


def test_documented_differences_exist():
    chosen = [case for case in bits_on_cuda.CASES if case in ALLOWED]
    assert len(chosen) == len(ALLOWED)
    same = [case for case in chosen if bits_on_cuda.compare(*case, 5000)[1] == 0]
    assert same == []


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
def test_comparison_finds_one_wrong_bit(dtype, monkeypatch):
    square = sk.square

    def wrong(x):
        y = square(x)
        if str(x.device) == "cpu:0":
            return y
        values = bits_on_cuda.equal_inputs.on_host(y).copy()
        values.view(np.uint8)[len(values) // 2 * values.itemsize] ^= 1
        return sk.asarray(values, device="cpu:0")

    monkeypatch.setattr(sk, "square", wrong)
    assert bits_on_cuda.compare("square", dtype, 1000)[1] == 1
