# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Copying."""

from __future__ import annotations

from typing import Any

import skerry as sk
from skerry._core import Array
from skerry._data_types import can_cast
from skerry._extra._operands import as_arrays, cast

__all__ = ["copyto"]


def copyto(dst: Array, src: Any, casting: str = "same_kind", where: Any = True) -> None:
    """Copy values from one array to another, with broadcasting.

    Parameters
    ----------
    dst : {written}
    src : Array or scalar
        Values to copy. They broadcast to the shape of ``dst``.
    casting : str, default "same_kind"
        Which conversions are allowed; see ``numpy.can_cast``.
    where : Array of bool, optional
        Mask of the elements to write, which broadcasts to the shape of ``dst``. By default all.

    Raises
    ------
    {DeviceMismatchError}
    TypeError
        If ``casting`` does not allow the conversion.

    Examples
    --------
    >>> import skerry as sk
    >>> x = sk.zeros((3,))
    >>> sk.copyto(x, 2.0, where=sk.asarray([True, False, True]))
    >>> x
    Array([2., 0., 2.], dtype=float64, device='cpu:0')

    """
    _, source, mask = as_arrays("copyto", dst, src, where, names=("dst", "src", "condition"))
    if not can_cast(source.dtype, dst.dtype, casting):
        raise TypeError(
            f"copyto: can't cast {source.dtype} to {dst.dtype} with casting={casting!r}; convert with astype"
        )
    source = cast(source, dst.dtype)
    if where is True:
        dst[...] = source
    else:
        dst[...] = sk.where(sk.broadcast_to(cast(mask, sk.bool), dst.shape), source, dst)
