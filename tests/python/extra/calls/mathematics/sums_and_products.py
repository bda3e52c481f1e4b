# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Calls of ``skerry._extra.mathematics.sums_and_products``."""

import numpy as np

from tests.python.extra.calls.nan_arrays import COMPLEX, INTEGERS, NANS, WITH_DTYPE, reductions
from tests.python.extra.extra_calls import A, R, call

M, N = R((3, 5)), R((3, 5), "int32")
T = R((3, 4, 5))
CLOSE = {"_rtol": 1e-12, "_atol": 1e-13}
RUNNING = [
    call(M, **CLOSE),
    call(M, 0, **CLOSE),
    call(T, axis=-1, **CLOSE),
    call(N, 1),
    call(N, dtype="float64", **CLOSE),
    call(A([True, False, True]), 0),
    call(A(2.0)),
    call(M, 2, _raises=IndexError),
]
V, W = R((3,)), R((3,), seed=1)
LEFT, RIGHT = R((2, 3)), R((3, 2), seed=1)
INTS, LONGS = R((3,), "int32"), R((3,), "int64", 1)
Z = R((2, 3), "complex128")
NEARLY = {"_rtol": 1e-13}

CALLS = {
    "cumsum": RUNNING,
    "cumprod": RUNNING,
    "nansum": reductions(*WITH_DTYPE),
    "nanprod": reductions(*WITH_DTYPE),
    **{
        name: [
            *(
                call(x, axis, _rtol=1e-14)
                for x in (NANS, COMPLEX, INTEGERS)
                for axis in (None, 0, 1)
            ),
            call(NANS, 1, "float32", _rtol=1e-6),
            call(np.empty((0,))),
        ]
        for name in ("nancumsum", "nancumprod")
    },
    "cross": [
        call(V, W, **NEARLY),
        call(LEFT, V, **NEARLY),
        call(RIGHT, R((3, 4)).T[:2].T, axis=0, **NEARLY),
        call(RIGHT, LEFT, axisa=0, **NEARLY),
        call(LEFT, RIGHT, -1, 0, 0, **NEARLY),
        call(INTS, LONGS),
        call(Z, V.astype("complex128"), **NEARLY),
        call(LEFT, R((4,)), _raises=ValueError),
    ],
}
