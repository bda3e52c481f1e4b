# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""``make bench``: skerry against NumPy in one process, every result checked; JSON goes to bench/results.

One thread against one thread unless a row says "all cores", or ``--threads`` says more for parts by ``--only``. A goal
is a ratio taken in this run; a row that misses its goal is marked, and the exit status stays 0: figures are for
reading, tests are for passing.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import re
import sys
from collections.abc import Callable

os.environ.setdefault("SKERRY_REHEARSE", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import skerry as sk

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


def main() -> int:
    """Run everything and write the record."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--only", choices=list(PARTS), action="append", help="a part; may be repeated"
    )
    parser.add_argument(
        "--output", type=pathlib.Path, default=pathlib.Path(__file__).parent / "results"
    )
    parser.add_argument("--threads", type=int, default=1, help="of every library that is told")
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

    record = {
        "machine": about,
        "rows": [
            {
                "name": r.name,
                "skerry_s": r.ours,
                "numpy_s": r.peer,
                "speedup": round(r.speedup, 3),
                "goal": r.goal,
                "note": r.note,
                "reached": r.reached,
            }
            for r in rows
        ],
        "geometric_mean": geometric_mean([r.speedup for r in rows]),
    }
    missed = [r.name for r in rows if not r.reached]
    print(f"\n{len(rows) - len(missed)} of {len(rows)} goals reached")
    if options.only is None:
        options.output.mkdir(parents=True, exist_ok=True)
        processor = re.sub(r"[^a-z0-9]+", "-", str(about["processor"]).lower()).strip("-")
        path = options.output / f"cpu-{processor}-{about['date']}.json"
        path.write_text(json.dumps(record, indent=1) + "\n")
        print(f"written to {path}")
    for row in rows:
        if row.name.startswith("import"):
            print(f"import over NumPy: {duration(row.ours)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
