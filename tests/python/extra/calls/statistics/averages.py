# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Calls of ``skerry._extra.statistics.averages``."""

import numpy as np

from tests.python.extra.calls.nan_arrays import BOOLS, INTEGERS, NAN, NANS, WITH_DTYPE, reductions
from tests.python.extra.calls.statistics.order_statistics import HALF, ROWS, SMALL
from tests.python.extra.calls.statistics.order_statistics import NANS as WIDE_NANS
from tests.python.extra.calls.statistics.order_statistics import X as WIDE
from tests.python.extra.extra_calls import A, R, call

DEVIATIONS = [
    call(NANS, 1, None, _rtol=1e-14, ddof=1),
    call(NANS, axis=0, _rtol=1e-14, correction=2),
    call(NANS, axis=0, _rtol=1e-14, mean=np.nanmean(NANS, axis=0, keepdims=True)),
    call(INTEGERS, axis=1, _rtol=1e-14, ddof=1),
]
MATRIX = R((3, 5))
MATRIX_32, WHOLE, PAIRS = R((3, 5), "float32"), R((3, 5), "int32"), R((2, 5), "complex128")
W = A([1, 2, 0, 3, 1])
P = A([0.5, 1.5, 1.0, 0.25, 2.0])
T = R((2, 3, 4))
CLOSE = {"_rtol": 1e-12, "_atol": 1e-14}

CALLS = {
    "nanmean": reductions(*WITH_DTYPE, call(INTEGERS, dtype="int64", _raises=TypeError)),
    "nanvar": reductions(*DEVIATIONS),
    "nanstd": reductions(*DEVIATIONS),
    "average": [
        *(call(x, axis, **CLOSE) for x in (MATRIX, WHOLE, PAIRS, BOOLS) for axis in (None, 0, 1)),
        call(MATRIX_32, _rtol=1e-6),
        call(MATRIX, weights=R((3, 5), seed=2, low=0.1), **CLOSE),
        call(MATRIX, 1, W, **CLOSE),
        call(WHOLE, 1, W, **CLOSE),
        call(MATRIX_32, 1, P.astype("float32"), _rtol=1e-6),
        call(MATRIX, 1, P, True, **CLOSE),
        call(MATRIX, 0, returned=True, **CLOSE),
        call(MATRIX, 1, P, keepdims=True, **CLOSE),
        call(T, (2, 0), R((4, 2), seed=2, low=0.1), **CLOSE),
        call(PAIRS, 1, P, **CLOSE),
        call(MATRIX, weights=P, _raises=TypeError),
        call(MATRIX, 0, P, _raises=ValueError),
    ],
    "median": [
        call(WIDE),
        call(WIDE, 1),
        call(WIDE, axis=(0, 1), keepdims=True),
        call(WIDE[:, :6], axis=-1, keepdims=True),
        call(WIDE_NANS, axis=0),
        call(HALF, axis=1),
        call(SMALL),
        call(SMALL, axis=0),
        call(A([True, False, True, True])),
        call(ROWS, axis=1, _rtol=1e-6),
        call(ROWS.T[::2], axis=0, _rtol=1e-6),
        call(A([])),
        call(A([1j]), _raises=TypeError),
    ],
    "nanmedian": [
        call(WIDE_NANS),
        call(WIDE_NANS, axis=1),
        call(WIDE_NANS, axis=0, keepdims=True),
        call(A([[NAN, NAN], [1.0, NAN]]), axis=1),
        call(SMALL, axis=1),
    ],
}
