# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Calls of ``skerry._extra.mathematics.rounding``."""

import numpy as np

from tests.python.extra.extra_calls import A, R, call

INF, NAN = float("inf"), float("nan")
X = A([0.5, 1.5, -2.25, 3.14159, 123.456, -0.0, NAN, INF, -INF])
F, N = R((5,), "float32"), R((5,), "int32")
Z = A([1 + 2j, -1, 2j, -1 - 1e-15j, 0])
B = A([True, False])
E = np.empty((0,))

CALLS = {
    "around": [
        *(call(x) for x in (X, F, Z, N, B, E)),
        *(call(x, d) for x in (X, Z, N) for d in (1, 2, -1, -2)),
        call(F, 2, _rtol=2e-7),
        call(A([15, 25, -35, 149]), decimals=-1),
        call(A([15, 25, -35, 127], "int8"), decimals=-4),
    ],
    "fix": [*(call(x) for x in (X, F, N, B, E)), call(Z, _raises=TypeError)],
}
