# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Calls of ``skerry._extra.windows.formulas``."""

from tests.python.extra.extra_calls import call

SIZES = (-1, 0, 1, 2, 3, 7, 8, 64, 0.5, 1.5, 4.3)
CLOSE = {"_rtol": 1e-13, "_atol": 1e-15}
ALL = [call(size, **CLOSE) for size in SIZES]

CALLS = {
    "bartlett": ALL,
    "blackman": ALL,
    "hamming": ALL,
    "hanning": ALL,
    "kaiser": [call(size, beta, **CLOSE) for size in SIZES for beta in (0, 8.6, -3.0)],
}
