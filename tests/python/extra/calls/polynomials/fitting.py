# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Calls of ``skerry._extra.polynomials.fitting``."""

import numpy as np

from tests.python.extra.extra_calls import R, call

CLOSE = {"_rtol": 1e-7, "_atol": 1e-9}

CALLS = {
    "polyfit": [
        call(R((9,)), R((9,), seed=1), 3, _rtol=1e-8, _atol=1e-10),
        call(R((9,)), R((9, 2), seed=1), 2, _rtol=1e-8, _atol=1e-10),
        call(R((9,)), R((9,), seed=1), 2, w=R((9,), seed=2, low=0.5), _rtol=1e-8, _atol=1e-10),
        call(np.arange(6), np.arange(6) ** 2, 2, _rtol=1e-8, _atol=1e-10),
        call(np.arange(6), np.arange(6) ** 2, np.uint8(2), _rtol=1e-8, _atol=1e-10),
        call(R((9,), "float32"), R((9,), "float32", 1), 1, _rtol=1e-5),
        call(R((9,)), R((9,), seed=1), 3.0, **CLOSE),
        call(R((9,)), R((9,), seed=1), np.float32(2), **CLOSE),
        call(R((9,)), R((9,), seed=1), -1, _raises=ValueError),
        call(R((0,)), R((0,)), 3, _raises=ValueError),
        call(R((9,)), R((9,), seed=1), 3, 0.5, **CLOSE),
        call(R((9,)), R((9,), seed=1), 3, None, True, **CLOSE),
        call(R((9,)), R((9, 2), seed=1), 3, full=True, **CLOSE),
        call(R((9,)), R((9,), seed=1), 2, full=True, rcond=0.5, **CLOSE),
        call(R((9,)), R((9,), "complex128", 1), 2, full=True, **CLOSE),
        call(np.asarray([1.0, 1, 1]), R((3,), seed=1), 2, full=True, **CLOSE),
        call(np.arange(3.0), R((3, 2), seed=1), 2, full=True, **CLOSE),
        call(R((9,)), R((9,), seed=1), 2, w=R((9,), seed=2, low=0.5), full=True, **CLOSE),
        call(R((9,)), R((9,), seed=1), 2, cov=True, **CLOSE),
        call(R((9,)), R((9, 2), seed=1), 2, cov=True, **CLOSE),
        call(R((9,)), R((9, 2), seed=1), 2, cov="unscaled", **CLOSE),
        call(
            R((9,)), R((9,), seed=1), 2, None, False, R((9,), seed=2, low=0.5), "unscaled", **CLOSE
        ),
        call(R((3,)), R((3,), seed=1), 2, cov=True, _raises=ValueError),
    ],
}
