# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Calls of ``skerry._extra.manipulation.copying``."""

from tests.python.extra.extra_calls import A, R, call

V = A([3, 0, -1, 0, 7], "int32")
M = R((3, 4), "float32")

CALLS = {
    "copyto": [
        call(M, 2.0),
        call(M, M[0] * 2),
        call(M, V[1]),
        call(V, 9, where=V == 0),
        call(M, M * 2, where=A([True, False, True, False])),
        call(V, A([1.5]), casting="unsafe"),
        call(V, A([1.5]), _raises=TypeError),
        call(V, 1.5, _raises=TypeError),
        call(M, M[0, :3], _raises=ValueError),
    ],
}
