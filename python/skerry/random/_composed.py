# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Distributions composed of others by array functions.

Only array functions with the same bits on every device are used (see "Accuracy and reproducibility"), so not ``expm1``
and ``cos``. On processors older than x86-64-v3 the last place of a number may differ.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import skerry as sk
from skerry._core import Array
from skerry.random._discrete import Discrete
from skerry.random._drawing import Size, not_negative, positive, shifted
from skerry.random._gamma import Gamma
from skerry.random._transformed import Transformed, exp_less_one

_NOT_NEGATIVE = (not_negative, "0 or more")
_POSITIVE = (positive, "more than 0")
_PROBABILITY = (lambda x: (x > 0) & (x <= 1), "in (0, 1]")
_MAX_EXPECTED = 9.2e18


def whole_numbers(x: Array) -> Array:
    """Convert to int64, with saturation at the maximum."""
    greatest = np.iinfo(np.int64).max
    is_held = x < 2.0**63
    return sk.where(is_held, sk.astype(sk.where(is_held, x, 0.0), sk.int64), greatest)


class Composed(Gamma, Transformed, Discrete):
    """Methods that compute from draws of other distributions."""

    def standard_t(self, df: Any, size: Size = None) -> Array:
        """Draw from Student's t distribution.

        Parameters
        ----------
        df : float or Array
            Degrees of freedom.
        size : int or tuple of int, optional
            Shape of the result; by default that of the parameters, which is () for numbers.

        Returns
        -------
        Array
            Drawn samples, of float64.

        Raises
        ------
        ValueError
            If ``df`` is not positive. For an array this is read from the device: the call waits.
        DeviceMismatchError
            If an array is on another device.

        Examples
        --------
        >>> import skerry as sk
        >>> rng = sk.random.default_rng(42)
        >>> rng.standard_t(5, size=2)
        Array([-0.6401785 , -0.58144502], dtype=float64, device='cpu:0')

        """
        df = self._parameter("standard_t", "df", df, *_POSITIVE)
        shape = self._common_shape("standard_t", size, df)
        half = df * 0.5
        numbers = self.standard_normal(shape)
        return numbers * sk.sqrt(half / self.standard_gamma(half, shape))

    def f(self, dfnum: Any, dfden: Any, size: Size = None) -> Array:
        """Draw from the F distribution, the distribution of ratios of variances.

        Parameters
        ----------
        dfnum, dfden : float or Array
            Degrees of freedom of the numerator and of the denominator.
        size : int or tuple of int, optional
            Shape of the result; by default that of the parameters, which is () for numbers.

        Returns
        -------
        Array
            Drawn samples, of float64.

        Raises
        ------
        ValueError
            If ``dfnum`` or ``dfden`` is not positive. For an array this is read from the device: the call waits.
        DeviceMismatchError
            If an array is on another device.

        Examples
        --------
        >>> import skerry as sk
        >>> rng = sk.random.default_rng(42)
        >>> rng.f(2, 7, size=2)
        Array([0.1538307 , 2.32952686], dtype=float64, device='cpu:0')

        """
        dfnum = self._parameter("f", "dfnum", dfnum, *_POSITIVE)
        dfden = self._parameter("f", "dfden", dfden, *_POSITIVE)
        shape = self._common_shape("f", size, dfnum, dfden)
        above = self.standard_gamma(dfnum * 0.5, shape) / dfnum
        ratio: Array = above / (self.standard_gamma(dfden * 0.5, shape) / dfden)
        return ratio

    def wald(self, mean: Any, scale: Any, size: Size = None) -> Array:
        """Draw from a Wald (inverse Gaussian) distribution.

        Parameters
        ----------
        mean, scale : float or Array
            Parameters of the distribution.
        size : int or tuple of int, optional
            Shape of the result; by default that of the parameters, which is () for numbers.

        Returns
        -------
        Array
            Drawn samples, of float64, by the method of Michael, Schucany and Haas (1976).

        Raises
        ------
        ValueError
            If ``mean`` or ``scale`` is not positive. For an array this is read from the device: the call waits.
        DeviceMismatchError
            If an array is on another device.

        Examples
        --------
        >>> import skerry as sk
        >>> rng = sk.random.default_rng(42)
        >>> rng.wald(2, 3, size=2)
        Array([1.05758693, 3.47128541], dtype=float64, device='cpu:0')

        """
        mean = self._parameter("wald", "mean", mean, *_POSITIVE)
        scale = self._parameter("wald", "scale", scale, *_POSITIVE)
        shape = self._common_shape("wald", size, mean, scale)
        d = self.standard_normal(shape) ** 2 * (mean / scale) * 0.5
        # The smaller root of a quadratic equation in units of the mean, without cancellation; the other is its inverse.
        root = 1.0 / (1.0 + d + sk.sqrt(d * (2.0 + d)))
        is_it = self.random(shape) * (1.0 + root) <= 1.0
        return shifted(sk.where(is_it, root, 1.0 / root), 0.0, mean)

    def noncentral_chisquare(self, df: Any, nonc: Any, size: Size = None) -> Array:
        """Draw from the noncentral chi-square distribution.

        Parameters
        ----------
        df : float or Array
            Degrees of freedom.
        nonc : float or Array
            The noncentrality.
        size : int or tuple of int, optional
            Shape of the result; by default that of the parameters, which is () for numbers.

        Returns
        -------
        Array
            Drawn samples, of float64: chi-square samples whose degrees of freedom include a Poisson sample.

        Raises
        ------
        ValueError
            If ``df`` is not positive, or ``nonc`` is not from 0 to 1.8e19. For an array this is read from the device:
            the call waits.
        DeviceMismatchError
            If an array is on another device.

        Examples
        --------
        >>> import skerry as sk
        >>> rng = sk.random.default_rng(42)
        >>> rng.noncentral_chisquare(3, 2, size=2)
        Array([6.91699537, 3.45400731], dtype=float64, device='cpu:0')

        """
        df = self._parameter("noncentral_chisquare", "df", df, *_POSITIVE)
        nonc = self._parameter(
            "noncentral_chisquare",
            "nonc",
            nonc,
            *(lambda x: (x >= 0) & (x <= 2 * _MAX_EXPECTED), "0 to 1.8e19"),
        )
        shape = self._common_shape("noncentral_chisquare", size, df, nonc)
        more = sk.astype(
            self._draw_of("noncentral_chisquare", "poisson", shape, np.int64, nonc * 0.5),
            sk.float64,
        )
        return self.standard_gamma(df * 0.5 + more, shape) * 2.0

    def noncentral_f(self, dfnum: Any, dfden: Any, nonc: Any, size: Size = None) -> Array:
        """Draw from the noncentral F distribution.

        Parameters
        ----------
        dfnum, dfden : float or Array
            Degrees of freedom of the numerator and of the denominator.
        nonc : float or Array
            The noncentrality of the numerator.
        size : int or tuple of int, optional
            Shape of the result; by default that of the parameters, which is () for numbers.

        Returns
        -------
        Array
            Drawn samples, of float64.

        Raises
        ------
        ValueError
            If ``dfnum`` or ``dfden`` is not positive, or ``nonc`` is negative. For an array this is read from the
            device: the call waits.
        DeviceMismatchError
            If an array is on another device.

        Examples
        --------
        >>> import skerry as sk
        >>> rng = sk.random.default_rng(42)
        >>> rng.noncentral_f(3, 20, 2, size=2)
        Array([3.55530653, 1.61907372], dtype=float64, device='cpu:0')

        """
        dfnum = self._parameter("noncentral_f", "dfnum", dfnum, *_POSITIVE)
        dfden = self._parameter("noncentral_f", "dfden", dfden, *_POSITIVE)
        nonc = self._parameter("noncentral_f", "nonc", nonc, *_NOT_NEGATIVE)
        shape = self._common_shape("noncentral_f", size, dfnum, dfden, nonc)
        above = self.noncentral_chisquare(dfnum, nonc, shape) / dfnum
        ratio: Array = above / (self.chisquare(dfden, shape) / dfden)
        return ratio

    def negative_binomial(self, n: Any, p: Any, size: Size = None) -> Array:
        """Draw from a negative binomial distribution: the number of failures before n successes.

        Parameters
        ----------
        n : float or Array
            Number of successes.
        p : float or Array
            Probability of success.
        size : int or tuple of int, optional
            Shape of the result; by default that of the parameters, which is () for numbers.

        Returns
        -------
        Array
            Drawn samples, of int64: Poisson samples whose means are gamma samples, at most 9.2e18.

        Raises
        ------
        ValueError
            If ``n`` is not positive, or ``p`` is outside of (0, 1]. For an array this is read from the device: the call
            waits.
        DeviceMismatchError
            If an array is on another device.

        Examples
        --------
        >>> import skerry as sk
        >>> rng = sk.random.default_rng(42)
        >>> rng.negative_binomial(3, 0.4, size=2)
        Array([2, 7], dtype=int64, device='cpu:0')

        """
        n = self._parameter("negative_binomial", "n", n, *_POSITIVE)
        p = self._parameter("negative_binomial", "p", p, *_PROBABILITY)
        shape = self._common_shape("negative_binomial", size, n, p)
        mean = self.standard_gamma(n, shape) * ((1.0 - p) / p)
        return self._draw_of(
            "negative_binomial", "poisson", shape, np.int64, sk.minimum(mean, _MAX_EXPECTED)
        )

    def logseries(self, p: Any, size: Size = None) -> Array:
        """Draw from the logarithmic series distribution.

        Parameters
        ----------
        p : float or Array
            Parameter of the distribution.
        size : int or tuple of int, optional
            Shape of the result; by default that of the parameters, which is () for numbers.

        Returns
        -------
        Array
            Drawn samples, of int64, saturated at its maximum, by the method of Kemp (1981).

        Raises
        ------
        ValueError
            If ``p`` is outside of [0, 1). For an array this is read from the device: the call waits.
        DeviceMismatchError
            If an array is on another device.

        Examples
        --------
        >>> import skerry as sk
        >>> rng = sk.random.default_rng(42)
        >>> rng.logseries(0.8, size=2)
        Array([2, 5], dtype=int64, device='cpu:0')

        """
        p = self._parameter("logseries", "p", p, *(lambda x: (x >= 0) & (x < 1), "in [0, 1)"))
        shape = self._common_shape("logseries", size, p)
        u, v = self.random(shape), 1.0 - self.random(shape)
        q = -exp_less_one(
            u * sk.log1p(-p if isinstance(p, Array) else sk.full((), -p, device=self.device))
        )
        is_great = (v <= q * q) & (v < p)
        great = 1.0 + sk.log(v) / sk.log(sk.where(is_great, q, 0.5))
        return sk.where(
            is_great,
            whole_numbers(sk.floor(sk.where(is_great, great, 1.0))),
            sk.where((v < p) & (v < q), 2, 1),
        )
