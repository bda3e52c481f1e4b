# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Benchmarks of ``skerry.fuse``, compared to NumPy, and to numexpr, jax.jit and torch.compile if installed.

A chain is a function that applies several operations, elementwise ones and reductions, to arrays.
"""

from __future__ import annotations

import dataclasses
import importlib.util
import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import skerry as sk

from bench.peers.side_by_side import Row, check, duration, geometric_mean, pair, seconds_per_call
from bench.peers.sweep_cell import Cell
from bench.peers.sweep_peers import jax_on

MANY = 4_000_000


@dataclasses.dataclass
class Chain:
    """A function of a namespace and arrays, and the same as an expression for numexpr, if that supports it."""

    name: str
    run: Callable[..., Any]
    arrays: tuple[np.ndarray, ...]
    expression: str = ""
    tolerance: float = 1e-4


def numbers(*shape: int, dtype: str = "float32", seed: int = 0) -> np.ndarray:
    """Returns random numbers between 0.1 and 0.9."""
    return np.random.default_rng(seed).uniform(0.1, 0.9, shape).astype(dtype)


def stencil(xp: Any, x: Any) -> Any:
    """Computes a five-point stencil."""
    return (x[1:-1, :-2] + x[1:-1, 2:] + x[:-2, 1:-1] + x[2:, 1:-1] - 4 * x[1:-1, 1:-1]) * 0.25


def softmax(xp: Any, x: Any) -> Any:
    """Computes softmax along rows."""
    grown = xp.exp(x - xp.max(x, axis=1, keepdims=True))
    return grown / xp.sum(grown, axis=1, keepdims=True)


def black_scholes(xp: Any, price: Any, strike: Any, years: Any) -> Any:
    """Prices a call option, with a logistic approximation of the normal distribution function."""
    rate, spread = 0.05, 0.2

    def below(z: Any) -> Any:
        return 1 / (1 + xp.exp(-1.5976 * z - 0.070565992 * z * z * z))

    root = spread * xp.sqrt(years)
    d1 = (xp.log(price / strike) + (rate + spread * spread / 2) * years) / root
    return price * below(d1) - strike * xp.exp(-rate * years) * below(d1 - root)


def mandelbrot(xp: Any, c: Any) -> Any:
    """Computes fifty steps; a point stays where its absolute value first reaches 2."""
    z = c
    for _ in range(50):
        z = xp.where(abs(z) < 2, z * z + c, z)
    return abs(z)


def log_sum_exp(xp: Any, x: Any) -> Any:
    """Computes log-sum-exp along rows."""
    most = xp.max(x, axis=1, keepdims=True)
    return xp.log(xp.sum(xp.exp(x - most), axis=1, keepdims=True)) + most


def layer_norm(xp: Any, x: Any, scale: Any, shift: Any) -> Any:
    """Computes layer normalization along rows."""
    apart = x - xp.mean(x, axis=1, keepdims=True)
    spread = xp.mean(apart * apart, axis=1, keepdims=True)
    return apart / xp.sqrt(spread + 1e-5) * scale + shift


def cosine(xp: Any, x: Any, y: Any) -> Any:
    """Computes the cosine similarity of rows."""
    lengths = xp.sum(x * x, axis=1) * xp.sum(y * y, axis=1)
    return xp.sum(x * y, axis=1) / xp.sqrt(lengths)


def adam(xp: Any, weight: Any, slope: Any, mean: Any, square: Any) -> Any:
    """Computes an update of Adam, in place if the library supports that; returns all that it changes."""
    mean *= 0.9
    mean += 0.1 * slope
    square *= 0.999
    square += 0.001 * (slope * slope)
    weight -= 1e-3 * (mean / 0.1) / (xp.sqrt(square / 0.001) + 1e-8)
    return weight, mean, square


def heat(xp: Any, x: Any) -> Any:
    """Computes a step of heat conduction in three dimensions."""
    inner = x[1:-1, 1:-1, 1:-1]
    around = (
        x[:-2, 1:-1, 1:-1] + x[2:, 1:-1, 1:-1] + x[1:-1, :-2, 1:-1] + x[1:-1, 2:, 1:-1]
        + x[1:-1, 1:-1, :-2] + x[1:-1, 1:-1, 2:]
    )  # fmt: skip
    return inner + 0.1 * (around - 6 * inner)


def grey(xp: Any, red: Any, green: Any, blue: Any) -> Any:
    """Converts color planes of uint8 to the square of their luminance, in float32."""
    light = 0.2126 * xp.astype(red, xp.float32) + 0.7152 * xp.astype(green, xp.float32)
    return ((light + 0.0722 * xp.astype(blue, xp.float32)) / 255.0) ** 2


def chains() -> list[Chain]:
    """Returns all chains with their operands."""
    a, b, c = (numbers(MANY, seed=seed) for seed in range(3))
    rows, other = numbers(1000, 1000), numbers(1000, 1000, seed=1)
    planes = [np.random.default_rng(k).integers(0, 256, MANY, dtype="uint8") for k in range(3)]
    points = numbers(500, 500, dtype="float64") + 1j * numbers(500, 500, dtype="float64", seed=1)
    return [
        Chain("a*b + c", lambda xp, a, b, c: a * b + c, (a, b, c), "a*b + c"),
        Chain(
            "exp(-(a-b)**2/2) * 0.4",
            lambda xp, a, b: xp.exp(-((a - b) ** 2) / 2) * 0.4,
            (a, b),
            "exp(-((a - b)**2)/2) * 0.4",
        ),
        Chain("sum((a-b)**2)", lambda xp, a, b: xp.sum((a - b) ** 2), (a, b), "sum((a - b)**2)"),
        Chain("softmax of rows", softmax, (rows,)),
        Chain(
            "pairwise distances",
            lambda xp, x, y: xp.sum((x - y) ** 2, axis=-1),
            (numbers(2000, 1, 16), numbers(1, 500, 16, seed=1)),
            "sum((a - b)**2, axis=2)",
        ),
        Chain("stencil of 5, float64", stencil, (numbers(2000, 2000, dtype="float64"),)),
        Chain("Black-Scholes", black_scholes, (a[: MANY // 4] + 1, b[: MANY // 4] + 1, c[: MANY // 4])),
        Chain("Mandelbrot, 50 steps, complex128", mandelbrot, (points,), tolerance=1e-2),
        Chain("log-sum-exp of rows", log_sum_exp, (rows,)),
        Chain("layer norm of rows", layer_norm, (rows, rows[0], other[0])),
        Chain("cosine similarity of rows", cosine, (rows, other)),
        Chain("Adam's update", adam, (a, b - 0.5, c * 0, c * c), tolerance=1e-2),
        Chain("heat in 3-D, float64", heat, (numbers(160, 160, 160, dtype="float64"),)),
        Chain("grey of uint8", grey, tuple(planes)),
    ]  # fmt: skip


def peers(chain: Chain, threads: int) -> dict[str, Callable[[], Any]]:
    """Returns the calls of other installed libraries by name."""
    calls: dict[str, Callable[[], Any]] = {}
    if chain.expression and importlib.util.find_spec("numexpr"):
        import numexpr

        numexpr.set_num_threads(threads)
        names = dict(zip("abc", chain.arrays, strict=False))
        calls["numexpr"] = lambda: numexpr.evaluate(chain.expression, names)
    if importlib.util.find_spec("jax"):
        jax = jax_on(threads)
        compiled = jax.jit(lambda *arrays: chain.run(jax.numpy, *arrays))
        theirs = [jax.numpy.asarray(array) for array in chain.arrays]
        calls["jax.jit"] = lambda: jax.block_until_ready(compiled(*theirs))
    if importlib.util.find_spec("torch") and importlib.util.find_spec("array_api_compat"):
        import torch
        from array_api_compat import torch as functions  # functions under their array API names

        torch.set_num_threads(threads)
        torch._dynamo.reset()  # it stops compiling after 8 versions of the same code
        traced = torch.compile(lambda *arrays: chain.run(functions, *arrays))
        tensors = [torch.from_numpy(np.array(array)) for array in chain.arrays]
        calls["torch.compile"] = lambda: traced(*tensors)
    return calls


def best_of(call: Callable[[], Any]) -> float:
    """Returns the best seconds per call; NaN if the library raises."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            call()
            return min(seconds_per_call(call, 1) for _ in range(15))
    except Exception:  # libraries raise various errors for what they don't support
        return math.nan


def measure(chain: Chain, *, budget: float = 0.6) -> tuple[float, float, dict[str, float]]:
    """Returns the seconds of the fused call, of NumPy's and of others by name. Raises if skerry's result is wrong."""
    function = sk.fuse(lambda *arrays: chain.run(sk, *arrays))
    check(
        function(*(sk.asarray(array, copy=True) for array in chain.arrays)),
        chain.run(np, *(array.copy() for array in chain.arrays)),
        chain.tolerance,
    )
    skerry_arrays = [sk.asarray(array, copy=True) for array in chain.arrays]
    host = [array.copy() for array in chain.arrays]
    ours, theirs = pair(
        lambda: function(*skerry_arrays), lambda: chain.run(np, *host), budget=budget
    )
    others = {"eager": best_of(lambda: chain.run(sk, *skerry_arrays))}
    others |= {name: best_of(call) for name, call in peers(chain, sk.get_num_threads()).items()}
    return ours, theirs, {name: s for name, s in others.items() if not math.isnan(s)}


def fused_chains() -> list[Row]:
    """Measures each fused chain against NumPy; eager calls and other libraries are in the note."""
    rows = []
    shares: dict[str, list[float]] = {}
    for chain in chains():
        ours, theirs, others = measure(chain)
        for name, seconds in others.items():
            shares.setdefault(name, []).append(ours / seconds)
        note = ", ".join(f"{name} {duration(seconds)}" for name, seconds in others.items())
        rows.append(Row(f"fused: {chain.name}", ours, theirs, ">= 1 x", theirs >= ours, note))
    for name, values in shares.items():
        print(
            f"fused, time relative to {name}: {geometric_mean(values):.2f} ({len(values)} chains)"
        )
    return rows


def chain_cells(threads: int) -> list[Any]:
    """Measures the chains again, briefly, and returns cells of bench.peers' sweep."""
    cells = []
    for chain in chains():
        ours, theirs, others = measure(chain, budget=0.2)
        first = chain.arrays[0]
        dtype, size = str(first.dtype), max(array.size for array in chain.arrays)
        cells.append(
            Cell(
                f"fused: {chain.name}",
                "chains",
                "fuse",
                dtype,
                size,
                "contiguous",
                threads,
                ours,
                theirs,
                others,
            )
        )
    return cells
