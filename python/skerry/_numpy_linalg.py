# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Counterparts of NumPy's products, of its linear algebra and of its transforms over two axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import skerry as sk
from skerry._numpy_counterparts import Array, Function, flat, replaces
from skerry._numpy_host import NoCounterpartError


def _sum_product(axis_of_matrix: int) -> Function:
    """``dot`` and ``inner``: over the last axis of ``a``, and that axis of ``b`` if it is no vector."""

    def run(a: Any, b: Any) -> Any:
        if not isinstance(a, Array) or not isinstance(b, Array) or a.ndim == 0 or b.ndim == 0:
            return sk.multiply(a, b)
        return sk.tensordot(a, b, axes=((-1,), (-1 if b.ndim == 1 else axis_of_matrix,)))

    return run


replaces("dot")(_sum_product(-2))
replaces("inner")(_sum_product(-1))
replaces("vdot")(lambda a, b: sk.vecdot(flat(a), flat(b)))
replaces("outer")(lambda a, b: sk.linalg.outer(flat(a), flat(b)))


@replaces("cross")
def cross(
    a: Array, b: Array, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None
) -> Array:
    if axis is None:
        if not axisa == axisb == axisc == -1:
            raise NoCounterpartError(
                "numpy.cross: axisa=, axisb=, axisc= have no counterpart; use axis="
            )
        axis = -1
    return sk.linalg.cross(a, b, axis=_from_the_end(axis, a, b))


def _from_the_end(axis: int, x1: Array, x2: Array) -> int:
    """Count the axis of ``cross`` and ``vecdot`` as the standard does, which knows negative ones only."""
    return axis - x1.ndim if axis >= 0 and x1.ndim == x2.ndim else axis


@replaces("linalg.cross")
def linalg_cross(x1: Array, x2: Array, axis: int = -1) -> Array:
    return sk.linalg.cross(x1, x2, axis=_from_the_end(axis, x1, x2))


@replaces("linalg.vecdot")
def linalg_vecdot(x1: Array, x2: Array, axis: int = -1) -> Array:
    return sk.vecdot(x1, x2, axis=_from_the_end(axis, x1, x2))


@replaces("trace")
def trace(a: Array, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None) -> Array:
    return sk.linalg.trace(sk.moveaxis(a, (axis1, axis2), (-2, -1)), offset=offset, dtype=dtype)


@replaces("diagonal")
def diagonal(a: Array, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Array:
    return sk.linalg.diagonal(sk.moveaxis(a, (axis1, axis2), (-2, -1)), offset=offset)


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
