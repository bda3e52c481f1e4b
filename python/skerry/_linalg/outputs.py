# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""``matmul`` and ``vecdot`` with out=, casting=, order=, dtype= or axes=: python/bindings/matmul.cpp calls them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import skerry as sk
from skerry._arrays import shown
from skerry._core import Array
from skerry._extra._operands import axes_within, require_beside
from skerry._extra._outputs import computed_as, ordered, output_argument, stored


def matmul(
    x1: Array,
    x2: Array,
    *,
    out: Any = None,
    casting: str = "same_kind",
    order: str = "K",
    dtype: Any = None,
    axes: Any = None,
) -> Array:
    """Multiply matrices as ``skerry.matmul`` does."""
    require_beside("matmul", x1, casting, order, dtype, axes)
    output = output_argument("matmul", out, x1, x2)
    x1, x2 = computed_as("matmul", dtype, casting, x1, x2)
    if axes is None:
        return stored("matmul", ordered("matmul", x1 @ x2, order), output, casting)
    core_axes = _listed(axes, x1, x2)
    x1, x2 = (
        x if x.ndim < 2 else sk.moveaxis(x, source, (-2, -1))
        for x, source in zip((x1, x2), core_axes, strict=False)
    )
    product = x1 @ x2
    last = tuple(range(-len(core_axes[2]), 0))
    if last:
        product = sk.moveaxis(product, last, axes_within("matmul", core_axes[2], product.ndim))
    return stored("matmul", ordered("matmul", product, order), output, casting)


def _listed(axes: Any, x1: Array, x2: Array) -> list[tuple[int, ...]]:
    """Return the axes of the matrices of both operands and of the result."""
    counts = [min(x1.ndim, 2), min(x2.ndim, 2)]
    counts.append(sum(counts) - 2)
    if not isinstance(axes, Sequence) or len(axes) != 3:
        is_list = isinstance(axes, list | tuple)
        text = f"[{', '.join(map(shown, axes[:4]))}]" if is_list else shown(axes)
        raise ValueError(
            f"matmul: axes must be a list of three tuples: of x1, x2 and the result, not {text}"
        )
    listed = [tuple(one) if isinstance(one, Sequence) else (one,) for one in axes]
    for name, count, one in zip(("x1", "x2", "the result"), counts, listed, strict=True):
        if len(one) != count:
            raise ValueError(f"matmul: axes has {len(one)} axes for {name}, which needs {count}")
    for x, one in zip((x1, x2), listed, strict=False):
        axes_within("matmul", one, x.ndim)
    return listed


def vecdot(
    x1: Array,
    x2: Array,
    *,
    out: Any = None,
    casting: str = "same_kind",
    order: str = "K",
    dtype: Any = None,
    axis: int = -1,
) -> Array:
    """Multiply vectors as ``skerry.vecdot`` does."""
    require_beside("vecdot", x1, casting, order, dtype, axis)
    output = output_argument("vecdot", out, x1, x2)
    x1, x2 = computed_as("vecdot", dtype, casting, x1, x2)
    product = ordered("vecdot", sk.vecdot(x1, x2, axis=axis), order)
    return stored("vecdot", product, output, casting)
