# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Calls of ``skerry._extra.mathematics.special_functions``."""

import numpy as np

from tests.python.extra.extra_calls import A, R, call

INF, NAN = float("inf"), float("nan")
X = A([-1.5, 0.0, -0.0, 2.0, 0.3, -2.7, NAN, INF, -INF])
F, N = R((5,), "float32"), R((6,), "int32")
Z, E = R((4,), "complex128"), np.empty((0,))
CLOSE = {"_rtol": 1e-13, "_atol": 1e-15}
WIDE = A([0.0, 0.5, 1.0, 7.9, 8.0, 8.1, 30.0, -3.0, 100.0])
NOT_COMPLEX = call(Z, _raises=TypeError)

CALLS = {
    "sinc": [
        call(X[:6], **CLOSE),
        call(N, _rtol=1e-12, _atol=1e-15),
        call(Z, **CLOSE),
        call(F, _rtol=1e-6, _atol=1e-7),
        call(E),
        call(A(0.0)),
    ],
    "i0": [call(WIDE, **CLOSE), call(N[:3] % 9, **CLOSE), NOT_COMPLEX],
}
