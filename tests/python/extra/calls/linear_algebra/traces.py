# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Calls of ``skerry._extra.linear_algebra.traces``."""

from tests.python.extra.extra_calls import A, R, call

M = R((2, 3))
Z = R((2, 3), "complex128")
T = R((2, 3, 4))
C = A([[True, True, False], [False, True, False]])
CLOSE = {"_rtol": 1e-13}

CALLS = {
    "trace": [
        call(M, **CLOSE),
        call(M, 1, **CLOSE),
        call(T, 0, 2, 1, **CLOSE),
        call(R((3, 3), "int32")),
        call(R((3, 3), "int32"), dtype="float32"),
        call(C),
        call(Z, **CLOSE),
    ],
}
