# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Singular values of Hermitian matrices."""

from __future__ import annotations

import skerry as sk
from skerry._core import Array


def svd_of_hermitian(x: Array, compute_uv: bool) -> Array | tuple[Array, Array, Array]:
    """Return U, S and Vh, or only S, from the eigenvalues of the lower triangle.

    The columns of U are the eigenvectors by descending magnitude of the eigenvalue; Vh has those of a negative
    eigenvalue with the other sign.
    """
    if not compute_uv:
        values: Array = sk.linalg.eigvalsh(x)
        return sk.sort(sk.abs(values), axis=-1, descending=True)
    values, vectors = sk.linalg.eigh(x)
    order = sk.argsort(sk.abs(values), axis=-1, descending=True)
    values = sk.take_along_axis(values, order, axis=-1)
    u = sk.take_along_axis(vectors, order[..., None, :], axis=-1)
    signed = sk.where((values < 0)[..., None, :], -u, u)
    result = sk.linalg.SVDResult(u, sk.abs(values), sk.conj(signed.mT))
    return result
