# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""The algorithm of the quantile functions: which elements of a sorted row a quantile is between, and their weights.

The methods are those of Hyndman and Fan, "Sample Quantiles in Statistical Packages" (1996), and NumPy's further ones,
computed in NumPy's order: float64 results equal NumPy's, unless NumPy's computation overflows or has infinities.
Narrower dtypes are computed in float64 and rounded once.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

import skerry as sk
from skerry import _core
from skerry._arrays import shown
from skerry._core import Array
from skerry._data_types import kind_of, result_type
from skerry._extra._operands import (
    FLOAT64,
    axes_within,
    cast,
    high_and_low,
    is_long_integer,
)
from skerry._outputs import output_argument, store
from skerry.exceptions import DTypeError

# Virtual index n * q + alpha + q * (1 - alpha - beta) - 1.
ALPHA_BETA = {
    "interpolated_inverted_cdf": (0, 1),
    "hazen": (0.5, 0.5),
    "weibull": (0, 0),
    "median_unbiased": (1 / 3.0, 1 / 3.0),
    "normal_unbiased": (3 / 8.0, 3 / 8.0),
}
OF_ELEMENTS = ("inverted_cdf", "closest_observation", "lower", "higher", "nearest")
METHODS = (*OF_ELEMENTS, "averaged_inverted_cdf", "linear", "midpoint", *ALPHA_BETA)
MAX_RANKS = 16  # max_ranks of ops/sort/partial_kernels.hpp


def rows_of(name: str, a: Array, axis: Any, *, keepdims: bool) -> tuple[Array, tuple[int, ...]]:
    """Return ``a`` with ``axis`` merged into the last axis, and the shape of the result."""
    if axis is None:
        flat = a if a.ndim == 1 else sk.reshape(a, (-1,))
        return flat, (1,) * a.ndim if keepdims else ()
    axes = axes_within(name, axis, a.ndim)
    others = [i for i in range(a.ndim) if i not in axes]
    moved = sk.permute_dims(a, (*others, *axes))
    left = tuple(a.shape[i] for i in others)
    size = math.prod(a.shape[i] for i in axes)
    kept_shape = tuple(1 if i in axes else n for i, n in enumerate(a.shape))
    return sk.reshape(moved, (*left, size)), kept_shape if keepdims else left


def nan_where_any(result: Array, rows: Array) -> Array:
    """Set the results of rows with a NaN to NaN; ``result`` may have an additional last axis."""
    if kind_of(rows.dtype) != "f":
        return result
    has_nan = sk.isnan(sk.max(rows, axis=-1, keepdims=result.ndim == rows.ndim))
    return sk.where(has_nan, math.nan, result)


@dataclass
class QuantileRequest:
    """Arguments of a quantile function; ``scale`` is 100 if ``q`` is in percent."""

    name: str
    q: Any
    scale: int
    method: str
    ignores_nan: bool

    def __post_init__(self) -> None:
        """Check the arguments, and read the probabilities to the host."""
        if self.method not in METHODS:
            msg = f"{self.name}: unknown method: {shown(self.method)}; use one of {', '.join(METHODS)}"
            raise ValueError(msg)
        # A Python scalar does not take part in promotion.
        self.is_weak = type(self.q) in (int, float)
        if isinstance(self.q, Array):
            self.q_array: Array | None = self.q
            values = np.asarray(self.q.to_device("cpu:0"))
        else:
            self.q_array = None
            values = _numbers(self.name, self.q)
        if kind_of(values.dtype) not in "biuf" or values.ndim > 2:
            msg = f"{self.name}: q must be real numbers with at most two axes, not {shown(self.q)}"
            raise ValueError(msg)
        scaled = values / self.scale if self.scale != 1 else values
        # The dtype of q affects that of the result, but positions need float64.
        self.dtype = scaled.dtype
        is_whole = kind_of(scaled.dtype) in "iu"
        self.values = values if is_whole else values.astype(np.float64) / self.scale
        if not np.all((self.values >= 0) & (self.values <= 1)):
            msg = f"{self.name}: q must be in the range [0, {self.scale}]: {self.q}"
            raise ValueError(msg)

    @property
    def picks_elements(self) -> bool:
        """Whether each result is an element, without interpolation."""
        by_integers = self.method == "linear" and kind_of(self.values.dtype) in "iu"
        return self.method in OF_ELEMENTS or by_integers


def _numbers(name: str, q: Any) -> np.ndarray:
    try:
        return np.asarray(q)
    except ValueError:
        raise ValueError(f"{name}: q must be a number or a sequence of numbers") from None


def virtual_index(method: str, n: Any, q: Any, xp: Any) -> Any:
    """Return the fractional indices of quantiles in sorted rows of n elements."""
    if method in ALPHA_BETA:
        alpha, beta = ALPHA_BETA[method]
        return n * q + (alpha + q * (1 - alpha - beta)) - 1
    if method in ("inverted_cdf", "averaged_inverted_cdf"):
        return n * q - 1
    if method == "closest_observation":
        return n * q - 1 - 0.5
    return (n - 1) * q


def element_index(method: str, index: Any, xp: Any) -> Any:
    """Return the index of the element, for methods that pick one."""
    low = xp.floor(index)
    if method in ("lower", "linear"):
        return low
    if method == "higher":
        return xp.ceil(index)
    if method == "nearest":
        return xp.round(index)
    stays = index == low
    if method == "closest_observation":
        stays = stays & (low % 2 == 1)
    result = xp.where(stays, low, low + 1)
    return xp.where(result < 0, 0.0, result)


def weight_of_next(method: str, index: Any, xp: Any) -> Any:
    """Return the interpolation weight of the next element."""
    part = index - xp.floor(index)
    if method == "averaged_inverted_cdf":
        return xp.where(part == 0, 0.5, 1.0)
    if method == "midpoint":
        return xp.where(index % 1 == 0, 0.0, 0.5)
    return part


def quantiles(
    request: QuantileRequest,
    a: Array,
    axis: Any,
    out: Any,
    weights: Array | None,
    *,
    keepdims: bool,
) -> Array:
    """Compute the requested quantiles of ``a``, and store them in ``out`` unless that is None."""
    arrays = [operand for operand in (a, request.q_array, weights) if operand is not None]
    _core.require_one_device(request.name, tuple(arrays))
    if kind_of(a.dtype) == "c":
        msg = f"{request.name}: {a.dtype} has no order; use a bool or real dtype"
        raise DTypeError(msg)
    rows, shape = rows_of(request.name, a, axis, keepdims=keepdims)
    if rows.shape[-1] == 0:
        msg = f"{request.name}: no elements to compute over: {a.shape}"
        raise ValueError(msg)
    nan = request.ignores_nan and kind_of(a.dtype) == "f"
    if weights is not None:
        result = _weighted(request, rows, _weight_rows(request, a, axis, weights), nan=nan)
    else:
        result = _without_nan(request, rows) if nan else _of_rows(request, rows)
    if not nan:
        result = nan_where_any(result, rows)
    result = sk.reshape(sk.moveaxis(result, -1, 0), (*request.values.shape, *shape))
    return (
        result
        if out is None
        else store(request.name, result, output_argument(request.name, out, a))
    )


def _of_rows(request: QuantileRequest, rows: Array) -> Array:
    """Compute along the last axis without NaN: the indices are the same for all rows and known to the host."""
    n = rows.shape[-1]
    q = request.values.reshape(-1)
    index = np.asarray(virtual_index(request.method, n, q, np))
    if request.picks_elements:
        return _pick(rows, element_index(request.method, index, np).astype(np.int64))
    low = np.minimum(np.maximum(np.floor(index), 0), n - 1).astype(np.int64)
    high = np.where(index < 0, 0, np.minimum(low + 1, n - 1)).astype(np.int64)
    weight = np.asarray(weight_of_next(request.method, index, np), dtype=np.float64)
    # Don't use elements with weight 0: they may be infinite.
    both = np.concatenate([np.where(weight < 1, low, high), np.where(weight > 0, high, low)])
    elements = _pick(rows, both)

    def to_rows(x: np.ndarray) -> Array:
        return sk.asarray(x.tolist(), device=rows.device)

    weights = (to_rows(weight), to_rows(1 - weight), to_rows(weight >= 0.5))
    between = _between(elements[..., : q.size], elements[..., q.size :], weights)
    return cast(between, _result_dtype(request, rows))


def _pick(rows: Array, indices: np.ndarray) -> Array:
    """Return elements of the sorted rows by index."""
    # There are few indices, for which lists are faster.
    positions = indices.tolist()
    ranks = sorted(set(positions))
    if len(ranks) > MAX_RANKS:
        elements = sk.sort(rows, axis=-1)
    else:
        elements = _core.order_statistics(rows, ranks)
        place_of = {rank: position for position, rank in enumerate(ranks)}
        positions = [place_of[rank] for rank in positions]
    if positions == list(range(elements.shape[-1])):
        return elements
    device_positions = sk.asarray(positions, dtype=sk.int64, device=rows.device)
    return sk.take(elements, device_positions, axis=-1)


def _result_dtype(request: QuantileRequest, rows: Array) -> Any:
    if kind_of(rows.dtype) != "f":
        return sk.float64
    if request.is_weak or kind_of(request.dtype) != "f":
        return rows.dtype
    return result_type(rows.dtype, request.dtype)


def _between(low: Array, high: Array, weights: tuple[Array, Array, Array]) -> Array:
    """Interpolate in float64 from the nearer end."""
    weight, rest, is_far = weights
    if is_long_integer(low.dtype):
        return _between_long_integers(low, high, weights)
    kind = kind_of(low.dtype)
    low, high = cast(low, FLOAT64), cast(high, FLOAT64)
    difference = high - low
    if kind == "f":  # inf - inf is NaN
        difference = sk.where(low == high, 0.0, difference)
    result = sk.where(is_far, high - difference * rest, low + difference * weight)
    if kind != "f":
        return result
    return sk.where(sk.isinf(difference), low * rest + high * weight, result)


def _between_long_integers(low: Array, high: Array, weights: tuple[Array, Array, Array]) -> Array:
    """Interpolate 64-bit integers, with compensation for the rounding of the ends and of their difference."""
    weight, rest, is_far = weights
    (low_high, low_low), (high_high, high_low) = high_and_low(low), high_and_low(high)
    low, lost_of_low = _sum_and_loss(low_high, low_low)
    high, lost_of_high = _sum_and_loss(high_high, high_low)
    difference, lost = _sum_and_loss(high_high - low_high, high_low - low_low)
    from_high = (high - difference * rest) + (lost_of_high - lost * rest)
    from_low = (low + difference * weight) + (lost_of_low + lost * weight)
    return sk.where(is_far, from_high, from_low)


def _sum_and_loss(larger: Array, smaller: Array) -> tuple[Array, Array]:
    """Return the sum and its rounding error (Dekker)."""
    total = larger + smaller
    return total, smaller - (total - larger)


def _without_nan(request: QuantileRequest, rows: Array) -> Array:
    """Compute along the last axis, ignoring NaN: the indices differ between rows."""
    ordered = sk.sort(rows, axis=-1)
    count = sk.count_nonzero(~sk.isnan(rows), axis=-1, keepdims=True)
    n = sk.astype(count, sk.float64)
    q = sk.asarray(request.values.reshape(-1).tolist(), dtype=sk.float64, device=rows.device)
    index = virtual_index(request.method, n, q, sk)
    last = sk.maximum(n - 1, 0.0)

    def take_elements(x: Array) -> Array:
        return sk.take_along_axis(ordered, sk.astype(x, sk.int64), axis=-1)

    if request.picks_elements:
        return take_elements(
            sk.minimum(sk.maximum(element_index(request.method, index, sk), 0.0), last)
        )
    low = sk.minimum(sk.maximum(sk.floor(index), 0.0), last)
    high = sk.where(index < 0, 0.0, sk.minimum(low + 1, last))
    weight = weight_of_next(request.method, index, sk)
    first, second = (
        take_elements(sk.where(weight < 1, low, high)),
        take_elements(sk.where(weight > 0, high, low)),
    )
    result = _between(first, second, (weight, 1 - weight, weight >= 0.5))
    return cast(result, _result_dtype(request, rows))


def _weight_rows(request: QuantileRequest, a: Array, axis: Any, weights: Array) -> Array:
    """Return the weights in the row layout of ``a``."""
    if request.method != "inverted_cdf":
        msg = f"{request.name}: weights need method='inverted_cdf', not {request.method!r}"
        raise ValueError(msg)
    if kind_of(weights.dtype) not in "biuf":
        msg = f"{request.name}: weights must be of a real dtype, not {weights.dtype}"
        raise DTypeError(msg)
    if weights.shape != a.shape:
        if axis is None:
            msg = f"{request.name}: axis is needed for weights of another shape than a: {weights.shape}, {a.shape}"
            raise TypeError(msg)
        axes = axes_within(request.name, axis, a.ndim)
        if weights.shape != tuple(a.shape[i] for i in axes):
            msg = f"{request.name}: weights must have the shape of a or of its axes: {weights.shape}, {a.shape}"
            raise ValueError(msg)
        weights = sk.permute_dims(weights, tuple(int(i) for i in np.argsort(axes)))
        spread = tuple(n if i in axes else 1 for i, n in enumerate(a.shape))
        weights = sk.broadcast_to(sk.reshape(weights, spread), a.shape)
    if bool(sk.any(weights < 0)):
        msg = f"{request.name}: weights must not be negative"
        raise ValueError(msg)
    return rows_of(request.name, weights, axis, keepdims=False)[0]


def _weighted(request: QuantileRequest, rows: Array, weights: Array, *, nan: bool) -> Array:
    """Find the elements at which the cumulative weight reaches a fraction of the total."""
    n = rows.shape[-1]
    last = sk.asarray(n - 1, device=rows.device)
    weights = sk.astype(weights, sk.float64)
    # Scale, so that the total is finite.
    weights = weights * sk.where(sk.max(weights) > 2.0**960, 2.0**-64, 1.0)
    if nan:
        is_nan = sk.isnan(rows)
        weights = sk.where(is_nan, 0.0, weights)
        last = sk.maximum(sk.count_nonzero(~is_nan, axis=-1, keepdims=True) - 1, 0)
    order = sk.argsort(rows, axis=-1)
    reached = sk.cumulative_sum(sk.take_along_axis(weights, order, axis=-1), axis=-1)
    reached = reached / reached[..., -1:]
    if not nan and bool(sk.any(sk.isnan(reached[..., -1]))):
        msg = f"{request.name}: weights contain NaN or infinity, or are all 0"
        raise ValueError(msg)
    reached = sk.where(reached == 0, -1.0, reached)  # elements of weight 0 are never selected
    indices = [
        sk.count_nonzero(reached < q, axis=-1, keepdims=True)
        for q in request.values.reshape(-1).tolist()
    ]
    positions = sk.minimum(sk.concat(indices, axis=-1), last)
    return sk.take_along_axis(sk.take_along_axis(rows, order, axis=-1), positions, axis=-1)
