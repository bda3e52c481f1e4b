# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Checks that every elementwise function of floating dtypes gives equal bits for equal arguments, in any position or layout.

A program of its own, because the instruction set is chosen when the library is loaded. It prints, as JSON, the digests of
all results of the instruction set in use, and what differs from them in other positions and layouts.
"""

import argparse
import hashlib
import itertools
import json
import operator
import sys

import numpy as np
import skerry as sk
from skerry.testing import instruments

from tests.python.elementwise import argument_pools
from tests.python.oracle import DTYPES, kind_of

TABLE = {entry["name"]: entry for entry in instruments.op_table()}
FLOATING = {name for name in DTYPES if kind_of(name) in "fc"} & set(instruments.built_dtypes())
CASES = [
    (name, dtype) for name, entry in TABLE.items() for dtype in entry["loops"] if dtype in FLOATING
]
LONGEST = 41  # past two vectors of 16 and a remainder
# Enough elements to use threads, of expensive functions and of others: many chunks and a remainder.
PARALLEL = {True: 12_345, False: 70_001}
PAST_THE_CACHES = (32 << 20) + 1234  # bytes of results, out of cache
IN_PLACE = {
    "add": operator.iadd,
    "subtract": operator.isub,
    "multiply": operator.imul,
    "divide": operator.itruediv,
    "floor_divide": operator.ifloordiv,
    "remainder": operator.imod,
    "pow": operator.ipow,
}
OPERATORS = {
    **{name: getattr(operator, function.__name__[1:]) for name, function in IN_PLACE.items()},
    **{"abs": abs, "negative": operator.neg, "positive": operator.pos},
    **{"equal": operator.eq, "not_equal": operator.ne, "less": operator.lt},
    **{"less_equal": operator.le, "greater": operator.gt, "greater_equal": operator.ge},
}


# Functions that pass on bits of operands. IEEE 754-2019 (6.2.3) leaves open which of several NaNs arithmetic returns, and
# compilers swap operands, so elsewhere, and within complex arithmetic, every NaN counts as equal.
HAND_ON = {"clip", "conj", "copysign", "fabs", "fmax", "fmin", "heaviside", "imag", "maximum"}
HAND_ON |= {"angle", "minimum", "nan_to_num", "negative", "positive", "real"}


def on_host(x):
    return np.asarray(x.to_device("cpu:0"))


def bits(x, any_nan=False):
    """Returns the elements as unsigned integers, with the parts of complex ones along another axis."""
    parts = np.ascontiguousarray(x).reshape(*x.shape, 1)
    if kind_of(x.dtype) == "c":
        parts = parts.view(f"f{x.dtype.itemsize // 2}")
    if any_nan and kind_of(parts.dtype) == "f":
        with np.errstate(invalid="ignore"):  # comparisons of bfloat16 signal
            parts = np.where(parts != parts, parts.dtype.type(np.nan), parts)
    return parts.view(f"u{parts.itemsize}")


def off_by_one(values):
    """Returns a copy that starts one alignment past a multiple of 64 bytes: half an item for complex dtypes."""
    memory = np.empty(values.nbytes + 128, dtype=np.uint8)
    first = -memory.ctypes.data % 64 + values.dtype.alignment
    view = memory[first : first + values.nbytes].view(values.dtype).reshape(values.shape)
    view[...] = values
    return view


# Memory layouts: each takes a NumPy array and a function that transfers one to the device.
LAYOUTS = {
    "contiguous": lambda values, put: put(values),
    "offset": lambda values, put: put(np.concatenate([values[:3], values]))[3:],
    "reversed": lambda values, put: put(values[::-1])[::-1],
    "step 2": lambda values, put: put(np.repeat(values, 2, axis=0))[1::2],
    "step 3": lambda values, put: put(np.repeat(values, 3, axis=0))[2::3],
    "step -2": lambda values, put: put(np.repeat(values[::-1], 2, axis=0))[::-2],
}
MISALIGNED = {"memory of NumPy": lambda values, _: sk.asarray(off_by_one(values), copy=False)}
MATRIX_LAYOUTS = {
    "contiguous": LAYOUTS["contiguous"],
    "part of rows": lambda values, put: put(np.hstack([values, values]))[:, : values.shape[1]],
    "stepped rows": lambda values, put: put(np.repeat(values, 2, axis=1))[:, ::2],
    "Fortran": lambda values, put: put(values.T).T,
    "part of Fortran": lambda values, put: put(np.hstack([values.T, values.T])).T[: len(values)],
}


class Walk:
    """One function and dtype on one device: arguments, results in the reference layout, and differences."""

    def __init__(self, name, dtype, device, size, seed=0):
        self.function, self.dtype, self.device = getattr(sk, name), np.dtype(dtype), device
        self.name, self.arity, self.seed = name, TABLE[name]["arity"], seed
        several = self.arity > 1 or kind_of(self.dtype) == "c"
        self.any_nan = several and name not in HAND_ON
        self.values = argument_pools.operands(dtype, self.arity, size, seed)
        self.count = len(self.values[0])
        self.args = [self.put(x) for x in self.values]
        self.result = self.function(*self.args)
        self.want = on_host(self.result)
        self.unequal = []

    def put(self, values):
        return sk.asarray(np.ascontiguousarray(values), device="cpu:0", copy=True).to_device(
            self.device
        )

    def check(self, got, want, label):
        """Records the elements that differ from the expected ones."""
        got = on_host(got) if isinstance(got, sk.Array) else got
        if got.shape != want.shape or got.dtype != want.dtype:
            self.unequal.append(f"{label}: {got.dtype} of shape {got.shape}")
            return
        if got.tobytes() == want.tobytes():
            return
        differs = (bits(got, self.any_nan) != bits(want, self.any_nan)).any(axis=-1)
        if differs.any():
            index = np.argwhere(differs)[0]
            self.unequal.append(
                f"{label}: {np.count_nonzero(differs)} of {differs.size}, such as {got[tuple(index)]!r} instead of "
                f"{want[tuple(index)]!r} at {index.tolist()}"
            )

    def lengths(self, starts):
        """Checks calls on chunks of 1 to 41 elements that together cover all values, from `starts` first positions each."""
        collected = sk.empty(self.count, dtype=self.result.dtype, device=self.device)
        rng = np.random.default_rng([self.seed, 1])
        for length in range(1, LONGEST + 1):
            every = range(length) if starts >= length else rng.choice(length, starts, False)
            for first in every:
                edges = [0, *range(first or length, self.count, length), self.count]
                for begin, end in itertools.pairwise(edges):
                    collected[begin:end] = self.function(*[x[begin:end] for x in self.args])
                self.check(collected, self.want, f"runs of {length} from {first}")

    def positions(self):
        for first in range(LONGEST):
            got = self.function(*[x[first:] for x in self.args])
            self.check(got, self.want[first:], f"from element {first}")

    def single_elements(self):
        """Checks calls on 0-d arrays."""
        singles = [on_host(self.function(*[x[i] for x in self.args])) for i in range(self.count)]
        self.check(np.stack(singles), self.want, "0-d")

    def layouts(self):
        columns = 37
        rows = self.count // columns
        tables = [x[: rows * columns].reshape(rows, columns) for x in self.values]
        table = self.want[: rows * columns].reshape(rows, columns)
        layouts = {**LAYOUTS, **(MISALIGNED if self.device.startswith("cpu") else {})}
        for names in itertools.product(layouts, repeat=min(self.arity, 2)):
            self.in_layout(names, layouts, self.values, self.want)
            self.in_layout(names, layouts, tables, table)
        for names in itertools.product(MATRIX_LAYOUTS, repeat=min(self.arity, 2)):
            self.in_layout(names, MATRIX_LAYOUTS, tables, table)

    def in_layout(self, names, layouts, values, want):
        chosen = [layouts[name] for name in (*names, names[0])[: self.arity]]
        args = [lay(x, self.put) for lay, x in zip(chosen, values, strict=True)]
        self.check(self.function(*args), want, f"{' with '.join(names)}, {want.ndim}-d")
        if self.name in OPERATORS:
            self.check(OPERATORS[self.name](*args), want, f"operator, {' with '.join(names)}")
        if self.name in IN_PLACE:
            self.check(IN_PLACE[self.name](*args), want, f"in place, {' with '.join(names)}")

    def repeated(self):
        """Checks calls on arrays of one repeated value, made by `full` and by broadcasting."""
        for i in range(0, self.count, 7):
            n = 1 + i % LONGEST
            want = np.repeat(self.want[i : i + 1], n)
            same = [sk.full((n,), x[i], dtype=x.dtype, device=self.device) for x in self.args]
            self.check(self.function(*same), want, f"full of {n}")
            stretched = [sk.broadcast_to(x[i], (n,)) for x in self.args]
            self.check(self.function(*stretched), want, f"stretched to {n}")

    def broadcasting(self, count):
        """Checks rows, columns, 0-d arrays and Python scalars as operands against the table of all pairs."""
        if self.arity != 2:
            return
        part = argument_pools.part_of(self.dtype)
        special = argument_pools.special_values(part).astype(self.dtype)
        rng = np.random.default_rng([self.seed, 2])
        first, second = (
            np.concatenate([special, rng.choice(x, count - len(special), False)])
            for x in self.values
        )
        whole = [np.repeat(first, count), np.tile(second, count)]
        want = on_host(self.function(*map(self.put, whole))).reshape(count, count)
        x, y = self.put(first), self.put(second)
        table_x, table_y = (sk.reshape(self.put(values), (count, count)) for values in whole)
        column, row = x[:, sk.newaxis], y[sk.newaxis, :]
        for label, args in {
            "column with row": (column, row),
            "table with row": (table_x, row),
            "table with vector": (table_x, y),
            "column with table": (column, table_y),
            "tables": (table_x, table_y),
        }.items():
            self.check(self.function(*args), want, label)
        for i in range(count):
            self.with_scalar(x[i], y, want[i], True)
            self.with_scalar(x, y[i], want[:, i], False)

    def with_scalar(self, first, second, want, is_first):
        position = "first" if is_first else "second"
        self.check(self.function(first, second), want, f"0-d {position}")
        scalar = complex if kind_of(self.dtype) == "c" else float
        args = (scalar(first), second) if is_first else (first, scalar(second))
        self.check(self.function(*args), want, f"Python scalar {position}")
        if self.name in OPERATORS:
            self.check(OPERATORS[self.name](*args), want, f"operator, Python scalar {position}")
        if self.name in IN_PLACE and not is_first:
            target = sk.asarray(args[0], copy=True)
            self.check(IN_PLACE[self.name](target, args[1]), want, "Python scalar second, in place")

    def single_parameters(self):
        """Checks the second and third of three operands as 0-d arrays and as Python scalars."""
        if self.arity != 3:
            return
        x, *others = self.args
        for i in range(0, self.count, 7):
            full = [
                sk.full((self.count,), other[i], dtype=x.dtype, device=self.device)
                for other in others
            ]
            want = on_host(self.function(x, *full))
            self.check(
                self.function(x, *[other[i] for other in others]), want, "0-d second and third"
            )
            scalars = [float(other[i]) for other in others]
            self.check(self.function(x, *scalars), want, "Python scalars second and third")

    def threads(self, counts, size):
        long = [np.resize(x, size) for x in self.values]
        want = np.resize(self.want, size)
        args = [self.put(x) for x in long]
        stepped = [self.put(np.repeat(x, 2))[::2] for x in long]
        columns = 53
        table = [sk.reshape(x[: size // columns * columns], (-1, columns)) for x in args]
        table_want = want[: size // columns * columns].reshape(-1, columns)
        old_count = sk.get_num_threads()
        for count in counts:
            sk.set_num_threads(count)
            label = f"{count} threads, {size} elements"
            self.check(self.function(*args), want, label)
            self.check(self.function(*stepped), want, f"{label}, step 2")
            self.check(self.function(*[x.T for x in table]), table_want.T, f"{label}, transposed")
            self.check(self.function(*[x[::-1] for x in args]), want[::-1], f"{label}, reversed")
        sk.set_num_threads(old_count)

    def digest(self):
        return hashlib.sha256(bits(self.want, self.any_nan).tobytes()).hexdigest()


def portable_digest(name, dtype, device):
    """Returns the digest of results that is equal on all processors; they give a new NaN another sign."""
    walker = Walk(name, dtype, device, 5000)
    walker.any_nan = name not in HAND_ON
    return walker.digest()


def walk(name, dtype, device, full):
    """Returns the digest of the results, and what differs from them."""
    walker = Walk(name, dtype, device, 5000 if full else 400)
    walker.positions()
    walker.layouts()
    if full or device.startswith("cpu"):  # elsewhere each of these calls waits for a stream
        walker.lengths(LONGEST if full else 1)
        walker.single_elements()
        walker.repeated()
        walker.broadcasting(200 if full else 60)
        walker.single_parameters()
        size = PARALLEL[TABLE[name]["expensive"] and not full]
        walker.threads((1, 2, 3, 7) if full else (1, 2, 3), size)
    if full:
        walker.threads((1, 2), PAST_THE_CACHES // max(walker.result.dtype.itemsize, 4))
    return {"digest": walker.digest(), "unequal": walker.unequal}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="cpu:0")
    parser.add_argument("--full", action="store_true")
    parser.add_argument(
        "--digests", action="store_true", help="print only the digests, of many values"
    )
    parser.add_argument("--functions", nargs="*", default=list(TABLE))
    parser.add_argument("--only-on", help="such as x86-64-v4; prints null if another is in use")
    chosen = parser.parse_args()
    if chosen.only_on not in (None, instruments.instruction_set()):
        return print("null")
    cases = [case for case in CASES if case[0] in chosen.functions]
    if chosen.digests:
        digests = {" ".join(case): portable_digest(*case, chosen.device) for case in cases}
        return json.dump(digests, sys.stdout)
    results = {" ".join(case): walk(*case, chosen.device, chosen.full) for case in cases}
    return json.dump(results, sys.stdout)


if __name__ == "__main__":
    main()
