# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Bit packing."""

from __future__ import annotations

import numpy as np

import skerry as sk
from skerry._core import Array
from skerry._data_types import kind_of
from skerry._extra._operands import as_array, axis_within, flat
from skerry.exceptions import DTypeError

__all__ = ["packbits", "unpackbits"]

UINT8 = np.dtype(np.uint8)


def _shifts(name: str, bitorder: str) -> range:
    """Return how far each bit of a byte is shifted, in the order of the bits."""
    if not isinstance(bitorder, str):
        raise TypeError(f"{name}: bitorder must be a str, not {type(bitorder).__name__}")
    if bitorder not in ("big", "little"):
        raise ValueError(f"{name}: unknown bitorder: {bitorder!r}; use 'big' or 'little'")
    return range(7, -1, -1) if bitorder == "big" else range(8)


def packbits(a: Array, /, axis: int | None = None, bitorder: str = "big") -> Array:
    """Pack the elements of a bool array into the bits of bytes.

    Parameters
    ----------
    a : Array
        Input array of bool or an integer dtype; elements that are not zero are bits of 1.
    axis : {None is flattened}
    bitorder : {"big", "little"}, default "big"
        Whether the first of eight elements is the highest bit of a byte, or the lowest.

    Returns
    -------
    Array
        Array of dtype uint8. The last byte along ``axis`` is padded with zeros.

    Raises
    ------
    DTypeError
        For floating-point dtypes.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.packbits(sk.asarray([True, False, True]))
    Array([160], dtype=uint8, device='cpu:0')

    """
    x = as_array("packbits", a)
    if kind_of(x.dtype) not in "biu":
        raise DTypeError(
            f"packbits: a must be of bool or an integer dtype, not {x.dtype}; compare first"
        )
    x, axis = (flat(x), 0) if axis is None else (x, axis_within("packbits", axis, x.ndim))
    bits = sk.moveaxis(x, axis, -1)
    count = -(-bits.shape[-1] // 8)
    packed = sk.zeros((*bits.shape[:-1], count), dtype=UINT8, device=x.device)
    for i, shift in enumerate(_shifts("packbits", bitorder)):
        part = sk.astype(sk.astype(bits[..., i::8], sk.bool), UINT8)
        packed[..., : part.shape[-1]] |= part << shift
    return sk.moveaxis(packed, -1, axis)


def unpackbits(
    a: Array, /, axis: int | None = None, count: int | None = None, bitorder: str = "big"
) -> Array:
    """Unpack the bits of bytes into elements.

    Parameters
    ----------
    a : Array
        Input array of dtype uint8.
    axis : {None is flattened}
    count : int, optional
        Number of elements of the result along ``axis``: further bits are dropped, missing ones are zeros. A negative
        number drops that many bits from the end. By default all bits.
    bitorder : {"big", "little"}, default "big"
        Whether the first of eight elements is the highest bit of a byte, or the lowest.

    Returns
    -------
    Array
        Array of dtype uint8, with elements 0 and 1.

    Raises
    ------
    DTypeError
        For other dtypes than uint8.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.unpackbits(sk.asarray([160], dtype=sk.uint8), count=3)
    Array([1, 0, 1], dtype=uint8, device='cpu:0')

    """
    x = as_array("unpackbits", a)
    if x.dtype != UINT8:
        raise DTypeError(f"unpackbits: a must be of uint8, not {x.dtype}; use astype or view")
    x, axis = (flat(x), 0) if axis is None else (x, axis_within("unpackbits", axis, x.ndim))
    packed = sk.moveaxis(x, axis, -1)
    total = 8 * packed.shape[-1]
    if count is not None and count < -total:
        raise ValueError(f"unpackbits: count={count} drops more than all {total} bits")
    length = total if count is None else count if count >= 0 else total + count
    bits = sk.zeros((*packed.shape[:-1], length), dtype=UINT8, device=x.device)
    for i, shift in enumerate(_shifts("unpackbits", bitorder)):
        part = bits[..., i:total:8]
        part[...] = (packed[..., : part.shape[-1]] >> shift) & 1
    return sk.moveaxis(bits, -1, axis)
