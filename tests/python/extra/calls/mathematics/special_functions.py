# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Calls of ``skerry._extra.mathematics.special_functions``."""

import numpy as np
from extra_calls import A, R, call

INF, NAN = float("inf"), float("nan")
X = A([-1.5, 0.0, -0.0, 2.0, 0.3, -2.7, NAN, INF, -INF])
Y = A([1.0, 0.5, -2.0, NAN, 0.7, 2.0, 1.0, 3.0, 2.0])
F, N, B = R((5,), "float32"), R((6,), "int32"), A([True, False])
M = A([3, -2, 7, 5, -4, 1], "int32")
U = A([3, 250, 7], "uint8")
Z, E = R((4,), "complex128"), np.empty((0,))
CLOSE = {"_rtol": 1e-13, "_atol": 1e-15}
LONG = np.arange(300_000)
WIDE = A([0.0, 0.5, 1.0, 7.9, 8.0, 8.1, 30.0, -3.0, 100.0])
NOT_COMPLEX = call(Z, _raises=TypeError)

CALLS = {
    "heaviside": [
        call(X, 0.5),
        call(X, Y),
        call(N, 1.0, _dtype="float64"),
        call(F, F),
        call(Z, 1.0, _raises=TypeError),
    ],
    "sinc": [
        call(X[:6], **CLOSE),
        call(N, _rtol=1e-12, _atol=1e-15),
        call(Z, **CLOSE),
        call(F, _rtol=1e-6, _atol=1e-7),
        call(E),
        call(A(0.0)),
    ],
    "i0": [call(WIDE, **CLOSE), call(N[:3] % 9, **CLOSE), NOT_COMPLEX],
    "fmod": [
        call(X, 0.7),
        call(X, -0.7),
        call(X, Y),
        call(N, M),
        call(N, 7),
        call(U, 7),
        call(F, 0.5),
    ],
    "divmod": [
        call(X[:6], 0.7),
        call(N, M),
        call(U, 7),
        call(F, -0.5),
        call(LONG[::2], 7 - LONG[::-2] % 3),
    ],
    "modf": [call(X), call(F), call(N), call(M), call(A(2.75)), NOT_COMPLEX],
    "fabs": [call(X), call(F), call(A([-3, 2])), NOT_COMPLEX],
    "exp2": [call(X, _rtol=1e-14), call(F, _rtol=1e-6), call(A([-3, 2]), _rtol=1e-14)],
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
}
