# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Counterparts of NumPy's linear algebra functions whose axes have another meaning."""

from __future__ import annotations

import skerry as sk
from skerry._numpy_counterparts import Array, replaces


def _from_the_end(axis: int, x1: Array, x2: Array) -> int:
    """Return the axis of ``cross`` and ``vecdot`` as a negative number, the only form that the standard defines."""
    return axis - x1.ndim if axis >= 0 and x1.ndim == x2.ndim else axis


@replaces("linalg.cross")
def linalg_cross(x1: Array, x2: Array, axis: int = -1) -> Array:
    return sk.linalg.cross(x1, x2, axis=_from_the_end(axis, x1, x2))


@replaces("linalg.vecdot")
def linalg_vecdot(x1: Array, x2: Array, axis: int = -1) -> Array:
    return sk.vecdot(x1, x2, axis=_from_the_end(axis, x1, x2))
