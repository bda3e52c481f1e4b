# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Calls of ``skerry._extra.mathematics.complex_numbers``."""

from tests.python.extra.extra_calls import A, R, call

INF, NAN = float("inf"), float("nan")
X = A([0.5, 1.5, -2.25, 3.14159, 123.456, -0.0, NAN, INF, -INF])
N = R((5,), "int32")
Z = A([1 + 2j, -1, 2j, -1 - 1e-15j, 0])
B = A([True, False])

CALLS = {
    "angle": [
        call(Z, _rtol=1e-15),
        call(Z, True, _rtol=1e-15),
        call(X[:5], _rtol=1e-15),
        call(N, deg=True, _rtol=1e-15),
        call(A([-3, 0, 5]), _rtol=1e-15),
        call(A([-3, 0, 5], "int8").astype("int64"), True, _rtol=1e-15),
        call(B.astype("int64"), _rtol=1e-15),
        call(Z.astype("complex64"), _rtol=1e-6),
    ],
    "real_if_close": [call(Z), call(X), call(A([1 + 1e-15j, 2])), call(A([1 + 0.1j]), tol=0.5)],
}
