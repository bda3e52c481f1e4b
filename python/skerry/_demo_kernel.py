# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""The Numba kernel of the demo. Its own module: Numba's simulator looks for ``cuda`` among the globals."""

from __future__ import annotations

from typing import Any

from numba import cuda


@cuda.jit  # type: ignore[untyped-decorator, unused-ignore]
def shade(values: Any, grey: Any) -> None:
    """Write 255 for a value of 0 and 0 for a value of 16: a block for a row, a thread for a column."""
    row, column = cuda.blockIdx.x, cuda.threadIdx.x
    grey[row, column] = 255 - int(values[row, column] * (255.0 / 16.0))
