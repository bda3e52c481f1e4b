# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Calls of ``skerry._extra.manipulation.joining``."""

from tests.python.extra.extra_calls import A, R, call

V, W = R((3,), "int32"), R((3,), "int64", 1)
M, N = R((2, 3)), R((2, 3), seed=1)
T = R((2, 3, 2), "complex128")
S = A(1.5)
ALL = [
    call([V, W]),
    call((M, N)),
    call([M]),
    call([T, T]),
    call([A([True]), A([False])]),
    call(M),
    call([V, W.astype("float32")], _dtype="float32"),  # the dtype of the higher kind
    call([M, R((3,))], _raises=ValueError),
]
TYPED = [call([V, W], dtype="float32"), call([M, N], dtype="complex64")]

CALLS = {
    "vstack": [
        *ALL[:-1],
        *TYPED,
        call([M, M[0]]),
        call([S, S]),
        call([M, M[0, :2]], _raises=ValueError),
    ],
    "hstack": [*ALL, *TYPED, call([M, N[:, :1]]), call([S, S]), call([V, W[:1]])],
    "dstack": [*ALL[:-1], call([S, S]), call([V, W])],
    "column_stack": [*ALL[:4], call([M, M[:, 0]]), call([S, S])],
}
