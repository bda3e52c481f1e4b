# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Calls of ``skerry._extra.creation.existing_data``."""

import numpy as np

from tests.python.extra.extra_calls import A, R, call

T, V, B, E = R((2, 3, 4)), R((3,), "int32"), A([True, False]), np.empty((0, 3), "float32")
STRIDED = (T.transpose(2, 0, 1), T[::-1, :, ::2], T[..., 0], A(2.5), E)
OBJECTS = (1, 2.5, 3j, True, [], [1, 2], [[1.5], [2]], (1, 2j), [True, False], range(3))
BUFFER = bytes(range(16))

CALLS = {
    "array": [
        *(call(x) for x in (T, V, B, E, *STRIDED, *OBJECTS)),
        *(call(T, dtype) for dtype in ("float32", "float16", "complex64", "int8", "bool")),
        *(call(T.transpose(1, 0, 2), order=order) for order in ("K", "A", "C", "F", "f", None)),
        *(call(V, copy=copy) for copy in (True, False, None)),
        *(call(V, ndmin=n) for n in (0, 1, 3)),
        call(4, float, ndmin=2),
        call([V, V]),
        call([V[0:1], [7]], _dtype="int32"),
        call([T[0, 0], T[1, 0]], dtype="float32"),
        call(V, subok=True),
        call(V, float, copy=False, _raises=ValueError),
        call(T, order="F", copy=False, _raises=ValueError),
        call(V, order="Q", _raises=ValueError),
        call([[1, 2], [3]], _raises=ValueError),
        call("text", _raises=TypeError),
    ],
    "asarray_chkfinite": [
        *(call(x) for x in (T, V, B, E, [1, 2.5])),
        call(V, "float32", order="F"),
        call(A([1.0, np.inf]), _raises=ValueError),
        call([np.nan], _raises=ValueError),
        call(A([1, complex(0, np.nan)]), _raises=ValueError),
    ],
    "ascontiguousarray": [*(call(x) for x in (*STRIDED, *OBJECTS)), call(V, "float32")],
    "asfortranarray": [*(call(x) for x in (*STRIDED, *OBJECTS)), call(V, "float32")],
    "copy": [*(call(x) for x in (*STRIDED, *OBJECTS)), call(T, "F"), call(T.T, order="C")],
    "frombuffer": [
        call(BUFFER),
        call(BUFFER, "uint8"),
        call(BUFFER, "int16", 3, 2),
        call(BUFFER, dtype="float32", offset=4),
        call(bytearray(BUFFER), "complex64", count=0),
        call(BUFFER[:3], "int16", _raises=ValueError),
        call(BUFFER, "int16", 9, _raises=ValueError),
    ],
    "fromfunction": [
        call(lambda i, j: i + 2 * j, (2, 3)),
        call(lambda i, j: i == j, (3, 3), dtype=int),
        call(lambda i, k=2: i * k, (3,), k=5, dtype="float32"),
        call(lambda i: i, (0,)),
    ],
    "fromiter": [
        call(range(4), int),
        call(range(4), "float32", 3),
        call([], float),
        call([True, False], bool),
        call([1, 2], int, 3, _raises=ValueError),
    ],
    "require": [
        *(call(T.transpose(1, 0, 2), None, needs) for needs in (None, "C", "F", ["A", "W"], "OE")),
        call(T, "float32", ["F_CONTIGUOUS", "OWNDATA"]),
        call([1, 2], requirements="c"),
        call(T, None, "CF", _raises=ValueError),
        call(T, None, ["Q"], _raises=ValueError),
    ],
}
