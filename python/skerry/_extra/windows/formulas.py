# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Windows."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import skerry as sk
from skerry._core import Array
from skerry._extra._operands import FLOAT64

__all__ = ["bartlett", "blackman", "hamming", "hanning", "kaiser"]

Device = Any


def _point_count(M: Any, device: Device) -> tuple[float, Device]:  # noqa: N803
    """Return the number of points as a Python number, and the device: arrays and NumPy's ints would wrap around."""
    if isinstance(M, Array):
        device = M.device if device is None else device
    return (M.item() if isinstance(M, (Array, np.ndarray, np.generic)) else M), device


def _positions(M: float, device: Device) -> Array:  # noqa: N803 - NumPy's name
    """Return the points of a window at twice their distance from its center."""
    return sk.arange(1 - M, M, 2, dtype=FLOAT64, device=device)


def _short(M: float, device: Device) -> Array | None:  # noqa: N803
    """Return a window of at most one point; None for a longer one."""
    return sk.ones((int(M == 1),), dtype=FLOAT64, device=device) if M <= 1 else None


def _sum_of_cosines(weights: tuple[float, ...], M: float, device: Device) -> Array:  # noqa: N803
    """Return a window that is a weighted sum of cosines."""
    M, device = _point_count(M, device)  # noqa: N806
    window = _short(M, device)
    if window is None:
        angles = math.pi * _positions(M, device) / (M - 1)
        window = weights[0] + weights[1] * sk.cos(angles)
        if len(weights) > 2:
            window = window + weights[2] * sk.cos(2.0 * angles)
    return window


def bartlett(M: float, *, device: Device = None) -> Array:  # noqa: N803
    """Return the Bartlett window, a triangle with zeros at its ends.

    Parameters
    ----------
    M : {points of a window}
    device : {default device}

    {Returns: window}

    Examples
    --------
    >>> import skerry as sk
    >>> sk.bartlett(5)
    Array([0. , 0.5, 1. , 0.5, 0. ], dtype=float64, device='cpu:0')

    """
    M, device = _point_count(M, device)  # noqa: N806
    window = _short(M, device)
    if window is None:
        slope = _positions(M, device) / (M - 1)
        window = 1 - sk.abs(slope)
    return window


def blackman(M: float, *, device: Device = None) -> Array:  # noqa: N803
    """Return the Blackman window, a sum of three cosines.

    Parameters
    ----------
    M : {points of a window}
    device : {default device}

    {Returns: window}

    Examples
    --------
    >>> import skerry as sk
    >>> sk.around(sk.blackman(4), 2)
    Array([-0.  ,  0.63,  0.63, -0.  ], dtype=float64, device='cpu:0')

    """
    return _sum_of_cosines((0.42, 0.5, 0.08), M, device)


def hamming(M: float, *, device: Device = None) -> Array:  # noqa: N803
    """Return the Hamming window, a raised cosine that does not reach zero.

    Parameters
    ----------
    M : {points of a window}
    device : {default device}

    {Returns: window}

    Examples
    --------
    >>> import skerry as sk
    >>> sk.hamming(4)
    Array([0.08, 0.77, 0.77, 0.08], dtype=float64, device='cpu:0')

    """
    return _sum_of_cosines((0.54, 0.46), M, device)


def hanning(M: float, *, device: Device = None) -> Array:  # noqa: N803
    """Return the Hann window, a raised cosine with zeros at its ends.

    Parameters
    ----------
    M : {points of a window}
    device : {default device}

    {Returns: window}

    Examples
    --------
    >>> import skerry as sk
    >>> sk.hanning(4)
    Array([0.  , 0.75, 0.75, 0.  ], dtype=float64, device='cpu:0')

    """
    return _sum_of_cosines((0.5, 0.5), M, device)


def kaiser(M: float, beta: float, *, device: Device = None) -> Array:  # noqa: N803
    """Return the Kaiser window, a ratio of Bessel functions ``i0``.

    Parameters
    ----------
    M : {points of a window}
    beta : float
        Shape: 0 is a rectangle; 5, 6 and 8.6 resemble the windows of Hamming, Hann and Blackman.
    device : {default device}

    {Returns: window}

    Examples
    --------
    >>> import skerry as sk
    >>> sk.around(sk.kaiser(4, 2.0), 1)
    Array([0.4, 0.9, 0.9, 0.4], dtype=float64, device='cpu:0')

    """
    M, device = _point_count(M, device)  # noqa: N806
    if M == 1:
        return sk.ones((1,), dtype=FLOAT64, device=device)
    alpha = (M - 1) / 2.0
    distances = (sk.arange(0, M, dtype=FLOAT64, device=device) - alpha) / alpha
    scale = sk.i0(sk.full((), float(beta), dtype=FLOAT64, device=device))
    return sk.i0(float(beta) * sk.sqrt(1 - distances**2)) / scale
