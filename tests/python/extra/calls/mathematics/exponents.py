# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Calls of ``skerry._extra.mathematics.exponents``."""

from tests.python.extra.extra_calls import A, R, call

INF, NAN = float("inf"), float("nan")
X = A([-1.5, 0.0, -0.0, 2.0, 0.3, -2.7, NAN, INF, -INF])
F = R((5,), "float32")

CALLS = {
    "exp2": [call(X, _rtol=1e-14), call(F, _rtol=1e-6), call(A([-3, 2]), _rtol=1e-14)],
}
