# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Copying."""

from __future__ import annotations

from typing import Any

import numpy as np

import skerry as sk
from skerry._core import Array
from skerry._extra._operands import as_arrays, cast

__all__ = ["copyto"]


def copyto(dst: Array, src: Any, casting: str = "same_kind", where: Any = True) -> None:
    """Write an array or a scalar into another array.

    Parameters
    ----------
    dst : {written}
    src : Array or scalar
        Of a shape that broadcasts to that of ``dst``.
    casting : str, default "same_kind"
        Which conversions are allowed, as NumPy's ``can_cast`` names them.
    where : Array of bool, optional
        Where to write.

    Raises
    ------
    {DeviceMismatchError}
    TypeError
        For a conversion that is not allowed.

    Examples
    --------
    >>> import skerry as sk
    >>> x = sk.zeros((3,))
    >>> sk.copyto(x, 2.0, where=sk.asarray([True, False, True]))
    >>> x
    Array([2., 0., 2.], dtype=float64, device='cpu:0')

    """
    _, source, mask = as_arrays("copyto", dst, src, where)
    if not np.can_cast(source.dtype, dst.dtype, casting):  # type: ignore[arg-type]
        raise TypeError(
            f"copyto: {source.dtype} to {dst.dtype} is not {casting}; convert by astype"
        )
    source = cast(source, dst.dtype)
    if where is True:
        dst[...] = source
    else:
        dst[...] = sk.where(sk.broadcast_to(cast(mask, sk.bool), dst.shape), source, dst)
