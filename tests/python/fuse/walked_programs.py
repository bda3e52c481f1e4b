# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Random programs over rows, and one comparison of their outcomes: bits, layouts, errors and arguments.

A program is a list of steps that name their operands by number: arguments first, then the results of steps. A step with a
missing operand is an error like any other, so that `shrunk` can cut a program down to the steps that matter.
"""

import dataclasses
import itertools
import operator
import random
import re

import numpy as np
import skerry as sk

from tests.python.oracle import DTYPES, kind_of, to_numpy

REDUCTIONS = [
    "all", "any", "argmax", "argmin", "count_nonzero", "max", "mean", "min", "nanmax", "nanmin", "prod", "std", "sum", "var",
]  # fmt: skip
SCANS = ["cumulative_prod", "cumulative_sum"]
CORRECTIONS = [0, 1, 0.5, 3, 1000, -1]
# Extents around the sizes at which the CPU's kernels switch loops.
EXTENTS = [1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 66, 127, 128, 129, 130, 255, 256, 257, 511, 512, 513, 700]  # fmt: skip
UNARY = [
    "abs", "acos", "angle", "asinh", "atan", "bitwise_invert", "ceil", "conj", "cos", "exp", "exp2", "expm1", "floor",
    "imag", "isfinite", "isinf", "isnan", "log", "log10", "log1p", "log2", "logical_not", "nan_to_num", "negative",
    "positive", "rad2deg", "real", "reciprocal", "round", "sign", "sin", "sqrt", "square", "tanh", "trunc",
]  # fmt: skip
BINARY = [
    "atan2", "bitwise_and", "bitwise_left_shift", "bitwise_or", "bitwise_right_shift", "bitwise_xor", "equal", "floor_divide",
    "fmax", "fmin", "fmod", "greater", "heaviside", "hypot", "less", "less_equal", "logaddexp",
    "logical_and", "logical_or", "logical_xor", "maximum", "minimum", "nextafter", "not_equal", "pow", "remainder",
]  # fmt: skip
ARITHMETIC = ["add", "subtract", "multiply", "divide"]
OPERATORS = ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "lt", "ge", "eq", "and_", "xor"]  # fmt: skip
IN_PLACE = ["iadd", "isub", "imul", "itruediv", "ipow", "iand", "imod", "ifloordiv"]
SCALARS = [
    0, 1, 2, -1, 3, 0.5, -2.0, 1.5, -0.0, True, False, 1j, 255, 256, 300, -129, 2**31, 2**40, 2**63, -(2**63), 2**64, 2**70,
    1e300, 1e-40, float("inf"), float("-inf"), float("nan"), np.float32(1.5), np.int8(-3), np.uint64(2**63), np.bool_(True),
]  # fmt: skip
LAYOUTS = {
    "whole": lambda make, n, m: make((n, m)),
    "slice": lambda make, n, m: make((n + 1, m + 2))[1:, 1:-1],
    "gaps": lambda make, n, m: make((n, m + m // 4 + 1))[:, :m],
    "transposed": lambda make, n, m: make((m, n)).T,
    "strided": lambda make, n, m: make((n, 3 * m))[:, ::3],
    "strided rows": lambda make, n, m: make((2 * n, m))[::2],
    "reversed": lambda make, n, m: make((n, m))[::-1, ::-1],
    "reversed rows": lambda make, n, m: make((n, m))[::-1],
    "reversed columns": lambda make, n, m: make((n, m))[:, ::-1],
    "broadcast row": lambda make, n, m: sk.broadcast_to(make((1, m)), (n, m)),
    "broadcast column": lambda make, n, m: sk.broadcast_to(make((n, 1)), (n, m)),
    "broadcast element": lambda make, n, m: sk.broadcast_to(make(()), (n, m)),
    "windows": lambda make, n, m: sk.sliding_window_view(make((n + m - 1,)), m)[:n],
}
SHORTER = {
    "row": lambda make, n, m: make((m,)),
    "row of one": lambda make, n, m: make((1, m)),
    "reversed row": lambda make, n, m: make((m,))[::-1],
    "strided row": lambda make, n, m: make((2 * m,))[::2],
    "column": lambda make, n, m: make((n, 1)),
    "column slice": lambda make, n, m: make((n, 3))[:, 1:2],
    "one element": lambda make, n, m: make(()),
    "broadcast element as row": lambda make, n, m: sk.broadcast_to(make(()), (m,)),
}


@dataclasses.dataclass(frozen=True)
class Step:
    """A call, its operands, and the values that are deleted after it."""

    kind: str
    name: str
    operands: tuple  # numbers of values, or ("scalar", value)
    options: tuple = ()  # items of a dict
    dropped: tuple = ()


@dataclasses.dataclass(frozen=True)
class Program:
    seed: int
    device: str
    arguments: tuple  # (dtype, layout, samples) of each
    shape: tuple  # rows and columns
    split: int  # the columns are split into so many parts along a third axis
    steps: tuple
    results: tuple


def sample(rng, dtype, shape, samples):
    """Returns elements of a dtype: small numbers, any numbers, or special values."""
    size = int(np.prod(shape))
    kind = np.dtype(dtype)
    if kind_of(kind) in "iu" and samples == "any":
        limits = np.iinfo(kind)
        return rng.integers(limits.min, limits.max, size, kind, endpoint=True).reshape(shape)
    values = rng.normal(scale=3, size=size)
    if samples == "zeros":
        values = rng.choice([0.0, -0.0, 0.0, -0.0, rng.choice([1.0, -1.0])], size)
    if samples == "small":
        values = np.round(values, 1)
    if kind_of(kind) == "c":
        values = values + 1j * rng.normal(size=size)
    if kind_of(kind) in "ui":
        values = np.abs(values) if kind_of(kind) == "u" else values
    with np.errstate(all="ignore"):
        values = np.asarray(values).astype(dtype)
    if samples == "hard" and kind_of(kind) in "fc":
        real = values.view(f"f{kind.itemsize // (2 if kind_of(kind) == 'c' else 1)}")
        put_hard(rng, real)
    return values.reshape(shape)


def put_hard(rng, values):
    """Inserts NaNs with several payloads, infinities, zeros of both signs, and the smallest and largest numbers."""
    limits = np.finfo(values.dtype)
    quiet = np.array([np.nan], values.dtype).view(f"u{values.itemsize}")
    sign = 1 << (8 * values.itemsize - 1)
    nans = [quiet | 5, quiet | sign, quiet]
    hard = [0.0, -0.0, np.inf, -np.inf, limits.max, -limits.max, limits.smallest_subnormal, -limits.smallest_subnormal, limits.tiny]  # fmt: skip
    pool = np.concatenate(
        [np.array(hard, values.dtype)] + [pattern.view(values.dtype) for pattern in nans]
    )
    share = rng.choice([0.001, 0.03, 0.5])
    chosen = rng.random(values.size) < share
    kinds = rng.choice(len(pool), chosen.sum())
    if rng.random() < 0.4:  # without NaN
        kinds %= len(hard)
    values[chosen] = pool[kinds]


def make_arguments(program):
    """Returns equal arguments at each call, in new memory, as programs may change them."""
    rng = np.random.default_rng(program.seed)
    n, m = program.shape
    arrays = []
    for dtype, layout, samples in program.arguments:

        def make(shape, dtype=dtype, samples=samples):
            return sk.asarray(sample(rng, dtype, shape, samples), device=program.device, copy=True)

        array = {**LAYOUTS, **SHORTER}[layout](make, n, m)
        if program.split > 1 and array.ndim == 2 and array.shape[1] == m:
            array = sk.reshape(array, (array.shape[0], program.split, m // program.split))
        arrays.append(array)
    return arrays


def call(step, operands):
    kind, name, options = step.kind, step.name, dict(step.options)
    if kind in ("operator", "in place"):
        return getattr(operator, name)(*operands)
    if kind == "method":
        return getattr(operands[0], name)(*operands[1:], **options)
    if name in OWN:
        return OWN[name](*operands)
    return getattr(sk, name)(*operands, **options)


VIEWS = ["added axis", "reversed", "slice", "transposed view", "every other"]


def softmax(x):
    grown = sk.exp(x - sk.max(x, axis=-1, keepdims=True))
    return grown / sk.sum(grown, axis=-1, keepdims=True)


# Functions that need values, or are composed of others: (x) or (x, y).
OTHERS = [
    "cov of two", "diff", "flip", "item", "matrix product", "median", "nanmean", "nansum", "nanvar", "norm", "ptp", "roll",
    "softmax", "sort", "stack", "take", "truth", "unique",
]  # fmt: skip
SIGNS = ["copysign", "signbit"]  # of numbers; the sign of a NaN is unspecified
OWN = {
    "copysign": lambda x, y: sk.where(y == y, sk.copysign(x, y), x),
    "signbit": lambda x: sk.where(x == x, sk.signbit(x), False),
    "added axis": lambda x: sk.expand_dims(x, axis=-1),
    "reversed": lambda x: x[::-1],
    "slice": lambda x: x[..., 1:],
    "transposed view": lambda x: x.T,
    "every other": lambda x: x[::2],
    "cov of two": lambda x, y: sk.mean((x - sk.mean(x)) * (y - sk.mean(y))),
    "diff": lambda x, y: sk.diff(x),
    "flip": lambda x, y: sk.flip(x),
    "item": lambda x, y: x * float(sk.max(sk.real(y))),
    "matrix product": lambda x, y: x[..., :2, :2] @ sk.matrix_transpose(x[..., :2, :2]),
    "median": lambda x, y: sk.median(x, axis=-1, keepdims=True),
    "nanmean": lambda x, y: sk.nanmean(x, axis=-1),
    "nansum": lambda x, y: sk.nansum(x, axis=-1, keepdims=True),
    "nanvar": lambda x, y: sk.nanvar(x, axis=-1),
    "norm": lambda x, y: sk.linalg.vector_norm(x, axis=-1),
    "ptp": lambda x, y: sk.ptp(x, axis=-1),
    "roll": lambda x, y: sk.roll(x, 1, axis=-1),
    "softmax": lambda x, y: softmax(x),
    "sort": lambda x, y: sk.sort(x, axis=-1),
    "stack": lambda x, y: sk.stack([x, x + 1], axis=-1),
    "take": lambda x, y: x[..., :1] + x,
    "truth": lambda x, y: x + 1 if sk.any(x == y) else y - 1,
    "unique": lambda x, y: sk.unique_values(x[..., :4]),
}  # fmt: skip


def run(program, arguments):
    """Returns the results by number, and the errors by number of the step."""
    values = dict(enumerate(arguments))
    errors = {}
    for number, step in enumerate(program.steps, len(arguments)):
        if step is None:
            continue
        try:
            values[number] = call(
                step, [x[1] if isinstance(x, tuple) else values[x] for x in step.operands]
            )
        except Exception as error:
            errors[number] = type(error), compared(step, str(error))
        for index in step.dropped:
            values.pop(index, None)
    return {number: values[number] for number in program.results if number in values}, errors


def compared(step, text):
    """Makes the messages of comparisons comparable: Python evaluates ``x < pending`` as ``pending > x``, as the pending
    array's type is a subclass."""
    if step.kind != "operator" or step.name not in ("lt", "ge", "eq"):
        return text
    return sorted(re.findall(r"\w+", text.replace("greater", "less").replace("x1", "x2")))


def outcome(function, program):
    """Returns the results of a program in a comparable form, with the arguments, which it may change, among them."""
    arguments = make_arguments(program)
    results, errors = function(program, arguments)
    results |= {("argument", k): x for k, x in enumerate(arguments)}
    summaries = {}
    for number, x in results.items():
        if type(x) is not sk.Array:
            summaries[number] = type(x).__name__
            continue
        summaries[number] = (str(x.dtype), x.shape, str(x.device), x.strides, bits_of(x))
    return summaries, errors


def bits_of(x):
    """Returns the bits of an array with NaNs replaced by one: an operation may pass on either of two (IEEE 754, 6.2.3)."""
    values = np.ascontiguousarray(to_numpy(x))
    if kind_of(values.dtype) in "fc":
        numbers = values.reshape(-1).view(values.real.dtype)
        numbers[np.isnan(numbers)] = np.nan
    return values.tobytes()


def differences(one, other):
    """Returns the differences of two outcomes as texts."""
    texts = []
    for kind, expected, yours in zip(("result", "error"), one, other, strict=True):
        for key in {**expected, **yours}:
            if expected.get(key) != yours.get(key):
                texts.append(
                    f"{kind} {key}: {describe_difference(expected.get(key), yours.get(key))}"
                )
    return texts


def describe_difference(want, got):
    """Returns a short description of a difference, with the first elements that differ."""
    if not isinstance(want, tuple) or not isinstance(got, tuple) or want[:-1] != got[:-1] or len(want) < 3:  # fmt: skip
        return f"{got!r:.150} instead of {want!r:.150}"
    bits = [np.frombuffer(value[-1], np.uint8).reshape(-1, np.dtype(want[0]).itemsize) for value in (want, got)]  # fmt: skip
    positions = np.nonzero((bits[0] != bits[1]).any(1))[0]
    first = positions[:3]
    numbers = [np.ascontiguousarray(rows[first]).view(want[0]).ravel() for rows in bits]
    hex_texts = [np.ascontiguousarray(rows[first, ::-1]).tobytes().hex(" ", -rows.shape[1]) for rows in bits]  # fmt: skip
    return f"{len(positions)} of {len(bits[0])} {want[0]} {want[1]} at {first}: {numbers[1]} ({hex_texts[1]}) instead of {numbers[0]} ({hex_texts[0]})"  # fmt: skip


def shape_of(chance, most_elements):
    rows, columns = (chance.choice(EXTENTS), chance.choice(EXTENTS))
    if chance.random() < 0.5:
        rows = int(2 ** (chance.random() * 11.55))
    if chance.random() < 0.3:
        columns = chance.randint(1, 700)
    rows, columns = max(rows, 1), min(columns, most_elements)
    return max(1, min(rows, most_elements // columns)), columns


def make_program(seed, device="cpu:0", most_elements=30_000, dtypes=DTYPES):
    """Returns a random program for the seed. Runs each step at once, to select valid operands for the next."""
    chance = random.Random(seed)
    n, m = shape_of(chance, most_elements)
    split = 1
    if chance.random() < 0.2:
        split = chance.choice([k for k in range(1, m + 1) if m % k == 0])
    program_dtypes = chance.sample(dtypes, min(chance.choice([1, 1, 2, 3]), len(dtypes)))
    samples = chance.choice(["small", "small", "any", "hard", "zeros"])
    arguments = []
    for k in range(chance.randint(1, 5)):
        layouts = SHORTER if k > 0 and chance.random() < 0.35 else LAYOUTS
        layout = "whole" if chance.random() < 0.25 else chance.choice(list(layouts))
        arguments.append((chance.choice(program_dtypes), layout, samples))
    program = Program(seed, device, tuple(arguments), (n, m), split, (), ())
    values = dict(enumerate(make_arguments(program)))
    steps = []
    result_numbers = set()
    with np.errstate(all="ignore"):
        for number in range(len(arguments), len(arguments) + chance.choice([2, 4, 8, 16, 30])):
            step = make_step(chance, values, program_dtypes)
            steps.append(step)
            try:
                values[number] = call(step, [x[1] if isinstance(x, tuple) else values[x] for x in step.operands])  # fmt: skip
            except Exception:
                continue
            if not isinstance(values[number], sk.Array):
                del values[number]
                continue
            if values[number].size > 4 * most_elements:
                del values[number]
                steps[-1] = dataclasses.replace(step, dropped=(number,))
                continue
            if chance.random() < 0.4:
                result_numbers.add(number)
    results = (*sorted(result_numbers), len(arguments) + len(steps) - 1)
    return dataclasses.replace(program, steps=tuple(steps), results=results)


def fits(x, y):
    try:
        return np.broadcast_shapes(x.shape, y.shape) is not None
    except ValueError:
        return False


def make_step(chance, values, dtypes):
    numbers = list(values)
    recent = numbers[-4:]

    def choose():
        return chance.choice(recent if chance.random() < 0.6 else numbers)

    def fitting_operand(first):
        if chance.random() < 0.03:
            return chance.choice(numbers)
        return chance.choice([k for k in numbers if fits(values[k], values[first])])

    def other(first):
        return (
            ("scalar", chance.choice(SCALARS)) if chance.random() < 0.3 else fitting_operand(first)
        )

    first = choose()
    kind = chance.choices(
        ["arithmetic", "unary", "binary", "operator", "in place", "where", "clip", "astype", "reduction", "scan", "view", "other"],
        [8, 4, 3, 4, 3, 1, 1, 2, 10, 1, 1, 2],
    )[0]  # fmt: skip
    dropped = ()
    if chance.random() < 0.25 and len(numbers) > 3:
        dropped = (chance.choice(numbers),)
    if kind == "binary" and chance.random() < 0.05:
        return Step("sign", "copysign", (first, fitting_operand(first)), (), dropped)
    if kind in ("arithmetic", "binary", "operator", "in place"):
        names = {"arithmetic": ARITHMETIC, "binary": BINARY, "operator": OPERATORS, "in place": IN_PLACE}  # fmt: skip
        operands = (first, other(first))
        if kind != "in place" and chance.random() < 0.3:
            operands = operands[::-1]
        return Step(kind, chance.choice(names[kind]), operands, (), dropped)
    if kind == "unary" and chance.random() < 0.05:
        return Step("sign", "signbit", (first,), (), dropped)
    if kind == "unary":
        return Step(kind, chance.choice(UNARY), (first,), (), dropped)
    if kind == "where":
        truths = [k for k in numbers if values[k].dtype == sk.bool and fits(values[k], values[first])]  # fmt: skip
        return Step(kind, "where", (chance.choice(truths or numbers), first, other(first)), (), dropped)  # fmt: skip
    if kind == "clip":
        bounds = [None if chance.random() < 0.2 else other(first) for _ in range(2)]
        operands = (first, *(("scalar", None) if x is None else x for x in bounds))
        return Step(kind, "clip", operands, (), dropped)
    if kind == "astype":
        return Step("method", "astype", (first, ("scalar", chance.choice([*dtypes, *DTYPES]))), (), dropped)  # fmt: skip
    if kind == "view":
        return Step(kind, chance.choice(VIEWS), (first,), (), dropped)
    if kind == "other":
        return Step(kind, chance.choice(OTHERS), (first, fitting_operand(first)), (), dropped)
    if kind == "scan":
        return Step(kind, chance.choice(SCANS), (first,), (("axis", -1),), dropped)
    return reduction_step(chance, values[first], first, dropped)


def reduction_step(chance, x, number, dropped):
    name = chance.choice(REDUCTIONS)
    rank = x.ndim
    axes = [-1, -1, -1, None, 0, *range(rank)]
    if not name.startswith("arg"):
        axes += [tuple(some) for count in range(rank + 1) for some in itertools.combinations(range(rank), count)]  # fmt: skip
    options = [("axis", chance.choice(axes)), ("keepdims", chance.random() < 0.5)]
    if name in ("std", "var") and chance.random() < 0.4:
        options.append(("correction", chance.choice(CORRECTIONS)))
    if name in ("sum", "prod") and chance.random() < 0.15:
        options.append(("dtype", chance.choice(DTYPES)))
    kind = "method" if chance.random() < 0.2 and hasattr(sk.Array, name) else "reduction"
    return Step(kind, name, (number,), tuple(options), dropped)


def shrunk(program, find_fault):
    """Returns the smallest program found, in steps, results and rows, that shows the same kind of fault."""
    kind = find_fault(program).partition(":")[0].split()[-2:-1]

    def is_faulty(less):
        return find_fault(less).partition(":")[0].split()[-2:-1] == kind

    changed = True
    while changed:
        changed = False
        for k, step in reversed(list(enumerate(program.steps))):
            if step is None:
                continue
            steps = (*program.steps[:k], None, *program.steps[k + 1 :])
            less = dataclasses.replace(program, steps=steps)
            if is_faulty(less):
                program, changed = less, True
        for result in program.results:
            less = dataclasses.replace(program, results=tuple(x for x in program.results if x != result))  # fmt: skip
            if is_faulty(less):
                program, changed = less, True
        n, m = program.shape
        for shape in ((n // 2, m), (n - 1, m), (n, m - 1), (n, m // 2)):
            if min(shape) < 1 or (program.split > 1 and shape[1] % program.split):
                continue
            less = dataclasses.replace(program, shape=shape)
            if is_faulty(less):
                program, changed = less, True
    return program
