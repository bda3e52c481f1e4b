# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""The Numba kernel of the demo, in a module of its own: Numba's simulator looks up ``cuda`` in the globals."""

from __future__ import annotations

from typing import Any

from numba import cuda


@cuda.jit  # type: ignore[untyped-decorator, unused-ignore]
def shade(values: Any, grey: Any) -> None:
    """Map values from 0 to 16 to grey levels from 255 to 0; one block per row, one thread per column."""
    row, column = cuda.blockIdx.x, cuda.threadIdx.x
    grey[row, column] = 255 - int(values[row, column] * (255.0 / 16.0))
