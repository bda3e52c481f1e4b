# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Complex numbers."""

from __future__ import annotations

import math
from typing import Any

import skerry as sk
from skerry import _core
from skerry._core import Array
from skerry._data_types import kind_of, limits_of
from skerry._extra._operands import as_array, floating, in_passes

__all__ = ["angle", "real_if_close"]


def angle(z: Any, deg: bool = False) -> Array:
    """Return the angle of complex numbers, counterclockwise from the positive real axis.

    Parameters
    ----------
    z : Array
        Input array of a numeric dtype; real numbers have the angles 0 and pi.
    deg : bool, default False
        Whether to return degrees instead of radians.

    Returns
    -------
    Array
        Angles from -pi to pi, of a real dtype.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.angle(sk.asarray([1j, -1.0]), deg=True)
    Array([ 90., 180.], dtype=float64, device='cpu:0')

    """
    if isinstance(z, Array) and kind_of(z.dtype) in "iu":
        return sk.where(z < 0, 180.0 if deg else math.pi, 0.0)
    (x,) = floating("angle", z)
    is_complex = kind_of(x.dtype) == "c"
    result = sk.atan2(sk.imag(x), sk.real(x)) if is_complex else _core.angle(x)
    return result * (180 / math.pi) if deg else result


def real_if_close(a: Any, tol: float = 100) -> Array:
    """Return the real parts if all imaginary parts are close to zero.

    Whether all are close is read from the device: the call waits for it.

    Parameters
    ----------
    a : {numbers}
    tol : float, default 100
        Tolerance: in units of the machine epsilon of the dtype if above 1, else absolute.

    Returns
    -------
    Array
        The real parts, or ``a`` itself.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.real_if_close(sk.asarray([1 + 1e-15j]))
    Array([1.], dtype=float64, device='cpu:0')

    """
    x = as_array("real_if_close", a)
    if kind_of(x.dtype) != "c":
        return x
    bound = tol * float(limits_of(x.dtype).eps) if tol > 1 else tol
    return sk.real(x) if _are_real(x, bound) else x


@in_passes
def _are_real(x: Array, bound: float) -> bool:
    return bool(sk.all(sk.abs(sk.imag(x)) < bound))
