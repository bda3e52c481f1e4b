# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Compares the bits of elementwise functions on a CUDA device with the CPU's.

    python -m tests.python.elementwise.bits_on_cuda --count 1000000 [--write]        on a GPU, or an emulated one

It prints what differs, by function and dtype, and writes the table of the page "Accuracy and reproducibility".
"""

import argparse
import csv
import itertools
import pathlib
import sys

import numpy as np
import skerry as sk
from skerry.testing import instruments

from tests.python.elementwise import argument_pools, equal_inputs
from tests.python.oracle import DTYPES, HALVES, kind_of

TABLE = pathlib.Path(__file__).parents[3] / "python" / "docs" / "accuracy_cuda.csv"
CASES = [
    (entry["name"], dtype)
    for entry in instruments.op_table()
    for dtype in entry["loops"]
    if dtype in DTYPES
]
AT_ONCE = 1 << 20


def ordinary(name, dtype, count, rng):
    """Returns arguments with finite results other than 0, unlike most random pairs."""
    low = {"acosh": 1.0, "log": 0.0, "log10": 0.0, "log2": 0.0, "log1p": -1.0, "pow": 0.0}
    ends = (-1.0, 1.0) if name in ("acos", "asin", "atanh") else (low.get(name, -10.0), 10.0)
    parts = [rng.uniform(*ends, count) for _ in range(2)]
    return (parts[0] + 1j * parts[1] if kind_of(dtype) == "c" else parts[0]).astype(dtype)


def integers(dtype, count, rng):
    """Returns limits of the range and small integers, used in all pairs, and random integers of every width."""
    limits = np.iinfo(dtype)
    ends = {limits.min, limits.min + 1, limits.max - 1, limits.max, *range(-9, 65)}
    fixed = np.array(sorted(x for x in ends if limits.min <= x <= limits.max), dtype)
    wide = rng.integers(limits.min, limits.max, count, dtype, endpoint=True)
    return fixed, wide >> rng.integers(0, limits.bits, count).astype(dtype)


def operands(name, dtype, arity, count, seed=0):
    """Returns an array per operand: special values, random bits, all magnitudes, and ordinary numbers."""
    rng = np.random.default_rng([seed, *name.encode()])
    if kind_of(dtype) in "fc":
        values = argument_pools.operands(dtype, arity, count // 2, seed)
        more = [ordinary(name, dtype, count - count // 2, rng) for _ in range(arity)]
    elif kind_of(dtype) == "b":
        return [rng.integers(0, 2, count).astype(bool) for _ in range(arity)]
    else:
        fixed, _ = integers(dtype, 1, rng)
        met = list(zip(*itertools.product(fixed, repeat=min(arity, 2)), strict=True))
        values = [np.array(met[i % len(met)], dtype) for i in range(arity)]
        more = [integers(dtype, count, rng)[1] for _ in range(arity)]
    return [np.concatenate(both) for both in zip(values, more, strict=True)]


def in_order(x):
    """Returns floats as integers in the same order, so that neighbours are 1 apart. Both zeros are 0."""
    signed = x.view(f"i{x.itemsize}").astype(object)
    low = -(1 << (8 * x.itemsize - 1))
    return np.where(signed < 0, low - signed, signed)


def units_apart(got, want):
    """Returns the largest difference in units in the last place, infinite between a number and NaN."""
    parts = [np.ascontiguousarray(x) for x in (got, want)]
    if kind_of(got.dtype) == "c":
        parts = [x.view(f"f{x.dtype.itemsize // 2}") for x in parts]
    if kind_of(parts[0].dtype) != "f":
        return float("inf")
    first, second = parts
    either = np.isnan(first) | np.isnan(second)
    if (np.isnan(first) != np.isnan(second)).any():
        return float("inf")
    return float(max(np.abs(in_order(first[~either]) - in_order(second[~either])), default=0))


def compare(name, dtype, count, device="cuda:0"):
    """Returns the numbers of compared and of different results, and the largest difference."""
    dtype, function = np.dtype(dtype), getattr(sk, name)
    values = operands(name, dtype, equal_inputs.TABLE[name]["arity"], count)
    total = different = 0
    largest = 0.0
    for begin in range(0, len(values[0]), AT_ONCE):
        here = [sk.asarray(x[begin : begin + AT_ONCE], device="cpu:0") for x in values]
        want = equal_inputs.on_host(function(*here))
        got = equal_inputs.on_host(function(*[x.to_device(device) for x in here]))
        # Arithmetic may return any NaN.
        both = (equal_inputs.bits(x, name not in equal_inputs.HAND_ON) for x in (got, want))
        differs = np.not_equal(*both).any(axis=-1)
        total += differs.size
        different += int(np.count_nonzero(differs))
        if differs.any():
            largest = max(largest, units_apart(got[differs], want[differs]))
    return total, different, largest


def allowed():
    """Returns the largest difference of the functions that may differ, by name and dtype."""
    with TABLE.open(newline="") as file:
        return {
            (row["function"], row["dtype"]): float(row["largest difference in ULP"])
            for row in csv.DictReader(file)
        }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("functions", nargs="*", help="names; all by default")
    parser.add_argument("--dtypes", help="comma-separated; all by default")
    parser.add_argument("--count", type=int, default=1_000_000, help="of arguments per function")
    parser.add_argument("--write", action="store_true", help="write the documentation's table")
    options = parser.parse_args()
    table_rows = []
    for name, dtype in CASES:
        is_chosen = name in options.functions or not options.functions
        if is_chosen and (options.dtypes is None or dtype in options.dtypes.split(",")):
            total, different, largest = compare(name, dtype, options.count)
            if different:
                print(f"{name} {dtype}: {different} of {total} differ, by {largest:g} ULP at most")
                # The page states that results of float16 and bfloat16 are float32 results, rounded.
                if dtype not in HALVES:
                    share = f"{100 * different / total:.2g} %"
                    table_rows.append((name, dtype, share, f"{largest:g}"))
            sys.stdout.flush()
    if options.write:
        with TABLE.open("w", newline="") as file:
            rows = csv.writer(file, lineterminator="\n")
            rows.writerow(["function", "dtype", "differ", "largest difference in ULP"])
            rows.writerows(table_rows)


if __name__ == "__main__":
    main()
