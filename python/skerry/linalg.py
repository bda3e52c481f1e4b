# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""The linear algebra extension of the standard: matrices are in the last two axes, stacks of them in the others."""

from __future__ import annotations

from typing import Any

from skerry._core import linalg as _linalg
from skerry._core import matmul, matrix_transpose, tensordot, vecdot

cholesky = _linalg.cholesky
cross = _linalg.cross
det = _linalg.det
diagonal = _linalg.diagonal
eig = _linalg.eig
eigh = _linalg.eigh
eigvals = _linalg.eigvals
eigvalsh = _linalg.eigvalsh
inv = _linalg.inv
matrix_norm = _linalg.matrix_norm
matrix_power = _linalg.matrix_power
matrix_rank = _linalg.matrix_rank
outer = _linalg.outer
pinv = _linalg.pinv
qr = _linalg.qr
slogdet = _linalg.slogdet
solve = _linalg.solve
svd = _linalg.svd
svdvals = _linalg.svdvals
trace = _linalg.trace
vector_norm = _linalg.vector_norm

__all__ = [
    "cholesky",
    "cross",
    "det",
    "diagonal",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "inv",
    "matmul",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "matrix_transpose",
    "outer",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "svd",
    "svdvals",
    "tensordot",
    "trace",
    "vecdot",
    "vector_norm",
]

_RESULTS = ("EigResult", "EighResult", "QRResult", "SVDResult", "SlogdetResult")


def __getattr__(name: str) -> Any:
    if name in _RESULTS:
        return _linalg.result_type(_RESULTS.index(name))
    raise AttributeError(f"module 'skerry.linalg' has no attribute {name!r}")
