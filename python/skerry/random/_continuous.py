# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Continuous distributions with kernels."""

from __future__ import annotations

from typing import Any

import numpy as np

from skerry._arrays import shown
from skerry._core import Array
from skerry.random._drawing import Drawing, Size, not_negative, require_finite, shifted

_NOT_NEGATIVE = (not_negative, "0 or more")


class Continuous(Drawing):
    """Methods that return float64, or float32 if they have ``dtype=``."""

    def random(self, size: Size = None, dtype: Any = np.float64, out: Any = None) -> Array:
        """Draw uniformly from [0, 1).

        Parameters
        ----------
        size : int or tuple of int, optional
            Shape of the result; by default (), for a 0-d array.
        dtype : dtype, default float64
            float64 or float32, which uses half as many random bits.
        out : Array, optional
            Array of that dtype, on the device of the generator, that is filled and returned.

        Returns
        -------
        Array
            Drawn samples: multiples of 2**-53, or of 2**-24 in float32.

        Raises
        ------
        ValueError, TypeError
            If ``size`` is negative or not an int, or ``out`` does not match.
        DeviceMismatchError
            If ``out`` is on another device.

        Examples
        --------
        >>> import skerry as sk
        >>> rng = sk.random.default_rng(42)
        >>> rng.random((2, 2))
        Array([[0.57766172, 0.61320079],
               [0.46900095, 0.8861751 ]], dtype=float64, device='cpu:0')

        """
        return self._draw_real("random", "uniform", size, dtype, out)

    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Size = None) -> Array:
        """Draw uniformly from [low, high).

        Parameters
        ----------
        low, high : float or Array
            Bounds; ``low + (high - low) * random()`` may round to high.
        size : int or tuple of int, optional
            Shape of the result; by default that of the parameters, which is () for numbers.

        Returns
        -------
        Array
            Drawn samples, of float64.

        Raises
        ------
        ValueError
            If ``low`` is greater than ``high``. For an array this is read from the device: the call waits.
        OverflowError
            If the difference of the bounds overflows.
        DeviceMismatchError
            If an array is on another device.

        Examples
        --------
        >>> import skerry as sk
        >>> rng = sk.random.default_rng(42)
        >>> rng.uniform(-1, 1, size=2)
        Array([0.15532344, 0.22640158], dtype=float64, device='cpu:0')

        """
        low, high = self._parameter("uniform", "low", low), self._parameter("uniform", "high", high)
        width = self._parameter("uniform", "high - low", high - low, *_NOT_NEGATIVE)
        require_finite("uniform", "high - low", width)
        shape = self._common_shape("uniform", size, low, high)
        return shifted(self.random(shape), low, width)

    def standard_normal(self, size: Size = None, dtype: Any = np.float64, out: Any = None) -> Array:
        """Draw from the standard normal distribution, with mean 0 and variance 1.

        Parameters
        ----------
        size : int or tuple of int, optional
            Shape of the result; by default (), for a 0-d array.
        dtype : dtype, default float64
            float64 or float32, which uses half as many random bits.
        out : Array, optional
            Array of that dtype, on the device of the generator, that is filled and returned.

        Returns
        -------
        Array
            Drawn samples, by the Box-Muller method; their absolute value is below 9.5, or 6.7 in float32.

        Raises
        ------
        ValueError, TypeError, DeviceMismatchError
            See ``random``.

        Examples
        --------
        >>> import skerry as sk
        >>> rng = sk.random.default_rng(42)
        >>> rng.standard_normal(3)
        Array([-0.79362236, -0.68388393,  0.92904702], dtype=float64, device='cpu:0')

        """
        return self._draw_real("standard_normal", "normal", size, dtype, out)

    def normal(self, loc: Any = 0.0, scale: Any = 1.0, size: Size = None) -> Array:
        """Draw from a normal distribution.

        Parameters
        ----------
        loc, scale : float or Array
            Mean and standard deviation.
        size : int or tuple of int, optional
            Shape of the result; by default that of the parameters, which is () for numbers.

        Returns
        -------
        Array
            Drawn samples, of float64.

        Raises
        ------
        ValueError
            If ``scale`` is negative. For an array this is read from the device: the call waits.
        DeviceMismatchError
            If an array is on another device.

        Examples
        --------
        >>> import skerry as sk
        >>> rng = sk.random.default_rng(42)
        >>> rng.normal([0, 100])
        Array([-0.79362236, 99.31611607], dtype=float64, device='cpu:0')

        """
        loc = self._parameter("normal", "loc", loc)
        scale = self._parameter("normal", "scale", scale, *_NOT_NEGATIVE)
        return shifted(
            self.standard_normal(self._common_shape("normal", size, loc, scale)), loc, scale
        )

    def lognormal(self, mean: Any = 0.0, sigma: Any = 1.0, size: Size = None) -> Array:
        """Draw from a log-normal distribution: the logarithm of the numbers is normal.

        Parameters
        ----------
        mean, sigma : float or Array
            Mean and standard deviation of the logarithm.
        size : int or tuple of int, optional
            Shape of the result; by default that of the parameters, which is () for numbers.

        Returns
        -------
        Array
            Drawn samples, of float64.

        Raises
        ------
        ValueError
            If ``sigma`` is negative. For an array this is read from the device: the call waits.
        DeviceMismatchError
            If an array is on another device.

        Examples
        --------
        >>> import skerry as sk
        >>> rng = sk.random.default_rng(42)
        >>> rng.lognormal(size=2)
        Array([0.45220378, 2.53209498], dtype=float64, device='cpu:0')

        """
        mean = self._parameter("lognormal", "mean", mean)
        sigma = self._parameter("lognormal", "sigma", sigma, *_NOT_NEGATIVE)
        return self._draw_of("lognormal", "lognormal", size, np.float64, mean, sigma)

    def standard_exponential(
        self,
        size: Size = None,
        dtype: Any = np.float64,
        method: str = "zig",
        out: Any = None,
    ) -> Array:
        """Draw from the exponential distribution with mean 1.

        Parameters
        ----------
        size : int or tuple of int, optional
            Shape of the result; by default (), for a 0-d array.
        dtype : dtype, default float64
            float64 or float32, which uses half as many random bits.
        method : str
            NumPy's parameter: "zig" or "inv". Both use the logarithm and draw the same numbers.
        out : Array, optional
            Array of that dtype, on the device of the generator, that is filled and returned.

        Returns
        -------
        Array
            Drawn samples, below 45.1, or 22.2 in float32.

        Raises
        ------
        ValueError, TypeError, DeviceMismatchError
            See ``random``.

        Examples
        --------
        >>> import skerry as sk
        >>> rng = sk.random.default_rng(42)
        >>> rng.standard_exponential(2)
        Array([0.54876684, 0.48906284], dtype=float64, device='cpu:0')

        """
        if method not in ("zig", "inv"):
            raise ValueError(
                f"standard_exponential: unknown method: {shown(method)}; use 'zig' or 'inv'"
            )
        return self._draw_real("standard_exponential", "exponential", size, dtype, out)

    def exponential(self, scale: Any = 1.0, size: Size = None) -> Array:
        """Draw from an exponential distribution.

        Parameters
        ----------
        scale : float or Array
            The mean.
        size : int or tuple of int, optional
            Shape of the result; by default that of the parameters, which is () for numbers.

        Returns
        -------
        Array
            Drawn samples, of float64.

        Raises
        ------
        ValueError
            If ``scale`` is negative. For an array this is read from the device: the call waits.
        DeviceMismatchError
            If an array is on another device.

        Examples
        --------
        >>> import skerry as sk
        >>> rng = sk.random.default_rng(42)
        >>> rng.exponential(10, size=2)
        Array([5.48766839, 4.8906284 ], dtype=float64, device='cpu:0')

        """
        scale = self._parameter("exponential", "scale", scale, *_NOT_NEGATIVE)
        shape = self._common_shape("exponential", size, scale)
        return shifted(self.standard_exponential(shape), 0.0, scale)

    def laplace(self, loc: Any = 0.0, scale: Any = 1.0, size: Size = None) -> Array:
        """Draw from a Laplace distribution, as the difference of two exponential numbers.

        Parameters
        ----------
        loc, scale : float or Array
            Mean, and mean distance from it.
        size : int or tuple of int, optional
            Shape of the result; by default that of the parameters, which is () for numbers.

        Returns
        -------
        Array
            Drawn samples, of float64.

        Raises
        ------
        ValueError
            If ``scale`` is negative. For an array this is read from the device: the call waits.
        DeviceMismatchError
            If an array is on another device.

        Examples
        --------
        >>> import skerry as sk
        >>> rng = sk.random.default_rng(42)
        >>> rng.laplace(size=2)
        Array([-0.20838365,  0.36822212], dtype=float64, device='cpu:0')

        """
        loc = self._parameter("laplace", "loc", loc)
        scale = self._parameter("laplace", "scale", scale, *_NOT_NEGATIVE)
        shape = self._common_shape("laplace", size, loc, scale)
        pair = self.standard_exponential((2, *shape))
        return shifted(pair[0, ...] - pair[1, ...], loc, scale)
