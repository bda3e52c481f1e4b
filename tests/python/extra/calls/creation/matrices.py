# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Calls of ``skerry._extra.creation.matrices``."""

import numpy as np

from tests.python.extra.extra_calls import A, R, call

V, M, K = R((3,)), R((3, 4), "complex64"), R((3,), "int32")
B, E, T = A([True, False]), np.empty((0,)), R((2, 3, 4))
CLOSE = {"_rtol": 1e-13}

CALLS = {
    "diag": [
        *(call(V, k) for k in (-2, -1, 0, 1)),
        *(call(M, k) for k in (-1, 0, 2, 9)),
        *(call(x) for x in (K, B, E)),
        call(T, _raises=ValueError),
        call(A(1.0), _raises=ValueError),
    ],
    "diagflat": [call(V), call(M, 1), call(T, -2), call(A(3.0)), call(B), call(E)],
    "identity": [call(3), call(2, int), call(0), call(2, dtype="complex64")],
    "tri": [
        call(3),
        call(2, 4, 1),
        call(4, 2, k=-1),
        call(3, dtype="int8"),
        call(3, dtype=bool),
        call(0),
    ],
    "vander": [
        call(V, **CLOSE),
        call(V, 5, **CLOSE),
        call(K),
        call(K, 3, True),
        call(V, 2, increasing=True),
        call(V, 0),
        call(V, 1),
        call(E),
        call(R((3,), "complex128"), **CLOSE),
        call(M, _raises=ValueError),
    ],
}
