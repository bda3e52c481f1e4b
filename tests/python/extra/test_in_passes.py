# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Functions that use fusion on a CPU: bits are unchanged, and intermediate results take no memory."""

import numpy as np
import pytest
import skerry as sk
from skerry._extra._operands import PIECE
from skerry._extra.logic import comparison
from skerry._extra.mathematics import arithmetic, differences
from skerry._extra.polynomials import evaluation
from skerry._extra.statistics import _moments

from tests.python.loops import loop_over
from tests.python.oracle import to_device, to_numpy

DTYPES = ["bool", "uint8", "int64", "float32", "float64", "complex64", "complex128"]


def of_whole_length(dtype, seed):
    """Returns more than PIECE elements, with NaN and infinities where the dtype has them."""
    random = np.random.default_rng(seed)
    x = random.integers(0, 50, (3, PIECE // 2)).astype(dtype)
    if x.dtype.kind in "fc":
        x /= 7
        x[:, ::5] = np.nan
        x[1, ::7] = np.inf
    return x


CALLS = {
    "isclose": lambda f, x, y: f(x, y, 1e-5, 1e-8, True),
    "allclose": lambda f, x, y: f(x, y, 0.5, 1e-8, True),
    "nanvar": lambda f, x, _: f(x, -1, 1, False, None),
    "nanvar of all": lambda f, x, _: f(x, None, 0, True, None),
    "trapezoid": lambda f, x, _: f(x, 0.25, -1, may_overflow=False),
    "trapezoid along the first": lambda f, x, _: f(x, 1.0, 0, may_overflow=True),
    "polyval": lambda f, x, y: f(x, y[0, 1:5]),
}
FUSED = {
    "isclose": comparison._is_close,
    "allclose": comparison._all_close,
    "nanvar": _moments._variance,
    "trapezoid": differences._sum_of_areas,
    "polyval": evaluation._horner,
}


@loop_over("dtype", DTYPES)
@pytest.mark.parametrize("name", CALLS)
def test_fused_functions_equal_eager_bits(name, dtype, device):
    function = FUSED[name.split()[0]]
    x, y = (to_device(device, of_whole_length(dtype, seed)) for seed in (1, 2))
    if name.split()[0] in ("nanvar", "trapezoid"):
        x = sk.astype(x, sk.result_type(x.dtype, sk.float32))
    got = CALLS[name](function, x, y)
    want = CALLS[name](function.__wrapped__, x, y)
    assert (got.dtype, got.device, got.shape) == (want.dtype, want.device, want.shape)
    assert to_numpy(got).tobytes() == to_numpy(want).tobytes()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_fused_modf_equals_eager_bits(dtype, device):
    x = to_device(device, of_whole_length(dtype, 1)) - 3
    for got, want in zip(
        arithmetic._rest_and_whole(x), arithmetic._rest_and_whole.__wrapped__(x), strict=True
    ):
        assert to_numpy(got).tobytes() == to_numpy(want).tobytes()


@pytest.mark.parametrize("size", [(3, 4), (3, PIECE)])
def test_polyval_keeps_the_memory_order_of_x(size, device):
    x = to_device(device, of_whole_length("float64", 1)[:, : size[1]]).T
    coefficients = sk.ones((2,), dtype=sk.float64, device=x.device)
    assert sk.polyval(coefficients, x).strides == (x + x).strides == x.strides


def test_real_if_close_checks_every_imaginary_part(device):
    x = to_device(device, np.ones(PIECE + 5, "complex128"))
    assert sk.real_if_close(x).dtype == sk.float64
    x[PIECE + 3] = 1 + 1j
    assert sk.real_if_close(x).dtype == sk.complex128


@pytest.mark.parametrize(
    ("function", "most"),
    [(lambda x: sk.isclose(x, x), 2), (sk.trapezoid, 1), (sk.nanvar, 3), (sk.nanstd, 3)],
)
def test_intermediate_results_take_no_memory(function, most):
    x = sk.ones((1 << 20,), dtype=sk.float64, device="cpu:0")
    function(x)
    sk.reset_peak("cpu:0")
    old_live_bytes = sk.memory_statistics("cpu:0").live_bytes
    function(x)
    used_bytes = sk.memory_statistics("cpu:0").peak_bytes - old_live_bytes
    assert used_bytes < most << 20, "bytes per element"


@loop_over("dtype", ["bool", "uint8", "int64"])
@loop_over("ddof", [0, 1, 3, 5])
def test_nanvar_of_integers_equals_var(dtype, ddof, device):
    x = to_device(device, np.arange(12).reshape(4, 3).astype(dtype))
    for axis in (None, 0, 1):
        variance, spread = (f(x, axis, ddof=ddof) for f in (sk.nanvar, sk.nanstd))
        assert (
            to_numpy(variance).tobytes()
            == to_numpy(sk.var(x, axis=axis, correction=ddof)).tobytes()
        )
        assert np.array_equal(to_numpy(spread), np.sqrt(to_numpy(variance)), equal_nan=True)


@pytest.mark.parametrize("dtype", ["bool", "int64"])
@pytest.mark.parametrize("size", [10, PIECE + 1])
def test_statistics_of_integers_work_under_strict_promotion(dtype, size, strict_promotion):
    x = sk.ones((size,), dtype=dtype)
    for function in (sk.nanmean, sk.nanvar, sk.nanstd, sk.average, sk.trapezoid):
        assert function(x).dtype == sk.float64, function.__name__


@pytest.mark.parametrize("shape", [(70_000,), (300, 5000), (5000, 300), (1000, 130)])
def test_nanargmax_of_bools_finds_any_position(shape, device):
    random = np.random.default_rng(3)
    for share in (0.0, 0.0005, 0.5, 0.9995, 1.0):
        host = random.random(shape) < share
        x = to_device(device, host)
        for axis in (None, *range(host.ndim)):
            for name in ("nanargmax", "nanargmin"):
                got = getattr(sk, name)(x, axis=axis)
                assert np.array_equal(to_numpy(got), getattr(np, name)(host, axis=axis))
                keepdims_result = getattr(sk, name)(x, axis=axis, keepdims=True)
                assert np.array_equal(
                    to_numpy(keepdims_result), getattr(np, name)(host, axis=axis, keepdims=True)
                )
