# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Calls of ``skerry._extra.functional.along_axes``."""

import numpy as np

from tests.python.extra.extra_calls import R, call

T = R((2, 3, 4))
AXES = (0, 1, 2, -1)


def total(x, axis=-1):
    return x.sum(axis=axis)


def first_two(x):
    return x[:2] * 2


def square(x):
    return x[:, None] * x[None, :]


def item(x, i, plus=0):
    return x[i] + plus


CALLS = {
    "apply_along_axis": [
        *(
            call(function, axis, T, _rtol=1e-14)
            for function in (total, first_two, square)
            for axis in AXES
        ),
        call(lambda x: 3, 0, T),
        call(lambda x: [1.5, 2], 1, T),
        call(item, 0, T, 1, plus=2),
        call(total, 0, R((3,), "int32"), _dtype="int64"),
        call(total, 1, np.ones((2, 0))),
        call(total, 0, T[::-1].transpose(2, 0, 1), _rtol=1e-14),
        call(total, 0, np.ones((2, 0)), _raises=ValueError),
        call(total, 3, T, _raises=IndexError),
    ],
    "apply_over_axes": [
        *(call(total, T, axes, _rtol=1e-14) for axes in ([0, 2], -1, (1,), (0, 1, 2), ())),
        call(lambda x, axis: x * 2, T, [0]),
        call(total, R((2, 3), "int32"), 1, _dtype="int64"),
        call(lambda x, axis: x.sum(), T, (0,), _raises=ValueError),
        call(total, T, 3, _raises=IndexError),
    ],
}
