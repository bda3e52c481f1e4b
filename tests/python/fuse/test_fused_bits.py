# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Random programs: fused results equal eager ones bit for bit."""

import random

import numpy as np
import pytest
import skerry as sk

from tests.python.fuse.recorded_sizes import all_sizes_recorded  # noqa: F401
from tests.python.oracle import DTYPES, kind_of, to_numpy

UNARY = [
    "abs", "acos", "asinh", "atan", "bitwise_invert", "ceil", "conj", "cos", "cosh", "exp", "expm1", "floor", "imag",
    "isfinite", "isinf", "isnan", "log", "log1p", "log2", "logical_not", "negative", "positive", "real", "reciprocal",
    "round", "sign", "signbit", "sin", "sinh", "sqrt", "square", "tan", "tanh", "trunc",
]  # fmt: skip
BINARY = [
    "add", "atan2", "bitwise_and", "bitwise_left_shift", "bitwise_or", "bitwise_xor", "copysign", "divide", "equal",
    "floor_divide", "greater", "greater_equal", "hypot", "less", "less_equal", "logaddexp", "logical_and", "logical_or",
    "logical_xor", "maximum", "minimum", "multiply", "nextafter", "not_equal", "pow", "remainder", "subtract",
]  # fmt: skip
OPERATORS = [
    "__add__",
    "__sub__",
    "__mul__",
    "__truediv__",
    "__lt__",
    "__rsub__",
    "__pow__",
    "__neg__",
    "__mod__",
]
IN_PLACE = ["__iadd__", "__isub__", "__imul__", "__itruediv__", "__ipow__", "__iand__"]
SCALARS = [0, 1, 2, -1, 0.5, -2.0, 3, True, 1j]
LAYOUTS = ["whole", "slice", "transposed", "strided", "reversed", "row", "column", "0-d"]


def sample(rng, dtype, shape):
    values = rng.normal(scale=4, size=shape)
    if kind_of(dtype) == "c":
        values = values + 1j * rng.normal(size=shape)
    elif kind_of(dtype) in "ui":
        values = np.abs(values)
    return np.asarray(values).astype(dtype)


def laid_out(rng, dtype, shape, layout, device):
    """Returns an array that broadcasts to the shape."""
    n, m = shape
    builders = {
        "whole": lambda put: put((n, m)),
        "slice": lambda put: put((n + 1, m + 2))[1:, 1:-1],
        "transposed": lambda put: put((m, n)).T,
        "strided": lambda put: put((n, 3 * m))[:, ::3],
        "reversed": lambda put: put((n, m))[::-1, ::-1],
        "row": lambda put: put((m,)),
        "column": lambda put: put((n, 1)),
        "0-d": lambda put: put(()),
    }
    return builders[layout](
        lambda extents: sk.asarray(sample(rng, dtype, extents), device=device, copy=True)
    )


def chain(choices, arrays):
    """Runs the program that the seed chose. Steps that the dtypes reject are left out and their errors returned."""
    values = list(arrays)
    errors = []
    results = []
    for kind, name, positions, scalar, dtype in choices:
        a, b, c = (values[position % len(values)] for position in positions)
        try:
            if kind == "unary":
                result = getattr(sk, name)(a)
            elif kind == "binary":
                result = getattr(sk, name)(a, b if scalar is None else scalar)
            elif kind == "operator":
                result = getattr(a, name)(
                    *([] if name == "__neg__" else [b if scalar is None else scalar])
                )
            elif kind == "in place":
                target = a + 0  # does not change the arguments
                result = getattr(target, name)(b if scalar is None else scalar)
            elif kind == "where":
                result = sk.where(a, b, c if scalar is None else scalar)
            elif kind == "clip":
                result = sk.clip(a, 1 if scalar is None else None, 3)
            else:
                result = a.astype(dtype)
        except Exception as error:
            errors.append((type(error), str(error)))
            continue
        if result is NotImplemented:
            continue
        values.append(result)
        if positions[0] % 5 == 0:
            results.append(result)
    return [*results, values[-1]], errors


def random_choices(chance, depth):
    kinds = (
        ["unary"] * 3 + ["binary"] * 4 + ["operator"] * 4 + ["in place", "where", "clip", "astype"]
    )
    names = {"unary": UNARY, "binary": BINARY, "operator": OPERATORS, "in place": IN_PLACE}
    for _ in range(depth):
        kind = chance.choice(kinds)
        name = chance.choice(names.get(kind, [kind]))
        positions = [chance.randrange(1000) for _ in range(3)]
        scalar = chance.choice(SCALARS) if chance.random() < 0.3 else None
        yield kind, name, positions, scalar, chance.choice(DTYPES)


def assert_equal_bits(got, want, label):
    assert len(got) == len(want), label
    for one, other in zip(got, want, strict=True):
        assert type(one) is sk.Array, label
        assert (one.dtype, one.shape, one.device, one.strides) == (
            other.dtype, other.shape, other.device, other.strides
        ), label  # fmt: skip
        assert to_numpy(one).tobytes() == to_numpy(other).tobytes(), label


def compare(seed, shape, depth, device, dtypes=DTYPES, layouts=LAYOUTS):
    chance = random.Random(seed)
    rng = np.random.default_rng(seed)
    arrays = [
        laid_out(rng, chance.choice(dtypes), shape, chance.choice(layouts), device)
        for _ in range(4)
    ]
    choices = list(random_choices(chance, depth))
    want, eager_errors = chain(choices, arrays)
    got, errors = sk.fuse(chain)(choices, arrays)
    assert errors == eager_errors
    assert_equal_bits(got, want, f"seed {seed} on {device}")


@pytest.mark.parametrize("device", ["cpu:0", "cuda:0"])
@pytest.mark.parametrize("part", range(4))
def test_random_programs_equal_eager_bits(device, part, request):
    count = 500 if request.config.getoption("--full") else 60
    for seed in range(part * count, (part + 1) * count):
        shape = [(3, 5), (40, 70), (1, 1), (9, 4), (7, 300)][seed % 5]
        compare(seed, shape, 1 + seed % 30, device)


@pytest.mark.parametrize("device", ["cpu:0", "cuda:0"])
def test_large_programs_on_several_threads_equal_eager_bits(device):
    for seed in range(12):
        compare(10_000 + seed, (700, 1001), 6, device, ["float32", "float64", "int32"])


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (1, 0)])
def test_programs_on_empty_arrays(shape):
    for seed in range(10):
        compare(20_000 + seed, shape, 8, "cpu:0")


@pytest.mark.parametrize("dtype", DTYPES)
def test_chain_of_each_dtype(dtype):
    """The arrays are longer than one block, and leave a remainder."""
    rng = np.random.default_rng(1)
    x, y = (sk.asarray(sample(rng, dtype, (5003,)), copy=True) for _ in range(2))

    def run(x, y):
        t = x * y
        u = sk.where(t == x, x, t) + x
        return u, abs(u) * 2, t != y, (t + y).astype("float64" if dtype == "bool" else dtype)

    assert_equal_bits(sk.fuse(run)(x, y), run(x, y), dtype)


def test_stencil_of_shifted_views():
    x = sk.asarray(np.random.default_rng(3).normal(size=(301, 517)), copy=True)

    def stencil(x):
        return (x[1:-1, :-2] + x[1:-1, 2:] + x[:-2, 1:-1] + x[2:, 1:-1] - 4 * x[1:-1, 1:-1]) * 0.25

    assert_equal_bits([sk.fuse(stencil)(x)], [stencil(x)], "stencil")


def test_more_operands_than_one_pass_takes():
    arrays = [sk.asarray(np.random.default_rng(i).normal(size=1000), copy=True) for i in range(50)]

    def run(arrays):
        total = arrays[0] * 1.5
        sums = []
        for x in arrays[1:]:
            total = total * 0.5 + x
            sums.append(total)
        return [*sums, total]

    assert_equal_bits(sk.fuse(run)(arrays), run(arrays), "operands")


def test_more_axes_than_a_plan_takes():
    x = sk.asarray(np.random.default_rng(5).normal(size=(2,) * 12), copy=True)
    transposed = sk.permute_dims(x, (11, 3, 9, 1, 7, 5, 6, 4, 8, 2, 10, 0))

    def run(x, y):
        return (x - y) * x + 1

    assert_equal_bits([sk.fuse(run)(x, transposed)], [run(x, transposed)], "ranks")
