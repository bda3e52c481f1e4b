# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Distributions that array functions compute from uniform, normal or exponential numbers.

Only array functions with the same bits on every device are used (see "Accuracy and reproducibility"), so not ``expm1``
and ``cos``. On processors older than x86-64-v3 the last place of a number may differ.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import skerry as sk
from skerry._core import Array
from skerry.random._continuous import Continuous
from skerry.random._drawing import Size, not_negative, positive, require_finite, shape_of, shifted

_NOT_NEGATIVE = (not_negative, "0 or more")
_POSITIVE = (positive, "more than 0")


def _or_one(x: Any) -> Any:
    """Replace 0 by 1, for use as a divisor."""
    return sk.where(x > 0, x, 1.0) if isinstance(x, Array) else x or 1.0


def exp_less_one(x: Array) -> Array:
    """Compute ``expm1`` from ``exp`` and ``log``, whose errors cancel (Kahan)."""
    power = sk.exp(x)
    is_small = power == 1.0
    by_both: Array = (power - 1.0) * (x / sk.log(sk.where(is_small, 2.0, power)))
    return sk.where(is_small, x, sk.where(power < np.inf, by_both, power))


class Transformed(Continuous):
    """Methods that compute each sample from one or two draws."""

    def gumbel(self, loc: Any = 0.0, scale: Any = 1.0, size: Size = None) -> Array:
        """Draw from a Gumbel distribution, the limit distribution of maxima.

        Parameters
        ----------
        loc, scale : float or Array
            Mode and scale of the distribution.
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
        >>> rng.gumbel(size=2)
        Array([0.60008163, 0.71526429], dtype=float64, device='cpu:0')

        """
        loc = self._parameter("gumbel", "loc", loc)
        scale = self._parameter("gumbel", "scale", scale, *_NOT_NEGATIVE)
        shape = self._common_shape("gumbel", size, loc, scale)
        return shifted(-sk.log(self.standard_exponential(shape)), loc, scale)

    def logistic(self, loc: Any = 0.0, scale: Any = 1.0, size: Size = None) -> Array:
        """Draw from a logistic distribution, as the log of the ratio of two exponential numbers.

        Parameters
        ----------
        loc, scale : float or Array
            Mean and scale.
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
        >>> rng.logistic(size=2)
        Array([-0.32188838,  1.39801771], dtype=float64, device='cpu:0')

        """
        loc = self._parameter("logistic", "loc", loc)
        scale = self._parameter("logistic", "scale", scale, *_NOT_NEGATIVE)
        shape = self._common_shape("logistic", size, loc, scale)
        pair = sk.log(self.standard_exponential((2, *shape)))
        return shifted(pair[0, ...] - pair[1, ...], loc, scale)

    def pareto(self, a: Any, size: Size = None) -> Array:
        """Draw from the Pareto II (Lomax) distribution.

        Parameters
        ----------
        a : float or Array
            Shape parameter.
        size : int or tuple of int, optional
            Shape of the result; by default that of the parameters, which is () for numbers.

        Returns
        -------
        Array
            Drawn samples, of float64; add 1 for the classical Pareto distribution.

        Raises
        ------
        ValueError
            If ``a`` is not positive. For an array this is read from the device: the call waits.
        DeviceMismatchError
            If an array is on another device.

        Examples
        --------
        >>> import skerry as sk
        >>> rng = sk.random.default_rng(42)
        >>> rng.pareto(3, size=2)
        Array([0.20072108, 0.17706134], dtype=float64, device='cpu:0')

        """
        a = self._parameter("pareto", "a", a, *_POSITIVE)
        shape = self._common_shape("pareto", size, a)
        return exp_less_one(self.standard_exponential(shape) / a)

    def power(self, a: Any, size: Size = None) -> Array:
        """Draw from a power distribution, with density ``a * x ** (a - 1)`` in [0, 1].

        Parameters
        ----------
        a : float or Array
            Shape parameter.
        size : int or tuple of int, optional
            Shape of the result; by default that of the parameters, which is () for numbers.

        Returns
        -------
        Array
            Drawn samples, of float64.

        Raises
        ------
        ValueError
            If ``a`` is not positive. For an array this is read from the device: the call waits.
        DeviceMismatchError
            If an array is on another device.

        Examples
        --------
        >>> import skerry as sk
        >>> rng = sk.random.default_rng(42)
        >>> rng.power(3, size=2)
        Array([0.83283288, 0.84957339], dtype=float64, device='cpu:0')

        """
        a = self._parameter("power", "a", a, *_POSITIVE)
        shape = self._common_shape("power", size, a)
        return sk.exp(-self.standard_exponential(shape) / a)

    def rayleigh(self, scale: Any = 1.0, size: Size = None) -> Array:
        """Draw from a Rayleigh distribution, the distribution of lengths of 2-D normal vectors.

        Parameters
        ----------
        scale : float or Array
            The mode.
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
        >>> rng.rayleigh(size=2)
        Array([1.04763242, 0.98900237], dtype=float64, device='cpu:0')

        """
        scale = self._parameter("rayleigh", "scale", scale, *_NOT_NEGATIVE)
        shape = self._common_shape("rayleigh", size, scale)
        return shifted(sk.sqrt(self.standard_exponential(shape) * 2.0), 0.0, scale)

    def weibull(self, a: Any, size: Size = None) -> Array:
        """Draw from the Weibull distribution with scale 1.

        Parameters
        ----------
        a : float or Array
            Shape parameter; 0 gives 0.
        size : int or tuple of int, optional
            Shape of the result; by default that of the parameters, which is () for numbers.

        Returns
        -------
        Array
            Drawn samples, of float64.

        Raises
        ------
        ValueError
            If ``a`` is negative. For an array this is read from the device: the call waits.
        DeviceMismatchError
            If an array is on another device.

        Examples
        --------
        >>> import skerry as sk
        >>> rng = sk.random.default_rng(42)
        >>> rng.weibull(1.5, size=2)
        Array([0.67028357, 0.62074006], dtype=float64, device='cpu:0')

        """
        a = self._parameter("weibull", "a", a, *_NOT_NEGATIVE)
        shape = self._common_shape("weibull", size, a)
        drawn = sk.exp(sk.log(self.standard_exponential(shape)) / _or_one(a))
        return sk.where(a > 0, drawn, 0.0) if isinstance(a, Array) else drawn * float(a > 0)

    def triangular(self, left: Any, mode: Any, right: Any, size: Size = None) -> Array:
        """Draw from a triangular distribution.

        Parameters
        ----------
        left, mode, right : float or Array
            Lower bound, peak and upper bound.
        size : int or tuple of int, optional
            Shape of the result; by default that of the parameters, which is () for numbers.

        Returns
        -------
        Array
            Drawn samples, of float64.

        Raises
        ------
        ValueError
            If ``left`` is not less than ``right``, or ``mode`` is not between them. For an array this is read from the
            device: the call waits.
        OverflowError
            If the difference of the bounds overflows.
        DeviceMismatchError
            If an array is on another device.

        Examples
        --------
        >>> import skerry as sk
        >>> rng = sk.random.default_rng(42)
        >>> rng.triangular(0, 1, 4, size=2)
        Array([1.74876493, 1.84556492], dtype=float64, device='cpu:0')

        """
        left = self._parameter("triangular", "left", left)
        mode = self._parameter("triangular", "mode", mode)
        right = self._parameter("triangular", "right", right)
        width = self._parameter("triangular", "right - left", right - left, *_POSITIVE)
        require_finite("triangular", "right - left", width)
        rise = self._parameter("triangular", "mode - left", mode - left, *_NOT_NEGATIVE)
        fall = self._parameter("triangular", "right - mode", right - mode, *_NOT_NEGATIVE)
        shape = self._common_shape("triangular", size, left, mode, right)
        u = self.random(shape)
        # Use fractions of the width, as its square may overflow.
        below = left + sk.sqrt(u * (rise / width)) * width
        above = right - sk.sqrt((1.0 - u) * (fall / width)) * width
        return sk.where(u * width <= rise, below, above)

    def standard_cauchy(self, size: Size = None) -> Array:
        """Draw from the standard Cauchy distribution, as a ratio of normal numbers.

        Parameters
        ----------
        size : int or tuple of int, optional
            Shape of the result; by default that of the parameters, which is () for numbers.

        Returns
        -------
        Array
            Drawn samples, of float64.

        Examples
        --------
        >>> import skerry as sk
        >>> rng = sk.random.default_rng(42)
        >>> rng.standard_cauchy(size=2)
        Array([-0.85423272,  0.84748952], dtype=float64, device='cpu:0')

        """
        pair = self.standard_normal((2, *shape_of("standard_cauchy", size)))
        return pair[0, ...] / pair[1, ...]
