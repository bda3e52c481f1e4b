# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Calls of ``skerry._extra.polynomials.calculus``."""

from tests.python.extra.extra_calls import A, R, call

P = [
    *(A([1, 2, 3], dtype) for dtype in ("int64", "uint8", "float32", "float64", "complex64")),
    A([2.0, 0, 1, -3.5])[::-1],
    A([7]),
    A([True, True]),
    R((0,)),
]
CLOSE = {"_rtol": 1e-14}
RAISES = [call(P[0], -1, _raises=ValueError), call(R((2, 2)), _raises=ValueError)]

CALLS = {
    "polyder": [*(call(p, m, **CLOSE) for p in P for m in (0, 1, 2, 5)), call([1, 2, 3]), *RAISES],
    "polyint": [
        *(call(p, m, **CLOSE) for p in P for m in (0, 1, 2, 5)),
        *(call(P[3], 2, k, **CLOSE) for k in (3, [3], [3, 4], [3, 4, 5], 2j, A([1.5, 2]))),
        call([1, 2, 3], k=1),
        call(P[3], 3, [1, 2], _raises=ValueError),
        *RAISES,
    ],
}
