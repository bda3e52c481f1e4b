# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Random order, and choices."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

import skerry as sk
from skerry._core import Array
from skerry.random._drawing import Size, shape_of
from skerry.random._multivariate import Multivariate
from skerry.random._rejected import Rejected

_ONE = 1 << 62  # of probabilities, as integers: their running sums are exact on every device


class Order(Multivariate, Rejected):
    """Methods that put elements into a random order, or choose some of them."""

    def permutation(self, x: Any, axis: int = 0) -> Array:
        """Return a copy in random order, or the first integers.

        Parameters
        ----------
        x : int or Array
            An int stands for ``arange(x)``.
        axis : int, default 0
            Along which whole subarrays are moved.

        Returns
        -------
        Array
            On the device of the generator. The order is that of random numbers of 64 bits.

        Raises
        ------
        AxisError, DeviceMismatchError, TypeError, ValueError

        Examples
        --------
        >>> import skerry as sk
        >>> rng = sk.random.default_rng(42)
        >>> rng.permutation(6)
        Array([2, 4, 0, 1, 5, 3], dtype=int64, device='cpu:0')

        """
        if isinstance(x, Array | np.ndarray | list | tuple):
            x = self._array("permutation", "x", x)
            count = x.shape[_axis_of("permutation", x, axis)]
            return sk.take(x, self._order(count), axis=axis)
        return self._order(_count_of("permutation", "x", x))

    def shuffle(self, x: Any, axis: int = 0) -> None:
        """Put an array into random order, in place.

        Parameters
        ----------
        x : Array
            Written to, on the device of the generator.
        axis : int, default 0
            Along which whole subarrays are moved.

        Raises
        ------
        AxisError, DeviceMismatchError, ReadOnlyError, TypeError

        Examples
        --------
        >>> import skerry as sk
        >>> rng = sk.random.default_rng(42)
        >>> x = sk.arange(6)
        >>> rng.shuffle(x)
        >>> x
        Array([2, 4, 0, 1, 5, 3], dtype=int64, device='cpu:0')

        """
        x = self._array("shuffle", "x", x)
        count = x.shape[_axis_of("shuffle", x, axis)]
        x[...] = sk.take(x, self._order(count), axis=axis)

    def permuted(self, x: Any, axis: int | None = None, out: Any = None) -> Array:
        """Put the elements of each row along an axis into an order of its own.

        Parameters
        ----------
        x : Array
            On the device of the generator.
        axis : int, optional
            None: all elements, as if x were 1-D.
        out : Array, optional
            May be x itself.

        Returns
        -------
        Array
            Of the shape of x.

        Raises
        ------
        AxisError, DeviceMismatchError, ReadOnlyError, ValueError

        Examples
        --------
        >>> import skerry as sk
        >>> rng = sk.random.default_rng(42)
        >>> rng.permuted(sk.asarray([[1, 2, 3], [4, 5, 6]]), axis=1)
        Array([[3, 1, 2],
               [5, 6, 4]], dtype=int64, device='cpu:0')

        """
        x = self._array("permuted", "x", x)
        if out is not None and (out.shape != x.shape or out.dtype != x.dtype):
            raise ValueError(f"permuted: out is {out.shape} {out.dtype}, x {x.shape} {x.dtype}")
        if out is not None:
            self._require_here("permuted", out)
        if axis is None:
            result = sk.reshape(sk.take(sk.reshape(x, (-1,)), self._order(x.size), axis=0), x.shape)
        else:
            axis = _axis_of("permuted", x, axis)
            keys = self._draw("bits", self._empty("permuted", x.shape, np.uint64))
            result = sk.take_along_axis(x, sk.argsort(keys, axis=axis, stable=True), axis=axis)
        if out is None:
            return result
        target: Array = out
        target[...] = result
        return target

    def choice(
        self,
        a: Any,
        size: Size = None,
        replace: bool = True,
        p: Any = None,
        axis: int = 0,
        shuffle: bool = True,
    ) -> Array:
        """Choose elements.

        Parameters
        ----------
        a : int or Array
            Of what; an int stands for ``arange(a)``.
        size : int or tuple of int, optional
            How many; these axes take the place of ``axis``.
        replace : bool, default True
            Whether one may be chosen again.
        p : Array or sequence of float, optional
            A probability for each, which are read back to see that they add up to 1: the call waits for the device.
        axis : int, default 0
            Along which subarrays are chosen.
        shuffle : bool, default True
            Has no effect: without replacement the order is random anyhow.

        Returns
        -------
        Array
            Of the dtype of a, or int64.

        Raises
        ------
        ValueError
            For more than there are without replacement, and probabilities that are negative or do not add up to 1.
        AxisError, DeviceMismatchError, TypeError

        Examples
        --------
        >>> import skerry as sk
        >>> rng = sk.random.default_rng(42)
        >>> rng.choice(5, size=3, replace=False)
        Array([2, 4, 0], dtype=int64, device='cpu:0')
        >>> rng.choice(sk.asarray([1.5, 2.5]), size=4, p=[0.9, 0.1])
        Array([1.5, 1.5, 1.5, 1.5], dtype=float64, device='cpu:0')

        """
        source = None
        if isinstance(a, Array | np.ndarray | list | tuple):
            source = self._array("choice", "a", a)
            axis = _axis_of("choice", source, axis)
        count = _count_of("choice", "a", a) if source is None else source.shape[axis]
        shape = shape_of("choice", size)
        chosen = self._chosen(count, math.prod(shape), replace, p)
        if source is None:
            return sk.reshape(chosen, shape)
        elements = sk.take(source, chosen, axis=axis)
        return sk.reshape(elements, (*source.shape[:axis], *shape, *source.shape[axis + 1 :]))

    def _order(self, count: int) -> Array:
        """Return the numbers below count in random order: that of keys, where equal ones are as good as none."""
        keys = self._draw("bits", self._empty("permutation", count, np.uint64))
        return sk.argsort(keys, stable=True)

    def _chosen(self, count: int, sample_size: int, replace: bool, p: Any) -> Array:
        if count == 0 and sample_size > 0:
            raise ValueError("choice: nothing to choose from: a is empty")
        if not replace and sample_size > count:
            raise ValueError(
                f"choice: {sample_size} of {count} without replacement; use replace=True"
            )
        if p is None:
            if replace:
                return self.integers(0, max(count, 1), sample_size)
            return self._order(count)[:sample_size]
        weights, total = self._weights(count, p)
        if replace:
            indices = self.integers(0, total, sample_size)
            return sk.searchsorted(sk.cumulative_sum(weights), indices, side="right")
        if sample_size > int(sk.count_nonzero(weights)):
            raise ValueError(f"choice: fewer than {sample_size} probabilities of p are not 0")
        # Efraimidis and Spirakis: waiting times of those rates, in their order.
        waits = self.standard_exponential(count) / sk.astype(weights, sk.float64)
        return sk.argsort(waits, stable=True)[:sample_size]

    def _weights(self, count: int, p: Any) -> tuple[Array, int]:
        p = self._array("choice", "p", p)
        if p.shape != (count,):
            raise ValueError(
                f"choice: p is of shape {p.shape}, but there are {count} to choose from"
            )
        p = sk.astype(p, sk.float64, copy=False)
        sum_of_p = float(sk.sum(p)) if bool(sk.all(p >= 0)) else math.nan
        if not abs(sum_of_p - 1) <= 1e-8 * max(1, count**0.5):
            raise ValueError("choice: probabilities of p must be 0 or more, and add up to 1")
        weights = sk.astype(sk.round(p * float(_ONE)), sk.int64)
        return weights, int(sk.sum(weights))


def _axis_of(op: str, x: Array, axis: int) -> int:
    number = operator.index(axis)
    if not -x.ndim <= number < x.ndim:
        raise sk.exceptions.AxisError(f"{op}: axis {number} is out of bounds: {x.ndim} axes")
    return number % x.ndim


def _count_of(op: str, name: str, x: Any) -> int:
    try:
        count = operator.index(x)
    except TypeError:
        raise TypeError(f"{op}: {name} must be an int or an Array, not {x!r}") from None
    if count < 0:
        raise ValueError(f"{op}: {name} must not be negative: {count}")
    return count
