# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Calls of ``skerry._extra.linear_algebra.products``."""

import numpy as np

from tests.python.extra.extra_calls import A, R, call

V, W = R((3,)), R((3,), seed=1)
M, N = R((2, 3)), R((3, 2), seed=1)
K, J = R((3,), "int32"), R((3,), "int64", 1)
Z, Y = R((2, 3), "complex128"), R((2, 3), "complex64", 1)
T, U = R((2, 3, 4)), R((5, 4, 2), seed=1)
B, C = A([True, False, True]), A([[True, True, False], [False, True, False]])
E = np.empty((0,))
CLOSE = {"_rtol": 1e-13}

CALLS = {
    "dot": [
        call(V, W, **CLOSE),
        call(M, N, **CLOSE),
        call(M, V, **CLOSE),
        call(V, N, **CLOSE),
        call(T, U, **CLOSE),
        call(T, R((4,)), **CLOSE),
        call(K, J),
        call(K, A(4, "int32")),
        call(V, 2.0),
        call(Z, N.astype("complex128"), **CLOSE),
        call(C, B),
        call(J, V.astype("float32"), _dtype="float32", _rtol=1e-5),
        call(E, E),
        call(M, M, _raises=ValueError),
    ],
    "inner": [
        call(V, W, **CLOSE),
        call(M, M[:1], **CLOSE),
        call(M, V, **CLOSE),
        call(K, J),
        call(Z, Y, _rtol=1e-6),
        call(C, B),
        call(T, R((2, 4)), **CLOSE),
        call(2.0, V),
        call(V, N, _raises=ValueError),
    ],
    "matvec": [
        call(M, V, **CLOSE),
        call(T, R((4,)), **CLOSE),
        call(T, R((2, 1, 4)), **CLOSE),
        call(N.astype("int64"), A([1, 2])),
        call(Z, V.astype("complex128"), **CLOSE),
        call(C, B),
        call(R((2, 0)), E),
        call(M, W[:2], _raises=ValueError),
        call(V, W, _raises=ValueError),
    ],
    "vecmat": [
        call(V, N, **CLOSE),
        call(R((2, 3)), T, **CLOSE),
        call(J, N.astype("int64")),
        call(Z, N.astype("complex128"), **CLOSE),
        call(B, C.T),
        call(E, R((0, 2))),
        call(V, M, _raises=ValueError),
        call(V, W, _raises=ValueError),
    ],
    "vdot": [
        call(V, W, **CLOSE),
        call(Z, Y, _rtol=1e-6),
        call(M, N, **CLOSE),
        call(K, J),
        call(B, B),
        call(V, E, _raises=ValueError),
    ],
    "outer": [
        call(V, W),
        call(M, W),
        call(K, J),
        call(Z, V),
        call(B, C),
        call(E, V),
        call(V, 2.0),
        call(B, V),
    ],
    "kron": [
        call(V, W),
        call(M, N),
        call(V, M),
        call(T, V),
        call(K, J),
        call(B, C),
        call(Z, Y, _rtol=1e-14),
        call(V, 2.0),
        call(M, E),
    ],
}
