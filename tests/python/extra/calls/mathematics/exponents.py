# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Calls of ``skerry._extra.mathematics.exponents``."""

from tests.python.extra.extra_calls import A, R, call

INF, NAN = float("inf"), float("nan")
X = A([-1.5, 0.0, -0.0, 2.0, 0.3, -2.7, NAN, INF, -INF])
F = R((5,), "float32")

CALLS = {
    "logaddexp2": [
        call(X, 0.7, _rtol=1e-14),
        call(X, X[::-1], _rtol=1e-14),
        call(A([1000.0, -1000.0, -3000.0]), A([1000.5, -1000.0, 0.25]), _rtol=1e-14),
        call(F, R((5,), "float32", 1), _rtol=1e-6),
        call(A([1, 2], "int64"), A([3, -1], "int64"), _rtol=1e-14),
        call(A([1, 2], "complex128"), A([3, -1], "complex128"), _raises=TypeError),
    ],
    "exp2": [call(X, _rtol=1e-14), call(F, _rtol=1e-6), call(A([-3, 2]), _rtol=1e-14)],
}
