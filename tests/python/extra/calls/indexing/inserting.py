# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Calls of ``skerry._extra.indexing.inserting``."""

import numpy as np

from tests.python.extra.extra_calls import A, R, call

V = A([3, 0, -1, 0, 7], "int32")
M = R((3, 4), "float32")
T = R((3, 3, 3))
SQUARE, TALL = R((3, 3), "complex64"), R((7, 2), "int64")
MASK = M > 0
K = A([[1, 0, 2, 1]])

CALLS = {
    "fill_diagonal": [
        call(SQUARE, 5),
        call(M, 1.5),
        call(M.T.copy(), 1.5),
        call(TALL, 4),
        call(TALL, 4, True),
        call(TALL, 4, wrap=True),
        call(T, -1.0),
        call(TALL, A([7, 8])),
        call(TALL, A([7.5, 8]), _raises=TypeError),
        call(TALL, 2**63, _raises=OverflowError),
        call(SQUARE, [1, 2]),
        call(V, 1, _raises=ValueError),
        call(R((2, 3, 3)), 1, _raises=ValueError),
    ],
    "place": [
        call(M, MASK, [1.0, 2.0, 3.0]),
        call(M, MASK, A([1.5], "float32")),
        call(V, V > 0, [9]),
        call(V, V > 99, [9]),
        call(V, V > 0, A([1, 2, 3, 4, 5, 6, 7], "int32")),
        call(V, V > 0, np.empty((0,)), _raises=ValueError),
        call(V, V > 0, A([1.5]), _raises=TypeError),
        call(V, V > 0, [2**31], _raises=OverflowError),
        call(V, MASK, [1], _raises=ValueError),
    ],
    "put": [
        call(V, [0, -1], 8),
        call(V, A([0, 2]), A([8, 9, 10], "int32")),
        call(M, [0, 11, 5], [1.5, 2.5]),
        call(M, A([[0, 3]]), 4.0),
        call(V, A([7, -9, 0]), [1, 2, 3], "wrap"),
        call(V, A([7, 1]), [1, 2], mode="clip"),
        call(V, [], 1),
        call(V, 1, 4),
        call(V, [5], 1, _raises=IndexError),
        call(V, [0], -(2**31) - 1, _raises=OverflowError),
        call(V, [0], A([2**31 + 5])),
        call(V, [0], A([1.5]), _raises=TypeError),
        call(V, A([2**63], "uint64"), 1, _raises=IndexError),
        call(V, A([2**64 - 1], "uint64"), 1, _raises=IndexError),
        call(V, [0], 1, "no", _raises=ValueError),
    ],
    "put_along_axis": [
        call(M, K, 9.0, 0),
        call(M, A([[0, 1], [2, 3], [1, 0]]), A([[1.0, 2.0]], "float32"), axis=1),
        call(M, A([[-1], [1], [0]]), 5.0, -1),
        call(V, A([1, -2]), 5, None),
        call(V, A([1, 2]), 2**31, None, _raises=OverflowError),
        call(V, A([1, 2]), A([3, 2**31 + 5]), None),
        call(V, A([1, 2]), A([0.5, 0.5]), None, _raises=TypeError),
        call(M, A([1, 2]), 5.0, 0, _raises=ValueError),
        call(M, K, 5.0, 2, _raises=IndexError),
    ],
    "putmask": [
        call(M, MASK, 9.0),
        call(M, MASK, -M),
        call(M, MASK, A([1.0, 2.0, 3.0, 4.0, 5.0], "float32")),
        call(V, V > 0, [9, 8]),
        call(V, V > 0, []),
        call(V, V > 0, A([1.5]), _raises=TypeError),
        call(V, V > 0, [2**31], _raises=OverflowError),
        call(V, V > 0, 1.5, _raises=TypeError),
        call(V, V > 0, 2.0),
        call(V, MASK, 1, _raises=ValueError),
    ],
}
