# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Complex special cases, transcribed from the array API standard 2025.12 as rules over classes of numbers.

A rule is (real parts, imaginary parts, expected (real, imag)); the expectation may be a function of the two parts.
``ANY`` is an unspecified part, ``Unsigned(v)`` is v with an unspecified sign. :func:`cases` adds conjugate arguments, and
negated ones of odd and even functions.
"""

import dataclasses
import math

inf, nan, pi = math.inf, math.nan, math.pi
ANY = None


@dataclasses.dataclass(frozen=True)
class Unsigned:
    value: float


NAN_NAN = (nan, nan)
ZEROS = [0.0, -0.0]
POSITIVE = [0.25, 1.0, 2.0, 4.0, 5.5, 1e30]
NONZERO = [*POSITIVE, -0.5, -3.0, -1e30]
FINITE = [*ZEROS, *NONZERO]
INFINITE = [inf, -inf]


def cis(scale, shift=0.0):
    """Return the rule ``scale * cis(b) + shift``. With scale 0 or inf, only the signs of cos and sin matter."""

    def parts(_, b):
        imag = math.copysign(0.0, b) if b == 0 else scale * math.sin(b)
        real = scale * math.cos(b)
        return real + shift if shift else real, imag

    return parts


RULES = {
    "acos": [
        (ZEROS, [0.0], (pi / 2, -0.0)),
        (ZEROS, [nan], (pi / 2, nan)),
        (FINITE, [inf], (pi / 2, -inf)),
        (NONZERO, [nan], NAN_NAN),
        ([-inf], POSITIVE, (pi, -inf)),
        ([inf], POSITIVE, (0.0, -inf)),
        ([-inf], [inf], (3 * pi / 4, -inf)),
        ([inf], [inf], (pi / 4, -inf)),
        (INFINITE, [nan], (nan, Unsigned(inf))),
        ([nan], FINITE, NAN_NAN),
        ([nan], [inf], (nan, -inf)),
        ([nan], [nan], NAN_NAN),
    ],
    "acosh": [
        (ZEROS, [0.0], (0.0, pi / 2)),
        (FINITE, [inf], (inf, pi / 2)),
        (NONZERO, [nan], NAN_NAN),
        ([0.0], [nan], (nan, Unsigned(pi / 2))),
        ([-inf], POSITIVE, (inf, pi)),
        ([inf], POSITIVE, (inf, 0.0)),
        ([-inf], [inf], (inf, 3 * pi / 4)),
        ([inf], [inf], (inf, pi / 4)),
        (INFINITE, [nan], (inf, nan)),
        ([nan], FINITE, NAN_NAN),
        ([nan], [inf], (inf, nan)),
        ([nan], [nan], NAN_NAN),
    ],
    "asinh": [
        ([0.0], [0.0], (0.0, 0.0)),
        (POSITIVE, [inf], (inf, pi / 2)),
        (FINITE, [nan], NAN_NAN),
        ([inf], POSITIVE, (inf, 0.0)),
        ([inf], [inf], (inf, pi / 4)),
        ([inf], [nan], (inf, nan)),
        ([nan], [0.0], (nan, 0.0)),
        ([nan], NONZERO, NAN_NAN),
        ([nan], [inf], (Unsigned(inf), nan)),
        ([nan], [nan], NAN_NAN),
    ],
    "atanh": [
        ([0.0], [0.0], (0.0, 0.0)),
        ([0.0], [nan], (0.0, nan)),
        ([1.0], [0.0], (inf, 0.0)),
        (POSITIVE, [inf], (0.0, pi / 2)),
        (NONZERO, [nan], NAN_NAN),
        ([inf], POSITIVE, (0.0, pi / 2)),
        ([inf], [inf], (0.0, pi / 2)),
        ([inf], [nan], (0.0, nan)),
        ([nan], FINITE, NAN_NAN),
        ([nan], [inf], (Unsigned(0.0), pi / 2)),
        ([nan], [nan], NAN_NAN),
    ],
    "cosh": [
        ([0.0], [0.0], (1.0, 0.0)),
        ([0.0], [inf, nan], (nan, Unsigned(0.0))),
        (NONZERO, [inf, nan], NAN_NAN),
        ([inf], [0.0], (inf, 0.0)),
        ([inf], NONZERO[:5], cis(inf)),
        ([inf], [inf], (Unsigned(inf), nan)),
        ([inf], [nan], (inf, nan)),
        ([nan], ZEROS, (nan, Unsigned(0.0))),
        ([nan], NONZERO, NAN_NAN),
        ([nan], [nan], NAN_NAN),
    ],
    # Signs that the text leaves open for exp and expm1 are those that the official suite expects.
    "exp": [
        (ZEROS, [0.0], (1.0, 0.0)),
        (FINITE, [inf, nan], NAN_NAN),
        ([inf], [0.0], (inf, 0.0)),
        ([-inf], FINITE[:7], cis(0.0)),
        ([inf], NONZERO[:5], cis(inf)),
        ([-inf], [inf, nan], (0.0, 0.0)),
        ([inf], [inf, nan], (inf, nan)),
        ([nan], [0.0], (nan, 0.0)),
        ([nan], [*NONZERO, inf], NAN_NAN),
        ([nan], [nan], NAN_NAN),
    ],
    "expm1": [
        (ZEROS, [0.0], (0.0, 0.0)),
        (FINITE, [inf, nan], NAN_NAN),
        ([inf], [0.0], (inf, 0.0)),
        ([-inf], FINITE[:7], cis(0.0, -1.0)),
        ([inf], NONZERO[:5], cis(inf, -1.0)),
        ([-inf], [inf, nan], (-1.0, 0.0)),
        ([inf], [inf, nan], (inf, nan)),
        ([nan], [0.0], (nan, 0.0)),
        ([nan], [*NONZERO, inf], NAN_NAN),
        ([nan], [nan], NAN_NAN),
    ],
    "log": [
        ([-0.0], [0.0], (-inf, pi)),
        ([0.0], [0.0], (-inf, 0.0)),
        (FINITE, [inf], (inf, pi / 2)),
        (FINITE, [nan], NAN_NAN),
        ([-inf], POSITIVE, (inf, pi)),
        ([inf], POSITIVE, (inf, 0.0)),
        ([-inf], [inf], (inf, 3 * pi / 4)),
        ([inf], [inf], (inf, pi / 4)),
        (INFINITE, [nan], (inf, nan)),
        ([nan], FINITE, NAN_NAN),
        ([nan], [inf], (inf, nan)),
        ([nan], [nan], NAN_NAN),
    ],
    "log1p": [
        ([-1.0], [0.0], (-inf, 0.0)),
        (FINITE, [inf], (inf, pi / 2)),
        (FINITE, [nan], NAN_NAN),
        ([-inf], POSITIVE, (inf, pi)),
        ([inf], POSITIVE, (inf, 0.0)),
        ([-inf], [inf], (inf, 3 * pi / 4)),
        ([inf], [inf], (inf, pi / 4)),
        (INFINITE, [nan], (inf, nan)),
        ([nan], FINITE, NAN_NAN),
        ([nan], [inf], (inf, nan)),
        ([nan], [nan], NAN_NAN),
    ],
    "sign": [
        (ZEROS, ZEROS, (0.0, 0.0)),
        ([nan], [*FINITE, *INFINITE, nan], NAN_NAN),
        ([*FINITE, *INFINITE], [nan], NAN_NAN),
        ([3.0], [4.0], (0.6, 0.8)),
        ([-3e30], [4e30], (-0.6, 0.8)),
        ([0.0], [1e-30], (0.0, 1.0)),
    ],
    "sinh": [
        ([0.0], [0.0], (0.0, 0.0)),
        ([0.0], [inf, nan], (Unsigned(0.0), nan)),
        (POSITIVE, [inf, nan], NAN_NAN),
        ([inf], [0.0], (inf, 0.0)),
        ([inf], POSITIVE[:5], cis(inf)),
        ([inf], [inf, nan], (Unsigned(inf), nan)),
        ([nan], [0.0], (nan, 0.0)),
        ([nan], NONZERO, NAN_NAN),
        ([nan], [nan], NAN_NAN),
    ],
    "sqrt": [
        (ZEROS, [0.0], (0.0, 0.0)),
        ([*FINITE, *INFINITE, nan], [inf], (inf, inf)),
        (FINITE, [nan], NAN_NAN),
        ([-inf], POSITIVE, (0.0, inf)),
        ([inf], POSITIVE, (inf, 0.0)),
        ([-inf], [nan], (nan, Unsigned(inf))),
        ([inf], [nan], (inf, nan)),
        ([nan], [*FINITE, nan], NAN_NAN),
    ],
    "tanh": [
        ([0.0], [0.0], (0.0, 0.0)),
        (NONZERO, [inf, nan], NAN_NAN),
        ([0.0], [inf, nan], (0.0, nan)),
        ([inf], POSITIVE, (1.0, 0.0)),
        ([inf], [inf, nan], (1.0, Unsigned(0.0))),
        ([nan], [0.0], (nan, 0.0)),
        ([nan], [*NONZERO, inf], NAN_NAN),
        ([nan], [nan], NAN_NAN),
    ],
}

# f(conj(z)) = conj(f(z)): stated for all of them except sign, whose zero has no signs to conjugate.
CONJUGATES = set(RULES) - {"sign"}
ODD = {"asinh", "atanh", "sinh", "tanh"}
EVEN = {"cosh"}


def negated(part):
    return part if part is ANY or isinstance(part, Unsigned) or part != part else -part


def cases(name):
    """List (z as a pair, expected pair) of a function, with the cases that symmetry adds."""
    listed = [
        ((a, b), want(a, b) if callable(want) else want)
        for reals, imags, want in RULES[name]
        for a in reals
        for b in imags
    ]
    if name in CONJUGATES:
        # NaN has no sign to conjugate: the rules for b = NaN apply unchanged.
        listed += [
            ((a, -b), (real, negated(imag))) for (a, b), (real, imag) in listed if not math.isnan(b)
        ]
    if name in ODD:
        listed += [
            ((-a, -b), (negated(real), negated(imag)))
            for (a, b), (real, imag) in listed
            if not (math.isnan(a) or math.isnan(b))
        ]
    if name in EVEN:
        listed += [
            ((-a, -b), want) for (a, b), want in listed if not (math.isnan(a) or math.isnan(b))
        ]
    return listed


def _rotated_cases(name):
    """Cases of f(z) = -1j * g(z * 1j) from those of g."""
    return [((b, -a), (imag, negated(real))) for (a, b), (real, imag) in cases(name)]


def _scaled(name, divisor):
    """Cases of f(z) = g(z) / divisor."""

    def part(value):
        return Unsigned(value.value / divisor) if isinstance(value, Unsigned) else value / divisor

    return [(z, (part(real), part(imag))) for z, (real, imag) in cases(name)]


def all_cases():
    """Return the cases of all functions: those of the table, and those that are defined by them."""
    return {
        **{name: cases(name) for name in RULES},
        "asin": _rotated_cases("asinh"),
        "atan": _rotated_cases("atanh"),
        "sin": _rotated_cases("sinh"),
        "tan": _rotated_cases("tanh"),
        "cos": [((b, -a), want) for (a, b), want in cases("cosh")],
        "log2": _scaled("log", math.log(2)),
        "log10": _scaled("log", math.log(10)),
    }
