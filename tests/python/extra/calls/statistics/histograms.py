# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Calls of ``skerry._extra.statistics.histograms``."""

import numpy as np
from skerry._extra.statistics._bin_edges import ESTIMATES

from tests.python.extra.extra_calls import A, R, call

NAN = float("nan")
X = R(1000, seed=1)
GRID = A([[i / 10 for i in range(50)], [i / 7 for i in range(50)]])
EDGES = A([-1.0, -0.5, 0.0, 0.75, 3.0])
INTEGERS = A([3, -2, 7, 7, 0, 1, 5, -2, 127], "int8")
WEIGHTS = A([0.5, 1, 2, 0, 3, 1, 1, 1, 1])
NUMBERS = A([0, 5, 1, 1, 3, 5, 5], "uint8")
POINTS = R((200, 3), seed=2)

WITH_NAN = A([NAN, 1.0, 9.0, -3.0, float("inf")])

CALLS = {
    "bincount": [
        call(NUMBERS),
        call([]),
        call([], minlength=3),
        call(NUMBERS, minlength=10),
        call(NUMBERS.astype("int64")[::-1], weights=A([1, 2, 3, 4, 5, 6, 7.5])),
        call(NUMBERS, A([1, 2, 3, 4, 5, 6, 7], "int32"), 9),
        call(A([True, False, True])),
        call(A([], "int64")),
        call(A([], "int64"), minlength=3),
        call(A([1, -1]), _raises=ValueError),
        call(A([1.0]), _raises=TypeError),
        call(A([[1]]), _raises=ValueError),
        call(A([1]), minlength=-1, _raises=ValueError),
        call(A([1]), A([1.0, 2.0]), _raises=ValueError),
        call(A([1 << 61]), _raises=(MemoryError, ValueError)),
    ],
    "digitize": [
        call(X, EDGES),
        call(GRID, EDGES, True),
        call(X, EDGES[::-1]),
        call(INTEGERS, [-2, 0, 7], right=True),
        call(INTEGERS, EDGES),
        call(A([NAN, 1.0]), EDGES),
        *(
            call(WITH_NAN, A(edges, dtype), right)
            for edges in ([1.0, 3, NAN], [NAN, 3.0, 1], [NAN, NAN, 1.0], [NAN])
            for dtype in ("float64", "float32", "float16")
            for right in (False, True)
        ),
        # NumPy takes these edges for decreasing ones.
        *(
            call(WITH_NAN, A(edges), _oracle=lambda x, bins: np.searchsorted(bins, x, "right"))
            for edges in ([1.0, NAN, NAN], [NAN, NAN])
        ),
        call(X, A([1.0, 0.0, 2.0]), _raises=ValueError),
        call(X, A([1.0, NAN, 2.0]), _raises=ValueError),
        call(X, A([NAN, 1.0, 2.0]), _raises=ValueError),
    ],
    "histogram": [
        call(X),
        call(GRID, 49),
        call(GRID, 7, (0.5, 4)),
        call(GRID.astype("float32"), 49),
        call(R(500, "float16", seed=3), 20),
        call(X[::-3], bins=100, density=True, _rtol=1e-12),
        call(X, EDGES),
        call(X, [-1, 0, 1], density=True, _rtol=1e-12),
        call(INTEGERS),
        call(INTEGERS, 5, weights=WEIGHTS, _rtol=1e-12),
        call(INTEGERS, A([-5, 0, 1, 7]), weights=A(range(9))),
        call(INTEGERS, 3, (0, 7), True, WEIGHTS, _rtol=1e-12),
        call(A([True, False, True]), 2, _oracle=lambda a, bins: np.histogram(a.astype("u1"), bins)),
        call(A([]), 3),
        call(A([2.0, 2.0])),
        call(A([1.0, NAN]), 3, (0, 2)),
        call(A([1.0, NAN]), _raises=ValueError),
        call(X, 3, (2, 1), _raises=ValueError),
        call(X, 0, _raises=ValueError),
        call(X, 2.5, _raises=TypeError),
        call(X, [1, 0], _raises=ValueError),
        call(X, "other", _raises=ValueError),
        call(X, weights=WEIGHTS, _raises=ValueError),
        call(A([1j]), _raises=TypeError),
        *[call(X, name, _rtol=1e-12) for name in ESTIMATES],
    ],
    "histogram_bin_edges": [
        call(X),
        *[call(R(500, dtype, seed=4) * 0.3, 7) for dtype in ("float16", "float32", "float64")],
        call(INTEGERS, 9),
        call(A([], "float32"), 3),
        call(A([1.0, 1.0 + 2**-52]), 3, _raises=ValueError),
        call(A([-0.0, 5e-324]), 1),
        call(A([16777217.0, 16777217.0], "float32"), 4, _raises=ValueError),
        call(A([1 << 60, 7]), 6),
        call(GRID, 7, (0.5, 4)),
        call(INTEGERS, "auto"),
        call(X, EDGES),
        *[call(X, name, (-1, 2), _rtol=1e-12) for name in ESTIMATES],
    ],
    "histogramdd": [
        call(POINTS, 3),
        call(POINTS, [2, 3, 4], density=True, _rtol=1e-12),
        call((X, X * X), bins=(4, EDGES)),
        call(POINTS, 2, [(-1, 1), None, (0, 2)], weights=R(200, seed=5), _rtol=1e-12, _atol=1e-12),
        call(POINTS, [2, 3], _raises=ValueError),
    ],
    "histogram2d": [
        call(X, X * X),
        call(X, X * X, [3, 4]),
        call(X, X * X, EDGES),
        call(X, X * X, [EDGES, 5], [None, (0, 1)], density=True, _rtol=1e-12),
        call(X, X[:5], _raises=ValueError),
    ],
}
