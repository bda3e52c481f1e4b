# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Calls of ``skerry._extra.mathematics.arithmetic``."""

import numpy as np

from tests.python.extra.extra_calls import A, R, call

INF, NAN = float("inf"), float("nan")
X = A([-1.5, 0.0, -0.0, 2.0, 0.3, -2.7, NAN, INF, -INF])
Y = A([1.0, 0.5, -2.0, NAN, 0.7, 2.0, 1.0, 3.0, 2.0])
F, N = R((5,), "float32"), R((6,), "int32")
M = A([3, -2, 7, 5, -4, 1], "int32")
U = A([3, 250, 7], "uint8")
Z = R((4,), "complex128")
LONG = np.arange(300_000)
NOT_COMPLEX = call(Z, _raises=TypeError)

CALLS = {
    "fmod": [
        call(X, 0.7),
        call(X, -0.7),
        call(X, Y),
        call(N, M),
        call(N, 7),
        call(U, 7),
        call(F, 0.5),
    ],
    "float_power": [
        call(X, Y, _rtol=1e-14),
        call(A([-8.0, 2.0]), A(1.0 / 3), _rtol=1e-14),
        call(N, M, _rtol=1e-14),
        call(N, -2, _rtol=1e-14),
        call(F, 2.5, _rtol=1e-14),
        call(3, M, _rtol=1e-14),
        call(Z, 2, _rtol=1e-13),
        call(R((4,), "complex64"), M[:4], _rtol=1e-13),
        call(A([True, False]), A([2, 3], "int8")),
        call(A([2, 3], "uint64"), A([2, -1], "int8")),
        call(A([2, -3], "int8"), A([2, 3], "uint64")),
        call(U, -2, _rtol=1e-14),
        call(U, 300.5, _rtol=1e-14),
    ],
    "divmod": [
        call(X[:6], 0.7),
        call(N, M),
        call(U, 7),
        call(F, -0.5),
        call(LONG[::2], 7 - LONG[::-2] % 3),
    ],
    "modf": [call(X), call(F), call(N), call(M), call(A(2.75)), NOT_COMPLEX],
}
