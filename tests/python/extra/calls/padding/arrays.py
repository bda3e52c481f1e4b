# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Calls of ``skerry._extra.padding.arrays``."""

import numpy as np

from tests.python.extra.extra_calls import A, R, call

V, M, F = R((4,), "int32"), R((3, 4)), R((2, 3, 2), "float32")
Z, B, ONE = R((3,), "complex64"), A([True, False, True]), A([5.0])
E = np.empty((0, 2))
WIDTHS = [2, (1, 3), ((0, 2), (3, 0)), {0: 2}, {-1: (1, 2)}, 0]
FILLING = ("constant", "edge", "reflect", "symmetric", "wrap")
STATISTICS = ("maximum", "minimum", "mean", "median")
ODD = {"reflect_type": "odd", "_rtol": 1e-12, "_atol": 1e-12}


def fill(vector, pair, axis, options):
    vector[: pair[0]] = options.get("first", 10 * axis)
    vector[vector.shape[0] - pair[1] :] = vector.max()


def stated():
    for mode in FILLING:
        yield from (call(M, width, mode) for width in WIDTHS)
        yield from (call(x, 1, mode) for x in (V, F, Z, B))
        yield from (call(x, (5, 9), mode) for x in (V, ONE))
    for mode in STATISTICS:
        yield from (call(M, width, mode, _rtol=1e-14) for width in WIDTHS[:4])
        yield from (call(V, 2, mode, stat_length=n) for n in (1, 2, (3, 2), ((9, 1),)))
        yield call(M, 1, mode, stat_length=((1, 2), (3, 4)), _rtol=1e-14)
        yield call(V, 1, mode)
        yield call(V, 1, mode, stat_length=0, _raises=ValueError)
    for mode in ("reflect", "symmetric"):
        yield from (call(x, width, mode, **ODD) for x in (V, M) for width in (1, (2, 3), (7, 12)))
        yield call(ONE, 3, mode, **ODD)
        yield call(M, 1, mode, reflect_type="no", _raises=ValueError)
    yield from (call(M, w, "linear_ramp", _rtol=1e-13, _atol=1e-15) for w in WIDTHS)
    yield call(V, (3, 4), "linear_ramp", end_values=(-4, 7))
    yield call(M, 2, "linear_ramp", end_values=((1.5, 2), (3, 4)), _rtol=1e-13, _atol=1e-15)
    yield call(V, 2)
    yield call(M, (1, 2), constant_values=(3, 4.5))
    yield call(M, 1, "constant", constant_values=((1, 2), (3, 4)))
    yield call(V, 1, "constant", constant_values=2.7)
    yield call(Z, 1, "constant", constant_values=1j)
    yield call(E, ((2, 1), (1, 0)))
    yield call(A(3.0), 0)
    yield call(E, ((1, 0), (0, 0)), "edge", _raises=ValueError)
    yield call(M, 1, "no", _raises=ValueError)
    yield call(M, -1, _raises=ValueError)
    yield call(M, 0.5, _raises=TypeError)
    yield call(M, 1, "edge", constant_values=1, _raises=ValueError)
    yield call(M, 0, "empty")
    for x in (V, M, F, E, A(3.0), M[::-1, ::2]):
        yield call(x, 2, fill, _rtol=1e-6)
    yield call(M, ((1, 2), (0, 3)), fill, first=7, _rtol=1e-14)
    yield call(M, 1, first=7, _raises=ValueError)
    for mode in ("mean", "median"):
        yield call(M, 2, mode, stat_length=0)
        yield call(F, 1, mode, stat_length=((0, 1),), _rtol=1e-6)
    for mode in ("maximum", "minimum"):
        yield call(M, 2, mode, stat_length=0, _raises=ValueError)
    yield call(M, 2, "mean", stat_length=-1, _raises=ValueError)


CALLS = {"pad": list(stated())}
