# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Counterparts of NumPy's linear algebra functions and two-dimensional Fourier transforms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import skerry as sk
from skerry._numpy_counterparts import Array, Function, replaces
from skerry.exceptions import ShapeError


def _from_the_end(axis: int, x1: Array, x2: Array) -> int:
    """Return the axis of ``cross`` and ``vecdot`` as a negative number, the only form that the standard defines."""
    return axis - x1.ndim if axis >= 0 and x1.ndim == x2.ndim else axis


@replaces("linalg.cross")
def linalg_cross(x1: Array, x2: Array, axis: int = -1) -> Array:
    return sk.linalg.cross(x1, x2, axis=_from_the_end(axis, x1, x2))


@replaces("linalg.vecdot")
def linalg_vecdot(x1: Array, x2: Array, axis: int = -1) -> Array:
    return sk.vecdot(x1, x2, axis=_from_the_end(axis, x1, x2))


@replaces("linalg.norm")
def norm(x: Array, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Array:
    if axis is None and (ord is None or x.ndim == 1):
        return sk.linalg.vector_norm(x, ord=2 if ord is None else ord, keepdims=keepdims)
    if axis is None:
        axis = tuple(range(x.ndim))
    if isinstance(axis, int) or len(axis) == 1:
        return sk.linalg.vector_norm(x, ord=2 if ord is None else ord, axis=axis, keepdims=keepdims)
    if ord is None or len(axis) != 2:
        if ord is not None:
            raise ValueError(f"numpy.linalg.norm: ord= needs one or two axes, not {len(axis)}")
        return sk.linalg.vector_norm(x, axis=axis, keepdims=keepdims)
    if x.ndim == 2 and tuple(i % 2 for i in axis) == (0, 1):
        return sk.linalg.matrix_norm(x, ord=ord, keepdims=keepdims)
    result = sk.linalg.matrix_norm(sk.moveaxis(x, axis, (-2, -1)), ord=ord)
    return sk.expand_dims(result, tuple(i % x.ndim for i in axis)) if keepdims else result


@replaces("linalg.svd")
def svd(a: Array, full_matrices: bool = True, compute_uv: bool = True) -> Any:
    if not compute_uv:
        return sk.linalg.svdvals(a)
    return sk.linalg.svd(a, full_matrices=full_matrices)


@replaces("linalg.lstsq")
def lstsq(a: Array, b: Array, rcond: float | None = None) -> tuple[Array, Array, int, Array]:
    """Solve by the singular values above ``rcond`` times the largest; the rank is read from the device."""
    if a.ndim != 2 or b.ndim not in (1, 2) or a.shape[0] != b.shape[0]:
        raise ShapeError(
            f"numpy.linalg.lstsq: incompatible shapes of a and b: {a.shape} and {b.shape}"
        )
    rows, columns = a.shape
    dtype = sk.result_type(*(x if x.dtype.kind in "fc" else sk.float64 for x in (a, b)))
    a, b = sk.astype(a, dtype, copy=False), sk.astype(b, dtype, copy=False)
    right = b if b.ndim == 2 else b[:, None]
    if a.size:
        u, s, vh = sk.linalg.svd(a, full_matrices=False)
        least = float(np.finfo(dtype).eps)
        if rcond is None or rcond >= 0:
            least = least * max(rows, columns) if rcond is None else rcond
        is_kept = s > least * s[0]
        rank = int(sk.count_nonzero(is_kept))
        inverse = sk.where(is_kept, 1 / sk.where(is_kept, s, 1), 0)[:, None]
        x = sk.conj(vh.T) @ (sk.astype(inverse, dtype) * (sk.conj(u.T) @ right))
    else:
        s = sk.zeros((0,), dtype=np.finfo(dtype).dtype, device=a.device)
        rank, x = 0, sk.zeros((columns, right.shape[1]), dtype=dtype, device=a.device)
    residuals = sk.sum(abs(right - a @ x) ** 2, axis=0)
    if rank < columns or rows <= columns:
        residuals = residuals[:0]
    return (x if b.ndim == 2 else x[:, 0]), residuals, rank, s


def _two_axes(function: Function) -> Function:
    def transform(
        a: Array, s: Any = None, axes: Sequence[int] = (-2, -1), norm: str | None = None
    ) -> Any:
        return function(a, s=s, axes=axes, norm=norm or "backward")

    return transform


for _name in ("fft", "ifft", "rfft", "irfft"):
    replaces(f"fft.{_name}2")(_two_axes(getattr(sk.fft, f"{_name}n")))
