# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Distributions by rejection: one attempt for all elements at once, then for those that were rejected.

The number of rejected elements is read from the device after each attempt. Kernels reject element by element without
that; the distributions here are rarely used and have no kernel.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import skerry as sk
from skerry._core import Array
from skerry.random._composed import Composed, whole_numbers
from skerry.random._drawing import Size, not_negative
from skerry.random._transformed import exp_less_one

_NOT_NEGATIVE = (not_negative, "0 or more")
_MAX_ZIPF = 2.0**63
_MAX_IN_URN = 10**9
_FEW = 10
# log(k!) for k below 8.
_LOGS = (
    0.0,
    0.0,
    0.6931471805599453,
    1.791759469228055,
    3.1780538303479458,
    4.787491742782046,
    6.579251212010101,
    8.525161361065415,
)


class Rejected(Composed):
    """Methods that redraw rejected elements."""

    def _accepted(
        self,
        shape: tuple[int, ...],
        attempt: Callable[..., tuple[Array, Array]],
        *parameters: Array,
    ) -> Array:
        """Fill an array by ``attempt(count, *parameters)``, which returns numbers and a mask of the accepted ones."""
        # Parameters without axes apply to all elements and are not broadcast.
        flat_parameters = [
            sk.reshape(sk.broadcast_to(x, shape), (-1,)) if x.ndim else x for x in parameters
        ]
        result = sk.zeros((math.prod(shape),), device=self.device)
        left = sk.arange(result.size, device=self.device)
        while left.size:
            numbers, is_accepted = attempt(
                left.size, *(x[left] if x.ndim else x for x in flat_parameters)
            )
            result[left[is_accepted]] = numbers[is_accepted]
            left = left[~is_accepted]
        return sk.reshape(result, shape)

    def vonmises(self, mu: Any, kappa: Any, size: Size = None) -> Array:
        """Draw from a von Mises distribution of angles.

        Parameters
        ----------
        mu : float or Array
            The mode, in radians.
        kappa : float or Array
            The concentration; 0 gives uniformly distributed angles.
        size : int or tuple of int, optional
            Shape of the result; by default that of the parameters, which is () for numbers.

        Returns
        -------
        Array
            Drawn samples, of float64, in [-pi, pi], by the method of Best and Fisher (1979); for kappa above 1e6 from
            a normal distribution. The call waits for the device.

        Raises
        ------
        ValueError
            If ``kappa`` is negative.
        DeviceMismatchError
            If an array is on another device.

        Examples
        --------
        >>> import skerry as sk
        >>> rng = sk.random.default_rng(42)
        >>> rng.vonmises(0, 4, size=2)
        Array([-0.10301373,  0.90146276], dtype=float64, device='cpu:0')

        """
        mu = self._parameter("vonmises", "mu", mu)
        kappa = self._parameter("vonmises", "kappa", kappa, *_NOT_NEGATIVE)
        shape = self._common_shape("vonmises", size, mu, kappa)
        kappa_array = kappa if isinstance(kappa, Array) else sk.full((), kappa, device=self.device)
        # Below 1e-8 the distribution is uniform to within rounding.
        angles = self._accepted(shape, self._angles, sk.clip(kappa_array, 1e-8, None))
        turns = (angles + mu + math.pi) / (2 * math.pi)
        return sk.clip((turns - sk.floor(turns)) * (2 * math.pi) - math.pi, -math.pi, math.pi)

    def _angles(self, count: int, kappa: Array) -> tuple[Array, Array]:
        v, side = self.random((2, count))
        ahead, aside = self.standard_normal((2, count))
        r = 1.0 + sk.sqrt(1.0 + 4.0 * kappa * kappa)
        rho = (r - sk.sqrt(2.0 * r)) / (2.0 * kappa)
        envelope_shape = sk.where(
            kappa < 1e-5, 1.0 / kappa + kappa, (1.0 + rho * rho) / (2.0 * rho)
        )
        z = ahead / sk.sqrt(
            ahead * ahead + aside * aside
        )  # the cosine of a uniformly distributed angle
        w = (1.0 + envelope_shape * z) / (envelope_shape + z)
        y = kappa * (envelope_shape - w)
        is_accepted = (y * (2.0 - y) >= v) | (sk.log(y / v) + 1.0 >= y)
        angle = sk.acos(sk.clip(w, -1.0, 1.0))
        angle = sk.where(side < 0.5, -angle, angle)
        is_narrow = kappa > 1e6
        normal = self.standard_normal(count) / sk.sqrt(kappa)
        return sk.where(is_narrow, normal, angle), is_accepted | is_narrow

    def zipf(self, a: Any, size: Size = None) -> Array:
        """Draw from a Zipf distribution: the probability of k is proportional to ``k ** -a``.

        Parameters
        ----------
        a : float or Array
            The exponent.
        size : int or tuple of int, optional
            Shape of the result; by default that of the parameters, which is () for numbers.

        Returns
        -------
        Array
            Drawn samples, of int64, by the method of Devroye (1986); numbers out of range are redrawn. The call waits
            for the device.

        Raises
        ------
        ValueError
            If ``a`` is not greater than 1.
        DeviceMismatchError
            If an array is on another device.

        Examples
        --------
        >>> import skerry as sk
        >>> rng = sk.random.default_rng(42)
        >>> rng.zipf(2, size=4)
        Array([2, 2, 1, 8], dtype=int64, device='cpu:0')

        """
        a = self._parameter("zipf", "a", a, lambda x: x > 1, "more than 1")
        shape = self._common_shape("zipf", size, a)
        exponent_array = a if isinstance(a, Array) else sk.full((), a, device=self.device)
        # Above 1000 the probability of any number but 1 is below 2**-53.
        return whole_numbers(
            self._accepted(shape, self._ranks, sk.clip(exponent_array, None, 1000.0))
        )

    def _ranks(self, count: int, a: Array) -> tuple[Array, Array]:
        u, v = self.random((2, count))
        less = a - 1.0
        least = sk.exp(-less * math.log(_MAX_ZIPF))
        x = sk.floor(sk.exp(-sk.log(u * least + (1.0 - u)) / less))
        t = exp_less_one(less * sk.log1p(1.0 / x))
        base = exp_less_one(less * math.log(2.0))
        # Accept by the ratio of the target probability to that of the proposal.
        is_accepted = v * x * (t / base) * (1.0 + base) <= 1.0 + t
        return x, (is_accepted | (x == 1)) & (x >= 1) & (x < _MAX_ZIPF)

    def hypergeometric(self, ngood: Any, nbad: Any, nsample: Any, size: Size = None) -> Array:
        """Draw from a hypergeometric distribution: the number of good items in a sample without replacement.

        Parameters
        ----------
        ngood, nbad : int or Array
            Numbers of good and bad items, together at most 1e9.
        nsample : int or Array
            Number of items in the sample.
        size : int or tuple of int, optional
            Shape of the result; by default that of the parameters, which is () for numbers.

        Returns
        -------
        Array
            Drawn samples, of int64: item by item if fewer than 10 are taken (or left), else by the method of Stadlober
            (1990). The call waits for the device.

        Raises
        ------
        ValueError
            If a number is negative, ``ngood + nbad`` exceeds 1e9, or ``nsample`` exceeds ``ngood + nbad``.
        DeviceMismatchError
            If an array is on another device.

        Examples
        --------
        >>> import skerry as sk
        >>> rng = sk.random.default_rng(42)
        >>> rng.hypergeometric(10, 5, 6, size=4)
        Array([3, 5, 5, 4], dtype=int64, device='cpu:0')

        """
        op = "hypergeometric"
        good = self._parameter(op, "ngood", ngood, *_NOT_NEGATIVE)
        bad = self._parameter(op, "nbad", nbad, *_NOT_NEGATIVE)
        sample_size = self._parameter(op, "nsample", nsample, *_NOT_NEGATIVE)
        self._parameter(op, "ngood + nbad", good + bad, lambda x: x <= _MAX_IN_URN, "at most 1e9")
        self._parameter(op, "ngood + nbad - nsample", good + bad - sample_size, *_NOT_NEGATIVE)
        shape = self._common_shape(op, size, good, bad, sample_size)
        parameters = [
            sk.floor(x if isinstance(x, Array) else sk.full((), x, device=self.device))
            for x in (good, bad, sample_size)
        ]
        return whole_numbers(self._accepted(shape, self._good_ones, *parameters))

    def _good_ones(
        self, count: int, good: Array, bad: Array, sample_size: Array
    ) -> tuple[Array, Array]:
        total = good + bad
        # By symmetry, compute the smaller of sample and remainder, and of good and bad items.
        sample = sk.minimum(sample_size, total - sample_size)
        rare, frequent = sk.minimum(good, bad), sk.maximum(good, bad)
        is_small = sample < _FEW
        successes = sk.zeros((count,), device=self.device)
        is_accepted = sk.ones((count,), dtype=sk.bool, device=self.device)
        if not bool(sk.all(is_small)):
            successes, is_accepted = self._rare_ones(count, rare, frequent, sample)
        if bool(sk.any(is_small)):
            successes = sk.where(is_small, self._one_by_one(count, rare, total, sample), successes)
        successes = sk.where(good > bad, sample - successes, successes)
        return sk.where(sample < sample_size, good - successes, successes), is_small | is_accepted

    def _one_by_one(self, count: int, rare: Array, total: Array, sample: Array) -> Array:
        successes = sk.zeros((count,), device=self.device)
        for i, u in enumerate(self.random((_FEW - 1, count))):
            is_rare = (u * (total - i) < rare - successes) & (i < sample)
            successes = successes + sk.astype(is_rare, sk.float64)
        return successes

    def _rare_ones(
        self, count: int, rare: Array, frequent: Array, sample: Array
    ) -> tuple[Array, Array]:
        """Draw one attempt by the ratio-of-uniforms method."""
        total = rare + frequent
        share = rare / sk.maximum(total, 1.0)
        middle = sample * share + 0.5
        variance = (total - sample) * sample * share * (1.0 - share) / sk.maximum(total - 1.0, 1.0)
        deviation = sk.sqrt(variance + 0.5)
        mode = sk.floor((sample + 1.0) * (rare + 1.0) / (total + 2.0))
        most = sk.minimum(sk.minimum(sample, rare) + 1.0, sk.floor(middle + 16.0 * deviation))
        u, v = self.random((2, count))
        u = 1.0 - u
        x = middle + (1.7155277699214135 * deviation + 0.8989161620588988) * (v - 0.5) / u
        is_possible = (x >= 0) & (x < most)
        k = sk.where(is_possible, sk.floor(x), 0.0)

        def log_weight(k: Array) -> Array:
            return (
                _log_factorial(k)
                + _log_factorial(rare - k)
                + _log_factorial(sample - k)
                + _log_factorial(frequent - sample + k)
            )

        return k, is_possible & (2.0 * sk.log(u) <= log_weight(mode) - log_weight(k))


def _log_factorial(k: Array) -> Array:
    """Compute log(k!) by Stirling's series, whose next term is below 1e-11; undefined for negative numbers."""
    n = sk.clip(k, 8.0, None)
    square = 1.0 / (n * n)
    series = (1 / 12 - square * (1 / 360 - square * (1 / 1260 - square / 1680))) / n
    great = (n + 0.5) * sk.log(n) - n + (0.9189385332046728 + series)
    small = sk.take(sk.asarray(_LOGS, device=k.device), sk.astype(sk.clip(k, 0.0, 7.0), sk.int64))
    return sk.where(k < 8, small, great)
