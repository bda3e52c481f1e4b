# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""The largest error of every elementwise function, by dtype and back end, compared to higher precision.

``make accuracy`` writes the tables of the page "Accuracy and reproducibility". Real functions: in units in the last
place (ULP) of the exact value, searched with ``numpy.longdouble`` (64 bits of precision; glibc's functions are within
0.003 ULP of float64); the largest errors are computed again with mpmath. Complex ones: the distance from the exact
value over its modulus, in units of ``eps``, by mpmath.
"""

from __future__ import annotations

import argparse
import csv
import math
import pathlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import mpmath
import numpy as np
from skerry import _core

from bench import accuracy_arguments
from bench.accuracy_back_end import BackEnd, back_ends

DOCS = pathlib.Path(__file__).resolve().parents[1] / "python" / "docs"
TABLES = {"f": DOCS / "accuracy_real.csv", "c": DOCS / "accuracy_complex.csv"}
# Without float16, whose results are those of float32, rounded.
FLOATING = {"float32", "float64", "complex64", "complex128"} & set(_core.built_dtypes())
# Functions with exact results, which test_elementwise.py compares bit for bit.
EXACT = {"ceil", "clip", "conj", "copysign", "floor", "floor_divide", "imag", "maximum", "minimum"}
EXACT |= {
    "angle",
    "fabs",
    "fmax",
    "fmin",
    "fmod",
    "heaviside",
    "nan_to_num",
    "negative",
    "nextafter",
    "positive",
    "real",
    "round",
    "trunc",
}
EXACT_IF_REAL = {"abs", "sign"}
PRECISION = 256  # bits of mpmath's numbers
RECOMPUTED = 4  # number of the largest errors of a range that are computed again with mpmath

mp = mpmath.mp


def power(x1: Any, x2: Any) -> Any:
    """Computes mpmath's power with the additional bits that the angle of a large exponent needs."""
    with mp.extraprec(max(int(mp.mag(x2)), 0) + 16 if x2 else 0):
        return mp.power(x1, x2)


def area_tangent(x: Any) -> Any:
    """Computes atanh; mpmath's loses accuracy for small complex numbers."""
    return (mp.log1p(x) - mp.log1p(-x)) / 2 if isinstance(x, mp.mpc) else mp.atanh(x)


def arc_tangent(x: Any) -> Any:
    """Computes atan, like `area_tangent`."""
    return -1j * area_tangent(1j * x) if isinstance(x, mp.mpc) else mp.atan(x)


BY_MPMATH: dict[str, Callable[..., Any]] = {
    "abs": abs,
    "atan": arc_tangent,
    "atanh": area_tangent,
    "add": lambda x1, x2: x1 + x2,
    "cbrt": lambda x: mp.sign(x) * mp.cbrt(abs(x)),
    "deg2rad": mp.radians,
    "divide": lambda x1, x2: x1 / x2,
    "log2": lambda x: mp.log(x) / mp.ln2,
    "logaddexp": lambda x1, x2: mp.log(mp.exp(x1) + mp.exp(x2)),
    "logaddexp2": lambda x1, x2: mp.log(mp.power(2, x1) + mp.power(2, x2)) / mp.ln2,
    "multiply": lambda x1, x2: x1 * x2,
    "pow": power,
    "rad2deg": mp.degrees,
    "reciprocal": lambda x: 1 / x,
    "remainder": lambda x1, x2: x1 - x2 * mp.floor(x1 / x2),
    "sign": lambda x: x / abs(x),
    "square": lambda x: x * x,
    "subtract": lambda x1, x2: x1 - x2,
}


@dataclass
class Function:
    """A function for one dtype, and the largest errors found."""

    name: str
    dtype: np.dtype
    arity: int
    result: np.dtype
    errors: dict[str, float] = field(default_factory=dict)
    arguments: dict[str, tuple[Any, ...]] = field(default_factory=dict)
    ranges: dict[str, str] = field(default_factory=dict)

    def record(self, back_end: str, error: float, arguments: tuple[Any, ...], label: str) -> None:
        """Records an error if it is the largest so far."""
        if error > self.errors.get(back_end, -1.0):
            self.errors[back_end] = error
            self.arguments[back_end] = arguments
            self.ranges[back_end] = label

    def worst_call(self, back_end: str) -> str:
        """Returns the call with the largest error."""
        return f"{self.name}({', '.join(str(x) for x in self.arguments[back_end])})"


def functions(names: Sequence[str] = ()) -> list[Function]:
    """Returns all functions of the operation table with rounded results, by floating-point dtype."""
    rounded_functions = []
    for entry in _core.op_table():
        for dtype, result in entry["loops"].items():
            name, kind = entry["name"], np.dtype(dtype).kind
            exact = name in EXACT or (kind == "f" and name in EXACT_IF_REAL) or result == "bool"
            if dtype in FLOATING and not exact and (not names or name in names):
                rounded_functions.append(
                    Function(name, np.dtype(dtype), entry["arity"], np.dtype(result))
                )
    return rounded_functions


def in_ulps(got: np.ndarray, want: np.ndarray, least: np.ndarray) -> np.ndarray:
    """Returns errors in units in the last place of the expected value, or of `least` if that is larger.

    Overflow counts as the next power of two.
    """
    limits = np.finfo(got.dtype)
    beyond = np.ldexp(np.longdouble(1), limits.maxexp)
    bounded = np.clip(want, -beyond, beyond)
    _, exponents = np.frexp(np.maximum(np.abs(bounded), least))
    units = np.ldexp(np.longdouble(1), np.maximum(exponents - 1, limits.minexp) - limits.nmant)
    errors = np.abs(np.clip(got.astype(np.longdouble), -beyond, beyond) - bounded) / units
    both_nan = np.isnan(got) & np.isnan(want)
    return np.where(both_nan, 0, np.where(np.isnan(errors), np.inf, errors)).astype(np.float64)


def number(x: Any) -> Any:
    """Converts a NumPy scalar to mpmath, exactly."""
    is_complex = isinstance(x, np.complexfloating)
    return mp.mpc(float(x.real), float(x.imag)) if is_complex else mp.mpf(float(x))


def exactly(name: str, args: Sequence[Any]) -> Any:
    """Returns the value in higher precision; None if mpmath has none, for example at a pole."""
    function = BY_MPMATH.get(name) or getattr(mp, name)
    try:
        return function(*map(number, args))
    except (ZeroDivisionError, ValueError, OverflowError):
        return None


def exact_ulps(got: Any, want: Any, least: Any) -> float:
    """Returns the error like `in_ulps`, for one result and mpmath's."""
    limits = np.finfo(got.dtype)
    beyond = mp.ldexp(1, limits.maxexp)
    want = min(max(want, -beyond), beyond)
    have = min(max(mp.mpf(float(got)), -beyond), beyond)
    size = max(abs(want), mp.mpf(float(least)))
    exponent = max(mp.frexp(size)[1] - 1, limits.minexp) if size else limits.minexp
    return float(abs(have - want) / mp.ldexp(1, int(exponent) - limits.nmant))


def extended(x: Any) -> np.longdouble:
    """Rounds a real number of mpmath to 64 bits."""
    if not mp.isfinite(x):
        return np.longdouble(float(x))
    fraction, exponent = mp.frexp(x)
    high = float(fraction)
    both = np.longdouble(high) + np.longdouble(float(fraction - high))
    return np.ldexp(both, int(max(min(exponent, 30_000), -30_000)))  # its own range ends at 16,384


def in_eps(got: np.ndarray, real: np.ndarray, imaginary: np.ndarray) -> np.ndarray:
    """Returns distances divided by the modulus of the expected value, in eps; 0 if that overflows or is not finite."""
    limits = np.finfo(got.dtype)
    size = np.maximum(np.hypot(real, imaginary), np.longdouble(limits.smallest_normal))
    wide = got.astype(np.clongdouble)
    errors = np.hypot(wide.real - real, wide.imag - imaginary) / size / limits.eps
    errors[~np.isfinite(got)] = np.inf
    largest = np.maximum(np.abs(real), np.abs(imaginary))
    return np.where(largest <= limits.max, errors, 0).astype(np.float64)


def least_size(name: str, args: Sequence[np.ndarray]) -> np.ndarray:
    """Returns 0, or for sums of powers the size of the arguments, whose rounding affects results closer to 0."""
    if name in ("logaddexp", "logaddexp2"):
        return np.where(np.isfinite(args[0] + args[1]), np.maximum(*map(np.abs, args)), 0)
    return np.zeros(len(args[0]), args[0].dtype)


def search_real(function: Function, label: str, args: Any, ends: Sequence[BackEnd]) -> None:
    """Records the largest errors of one range, found in long double and computed again."""
    want = getattr(np, function.name)(*[x.astype(np.longdouble) for x in args])
    least = least_size(function.name, args)
    for end in ends:
        got = end(function.name, args)
        errors = in_ulps(got, want, least)
        for i in np.argpartition(errors, -RECOMPUTED)[-RECOMPUTED:]:
            point, error = tuple(x[i] for x in args), float(errors[i])
            if 0 < error < math.inf:
                error = exact_ulps(got[i], exactly(function.name, point), least[i])
            function.record(end.name, error, point, label)


def search_complex(function: Function, label: str, args: Any, ends: Sequence[BackEnd]) -> None:
    """Records the largest error of one range."""
    want = [exactly(function.name, point) for point in zip(*args, strict=True)]
    parts = [(mp.nan, mp.nan) if x is None else (x.real, x.imag) for x in want]
    real, imaginary = (np.array([extended(x) for x in part]) for part in zip(*parts, strict=True))
    for end in ends:
        errors = in_eps(end(function.name, args), real, imaginary)
        i = int(np.argmax(errors))
        function.record(end.name, float(errors[i]), tuple(x[i] for x in args), label)


def measure(
    chosen: Sequence[Function], ends: Sequence[BackEnd], real: int, complex_: int
) -> Iterator[Function]:
    """Yields the functions with their largest errors, searched with the given number of arguments per range."""
    for function in chosen:
        is_complex = function.dtype.kind == "c"
        search, count = (search_complex, complex_) if is_complex else (search_real, real)
        ranges = accuracy_arguments.ranges(function.name, function.arity, function.dtype, count)
        with mp.workprec(PRECISION), np.errstate(all="ignore"):
            for label, args in ranges:
                search(function, label, args, ends)
        yield function


def shown(error: float) -> str:
    """Formats an error with two decimals, rounded up."""
    return f"{math.ceil(error * 100) / 100:.2f}" if math.isfinite(error) else "inf"


def write_tables(measured: Sequence[Function], ends: Sequence[BackEnd]) -> None:
    """Writes the tables of the documentation."""
    names = [end.name for end in ends]
    for kind, path in TABLES.items():
        with path.open("w", newline="") as file:
            rows = csv.writer(file, lineterminator="\n")
            rows.writerow(["function", "dtype", *names, "largest at"])
            for function in measured:
                if function.dtype.kind == kind:
                    errors = [shown(function.errors[name]) for name in names]
                    worst_call = function.worst_call(names[-1])
                    rows.writerow([function.name, function.dtype.name, *errors, worst_call])


def main() -> None:
    """Measures, prints, and writes the tables if requested."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("functions", nargs="*", help="names; all by default")
    parser.add_argument(
        "--levels",
        default="x86-64-v2,x86-64-v3,x86-64-v4,aarch64-v8",
        help="levels to measure if available",
    )
    parser.add_argument("--real", type=int, default=100_000, help="arguments per range")
    parser.add_argument("--complex", type=int, default=1000, help="arguments per range")
    parser.add_argument("--write", action="store_true", help="write the documentation's tables")
    options = parser.parse_args()
    measured = []
    with back_ends(options.levels.split(",")) as ends:
        chosen = functions(options.functions)
        for function in measure(chosen, ends, options.real, options.complex):
            measured.append(function)
            print(f"{function.name:12}{function.dtype.name:12}", end="")
            for end in (one.name for one in ends):
                print(f"{end} {shown(function.errors[end])} {function.ranges[end]}", end="; ")
            print(function.worst_call(ends[-1].name), flush=True)
        if options.write:
            write_tables(measured, ends)


if __name__ == "__main__":
    main()
