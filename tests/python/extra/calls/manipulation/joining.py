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
    "block": [
        call([[M, N], [N, M]]),
        call([M, N]),
        call([[M], [N]]),
        call([[[M]]]),
        call(M),
        call(3),
        call([[1, 2], [3.5, 4]]),
        call([V, 7], _dtype="int32"),
        call([[M, M[:, :1]], [N[:1], A([[5.0]])]]),
        call([V, S], _dtype="float64"),
        call([T, T]),
        call([M, T[0, :, :1].T], _raises=ValueError),
        call([], _raises=ValueError),
        call([[M], N], _raises=ValueError),
        call((M, N), _raises=TypeError),
        call([M, (N, N)], _raises=TypeError),
    ],
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
OWN_TESTS = {"row_stack": "test_numpy_names"}  # NumPy warns of it
