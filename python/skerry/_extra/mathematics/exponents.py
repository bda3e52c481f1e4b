# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Exponents."""

from __future__ import annotations

from typing import Any

import skerry as sk
from skerry import _core
from skerry._core import Array
from skerry._extra._operands import floating

__all__ = ["exp2"]


def exp2(x: Any, /) -> Array:
    """Compute ``2**x`` for each element.

    Parameters
    ----------
    x : {real}

    {Returns: floating}

    Examples
    --------
    >>> import skerry as sk
    >>> sk.exp2(sk.asarray([0.5, 3.0]))
    Array([1.41421356, 8.        ], dtype=float64, device='cpu:0')

    """
    (x,) = floating("exp2", x)
    result: Array = sk.pow(2.0, x) if x.dtype.kind == "c" else _core.exp2(x)
    return result
