# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Every elementwise operation x dtype x layout x device against NumPy, generated from the operation table."""

import itertools

import numpy as np
import pytest
import skerry as sk
from skerry.testing import instruments

from tests.python.loops import loop_over
from tests.python.oracle import (
    BASE_SHAPE,
    HALVES,
    SIZES,
    assert_same,
    kind_of,
    layouts_of,
    sample,
    to_device,
)

TABLE = {entry["name"]: entry for entry in instruments.op_table()}
CASES = [(name, dtype) for name, entry in TABLE.items() for dtype in entry["loops"]]

# Correctly rounded or exact by the standard; everything else may be off by a few units in the last place.
EXACT = {
    "add",
    "subtract",
    "multiply",
    "divide",
    "sqrt",
    "reciprocal",
    "angle",
    "nan_to_num",
    "abs",
    "ceil",
    "floor",
    "trunc",
    "round",
    "negative",
    "positive",
    "sign",
    "square",
    "copysign",
    "nextafter",
    "fabs",
    "fmax",
    "fmin",
    "fmod",
    "heaviside",
    "maximum",
    "minimum",
    "clip",
    "conj",
    "real",
    "imag",
    "remainder",
    "floor_divide",
}
# Neighbours and the largest number are those of the dtype itself.
ON_BITS = {"nan_to_num", "nextafter"}
# Ranges of arguments (low, high) by operation.
DOMAIN = {
    "acosh": (1.0, 30.0),
    "asin": (-1.0, 1.0),
    "acos": (-1.0, 1.0),
    "atanh": (-0.99, 0.99),
    "log": (1e-3, 50.0),
    "log2": (1e-3, 50.0),
    "log10": (1e-3, 50.0),
    "log1p": (-0.9, 50.0),
    "sqrt": (0.0, 1e6),
    "bitwise_left_shift": (0, 6),
    "bitwise_right_shift": (0, 6),
}


def arguments(name, dtype, shape):
    """Returns arguments without NumPy's special cases: no division by zero, no negative exponents."""
    kind = kind_of(dtype)
    bounds = DOMAIN.get(name, (None, None)) if kind in "fiu" else (None, None)
    args = [sample(dtype, shape, seed, *bounds) for seed in range(TABLE[name]["arity"])]
    if name in ("floor_divide", "remainder") and kind in "iu":
        args[1] = np.where(args[1] == 0, 1, args[1]).astype(dtype)
    if name == "pow":
        args[0] = sample(dtype, shape, 0, 0 if kind in "iu" else 0.1, 3)
        args[1] = sample(dtype, shape, 1, 0 if kind in "iu" else -3, 3)
    if name == "sign" and kind == "c":
        args[0] = np.where(np.abs(args[0]) < 0.1, 1, args[0]).astype(dtype)
    return args


def reference(name, args):
    """Returns NumPy's result. Real transcendentals of float32 use float64, as NumPy's own are off by ulps too.

    Results of ``HALVES`` are float32 results, rounded once.
    """
    function = getattr(np, name)
    dtype = args[0].dtype
    with np.errstate(all="ignore"):
        if dtype.name in HALVES and name not in ON_BITS:
            wide = reference(name, [x.astype(np.float32) for x in args])
            return wide.astype(dtype if kind_of(wide.dtype) == "f" else wide.dtype)
        if name == "clip":
            return np.minimum(np.maximum(args[0], args[1]), args[2])
        if name == "reciprocal":
            return np.asarray(1, dtype=dtype) / args[0]
        if name in EXACT and kind_of(dtype) != "c":
            return function(*args)
        if dtype == np.float32:
            return function(*(x.astype(np.float64) for x in args)).astype(
                bool if function(*args).dtype == bool else np.float32
            )
        if dtype == np.complex64:
            wide = function(*(x.astype(np.complex128) for x in args))
            narrow = {"c": np.complex64, "f": np.float32, "b": bool}[kind_of(wide.dtype)]
            return wide.astype(narrow)
        return function(*args)


def is_exact(name, dtype):
    kind = kind_of(dtype)
    result = kind_of(TABLE[name]["loops"][dtype])
    return result in "biu" or (name in EXACT and kind in "fiub")


def check(name, dtype, arrays, theirs, device, label):
    got = getattr(sk, name)(*arrays)
    want = reference(name, theirs)
    result = TABLE[name]["loops"][dtype]
    # logaddexp and logaddexp2 are zero on a curve that the arguments' own rounding can cross.
    scale = (
        max((np.max(np.abs(x), initial=0.0) for x in theirs), default=0.0)
        if name in ("logaddexp", "logaddexp2")
        else 0.0
    )
    want = np.asarray(want).astype(result)
    exact = is_exact(name, dtype)
    assert_same(got, want, device, dtype=result, exact=exact, scale=scale, label=label)


@loop_over(("name", "dtype"), CASES, items="name")
def test_elementwise_in_every_layout(name, dtype, device):
    args = arguments(name, dtype, BASE_SHAPE)
    views = [layouts_of(x, device) for x in args]
    for parts in zip(*views, strict=True):
        arrays, theirs = [part[1] for part in parts], [part[2] for part in parts]
        check(name, dtype, arrays, theirs, device, f"{name} {dtype} {parts[0][0]}")


@loop_over(("name", "dtype"), CASES, items="name")
def test_elementwise_of_mixed_and_broadcast_layouts(name, dtype, device):
    args = arguments(name, dtype, BASE_SHAPE)
    if len(args) < 2:
        args = [args[0].T.copy().T]
        check(name, dtype, [to_device(device, x) for x in args], args, device, f"{name} {dtype} F")
        return
    # A matrix with a row, and a column with a transposed matrix.
    first = [args[0]] + [x[1] for x in args[1:]]
    second = [args[0][:, :1]] + [np.asfortranarray(x) for x in args[1:]]
    for theirs in (first, second):
        arrays = [to_device(device, x) for x in theirs]
        check(name, dtype, arrays, theirs, device, f"{name} {dtype} broadcast")


@loop_over(("name", "dtype"), CASES, items="name")
def test_elementwise_of_every_size(name, dtype):
    # One CPU and one CUDA device suffice: sizes concern loop tails, blocks and chunks.
    for size in SIZES:
        if size == SIZES[-1] and kind_of(dtype) == "c":
            continue  # to save time: 4,097 elements already take several blocks
        args = arguments(name, dtype, (size,))
        for device in ("cpu:0", "cuda:1"):
            arrays = [to_device(device, x) for x in args]
            check(name, dtype, arrays, args, device, f"{name} {dtype} size {size}")


@loop_over(("name", "dtype"), CASES, items="name")
def test_elementwise_of_misaligned_memory(name, dtype):
    args = arguments(name, dtype, (37,))
    shifted = []
    for x in args:
        buffer = np.empty(x.nbytes + 1, dtype=np.uint8)
        view = buffer[1:].view(x.dtype)
        view[...] = x
        shifted.append(view)
    check(
        name,
        dtype,
        [sk.asarray(x, device="cpu:0") for x in shifted],
        args,
        "cpu:0",
        f"{name} {dtype}",
    )


@pytest.fixture(params=[1, 2])
def threads(request, restore_threads):
    sk.set_num_threads(request.param)
    return request.param


@loop_over("dtype", ["int8", "int16", "float16", "float32", "int64", "complex128"])
def test_strided_operands_of_every_step(dtype, device):
    # Some steps have specialized loops. The lengths leave various remainders.
    a, b = sample(dtype, (3, 3001), 3), sample(dtype, (3, 3001), 4)
    x, y = to_device(device, a), to_device(device, b)
    for step in (2, 3, 4, 5, 17, -1, -2, -3):
        for length in (4, 67, 1000, 3001):
            array, want = x[:, :length][:, ::step], a[:, :length][:, ::step]
            other, other_expected = y[:, :length][:, ::step], b[:, :length][:, ::step]
            assert_same(array + other, want + other_expected, device)
            assert_same(array + array, want + want, device)
            target, result = to_device(device, b), b.copy()
            target[:, :length][:, ::step], result[:, :length][:, ::step] = array, want
            assert_same(target, result, device)


@pytest.mark.parametrize("dtype", ["int8", "float16", "float32", "int64", "complex128"])
def test_reversed_operands(dtype, device):
    # If most operands are reversed, the loop runs backwards. Covers several tiles, broadcast and forward operands beside
    # reversed ones, and results that overwrite an operand.
    for shape in ((7001,), (3, 5003), (901, 5)):
        a, b, c = (sample(dtype, shape, seed) for seed in (3, 4, 5))
        x, y, z = (to_device(device, host) for host in (a, b, c))
        for array, other, want, other_expected in (
            (x[..., ::-1], y[..., ::-1], a[..., ::-1], b[..., ::-1]),
            (x[..., :1], y[..., ::-1], a[..., :1], b[..., ::-1]),
            (x, y[..., ::-1], a, b[..., ::-1]),
        ):
            assert_same(array + other, want + other_expected, device)
            chosen = sk.where(other == array, other, array)
            assert_same(chosen, np.where(other_expected == want, other_expected, want), device)
        z[..., ::-1] += y[..., ::-1]
        c[..., ::-1] += b[..., ::-1]
        assert_same(z, c, device)
        z += z[..., ::-1]
        assert_same(z, c + c[..., ::-1], device)


@pytest.mark.parametrize("device", ["cpu:0", "cuda:0"])
def test_results_keep_the_order_of_axes(device):
    """This includes parts of transposes, with gaps between their rows."""
    host = sample("float32", (6, 7, 8))
    for axes in itertools.permutations(range(3)):
        array, want = sk.permute_dims(to_device(device, host), axes), np.transpose(host, axes)
        for part in (np.s_[1:, :-1], np.s_[..., ::2], np.s_[::-1], np.s_[:1]):
            for one, expected in (
                (array[part] + array[part], want[part] + want[part]),
                (-array[part], -want[part]),
                (
                    sk.where(array[part] > 0, array[part], 0),
                    np.where(want[part] > 0, want[part], 0),
                ),
            ):
                assert_same(one, expected, device)
                lengths = [n > 1 for n in one.shape]
                strides = zip(one.strides, expected.strides, lengths, strict=True)
                assert all(stride == other for stride, other, counts in strides if counts)


@pytest.mark.slow
@pytest.mark.usefixtures("threads")
@pytest.mark.parametrize("device", ["cpu:0", "cuda:0"])
def test_elementwise_out_of_cache(device):
    # Many tiles and chunks, with heads and tails that do not fill a vector.
    a = sample("float32", (9_000_001,), 0)
    b = sample("float32", (9_000_001,), 1)
    x, y = to_device(device, a), to_device(device, b)
    assert_same(x + y, a + b, device)
    assert_same(x + np.float32(1.5), a + np.float32(1.5), device)
    assert_same(sk.sqrt(sk.abs(x)), np.sqrt(np.abs(a)), device)
    m, n = a[:-1].reshape(-1, 3000), b[:-1].reshape(-1, 3000)
    p, q = sk.reshape(x[:-1], (-1, 3000)), sk.reshape(y[:-1], (-1, 3000))
    assert_same(p + q[0], m + n[0], device)
    assert_same(p + q[:, :1], m + n[:, :1], device)
    square, other = a[: 2900 * 2900].reshape(2900, 2900), b[: 2900 * 2900].reshape(2900, 2900)
    r, s = sk.reshape(x[: 2900 * 2900], (2900, 2900)), sk.reshape(y[: 2900 * 2900], (2900, 2900))
    assert_same(r + s.T, square + other.T, device)
    assert_same(r.T - s[::-1], square.T - other[::-1], device)
    thin, short = a[:-1].reshape(-1, 5), b[:5]
    assert_same(sk.reshape(x[:-1], (-1, 5)) + y[:5], thin + short, device)
    wide = sample("float64", (9_000_006,), 2)
    assert_same(to_device(device, wide)[::2] * 2.0, wide[::2] * 2.0, device)
    target = sk.zeros((9_000_011,), dtype=sk.float32, device=device)
    view = target[3:-7]
    view += x
    want = np.zeros(9_000_011, dtype=np.float32)
    want[3:-7] = a
    assert_same(target, want, device)
    target[5:-5] = x
    want[5:-5] = a
    assert_same(target, want, device)
    wide_target = sk.zeros((9_000_010,), dtype=sk.float32, device=device)
    part = wide_target[4:-5]
    part[...] = sk.astype(x, sk.float32) + 0.0
    assert_same(part, a + np.float32(0), device)


def test_operation_table_has_the_67_functions_of_the_standard():
    standard = [entry for entry in TABLE.values() if not entry["is_private"]]
    assert len(standard) == 67
    assert sum(entry["arity"] == 1 for entry in standard) == 38
    assert sum(entry["arity"] == 2 for entry in standard) == 28
