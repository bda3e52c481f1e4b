# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""``make sweep``: every public function compared to NumPy's, by dtype, size, layout and threads.

A cell is one measured call: function, operands, dtype, size, layout and number of threads. The cells come from the
operation tables and from signatures (sweep_cases.py), from Python statements (sweep_statements.py) and from chains of
operations (chains.py). Both libraries are measured alternately in one process, best of several rounds; a slow cell is
measured again. ``SWEEP_PEERS=torch,jax`` also measures those. Prints the distribution of speeds, the geometric mean of
each family, the worst cells and the speedup by threads (sweep_threads.py). The cells are written to a record, which
``--compare`` reads.
"""

from __future__ import annotations

import argparse
import dataclasses
import gc
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import warnings
from typing import Any

import numpy as np

from bench import records
from bench.peers.sweep_cell import SLOW, Cell, Timer, loop_of, measure

WORST = 40
#: A function is bound by memory if NumPy takes less than this, in ns per byte of operands at 10^6 elements.
MEMORY_BOUND = 0.5
#: Maximum expected seconds per call of NumPy for a larger cell: some functions take a minute for 10^6 elements.
LONG = 1.0
#: Ratio from which a speed counts as changed.
NOISE = 1.2


def reason_of(cell: Cell) -> str | None:
    """Returns why skerry is slower than NumPy in a cell, if that is by design or unavoidable."""
    from bench.peers.sweep_cases import ACCURACY, ACCURATE, ACCURATE_SPEED, DOES_MORE
    from bench.peers.sweep_statements import REASONS

    least, why = REASONS.get(cell.cell, (SLOW, ""))
    if least <= cell.speed < SLOW:
        return why
    kinds, least_size, why = DOES_MORE.get(cell.function, ("", 0, ""))
    if cell.speed < SLOW and cell.size >= least_size and np.dtype(cell.dtype).kind in kinds:
        return why
    if cell.function in ACCURATE and ACCURATE_SPEED <= cell.speed < SLOW:
        return ACCURACY.get(cell.dtype)
    return None


# --- measuring ------------------------------------------------------------------------------------


def shape_and_kind(result: Any) -> Any:
    """Returns the properties that must be equal for the results of both libraries."""
    if isinstance(result, (tuple, list)):
        return [shape_and_kind(item) for item in result]
    dtype = getattr(result, "dtype", None)
    return (tuple(getattr(result, "shape", ())), getattr(dtype, "kind", type(result).__name__))


@dataclasses.dataclass
class Outcome:
    """Whether both libraries accept a call and return the same kind of result."""

    works: bool = True
    is_unlike: bool = False
    why: str = ""


def tried(case: Any) -> Outcome:
    """Calls both libraries once, and compares the kinds of their results."""
    kinds = []
    for function, method in zip(case.functions(), ("skerry_array", "host"), strict=True):
        operands = [getattr(operand, method)() for operand in case.operands]
        try:
            result = eval(case.call, {"f": function}, dict(zip("abcd", operands, strict=False)))
        except (TypeError, ValueError, IndexError, ArithmeticError, MemoryError) as problem:
            return Outcome(False, False, f"{case.call}: {problem}"[:200])
        kinds.append(shape_and_kind(result))
    if kinds[0] != kinds[1]:
        return Outcome(False, True, f"{case.call}: {kinds}"[:300])
    return Outcome()


def best_of_both(case: Any) -> tuple[float, float]:
    """Returns the seconds per call of skerry and of NumPy."""
    loop, (ours, theirs) = loop_of(case.call), case.functions()
    skerry_operands, host = (
        [getattr(operand, method)() for operand in case.operands]
        for method in ("skerry_array", "host")
    )
    timers = [Timer(loop, ours, *skerry_operands), Timer(loop, theirs, *host)]
    measure(timers)
    return timers[0].best, timers[1].best


class Sweep:
    """A run over all cells with one number of threads."""

    def __init__(self, options: argparse.Namespace, threads: int) -> None:
        from bench.peers.sweep_peers import installed_peers

        self.options, self.threads = options, threads
        self.cells: list[Cell] = []
        #: Slow cells without a reason, which are measured again: the machine may have been busy.
        self.doubtful: list[tuple[Cell, Any]] = []
        self.refused: dict[str, str] = {}
        self.unlike: dict[str, str] = {}
        self.peers = installed_peers(threads)
        self.bound_by_memory: set[tuple[str, str]] = set()
        #: Function, dtype and layout of cases that are expected to take NumPy more than LONG at 10^6 elements.
        self.long: set[tuple[str, str, str]] = set()
        self.left_out = 0

    def is_chosen(self, case: Any) -> bool:
        """Returns whether a case is measured, by the options and by earlier figures of its function."""
        from bench.peers.sweep_cases import LARGE

        if self.options.only and self.options.only not in case.function:
            return False
        if self.threads > 1 and case.size < 10_000:
            return False
        if case.function in self.unlike:
            return False
        if case.size >= LARGE:
            return not self.options.quick and (case.function, case.dtype) in self.bound_by_memory
        if not self.options.quick:
            is_long = case.size > 10_000 and (case.function, case.dtype, case.layout) in self.long
            self.left_out += is_long
            return not is_long
        return case.dtype in ("float32", "int64") and case.size in (100, 10_000)

    def run(self) -> None:
        """Measures all cells."""
        from bench.peers.chains import chain_cells
        from bench.peers.sweep_cases import all_cases
        from bench.peers.sweep_statements import statement_cells

        last, begin = "", time.perf_counter()
        for case in all_cases():
            if not self.is_chosen(case):
                continue
            if case.function != last and sys.stderr.isatty():
                print(
                    f"\r\033[K{time.perf_counter() - begin:5.0f} s  {case.function}",
                    end="",
                    file=sys.stderr,
                )
            last = case.function
            self.measure_case(case)
        self.measure_doubtful_again()
        if self.threads == 1 and not self.options.only:
            self.cells += statement_cells(self.threads)
        if not self.options.only and not self.options.quick:
            self.cells += chain_cells(self.threads)

    def measure_case(self, case: Any) -> None:
        """Measures one cell, unless one of the libraries rejects it."""
        outcome = tried(case)
        if not outcome.works:
            failures = self.unlike if outcome.is_unlike else self.refused
            failures[case.function if outcome.is_unlike else case.name] = outcome.why
            return
        own_s, numpy_s = best_of_both(case)
        cell = Cell(
            case.name, case.family, case.function, case.dtype, case.size, case.layout, self.threads,
            own_s, numpy_s,
        )  # fmt: skip
        if case.size == 10_000 and numpy_s * 100 > LONG:
            self.long.add((case.function, case.dtype, case.layout))
        host = [operand.host() for operand in case.operands]
        if case.size == 1_000_000 and case.layout == "contiguous":
            nbytes = sum(array.nbytes for array in host) or case.size
            if numpy_s * 1e9 / nbytes < MEMORY_BOUND:
                self.bound_by_memory.add((case.function, case.dtype))
        for peer in self.peers:
            seconds = peer.seconds(case, host)
            if seconds is not None:
                cell.peers_s[peer.name] = seconds
        self.cells.append(cell)
        if cell.speed < SLOW and reason_of(cell) is None:
            self.doubtful.append((cell, case))

    def measure_doubtful_again(self) -> None:
        """Measures slow cells again, minutes later: a busy machine or an unlucky memory layout rarely occurs twice."""
        for cell, case in self.doubtful:
            own_s, numpy_s = best_of_both(case)
            cell.skerry_s, cell.numpy_s = min(cell.skerry_s, own_s), min(cell.numpy_s, numpy_s)


# --- reporting ------------------------------------------------------------------------------------


def geometric_mean(speeds: list[float]) -> float:
    """Returns the geometric mean of positive numbers."""
    return math.exp(sum(map(math.log, speeds)) / len(speeds)) if speeds else math.nan


def report(cells: list[Cell]) -> None:
    """Prints the distribution, the families and the worst cells."""
    for threads in sorted({cell.threads for cell in cells}):
        some = [cell for cell in cells if cell.threads == threads]
        speeds = sorted(cell.speed for cell in some)
        print(
            f"\n{threads} thread{'s' if threads > 1 else ''}: {len(some)} cells, compared to NumPy"
        )
        quantiles = ", ".join(
            f"{q:g} %: {speeds[int(q / 100 * (len(speeds) - 1))]:.2f}"
            for q in (0.1, 1, 5, 25, 50, 75)
        )
        print(f"geometric mean {geometric_mean(speeds):.2f}; {quantiles}")
        for bound in (0.5, 0.7, SLOW):
            count = sum(speed < bound for speed in speeds)
            print(f"under {bound}: {count} cells ({100 * count / len(speeds):.2f} %)")
        chosen = sum(reason_of(cell) is not None for cell in some)
        print(f"{chosen} of those under {SLOW} have a reason")
        report_peers(some)
        for family in sorted({cell.family for cell in some}):
            family_speeds = [cell.speed for cell in some if cell.family == family]
            print(
                f"  {family:<32}{len(family_speeds):>6} cells  geometric mean {geometric_mean(family_speeds):5.2f}"
                f"  worst {min(family_speeds):5.2f}"
            )
        print(f"the {WORST} worst: speed, skerry, NumPy")
        for cell in sorted(some, key=lambda one: one.speed)[:WORST]:
            print(f"  {cell}")


def report_peers(cells: list[Cell]) -> None:
    """Prints the speeds compared to other libraries, and the worst cells."""
    from bench.peers.sweep_peers import REASONS
    from bench.peers.sweep_peers import SLOW as SLOW_BESIDE_PEERS

    for name in sorted({peer for cell in cells for peer in cell.peers_s}):
        ratios = [cell.peers_s[name] / cell.skerry_s for cell in cells if name in cell.peers_s]
        few = [cell for cell in cells if name in cell.slow_beside(SLOW_BESIDE_PEERS)]
        reasons = sum(cell.function in REASONS.get(name, {}) for cell in few)
        print(
            f"compared to {name}: {len(ratios)} cells, geometric mean {geometric_mean(ratios):.2f}, "
            f"{len(few)} under {SLOW_BESIDE_PEERS}, {reasons} of them with a reason"
        )
        for cell in sorted(few, key=lambda one: one.peers_s[name] / one.skerry_s)[:WORST]:
            print(f"  {cell.peers_s[name] / cell.skerry_s:6.2f}  {cell.cell}")


def fields_of(cell: Cell) -> dict[str, Any]:
    """Returns a row of the record."""
    return {**dataclasses.asdict(cell), "reason": reason_of(cell)}


def read(path: pathlib.Path) -> tuple[dict[str, Any], list[Cell]]:
    """Returns the header and the cells of a record, without the reasons, which may have changed since."""
    head, rows = records.read(path)
    fields = [field.name for field in dataclasses.fields(Cell)]
    return head, [Cell(*(row[name] for name in fields)) for row in rows]


def compare(old_cells: list[Cell], new_cells: list[Cell]) -> None:
    """Prints cells whose speed relative to NumPy has changed by more than noise."""
    old = {(cell.cell, cell.threads): cell for cell in old_cells}
    pairs = [(old[key], cell) for cell in new_cells if (key := (cell.cell, cell.threads)) in old]
    if not pairs:
        print("the records have no cell in common")
        return
    changes = [(new.speed / was.speed, was, new) for was, new in pairs]
    mean = geometric_mean([change for change, _, _ in changes])
    print(f"\n{len(pairs)} cells are in both records; geometric mean of the change {mean:.3f}")
    for title, chosen in (
        ("slower", sorted((c for c in changes if c[0] < 1 / NOISE), key=lambda c: c[0])),
        ("faster", sorted((c for c in changes if c[0] > NOISE), key=lambda c: -c[0])),
    ):
        print(f"{len(chosen)} {title} by more than {NOISE}")
        for change, was, new in chosen[:WORST]:
            print(
                f"  {change:5.2f}  {was.speed:.2f} -> {new.speed:.2f}  {new.cell} [{new.threads}]"
            )


# --- running --------------------------------------------------------------------------------------


def run_here(options: argparse.Namespace) -> None:
    """Measures the cells with the number of threads of the options, in this process."""
    import skerry as sk

    sk.set_num_threads(options.threads)
    np.seterr(all="ignore")
    warnings.simplefilter("ignore")
    gc.disable()
    sweep = Sweep(options, options.threads)
    sweep.run()
    head = {"refused": sweep.refused, "unlike": sweep.unlike, "left_out": sweep.left_out}
    records.write(options.output, head, map(fields_of, sweep.cells))


def run_apart(options: argparse.Namespace, threads: int) -> tuple[dict[str, Any], list[Cell]]:
    """Measures the cells in a new process: libraries read their number of threads when they are loaded."""
    with tempfile.TemporaryDirectory() as folder:
        output = pathlib.Path(folder) / "cells"
        command = [sys.executable, "-m", "bench.peers.sweep", "--threads", str(threads)]
        command += ["--output", str(output)]
        command += ["--quick"] * options.quick + (["--only", options.only] if options.only else [])
        names = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
        subprocess.run(
            command, env={**os.environ, **dict.fromkeys(names, str(threads))}, check=True
        )
        return read(output)


def measure_threads(only: str, output: pathlib.Path) -> None:
    """Runs sweep_threads.py in a new process, with a record of its own."""
    command = [sys.executable, "-m", "bench.peers.sweep_threads", "--only", only]
    subprocess.run([*command, "--output", str(output)], check=True)


def parse() -> argparse.Namespace:
    """Parses the options."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--quick", action="store_true", help="two dtypes, two sizes, one thread: minutes"
    )
    parser.add_argument("--only", default="", help="functions whose names contain this")
    parser.add_argument(
        "--compare", type=pathlib.Path, metavar="OLD", help="also show changes since this record"
    )
    parser.add_argument(
        "--read", type=pathlib.Path, metavar="NEW", help="report this record without measuring"
    )
    parser.add_argument(
        "--output", type=pathlib.Path, help="path of the record (build/sweep.jsonl)"
    )
    parser.add_argument("--threads", type=int, default=0, help=argparse.SUPPRESS)
    return parser.parse_args()


def main() -> int:
    """Measures or reads, then reports, compares and writes."""
    options = parse()
    if options.threads:
        run_here(options)
        return 0
    if options.read:
        _, cells = read(options.read)
    else:
        begin = time.perf_counter()
        from bench.peers.side_by_side import machine

        about = machine()
        print(", ".join(f"{key} {value}" for key, value in about.items()))
        counts = [1] if options.quick else sorted({1, os.cpu_count() or 1})
        parts = [run_apart(options, threads) for threads in counts]
        cells = [cell for _, cells_of_part in parts for cell in cells_of_part]
        about["seconds"] = round(time.perf_counter() - begin)
        first, _ = parts[0]
        head = {"machine": about, "refused": first["refused"], "unlike": first["unlike"]}
        output = options.output or pathlib.Path("build") / "sweep.jsonl"
        records.write(output, head, map(fields_of, cells))
        print(f"{about['seconds']} s; written to {output}")
        if len(counts) > 1:
            measure_threads(options.only, output.with_stem(f"{output.stem}-threads"))
        left_out = sum(head_of_part["left_out"] for head_of_part, _ in parts)
        print(f"{left_out} cells left out: NumPy is expected to take over {LONG:g} s per call")
        for name, why in first["unlike"].items():
            print(f"not compared, as results differ: {name}: {why}")
    if cells:
        report(cells)
    if options.compare:
        compare(read(options.compare)[1], cells)
    return 0


if __name__ == "__main__":
    sys.exit(main())
