# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""``make bench``: skerry beside NumPy in one process, every result checked; JSON goes to bench/results.

One thread against one thread unless a row says "all cores". A goal is a ratio taken in this run; a row that misses its
goal is marked, and the exit status stays 0: figures are for reading, tests are for passing.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import subprocess
import sys
from collections.abc import Callable
from typing import Any

os.environ.setdefault("SKERRY_REHEARSE", "1")

import numpy as np
import skerry as sk
from side_by_side import Row, duration, geometric_mean, machine, pair, report

LARGE = 16_000_000
SIDE = 4096


def check(ours: Any, peer: Any, tolerance: float) -> None:
    """Raise unless both gave the same."""
    mine = np.asarray(ours.to_device("cpu:0"))
    if tolerance == 0:
        np.testing.assert_array_equal(mine, peer)
    else:
        np.testing.assert_allclose(mine, peer, rtol=tolerance, atol=tolerance)


def timed(
    name: str,
    ours: Callable[[], Any],
    peer: Callable[[], Any],
    at_least: float,
    *,
    tolerance: float = 1e-5,
) -> Row:
    """A row whose goal is a speed: at least so many times NumPy's."""
    check(ours(), peer(), tolerance)
    mine, theirs = pair(ours, peer)
    return Row(name, mine, theirs, f">= {at_least:g} x", theirs / mine >= at_least)


def overhead(name: str, ours: Callable[[], Any], peer: Callable[[], Any], at_most: float) -> Row:
    """A row whose goal is a share of NumPy's time."""
    check(ours(), peer(), 1e-12)
    mine, theirs = pair(ours, peer)
    return Row(name, mine, theirs, f"<= {at_most:g} of time", mine / theirs <= at_most)


def calls() -> list[Row]:
    """The cost of a call: arrays of one element."""
    a, b = np.ones(1), np.ones(1)
    x, y = sk.asarray(a), sk.asarray(b)
    cx, cy = x.to_device("cuda:0"), y.to_device("cuda:0")
    rows = [
        overhead("a + b, one element", lambda: x + y, lambda: a + b, 0.6),
        overhead("a + 1.5", lambda: x + 1.5, lambda: a + 1.5, 0.5),
        overhead("sum(a)", lambda: sk.sum(x), lambda: np.sum(a), 0.25),
    ]
    mine, theirs = pair(lambda: cx + cy, lambda: a + b)
    sk.synchronize("cuda:0")
    rows.append(Row("a + b on rehearsed cuda:0 (host time)", mine, theirs, "<= 3 us", mine <= 3e-6))
    return rows


def contiguous(suffix: str, goal: float) -> list[Row]:
    """Large contiguous operands, fresh result."""
    rng = np.random.default_rng(0)
    a, b = rng.random(LARGE, dtype=np.float32), rng.random(LARGE, dtype=np.float32)
    x, y = sk.asarray(a), sk.asarray(b)
    return [timed(f"a + b, 1.6e7 float32{suffix}", lambda: x + y, lambda: a + b, goal, tolerance=0)]


def transcendental() -> list[Row]:
    """10^6 elements, in cache."""
    rows = []
    rng = np.random.default_rng(1)
    for dtype in ("float32", "float64"):
        a = rng.uniform(0.1, 10, 1_000_000).astype(dtype)
        x = sk.asarray(a)
        for name in ("exp", "log", "sin", "tanh"):
            mine, theirs = getattr(sk, name), getattr(np, name)
            goal = 5.0 if (name, dtype) == ("sin", "float64") else 1.0
            rows.append(
                timed(
                    f"{name} {dtype}, 1e6",
                    lambda f=mine, x=x: f(x),
                    lambda f=theirs, a=a: f(a),
                    goal,
                    tolerance=1e-6 if dtype == "float32" else 1e-14,
                )
            )
    return rows


def layouts() -> list[Row]:
    """Operands that disagree on the fast axis, broadcasts, steps."""
    rng = np.random.default_rng(2)
    m = rng.random((SIDE, SIDE), dtype=np.float32)
    row, column = m[0].copy(), m[:, :1].copy()
    x, xr, xc = sk.asarray(m), sk.asarray(row), sk.asarray(column)
    two, stepped = m[:, ::2], x[:, ::2]
    return [
        timed("m + m.T, 4096^2 float32", lambda: x + x.T, lambda: m + m.T, 4, tolerance=0),
        timed(
            "transposed copy",
            lambda: sk.reshape(x.T, (-1,)),
            lambda: m.T.reshape(-1),
            5,
            tolerance=0,
        ),
        timed("m + row", lambda: x + xr, lambda: m + row, 1.2, tolerance=0),
        timed("m + column", lambda: x + xc, lambda: m + column, 1.2, tolerance=0),
        timed("m + 1.5", lambda: x + 1.5, lambda: m + np.float32(1.5), 1.2, tolerance=0),
        timed(
            "m[:, ::2] + m[:, ::2]", lambda: stepped + stepped, lambda: two + two, 1.2, tolerance=0
        ),
    ]


def reductions() -> list[Row]:
    """Sums over every kind of axis, and where."""
    rng = np.random.default_rng(3)
    flat = rng.random(LARGE, dtype=np.float32)
    thin = flat.reshape(-1, 4)
    mask = rng.random(LARGE) < 0.5
    other = flat[::-1].copy()
    x, t, k, y = sk.asarray(flat), sk.asarray(thin), sk.asarray(mask), sk.asarray(other)
    return [
        timed("sum, 1.6e7 float32", lambda: sk.sum(x), lambda: np.sum(flat), 1.0, tolerance=1e-5),
        timed(
            "sum (4e6, 4) over axis 0",
            lambda: sk.sum(t, axis=0),
            lambda: np.sum(thin, axis=0),
            8,
            tolerance=1e-2,
        ),
        timed(
            "sum (4e6, 4) over axis 1", lambda: sk.sum(t, axis=1), lambda: np.sum(thin, axis=1), 8
        ),
        timed(
            "where, random mask, 1.6e7",
            lambda: sk.where(k, x, y),
            lambda: np.where(mask, flat, other),
            4,
            tolerance=0,
        ),
    ]


def import_time() -> Row:
    """Import of skerry over import of NumPy, best of several fresh interpreters."""

    def best(statement: str) -> float:
        code = f"import time, sys; t = time.perf_counter(); {statement}; print(time.perf_counter() - t)"
        runs = [
            float(
                subprocess.run(
                    [sys.executable, "-c", code], capture_output=True, text=True, check=True
                ).stdout
            )
            for _ in range(7)
        ]
        return min(runs)

    numpy, both = best("import numpy"), best("import numpy, skerry")
    return Row(
        "import skerry over import numpy", both - numpy, numpy, "<= 40 ms", both - numpy <= 0.040
    )


def main() -> int:
    """Run everything and write the record."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--only",
        choices=["calls", "contiguous", "transcendental", "layouts", "reductions", "import"],
    )
    parser.add_argument(
        "--output", type=pathlib.Path, default=pathlib.Path(__file__).parent / "results"
    )
    options = parser.parse_args()

    about = machine()
    print(", ".join(f"{key} {value}" for key, value in about.items()))
    cores = sk.get_num_threads()
    sk.set_num_threads(1)
    parts: dict[str, Callable[[], list[Row]]] = {
        "calls": calls,
        "contiguous": lambda: contiguous(", one thread", 1.5),
        "transcendental": transcendental,
        "layouts": layouts,
        "reductions": reductions,
    }
    rows: list[Row] = []
    for name, part in parts.items():
        if options.only in (None, name):
            print(f"… {name}", flush=True)
            rows += part()
    if options.only in (None, "contiguous"):
        sk.set_num_threads(cores)
        rows += contiguous(f", all {cores} cores", 2.0)
    if options.only in (None, "import"):
        rows.append(import_time())
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
                "reached": r.reached,
            }
            for r in rows
        ],
        "geometric_mean": geometric_mean([r.speedup for r in rows]),
    }
    options.output.mkdir(parents=True, exist_ok=True)
    path = options.output / f"cpu-{about['date']}.json"
    path.write_text(json.dumps(record, indent=1) + "\n")
    missed = [r.name for r in rows if not r.reached]
    print(f"\n{len(rows) - len(missed)} of {len(rows)} goals reached; written to {path}")
    print(
        f"import over NumPy: {duration(next((r.ours for r in rows if r.name.startswith('import')), 0.0))}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
