# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Functions beyond the standard beside NumPy's on the CPU, in turn in one process: best of several, in ms.

python bench/numpy_functions.py [--size 1000000] [--only nansum]
"""

import argparse
import time

import numpy as np
import skerry as sk


def operands(n):
    rng = np.random.default_rng(0)
    x = rng.normal(size=n)
    side = int(n**0.5)
    gaps = x.copy()
    gaps[::17] = np.nan
    rising = np.sort(rng.uniform(-4, 4, 1000))
    return {
        "x": x, "y": rng.normal(size=n), "gaps": gaps, "f": x.astype("float32"),
        "m": x[: side * side].reshape(side, side).copy(), "wide": rng.normal(size=(20, n // 20)),
        "i": rng.integers(0, 1000, n), "j": rng.integers(0, 1000, n), "k9": rng.normal(size=9),
        "k100": rng.normal(size=100), "k1000": rng.normal(size=1000), "b": x > 0,
        "a3": rng.normal(size=(100, 100, 100)), "xp": rising, "fp": rising**2,
        "k9i": rng.integers(0, 9, 9), "k100i": rng.integers(0, 9, 100),
    }  # fmt: skip


ROWS = {
    **{name: lambda xp, a, name=name: getattr(xp, name)(a["gaps"]) for name in (
        "nansum", "nanmean", "nanvar", "nanmin", "nanargmax", "nancumsum", "nan_to_num"
    )},
    "ptp": lambda xp, a: xp.ptp(a["x"]),
    "average": lambda xp, a: xp.average(a["x"], weights=a["y"]),
    "cov": lambda xp, a: xp.cov(a["wide"]),
    "corrcoef": lambda xp, a: xp.corrcoef(a["wide"]),
    "interp": lambda xp, a: xp.interp(a["x"], a["xp"], a["fp"]),
    "convolve, 9": lambda xp, a: xp.convolve(a["x"], a["k9"]),
    "convolve, 100": lambda xp, a: xp.convolve(a["x"], a["k100"]),
    "convolve, 1000": lambda xp, a: xp.convolve(a["x"], a["k1000"]),
    "convolve, int, 9": lambda xp, a: xp.convolve(a["i"], a["k9i"]),
    "convolve, int, 100": lambda xp, a: xp.convolve(a["i"], a["k100i"]),
    **{f"pad, {mode}": lambda xp, a, mode=mode: xp.pad(a["m"], 8, mode) for mode in (
        "constant", "edge", "reflect", "wrap", "mean"
    )},
    "einsum ij,jk->ik": lambda xp, a: xp.einsum("ij,jk->ik", a["m"], a["m"], optimize=True),
    "einsum ijk,ijk->i": lambda xp, a: xp.einsum("ijk,ijk->i", a["a3"], a["a3"]),
    "einsum i,i->i": lambda xp, a: xp.einsum("i,i->i", a["x"], a["y"]),
    "trapezoid": lambda xp, a: xp.trapezoid(a["x"], a["y"]),
    "gradient": lambda xp, a: xp.gradient(a["x"]),
    "unwrap": lambda xp, a: xp.unwrap(a["x"]),
    "ediff1d": lambda xp, a: xp.ediff1d(a["x"]),
    "outer": lambda xp, a: xp.outer(a["xp"], a["fp"]),
    "kron": lambda xp, a: xp.kron(a["xp"], a["fp"]),
    "vstack": lambda xp, a: xp.vstack([a["x"], a["y"]]),
    "vander": lambda xp, a: xp.vander(a["x"], 4),
    "diag": lambda xp, a: xp.diag(a["xp"]),
    "unravel_index": lambda xp, a: xp.unravel_index(a["i"], (100, 10)),
    "ravel_multi_index": lambda xp, a: xp.ravel_multi_index((a["i"], a["j"]), (1000, 1000)),
    "lexsort": lambda xp, a: xp.lexsort((a["i"], a["j"])),
    "setdiff1d": lambda xp, a: xp.setdiff1d(a["i"], a["j"]),
    "intersect1d": lambda xp, a: xp.intersect1d(a["x"], a["y"]),
    "union1d": lambda xp, a: xp.union1d(a["x"], a["y"]),
    "select": lambda xp, a: xp.select([a["b"], a["b"]], [a["x"], a["y"]], 0.0),
    "flatnonzero": lambda xp, a: xp.flatnonzero(a["b"]),
    "extract": lambda xp, a: xp.extract(a["b"], a["x"]),
    "around, 2": lambda xp, a: xp.around(a["x"], 2),
    "delete": lambda xp, a: xp.delete(a["x"], [5, 7]),
    "insert": lambda xp, a: xp.insert(a["x"], [5, 7], 1.0),
    "rot90": lambda xp, a: xp.rot90(a["m"]) + 1.0,
    "polyval": lambda xp, a: xp.polyval(a["k9"], a["x"]),
    "sinc": lambda xp, a: xp.sinc(a["x"]),
    "i0": lambda xp, a: xp.i0(a["x"]),
    "fmax": lambda xp, a: xp.fmax(a["x"], a["gaps"]),
    "fmod": lambda xp, a: xp.fmod(a["x"], 0.7),
    "angle": lambda xp, a: xp.angle(a["x"]),
    "array_equal": lambda xp, a: xp.array_equal(a["x"], a["x"]),
}  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=1_000_000)
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    host = operands(options.size)
    ours = {name: sk.asarray(x, copy=True) for name, x in host.items()}
    print(
        f"{options.size} elements, {sk.get_num_threads()} threads\n{'':24}{'skerry':>9}{'NumPy':>9}"
    )
    for name, row in ROWS.items():
        if options.only not in name:
            continue
        best = {}
        for _ in range(options.repeats):
            for key, xp, arrays in (("skerry", sk, ours), ("numpy", np, host)):
                start = time.perf_counter()
                row(xp, arrays)
                took = (time.perf_counter() - start) * 1e3
                best[key] = min(took, best.get(key, took))
        ratio = best["skerry"] / best["numpy"]
        print(f"{name:24}{best['skerry']:9.2f}{best['numpy']:9.2f}{ratio:7.2f}")


main()
