# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Calls of ``skerry._extra.statistics.order_statistics``."""

import numpy as np
from skerry._extra.statistics._quantiles import METHODS

from tests.python.extra.extra_calls import A, R, call

NAN = float("nan")
X = R((4, 7), seed=1)
NANS = np.where(R((4, 7), seed=2) > R((4, 7), seed=3), X, NAN)
HALF = A([[3, -1, 2.5, NAN], [0, -0.0, 7, 1]], "float16")
SMALL = A([[3, 1, 2], [9, 7, 8]], "uint8")
ROWS = R((3, 5000), "float32", seed=4)
WEIGHTS = A([1, 0, 2, 1, 1, 0, 3])
QUANTILES = [
    call(X, 0.3),
    call(X, [0.25, 0.5, 1.0], axis=1, keepdims=True),
    call(X, A([[0.1], [0.9]]), axis=(0, 1)),
    call(X, 1),
    call(NANS, 0.5, axis=0),
    call(SMALL, 0.4, axis=0),
    call(ROWS, 0.123, axis=-1, _rtol=1e-6),
    call(ROWS, [0.123, 0.5], axis=-1, _rtol=1e-6),
    call(ROWS, [i / 40 for i in range(41)], axis=-1, _rtol=1e-6),
    call(HALF[1], 0.5),
    call(X, 1.5, _raises=ValueError),
    call(X, -0.1, _raises=ValueError),
    call(X, NAN, _raises=ValueError),
    call(X, 0.5, method="other", _raises=ValueError),
    call(X, 0.5, weights=X, _raises=ValueError),
    call(A([1j, 2]), 0.5, _raises=TypeError),
    *[call(X, [0.0, 0.31, 0.5, 0.9, 1.0], axis=1, method=method) for method in METHODS],
    *[call(A([4, 1, 3, 2]), [0.1, 0.5, 0.75], method=method) for method in METHODS],
    call(X, [0.2, 0.5, 1.0], axis=1, method="inverted_cdf", weights=WEIGHTS),
    call(X, 0.4, method="inverted_cdf", weights=np.abs(X)),
    call(X, 0.4, method="inverted_cdf", weights=-WEIGHTS, axis=1, _raises=ValueError),
]
OF_NAN = [
    call(NANS, 0.3),
    call(NANS, [0.25, 0.5, 1.0], axis=1, keepdims=True),
    call(SMALL, 0.4, axis=0),
    call(A([[NAN, NAN], [1.0, NAN]]), 0.5, axis=1),
    *[call(NANS, [0.0, 0.31, 0.5, 1.0], axis=1, method=method) for method in METHODS],
]


def in_percent(calls):
    """Return calls of the percentile function. The quantiles q are chosen so that 100 * q / 100 is q."""
    scaled = lambda q: (  # noqa: E731
        (100 * q) if not isinstance(q, list) else [100 * quantile for quantile in q]
    )
    return [
        call(
            source_call.args[0],
            scaled(source_call.args[1]),
            _rtol=1e-6,
            _raises=source_call.raises,
            **source_call.kwargs,
        )
        for source_call in calls
        if not isinstance(source_call.args[1], np.ndarray | int)
    ]


MATRIX = R((3, 5))
MATRIX_32, INTEGERS = R((3, 5), "float32"), R((3, 5), "int32")
T = R((2, 3, 4))

CALLS = {
    "quantile": QUANTILES,
    "percentile": in_percent(QUANTILES),
    "nanquantile": OF_NAN,
    "nanpercentile": in_percent(OF_NAN),
    "ptp": [
        *(call(x, axis) for x in (MATRIX, MATRIX_32, INTEGERS) for axis in (None, 0, -1)),
        call(T, (0, 2), keepdims=True),
        call(A([1.0, float("nan")])),
        call(np.empty((0,)), _raises=ValueError),
    ],
}
