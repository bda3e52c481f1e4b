# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Calls of ``skerry._extra.logic.contents``."""

import numpy as np

from tests.python.extra.extra_calls import A, R, call

INF, NAN = float("inf"), float("nan")
X = A([0.5, 1.5, -2.25, 3.14159, 123.456, -0.0, NAN, INF, -INF])
F, N = R((5,), "float32"), R((5,), "int32")
Z = A([1 + 2j, -1, 2j, -1 - 1e-15j, 0])
B = A([True, False])
E, M = np.empty((0,)), R((2, 3))

CALLS = {
    **{
        name: [*(call(x) for x in (X, F, N, B, E)), call(Z, _raises=TypeError)]
        for name in ("isposinf", "isneginf")
    },
    **{name: [call(x) for x in (X, Z, N, B, E)] for name in ("isreal", "iscomplex")},
    **{
        name: [call(x) for x in (X, Z, N, B, E, 1j, 2.5, [1, 2j])]
        for name in ("isrealobj", "iscomplexobj")
    },
    "isfortran": [
        call(x)
        for x in (X, M, M.T, M.T.copy(), M[:, :1], M[::-1].T, M[:0], M[:, :, None].T, A(1.0))
    ],
}
