# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Calls of ``skerry._extra.sorting.searching``."""

import numpy as np

from tests.python.extra.calls.nan_arrays import BOOLS, INTEGERS, NAN, NANS, SOME_NANS, SOME_NANS_32
from tests.python.extra.extra_calls import A, R, call

V = A([3, 0, -1, 0, 7], "int32")
M = R((3, 4), "float32")
Z = A([[0, 1j], [2, 0]])
B = A([True, False, True])
S = A(2.0)
E = np.empty((0, 2))
ONE = M > 0
INF = float("inf")

CALLS = {
    "flatnonzero": [call(x) for x in (V, M, Z, B, S, E)],
    "argwhere": [call(x) for x in (V, M, Z, B, E, S, A(0))],
    "extract": [call(V > 0, V), call(ONE, M), call(A([[1, 0], [0, 2]]), Z), call([True, False], M)],
    **{
        name: [
            *(
                call(x, axis=axis)
                for x in (SOME_NANS, SOME_NANS_32, INTEGERS, BOOLS)
                for axis in (None, 0, 1)
            ),
            call(SOME_NANS, 1, keepdims=True),
            call(A([NAN, 1.0, infinity])),
            call(NANS, 1, _raises=ValueError),
            call(np.empty((0,)), _raises=ValueError),
        ]
        for name, infinity in (("nanargmin", INF), ("nanargmax", -INF))
    },
}
