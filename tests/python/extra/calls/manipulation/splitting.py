# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Calls of ``skerry._extra.manipulation.splitting``."""

import numpy as np

from tests.python.extra.extra_calls import A, R, call

V = R((6,), "int32")
M = R((4, 6), "float32")
T = R((2, 4, 6), "complex64")

CALLS = {
    "array_split": [
        call(V, 4),
        call(V, 9),
        call(V, np.uint8(4)),
        call(V, 2.0, _raises=TypeError),
        call(M, 3, axis=1),
        call(V, [1, 3]),
        call(V, (2, 9)),
        call(V, [-1]),
        call(M, [1], -1),
        call(V, 0, _raises=ValueError),
        call(V, 2, 1, _raises=IndexError),
    ],
    "split": [call(V, 3), call(M, 2, 1), call(M, [1, 2]), call(V, 4, _raises=ValueError)],
    "hsplit": [call(V, 2), call(M, 3), call(T, [1]), call(A(1.0), 1, _raises=ValueError)],
    "vsplit": [call(M, 2), call(T, [1]), call(V, 2, _raises=ValueError)],
    "dsplit": [call(T, 3), call(T, [2, 4]), call(M, 2, _raises=ValueError)],
}
