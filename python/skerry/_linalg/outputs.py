# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Products of matrices and vectors with out=, casting=, order=, dtype=, axes= or axis=.

``matmul`` and ``vecdot`` are called by python/bindings/matmul.cpp.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import skerry as sk
from skerry._arrays import shown
from skerry._core import Array
from skerry._extra._compute_options import computed_as, ordered
from skerry._extra._operands import axes_within, require_beside
from skerry._outputs import output_argument, store

_NAMES = ("x1", "x2", "the result")


def product(
    name: str,
    function: Callable[[Array, Array], Array],
    counts: tuple[int, int, int],
    x1: Array,
    x2: Array,
    *,
    out: Any = None,
    casting: str = "same_kind",
    order: str = "K",
    dtype: Any = None,
    axes: Any = None,
) -> Array:
    """Multiply by a function of the last axes; ``counts`` says how many axes x1, x2 and the result have of them."""
    require_beside(name, x1, casting, order, dtype, axes)
    output = output_argument(name, out, x1, x2)
    x1, x2 = computed_as(name, dtype, casting, x1, x2)
    if axes is None:
        return store(name, ordered(name, function(x1, x2), order), output, casting)
    listed = _listed(name, axes, counts)
    x1, x2 = (
        _moved(x, axes_within(name, source, x.ndim), at_end)
        for x, source, at_end in zip((x1, x2), listed, map(_last, counts), strict=False)
    )
    result = function(x1, x2)
    target = axes_within(name, listed[2], result.ndim)
    result = _moved(result, _last(counts[2]), target)
    return store(name, ordered(name, result, order), output, casting)


def _last(count: int) -> tuple[int, ...]:
    return tuple(range(-count, 0))


def _moved(x: Array, source: Sequence[int], destination: Sequence[int]) -> Array:
    return sk.moveaxis(x, tuple(source), tuple(destination)) if source else x


def _listed(name: str, axes: Any, counts: tuple[int, int, int]) -> list[tuple[int, ...]]:
    """Return the axes of both operands and of the result; that of a scalar result may be left out."""
    lengths = (2, 3) if counts[2] == 0 else (3,)
    if not isinstance(axes, Sequence) or len(axes) not in lengths:
        is_list = isinstance(axes, list | tuple)
        text = f"[{', '.join(map(shown, axes[:4]))}]" if is_list else shown(axes)
        raise ValueError(
            f"{name}: axes must be a list of three tuples: of x1, x2 and the result, not {text}"
        )
    listed = [tuple(one) if isinstance(one, Sequence) else (one,) for one in (*axes, ())[:3]]
    for operand, count, one in zip(_NAMES, counts, listed, strict=True):
        if len(one) != count:
            raise ValueError(f"{name}: axes has {len(one)} axes for {operand}, which needs {count}")
    return listed


def matmul(x1: Array, x2: Array, **options: Any) -> Array:
    """Multiply matrices as ``skerry.matmul`` does."""
    counts = min(x1.ndim, 2), min(x2.ndim, 2)
    return product("matmul", operator.matmul, (*counts, sum(counts) - 2), x1, x2, **options)


def vecdot(x1: Array, x2: Array, *, axis: int | None = None, **options: Any) -> Array:
    """Multiply vectors as ``skerry.vecdot`` does."""
    if axis is not None and options.get("axes") is not None:
        raise TypeError("vecdot: axis and axes say the same; pass one of them")
    require_beside("vecdot", x1, axis)

    def function(x1: Array, x2: Array) -> Array:
        return sk.vecdot(x1, x2, axis=-1 if axis is None else axis)

    return product("vecdot", function, (1, 1, 0), x1, x2, **options)
