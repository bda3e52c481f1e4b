# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Calls of ``skerry._extra.windows.formulas``."""

import numpy as np

from tests.python.extra.extra_calls import A, call

SIZES = (-1, 0, 1, 2, 3, 7, 8, 64, 0.5, 1.5, 4.3)
CLOSE = {"_rtol": 1e-13, "_atol": 1e-15}
#: Unsigned numbers wrap around in 1 - M. NumPy 2 computes with Python's numbers, as is done here.
OF_NUMPY = [np.uint8(7), np.int8(5), np.float32(4.5), A(9, "uint16"), A(8, "int64")]
ALL = [call(size, **CLOSE) for size in (*SIZES, *OF_NUMPY)]

CALLS = {
    "bartlett": ALL,
    "blackman": ALL,
    "hamming": ALL,
    "hanning": ALL,
    "kaiser": [
        call(size, beta, **CLOSE) for size in (*SIZES, *OF_NUMPY) for beta in (0, 8.6, -3.0)
    ],
}
