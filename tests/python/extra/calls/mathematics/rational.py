# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Calls of ``skerry._extra.mathematics.rational``."""

import numpy as np

from tests.python.extra.extra_calls import A, R, call

N, M = R((4, 6), "int32", 1), R((4, 6), "int32", 2)
SMALL = np.arange(-128, 128, dtype=np.int8)
UNSIGNED = A([0, 12, 2**64 - 1, 2**63], "uint64"), A([0, 20, 3, 2**40], "uint64")
LARGE = A([2**62, -(2**63), -(2**63), 0, 6]), A([2**40, 0, -(2**63), 0, -4])
PAIRS = [
    call(N, M),
    call(N[::-1, ::2], M[:, 1:4]),
    call(N, M[:1]),
    call(SMALL[:, None], SMALL),
    call(*UNSIGNED),
    call(*LARGE),
    call(N, 12),
    call(12, A(18)),
    call(A([], "int64"), 3),
    call(A([8], "int8"), A([12], "uint8"), _dtype="int16"),
    call(A([8.0]), 2, _raises=TypeError),
    call(A([True]), A([True]), _raises=TypeError),
]

CALLS = {"gcd": PAIRS, "lcm": PAIRS}
