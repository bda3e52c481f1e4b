# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Real special cases, transcribed from the array API standard 2025.12.

Functions of one argument list arguments and results. Those of two arguments have rules over classes of numbers, as in
the text: (first arguments, second arguments, expected). The expectation may be a function of both.
"""

import math
import operator

inf, nan, pi = math.inf, math.nan, math.pi

UNARY = {
    "abs": [(nan, nan), (-0.0, 0.0), (inf, inf), (-inf, inf)],
    "acos": [(nan, nan), (1.5, nan), (-1.5, nan), (1.0, 0.0), (inf, nan)],
    "acosh": [(nan, nan), (0.5, nan), (-3.0, nan), (1.0, 0.0), (inf, inf)],
    "angle": [(nan, nan), (0.0, 0.0), (-0.0, pi), (inf, 0.0), (-inf, pi), (-2.0, pi)],
    "asin": [(nan, nan), (1.5, nan), (-1.5, nan), (0.0, 0.0), (-0.0, -0.0)],
    "asinh": [(nan, nan), (0.0, 0.0), (-0.0, -0.0), (inf, inf), (-inf, -inf)],
    "atan": [(nan, nan), (0.0, 0.0), (-0.0, -0.0), (inf, pi / 2), (-inf, -pi / 2)],
    "atanh": [
        (nan, nan),
        (-1.5, nan),
        (1.5, nan),
        (-1.0, -inf),
        (1.0, inf),
        (0.0, 0.0),
        (-0.0, -0.0),
    ],
    "ceil": [
        (nan, nan),
        (0.0, 0.0),
        (-0.0, -0.0),
        (inf, inf),
        (-inf, -inf),
        (-0.5, -0.0),
        (2.0, 2.0),
    ],
    "cos": [(nan, nan), (0.0, 1.0), (-0.0, 1.0), (inf, nan), (-inf, nan)],
    "cosh": [(nan, nan), (0.0, 1.0), (-0.0, 1.0), (inf, inf), (-inf, inf)],
    "exp": [(nan, nan), (0.0, 1.0), (-0.0, 1.0), (inf, inf), (-inf, 0.0)],
    "exp2": [(nan, nan), (0.0, 1.0), (-0.0, 1.0), (inf, inf), (-inf, 0.0), (3.0, 8.0), (-1.0, 0.5)],
    "expm1": [(nan, nan), (0.0, 0.0), (-0.0, -0.0), (inf, inf), (-inf, -1.0)],
    "deg2rad": [(nan, nan), (-0.0, -0.0), (inf, inf), (-inf, -inf)],
    "rad2deg": [(nan, nan), (-0.0, -0.0), (inf, inf), (-inf, -inf)],
    "fabs": [(nan, nan), (-0.0, 0.0), (inf, inf), (-inf, inf), (-1.5, 1.5)],
    "floor": [
        (nan, nan),
        (0.0, 0.0),
        (-0.0, -0.0),
        (inf, inf),
        (-inf, -inf),
        (0.5, 0.0),
        (-2.0, -2.0),
    ],
    "log": [(nan, nan), (-1.0, nan), (0.0, -inf), (-0.0, -inf), (1.0, 0.0), (inf, inf)],
    "log1p": [(nan, nan), (-2.0, nan), (-1.0, -inf), (-0.0, -0.0), (0.0, 0.0), (inf, inf)],
    "log2": [(nan, nan), (-1.0, nan), (0.0, -inf), (-0.0, -inf), (1.0, 0.0), (inf, inf)],
    "log10": [(nan, nan), (-1.0, nan), (0.0, -inf), (-0.0, -inf), (1.0, 0.0), (inf, inf)],
    "negative": [(0.0, -0.0), (-0.0, 0.0), (inf, -inf), (nan, nan)],
    "positive": [(0.0, 0.0), (-0.0, -0.0), (nan, nan)],
    "reciprocal": [(nan, nan), (0.0, inf), (-0.0, -inf), (inf, 0.0), (-inf, -0.0)],
    "round": [
        (nan, nan),
        (0.0, 0.0),
        (-0.0, -0.0),
        (0.5, 0.0),
        (1.5, 2.0),
        (2.5, 2.0),
        (-0.5, -0.0),
        (-1.5, -2.0),
        (inf, inf),
        (-inf, -inf),
    ],
    "sign": [(nan, nan), (0.0, 0.0), (-3.0, -1.0), (inf, 1.0), (-inf, -1.0)],
    "sin": [(nan, nan), (0.0, 0.0), (-0.0, -0.0), (inf, nan), (-inf, nan)],
    "sinh": [(nan, nan), (0.0, 0.0), (-0.0, -0.0), (inf, inf), (-inf, -inf)],
    "sqrt": [(nan, nan), (-1.0, nan), (0.0, 0.0), (-0.0, -0.0), (inf, inf)],
    "square": [(nan, nan), (-0.0, 0.0), (-inf, inf)],
    "tan": [(nan, nan), (0.0, 0.0), (-0.0, -0.0), (inf, nan), (-inf, nan)],
    "tanh": [(nan, nan), (0.0, 0.0), (-0.0, -0.0), (inf, 1.0), (-inf, -1.0)],
    "trunc": [(nan, nan), (0.0, 0.0), (-0.0, -0.0), (inf, inf), (-0.9, -0.0), (0.9, 0.0)],
}

ZEROS = [0.0, -0.0]
POSITIVE = [0.25, 1.0, 3.0, 1e30]
NEGATIVE = [-0.25, -1.0, -3.0, -1e30]
NONZERO = [*POSITIVE, *NEGATIVE]
FINITE = [*ZEROS, *NONZERO]
INFINITE = [inf, -inf]
NUMBERS = [*FINITE, *INFINITE]
ALL = [*NUMBERS, nan]
NANS = [([nan], ALL, nan), (ALL, [nan], nan)]
POWER_SMALL = [0.25, -0.25, 0.0, -0.0]
POWER_LARGE = [2.0, -2.0, 1e30, inf, -inf]
ODD, EVEN_OR_FRACTION = [1.0, 3.0, 5.0], [2.0, 4.0, 0.5, 2.5, inf]


def first(x1, _):
    return x1


def second(_, x2):
    return x2


def minus(values):
    return [-value for value in values]


def signed(magnitude):
    """Return the rule for a magnitude with the sign of the product of the operands."""
    return lambda x1, x2: math.copysign(magnitude, math.copysign(1, x1) * math.copysign(1, x2))


# The cases of divide. floor_divide has the same ones, where Python's // differs.
QUOTIENT = [
    *NANS,
    (INFINITE, INFINITE, nan),
    (ZEROS, ZEROS, nan),
    (ZEROS, NONZERO, signed(0.0)),
    (NONZERO, ZEROS, signed(inf)),
    (INFINITE, NONZERO, signed(inf)),
    (NONZERO, INFINITE, signed(0.0)),
]

BINARY = {
    "add": [
        *NANS,
        ([inf], [-inf], nan),
        ([-inf], [inf], nan),
        (INFINITE, FINITE, first),
        (FINITE, INFINITE, second),
        ([inf], [inf], inf),
        ([-inf], [-inf], -inf),
        ([-0.0], [-0.0], -0.0),
        ([-0.0], [0.0], 0.0),
        ([0.0], ZEROS, 0.0),
        (ZEROS, NONZERO, second),
        (NONZERO, ZEROS, first),
        *(([x], [-x], 0.0) for x in NONZERO),
    ],
    "atan2": [
        *NANS,
        (POSITIVE, ZEROS, pi / 2),
        ([0.0], [*POSITIVE, 0.0], 0.0),
        ([0.0], [*NEGATIVE, -0.0], pi),
        ([-0.0], [*POSITIVE, 0.0], -0.0),
        ([-0.0], [*NEGATIVE, -0.0], -pi),
        (NEGATIVE, ZEROS, -pi / 2),
        (POSITIVE, [inf], 0.0),
        (POSITIVE, [-inf], pi),
        (NEGATIVE, [inf], -0.0),
        (NEGATIVE, [-inf], -pi),
        ([inf], FINITE, pi / 2),
        ([-inf], FINITE, -pi / 2),
        ([inf], [inf], pi / 4),
        ([inf], [-inf], 3 * pi / 4),
        ([-inf], [inf], -pi / 4),
        ([-inf], [-inf], -3 * pi / 4),
    ],
    "copysign": [
        (NUMBERS, [*NEGATIVE, -0.0, -inf], lambda x1, _: -abs(x1)),
        (NUMBERS, [*POSITIVE, 0.0, inf], lambda x1, _: abs(x1)),
    ],
    "divide": QUOTIENT,
    "floor_divide": [
        *QUOTIENT,
        ([7.0], [2.0], 3.0),
        ([-7.0], [2.0], -4.0),
        ([7.0], [-2.0], -4.0),
        ([-7.0], [-2.0], 3.0),
    ],
    "hypot": [
        (INFINITE, ALL, inf),
        (ALL, INFINITE, inf),
        (ZEROS, ALL[:-1], lambda _, x2: abs(x2)),
        (ALL[:-1], ZEROS, lambda x1, _: abs(x1)),
        ([*FINITE, nan], [nan], nan),
        ([nan], FINITE, nan),
        ([3e30], [4e30], 5e30),
        ([-3e-30], [4e-30], 5e-30),
    ],
    "logaddexp": [
        *NANS,
        ([inf], NUMBERS, inf),
        (NUMBERS, [inf], inf),
        ([-inf], [-inf], -inf),
        ([-inf], NONZERO, second),
    ],
    "fmax": [
        ([nan], ALL, second),
        (ALL, [nan], first),
        ([inf], ALL, inf),
        ([-inf], NUMBERS, second),
    ],
    "fmin": [
        ([nan], ALL, second),
        (ALL, [nan], first),
        ([-inf], ALL, -inf),
        ([inf], NUMBERS, second),
    ],
    "fmod": [
        *NANS,
        (INFINITE, ALL, nan),
        (ALL, ZEROS, nan),
        (FINITE, INFINITE, first),
        ([7.5], [2.0, -2.0], 1.5),
        ([-7.5], [2.0, -2.0], -1.5),
        ([-4.0], [2.0, -2.0], -0.0),
    ],
    "heaviside": [
        ([nan], ALL, nan),
        (ZEROS, ALL, second),
        ([*NEGATIVE, -inf], ALL, 0.0),
        ([*POSITIVE, inf], ALL, 1.0),
    ],
    "maximum": [*NANS, ([inf], NUMBERS, inf), ([-inf], NONZERO, second)],
    "minimum": [*NANS, ([-inf], NUMBERS, -inf), ([inf], NONZERO, second)],
    "multiply": [
        *NANS,
        (INFINITE, ZEROS, nan),
        (ZEROS, INFINITE, nan),
        (INFINITE, [*NONZERO, *INFINITE], signed(inf)),
        (NONZERO, INFINITE, signed(inf)),
        (ZEROS, FINITE, signed(0.0)),
        (FINITE, ZEROS, signed(0.0)),
    ],
    "nextafter": [*NANS, ([-0.0], [0.0], 0.0), ([0.0], [-0.0], -0.0), ([5.0], [5.0], 5.0)],
    "pow": [
        ([x for x in ALL if x != 1], [nan], nan),
        (ALL, ZEROS, 1.0),
        ([nan], [*NONZERO, *INFINITE], nan),
        (POWER_LARGE, [inf], inf),
        (POWER_LARGE, [-inf], 0.0),
        ([1.0, -1.0], INFINITE, 1.0),
        ([1.0], NUMBERS, 1.0),
        (POWER_SMALL, [inf], 0.0),
        (POWER_SMALL, [-inf], inf),
        ([inf], [*POSITIVE, inf], inf),
        ([inf], [*NEGATIVE, -inf], 0.0),
        ([-inf], ODD, -inf),
        ([-inf], EVEN_OR_FRACTION, inf),
        ([-inf], minus(ODD), -0.0),
        ([-inf], minus(EVEN_OR_FRACTION), 0.0),
        ([0.0], [*POSITIVE, inf], 0.0),
        ([0.0], [*NEGATIVE, -inf], inf),
        ([-0.0], ODD, -0.0),
        ([-0.0], EVEN_OR_FRACTION, 0.0),
        ([-0.0], minus(ODD), -inf),
        ([-0.0], minus(EVEN_OR_FRACTION), inf),
        ([-0.25, -3.0, -1e30], [0.5, -0.5, 2.5, -2.5, 1 / 3], nan),
        ([-2.0], [3.0], -8.0),
        ([-2.0], [-2.0], 0.25),
    ],
    "remainder": [
        *NANS,
        (INFINITE, NUMBERS, nan),
        (FINITE, ZEROS, nan),
        (ZEROS, POSITIVE, 0.0),
        (ZEROS, NEGATIVE, -0.0),
        (POSITIVE, [inf], first),
        (POSITIVE, [-inf], second),
        (NEGATIVE, [inf], second),
        (NEGATIVE, [-inf], first),
        ([7.0], [3.0], 1.0),
        ([-7.0], [3.0], 2.0),
        ([7.0], [-3.0], -2.0),
        ([-7.0], [-3.0], -1.0),
        ([6.0, -6.0], [3.0], 0.0),
        ([6.0, -6.0], [-3.0], -0.0),
    ],
    "subtract": [
        *NANS,
        ([inf], [inf], nan),
        ([-inf], [-inf], nan),
        ([inf], [-inf], inf),
        ([-inf], [inf], -inf),
        (INFINITE, FINITE, first),
        (FINITE, INFINITE, lambda _, x2: -x2),
        ([-0.0], [0.0], -0.0),
        ([0.0], ZEROS, 0.0),
        ([-0.0], [-0.0], 0.0),
        *(([x], [x], 0.0) for x in NONZERO),
    ],
}


def fitting(x, dtype):
    """Scale large numbers of the rules down for float16, whose largest is 65504."""
    return x * 1e-26 if dtype == "float16" and 1e29 < abs(x) < inf else x


def binary_cases(name, dtype):
    """List (x1, x2, expected)."""
    return [
        (x1, x2, want(x1, x2) if callable(want) else fitting(want, dtype))
        for left, right, want in BINARY[name]
        for x1 in (fitting(x, dtype) for x in left)
        for x2 in (fitting(x, dtype) for x in right)
    ]


OPERATORS = {
    "add": (operator.add, operator.iadd),
    "subtract": (operator.sub, operator.isub),
    "multiply": (operator.mul, operator.imul),
    "divide": (operator.truediv, operator.itruediv),
    "floor_divide": (operator.floordiv, operator.ifloordiv),
    "remainder": (operator.mod, operator.imod),
    "pow": (operator.pow, operator.ipow),
}

PREDICATES = {
    "isfinite": [(nan, False), (inf, False), (-inf, False), (1, True)],
    "isinf": [(nan, False), (inf, True), (-inf, True), (1, False)],
    "isnan": [(nan, True), (inf, False), (1, False)],
    "signbit": [
        (0.0, False),
        (-0.0, True),
        (inf, False),
        (-inf, True),
        (nan, False),
        (-nan, True),
        (-2, True),
    ],
}
