# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Calls of ``skerry._extra.flat_indices``."""

import numpy as np
from extra_calls import A, call

K, J = A([[1, 0], [0, 1]]), A([2, 0], "int32")

CALLS = {
    "unravel_index": [
        call(A([5, 0, 23]), (2, 3, 4)),
        call(A([[5, 0], [2, 1]], "int32"), (2, 3)),
        call(A([5, 0, 23]), (2, 3, 4), "F"),
        call(A([5, 1]), 6),
        call(A(5), (2, 3)),
        call(5, (2, 3)),
        call(np.empty((0,), "int64"), (2, 3)),
        call(A([6]), (2, 3), _raises=ValueError),
        call(A([-1]), (2, 3), _raises=ValueError),
        call(A([0.5]), (2, 3), _raises=TypeError),
        call(A([0]), (2, 3), "X", _raises=ValueError),
    ],
    "ravel_multi_index": [
        call((K, J), (2, 3)),
        call((K, J), (2, 3), order="F"),
        call((K, 2), (2, 3)),
        call((A([5, -1]), A([7, -2])), (2, 3), "wrap"),
        call((A([5, -1]), A([7, -2])), (2, 3), mode="clip"),
        call((A([5, -1]), A([7, -2])), (2, 3), mode=("clip", "wrap")),
        call(A([[1, 0], [2, 1]]), (2, 3)),
        call((A([0, 9, 1, 9, 1])[::2], A([[2], [0]])), (2, 3)),
        call((A(1), A(2)), (2, 3)),
        call((A([-1, 0]), A([0, 0])), (2, 3), _raises=ValueError),
        call((K, J), (2, 2), _raises=ValueError),
        call((K,), (2, 2), _raises=ValueError),
    ],
}
