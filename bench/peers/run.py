# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""``make bench``: skerry compared to NumPy in one process, with results compared; writes a record to bench/results.

A row of the report is one benchmark, with a goal: mostly a time or speed relative to NumPy's in this run, or a maximum
time. The libraries use one thread, unless a row says "all cores" or ``--threads`` is set. A row that misses its goal is
marked, but the exit status is still 0: goals are not tests.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import sys
from collections.abc import Callable
from typing import Any

os.environ.setdefault("SKERRY_REHEARSE", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import skerry as sk

from bench import records
from bench.peers import chains, foundations, handover, standard
from bench.peers.side_by_side import Row, duration, geometric_mean, machine, report

PARTS: dict[str, Callable[[], list[Row]]] = {
    "calls": foundations.calls,
    "handover": handover.exports_and_imports,
    "contiguous": foundations.contiguous,
    "transcendental": foundations.transcendental,
    "layouts": foundations.layouts,
    "reductions": foundations.reductions,
    "scans": standard.scans,
    "selecting": standard.selecting,
    "sorting": standard.sorting,
    "sets": standard.sets,
    "searching": standard.searching,
    "statistics": standard.statistics,
    "axes": standard.axes,
    "products": standard.products,
    "transforms": standard.transforms,
    "joining": standard.joining,
    "random": standard.random_numbers,
    "chains": chains.fused_chains,
    "import": foundations.import_time,
}


def fields_of(row: Row) -> dict[str, Any]:
    """Returns a row of the record."""
    return {
        "name": row.name,
        "skerry_s": row.ours,
        "numpy_s": row.peer,
        "speedup": round(row.speedup, 3),
        "goal": row.goal,
        "note": row.note,
        "reached": row.reached,
    }


def main() -> int:
    """Runs all parts and writes the record."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--only", choices=list(PARTS), action="append", help="a part; may be repeated"
    )
    parser.add_argument("--output", type=pathlib.Path, help="path of the record, also with --only")
    parser.add_argument("--threads", type=int, default=1, help="threads of skerry and its peers")
    options = parser.parse_args()

    about = machine()
    print(", ".join(f"{key} {value}" for key, value in about.items()))
    sk.set_num_threads(options.threads)
    rows: list[Row] = []
    for name, part in PARTS.items():
        if options.only is None or name in options.only:
            print(f"… {name}", flush=True)
            rows += part()
    report("all rows", rows)

    missed = [r.name for r in rows if not r.reached]
    print(f"\n{len(rows) - len(missed)} of {len(rows)} goals reached")
    if options.only is None or options.output:
        path = options.output or records.result_of(f"cpu {about['processor']}")
        mean = geometric_mean([row.speedup for row in rows])
        head = {"machine": about, "geometric_mean": mean}
        records.write(path, head, map(fields_of, rows))
        print(f"written to {path}")
    for row in rows:
        if row.name.startswith("import"):
            print(f"import of skerry, in addition to NumPy's: {duration(row.ours)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
