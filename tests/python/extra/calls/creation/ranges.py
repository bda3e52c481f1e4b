# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Calls of ``skerry._extra.creation.ranges``."""

from tests.python.extra.extra_calls import A, call

CLOSE = {"_rtol": 1e-13}

CALLS = {
    "logspace": [
        call(0, 2, 5, **CLOSE),
        call(-1, 1.5, 7, False, **CLOSE),
        call(0, 8, 9, base=2, **CLOSE),
        call(0, 2, 5, dtype="float32", _rtol=1e-6),
        call(0, 2, num=0),
        call(A(0), A(8.0), 9, base=A(2), **CLOSE),
        call(A(-3.5), 8, 9, False, **CLOSE),
        call(0, 4, 5, dtype="int16"),
    ],
    "geomspace": [
        call(A(1.0), A(8), 4, **CLOSE),
        call(8, A(1, "float16"), 4, **CLOSE),
        call(1, 1000, 4, **CLOSE),
        call(-2, -32.0, 5, **CLOSE),
        call(100, 1, 3, False, **CLOSE),
        call(1, 256, 9, dtype="float32", _rtol=1e-6),
        call(3.0, 7.0, 1),
        call(0, 2, _raises=ValueError),
        call(-1, 2, _raises=ValueError),
    ],
}
