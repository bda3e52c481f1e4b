# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Counterparts of NumPy's products, of its linear algebra and of its transforms over two axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import skerry as sk
from skerry._numpy_counterparts import Array, Function, replaces


def _from_the_end(axis: int, x1: Array, x2: Array) -> int:
    """Count the axis of ``cross`` and ``vecdot`` as the standard does, which knows negative ones only."""
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
            raise ValueError("numpy.linalg.norm: ord= is for one axis or two")
        return sk.linalg.vector_norm(x, axis=axis, keepdims=keepdims)
    if x.ndim == 2 and tuple(i % 2 for i in axis) == (0, 1):
        return sk.linalg.matrix_norm(x, ord=ord, keepdims=keepdims)
    found = sk.linalg.matrix_norm(sk.moveaxis(x, axis, (-2, -1)), ord=ord)
    return sk.expand_dims(found, tuple(i % x.ndim for i in axis)) if keepdims else found


@replaces("linalg.svd")
def svd(a: Array, full_matrices: bool = True, compute_uv: bool = True) -> Any:
    if not compute_uv:
        return sk.linalg.svdvals(a)
    return sk.linalg.svd(a, full_matrices=full_matrices)


def _two_axes(function: Function) -> Function:
    def transform(
        a: Array, s: Any = None, axes: Sequence[int] = (-2, -1), norm: str | None = None
    ) -> Any:
        return function(a, s=s, axes=axes, norm=norm or "backward")

    return transform


for _name in ("fft", "ifft", "rfft", "irfft"):
    replaces(f"fft.{_name}2")(_two_axes(getattr(sk.fft, f"{_name}n")))
