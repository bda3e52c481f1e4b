# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""The gamma distribution and distributions derived from it."""

from __future__ import annotations

from typing import Any

import numpy as np

import skerry as sk
from skerry._core import Array
from skerry.random._continuous import Continuous
from skerry.random._drawing import Size, not_negative, positive, shape_of, shifted

_NOT_NEGATIVE = (not_negative, "0 or more")
_POSITIVE = (positive, "more than 0")


class Gamma(Continuous):
    """Methods that return float64; ``standard_gamma`` also float32."""

    def standard_gamma(
        self,
        shape: Any,
        size: Size = None,
        dtype: Any = np.float64,
        out: Any = None,
    ) -> Array:
        """Draw from the gamma distribution with scale 1.

        Parameters
        ----------
        shape : float or Array
            Shape parameter.
        size : int or tuple of int, optional
            Shape of the result; by default that of the parameters, which is () for numbers.
        dtype : dtype, default float64
            float64 or float32, which uses half as many random bits.
        out : Array, optional
            Array of that dtype, on the device of the generator, that is filled and returned.

        Returns
        -------
        Array
            Drawn samples, computed in float64 by the method of Marsaglia and Tsang.

        Raises
        ------
        ValueError
            If ``shape`` is negative. For an array this is read from the device: the call waits.
        DeviceMismatchError
            If an array is on another device.

        Examples
        --------
        >>> import skerry as sk
        >>> rng = sk.random.default_rng(42)
        >>> rng.standard_gamma(2.5, size=2)
        Array([1.19585453, 3.84207315], dtype=float64, device='cpu:0')

        """
        shape = self._parameter("standard_gamma", "shape", shape, *_NOT_NEGATIVE)
        if out is not None and size is None:
            size = out.shape
        extent = self._common_shape("standard_gamma", size, shape)
        target = self._target("standard_gamma", extent, dtype, out)
        if out is None or isinstance(shape, Array):
            drawn = self._draw_of("standard_gamma", "gamma", extent, target.dtype, shape)
            if out is None:
                return drawn
            target[...] = drawn
            return target
        return self._draw("gamma", target, shape)

    def gamma(self, shape: Any, scale: Any = 1.0, size: Size = None) -> Array:
        """Draw from a gamma distribution.

        Parameters
        ----------
        shape, scale : float or Array
            Shape and scale parameters; the mean is their product.
        size : int or tuple of int, optional
            Shape of the result; by default that of the parameters, which is () for numbers.

        Returns
        -------
        Array
            Drawn samples, of float64.

        Raises
        ------
        ValueError
            If ``shape`` or ``scale`` is negative. For an array this is read from the device: the call waits.
        DeviceMismatchError
            If an array is on another device.

        Examples
        --------
        >>> import skerry as sk
        >>> rng = sk.random.default_rng(42)
        >>> rng.gamma(2, 10, size=2)
        Array([ 8.37709945, 31.76775805], dtype=float64, device='cpu:0')

        """
        shape = self._parameter("gamma", "shape", shape, *_NOT_NEGATIVE)
        scale = self._parameter("gamma", "scale", scale, *_NOT_NEGATIVE)
        extent = self._common_shape("gamma", size, shape, scale)
        return shifted(self.standard_gamma(shape, extent), 0.0, scale)

    def chisquare(self, df: Any, size: Size = None) -> Array:
        """Draw from the chi-square distribution.

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
        >>> rng.chisquare(3, size=2)
        Array([1.00452456, 4.97071599], dtype=float64, device='cpu:0')

        """
        df = self._parameter("chisquare", "df", df, *_POSITIVE)
        return shifted(
            self.standard_gamma(df * 0.5, self._common_shape("chisquare", size, df)), 0.0, 2.0
        )

    def beta(self, a: Any, b: Any, size: Size = None) -> Array:
        """Draw from the beta distribution, as the fraction of a gamma number in the sum of two.

        Parameters
        ----------
        a, b : float or Array
            Parameters of the distribution.
        size : int or tuple of int, optional
            Shape of the result; by default that of the parameters, which is () for numbers.

        Returns
        -------
        Array
            Drawn samples, of float64, in [0, 1].

        Raises
        ------
        ValueError
            If ``a`` or ``b`` is not positive. For an array this is read from the device: the call waits.
        DeviceMismatchError
            If an array is on another device.

        Examples
        --------
        >>> import skerry as sk
        >>> rng = sk.random.default_rng(42)
        >>> rng.beta(2, 3, size=2)
        Array([0.17043473, 0.59355866], dtype=float64, device='cpu:0')

        """
        a = self._parameter("beta", "a", a, *_POSITIVE)
        b = self._parameter("beta", "b", b, *_POSITIVE)
        shape = self._common_shape("beta", size, a, b)
        left, right = self.standard_gamma(a, shape), self.standard_gamma(b, shape)
        both = left + right
        # With parameters near 0 both numbers can be 0; then draw 1 with probability a / (a + b), else 0.
        share = sk.where(both > 0, both, 1.0)
        certain = sk.astype(self.random(shape) * (a + b) < a, sk.float64)
        return sk.where(both > 0, left / share, certain)

    def dirichlet(self, alpha: Any, size: Size = None) -> Array:
        """Draw from the Dirichlet distribution: vectors of shares that sum to 1.

        Parameters
        ----------
        alpha : sequence of float, or Array
            1-D array with a parameter for each share.
        size : int or tuple of int, optional
            Shape of the result without its last axis, which has the shares.

        Returns
        -------
        Array
            Drawn samples, of float64.

        Raises
        ------
        ValueError
            If ``alpha`` is not positive or not 1-D. For an array this is read from the device: the call waits.
        DeviceMismatchError
            If an array is on another device.

        Examples
        --------
        >>> import skerry as sk
        >>> rng = sk.random.default_rng(42)
        >>> rng.dirichlet([1, 2, 3])
        Array([0.02760647, 0.42583267, 0.54656086], dtype=float64, device='cpu:0')

        """
        alpha = self._parameter("dirichlet", "alpha", alpha, *_POSITIVE)
        if not isinstance(alpha, Array) or alpha.ndim != 1:
            raise ValueError("dirichlet: alpha must be 1-D")
        shares = self.standard_gamma(alpha, (*shape_of("dirichlet", size), alpha.size))
        return shares / _sum_of_last_axis(shares)


def _sum_of_last_axis(x: Array) -> Array:
    """Sum in an order that does not depend on the device: add the halves of the axis elementwise."""
    while x.shape[-1] > 1:
        half, is_odd = divmod(x.shape[-1], 2)
        total = x[..., :half] + x[..., half : 2 * half]
        x = sk.concat([total, x[..., 2 * half :]], axis=-1) if is_odd else total
    return x
