# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Layouts of arrays in memory."""

from __future__ import annotations

from skerry._core import Array


def is_contiguous(x: Array, order: str) -> bool:
    """Return whether elements are adjacent in memory, last axis fastest ("C") or first axis fastest ("F")."""
    axes = list(zip(x.shape, x.strides, strict=True))
    expected = x.itemsize
    for length, stride in reversed(axes) if order == "C" else axes:
        if length == 0:
            return True
        if length > 1 and stride != expected:
            return False
        expected *= length
    return True
