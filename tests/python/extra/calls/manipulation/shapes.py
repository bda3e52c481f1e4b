# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Calls of ``skerry._extra.manipulation.shapes``."""

import numpy as np

from tests.python.extra.extra_calls import A, R, call

V = R((5,), "int32")
M = R((2, 3), "float32")
T = R((2, 3, 4))
Z = R((3, 2), "complex64")
B = R((4,), "bool")
E = np.empty((0, 2), "int8")
S = A(2.5)
LEAST = [call(x) for x in (S, V, M, T, Z, B, E)] + [call(S, V, T)]

CALLS = {
    "transpose": [
        *(call(x) for x in (S, V, M, T, Z, B, E)),
        call(T, (1, 2, 0)),
        call(T, axes=(-1, 0, 1)),
        call(T, (0, 1), _raises=ValueError),
        call(T, (0, 1, 3), _raises=IndexError),
        call(T, (0, 1, 1), _raises=ValueError),
    ],
    "rollaxis": [
        *(call(T, axis, start) for axis in (0, 1, 2, -1) for start in (0, 1, 2, 3, -1)),
        call(E, 1),
        call(T, 3, _raises=IndexError),
        call(T, 0, 4, _raises=IndexError),
    ],
    "shape": [*(call(x) for x in (S, V, M, E)), call(3), call([[1, 2, 3]])],
    "ndim": [*(call(x) for x in (S, V, M, E)), call(3), call([[1, 2, 3]])],
    "size": [
        *(call(x) for x in (S, V, M, E)),
        *(call(M, axis) for axis in (0, 1, -1, (0, 1), ())),
        call([[1, 2, 3]], 1),
        call(2.5),
        call(M, 2, _raises=IndexError),
    ],
    "swapaxes": [
        call(T, 0, 2),
        call(T, -1, 1),
        call(E, 0, 1),
        call(M, 0, 0),
        call(M, 0, 2, _raises=IndexError),
    ],
    "ravel": [*LEAST[:-1], call(T, "F"), call(M.T, order="C"), call(M, "X", _raises=ValueError)],
    "atleast_1d": LEAST,
    "atleast_2d": LEAST,
    "atleast_3d": LEAST,
}
