# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Calls of ``skerry._extra.indexing.index_arrays``."""

import numpy as np

from tests.python.extra.extra_calls import A, R, call

M, S, E = R((3, 4)), R((3, 3, 3)), np.empty((0, 2))

CALLS = {
    "indices": [
        call((2, 3)),
        call((2, 3, 4), "float32"),
        call((3,)),
        call((2, 3), sparse=True),
        call((2, 0)),
        call(()),
    ],
    **{
        name: [*(call(3, k) for k in (-1, 0, 2)), call(3, 1, 5), call(4, m=2), call(0)]
        for name in ("tril_indices", "triu_indices")
    },
    **{
        name: [call(M), call(M, 1), call(M.T.copy(), k=-1), call(E), call(S, _raises=ValueError)]
        for name in ("tril_indices_from", "triu_indices_from")
    },
    "ix_": [
        call([0, 1], [2, 4]),
        call(range(2), range(5, 1, -2)),
        call(A([0, 2], "int8"), range(3)),
        call(range(0)),
        call(A([True, False, True]), A([3, 1])),
        call([True, False], A([0, 2], "int8"), [1]),
        call([], A([1])),
        call(A([4, 5, 6])[::-2]),
        call(),
        call(M, _raises=ValueError),
    ],
    "mask_indices": [
        call(3, lambda m, k: m - m + (m.cumsum(axis=1) > 1)),
        call(2, lambda m, k: m * k, 5),
        call(0, lambda m, k: m),
    ],
    "diag_indices": [call(3), call(2, 3), call(0)],
    "diag_indices_from": [call(M[:, :3]), call(S), call(M, _raises=ValueError)],
}
