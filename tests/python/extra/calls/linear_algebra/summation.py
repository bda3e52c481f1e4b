# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Calls of ``skerry._extra.linear_algebra.summation``."""

import numpy as np

from tests.python.extra.extra_calls import A, R, call

V, M, N, S = R((3,)), R((2, 3)), R((3, 4)), R((3, 3))
T, U = R((2, 3, 4)), R((2, 4, 3))
K, J = R((3,), "int32"), R((3, 3), "int32", 1)
Z = R((3, 2), "complex128")
B = A([[True, False], [True, True]])
CLOSE = {"_rtol": 1e-13, "_atol": 1e-13}
FORMULAS = {
    "ij,jk->ik": (M, N),
    "ij,jk": (M, N),
    "ij,jk->ki": (M, N),
    "ii": (S,),
    "ii->i": (S,),
    "ij->": (M,),
    "ij->j": (M,),
    "ji": (M,),
    "ij->ji": (M,),
    "bij,bjk->bik": (T, U),
    "bij,bjk->": (T, U),
    "bij,bkj->bik": (T, T),
    "...ij,...jk->...ik": (T, U),
    "...ij,jk": (T, U[0]),
    "i...,i...->...": (T, T),
    "...->...": (T,),
    "i,j->ij": (V, V),
    "i,i": (V, V),
    "i,i->i": (V, V),
    "ii,i->i": (S, V),
    "ij,ij,ij->j": (M, M, M),
    "ij,jk,kl->il": (M, N, N.T.copy()),
    "a,ab,b->": (R((2,)), M, V),
    "ijk,ilk,jl->k": (T, T, S),
    "ij, jk -> ik": (M, N),
    "i,->i": (V, A(2.0)),
    "ijj->i": (R((2, 3, 3)),),
    "iij,jkk->ik": (R((2, 2, 3)), R((3, 4, 4))),
    "ab,cd,ef->bdf": (M, N, S),
    "...a,...a": (T, R((1, 4))),
    "ij,jk,kl,lm->im": (M, N, N.T.copy(), S),
}

CALLS = {
    "einsum": [
        *(call(formula, *arrays, **CLOSE) for formula, arrays in FORMULAS.items()),
        *(
            call("ij,jk,kl->il", M, N, N.T.copy(), optimize=optimize, **CLOSE)
            for optimize in (True, "optimal", ("greedy", 1000), ["einsum_path", (1, 2), (0, 1)])
        ),
        call("ij,jk,kl->il", M, N, N.T.copy(), optimize=["einsum_path", (0, 1, 2)], **CLOSE),
        *(call(f, B, B) for f in ("ij,ij->ij", "ij,jk->ik", "ij,ij->", "ij,kl->ijkl", "ii,ij->ij")),
        call(K, [np.int64(2)], J, [np.int64(2), 1], [np.int8(1)]),
        call("i,ij", K, J),
        call("i,ij->j", K, J.astype("float32"), _dtype="float32", _rtol=1e-5),
        call("ij->", J),
        call("i,i", K, K, dtype="float64"),
        call("ij,jk->ik", B, B),
        call("ij->j", B),
        call("ij,ik->jk", Z, Z, **CLOSE),
        call(M, [0, 1], N, [1, 2], [0, 2], **CLOSE),
        call(M, [0, 1], N, [1, 2], **CLOSE),
        call(T, [..., 0, 1], [..., 1, 0]),
        call("ij,jk", A([[1.0, 2.0]]), A([[3.0]]), **CLOSE),
        call("ij,jk->ik", np.empty((2, 0)), np.empty((0, 3))),
        call("ij,jk->ik", M, M, _raises=ValueError),
        call("ij->ik", M, _raises=ValueError),
        call(M, [0, 52], _raises=ValueError),
        call(M, [-1, 0], _raises=ValueError),
        call(M, [0, 1], [1, 70], _raises=ValueError),
        call(M, [0.5, 1], _raises=TypeError),
        call(M, "ij", _raises=TypeError),
        call(M, 5, _raises=TypeError),
        call("ij->ii", M, _raises=ValueError),
        call("ij", M, N, _raises=ValueError),
        call("ijk", M, _raises=ValueError),
        call("i1", M, _raises=ValueError),
        call("ii", M, _raises=ValueError),
    ],
    "einsum_path": [
        call("ij,jk,kl->il", M, N, N.T.copy()),
        call("ij,jk,kl->il", M, N, N.T.copy(), optimize="optimal"),
        call("ij,jk", M, N),
    ],
}
