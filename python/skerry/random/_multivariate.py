# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Distributions of vectors."""

from __future__ import annotations

import warnings
from typing import Any

import skerry as sk
from skerry._core import Array
from skerry.random._drawing import Size, shape_of
from skerry.random._gamma import Gamma

_NOT_VALID = "multivariate_normal: cov must be symmetric and have no negative eigenvalue"


class Multivariate(Gamma):
    """Normal numbers that depend on each other."""

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

        The covariance is factored on the host: the numbers are the same on every device, to OpenBLAS's last bits.

        Parameters
        ----------
        mean, cov : sequence of float, or Array
            1-D, of each item of a vector; 2-D, their covariance: symmetric, without negative eigenvalues.
        size : int or tuple of int, optional
            Of the result but for its last axis, which is that of the vectors.
        check_valid, tol : {"warn", "raise", "ignore"}, default "warn"; float, default 1e-8
            What to do about a covariance that is not valid, by default a RuntimeWarning; how far it may be from that.
        method : {"svd", "eigh", "cholesky"}, default "svd"
            How it is factored. Cholesky takes the least time, and no eigenvalue of 0.

        Returns
        -------
        Array
            Of float64.

        Raises
        ------
        ValueError
            For a mean that is not 1-D, a covariance of another size, or, as ``check_valid`` says, one that is not
            valid. Both are read from the device: the call waits for it.
        LinAlgError
            By method "cholesky", for a covariance that is not positive definite.
        DeviceMismatchError
            For an array on another device.

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
            raise ValueError(f"{op}: cov must be of shape {(count, count)}, as mean has {count}")
        tol = float(self._parameter(op, "tol", tol))
        factor = _factored(cov.to_device("cpu:0"), method, check_valid, tol)
        return self._combined(mean, factor.to_device(self._device), (*shape_of(op, size), count))

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
        raise ValueError(f"{op}: method {method!r} is not known; it is svd, eigh or cholesky")
    if check_valid not in ("warn", "raise", "ignore"):
        raise ValueError(f"{op}: check_valid {check_valid!r}; it is warn, raise or ignore")


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
