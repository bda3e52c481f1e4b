# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Calls of ``skerry._extra.mathematics.trigonometry``."""

import numpy as np

from tests.python.extra.extra_calls import A, R, call

INF, NAN = float("inf"), float("nan")
X = A([0.5, 1.5, -2.25, 3.14159, 123.456, -0.0, NAN, INF, -INF])
F, N = R((5,), "float32"), R((5,), "int32")
Z = A([1 + 2j, -1, 2j, -1 - 1e-15j, 0])
E = np.empty((0,))
ANGLES = [call(x, _rtol=1e-14) for x in (X, N, A(90.0), E)] + [
    call(F, _rtol=2e-7),
    call(Z, _raises=TypeError),
]
V, M, INTEGERS = R((6,)), R((3, 5)), R((3, 5), "int32")
SINGLE = R((3, 5), "float32")
CLOSE = {"_rtol": 1e-12, "_atol": 1e-13}

CALLS = {
    **dict.fromkeys(("deg2rad", "rad2deg", "radians", "degrees"), ANGLES),
    "unwrap": [
        call(V * 3, **CLOSE),
        call(M * 4, **CLOSE),
        call(M * 4, axis=0, **CLOSE),
        call(INTEGERS, period=7),
        call(INTEGERS, period=8),
        call(INTEGERS, **CLOSE),
        call(INTEGERS, period=2.5, **CLOSE),
        call(V * 3, 4.0, **CLOSE),
        call(SINGLE * 4, _rtol=1e-5, _atol=1e-5),
        call(A([0.0, 3.0, -3.0, 6.0]), period=6, **CLOSE),
    ],
}
