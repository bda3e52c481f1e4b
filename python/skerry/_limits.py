# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Results of ``finfo`` and ``iinfo``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

Dtype = np.dtype[Any]


@dataclass(frozen=True)
class FloatInfo:
    """Limits of a floating-point dtype; for a complex dtype, of its real and imaginary parts."""

    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    dtype: Dtype


@dataclass(frozen=True)
class IntegerInfo:
    """Limits of an integer dtype."""

    bits: int
    max: int
    min: int
    dtype: Dtype
