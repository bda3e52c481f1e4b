# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Calls of ``skerry._extra.polynomials.evaluation``."""

from tests.python.extra.extra_calls import A, R, call

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
}
