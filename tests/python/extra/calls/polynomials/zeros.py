# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Calls of ``skerry._extra.polynomials.zeros``: roots in any order."""

import numpy as np

from tests.python.extra.extra_calls import A, R, call

CLOSE = {"_rtol": 1e-12, "_atol": 1e-14}
SINGLE = {"_rtol": 1e-5}

CALLS = {
    "roots": [
        *(
            call(A(p), **CLOSE)
            for p in (
                [1, -6, 11, -6], [1.0, 0, 1], [0, 0, 1, 2, 0, 0], [5.0], [0], [0, 3], [2.0, 0, 0],
                [1, 2j, 3 - 1j, 4],
            )
        ),
        call(A([1, -3, 2], "float32"), **SINGLE),
        call(A([1, 0, 4], "float32"), **SINGLE),
        call(A([1, 1j, 2], "complex64"), **SINGLE),
        call([1, -3, 2], **CLOSE),
        call(A([1, 9, -3, 9, 2])[::2], **CLOSE),
        call(A([], "float64"), _oracle=np.roots),  # which NumPy does not dispatch
        call(R((2, 2)), _raises=ValueError),
    ],
    "poly": [
        *(
            call(A(p), **CLOSE)
            for p in (
                [1, 2, 3], [0.5, -0.25], [1j, -1j], [1j, 1], [2 + 1j, 2 - 1j, 3], [True], [np.inf, 1],
                [[1.0, 2], [3, 4]], [[0.0, 1], [-1, 0]], [[2, 0], [0, 3]],
            )
        ),
        call(A([1, 2], "float32")),
        call(A([1, 2], "float16")),
        call([1, 2, 3]),
        call(A([], "float64")),
        call(A([[1, 2, 3]]), _raises=ValueError),
        call(R((2, 2, 2)), _raises=ValueError),
    ],
}  # fmt: skip
