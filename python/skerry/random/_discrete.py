# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Discrete distributions with kernels."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

import skerry as sk
from skerry import _core
from skerry._core import Array
from skerry._data_types import as_dtype, kind_of
from skerry.random._drawing import Drawing, Size

MAX_TRIALS = 1 << 53  # exact in float64
_MAX_EXPECTED = 9.2e18


class Discrete(Drawing):
    """Methods that return integers or bytes."""

    def integers(
        self,
        low: Any,
        high: Any = None,
        size: Size = None,
        dtype: Any = np.int64,
        endpoint: bool = False,
    ) -> Array:
        """Draw integers uniformly.

        Parameters
        ----------
        low, high : int or Array
            Bounds: from low (inclusive) to high (exclusive); if high is None, from 0 to low.
        size : int or tuple of int, optional
            Shape of the result; by default that of the parameters, which is () for numbers.
        dtype : dtype, default int64
            Any integer dtype, or bool.
        endpoint : bool, default False
            Whether high is included.

        Returns
        -------
        Array
            Drawn samples, exactly unbiased (Lemire, 2019).

        Raises
        ------
        ValueError
            If there are no integers between the bounds, or a bound is out of range of the dtype. For arrays this is
            read from the device: the call waits.
        TypeError
            If the dtype is neither an integer dtype nor bool.
        DeviceMismatchError
            If an array is on another device.

        Examples
        --------
        >>> import skerry as sk
        >>> rng = sk.random.default_rng(42)
        >>> rng.integers(1, 7, size=5)
        Array([2, 4, 3, 4, 6], dtype=int64, device='cpu:0')
        >>> rng.integers(0, 255, size=3, dtype=sk.uint8, endpoint=True)
        Array([191, 143, 185], dtype=uint8, device='cpu:0')

        """
        return self._integers("integers", low, high, size, as_dtype(dtype), endpoint)

    def _integers(
        self, op: str, low: Any, high: Any, size: Size, dtype: np.dtype[Any], endpoint: bool
    ) -> Array:
        if kind_of(dtype) not in "iub":
            raise TypeError(f"{op}: dtype must be integer or bool, not {dtype}")
        if high is None:
            low, high = 0, low
        if any(isinstance(x, Array | np.ndarray | list | tuple) for x in (low, high)):
            return self._integers_of_each(op, low, high, size, dtype, endpoint)
        first, last = _whole(op, "low", low), _whole(op, "high", high) - (not endpoint)
        _check_bounds(op, first, last, dtype)
        return self._draw("integer", self._empty(op, size, dtype), first, last - first)

    def _integers_of_each(
        self, op: str, low: Any, high: Any, size: Size, dtype: np.dtype[Any], endpoint: bool
    ) -> Array:
        wide = np.dtype(np.uint64 if dtype == np.uint64 else np.int64)
        bounds = []
        for name, x in (("low", low), ("high", high)):
            if not isinstance(x, Array | np.ndarray | list | tuple):
                x = _core.asarray(_whole(op, name, x), dtype=wide, device=self._device)
            x = self._array(op, name, x)
            if kind_of(x.dtype) not in "iub":
                raise TypeError(f"{op}: {name} must be integers, not {x.dtype}")
            bounds.append(x)
        shape = self._common_shape(op, size, *bounds)
        first, last = (sk.astype(x, wide) for x in bounds)
        is_empty = first > last if endpoint else first >= last
        last = last if endpoint else last - 1
        limits = np.iinfo(dtype) if kind_of(dtype) != "b" else None
        least, most = (limits.min, limits.max) if limits else (0, 1)
        if bool(sk.any(is_empty | (first < int(least)) | (last > int(most)))):
            raise ValueError(
                f"{op}: an element of low is not below that of high, or out of range of {dtype}"
            )
        # Differences beyond int64 wrap around to the same bits as uint64.
        drawn = self._draw_of(op, "integer_of_each", shape, wide, first, last - first)
        return sk.astype(drawn, dtype, copy=False)

    def poisson(self, lam: Any = 1.0, size: Size = None) -> Array:
        """Draw from a Poisson distribution.

        Parameters
        ----------
        lam : float or Array
            The mean.
        size : int or tuple of int, optional
            Shape of the result; by default that of the parameters, which is () for numbers.

        Returns
        -------
        Array
            Drawn samples, of int64: by inversion for a mean below 10, else by Hörmann's transformed rejection.

        Raises
        ------
        ValueError
            If ``lam`` is negative or out of range of int64. For an array this is read from the device: the call waits.
        DeviceMismatchError
            If an array is on another device.

        Examples
        --------
        >>> import skerry as sk
        >>> rng = sk.random.default_rng(42)
        >>> rng.poisson(4, size=5)
        Array([4, 4, 4, 4, 4], dtype=int64, device='cpu:0')

        """
        lam = self._parameter(
            "poisson", "lam", lam, lambda x: (x >= 0) & (x <= _MAX_EXPECTED), "0 to 9.2e18"
        )
        return self._draw_of("poisson", "poisson", size, np.int64, lam)

    def binomial(self, n: Any, p: Any, size: Size = None) -> Array:
        """Draw from a binomial distribution: the number of successes in n trials.

        Parameters
        ----------
        n : int or Array
            Number of trials, at most 2**53.
        p : float or Array
            Probability of success.
        size : int or tuple of int, optional
            Shape of the result; by default that of the parameters, which is () for numbers.

        Returns
        -------
        Array
            Drawn samples, of int64: by inversion for a mean below 10, else by Hörmann's transformed rejection.

        Raises
        ------
        ValueError
            If ``n`` is not from 0 to 2**53, or ``p`` is outside of [0, 1]. For an array this is read from the device:
            the call waits.
        DeviceMismatchError
            If an array is on another device.

        Examples
        --------
        >>> import skerry as sk
        >>> rng = sk.random.default_rng(42)
        >>> rng.binomial(10, 0.3, size=5)
        Array([3, 3, 3, 3, 3], dtype=int64, device='cpu:0')

        """
        n = self._parameter(
            "binomial", "n", n, lambda x: (x >= 0) & (x <= MAX_TRIALS), "0 to 2**53"
        )
        p = self._parameter("binomial", "p", p, lambda x: (x >= 0) & (x <= 1), "0 to 1")
        return self._draw_of("binomial", "binomial", size, np.int64, n, p)

    def geometric(self, p: Any, size: Size = None) -> Array:
        """Draw from a geometric distribution: the number of trials up to the first success.

        Parameters
        ----------
        p : float or Array
            Probability of success.
        size : int or tuple of int, optional
            Shape of the result; by default that of the parameters, which is () for numbers.

        Returns
        -------
        Array
            Drawn samples, of int64, at least 1, saturated at the maximum of int64.

        Raises
        ------
        ValueError
            If ``p`` is outside of (0, 1]. For an array this is read from the device: the call waits.
        DeviceMismatchError
            If an array is on another device.

        Examples
        --------
        >>> import skerry as sk
        >>> rng = sk.random.default_rng(42)
        >>> rng.geometric(0.2, size=5)
        Array([3, 4, 3, 3, 4], dtype=int64, device='cpu:0')

        """
        p = self._parameter("geometric", "p", p, lambda x: (x > 0) & (x <= 1), "in (0, 1]")
        return self._draw_of("geometric", "geometric", size, np.int64, p)

    def bytes(self, length: int) -> bytes:
        """Draw random bytes on the host.

        Parameters
        ----------
        length : int
            Number of bytes.

        Returns
        -------
        bytes
            The bytes, copied from the device: the call waits for it.

        Raises
        ------
        ValueError, TypeError
            If ``length`` is negative or not an int.

        Examples
        --------
        >>> import skerry as sk
        >>> rng = sk.random.default_rng(42)
        >>> rng.bytes(4).hex()
        '5f9d7746'

        """
        count = operator.index(length)
        if count < 0:
            raise ValueError(f"bytes: length must not be negative: {count}")
        words = self._draw("bits", self._empty("bytes", -(-count // 4), np.uint32))
        return np.asarray(words.to_device("cpu")).astype("<u4").tobytes()[:count]


def _whole(op: str, name: str, x: Any) -> int:
    if isinstance(x, float) and x.is_integer():
        return int(x)
    try:
        return operator.index(x)
    except TypeError:
        raise TypeError(f"{op}: {name} must be a whole number, not {x!r}") from None


def _check_bounds(op: str, first: int, last: int, dtype: np.dtype[Any]) -> None:
    limits = np.iinfo(dtype) if kind_of(dtype) != "b" else None
    least, most = (int(limits.min), int(limits.max)) if limits else (0, 1)
    if last < first:
        raise ValueError(f"{op}: no integers from {first} to {last}; low must be below high")
    if first < least or last > most:
        raise ValueError(
            f"{op}: {first if first < least else last} is out of range of {dtype}; use another dtype="
        )
