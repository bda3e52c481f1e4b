# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Distributions of vectors."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

import skerry as sk
from skerry._arrays import shown
from skerry._core import Array
from skerry.random._discrete import MAX_TRIALS
from skerry.random._drawing import Size, shape_of
from skerry.random._gamma import Gamma

_NOT_VALID = "multivariate_normal: cov must be symmetric and have no negative eigenvalue"


class Multivariate(Gamma):
    """Methods that draw correlated vectors: normal ones, and counts."""

    def multivariate_normal(
        self,
        mean: Any,
        cov: Any,
        size: Size = None,
        check_valid: str = "warn",
        tol: float = 1e-8,
        *,
        method: str = "svd",
    ) -> Array:
        """Draw vectors from a multivariate normal distribution.

        The call waits for the device: the covariance is factored on the host. The numbers are the same on every device,
        except for the last bits, which depend on OpenBLAS.

        Parameters
        ----------
        mean, cov : sequence of float, or Array
            Mean of the vectors (1-D) and covariance matrix (2-D), which must be symmetric without negative eigenvalues.
        size : int or tuple of int, optional
            Shape of the result without its last axis, which has the items of a vector.
        check_valid, tol : {"warn", "raise", "ignore"}, default "warn"; float, default 1e-8
            How to handle an invalid covariance, by default with a RuntimeWarning; tolerance of that check.
        method : {"svd", "eigh", "cholesky"}, default "svd"
            Factorization of the covariance. "cholesky" is the fastest, but does not accept an eigenvalue of 0.

        Returns
        -------
        Array
            Drawn samples, of float64.

        Raises
        ------
        ValueError
            If the mean is not 1-D, the covariance has another size, or it is invalid and ``check_valid`` is "raise".
        LinAlgError
            If the method is "cholesky" and the covariance is not positive definite.
        DeviceMismatchError
            If an array is on another device.

        Examples
        --------
        >>> import skerry as sk
        >>> rng = sk.random.default_rng(42)
        >>> rng.multivariate_normal([0, 10], [[1, 0.5], [0.5, 2]], 3, method="cholesky").shape
        (3, 2)

        """
        op = "multivariate_normal"
        _require_known(method, check_valid)
        mean, cov = self._parameter(op, "mean", mean), self._parameter(op, "cov", cov)
        if not isinstance(mean, Array) or mean.ndim != 1:
            raise ValueError(f"{op}: mean must be 1-D")
        count = mean.size
        if not isinstance(cov, Array) or cov.shape != (count, count):
            raise ValueError(f"{op}: cov must have shape {(count, count)}: mean has {count}")
        tol = float(self._parameter(op, "tol", tol))
        factor = _factored(cov.to_device("cpu:0"), method, check_valid, tol)
        return self._combined(mean, factor.to_device(self._device), (*shape_of(op, size), count))

    def multinomial(self, n: Any, pvals: Any, size: Size = None) -> Array:
        """Draw from a multinomial distribution: the counts of the outcomes of n trials.

        Parameters
        ----------
        n : int or Array
            Number of trials, at most 2**53.
        pvals : sequence of float, or Array
            Probabilities of the outcomes along the last axis. The last outcome has the rest of the probability.
        size : int or tuple of int, optional
            Shape of the result without its last axis, which has the counts; by default that of ``n`` and ``pvals``.

        Returns
        -------
        Array
            Drawn samples, of int64: successive binomial samples.

        Raises
        ------
        ValueError
            If ``n`` is not from 0 to 2**53, there is no outcome, or probabilities are outside of [0, 1] or their sum
            without the last exceeds 1. They are read from the device: the call waits.
        DeviceMismatchError
            If an array is on another device.

        Examples
        --------
        >>> import skerry as sk
        >>> rng = sk.random.default_rng(42)
        >>> int(sk.sum(rng.multinomial(10, [0.2, 0.3, 0.5])))
        10

        """
        op = "multinomial"
        n = self._parameter(op, "n", n, lambda x: (x >= 0) & (x <= MAX_TRIALS), "0 to 2**53")
        pvals = self._parameter(op, "pvals", pvals, lambda x: (x >= 0) & (x <= 1), "0 to 1")
        if not isinstance(pvals, Array) or pvals.ndim == 0 or pvals.shape[-1] == 0:
            raise ValueError(f"{op}: pvals must have an axis with at least one probability")
        if bool(sk.any(sk.sum(pvals[..., :-1], axis=-1) > 1 + 1e-12)):
            raise ValueError(f"{op}: the sum of pvals without the last must be at most 1")
        shape = self._common_shape(op, size, n, pvals[..., 0])
        return self._counts(sk.trunc(n) if isinstance(n, Array) else float(int(n)), pvals, shape)

    def _counts(self, trials: Any, pvals: Array, shape: tuple[int, ...]) -> Array:
        """Draw each count from a binomial distribution of the trials and the probability that are left."""
        last = pvals.shape[-1] - 1
        result = sk.empty((*shape, last + 1), dtype=sk.int64, device=self._device)
        probability_left = sk.ones(pvals.shape[:-1], dtype=sk.float64, device=self._device)
        for i in range(last):
            p = pvals[..., i]
            share = sk.where(probability_left > 0, sk.minimum(p / probability_left, 1.0), 0.0)
            count = self._draw_of("multinomial", "binomial", shape, np.int64, trials, share)
            result[..., i] = count
            trials = trials - sk.astype(count, sk.float64)
            probability_left = probability_left - p
        result[..., last] = (
            sk.astype(trials, sk.int64) if isinstance(trials, Array) else int(trials)
        )
        return result

    def _combined(self, mean: Array, factor: Array, shape: tuple[int, ...]) -> Array:
        items = self.standard_normal(shape)
        result = sk.empty(shape, dtype=sk.float64, device=self._device)
        result[...] = mean
        for i in range(shape[-1]):
            result += items[..., i : i + 1] * factor[:, i]
        return result


def _require_known(method: str, check_valid: str) -> None:
    op = "multivariate_normal"
    if method not in ("svd", "eigh", "cholesky"):
        raise ValueError(f"{op}: unknown method: {shown(method)}; use 'svd', 'eigh' or 'cholesky'")
    if check_valid not in ("warn", "raise", "ignore"):
        raise ValueError(
            f"{op}: unknown check_valid: {shown(check_valid)}; use 'warn', 'raise' or 'ignore'"
        )


def _factored(cov: Array, method: str, check_valid: str, tol: float) -> Array:
    """Return a matrix whose product with its own transpose is ``cov``."""
    if method == "cholesky":
        is_valid = sk.allclose(cov, cov.T, rtol=tol, atol=tol)
        factor = sk.linalg.cholesky(cov)
    elif method == "eigh":
        values, vectors = sk.linalg.eigh(cov)
        is_valid = bool(sk.all(values >= -tol)) and sk.allclose(cov, cov.T, rtol=tol, atol=tol)
        factor = vectors * sk.sqrt(sk.maximum(values, 0.0))
    else:
        u, values, vh = sk.linalg.svd(cov, full_matrices=False)
        is_valid = sk.allclose((vh.T * values) @ vh, cov, rtol=tol, atol=tol)
        factor = u * sk.sqrt(values)
    if not is_valid and check_valid == "raise":
        raise ValueError(_NOT_VALID)
    if not is_valid and check_valid == "warn":
        warnings.warn(_NOT_VALID, RuntimeWarning, stacklevel=3)
    return factor
