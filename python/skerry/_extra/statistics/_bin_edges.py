# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Bin edges, equal to NumPy's, and bin numbers, for all histogram functions."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import skerry as sk
from skerry import _core
from skerry._arrays import shown
from skerry._core import Array
from skerry._data_types import kind_of, result_type
from skerry._extra._operands import (
    cast,
    complex_of,
    host_values,
    is_long_integer,
    require_host_memory,
)
from skerry._extra.statistics._places import find_positions, promote_pair
from skerry._extra.statistics.order_statistics import percentile
from skerry.exceptions import DTypeError, ShapeError

_MAX_ESTIMATED = 2**31  # bins: edges and counts take 32 GiB


@dataclass
class Edges:
    """Edges of bins; ``between`` is the range if they are evenly spaced."""

    edges: Array
    between: tuple[float, float] | None = None


def as_array(values: Any, device: Any) -> Array:
    """Return the edges as an array."""
    return values if isinstance(values, Array) else sk.asarray(values, device=device)


def axes_of(bins: Any) -> int:
    """Return the number of axes of ``bins``: 0 for a number of bins, 1 for any list or tuple."""
    if isinstance(bins, tuple | list):
        return 1
    return bins.ndim if isinstance(bins, Array | np.ndarray) else 0


def never_decreases(edges: Array) -> bool:
    """Read from the device whether the edges never decrease."""
    return edges.shape[0] < 2 or bool(sk.all(edges[:-1] <= edges[1:]))


def items_of(name: str, a: Array, bins: Any, weights: Array | None) -> tuple[Array, Array | None]:
    """Return the elements and their weights as 1-D arrays; bool becomes uint8."""
    if weights is not None or isinstance(bins, Array):
        arrays = [operand for operand in (a, bins, weights) if isinstance(operand, Array)]
        _core.require_one_device(name, tuple(arrays))
    if kind_of(a.dtype) == "c":
        msg = f"{name}: {a.dtype} has no order; use a bool or real dtype"
        raise DTypeError(msg)
    if weights is not None and weights.shape != a.shape:
        msg = f"{name}: weights must have the shape of a: {weights.shape} and {a.shape}"
        raise ValueError(msg)
    a = sk.astype(a, sk.uint8) if kind_of(a.dtype) == "b" else a
    return sk.reshape(a, (-1,)), None if weights is None else sk.reshape(weights, (-1,))


def outer_edges(name: str, items: Array, limits: Any) -> tuple[Any, Any]:
    """Return the first and the last edge: the given range, or the extrema read from the device."""
    if limits is not None:
        first, last = _two_numbers(name, limits, items)
        # Edges are floats, so an int may exceed all integer dtypes.
        too_large = [isinstance(limit, int) and abs(limit) >= 1 << 63 for limit in (first, last)]
        first, last = float(first) if too_large[0] else first, float(last) if too_large[1] else last
        if first > last:
            msg = f"{name}: range must not decrease: {limits}"
            raise ValueError(msg)
    elif items.size == 0:
        first, last = 0, 1
    else:
        first, last = sk.stack([sk.min(items), sk.max(items)]).tolist()
    if not (math.isfinite(first) and math.isfinite(last)):
        msg = f"{name}: the range is not finite: [{first}, {last}]; pass a finite range="
        raise ValueError(msg)
    if first == last:
        first, last = first - 0.5, last + 0.5
    return first, last


def _two_numbers(name: str, limits: Any, items: Array) -> tuple[Any, Any]:
    """Return the bounds of a range as numbers; read from the device if it is an array."""
    values = host_values(name, limits, items)
    if not isinstance(values, str | bytes) and np.iterable(values):
        bounds = [x.item() if isinstance(x, np.ndarray) and x.ndim == 0 else x for x in values]
        if len(bounds) == 2 and all(isinstance(x, int | float | np.number) for x in bounds):
            return bounds[0], bounds[1]
    raise TypeError(f"{name}: range must be two numbers, not {shown(limits)}")


def even_edges(items: Array, limits: Any, ends: tuple[Any, Any], bins: int, dtype: Any) -> Any:
    """Return NumPy's ``linspace`` between the ends, or skerry's if NumPy's overflows."""
    with np.errstate(over="ignore", invalid="ignore"):
        edges = numpys_edges(items, limits, _around(*ends), bins, dtype)
    if np.isfinite(edges).all():
        return edges
    ends = float(ends[0]), float(ends[1])
    return np.asarray(sk.linspace(*ends, bins + 1, device="cpu:0")).astype(edges.dtype)


def _around(first: Any, last: Any) -> tuple[Any, Any]:
    """Return the ends, with integers rounded outward to floats."""
    if isinstance(first, int) and float(first) > first:
        first = math.nextafter(float(first), -math.inf)
    if isinstance(last, int) and float(last) < last:
        last = math.nextafter(float(last), math.inf)
    return first, last


def numpys_edges(items: Array, limits: Any, ends: tuple[Any, Any], bins: int, dtype: Any) -> Any:
    """Return the result of ``linspace``; computed directly, which is faster, if the ends are elements."""
    first, last = ends
    if limits is None and items.size > 0:
        dtype = items.dtype if kind_of(items.dtype) == "f" else np.dtype(np.float64)
        start, stop = dtype.type(first), dtype.type(last)
        step = (stop - start) / bins
        if step != 0:  # otherwise the numbers are subnormal
            edges = np.arange(bins + 1, dtype=dtype)
            edges *= step
            edges += start
            edges[-1] = stop
            return edges
    return np.linspace(first, last, bins + 1, dtype=dtype)


def edges_of(name: str, items: Array, bins: Any, limits: Any, weights: Array | None) -> Edges:
    """Return the edges that ``bins`` specifies."""
    if not isinstance(bins, str) and axes_of(bins) == 1:
        return Edges(given_edges(name, bins, items))
    if not isinstance(bins, str) and axes_of(bins) != 0:
        msg = f"{name}: edges in bins must be 1-D"
        raise ValueError(msg)
    if isinstance(bins, str) and bins not in ESTIMATES:
        msg = f"{name}: unknown estimator of bins: {bins!r}; use one of {', '.join(ESTIMATES)}"
        raise ValueError(msg)
    if isinstance(bins, str) and weights is not None:
        msg = f"{name}: the number of bins can't be estimated with weights; pass a number"
        raise TypeError(msg)
    count = None if isinstance(bins, str) else bin_count(name, bins)
    first, last = outer_edges(name, items, limits)
    if count is None:
        count = estimated_count(bins, items, first, last, is_cut=limits is not None)
    dtype = items.dtype
    if limits is not None:
        dtype = result_type(first, last, np.empty(0, dtype))
    dtype = dtype if kind_of(dtype) == "f" else np.dtype(np.float64)
    require_edges(name, count)
    edges = even_edges(items, limits, (first, last), count, dtype)
    if (edges[:-1] >= edges[1:]).any():
        msg = f"{name}: too many bins for the range: {count} in [{first}, {last}]"
        raise ValueError(msg)
    device_edges = sk.asarray(edges, device=items.device, copy=True)
    return Edges(device_edges, (float(edges[0]), float(edges[-1])))


def bin_count(name: str, bins: Any) -> int:
    """Return the number of bins, checked."""
    try:
        count = operator.index(bins)
    except TypeError:
        msg = f"{name}: bins must be an int, a str or edges, not {shown(bins)}"
        raise TypeError(msg) from None
    if count < 1:
        msg = f"{name}: bins must be positive: {count}"
        raise ValueError(msg)
    return count


def require_edges(name: str, count: int) -> None:
    """Raise if the host lacks memory for the edges and three temporary copies."""
    require_host_memory(f"{name}: {count} bins", 4 * 8 * (count + 1))


def given_edges(name: str, bins: Any, items: Array) -> Array:
    """Return the given edges as an array, checked."""
    edges = as_array(bins, items.device)
    if not never_decreases(edges):
        msg = f"{name}: edges in bins must not decrease; sort them"
        raise ValueError(msg)
    return edges


def edges_along(name: str, column: Array, bins: Any, limits: Any) -> Array:
    """Return the edges along one of several dimensions."""
    if axes_of(bins) == 1:
        return given_edges(name, bins, column)
    count = bin_count(name, bins)
    require_edges(name, count)
    first, last = outer_edges(name, column, limits)
    edges = even_edges(column, limits, (first, last), count, None)
    return sk.asarray(edges, device=column.device, copy=True)


def columns_of(name: str, sample: Any) -> list[Array]:
    """Return the coordinates of points, dimension by dimension."""
    if isinstance(sample, Array):
        if sample.ndim == 1:
            sample = sk.reshape(sample, (-1, 1))
        if sample.ndim != 2:
            msg = f"{name}: sample must have shape (points, dimensions), not {sample.shape}"
            raise ValueError(msg)
        return [sample[:, i] for i in range(sample.shape[1])]
    if not isinstance(sample, tuple | list):
        raise TypeError(
            f"{name}: sample must be an Array or a sequence of Arrays, not {type(sample).__name__}"
        )
    columns = list(sample)
    if not any(isinstance(x, Array) for x in columns):
        columns = [sk.asarray(x) for x in columns]
    if not columns or any(x.ndim != 1 or x.shape != columns[0].shape for x in columns):
        msg = f"{name}: coordinates must be 1-D arrays of equal size"
        raise ValueError(msg)
    return columns


def bin_numbers(edges: Array, items: Array) -> Array:
    """Return the bin of each element; -1 before the first edge, the number of bins after the last."""
    bins = edges.shape[0] - 1
    numbers = find_positions("histogram", edges, items, "right") - 1
    # The last bin includes its upper edge.
    is_behind = find_positions("histogram", edges[-1:], items, "left") == 1
    return sk.where((numbers == bins) & ~is_behind, bins - 1, numbers)


def count(items: Array, bin_edges: Edges) -> Array:
    """Count the elements in bins."""
    edges = bin_edges.edges
    if edges.shape[0] < 2 or not _are_compared_as_floats(items, bin_edges):
        return sum_weights(bin_numbers(edges, items), None, max(edges.shape[0] - 1, 0))
    edges, items = promote_pair("histogram", edges, items)
    between = bin_edges.between or (0.0, 1.0)
    counts: Array = _core.count_in_bins(items, edges, bin_edges.between is not None, *between)
    return counts


def _are_compared_as_floats(items: Array, bin_edges: Edges) -> bool:
    """Return whether items and edges can be compared exactly in their common floating-point dtype."""
    edges, dtypes = bin_edges.edges, (items.dtype, bin_edges.edges.dtype)
    if kind_of(result_type(*dtypes)) != "f" or not any(map(is_long_integer, dtypes)):
        return kind_of(result_type(*dtypes)) == "f"
    # float64 represents all integers up to 2**53; larger ones are outside of these edges, also after rounding.
    ends = bin_edges.between or sk.stack([edges[0, ...], edges[-1, ...]]).tolist()
    return all(abs(end) < 2**53 for end in ends)


def sum_weights(numbers: Array, weights: Array | None, bins: int) -> Array:
    """Sum weights by bin number, in the dtype of the weights; without weights count the elements."""
    if weights is None:
        counts: Array = _core.count_numbers(numbers, None, bins)
        return counts
    if kind_of(weights.dtype) == "c":
        real = _core.count_numbers(numbers, sk.real(weights), bins)
        imag = _core.count_numbers(numbers, sk.imag(weights), bins)
        return complex_of(real, imag, sk.complex128).astype(weights.dtype)
    if kind_of(weights.dtype) in "iu":
        return _sum_integers(numbers, weights, bins)
    return sk.astype(_core.count_numbers(numbers, weights, bins), weights.dtype, copy=False)


def _sum_integers(numbers: Array, weights: Array, bins: int) -> Array:
    """Sum groups of bits that are narrow enough for exact float64 sums; the total wraps around."""
    width = 53 - weights.size.bit_length()
    words = weights if weights.dtype == np.uint64 else cast(weights, sk.int64).view(sk.uint64)
    total = sk.zeros((bins,), dtype=sk.uint64, device=weights.device)
    for shift in range(0, 64, width):
        part = (words >> shift) & (2**width - 1)
        total += cast(_core.count_numbers(numbers, part, bins), sk.uint64) << shift
    return total if weights.dtype == np.uint64 else cast(total.view(sk.int64), weights.dtype)


def density_of(counts: Array, edges: list[Array]) -> Array:
    """Divide counts by the sizes of bins and by the total count."""
    total = sk.sum(counts)
    if kind_of(counts.dtype) != "c":
        counts, total = sk.astype(counts, sk.float64), sk.astype(total, sk.float64)
    for axis, bounds in enumerate(edges):
        widths = sk.astype(bounds[1:] - bounds[:-1], sk.float64)
        spread = [1] * len(edges)
        spread[axis] = widths.shape[0]
        counts = counts / sk.reshape(widths, tuple(spread))
    return counts / total


def count_points(
    name: str, sample: Any, bins: Any, limits: Any, weights: Array | None, *, density: bool
) -> tuple[Array, tuple[Array, ...]]:
    """Count points in bins of several dimensions."""
    columns = columns_of(name, sample)
    dims = len(columns)
    each_bins = list(bins) if axes_of(bins) else [bins] * dims
    if limits is not None and not isinstance(limits, tuple | list | Array | np.ndarray):
        raise TypeError(
            f"{name}: range must be a sequence of two numbers for each dimension, not {shown(limits)}"
        )
    ranges = [None] * dims if limits is None else list(limits)
    if len(each_bins) != dims or len(ranges) != dims:
        msg = f"{name}: bins and range must have one item for each of {dims} dimensions"
        raise ValueError(msg)
    arrays = [*columns, *[x for x in (*each_bins, weights) if isinstance(x, Array)]]
    _core.require_one_device(name, tuple(arrays))
    if weights is not None and weights.shape != columns[0].shape:
        raise ShapeError(
            f"{name}: weights must have the shape ({columns[0].size},), one for each point, not {weights.shape}"
        )
    edges = [edges_along(name, *args) for args in zip(columns, each_bins, ranges, strict=True)]
    shape = tuple(bounds.shape[0] - 1 for bounds in edges)
    number = sk.zeros(columns[0].shape, dtype=sk.int64, device=columns[0].device)
    valid = sk.ones(number.shape, dtype=sk.bool, device=number.device)
    for column, bounds, size in zip(columns, edges, shape, strict=True):
        column_bins = bin_numbers(bounds, column)
        number = number * size + column_bins
        valid &= (column_bins >= 0) & (column_bins < size)
    flat = sum_weights(sk.where(valid, number, -1), weights, math.prod(shape))
    counts = sk.reshape(flat, shape)
    if kind_of(counts.dtype) != "c":
        counts = sk.astype(counts, sk.float64, copy=False)
    return density_of(counts, edges) if density else counts, tuple(edges)


# ---- estimators of the bin width, by NumPy's formulas


def estimated_count(name: str, items: Array, first: Any, last: Any, *, is_cut: bool) -> int:
    """Estimate the number of bins from elements, read from the device."""
    if is_cut:
        items = items[(items >= first) & (items <= last)]
    if items.size == 0:
        return 1
    width = ESTIMATES[name](items, (float(first), float(last)))
    if not width:
        return 1
    if kind_of(items.dtype) in "iu" and width < 1:
        width = 1
    count = (float(last) - float(first)) / width
    if not count < _MAX_ESTIMATED:
        msg = (
            f"histogram: bins={name!r} gives about {count:.3g} bins, {width:.3g} wide, in [{first}, {last}]; pass "
            "a number of bins or a range="
        )
        raise ValueError(msg)
    return math.ceil(count)


def _floats(x: Array) -> Array:
    return x if kind_of(x.dtype) == "f" else sk.astype(x, sk.float64)


def _span(x: Array) -> float:
    return float(sk.max(x)) - float(sk.min(x))


def _sqrt(x: Array, _: Any) -> float:
    return _span(x) / math.sqrt(x.size)


def _sturges(x: Array, _: Any) -> float:
    return _span(x) / (math.log2(x.size) + 1.0)


def _rice(x: Array, _: Any) -> float:
    return _span(x) / (2.0 * math.pow(x.size, 1.0 / 3))


def _scott(x: Array, _: Any) -> float:
    return math.pow(24.0 * math.pi**0.5 / x.size, 1.0 / 3.0) * float(sk.std(_floats(x)))


def _stone(x: Array, limits: Any) -> float:
    """Minimise the estimated integrated squared error."""
    n, span = x.size, _span(x)
    if n <= 1 or span == 0:
        return 0.0

    def error(bins: int) -> float:
        bin_edges = edges_of("histogram", x, bins, limits, None)
        share = sk.astype(count(x, bin_edges), sk.float64) / n
        return (2 - (n + 1) * float(sk.sum(share * share))) / (span / bins)

    return span / min(range(1, max(100, int(math.sqrt(n))) + 1), key=error)


def _doane(x: Array, _: Any) -> float:
    n = x.size
    values = _floats(x)
    sigma = float(sk.std(values)) if n > 2 else 0.0
    if sigma <= 0.0:
        return 0.0
    spread = math.sqrt(6.0 * (n - 2) / ((n + 1.0) * (n + 3)))
    skewness = float(sk.mean(((values - sk.mean(values)) / sigma) ** 3))
    return _span(x) / (1.0 + math.log2(n) + math.log2(1.0 + abs(skewness) / spread))


def _fd(x: Array, _: Any) -> float:
    quarter, three_quarters = np.asarray(percentile(x, [25, 75]).to_device("cpu:0"))
    return 2.0 * float(three_quarters - quarter) * math.pow(x.size, -1.0 / 3.0)


def _auto(x: Array, limits: Any) -> float:
    return min(max(_fd(x, limits), _sqrt(x, limits) / 2), _sturges(x, limits))


ESTIMATES: dict[str, Callable[[Array, Any], float]] = {
    "auto": _auto,
    "doane": _doane,
    "fd": _fd,
    "rice": _rice,
    "scott": _scott,
    "sqrt": _sqrt,
    "stone": _stone,
    "sturges": _sturges,
}
