# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Calls of ``skerry._extra.statistics.correlating``."""

import numpy as np

from tests.python.extra.calls.mathematics.miscellaneous import PAIRS
from tests.python.extra.extra_calls import A, R, call

X, Y = R((3, 5)), R((2, 5), seed=1)
F, N, Z = R((3, 5), "float32"), R((3, 5), "int32"), R((2, 5), "complex128")
V, W = R((5,)), A([1, 2, 0, 3, 1])
P = A([0.5, 1.5, 1.0, 0.25, 2.0])
T = R((2, 3, 4))
CLOSE = {"_rtol": 1e-12, "_atol": 1e-14}

CALLS = {
    "cov": [
        *(call(x, **CLOSE) for x in (X, F, N, Z, V)),
        call(X, Y, **CLOSE),
        call(V, W, **CLOSE),
        call(X.T, rowvar=False, **CLOSE),
        call(X, bias=True, **CLOSE),
        call(X, ddof=2, **CLOSE),
        call(X, fweights=W, **CLOSE),
        call(X, aweights=P, **CLOSE),
        call(X, None, True, True, None, W, P, **CLOSE),
        call(Z, fweights=W, aweights=P, **CLOSE),
        call(X, dtype="float32", _rtol=1e-4, _atol=1e-6),
        call(np.empty((0, 4)), **CLOSE),
        call(A([[1.0], [2.0]])),
        call(T, _raises=ValueError),
        call(X, fweights=P, _raises=TypeError),
        call(X, fweights=W[:2], _raises=ValueError),
        call(X, ddof=0.5, _raises=ValueError),
    ],
    "corrcoef": [
        *(call(x, **CLOSE) for x in (X, F, N, Z, V)),
        call(X, Y, **CLOSE),
        call(X.T, None, False, **CLOSE),
        call(X, dtype="float32", _rtol=1e-4, _atol=1e-6),
    ],
    "correlate": PAIRS,
}
