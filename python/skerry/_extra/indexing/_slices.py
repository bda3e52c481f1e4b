# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Slices that list points: their step is a distance, or an imaginary number of points."""

from __future__ import annotations

from typing import Any

import numpy as np

import skerry as sk
from skerry._core import Array
from skerry._data_types import result_type

COMPLEX = (complex, np.complexfloating)


def step_count(step: Any) -> int:
    """Return the number of points of a slice with an imaginary step."""
    return int(abs(step))


def points_of(key: slice, device: Any) -> Array:
    """Return the points of a slice as a 1-D array."""
    start: Any = 0 if key.start is None else key.start
    step: Any = 1 if key.step is None else key.step
    if not isinstance(step, COMPLEX):
        if key.stop is None:  # as in NumPy, where a single number is the end
            return sk.arange(0, start, step, device=device)
        return sk.arange(start, key.stop, step, device=device)
    count = step_count(step)
    distance = (key.stop - start) / float(count - 1) if count != 1 else count
    dtype = result_type(start, key.stop, 1.0)
    points: Array = sk.arange(count, dtype=dtype, device=device) * distance + start
    return points
