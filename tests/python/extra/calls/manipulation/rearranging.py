# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Calls of ``skerry._extra.manipulation.rearranging``."""

import numpy as np

from tests.python.extra.extra_calls import A, R, call

V = R((5,), "int32")
M = R((2, 3), "float32")
T = R((2, 3, 4))
Z = R((3, 2), "complex64")
B = R((4,), "bool")
E = np.empty((0, 2), "int8")
S = A(2.5)

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
}
