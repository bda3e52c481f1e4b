# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""``make working-memory``: the memory that each function uses in addition to its operands and its result.

The calls of the sweep (peers/sweep_cases.py) run at two sizes. Growth is stated in bytes per byte of operands and
result, for the worst of the dtypes and layouts below. ``--write`` writes the table of the documentation;
tests/python/project/test_working_memory.py checks it.
"""

from __future__ import annotations

import argparse
import csv
import gc
import math
import pathlib
import sys
import tracemalloc
import warnings
from collections.abc import Iterator

import numpy as np
import skerry as sk

from bench.peers.sweep_cases import OF_MATRICES, Case, Function, case_of, measured_functions

TABLE = pathlib.Path(__file__).resolve().parents[1] / "python" / "docs" / "working_memory.csv"
DTYPES = ("bool", "int64", "float32", "float64", "complex128")
#: Elements of an operand: the second is larger than all block sizes of kernels.
SIZES = (1 << 16, 1 << 18)
#: Stacks of matrices, and rows, grow in number.
MATRICES = ((256, 16, 16), (1024, 16, 16))
ROWS = ((256, 256), (1024, 256))
SQUARES = ((256, 256), (512, 512))
#: Growth below this, in bytes per byte, counts as none: it is rounding of blocks, or indices of a few rows.
NONE = 0.02
#: Maximum bytes of Python objects in a call.
FEW = 8192


def shapes_of(function: Function, step: int) -> dict[str, tuple[int, ...]]:
    """Returns shapes of the first or the second size, by layout."""
    if function.path.startswith("fft."):
        return {"contiguous": ROWS[step]}
    if function.name in OF_MATRICES:
        return {"contiguous": MATRICES[step], "one matrix": SQUARES[step]}
    if function.path.startswith("linalg."):
        return {"contiguous": MATRICES[step]}
    side = math.isqrt(SIZES[step])
    shapes = {"contiguous": (SIZES[step],), "rows": (side, side), "transposed": (side, side)}
    return shapes | ({"one row": (1, SIZES[step])} if function.name == "squeeze" else {})


def cases_at(function: Function, step: int) -> Iterator[Case]:
    """Yields calls of a function at the first or the second size."""
    kind = "matrix" if "linalg." in function.path or function.name in OF_MATRICES else ""
    for dtype in DTYPES:
        if function.loops is None or dtype in function.loops:
            for layout, shape in shapes_of(function, step).items():
                yield from case_of(function, dtype, math.prod(shape), layout, shape, kind=kind)


def measure(case: Case) -> tuple[int, int] | None:
    """Returns the peak of additional bytes and the bytes of operands and result; None if the call raises."""
    operands = [operand.skerry_array() for operand in case.operands]
    names = dict(zip("abcd", operands, strict=False))
    code = compile(case.call, case.name, "eval")
    function = case.functions()[0]
    try:
        eval(code, {"f": function}, names)  # allocations that are made only once
    except (TypeError, ValueError, IndexError, ArithmeticError):
        return None
    old_live_bytes = sk.memory_statistics("cpu").live_bytes
    sk.reset_peak("cpu")
    tracemalloc.reset_peak()
    python_before = tracemalloc.get_traced_memory()[0]
    result = eval(code, {"f": function}, names)
    new_statistics = sk.memory_statistics("cpu")
    python_after, python_peak = tracemalloc.get_traced_memory()
    beyond = new_statistics.peak_bytes - new_statistics.live_bytes + python_peak - python_after
    results = new_statistics.live_bytes - old_live_bytes + python_after - python_before
    del result
    return beyond, results + sum(operand.nbytes for operand in operands)


def growth(function: Function, dtypes: tuple[str, ...]) -> dict[str, tuple[float, int]]:
    """Returns by dtype, for the worst layout, bytes per byte of operands and result, and bytes at the first size."""
    worst: dict[str, tuple[float, int]] = {}
    for small, large in zip(cases_at(function, 0), cases_at(function, 1), strict=True):
        if dtypes and small.dtype not in dtypes:
            continue
        first, second = measure(small), measure(large)
        if first is None or second is None:
            continue
        slope = (second[0] - first[0]) / max(second[1] - first[1], 1)
        worst[small.dtype] = max(worst.get(small.dtype, (0.0, 0)), (max(slope, 0.0), first[0]))
    return worst


def in_words(slope: float, constant: int) -> str:
    """Returns "0", "O(1)", or a multiple of operands and result, rounded up to a quarter."""
    if slope >= NONE:
        return f"{max(math.ceil(slope * 4 - 0.1), 1) / 4:g}"
    return "0" if constant <= FEW else "O(1)"


def stated(function: Function, dtypes: tuple[str, ...] = ()) -> dict[str, str]:
    """Returns a row of the table for these dtypes or all; empty if no call works."""
    gc.collect()
    growth_by_dtype = growth(function, dtypes)
    if not growth_by_dtype:
        return {}
    usual = growth_by_dtype.get("float64", next(iter(growth_by_dtype.values())))
    worst = max(growth_by_dtype, key=lambda dtype: growth_by_dtype[dtype])
    beyond, most = in_words(*usual), in_words(*growth_by_dtype[worst])
    return {
        "function": function.path,
        "beyond": beyond,
        "most": "" if most == beyond else f"{most} ({worst})",
    }


def prepare() -> None:
    """Sets one thread, as each thread has buffers of its own, and frees what other parts of the program cache."""
    sk.set_num_threads(1)
    np.seterr(all="ignore")
    warnings.simplefilter("ignore")
    # A collection in a measured call would count earlier garbage as memory that the call needed.
    gc.disable()
    if not tracemalloc.is_tracing():
        tracemalloc.start()


def read_table() -> dict[str, dict[str, str]]:
    """Returns the rows of the documentation's table by function."""
    with TABLE.open(newline="") as file:
        return {row["function"]: row for row in csv.DictReader(file)}


def main() -> int:
    """Measures, prints, and writes the table if requested."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", default="", help="functions whose names contain this")
    parser.add_argument(
        "--dtype", action="append", default=[], help="dtype to measure; all by default"
    )
    parser.add_argument("--write", action="store_true", help="write the documentation's table")
    options = parser.parse_args()
    prepare()
    rows = []
    for function in measured_functions():
        if options.only in function.path and (row := stated(function, tuple(options.dtype))):
            rows.append(row)
            print("{function:32}{beyond:8}{most}".format(**row), flush=True)
    if options.write and not options.only and not options.dtype:
        with TABLE.open("w", newline="") as file:
            writer = csv.DictWriter(file, ("function", "beyond", "most"), lineterminator="\n")
            writer.writeheader()
            writer.writerows(sorted(rows, key=lambda row: row["function"]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
