# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Arguments of elementwise functions by range: typical ones, and those for which formulas lose accuracy."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

import numpy as np

Arguments = tuple[np.ndarray, ...]
Ranges = Iterator[tuple[str, Arguments]]


class Draw:
    """Random numbers of one real dtype, from which ranges are composed."""

    def __init__(self, dtype: np.dtype, count: int, seed: list[int]) -> None:
        self.dtype, self.count = dtype, count
        self.rng = np.random.default_rng(seed)
        self.limits = np.finfo(dtype)
        self.log_max = float(np.log(self.limits.max))
        self.log_tiny = float(np.log(self.limits.smallest_normal))
        self.log_least = self.log_tiny - self.limits.nmant * float(np.log(2))

    def sign(self) -> np.ndarray:
        """Returns 1 or -1."""
        return self.rng.choice([-1.0, 1.0], self.count)

    def uniform(self, low: float, high: float) -> np.ndarray:
        """Returns uniform numbers between two bounds, in float64."""
        return self.rng.uniform(low, high, self.count)

    def magnitude(self, low: float, high: float) -> np.ndarray:
        """Returns numbers 2**x, where the real x is uniform between two bounds."""
        return np.exp2(self.uniform(low, high).astype(np.longdouble))

    def signed(self, low: float, high: float) -> np.ndarray:
        """Returns numbers like `magnitude`, of both signs."""
        return self.sign() * self.magnitude(low, high)

    def integers(self, low: int, high: int) -> np.ndarray:
        """Returns integers, as floats."""
        return self.rng.integers(low, high, self.count).astype(np.float64)

    def bits(self) -> np.ndarray:
        """Returns finite numbers of random bits, or every k-th float32 for more than 10^6 numbers."""
        kind = np.dtype(f"u{self.dtype.itemsize}")
        if kind.itemsize == 4 and self.count > 1_000_000:
            step = (1 << 32) // self.count
            patterns = np.arange(self.rng.integers(step), 1 << 32, step).astype(kind)
        else:
            patterns = self.rng.integers(0, np.iinfo(kind).max, self.count, kind, endpoint=True)
        values = patterns.view(self.dtype)
        return values[np.isfinite(values)]


def unary(draw: Draw) -> Ranges:
    """Yields ranges for all real functions of one argument; outside its domain a function must return NaN."""
    limits, bits = draw.limits, draw.limits.nmant + 1
    least = limits.minexp - limits.nmant
    turns = np.rint(draw.magnitude(0, 60)) * np.longdouble("1.5707963267948966192313216916397514")
    nudge = draw.integers(-3, 4) * np.spacing(turns.astype(draw.dtype)).astype(np.longdouble)
    ranges = {
        "[-10, 10]": draw.uniform(-10, 10),
        "near 0": draw.signed(-bits, 0),
        "near 1 and -1": draw.sign() * (1 + draw.signed(-bits, -1)),
        "to 1e5": draw.uniform(-1e5, 1e5),
        "to 1e22": draw.signed(0, 73),
        "next to multiples of pi/2": turns + nudge,
        "at overflow of exp": draw.sign() * (draw.log_max + draw.uniform(-3, 1)),
        "at underflow of exp": draw.uniform(draw.log_least - 2, draw.log_tiny + 2),
        "at overflow of exp2": draw.sign() * (limits.maxexp + draw.uniform(-3, 1)),
        "subnormal": draw.signed(least, limits.minexp),
        "greatest": draw.signed(limits.maxexp - 20, limits.maxexp),
        "all": draw.bits(),
    }
    for label, values in ranges.items():
        yield label, (values.astype(draw.dtype),)


def any_pair(draw: Draw) -> Iterator[tuple[str, tuple[np.ndarray, np.ndarray]]]:
    """Yields pairs for all real functions of two arguments."""
    limits = draw.limits
    least = limits.minexp - limits.nmant
    yield "[-10, 10]", (draw.uniform(-10, 10), draw.uniform(-10, 10))
    yield "all magnitudes", tuple(draw.signed(least, limits.maxexp) for _ in range(2))
    first = draw.signed(least, limits.maxexp)
    yield "close magnitudes", (first, first * draw.signed(-30, 30))
    yield "greatest", tuple(draw.signed(limits.maxexp - 3, limits.maxexp) for _ in range(2))
    yield "subnormal", tuple(draw.signed(least, limits.minexp) for _ in range(2))
    first, second = draw.bits(), draw.rng.permutation(draw.bits())
    shorter = min(len(first), len(second))
    yield "all", (first[:shorter], second[:shorter])


def powers(draw: Draw) -> Iterator[tuple[str, tuple[np.ndarray, np.ndarray]]]:
    """Yields bases and exponents of finite powers."""
    bits = draw.limits.nmant + 1
    yield "[0, 10] to the [-10, 10]", (draw.uniform(0, 10), draw.uniform(-10, 10))
    for label, low, high in (
        ("all results", draw.log_least, draw.log_max),
        ("at overflow", draw.log_max - 2, draw.log_max + 0.1),
        ("subnormal results", draw.log_least - 1, draw.log_tiny + 1),
    ):
        base = draw.magnitude(-40, 40).astype(draw.dtype).astype(np.longdouble)
        yield label, (base, draw.uniform(low, high) / np.log(base))
    base = (1 + draw.signed(-bits, -1)).astype(draw.dtype).astype(np.longdouble)
    yield "bases near 1", (base, draw.uniform(draw.log_least, draw.log_max) / np.log(base))
    yield "integers", (draw.signed(-4, 4), draw.integers(-40, 41))
    yield "roots", (draw.magnitude(-100, 100), 1 / draw.integers(-12, 13).clip(1, None))


def angles(draw: Draw) -> Iterator[tuple[str, tuple[np.ndarray, np.ndarray]]]:
    """Yields points in all quadrants, near the axes and near the diagonals."""
    normal = draw.rng.standard_normal
    yield "normal", (normal(draw.count), normal(draw.count))
    second = draw.signed(-20, 20)
    yield "near the axes", (second * draw.signed(-60, 60), second)
    yield "near the diagonals", (second * (1 + draw.signed(-60, -2)), second)
    exponent_range = draw.limits.maxexp - draw.limits.minexp - 4
    second = draw.signed(draw.limits.maxexp - 4, draw.limits.maxexp)
    yield (
        "subnormal results",
        (second * draw.magnitude(-exponent_range, 12 - exponent_range), second),
    )


def sums_of_exponentials(draw: Draw) -> Iterator[tuple[str, tuple[np.ndarray, np.ndarray]]]:
    """Yields close arguments, and sums near 1, whose logarithm is near 0."""
    first = draw.uniform(-100, 100)
    yield "close", (first, first + draw.signed(-30, 3))
    first = -draw.magnitude(-20, 4).astype(draw.dtype).astype(np.longdouble)
    yield "sums near 1", (first, np.log(-np.expm1(first)))


def sums_of_powers_of_2(draw: Draw) -> Iterator[tuple[str, tuple[np.ndarray, np.ndarray]]]:
    """Yields arguments like those of `sums_of_exponentials`."""
    log_2 = np.log(np.longdouble(2))
    for label, (first, second) in sums_of_exponentials(draw):
        first = (first / log_2).astype(draw.dtype).astype(np.longdouble)
        near_1 = np.log(-np.expm1(first * log_2)) / log_2 if label == "sums near 1" else None
        yield label, (first, second / log_2 if near_1 is None else near_1)


def lengths(draw: Draw) -> Iterator[tuple[str, tuple[np.ndarray, np.ndarray]]]:
    """Yields sides of right triangles whose hypotenuse is subnormal: it is rounded twice."""
    bits = draw.limits.nmant
    greater = draw.integers(1 << (bits - 1), 1 << bits) * np.longdouble(
        draw.limits.smallest_subnormal
    )
    yield "subnormal results", (greater, greater * draw.magnitude(-bits, 0))


PAIRS: dict[str, Callable[[Draw], Iterator[tuple[str, tuple[np.ndarray, np.ndarray]]]]] = {
    "pow": powers,
    "atan2": angles,
    "hypot": lengths,
    "logaddexp": sums_of_exponentials,
    "logaddexp2": sums_of_powers_of_2,
}


def binary(name: str, draw: Draw) -> Ranges:
    """Yields ranges for a real function of two arguments."""
    special_pairs = PAIRS[name](draw) if name in PAIRS else ()
    for label, pair in itertools.chain(any_pair(draw), special_pairs):
        values = [np.asarray(x).astype(draw.dtype) for x in pair]
        finite = np.isfinite(values[0]) & np.isfinite(values[1])
        yield label, tuple(x[finite] for x in values)


def points(draw: Draw) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Yields real and imaginary parts by range."""
    bits, limits = draw.limits.nmant + 1, draw.limits
    yield "[-3, 3]", draw.uniform(-3, 3), draw.uniform(-3, 3)
    yield "[-20, 20]", draw.uniform(-20, 20), draw.uniform(-20, 20)
    yield "near 0", draw.signed(-bits, 0), draw.signed(-bits, 0)
    offsets = draw.signed(-bits, -1), draw.signed(-bits, -1)
    yield "near 1 and -1", draw.sign() + offsets[0], offsets[1]
    yield "near i and -i", offsets[0], draw.sign() + offsets[1]
    angle = draw.uniform(-np.pi, np.pi)
    yield "near the unit circle", np.cos(angle), np.sin(angle)
    yield "near the circle about -1", np.cos(angle) - 1, np.sin(angle)
    yield "near the real axis", draw.uniform(-10, 10), draw.signed(-3 * bits, 0)
    yield "near the imaginary axis", draw.signed(-3 * bits, 0), draw.uniform(-10, 10)
    yield (
        "at overflow of exp",
        draw.sign() * (draw.log_max + draw.uniform(-3, 3)),
        draw.uniform(-9, 9),
    )
    yield "to 1e5", draw.uniform(-20, 20), draw.uniform(-1e5, 1e5)
    half = limits.maxexp // 2
    yield (
        "around the root of the greatest",
        draw.signed(half - 3, half + 3),
        draw.signed(half - 3, half + 3),
    )
    yield (
        "around the root of the least",
        draw.signed(-half - 3, 3 - half),
        draw.signed(-half - 3, 3 - half),
    )
    yield "greatest", *(draw.signed(limits.maxexp - 4, limits.maxexp) for _ in range(2))
    least = limits.minexp - limits.nmant
    yield "all magnitudes", *(draw.signed(least, limits.maxexp) for _ in range(2))


def complex_of(real: np.ndarray, imaginary: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Returns complex numbers from their parts, which are clipped to the range of the dtype."""
    part = np.finfo(dtype).dtype
    most = np.finfo(part).max
    values = np.empty(len(real), dtype)
    values.real = np.clip(real, -most, most).astype(part)
    values.imag = np.clip(imaginary, -most, most).astype(part)
    return values


def is_covered(name: str, args: Arguments) -> np.ndarray:
    """Returns whether the documented error bound applies.

    It does not if products of parts overflow, or if the angle x2 log(x1) of a power is so large that its own digits are
    lost.
    """
    wide = [x.astype(np.clongdouble) for x in args]
    if name == "multiply":
        size = [np.maximum(np.abs(x.real), np.abs(x.imag)) for x in wide]
        return size[0] * size[1] < np.finfo(args[0].dtype).max
    if name == "pow":
        most = 2.0**17 if args[0].dtype == np.complex128 else 2.0**29
        return np.abs(wide[1] * np.log(wide[0])) < most
    return np.ones(len(args[0]), bool)


def complex_pairs(name: str, dtype: np.dtype, draw: Draw) -> Ranges:
    """Yields each range combined with itself and with ordinary numbers, and powers with large angles."""
    if name == "pow":
        exponent, angle = draw.magnitude(0, 30), draw.uniform(-np.pi, np.pi)
        modulus = np.exp(draw.uniform(draw.log_tiny, draw.log_max) / exponent)
        base = complex_of(modulus * np.cos(angle), modulus * np.sin(angle), dtype)
        yield "large angles", (base, complex_of(exponent, draw.uniform(-1, 1), dtype))
    for label, real, imaginary in points(draw):
        first = complex_of(real, imaginary, dtype)
        yield label, (first, draw.rng.permutation(first))
        other = complex_of(draw.uniform(-5, 5), draw.uniform(-5, 5), dtype)
        yield f"{label}; [-5, 5]", (first, other)


def ranges(name: str, arity: int, dtype: np.dtype, count: int) -> Ranges:
    """Yields all ranges of a function, each with up to about `count` arguments, the same in every run."""
    draw = Draw(np.dtype(np.finfo(dtype).dtype), count, [*name.encode(), dtype.itemsize])
    if dtype.kind == "f":
        yield from unary(draw) if arity == 1 else binary(name, draw)
    elif arity == 1:
        for label, real, imaginary in points(draw):
            yield label, (complex_of(real, imaginary, dtype),)
    else:
        for label, args in complex_pairs(name, dtype, draw):
            covered = is_covered(name, args)
            if covered.any():
                yield label, tuple(x[covered] for x in args)
