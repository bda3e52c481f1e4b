# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Calls of ``skerry._extra.mathematics.floating_point``."""

import numpy as np

from tests.python.extra.extra_calls import A, R, call

INF, NAN = float("inf"), float("nan")
X = A([1.0, -3.0, 0.0, -0.0, INF, -INF, NAN, 5e-324, -2.3e-308, 1.7e308])
F = A([1.0, -3.0, 0.0, INF, NAN, 1e-45, 3e38], "float32")
H = A([1.0, -3.0, 0.0, INF, NAN, 6e-8, 65504.0, 0.1], "float16")
N = A([0, 1, -2, 100, -1074, -1075, 1023, 2000, -2000, -1022])
M = R((4, 6), "float64", 3)

CALLS = {
    "frexp": [
        call(X),
        call(F),
        call(H),
        call(M[::2, ::-1]),
        call(A([3, -5]), _oracle=lambda x: np.frexp(x.astype(float))),
        call(A(6.0)),
        call(A([], "float64")),
        call(A([1j]), _raises=TypeError),
    ],
    "ldexp": [
        call(X, N),
        call(X[:, None], N),
        call(A([1.5, 1.75, 1 + 2**-52])[:, None], np.arange(-1080, -1015)),
        call(
            F,
            A([1, -3, 5, 7, 2, 100, -120], "int8"),
            _oracle=lambda x, n: np.ldexp(x, n.astype("int32")),
        ),
        call(F[:, None], np.arange(-300, 300, 7, dtype=np.int32)),
        call(H[:, None], np.arange(-40, 40, dtype=np.int16)),
        call(X, 3),
        call(X, -(10**30), _oracle=lambda x, n: np.ldexp(x, -9999)),
        call(2.5, N),
        call(A([3, 4]), A([2**63], "uint64"), _oracle=lambda x, n: x * INF),
        call(A([3, 4]), A([True, False]), _oracle=lambda x, n: x * A([2.0, 1.0])),
        call(X, 0.5, _raises=TypeError),
        call(X, A([0.5]), _raises=TypeError),
    ],
    "spacing": [
        call(X),
        call(F),
        # NumPy's spacing of float16 has no sign.
        call(H, _oracle=lambda x: np.copysign(np.spacing(np.abs(x)), x)),
        call(M[::-1]),
        call(A([3, -5]), _oracle=lambda x: np.spacing(x.astype(float))),
        call(A([1j]), _raises=TypeError),
    ],
}
