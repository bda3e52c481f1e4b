# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Calls of ``skerry._extra.mathematics.miscellaneous``."""

import numpy as np

from tests.python.extra.calls.nan_arrays import BOOLS, COMPLEX, INTEGERS, NAN, NANS, SOME_NANS_32
from tests.python.extra.extra_calls import A, R, call

INF = float("inf")
SHORT = [
    (R((7,)), R((3,), seed=1)),
    (R((3,)), R((8,), seed=1)),
    (R((5,)), R((5,), seed=1)),
    (R((40,)), R((6,), seed=1)),
    (R((40,)), R((33,), seed=1)),
    (R((4,), "complex128"), R((7,), "complex128", 1)),
    (R((70,), "complex128"), R((7,), "complex128", 1)),
    (R((1,)), R((1,))),
]
SQUARE = A([[1.0, NAN, INF], [-INF, NAN, 2.0]])
WHOLE = [
    (R((7,), "int32"), R((4,), "int32", 1)),
    (R((50,), "int64"), R((20,), "int64", 1)),
    (R((9,), "bool"), R((4,), "bool", 1)),
    (A([1, 2, INF, 4, 5, NAN, 7, -INF, 1]), A([1.0, 0.5, 2.0])),
    (A([1, 2, INF, 4, 5, 6, 7, -INF, 1, 3, 4, 5]), A([1.0, 0.5, 2.0, 1.0, 3.0])),
]
LONG = [
    (R((600,)), R((400,), seed=1)),
    (R((400,), "complex128"), R((450,), "complex128", 1)),
]
MODES = ("full", "same", "valid")
PAIRS = [
    *(call(*pair, mode, _rtol=1e-12, _atol=1e-12) for pair in SHORT for mode in MODES),
    *(call(*pair, mode) for pair in WHOLE for mode in MODES),
    *(call(*pair, mode, _rtol=1e-12, _atol=2e-11) for pair in LONG for mode in MODES),
    call(R((600,), "int32"), R((550,), "int32", 1), "full"),
    call(R((50,), "float32"), R((9,), "float32", 1), "full", _rtol=1e-4, _atol=1e-4),
    call(R((3,)), R((2,)), _rtol=1e-13),
    call(R((3, 2)), R((2,)), _raises=ValueError),
    call(R((3,)), np.empty((0,)), _raises=ValueError),
    call(R((3,)), R((2,)), "no", _raises=ValueError),
]
XP, FP = A([-1.0, 0.0, 0.5, 2.0]), A([3.0, -1.0, 4.0, 0.5])
X = A([-2.0, -1.0, -0.25, 0.0, 0.1, 1.0, 2.0, 2.5, NAN, INF, -INF])
CLOSE = {"_rtol": 1e-14, "_atol": 1e-15}
SIGNS = A([-1.5, 0.0, -0.0, 2.0, 0.3, -2.7, NAN, INF, -INF])
Y = A([1.0, 0.5, -2.0, NAN, 0.7, 2.0, 1.0, 3.0, 2.0])
F, N = R((5,), "float32"), R((6,), "int32")
Z = R((4,), "complex128")
NOT_COMPLEX = call(Z, _raises=TypeError)
ENDS = A([1.0, NAN, INF, -INF, -0.0])

CALLS = {
    "bitwise_count": [
        *(call(R((40,), dtype, 3)) for dtype in ("int8", "int64", "uint16", "uint64")),
        *(
            call(A([np.iinfo(dtype).min, np.iinfo(dtype).max, 0], dtype))
            for dtype in ("int8", "int32", "int64")
        ),
        call(A([[-1, 255], [7, -8]], "int32")[::-1, ::-1]),
        call(A([True, False])),
        call(A([1.0]), _raises=TypeError),
    ],
    "cbrt": [
        call(A([27.0, -8.0, 0.0, -0.0, INF, -INF, NAN, 5e-324, 1e300]), _rtol=4e-16),
        call(R((7, 5), "float64", 2)[::2, ::-1], _rtol=4e-16),
        call(R((9,), "float32", 2), _rtol=2e-7),
        call(A([-27, 8, 1]), _rtol=4e-16),
        call(A([1j]), _raises=TypeError),
    ],
    "convolve": [*PAIRS, call(A(2.0), R((2,)), _rtol=1e-13)],
    "interp": [
        call(X, XP, FP, **CLOSE),
        call(X, XP, FP, -9.0, 9.0, **CLOSE),
        call(X, XP, FP, right=7, **CLOSE),
        call(R((3, 4)), XP, FP, **CLOSE),
        call(X[:-2], XP, FP, period=2.5, **CLOSE),
        call(X[:-2], FP, XP, period=3, **CLOSE),
        call(X.astype("float32"), XP.astype("float32"), FP, **CLOSE),
        call(A([-1, 0, 1, 5]), A([0, 2, 4]), A([10, 20, 15]), **CLOSE),
        call(X, XP, FP + 1j * XP, **CLOSE),
        call(0.25, XP, FP + 1j * XP, **CLOSE),
        call(0.5, [0, 1], A([1 + 2j, 3.0]), **CLOSE),
        call(A([0.5, 3.0]), [0.0, 1.0], [1j, 3.0], left=2j, **CLOSE),
        call(0.25, XP, FP, **CLOSE),
        call(A(0.25), XP, FP, **CLOSE),
        call(X, XP[:1], FP[:1], **CLOSE),
        call(np.empty((0,)), XP, FP),
        call(X, XP, FP[:2], _raises=ValueError),
        call(X, XP[:0], FP[:0], _raises=ValueError),
        call(X, XP, FP, period=0, _raises=ValueError),
    ],
    "heaviside": [
        call(SIGNS, 0.5),
        call(SIGNS, Y),
        call(N, 1.0, _dtype="float64"),
        call(F, F),
        call(Z, 1.0, _raises=TypeError),
    ],
    "fabs": [call(SIGNS), call(F), call(A([-3, 2])), NOT_COMPLEX],
    "nan_to_num": [
        *(call(x) for x in (NANS, SOME_NANS_32, COMPLEX, INTEGERS, BOOLS)),
        *(call(x) for x in (ENDS, ENDS.astype("float32"), A(NAN))),
        call(A([complex(INF, NAN), complex(1, -INF)]), _rtol=1e-15),
        call(ENDS, nan=2.5, posinf=1e3, neginf=-1e3),
        call(ENDS, True, 1.0, 5),
        call(ENDS, copy=False),
        call(INTEGERS, copy=False),
        *(call(SQUARE, **{name: A([3.0, 4, 5])}) for name in ("nan", "posinf", "neginf")),
        *(call(SQUARE, **{name: A([[3.0], [4]])}) for name in ("nan", "posinf", "neginf")),
        call(SQUARE, nan=A([3, 4, 5]), posinf=[[1.0], [2]], neginf=A(7, "float32")),
        call(SQUARE.astype("float32"), nan=A([3.0, 4, 5]), copy=False),
        call(SQUARE[::-1, ::-1], nan=A([3.0, 4, 5])),
        call(SQUARE[:0], nan=A([3.0, 4, 5])),
        call(A(NAN), nan=A(2.0), posinf=A(3.0)),
        call(COMPLEX, nan=A(2.5), posinf=A(3.0)),
        call(INTEGERS, nan=A(2)),
        *(
            call(ENDS[0], **{name: SQUARE}, _raises=ValueError)
            for name in ("nan", "posinf", "neginf")
        ),
        call(SQUARE, nan=A([3.0, 4]), _raises=ValueError),
        call(SQUARE, nan=A(1j), _raises=TypeError),
    ],
}
