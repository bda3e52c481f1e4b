# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Calls of ``skerry._extra.mathematics.differences``."""

from tests.python.extra.extra_calls import A, R, call

V, M, N = R((6,)), R((3, 5)), R((3, 5), "int32")
F, Z, T = R((3, 5), "float32"), R((3, 5), "complex128"), R((3, 4, 5))
P = A([0.0, 0.5, 2.0, 2.25, 4.0])
Q = A([0, 1, 4])
S, U = A([0, 1, 4], "int32"), A([[3, 0], [5, 9], [2, 7]], "uint8")
CLOSE = {"_rtol": 1e-12, "_atol": 1e-13}

CALLS = {
    "ediff1d": [
        call(V),
        call(N),
        call(M, to_end=A([1.0, 2.0])),
        call(M, 9.0, to_begin=[7.0, 8.0]),
        call(N, to_end=5),
        call(Z),
        call(A([1.0])),
        call(N, to_end=0.5, _raises=TypeError),
    ],
    "trapezoid": [
        *(call(x, **CLOSE) for x in (V, M, N, Z)),
        call(F, _rtol=1e-5, _atol=1e-6),
        call(M, P, **CLOSE),
        call(M, Q, axis=0, **CLOSE),
        call(N, P, **CLOSE),
        call(U.astype("uint64"), S, axis=0, **CLOSE),
        call(M, M.cumsum(axis=1), **CLOSE),
        call(M, M.cumsum(axis=0), axis=0, **CLOSE),
        call(M, None, 0.5, 0, **CLOSE),
        call(T, Q, axis=0, **CLOSE),
        call(T, A([0.0, 1, 3, 4]), axis=1, **CLOSE),
        call(M, dx=A([1.0, 2, 3, 4]), **CLOSE),
        call(M, axis=2, _raises=IndexError),
    ],
    "gradient": [
        *(call(x, **CLOSE) for x in (V, M, N, Z, T)),
        call(F, _rtol=1e-5, _atol=1e-6),
        call(M, 0.5, **CLOSE),
        call(M, 0.5, 2, **CLOSE),
        call(M, Q, P, **CLOSE),
        call(M, 2, P, **CLOSE),
        call(M, P, axis=1, **CLOSE),
        call(M, [0.0, 0.5, 2.0, 2.25, 4.0], axis=-1, **CLOSE),
        call(M, axis=(1, 0), **CLOSE),
        call(V, edge_order=2, **CLOSE),
        call(M, Q, P, edge_order=2, **CLOSE),
        call(T, 1, 2, 3, edge_order=2, **CLOSE),
        call(Z, P, axis=1, **CLOSE),
        call(F, Q, P, _rtol=1e-5, _atol=1e-6),
        call(F, P, axis=1, edge_order=2, _rtol=1e-5, _atol=1e-6),
        call(F.astype("float16"), P, axis=1, _rtol=1e-2, _atol=1e-2),
        call(F.astype("complex64"), P, axis=1, _rtol=1e-5, _atol=1e-6),
        call(F, A(2.0), _rtol=1e-5, _atol=1e-6),
        call(U.astype("uint64"), S, axis=0, **CLOSE),
        call(U.astype("int8"), S.astype("uint64"), axis=0, **CLOSE),
        call(U, A([0, 1, 4], "float32"), axis=0, **CLOSE),
        call(M, 1, 2, 3, _raises=TypeError),
        call(M, Q, Q, _raises=ValueError),
        call(A([1.0]), _raises=ValueError),
        call(M, edge_order=3, _raises=ValueError),
        call(M, axis=(0, 0), _raises=ValueError),
    ],
}
