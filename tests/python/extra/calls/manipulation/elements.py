# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Calls of ``skerry._extra.manipulation.elements``."""

import numpy as np

from tests.python.extra.extra_calls import A, R, call

V = R((6,), "int32")
M = R((4, 6), "float32")
T = R((2, 4, 6), "complex64")
X, Y = R((3,), "int32"), R((3,), "int64", 1)
LEFT, RIGHT = R((2, 3)), R((2, 3), seed=1)
ENDS = A([0, 0, 1, 0, 2, 0])
SPOTS = np.zeros((4, 5))
SPOTS[1, 2], SPOTS[2, 3] = 1.0, -2.0

CALLS = {
    "delete": [
        call(V, 2),
        call(V, -1),
        call(V, [0, 0, 5]),
        call(V, slice(1, None, 2)),
        *(call(V, slice(*bounds)) for bounds in ((2, 4), (4, 1, -1), (None,), (5, 2), (-2, None))),
        call(M, slice(None, 2), 0),
        call(V, A([1, -2])),
        call(V, A([True, False, True, False, False, False])),
        call(V, [False, True, True, False, False, False]),
        call(M, 1, 0),
        call(M, [0, 2], axis=1),
        call(M, A([3, 1]), -1),
        call(M, 3),
        call(V, []),
        call(V, 6, _raises=IndexError),
        call(V, [0.5], _raises=IndexError),
        call(V, [True], _raises=ValueError),
        call(V, True, _raises=ValueError),
        call(V, A(True), _raises=ValueError),
        call(V, A([], "bool"), _raises=ValueError),
        call(V, A([True]), _raises=ValueError),
        call(V, A([[True] * 6]), _raises=ValueError),
    ],
    "insert": [
        call(V, 1, 5),
        call(V, 6, 5),
        call(V, -1, A([7, 8], "int32")),
        call(V, [1, 4], 5),
        call(V, [4, 1, 4], A([7, 8, 9], "int32")),
        call(V, A([4, 1, 4]), A([7, 8, 9], "int32")),
        call(V, [2], A([7, 8, 9], "int32")),
        call(V, slice(0, 4, 2), 9),
        call(V, A([True, False, True, False, False, False]), 9),
        call(M, 1, 0.5, axis=0),
        call(M, 1, M[0], 0),
        call(M, 1, M[:, 0], 1),
        call(M, [1], M[:, :1], 1),
        call(M, [1, 5], M[:, :2], 1),
        call(M, 1, M[:2], axis=0),
        call(T, 1, T[0], 0),
        call(T, 1, T[:, 0], 1),
        call(M, 2, 9.0),
        call(np.empty((0,)), 0, 1.0),
        call(V, [], A([], "int32")),
        call(V, 7, 5, _raises=IndexError),
        call(V, 1, A([[5]], "int32")),
        call(V, [1, 4], A([[7, 8]], "int32")),
        call(M, 1, M[None, :1], 0),
        call(M, [1], M[None, :, :1], 1),
        call(V, 1, A([[7, 8]], "int32"), _raises=ValueError),
        call(V, A([True]), 1, _raises=ValueError),
        call(V, 1, 1.5, _raises=TypeError),
        call(V, 1, 2**31, _raises=OverflowError),
        call(V, [1, 4], A([[7], [8]], "int32"), _raises=ValueError),
    ],
    "resize": [
        *(call(x, shape) for x in (LEFT, V, LEFT.T) for shape in (5, (2, 2), (0, 3), (7, 2), ())),
        call(V[::-2], (4,)),
        *(call(V, length) for length in (np.int64(5), np.uint8(7), [3, 2])),
        call(np.empty((0,), "int8"), (2, 2)),
        call(A(1.5), 3),
        call([1, 2], 5),
        call(V, (-1, 2), _raises=ValueError),
    ],
    "trim_zeros": [
        *(call(x, trim) for x in (ENDS, ENDS * 0, SPOTS, SPOTS * 0) for trim in ("fb", "f", "B")),
        *(call(SPOTS, axis=axis) for axis in (0, 1, -1, (0, 1), ())),
        call(ENDS[::-1]),
        call(A([0, 1j, 0])),
        call(A([False, True])),
        call(A([0.0, float("nan"), -0.0])),
        call(SPOTS[:0]),
        call(A(0.0)),
        call(ENDS, "x", _raises=ValueError),
        call(ENDS, axis=1, _raises=IndexError),
    ],
    "append": [
        call(X, Y),
        call(X, 7, _dtype="int32"),  # a scalar does not change a dtype of its kind
        call(LEFT, RIGHT),
        call(LEFT, RIGHT, 0),
        call(LEFT, RIGHT[:, :1], axis=1),
        call(LEFT, 2.5),
        call(np.empty((0,)), 1.0),
        call(LEFT, LEFT[0], 0, _raises=ValueError),
    ],
}
