# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Calls of ``skerry._extra.creation.ranges``."""

from tests.python.extra.extra_calls import A, R, call

CLOSE = {"_rtol": 1e-13}

BOUNDS, AXES = R((3, 4), seed=1), (0, 1, -1)

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
        *(
            call(BOUNDS, 2.5, 5, endpoint, axis=axis, **CLOSE)
            for axis in AXES
            for endpoint in (True, False)
        ),
        call([0, 1], 2, 4, base=A([[2.0], [3.0]]), **CLOSE),
        call(0, BOUNDS[::-1, ::2], 4, True, A(3.0), "float32", -1, _rtol=1e-5),
        call(BOUNDS[:0], 2, 4, **CLOSE),
        call(BOUNDS, 2, 4, axis=3, _raises=ValueError),
        call(BOUNDS, 2, -1, _raises=ValueError),
    ],
    "geomspace": [
        call(A(1.0), A(8), 4, **CLOSE),
        call(8, A(1, "float16"), 4, **CLOSE),
        call(1, 1000, 4, **CLOSE),
        call(-2, -32.0, 5, **CLOSE),
        call(100, 1, 3, False, **CLOSE),
        call(1, 256, 9, dtype="float32", _rtol=1e-6),
        call(3.0, 7.0, 1),
        *(
            call(abs(BOUNDS) + 1, 50, 5, endpoint, axis=axis, **CLOSE)
            for axis in AXES
            for endpoint in (True, False)
        ),
        call(BOUNDS, BOUNDS * 8, 4, **CLOSE),
        call(A([1, 2]), 2000, 4, "float32", _rtol=1e-5),
        call(1j, 16j, 5, **CLOSE),
        call(A([1 + 1j, 2.0]), A([[3j], [4.0]]), 5, axis=1, **CLOSE),
        call(A([1.0, 0.0]), 2, _raises=ValueError),
        call(0, 2, _raises=ValueError),
        call(-1, 2, _raises=ValueError),
    ],
}
