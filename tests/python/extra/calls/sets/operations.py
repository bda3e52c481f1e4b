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

ALL = {"return_index": True, "return_inverse": True, "return_counts": True}
T = A([[[1, 2], [0, 5]], [[1, 2], [0, 5]], [[1, 2], [-1, 5]], [[1, 2], [0, 5]]])
Z = A([1 + 1j, complex(NAN, 1), 1 + 1j, 1 - 1j, complex(NAN, 1), 0])
ROWS = A([[1.5, NAN], [0.0, -0.0], [1.5, NAN], [-0.0, 0.0]])
CALLS["unique"] = [
    *(call(x) for x in (K, J, F, G, B, E, Z, A(3.5), T[:, ::-1], A([0.0, -0.0]))),
    *(call(x, **ALL) for x in (K, J, F, G, B, E, Z, A(3.5), T[::2])),
    *(call(x, equal_nan=False, **ALL) for x in (K, F, G, E)),
    call(K, True),
    call(K, False, True),
    call(K, False, False, True),
    call(K, sorted=True),
    call(F, equal_nan=False),
    *(call(T, axis=axis) for axis in (0, 1, 2, -1)),
    *(call(T, axis=axis, **ALL) for axis in (0, 1, -1)),
    *(call(x, axis=0, **ALL) for x in (J, F, B, E, ROWS, Z, A(T, "float16"), T[::-1])),
    call(A([[1, 1j], [1, 0], [1, 1j]]), False, False, False, 0),
    call(np.empty((0, 3)), axis=0, **ALL),
    call(np.empty((3, 0)), axis=0, **ALL),
    call(np.empty((3, 0)), axis=1, **ALL),
    call(K, axis=2, _raises=ValueError),
]
