# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Calls of ``skerry._extra.indexing.flat_indices``."""

import numpy as np

from tests.python.extra.extra_calls import A, call

K, J = A([[1, 0], [0, 1]]), A([2, 0], "int32")

CALLS = {
    "unravel_index": [
        call(A([5, 0, 23]), (2, 3, 4)),
        call(A([[5, 0], [2, 1]], "int32"), (2, 3)),
        *(call(A([5, 0, 23]), (2, 3, 4), order) for order in ("F", "f", "c", None)),
        call(A([5, 1]), 6),
        call(A(5), (2, 3)),
        call(5, (2, 3)),
        call(np.empty((0,), "int64"), (2, 3)),
        call(A([6]), (2, 3), _raises=ValueError),
        call(A([-1]), (2, 3), _raises=ValueError),
        call(A([0.5]), (2, 3), _raises=TypeError),
        call(A([0]), (2, 3), "X", _raises=ValueError),
        call(A([3]), (2, 2**61)),
        call(A([3]), (2**62, 4), _raises=ValueError),
        call(3, (2**62, 4), _raises=ValueError),
        call(A([3]), (2**70,), _raises=ValueError),
        call(A([3]), (-2, -4), _raises=ValueError),
        call(A([2**63], "uint64"), (4,), _raises=ValueError),
    ],
    "ravel_multi_index": [
        call((K, J), (2, 3)),
        *(call((K, J), (2, 3), order=order) for order in ("F", "f", "c", None)),
        call((K, 2), (2, 3)),
        *(
            call((A([0]), A([1])), shape, mode, _raises=ValueError)
            for shape in ((2, 0), (0, 2))
            for mode in ("wrap", "clip")
        ),
        call((A([], int), A([], int)), (2, 0), "clip"),
        call((A([5, -1]), A([7, -2])), (2, 3), "wrap"),
        call((A([5, -1]), A([7, -2])), (2, 3), mode="clip"),
        call((A([5, -1]), A([7, -2])), (2, 3), mode=("clip", "wrap")),
        call(A([[1, 0], [2, 1]]), (2, 3)),
        call((A([0, 9, 1, 9, 1])[::2], A([[2], [0]])), (2, 3)),
        call((A(1), A(2)), (2, 3)),
        call((A([-1, 0]), A([0, 0])), (2, 3), _raises=ValueError),
        call((K, J), (2, 2), _raises=ValueError),
        call((K,), (2, 2), _raises=ValueError),
        call((K, K), (2**30, 2**32)),
        call((K, K), (2**62, 4), _raises=ValueError),
        call((K, K), (2**62, 4), "clip", _raises=ValueError),
        call((K, K), (2**62, 4), order="F", _raises=ValueError),
        call((K,), (2**70,), _raises=ValueError),
        call((K,), (-4,), _raises=ValueError),
        call((A([2**63], "uint64"),), (4,), _raises=ValueError),
        call((A([2**63, 1], "uint64"),), (5,), "clip", _oracle=lambda i, n, mode: A([4, 1])),
        call((A([2**63, 1], "uint64"),), (5,), "wrap", _oracle=lambda i, n, mode: A([3, 1])),
    ],
}
