# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Whether the time of functions grows linearly with the number of elements.

``python -m bench.peers.scaling``: twenty functions at 10^6, 10^7 and 10^8 elements, with one thread and with all,
alternating with NumPy's. From 10^7 to 10^8 elements, both out of cache, the time per element (of a sort: per element
and level of comparisons) must not grow by more than ``WITHIN`` times the growth of NumPy's, which is due to the
machine. Prints all figures and exits 1 if one grows more.
"""

from __future__ import annotations

import argparse
import gc
import math
import sys
import time
from collections.abc import Callable
from itertools import pairwise

import numpy as np
import skerry as sk

from bench.peers.side_by_side import machine

WITHIN = 1.15
SIZES = (10**6, 10**7, 10**8)
ROUNDS = 4

#: By name, a call with float32 x and y, a mask k and the library xp.
OPERATIONS: dict[str, Callable[..., object]] = {
    "x + y": lambda xp, x, y, k: x + y,
    "x * 1.5": lambda xp, x, y, k: x * 1.5,
    "exp": lambda xp, x, y, k: xp.exp(x),
    "sqrt": lambda xp, x, y, k: xp.sqrt(x),
    "x < y": lambda xp, x, y, k: x < y,
    "where": lambda xp, x, y, k: xp.where(k, x, y),
    "astype float64": lambda xp, x, y, k: x.astype(xp.float64),
    "sum": lambda xp, x, y, k: xp.sum(x),
    "sum axis 0": lambda xp, x, y, k: xp.sum(xp.reshape(x, (-1, 1000)), axis=0),
    "max axis 1": lambda xp, x, y, k: xp.max(xp.reshape(x, (-1, 1000)), axis=1),
    "var": lambda xp, x, y, k: xp.var(x),
    "argmax": lambda xp, x, y, k: xp.argmax(x),
    "cumulative_sum": lambda xp, x, y, k: xp.cumulative_sum(x, dtype=xp.float32),
    "x[mask]": lambda xp, x, y, k: x[k],
    "nonzero": lambda xp, x, y, k: xp.nonzero(k),
    "copy of transpose": lambda xp, x, y, k: xp.asarray(xp.reshape(x, (1000, -1)).T, copy=True),
    "concat": lambda xp, x, y, k: xp.concat((x, y)),
    "flip": lambda xp, x, y, k: xp.asarray(xp.flip(x), copy=True),
    "zeros": lambda xp, x, y, k: xp.zeros(x.shape, dtype=xp.float32),
    "sort": lambda xp, x, y, k: xp.sort(x),
}


def operands(size: int) -> tuple[np.ndarray, ...]:
    """Returns x, y and k."""
    rng = np.random.default_rng(0)
    x, y = (rng.random(size, dtype=np.float32) for _ in range(2))
    return x, y, x < 0.5


def best_of_both(function: Callable[..., object], size: int) -> tuple[float, float]:
    """Returns the seconds per element of the fastest rounds of skerry and of NumPy."""
    hosts = operands(size)
    arguments = {np: hosts, sk: tuple(sk.asarray(host, device="cpu", copy=True) for host in hosts)}
    best = {sk: math.inf, np: math.inf}
    for _ in range(ROUNDS):
        for xp, inputs in arguments.items():
            begin = time.perf_counter()
            result = function(xp, *inputs)
            best[xp] = min(best[xp], time.perf_counter() - begin)
            del result
    return best[sk] / size, best[np] / size


def growth_of(name: str, threads: int) -> bool:
    """Measures and prints one function; returns whether its growth is within the limit."""
    ours, numpys = zip(*(best_of_both(OPERATIONS[name], size) for size in SIZES), strict=True)
    levels = [math.log2(size) if name == "sort" else 1.0 for size in SIZES]
    steps = [
        (b / a) / (n / m) for (a, b), (m, n) in zip(pairwise(ours), pairwise(levels), strict=True)
    ]
    machines = [
        (b / a) / (n / m) for (a, b), (m, n) in zip(pairwise(numpys), pairwise(levels), strict=True)
    ]
    is_linear = steps[-1] <= WITHIN * max(1.0, machines[-1])
    figures = "".join(f"{1e9 * seconds:9.3f}" for seconds in ours)
    grown = "  ".join(
        f"{step:5.2f} ({machine_step:.2f})"
        for step, machine_step in zip(steps, machines, strict=True)
    )
    print(
        f"  {name:20}{threads:3}{figures}   {grown}{'' if is_linear else '  <-- grows'}", flush=True
    )
    return is_linear


def main() -> int:
    """Measures and compares."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", default="", help="functions whose names contain this")
    only = parser.parse_args().only
    print(", ".join(f"{key} {value}" for key, value in machine().items()))
    gc.disable()
    print("  function     threads   ns per element at 10^6, 10^7, 10^8; growth by step (NumPy's)")
    growing = 0
    for threads in sorted({1, sk.get_num_threads()}):
        sk.set_num_threads(threads)
        growing += sum(not growth_of(name, threads) for name in OPERATIONS if only in name)
    print(f"{growing} grow by more than {WITHIN} times what NumPy's do")
    return 1 if growing else 0


if __name__ == "__main__":
    sys.exit(main())
