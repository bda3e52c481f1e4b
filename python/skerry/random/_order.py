# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Permutations and choices."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

import skerry as sk
from skerry._core import Array
from skerry._data_types import kind_of
from skerry.random._drawing import Size, shape_of
from skerry.random._multivariate import Multivariate
from skerry.random._rejected import Rejected

_ONE = (
    1 << 62
)  # scale of probabilities as integers, whose cumulative sums are exact on every device


class Order(Multivariate, Rejected):
    """Methods that permute elements or choose some of them."""

    def permutation(self, x: Any, axis: int = 0) -> Array:
        """Return a randomly permuted copy of an array, or of a range.

        Parameters
        ----------
        x : int or Array
            Array to permute; an int means ``arange(x)``. A 0-d array is read from the device as an int.
        axis : int, default 0
            Axis along which subarrays are permuted.

        Returns
        -------
        Array
            Permuted copy on the device of the generator. The order is that of random 64-bit keys.

        Raises
        ------
        AxisError, DeviceMismatchError
            If the axis is out of bounds, or the array is on another device.
        TypeError, ValueError
            If ``x`` is neither an int, an array nor a sequence, or is negative.

        Examples
        --------
        >>> import skerry as sk
        >>> rng = sk.random.default_rng(42)
        >>> rng.permutation(6)
        Array([2, 4, 0, 1, 5, 3], dtype=int64, device='cpu:0')

        """
        x = self._number("permutation", "x", x)
        if isinstance(x, Array | np.ndarray | list | tuple):
            x = self._array("permutation", "x", x)
            count = x.shape[_axis_of("permutation", x, axis)]
            return sk.take(x, self._order(count), axis=axis)
        return self._order(_count_of("permutation", "x", x))

    def shuffle(self, x: Any, axis: int = 0) -> None:
        """Permute an array randomly in place.

        Parameters
        ----------
        x : Array
            Array on the device of the generator, which is modified.
        axis : int, default 0
            Axis along which subarrays are permuted.

        Raises
        ------
        AxisError, DeviceMismatchError
            If the axis is out of bounds, or the array is on another device.
        ReadOnlyError, TypeError
            If ``x`` is read-only, or is neither an array nor a sequence.

        Examples
        --------
        >>> import skerry as sk
        >>> rng = sk.random.default_rng(42)
        >>> x = sk.arange(6)
        >>> rng.shuffle(x)
        >>> x
        Array([2, 4, 0, 1, 5, 3], dtype=int64, device='cpu:0')

        """
        if not isinstance(
            x, Array | np.ndarray
        ):  # a list would be shuffled as a copy, and stay as it is
            raise TypeError(
                f"shuffle: x must be an Array or a numpy.ndarray, not {type(x).__name__}; use permutation(x)"
            )
        x = self._array("shuffle", "x", x)
        count = x.shape[_axis_of("shuffle", x, axis)]
        x[...] = sk.take(x, self._order(count), axis=axis)

    def permuted(self, x: Any, axis: int | None = None, out: Any = None) -> Array:
        """Permute each slice along an axis independently.

        Parameters
        ----------
        x : Array
            Array to permute, on the device of the generator.
        axis : int, optional
            Axis to permute along; None permutes all elements of the flattened array.
        out : Array, optional
            Array to store the result in; may be x itself.

        Returns
        -------
        Array
            Permuted array with the shape of x.

        Raises
        ------
        AxisError, DeviceMismatchError
            If the axis is out of bounds, or an array is on another device.
        ReadOnlyError, ValueError
            If ``out`` is read-only, or has another shape or dtype than ``x``.

        Examples
        --------
        >>> import skerry as sk
        >>> rng = sk.random.default_rng(42)
        >>> rng.permuted(sk.asarray([[1, 2, 3], [4, 5, 6]]), axis=1)
        Array([[3, 1, 2],
               [5, 6, 4]], dtype=int64, device='cpu:0')

        """
        x = self._array("permuted", "x", x)
        if out is not None and not isinstance(out, Array):
            raise TypeError(f"permuted: out must be an Array, not {type(out).__name__}")
        if out is not None and (out.shape != x.shape or out.dtype != x.dtype):
            raise ValueError(
                f"permuted: out must have the shape and dtype of x: {out.shape} {out.dtype} and {x.shape} {x.dtype}"
            )
        if out is not None:
            self._require_here("permuted", "out", out)
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
        """Choose elements randomly.

        Parameters
        ----------
        a : int or Array
            Array to choose from; an int means ``arange(a)``. A 0-d array is read from the device as an int.
        size : int or tuple of int, optional
            Shape of the choices, which replaces ``axis`` in the shape of the result.
        replace : bool, default True
            Whether to sample with replacement.
        p : Array or sequence of float, optional
            Probabilities of the elements. Whether they sum to 1 is read from the device: the call waits.
        axis : int, default 0
            Axis along which subarrays are chosen.
        shuffle : bool, default True
            No effect: without replacement the order is always random.

        Returns
        -------
        Array
            Choices of the dtype of ``a``, or int64.

        Raises
        ------
        ValueError
            If more elements are drawn without replacement than there are, or probabilities are negative or do not sum
            to 1.
        AxisError, DeviceMismatchError, TypeError
            If the axis is out of bounds, an array is on another device, or ``a`` is of another type.

        Examples
        --------
        >>> import skerry as sk
        >>> rng = sk.random.default_rng(42)
        >>> rng.choice(5, size=3, replace=False)
        Array([2, 4, 0], dtype=int64, device='cpu:0')
        >>> rng.choice(sk.asarray([1.5, 2.5]), size=4, p=[0.9, 0.1])
        Array([1.5, 1.5, 1.5, 1.5], dtype=float64, device='cpu:0')

        """
        a = self._number("choice", "a", a)
        shape = shape_of("choice", size)
        if not isinstance(a, Array | np.ndarray | list | tuple):
            count = _count_of("choice", "a", a)
            return sk.reshape(self._chosen(count, math.prod(shape), replace, p), shape)
        source = self._array("choice", "a", a)
        axis = _axis_of("choice", source, axis)
        chosen = self._chosen(source.shape[axis], math.prod(shape), replace, p)
        elements = sk.take(source, chosen, axis=axis)
        return sk.reshape(elements, (*source.shape[:axis], *shape, *source.shape[axis + 1 :]))

    def _number(self, op: str, name: str, x: Any) -> Any:
        """Return the number in a 0-d array of integers, and other values as they are."""
        if isinstance(x, Array | np.ndarray) and x.ndim == 0 and kind_of(x.dtype) in "iu":
            return int(self._array(op, name, x))
        return x

    def _order(self, count: int) -> Array:
        """Return the integers below count in the order of random 64-bit keys, which are practically never equal."""
        keys = self._draw("bits", self._empty("permutation", count, np.uint64))
        return sk.argsort(keys, stable=True)

    def _chosen(self, count: int, sample_size: int, replace: bool, p: Any) -> Array:
        if count == 0 and sample_size > 0:
            raise ValueError("choice: a is empty")
        if not replace and sample_size > count:
            raise ValueError(
                f"choice: can't choose {sample_size} of {count} elements without replacement; use replace=True"
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
            raise ValueError(f"choice: p has fewer than {sample_size} nonzero probabilities")
        # Efraimidis and Spirakis: the order of exponential waiting times with these rates.
        waits = self.standard_exponential(count) / sk.astype(weights, sk.float64)
        return sk.argsort(waits, stable=True)[:sample_size]

    def _weights(self, count: int, p: Any) -> tuple[Array, int]:
        p = self._array("choice", "p", p)
        if p.shape != (count,):
            raise ValueError(f"choice: p must have shape ({count},), not {p.shape}")
        p = sk.astype(p, sk.float64, copy=False)
        sum_of_p = float(sk.sum(p)) if bool(sk.all(p >= 0)) else math.nan
        if not abs(sum_of_p - 1) <= 1e-8 * max(1, count**0.5):
            raise ValueError("choice: p must be probabilities that are not negative and sum to 1")
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
