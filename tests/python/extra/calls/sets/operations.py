# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Calls of ``skerry._extra.sets.operations``."""

import numpy as np

from tests.python.extra.extra_calls import A, call

NAN = float("nan")
K, J = A([[3, 1, 2], [3, 7, 7]]), A([7, 3, 4, 4])
F, G = A([2.5, NAN, -1.0, NAN, 2.5]), A([NAN, 2.5, 0.0])
B, E = A([True, False, True]), np.empty((0,), "int64")
U = A([5, 2, 9, 4])
PAIRS = [(K, J), (J, K), (F, G), (B, B[:1]), (E, J), (J, E), (E, E), (A(3), J)]

CALLS = {
    **{name: [call(*p) for p in PAIRS] for name in ("union1d", "intersect1d", "setxor1d")},
    "setdiff1d": [*(call(*p) for p in PAIRS), call(J, U, True)],
}
CALLS["union1d"] += [call(A([1, 2], "int8"), A([3], "int32"))]
CALLS["intersect1d"] += [
    call(K, J, return_indices=True),
    call(U, A([4, 5, 1]), True, True),
    call(U, A([4, 5, 1]), True),
    call(F, F[:1], return_indices=True),
]
CALLS["setxor1d"] += [call(U, A([4, 5, 1]), assume_unique=True)]
