# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Benchmarks of functions of the array API standard that are not elementwise, and of random numbers."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import skerry as sk

from bench.peers.side_by_side import Row, check, every_core, pair, seconds_per_call, timed

LARGE = 16_000_000
KEYS = 4_000_000
SIDE = 4096


def uniform(n: int, dtype: str = "float32", seed: int = 0) -> np.ndarray:
    """Returns random numbers in [0, 1), or integers of both signs for int64."""
    rng = np.random.default_rng(seed)
    if dtype == "int64":
        return rng.integers(-(2**62), 2**62, n)
    return rng.random(n, dtype=dtype)


def scans() -> list[Row]:
    """Measures prefix sums."""
    a = uniform(LARGE)
    x = sk.asarray(a)
    return [
        timed(
            "cumulative_sum, 1.6e7 float32",
            lambda: sk.cumulative_sum(x),
            lambda: np.cumulative_sum(a),
            6,
            tolerance=1e-2,  # NumPy sums sequentially in float32
            all_cores=True,
        )
    ]


def selecting() -> list[Row]:
    """Measures masks and integer indices."""
    a, mask = uniform(LARGE), uniform(LARGE, seed=1) < 0.5
    indices = np.random.default_rng(2).integers(0, LARGE, KEYS)
    x, k, p = sk.asarray(a), sk.asarray(mask), sk.asarray(indices)
    return [
        timed(
            "x[mask], random half of 1.6e7",
            lambda: x[k],
            lambda: a[mask],
            6,
            tolerance=0,
            all_cores=True,
        ),
        timed(
            "nonzero, 1.6e7 bool",
            lambda: sk.nonzero(k),
            lambda: np.nonzero(mask),
            2,
            tolerance=0,
            all_cores=True,
        ),
        timed(
            "take, 4e6 random of 1.6e7",
            lambda: sk.take(x, p),
            lambda: np.take(a, indices),
            1.0,
            tolerance=0,
            all_cores=True,
            all_cores_at_least=1.5,
        ),
    ]


def sorting() -> list[Row]:
    """Measures sorts of 4e6 random keys."""
    rows = []
    for dtype in ("float32", "float64", "int64"):
        a = uniform(KEYS, dtype)
        x = sk.asarray(a)
        rows.append(
            timed(
                f"sort {dtype}, 4e6",
                lambda x=x: sk.sort(x, stable=False),
                lambda a=a: np.sort(a),
                3,
                tolerance=0,
                all_cores=True,
            )
        )
    a = uniform(KEYS)
    x = sk.asarray(a)
    rows.append(
        timed(
            "stable sort float32, 4e6",
            lambda: sk.sort(x),
            lambda: np.sort(a, stable=True),
            6,
            tolerance=0,
            all_cores=True,
        )
    )
    rows.append(
        timed(
            "stable argsort float32, 4e6",
            lambda: sk.argsort(x),
            lambda: np.argsort(a, stable=True),
            3,
            tolerance=0,
            all_cores=True,
        )
    )
    return rows


def sorted_unique(a: np.ndarray, kind: str) -> Any:
    """Computes NumPy's unique functions by way of a sorted copy."""
    if kind == "inverse":
        order = np.argsort(a)
        ordered = a[order]
        first = np.concatenate(([True], ordered[1:] != ordered[:-1]))
        inverse = np.empty(a.size, np.int64)
        inverse[order] = np.cumsum(first) - 1
        return ordered[first], inverse
    ordered = np.sort(a)
    first = np.concatenate(([True], ordered[1:] != ordered[:-1]))
    if kind == "values":
        return ordered[first]
    positions = np.flatnonzero(np.concatenate((first, [True])))
    return ordered[first], np.diff(positions)


def sets() -> list[Row]:
    """Measures unique_* of 4e6 int64 against the faster of NumPy's function and a sorted copy."""
    rows = []
    for title, a in (
        ("distinct", uniform(KEYS, "int64")),
        ("1e3 distinct", np.random.default_rng(3).integers(0, 1000, KEYS)),
    ):
        x = sk.asarray(a)
        for kind in ("values", "counts", "inverse"):
            ours = functools.partial(getattr(sk, f"unique_{kind}"), x)
            peers = [
                functools.partial(getattr(np, f"unique_{kind}"), a),
                functools.partial(sorted_unique, a, kind),
            ]
            check(ours(), peers[1](), 0)
            peer = min(peers, key=lambda f: seconds_per_call(f, 1))
            skerry_seconds, theirs = pair(ours, peer)
            name = f"unique_{kind}, 4e6 int64, {title}"
            rows.append(Row(name, skerry_seconds, theirs, ">= 2 x", theirs / skerry_seconds >= 2))
    return rows


def searching() -> list[Row]:
    """Measures binary searches."""
    a = np.sort(uniform(KEYS))
    keys = uniform(1_000_000, seed=4)
    x, w = sk.asarray(a), sk.asarray(keys)
    return [
        timed(
            "searchsorted, 1e6 in 4e6",
            lambda: sk.searchsorted(x, w),
            lambda: np.searchsorted(a, keys),
            1.5,
            tolerance=0,
            all_cores=True,
        )
    ]


def statistics() -> list[Row]:
    """Measures the variance of all elements and over each axis."""
    flat = uniform(LARGE)
    square = flat[: 4000 * 4000].reshape(4000, 4000)
    x, s = sk.asarray(flat), sk.asarray(square)
    return [
        timed("var, 1.6e7 float32", lambda: sk.var(x), lambda: np.var(flat), 3, all_cores=True),
        timed("var 4000^2, axis 0", lambda: sk.var(s, axis=0), lambda: np.var(square, axis=0), 3),
        timed("var 4000^2, axis 1", lambda: sk.var(s, axis=1), lambda: np.var(square, axis=1), 3),
    ]


def axes() -> list[Row]:
    """Measures reductions over an axis, compared to skerry's own sum of all elements of an array of the same size."""
    flat = sk.asarray(uniform(2**24))
    base = min(seconds_per_call(lambda: sk.sum(flat), 1) for _ in range(9))
    rows = []
    for shape in ((2**22, 4), (4, 2**22), (4096, 4096), (256, 256, 256)):
        x = sk.reshape(flat, shape)
        for axis in (1,) if len(shape) == 3 else (0, 1):
            for name in ("sum", "max", "argmax", "any"):
                function = getattr(sk, name)
                # `any` stops at the first nonzero element; with zeros it reads all elements.
                data = x if name != "any" else sk.zeros(shape, dtype=sk.float32)
                function(data, axis=axis)
                ours = min(
                    seconds_per_call(lambda f=function, d=data, a=axis: f(d, axis=a), 1)
                    for _ in range(7)
                )
                label = (
                    f"{name} {'x'.join(map(str, shape))}, axis {axis}, compared with the flat sum"
                )
                rows.append(Row(label, ours, base, ">= 0.5 of its rate", base / ours >= 0.5))
    return rows


def products() -> list[Row]:
    """Measures matrix products."""
    rng = np.random.default_rng(5)
    i, j = rng.integers(-1000, 1000, (512, 512)), rng.integers(-1000, 1000, (512, 512))
    a, b = rng.random((2048, 2048), dtype=np.float32), rng.random((2048, 2048), dtype=np.float32)
    p, q, x, y = (sk.asarray(matrix) for matrix in (i, j, a, b))
    return [
        timed("matmul int64, 512", lambda: p @ q, lambda: i @ j, 8, tolerance=0, all_cores=True),
        timed("matmul float32, 2048", lambda: x @ y, lambda: a @ b, 1.0, tolerance=1e-3),
    ]


def transforms() -> list[Row]:
    """Measures Fourier transforms of complex64."""
    rng = np.random.default_rng(6)
    line = (rng.random(1_000_000) + 1j * rng.random(1_000_000)).astype(np.complex64)
    image = (rng.random((1024, 1024)) + 1j * rng.random((1024, 1024))).astype(np.complex64)
    x, y = sk.asarray(line), sk.asarray(image)
    return [
        timed(
            "fft complex64, 1e6",
            lambda: sk.fft.fft(x),
            lambda: np.fft.fft(line),
            1.0,
            tolerance=1e-2,
        ),
        timed(
            "fftn complex64, 1024^2",
            lambda: sk.fft.fftn(y),
            lambda: np.fft.fftn(image),
            1.5,
            tolerance=1e-2,
            all_cores=True,
            all_cores_at_least=2,
        ),
    ]


def joining() -> list[Row]:
    """Measures functions that only move elements."""
    m, v = uniform(SIDE * SIDE).reshape(SIDE, SIDE), uniform(LARGE)
    h = m.reshape(256, 256, 256)
    x, w, t = sk.asarray(m), sk.asarray(v), sk.asarray(h)
    pairs: list[tuple[str, Callable[[], Any], Callable[[], Any]]] = [
        ("concat, axis 0", lambda: sk.concat([x, x]), lambda: np.concatenate([m, m])),
        ("concat, axis 1", lambda: sk.concat([x, x], axis=1), lambda: np.concatenate([m, m], 1)),
        ("stack, axis 0", lambda: sk.stack([w, w]), lambda: np.stack([v, v])),
        ("stack, axis -1", lambda: sk.stack([w, w], axis=-1), lambda: np.stack([v, v], -1)),
        (
            "permute_dims copy, 256^3, (2, 0, 1)",
            lambda: sk.reshape(sk.permute_dims(t, (2, 0, 1)), (-1,)),
            lambda: np.permute_dims(h, (2, 0, 1)).reshape(-1),
        ),
        ("roll, 1.6e7 by 1000", lambda: sk.roll(w, 1000), lambda: np.roll(v, 1000)),
        ("roll 4096^2 along axis 1", lambda: sk.roll(x, 7, axis=1), lambda: np.roll(m, 7, 1)),
        ("tile 4096^2, (1, 2)", lambda: sk.tile(x, (1, 2)), lambda: np.tile(m, (1, 2))),
        ("repeat 1.6e7, 2 times", lambda: sk.repeat(w, 2), lambda: np.repeat(v, 2)),
    ]
    return [timed(name, a, b, 1.5, tolerance=0, all_cores=True) for name, a, b in pairs]


def random_numbers() -> list[Row]:
    """Measures distributions. NumPy's generator draws different numbers, so only times are compared."""
    ours, theirs = sk.random.default_rng(1, "cpu:0"), np.random.default_rng(1)
    n = 4_000_000
    draws: list[tuple[str, Callable[[Any], Any], float]] = [
        ("random, 4e6 float64", lambda r: r.random(n), 1.0),
        ("random, 4e6 float32", lambda r: r.random(n, dtype=np.float32), 1.0),
        ("standard_normal, 4e6 float64", lambda r: r.standard_normal(n), 1.0),
        ("standard_normal, 4e6 float32", lambda r: r.standard_normal(n, dtype=np.float32), 1.0),
        ("integers below 1000, 4e6", lambda r: r.integers(0, 1000, n), 1.0),
        ("integers of 64 bits, 4e6", lambda r: r.integers(-(2**62), 2**62 + 1, n), 1.0),
        ("permutation of 4e6", lambda r: r.permutation(n), 1.0),
    ]
    rows = []
    for name, draw, at_least in draws:
        skerry_seconds, peer = pair(functools.partial(draw, ours), functools.partial(draw, theirs))
        row = Row(
            name, skerry_seconds, peer, f">= {at_least:g} x", peer / skerry_seconds >= at_least
        )
        with every_core():
            together = min(seconds_per_call(functools.partial(draw, ours), 1) for _ in range(5))
        row.note = f"all cores {peer / together:.2f}x"
        rows.append(row)
    return rows
