# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Calls of ``skerry._extra.sets.operations``."""

import numpy as np
from extra_calls import A, R, call

NAN = float("nan")
K, J = A([[3, 1, 2], [3, 7, 7]]), A([7, 3, 4, 4])
F, G = A([2.5, NAN, -1.0, NAN, 2.5]), A([NAN, 2.5, 0.0])
B, E = A([True, False, True]), np.empty((0,), "int64")
U = A([5, 2, 9, 4])
PAIRS = [(K, J), (J, K), (F, G), (B, B[:1]), (E, J), (J, E), (E, E), (A(3), J)]

CALLS = {
    **{name: [call(*p) for p in PAIRS] for name in ("union1d", "intersect1d", "setxor1d")},
    "setdiff1d": [*(call(*p) for p in PAIRS), call(J, U, True)],
}
CALLS["union1d"] += [call(A([1, 2], "int8"), A([3], "int32"))]
CALLS["intersect1d"] += [
    call(K, J, return_indices=True),
    call(U, A([4, 5, 1]), True, True),
    call(U, A([4, 5, 1]), True),
    call(F, F[:1], return_indices=True),
]
CALLS["setxor1d"] += [call(U, A([4, 5, 1]), assume_unique=True)]
CALLS["lexsort"] = [
    call((A([9, 4, 0, 4]), A([1, 5, 1, 5]))),
    call((A([0.5, NAN, 0.5]), A([True, False, True]), A([1, 1, 1]))),
    call((R((3, 4), "int8", high=2, low=0), R((3, 4), "int8", 1, high=2, low=0))),
    call((R((3, 4), "int8", high=2, low=0), R((3, 4), "int8", 1, high=2, low=0)), 0),
    call(R((3, 5), "int8", high=2, low=0)),
    # Keys without signs are joined to one where they fit.
    *(
        call(tuple(R((3, 40), dtype, i, high=9, low=0) for i, dtype in enumerate(dtypes)), axis)
        for dtypes in (["uint8"] * 2, ["uint8", "uint16", "uint8"], ["uint32"] * 2, ["uint64"] * 2)
        for axis in (0, -1)
    ),
    call((A([250, 3, 250]).astype("uint8"), A([True, True, False]))),
    *(call(tuple(R((3, 200), "int8", i, high=9) > 2 for i in range(n)), 1) for n in (2, 8, 9, 65)),
    call((R((200,), "int8") > 0, R((200,), "uint8", high=9, low=0), R((200,), "int8", 1) > 0)),
    call((A([2]), A([0.5]))),
    call((A([[True]]), A([[False]])), 0),
    call((U, U), 3, _raises=IndexError),
    call((E, E)),
    call((K, J), _raises=ValueError),
    call((), _raises=TypeError),
    call((U, U), 3, _raises=IndexError),
]
