# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Calls of ``skerry._extra.statistics.averages``."""

import numpy as np
from extra_calls import A, R, call

NAN, INF = float("nan"), float("inf")
X = A([[1.0, NAN, 3.5], [NAN, NAN, NAN], [-2.0, 4.0, 0.5], [7.0, -1.0, NAN]])
SOME = A([[1.0, NAN, 3.5], [-2.0, 4.0, 0.5]])
F = SOME.astype("float32")
Z = A([[1 + 2j, NAN, 3j], [2, 1j, complex(NAN, 1)]])
N = R((3, 4), "int32")
B = A([[True, False], [True, True]])
ENDS = A([1.0, NAN, INF, -INF, -0.0])

OVER = [{}, {"axis": 0}, {"axis": 1, "keepdims": True}, {"axis": (0, 1)}, {"axis": -1}]


def reductions(*more, rtol=1e-14):
    arrays = [X, Z, N, B]
    calls = [call(x, _rtol=rtol, **options) for x in arrays for options in OVER]
    calls += [call(F, _rtol=1e-6, axis=0), call(A(2.0), _rtol=rtol), call(A(NAN), _rtol=rtol)]
    return [*calls, *more]


WITH_DTYPE = [
    call(X, 0, "float32", _rtol=1e-6),
    call(np.empty((0, 3)), axis=0),
    call(np.empty((0, 3)), axis=1),
]
DEVIATIONS = [
    call(X, 1, None, _rtol=1e-14, ddof=1),
    call(X, axis=0, _rtol=1e-14, correction=2),
    call(X, axis=0, _rtol=1e-14, mean=np.nanmean(X, axis=0, keepdims=True)),
    call(N, axis=1, _rtol=1e-14, ddof=1),
]
CALLS = {
    "nan_to_num": [
        *(call(x) for x in (X, F, Z, N, B, ENDS, ENDS.astype("float32"), A(NAN))),
        call(A([complex(INF, NAN), complex(1, -INF)]), _rtol=1e-15),
        call(ENDS, nan=2.5, posinf=1e3, neginf=-1e3),
        call(ENDS, True, 1.0, 5),
        call(ENDS, copy=False),
        call(N, copy=False),
    ],
    "nansum": reductions(*WITH_DTYPE),
    "nanprod": reductions(*WITH_DTYPE),
    "nanmean": reductions(*WITH_DTYPE, call(N, dtype="int64", _raises=TypeError)),
    "nanvar": reductions(*DEVIATIONS),
    "nanstd": reductions(*DEVIATIONS),
    **{
        name: [
            *(call(x, axis, _rtol=1e-14) for x in (X, Z, N) for axis in (None, 0, 1)),
            call(X, 1, "float32", _rtol=1e-6),
            call(np.empty((0,))),
        ]
        for name in ("nancumsum", "nancumprod")
    },
}
