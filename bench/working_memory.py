# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""``make working-memory``: what each function takes of memory beyond its operands and its result.

Calls are those of the sweep (peers/sweep_cases.py), at two sizes: what grows is stated in bytes for each byte of
operands and result, the worst of the dtypes and layouts below. ``--write`` writes the table of the documentation; the
test tests/python/project/test_working_memory.py holds it.
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
#: Elements of an operand: the second is past every block that kernels go by.
SIZES = (1 << 16, 1 << 18)
#: Stacks of matrices grow in number; rows, in number too.
MATRICES = ((256, 16, 16), (1024, 16, 16))
ROWS = ((256, 256), (1024, 256))
SQUARES = ((256, 256), (512, 512))
#: Less growth than that, in bytes for a byte, is none: blocks that are rounded up, indices of a few rows.
NONE = 0.02
#: Bytes of Python's own objects in a call.
FEW = 8192


def shapes_of(function: Function, step: int) -> dict[str, tuple[int, ...]]:
    """Shapes of the first size or the second, by layout."""
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
    """Calls of a function, of the first size or the second."""
    kind = "matrix" if "linalg." in function.path or function.name in OF_MATRICES else ""
    for dtype in DTYPES:
        if function.loops is None or dtype in function.loops:
            for layout, shape in shapes_of(function, step).items():
                yield from case_of(function, dtype, math.prod(shape), layout, shape, kind=kind)


def measure(case: Case) -> tuple[int, int] | None:
    """Bytes beyond operands and result at the worst moment, and bytes of both; None where the call is refused."""
    operands = [operand.skerry_array() for operand in case.operands]
    names = dict(zip("abcd", operands, strict=False))
    code = compile(case.call, case.name, "eval")
    function = case.functions()[0]
    try:
        eval(code, {"f": function}, names)  # what is made once
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
    """By dtype: bytes for each byte of operands and result, and bytes at the first size. The worst of the layouts."""
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
    """ "0", "O(1)", or a multiple of operands and result, rounded up to a quarter."""
    if slope >= NONE:
        return f"{max(math.ceil(slope * 4 - 0.1), 1) / 4:g}"
    return "0" if constant <= FEW else "O(1)"


def stated(function: Function, dtypes: tuple[str, ...] = ()) -> dict[str, str]:
    """A row of the table, of these dtypes or all; empty where no call works."""
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
    """One thread, as each has buffers of its own, and nothing that another part of the program keeps."""
    sk.set_num_threads(1)
    np.seterr(all="ignore")
    warnings.simplefilter("ignore")
    gc.collect()
    if not tracemalloc.is_tracing():
        tracemalloc.start()


def read_table() -> dict[str, dict[str, str]]:
    """The documentation's rows, by function."""
    with TABLE.open(newline="") as file:
        return {row["function"]: row for row in csv.DictReader(file)}


def main() -> int:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", default="", help="functions whose names have this in them")
    parser.add_argument("--dtype", action="append", default=[], help="this dtype; all without it")
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
