# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Calls of ``skerry._extra.indexing.selecting``."""

import numpy as np

from tests.python.extra.extra_calls import A, R, call

V = A([3, 0, -1, 0, 7], "int32")
M = R((3, 4), "float32")
Z = A([[0, 1j], [2, 0]])
B = A([True, False, True])
ONE, TWO = M > 0, M > -1
SOME = A([0, 1, 2, 1])
VECTOR = R((3,))
MATRIX = R((2, 3))
STACK = R((2, 3, 4))
BOOLS = A([[True, True, False], [False, True, False]])
ITEMS = R((5,), "int32")
ROWS = R((2, 3), "float32")
BLOCK = R((2, 3, 4))
PAIRS = R((3, 2), "complex64")
FLAGS = R((4,), "bool")
EMPTY = np.empty((0, 2), "int8")
WINDOWS = np.lib.stride_tricks.sliding_window_view
STRIDED = np.lib.stride_tricks.as_strided

CALLS = {
    "select": [
        call([ONE, TWO], [M, 2 * M], _dtype="float32"),
        call([ONE, TWO], [M, 2 * M], 5.5, _dtype="float32"),
        call([V > 0, V == 0], [V, V + V], default=A(-4, "int32")),
        call([ONE], [A([1.0, 2, 3, 4])]),
        call([ONE, A(True)], [Z[0, 1], M], _dtype="complex64"),
        call([V > 0], [1], _dtype="int64"),
        call([], [], _raises=ValueError),
        call([ONE], [], _raises=ValueError),
        call([V], [V], _raises=TypeError),
    ],
    "choose": [
        call(SOME, [A([1, 2, 3, 4]), A([5, 6, 7, 8]), A([9, 10, 11, 12])]),
        call(SOME, M),
        call(A([[0], [1]]), [V, 2 * V]),
        call(A([5, -1, 1]), [A([1, 2, 3]), A([5, 6, 7])], mode="wrap"),
        call(A([5, -1, 1]), [A([1, 2, 3]), A([5, 6, 7])], mode="clip"),
        call(A([0, 1]), [A([1.5, 2]), 3.0]),
        call(A([0, 2]), [A([1, 2]), A([3, 4])], _raises=ValueError),
        call(A([0.0, 1]), [A([1, 2]), A([3, 4])], _raises=TypeError),
        call(A([0, 1]), [A([1, 2]), A([3, 4])], mode="no", _raises=ValueError),
    ],
    "compress": [
        call(B, M, 0),
        call(B, M),
        call([True, False, False, True], M, axis=1),
        call(A([0, 2, 0, 1, 1]), V),
        call(A([True]), V),
        call([False], M, 0),
        call(A([[True]]), V, _raises=ValueError),
    ],
    "diagonal": [
        *(call(MATRIX, k) for k in (-1, 0, 1, 2, 5)),
        call(STACK),
        call(STACK, 1, 2, 0),
        call(BOOLS, axis1=1, axis2=0),
        call(VECTOR, _raises=ValueError),
        call(MATRIX, 0, 1, 1, _raises=ValueError),
    ],
    "as_strided": [
        call(ITEMS, (3, 3), (4, 4), _oracle=STRIDED),
        call(ITEMS, (2, 2), (8, 4), writeable=False, _oracle=STRIDED),
        call(ITEMS, (3,), _oracle=STRIDED),
        call(ITEMS, (3,), subok=True, _oracle=STRIDED),
        call(ITEMS, strides=(0,), _oracle=STRIDED),
        call(ITEMS, (), (), _oracle=STRIDED),
        call(ITEMS, (0, 9), (4, 400), _oracle=STRIDED),
        call(ITEMS, (1, 5), (3, 4), _oracle=STRIDED),
        call(BLOCK[:, ::2], (2, 2), (96, 8), _oracle=STRIDED),
        call(PAIRS.T, (2, 2, 2), (8, 16, 16), _oracle=STRIDED),
        call(FLAGS, (2, 3), (1, 1), _oracle=STRIDED),
        call(EMPTY, (0, 3), _oracle=STRIDED),
        call(EMPTY, (1, 1), _raises=ValueError),
        call(ITEMS, (6,), _raises=ValueError),
        call(ITEMS, (2,), (-4,), _raises=ValueError),
        call(ITEMS, (2,), (2,), _raises=ValueError),
        call(ITEMS, (2,), (2**62,), _raises=ValueError),
        call(ITEMS, (2**40,), (2**40,), _raises=ValueError),
        call(ITEMS, (2, 2), (4,), _raises=ValueError),
        call(ITEMS, (-1,), (4,), _raises=ValueError),
        call(ITEMS, "ab", _raises=TypeError),
        call(ITEMS, (2,), 4, _raises=TypeError),
    ],
    "sliding_window_view": [
        *(call(ITEMS, n, _oracle=WINDOWS) for n in (1, 2, 5)),
        call(FLAGS, 2, _oracle=WINDOWS),
        call(ROWS, (2, 2), _oracle=WINDOWS),
        call(ROWS[::-1, ::-1], (1, 3), _oracle=WINDOWS),
        call(BLOCK, 2, 1, _oracle=WINDOWS),
        call(BLOCK, 3, axis=-1, _oracle=WINDOWS),
        call(BLOCK, (2, 3), (0, -1), _oracle=WINDOWS),
        call(BLOCK, (2, 3), (2, 2), _oracle=WINDOWS),
        call(PAIRS.T, (2,), (1,), _oracle=WINDOWS),
        call(EMPTY, 2, 1, _oracle=WINDOWS),
        call(ITEMS, 2, subok=True, writeable=False, _oracle=WINDOWS),
        call(ITEMS, 2, writeable=True, _raises=ValueError),
        call(ITEMS, 6, _raises=ValueError),
        call(ITEMS, -1, _raises=ValueError),
        call(ROWS, 2, _raises=ValueError),
        call(ROWS, 2, 2, _raises=IndexError),
    ],
}
