# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Calls of ``skerry._extra.manipulation.shapes``."""

import numpy as np
from extra_calls import A, R, call

V = R((5,), "int32")
M = R((2, 3), "float32")
T = R((2, 3, 4))
Z = R((3, 2), "complex64")
B = R((4,), "bool")
E = np.empty((0, 2), "int8")
S = A(2.5)
WINDOWS = np.lib.stride_tricks.sliding_window_view

LEAST = [call(x) for x in (S, V, M, T, Z, B, E)] + [call(S, V, T)]
CALLS = {
    "fliplr": [*(call(x) for x in (M, T, Z, E)), call(V, _raises=ValueError)],
    "flipud": [*(call(x) for x in (V, M, T, Z, B, E)), call(S, _raises=ValueError)],
    "rot90": [
        *(call(M, k) for k in range(-1, 5)),
        *(call(T, k, (axes)) for k in range(4) for axes in ((0, 2), (2, 1), (-1, 0))),
        call(Z),
        call(M, 1, (0, 0), _raises=ValueError),
        call(M, 1, (0,), _raises=ValueError),
        call(M, 1, (0, 5), _raises=IndexError),
    ],
    "transpose": [
        *(call(x) for x in (S, V, M, T, Z, B, E)),
        call(T, (1, 2, 0)),
        call(T, axes=(-1, 0, 1)),
        call(T, (0, 1), _raises=ValueError),
        call(T, (0, 1, 3), _raises=IndexError),
        call(T, (0, 1, 1), _raises=ValueError),
    ],
    "sliding_window_view": [
        *(call(V, n, _oracle=WINDOWS) for n in (1, 2, 5)),
        call(B, 2, _oracle=WINDOWS),
        call(M, (2, 2), _oracle=WINDOWS),
        call(M[::-1, ::-1], (1, 3), _oracle=WINDOWS),
        call(T, 2, 1, _oracle=WINDOWS),
        call(T, 3, axis=-1, _oracle=WINDOWS),
        call(T, (2, 3), (0, -1), _oracle=WINDOWS),
        call(T, (2, 3), (2, 2), _oracle=WINDOWS),
        call(Z.T, (2,), (1,), _oracle=WINDOWS),
        call(E, 2, 1, _oracle=WINDOWS),
        call(V, 6, _raises=ValueError),
        call(V, -1, _raises=ValueError),
        call(M, 2, _raises=ValueError),
        call(M, 2, 2, _raises=IndexError),
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
