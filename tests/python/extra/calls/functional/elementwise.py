# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Calls of ``skerry._extra.functional.elementwise``."""

import numpy as np

from tests.python.extra.extra_calls import A, R, call

X, N, M = A([-3.0, -1.0, 0.0, 2.0]), A([0, 1, 2]), R((2, 3))


def negative(x):
    return -x


def scaled(x, factor, plus=0):
    return x * factor + plus


CALLS = {
    "piecewise": [
        call(X, [X < 0, X >= 0], [-1, 1]),
        call(X, [X < -2, X < 0], [1, scaled], 3, plus=1),
        call(X, [X < 0], [negative, 7]),
        call(X, X < 0, [negative]),
        call(X, [X > 9], [negative]),
        call(X, [True, False, True, False], [9]),
        call(N, [N < 1], [1.75, lambda x: x * 2.5]),
        call(X, [X < 0, X < -2], [1, 2]),
        call(M, [M > 0.5, M <= 0.5], [lambda x: x * 2, 0]),
        call(M.T, [M.T > 0.5], [lambda x: x * 2]),
        call(A(1.0), [A(True)], [2]),
        call(A(1.0), A(False), [2, 3], _oracle=lambda *_: A(3.0)),
        call(np.empty((0,)), [np.empty((0,), "bool")], [negative]),
        call(X.astype("complex64"), [X < 0], [negative, 1j]),
        call(X, [X < 0], [1, 2, 3], _raises=ValueError),
        call(X, [N > 1], [1], _raises=ValueError),
        call(X, [], [], _raises=ValueError),
    ],
}
OWN_TESTS = {"vectorize": "test_vectorize"}
