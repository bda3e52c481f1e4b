# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Calls of ``skerry._extra.logic.comparison``."""

from tests.python.extra.extra_calls import A, call

NEAR = A([1.0, 2.0, float("nan"), float("inf")])
OTHER = A([1.0 + 1e-9, 2.1, float("nan"), float("inf")])

CALLS = {
    "isclose": [
        call(NEAR, OTHER),
        call(NEAR, OTHER, equal_nan=True),
        call(NEAR, OTHER, 0.1, atol=0.5),
        call(A([[0], [3]], "uint8"), A([1, 2, 3], "uint8"), atol=1.0),
        call(NEAR, 2.0),
    ],
    "allclose": [
        call(NEAR, OTHER),
        call(NEAR[:2], OTHER[:2], 0.1),
        call(A([1, 2]), A([1, 2])),
    ],
    "array_equal": [
        call(NEAR, NEAR),
        call(NEAR, NEAR, equal_nan=True),
        call(A([1, 2]), A([1.0, 2.0])),
        call(A([1, 2]), A([1, 3])),
        call(A([1, 2], "uint64"), A([1, 2], "int64"), _raises=TypeError),
        call(A([1]), A([1, 1])),
        call(A([True]), A([1])),
        call(A(3), 3),
    ],
    "array_equiv": [
        call(A([1, 1]), A([[1], [1]])),
        call(A([1, 2]), A([[1], [2]])),
        call(A([1, 2]), A([1, 2, 3])),
        call(NEAR, NEAR),
        call(A([2.0, 2.0]), 2),
    ],
}
