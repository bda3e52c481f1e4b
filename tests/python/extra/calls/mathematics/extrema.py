# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Calls of ``skerry._extra.mathematics.extrema``."""

import numpy as np
from extra_calls import A, R, call

NAN, INF = float("nan"), float("inf")
X = A([[1.0, NAN, 3.5], [NAN, NAN, NAN], [-2.0, 4.0, 0.5], [7.0, -1.0, NAN]])
SOME = A([[1.0, NAN, 3.5], [-2.0, 4.0, 0.5]])
F = SOME.astype("float32")
N = R((3, 4), "int32")
B = A([[True, False], [True, True]])

OVER = [{}, {"axis": 0}, {"axis": 1, "keepdims": True}, {"axis": (0, 1)}, {"axis": -1}]


def reductions(*more):
    calls = [call(x, **options) for x in (X, N, B) for options in OVER]
    return [*calls, call(F, axis=0), call(A(2.0)), call(A(NAN)), *more]


CALLS = {
    "nanmin": reductions(call(A([INF, NAN])), call(np.empty((0,)), _raises=ValueError)),
    "nanmax": reductions(call(A([-INF, NAN])), call(np.empty((0,)), _raises=ValueError)),
    **{
        name: [
            *(call(x, axis=axis) for x in (SOME, F, N, B) for axis in (None, 0, 1)),
            call(SOME, 1, keepdims=True),
            call(A([NAN, 1.0, infinity])),
            call(X, 1, _raises=ValueError),
            call(np.empty((0,)), _raises=ValueError),
        ]
        for name, infinity in (("nanargmin", INF), ("nanargmax", -INF))
    },
}
