# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""The size in bytes that dask assumes for an array."""

from __future__ import annotations

from dask.sizeof import sizeof

from skerry import _core


def array_sizeof(x: _core.Array) -> int:
    """Return the number of bytes in memory: a broadcast axis counts once, as for NumPy arrays."""
    nbytes = int(x.itemsize)
    for length, stride in zip(x.shape, x.strides, strict=True):
        nbytes *= min(length, 1) if stride == 0 else length
    return nbytes


def register() -> None:
    sizeof.register(_core.Array, array_sizeof)
