# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Calls of ``skerry._extra.polynomials.fitting``."""

import numpy as np

from tests.python.extra.extra_calls import R, call

CALLS = {
    "polyfit": [
        call(R((9,)), R((9,), seed=1), 3, _rtol=1e-8, _atol=1e-10),
        call(R((9,)), R((9, 2), seed=1), 2, _rtol=1e-8, _atol=1e-10),
        call(R((9,)), R((9,), seed=1), 2, w=R((9,), seed=2, low=0.5), _rtol=1e-8, _atol=1e-10),
        call(np.arange(6), np.arange(6) ** 2, 2, _rtol=1e-8, _atol=1e-10),
        call(R((9,), "float32"), R((9,), "float32", 1), 1, _rtol=1e-5),
        call(R((9,)), R((9,), seed=1), -1, _raises=ValueError),
        call(R((2,)), R((2,), seed=1), 3, _raises=ValueError),
    ],
}
