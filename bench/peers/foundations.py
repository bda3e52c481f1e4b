# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Benchmarks of calls, elementwise operations, layouts, reductions and the import."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import skerry as sk

from bench.peers.side_by_side import Row, overhead, pair, timed

LARGE = 16_000_000
SIDE = 4096


def calls() -> list[Row]:
    """Measures the cost of a call, on arrays of one element."""
    a, b = np.ones(1), np.ones(1)
    x, y = sk.asarray(a), sk.asarray(b)
    cx, cy = x.to_device("cuda:0"), y.to_device("cuda:0")
    rows = [
        overhead("a + b, one element", lambda: x + y, lambda: a + b, 0.6),
        overhead("a + 1.5", lambda: x + 1.5, lambda: a + 1.5, 0.5),
        overhead("sum(a)", lambda: sk.sum(x), lambda: np.sum(a), 0.25),
    ]
    skerry_seconds, theirs = pair(lambda: cx + cy, lambda: a + b)
    sk.synchronize("cuda:0")
    rows.append(
        Row(
            "a + b on rehearsed cuda:0 (host time)",
            skerry_seconds,
            theirs,
            "<= 3 us",
            skerry_seconds <= 3e-6,
        )
    )
    return rows


def contiguous() -> list[Row]:
    """Measures an addition of large contiguous arrays."""
    rng = np.random.default_rng(0)
    a, b = rng.random(LARGE, dtype=np.float32), rng.random(LARGE, dtype=np.float32)
    x, y = sk.asarray(a), sk.asarray(b)
    return [
        timed(
            "a + b, 1.6e7 float32",
            lambda: x + y,
            lambda: a + b,
            1.5,
            tolerance=0,
            all_cores=True,
            all_cores_at_least=2,
        )
    ]


def transcendental() -> list[Row]:
    """Measures functions of 10^6 elements, which fit in cache."""
    rows = []
    rng = np.random.default_rng(1)
    for dtype in ("float32", "float64"):
        a = rng.uniform(0.1, 10, 1_000_000).astype(dtype)
        x = sk.asarray(a)
        for name in ("exp", "log", "sin", "tanh"):
            skerry_function, theirs = getattr(sk, name), getattr(np, name)
            # skerry's errors are up to 0.8 ulp, with the same bits with AVX2 and AVX-512. NumPy uses SVML, which exists
            # for AVX-512 only, with errors up to 3.8 ulp. NumPy has no SIMD loop for float64 sin.
            goal = 5.0 if (name, dtype) == ("sin", "float64") else 0.7
            rows.append(
                timed(
                    f"{name} {dtype}, 1e6",
                    lambda f=skerry_function, x=x: f(x),
                    lambda f=theirs, a=a: f(a),
                    goal,
                    tolerance=1e-6 if dtype == "float32" else 1e-14,
                )
            )
    return rows


def layouts() -> list[Row]:
    """Measures transposed, broadcast and strided operands."""
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
    """Measures sums of all elements and over each axis, and ``where``."""
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


def import_time() -> list[Row]:
    """Measures the time to import skerry in addition to NumPy's, the best of several new interpreters."""

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
    over = both - numpy
    return [Row("import skerry over import numpy", over, numpy, "<= 40 ms", over <= 0.040)]
