# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Calls of ``skerry._extra.mathematics.extrema``."""

import numpy as np

from tests.python.extra.calls.nan_arrays import BOOLS, INTEGERS, NAN, NANS, OVER, SOME_NANS_32
from tests.python.extra.extra_calls import A, R, call

INF = float("inf")
X = A([-1.5, 0.0, -0.0, 2.0, 0.3, -2.7, NAN, INF, -INF])
Y = A([1.0, 0.5, -2.0, NAN, 0.7, 2.0, 1.0, 3.0, 2.0])
F, N, B = R((5,), "float32"), R((6,), "int32"), A([True, False])
M = A([3, -2, 7, 5, -4, 1], "int32")


def reductions(*more):
    calls = [call(x, **options) for x in (NANS, INTEGERS, BOOLS) for options in OVER]
    return [*calls, call(SOME_NANS_32, axis=0), call(A(2.0)), call(A(NAN)), *more]


CALLS = {
    **{
        name: [
            call(X, Y),
            call(Y, X),
            call(X, 0.1),
            call(N, M),
            call(F, F[::-1].copy()),
            call(B, B),
        ]
        for name in ("fmax", "fmin")
    },
    "nanmin": reductions(call(A([INF, NAN])), call(np.empty((0,)), _raises=ValueError)),
    "nanmax": reductions(call(A([-INF, NAN])), call(np.empty((0,)), _raises=ValueError)),
}
