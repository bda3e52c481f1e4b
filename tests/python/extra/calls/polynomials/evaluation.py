# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Calls of ``skerry._extra.polynomials.evaluation``."""

import numpy as np
from extra_calls import A, R, call

X, N, Z = A([-1.5, 0.0, 2.0, float("nan")]), R((3,), "int32"), R((4,), "complex128")
P = A([0.5, -1.0, 2.0])
CLOSE = {"_rtol": 1e-13, "_atol": 1e-15}

CALLS = {
    "polyval": [
        call(P, X),
        call(P, R((2, 3)), **CLOSE),
        call(A([3, 0, 1]), N.astype(int)),
        call([3, 0, 1], A([1, 2])),
        call(P, Z, **CLOSE),
        call(P, 2.0),
        call(R((2, 2)), X, _raises=ValueError),
    ],
    "polyfit": [
        call(R((9,)), R((9,), seed=1), 3, _rtol=1e-8, _atol=1e-10),
        call(R((9,)), R((9, 2), seed=1), 2, _rtol=1e-8, _atol=1e-10),
        call(R((9,)), R((9,), seed=1), 2, w=R((9,), seed=2, low=0.5), _rtol=1e-8, _atol=1e-10),
        call(np.arange(6), np.arange(6) ** 2, 2, _rtol=1e-8, _atol=1e-10),
        call(R((9,), "float32"), R((9,), "float32", 1), 1, _rtol=1e-5),
        call(R((9,)), R((9,), seed=1), -1, _raises=ValueError),
        call(R((2,)), R((2,), seed=1), 3, _raises=ValueError),
    ],
}
