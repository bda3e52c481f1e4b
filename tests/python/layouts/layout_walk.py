# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Compares every public function x layout x size at thresholds x dtype x threads with the same call on dense copies.

``python -m tests.python.layouts.layout_walk [--full] [--seed N] [--device D] [PATH …]`` runs it and prints a summary.
"""

from __future__ import annotations

import argparse
import functools
import math
import pickle
import random
import re
import sys
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import skerry as sk

from tests.python.layouts.kernel_thresholds import MOST, edges
from tests.python.layouts.memory_layouts import LAYOUTS, Operand, lay_out, layouts_for
from tests.python.layouts.walked_calls import (
    ROUNDED,
    Call,
    Shape,
    calls_of,
    draw,
    function_of,
    left_out,
    operand_shape,
    public_paths,
    text_of,
)
from tests.python.oracle import DTYPES, kind_of
from tests.python.reduced_builds import MISSING, missing_kernel

BUILT = [name for name in DTYPES if name not in MISSING]
THREADS = (1, 2, 5)
MODULES = {"np": np, "sk": sk, "pickle": pickle}
#: Maximum elements of an array: in general, in a sample, where kernels may be emulated, and of matrices (cubic cost).
MOST_ELEMENTS, MOST_OF_SAMPLE, MOST_OF_KERNELS, MOST_OF_MATRIX = 600_000, 70_000, 3_000, 5_000
#: Edges above LONG are tested in one layout each. Above VERY_LONG only one of an edge's three sizes is tested.
LONG, VERY_LONG = 20_000, MOST_ELEMENTS
PER_CALL = 16
#: Maximum number of cells with operands in memory at the same time, and of their elements.
BATCH, BATCH_ELEMENTS = 96, 200_000
#: Matrices with at most as many rows are computed by one thread of OpenBLAS.
FEW_ROWS = 16


class Cell(NamedTuple):
    """A call on operands of one shape and dtype, in some layouts, with some number of threads."""

    call: Call
    shape: Shape
    dtype: str
    other: str  # the dtype of all operands but the first
    layouts: tuple[str, ...]  # of the operands a, b, c, d
    threads: int
    device: str
    seed: int

    def __str__(self) -> str:
        """Returns the call with its dtypes, shape, layouts, threads and device."""
        used = [
            name for letter, name in zip("abcd", self.layouts, strict=True) if letter in self.text
        ]
        return (
            f"{self.call.path}: {self.text} of {self.dtype} and {self.other}, {self.shape}, {'; '.join(used)}, "
            f"threads {self.threads}, {self.device}"
        )

    @property
    def text(self) -> str:
        """Returns the call's text for the shape."""
        return text_of(self.call, self.shape)


@functools.cache
def compiled(text: str) -> Any:
    """Returns the compiled code of a call, and the letters of its operands."""
    letters = [letter for letter in "abcd" if re.search(rf"\b{letter}\b", text)]
    return compile(text, text, "eval"), letters


def operands(cell: Cell) -> dict[str, Operand]:
    """Returns the arrays that the call takes."""
    operands_by_letter = {}
    for letter in compiled(cell.text)[1]:
        number = "abcd".index(letter)
        shape, dtype, kind = operand_shape(cell.call.kinds[number], cell.shape)
        operand_dtype = np.dtype(dtype or (cell.other if number else cell.dtype))
        name = cell.layouts[number]
        is_target = cell.call.is_write and letter == "a"
        if name not in layouts_for(shape, cell.device) or (is_target and LAYOUTS[name].repeats):
            name = "step -2" if shape and math.prod(shape) else "dense"
        make = functools.partial(draw_elements, kind, operand_dtype, cell.seed + number)
        operands_by_letter[letter] = lay_out(name, make, shape, cell.device)
    return operands_by_letter


def draw_elements(kind: str, dtype: np.dtype, seed: int, shape: Shape) -> np.ndarray:
    """Returns numbers of a kind, for `lay_out`."""
    return draw(kind, shape, dtype, seed)


def outcome(cell: Cell, arrays: dict[str, sk.Array]) -> Any:
    """Returns the result of a call, the type of its error, or the array that it wrote."""
    code, _ = compiled(cell.text)
    names = {**arrays, "f": function_of(cell.call.path, cell.device), **MODULES}
    try:
        result = eval(code, names)
        # The device checks indices: an error may be raised as late as here.
        return leaves(arrays["a"] if cell.call.is_write else result)
    except Exception as error:  # of any type: the other call must raise it, too
        if missing_kernel(str(error)):
            raise  # built with some dtypes only: the test is skipped
        return type(error)


def leaves(result: Any) -> list[Any]:
    """Returns the arrays of a result as bits with their shape, dtype and device, and other values as they are."""
    if isinstance(result, sk.Array):
        host = np.asarray(result.to_device("cpu:0"))
        return [(host, str(result.device))]
    if isinstance(result, (tuple, list)):
        return [leaf for part in result for leaf in leaves(part)]
    return [(np.asarray(result), None)] if isinstance(result, np.ndarray) else [repr(result)]


def is_same(call: Call, got: Any, want: Any) -> bool:
    """True if two outcomes have the same bits, or nearly so for functions that depend on the order of summation."""
    if not isinstance(got, list) or not isinstance(want, list) or len(got) != len(want):
        return bool(got == want)
    return all(map(functools.partial(is_same_leaf, call), got, want))


def is_same_leaf(call: Call, got: Any, want: Any) -> bool:
    """True if two arrays, or other values, are the same."""
    if isinstance(got, str) or isinstance(want, str):
        return bool(got == want)
    (actual, device), (theirs, other) = got, want
    if actual.dtype != theirs.dtype or actual.shape != theirs.shape or device != other:
        return False
    if actual.tobytes() == theirs.tobytes():
        return True
    if kind_of(actual.dtype) not in "fc" or not (call.is_rounded or call.is_by_value):
        return False
    if call.is_by_value:
        return bool(np.array_equal(actual, theirs, equal_nan=True))
    unit = np.finfo(actual.dtype).eps
    scale = float(np.max(np.abs(theirs), initial=0.0, where=np.isfinite(theirs)))
    # Differences from a mean may cancel, so the bound is relative to the numbers themselves.
    bound = 64 * unit * max(scale, 1.0 if call.path in ROUNDED else 1e-30)
    return bool(np.allclose(actual, theirs, 0, bound, equal_nan=True))


class Trial(NamedTuple):
    """A cell, its operands in their layouts, and the result for dense copies with one thread."""

    cell: Cell
    views: dict[str, sk.Array]
    want: Any

    def problem(self) -> str | None:
        """Returns what is wrong with the call in these layouts, or None."""
        got = outcome(self.cell, self.views)
        if is_same(self.cell.call, got, self.want):
            return None
        return f"{self.cell}\n    gives  {shown(got)}\n    dense  {shown(self.want)}"


def trial_of(cell: Cell) -> Trial:
    """Makes the operands of a cell and calls the function on dense copies."""
    operands_by_letter = operands(cell)
    want = outcome(cell, {letter: operand.dense for letter, operand in operands_by_letter.items()})
    return Trial(
        cell, {letter: operand.view for letter, operand in operands_by_letter.items()}, want
    )


def shown(outcome: Any) -> str:
    """Returns an outcome on one line."""
    return re.sub(r"\s+", " ", repr(outcome))[:300]


# Selection of cells.


def shapes_at(edge: int, turn: int, most: int) -> list[Shape]:
    """Returns shapes with an edge as number of elements, rows, row length, or length of a middle axis."""
    few = 1 + turn % 7
    shapes = [(edge,), (edge, few), (few, edge), (max(edge // few, 1), few), (2, edge, few)]
    if edge in (0, 1):
        shapes += [(edge, few, 2), ()]
    return [shape for shape in shapes if math.prod(shape) <= most]


def matrices_at(edge: int, turn: int) -> list[Shape]:
    """Returns matrices with an edge as a side, and stacks."""
    few = 1 + turn % 7
    shapes = [(edge, edge), (edge, few), (few, edge), (few, edge, edge), (edge, few, few), (edge,)]
    return [shape for shape in shapes if math.prod(shape) <= MOST_OF_MATRIX]


def shapes_of(call: Call, edge: int, turn: int, most: int) -> list[Shape]:
    """Returns the shapes of a call at an edge."""
    return matrices_at(edge, turn) if call.is_dear else shapes_at(edge, turn, most)


def sampled_cells(
    path: str, calls: list[Call], device: str, seed: int, count: int
) -> Iterator[Cell]:
    """Yields random cells of a function's calls. Half of the edges are in the longest quarter, as most edges are short."""
    most = MOST_OF_SAMPLE if device.startswith("cpu") else MOST_OF_KERNELS
    for call in calls:
        rng = random.Random(f"{seed} {path} {call.text} {device}")
        longest = math.isqrt(MOST_OF_MATRIX) if call.is_dear else most
        for _ in range(count):
            dtype = rng.choice(BUILT)
            usable_edges = [edge for edge in edges(np.dtype(dtype).itemsize) if edge <= longest]
            shapes: list[Shape] = []
            while not shapes:
                edge = usable_edges[int(len(usable_edges) * (1 - rng.random() ** 2))]
                shapes = shapes_of(call, edge, rng.randrange(7), most)
            yield cell_of(call, rng.choice(shapes), dtype, rng, device)


def cell_of(
    call: Call, shape: Shape, dtype: str, rng: random.Random, device: str, layout: str | None = None
) -> Cell:
    """Returns a cell in random layouts. `layout`, if given, is that of the first operand, and often of the others too."""
    names = layouts_for(shape, device)
    first = layout or rng.choice(names)
    layouts = (first, *(first if rng.random() < 0.4 else rng.choice(names) for _ in range(3)))
    other = dtype if rng.random() < 0.85 else rng.choice(BUILT)
    threads = rng.choice(THREADS)
    is_large = max(shape, default=0) > FEW_ROWS
    if call.path.startswith("linalg.") and (
        is_large or any(LAYOUTS[name].repeats for name in layouts)
    ):
        threads = 1  # LAPACK's threads change vectors of close values, and of singular matrices, by more than rounding
    return Cell(call, shape, dtype, other, layouts, threads, device, rng.randrange(99))


def all_cells(path: str, calls: list[Call], device: str, seed: int) -> Iterator[Cell]:
    """Yields each call at each edge in each layout, at long edges in one. Dtypes, shapes and threads alternate."""
    edge_count = max(len(edges(1 << k)) for k in range(5))
    for call in calls:
        rng = random.Random(f"{seed} {path} {call.text} {device}")
        turn = rng.randrange(100)
        for edge_index in range(edge_count):
            for layout in LAYOUTS:
                turn += 1
                dtype = BUILT[turn % len(BUILT)]
                dtype_edges = edges(np.dtype(dtype).itemsize)
                edge = dtype_edges[edge_index % len(dtype_edges)]
                if edge > LONG and turn % (len(LAYOUTS) * (1 if edge <= VERY_LONG else 3)) != 0:
                    continue
                most = MOST_ELEMENTS if edge <= VERY_LONG else MOST + 1
                shapes = shapes_of(call, edge, turn // 3, most)
                if not shapes:
                    continue
                shape = shapes[turn // 5 % len(shapes)]
                if layout in layouts_for(shape, device):
                    yield cell_of(call, shape, dtype, rng, device, layout)


class Tally(NamedTuple):
    """The outcome of testing a function."""

    calls: int
    raised: int  # also for dense copies
    refused: list[str]  # texts of calls that raised in every cell
    problems: list[str]


def problems_of(cells: list[Cell], tried: Counter[str], raised: Counter[str]) -> Iterator[str]:
    """Yields the problems of some cells. Dense copies run first, as changing the number of threads takes longer than a call."""
    sk.set_num_threads(1)
    trials = [trial_of(cell) for cell in cells]
    for threads in THREADS:
        sk.set_num_threads(threads)
        for trial in trials:
            if trial.cell.threads != threads:
                continue
            tried[trial.cell.call.text] += 1
            raised[trial.cell.call.text] += not isinstance(trial.want, list)
            problem = trial.problem()
            if problem is not None:
                yield problem


def batches(cells: Iterator[Cell]) -> Iterator[list[Cell]]:
    """Yields lists of cells that fit into memory."""
    batch: list[Cell] = []
    elements = 0
    for cell in cells:
        batch.append(cell)
        elements += math.prod(cell.shape)
        if len(batch) == BATCH or elements > BATCH_ELEMENTS:
            yield batch
            batch, elements = [], 0
    yield batch


def walk(path: str, device: str, seed: int, full: bool, count: int = PER_CALL) -> Tally:
    """Tests a function's calls."""
    threads = sk.get_num_threads()
    calls = calls_of(path, public_paths()[path])
    cells = (
        all_cells(path, calls, device, seed)
        if full
        else sampled_cells(path, calls, device, seed, count)
    )
    tried: Counter[str] = Counter()
    raised: Counter[str] = Counter()
    problems: list[str] = []
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for batch in batches(cells):
                problems += problems_of(batch, tried, raised)
    finally:
        sk.set_num_threads(threads)
    refused = [text for text, count in tried.items() if raised[text] == count]
    return Tally(tried.total(), raised.total(), refused, problems)


def walked_paths() -> list[str]:
    """Returns every public function that takes arrays."""
    return [path for path in public_paths() if not left_out(path)]


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("paths", nargs="*")
    options.add_argument("--full", action="store_true")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument(
        "--count", type=int, default=PER_CALL, help="cells of each call in a sample"
    )
    options.add_argument("--device", default="cpu:0")
    chosen = options.parse_args()
    begin, call_count, raised, wrong = time.monotonic(), 0, 0, 0
    for path in chosen.paths or walked_paths():
        since = time.monotonic()
        tally = walk(path, chosen.device, chosen.seed, chosen.full, chosen.count)
        call_count += tally.calls
        wrong += len(tally.problems)
        raised += tally.raised
        if tally.refused:
            print(f"{path}: never works: {tally.refused}", flush=True)
        for problem in tally.problems[:5]:
            print(problem, flush=True)
        if tally.problems or time.monotonic() - since > 5:
            print(
                f"{path}: {len(tally.problems)} of {tally.calls} differ, {time.monotonic() - since:.1f} s",
                flush=True,
            )
    print(
        f"{2 * call_count} calls, {2 * raised} raise, {wrong} differ, {time.monotonic() - begin:.0f} s, "
        f"{time.process_time():.0f} s of work, seed {chosen.seed}, {chosen.device}"
    )
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
