# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Numerical ranges."""

from __future__ import annotations

from typing import Any

import numpy as np

from skerry._core import Array
from skerry._extra.creation import _powers

__all__ = ["geomspace", "logspace"]

Device = Any


def logspace(
    start: float,
    stop: float,
    num: int = 50,
    endpoint: bool = True,
    base: float = 10.0,
    dtype: Any = None,
    *,
    device: Device = None,
) -> Array:
    """Return powers of a base whose exponents are evenly spaced.

    Parameters
    ----------
    start, stop : float or Array
        The first and the last exponent. Arrays are 0-d, and read from the device: the call waits.
    num : int, default 50
        How many.
    endpoint : bool, default True
        Whether ``stop`` is one of them.
    base : float or Array, default 10.0
        Of the powers.
    dtype : dtype, optional
        Of the result; float64 by default. Integers are truncated.
    device : Device or str, optional
        If left out, that of the arrays; without any the default device.

    {Returns: one axis}

    Raises
    ------
    DeviceMismatchError
        For arrays of different devices, or of another than ``device``.
    OverflowError
        For powers that an integer dtype does not hold.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.logspace(0, 2, 3)
    Array([  1.,  10., 100.], dtype=float64, device='cpu:0')

    """
    (start, stop, base), device = _powers.numbers_of(
        "logspace", device, start=start, stop=stop, base=base
    )
    if dtype is not None and np.dtype(dtype).kind in "iu" and num > 0:
        for exponent in _powers.outer_exponents(start, stop, num, endpoint):
            _powers.require_in_range("logspace", _powers.power(base, exponent), dtype)
    result = _powers.powers(base, start, stop, num, endpoint, device)
    return _powers.converted(result, dtype)


def geomspace(
    start: complex,
    stop: complex,
    num: int = 50,
    endpoint: bool = True,
    dtype: Any = None,
    *,
    device: Device = None,
) -> Array:
    """Return numbers of which each is the same multiple of the one before.

    Parameters
    ----------
    start, stop : float or Array
        The first and the last number, of one sign. Arrays are 0-d, and read from the device: the call waits.
    num : int, default 50
        How many.
    endpoint : bool, default True
        Whether ``stop`` is one of them.
    dtype : dtype, optional
        Of the result; float64 by default. Integers are truncated.
    device : Device or str, optional
        If left out, that of the arrays; without any the default device.

    Returns
    -------
    Array
        One axis; ``start`` and ``stop`` are exact.

    Raises
    ------
    ValueError
        For 0, or two signs.
    DeviceMismatchError
        For arrays of different devices, or of another than ``device``.
    OverflowError
        For numbers that an integer dtype does not hold.

    Examples
    --------
    >>> import skerry as sk
    >>> sk.geomspace(1, 100, 3)
    Array([  1.,  10., 100.], dtype=float64, device='cpu:0')

    """
    (start, stop), device = _powers.numbers_of("geomspace", device, start=start, stop=stop)
    return _powers.multiples(start, stop, num, endpoint, dtype, device)
