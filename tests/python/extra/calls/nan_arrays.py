# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Arrays with NaN, and calls of their reductions, for topics of several chapters."""

import numpy as np

from tests.python.extra.extra_calls import A, R, call

NAN = float("nan")
NANS = A([[1.0, NAN, 3.5], [NAN, NAN, NAN], [-2.0, 4.0, 0.5], [7.0, -1.0, NAN]])
SOME_NANS = A([[1.0, NAN, 3.5], [-2.0, 4.0, 0.5]])
SOME_NANS_32 = SOME_NANS.astype("float32")
COMPLEX = A([[1 + 2j, NAN, 3j], [2, 1j, complex(NAN, 1)]])
INTEGERS = R((3, 4), "int32")
BOOLS = A([[True, False], [True, True]])

OVER = [{}, {"axis": 0}, {"axis": 1, "keepdims": True}, {"axis": (0, 1)}, {"axis": -1}]
WITH_DTYPE = [
    call(NANS, 0, "float32", _rtol=1e-6),
    call(np.empty((0, 3)), axis=0),
    call(np.empty((0, 3)), axis=1),
]


def reductions(*more):
    """Return calls of a sum, mean or variance over any axes, followed by ``more``."""
    arrays = [NANS, COMPLEX, INTEGERS, BOOLS]
    calls = [call(x, _rtol=1e-14, **options) for x in arrays for options in OVER]
    calls += [call(SOME_NANS_32, _rtol=1e-6, axis=0)]
    calls += [call(A(x), _rtol=1e-14) for x in (2.0, NAN)]
    return [*calls, *more]
