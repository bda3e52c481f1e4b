# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Handling of out-of-bounds indices."""

from __future__ import annotations

import numpy as np

import skerry as sk
from skerry import _core
from skerry._arrays import shown
from skerry._core import Array
from skerry._data_types import kind_of
from skerry._extra._operands import cast
from skerry.exceptions import DTypeError

INT64 = np.dtype(np.int64)


def within(name: str, parameter: str, positions: Array, n: int, mode: str) -> Array:
    """Check, wrap or clip indices, the argument of ``parameter``, to range(n) according to ``mode``."""
    if positions.dtype is not INT64 and kind_of(positions.dtype) not in "iub":
        raise DTypeError(
            f"{name}: {parameter} must be integers, not {positions.dtype}; convert with astype"
        )
    if positions.dtype == np.uint64:
        # Values beyond int64 are out of bounds; a cast would make them negative.
        positions = positions % n if mode == "wrap" and n else sk.minimum(positions, n)
    positions = cast(positions, INT64)
    if mode == "raise":
        # Negative indices of `put` count from the end.
        wraps = name == "put"
        if _core.lie_below(positions + n, 2 * n) if wraps else _core.lie_below(positions, n):
            return sk.where(positions < 0, positions + n, positions) if wraps else positions
        error = IndexError if wraps else ValueError
        raise error(f"{name}: an index is out of bounds for {n}; use mode='wrap' or 'clip'")
    if n == 0 and positions.size > 0:
        raise ValueError(f"{name}: no index is valid, as there are no elements")
    if mode == "wrap":
        return positions % n
    if mode == "clip":
        return sk.clip(positions, 0, n - 1)
    raise ValueError(f"{name}: unknown mode: {shown(mode)}; use 'raise', 'wrap' or 'clip'")
