# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Histograms."""

from __future__ import annotations

from typing import Any

import skerry as sk
from skerry import _core
from skerry._core import Array
from skerry._data_types import kind_of
from skerry._extra._operands import as_arrays, cast
from skerry._extra.statistics import _bin_edges as binning
from skerry._extra.statistics._places import Side, check_alike, find_positions

__all__ = [
    "bincount",
    "digitize",
    "histogram",
    "histogram2d",
    "histogram_bin_edges",
    "histogramdd",
]


def bincount(x: Array, /, weights: Array | None = None, minlength: int = 0) -> Array:
    """Count the occurrences of each non-negative integer.

    Sums of weights are the same for any number of threads. The maximum is read from the device, because the size of the
    result depends on it: the call waits.

    Parameters
    ----------
    x : Array
        1-D array of non-negative numbers, of an integer dtype or bool.
    weights : Array, optional
        Weights of a real dtype, with the shape of ``x``.
    minlength : int, default 0
        Minimum size of the result.

    Returns
    -------
    Array
        1-D array of int64, or of float64 with weights. Its size is the maximum of ``x`` plus 1, at least ``minlength``.

    Raises
    ------
    TypeError
        If ``x`` is of another dtype.
    ValueError
        If ``x`` has negative numbers or is not 1-D, or the weights have another shape.
    MemoryError
        If the device does not have enough memory for the result.
    {DeviceMismatchError}

    Examples
    --------
    >>> import skerry as sk
    >>> sk.bincount(sk.asarray([0, 1, 1, 3]))
    Array([1, 2, 0, 1], dtype=int64, device='cpu:0')

    """
    if isinstance(x, Array) and x.size == 0 and kind_of(x.dtype) == "f":  # an empty list
        x = cast(x, "int64")
    counts: Array = _core.count_occurrences(x, weights, minlength)
    return counts


def digitize(x: Array, bins: Any, right: bool = False) -> Array:
    """Return the index of the bin of each element.

    Bin i begins at bins[i - 1] and ends before bins[i]; 0 is before the first edge, len(bins) after the last. Whether
    the edges increase or decrease is read from the device.

    Parameters
    ----------
    x : Array
        Input array of a real dtype.
    bins : Array or sequence of numbers
        1-D, monotonic edges; NaN is after all numbers.
    right : bool, default False
        Whether bins include the right edge instead of the left one.

    Returns
    -------
    Array
        Array of int64 with the shape of ``x``.

    Raises
    ------
    ValueError
        If the edges are not monotonic or not 1-D.
    {DeviceMismatchError}

    Examples
    --------
    >>> import skerry as sk
    >>> sk.digitize(sk.asarray([0.2, 6.4, 3.0]), [0.0, 1.0, 2.5, 4.0])
    Array([1, 4, 3], dtype=int64, device='cpu:0')

    """
    if not isinstance(x, Array):
        edge_arrays = (bins,) if isinstance(bins, Array) else ()
        x = as_arrays("digitize", x, *edge_arrays)[0]
    edges = binning.as_array(bins, x.device)
    check_alike("digitize", edges, x)
    if edges.ndim != 1:
        msg = f"digitize: bins must be 1-D, not of shape {edges.shape}"
        raise ValueError(msg)
    side: Side = "left" if right else "right"
    if _is_sorted(edges):
        return find_positions("digitize", edges, x, side)
    if not _is_sorted(edges[::-1]):
        msg = "digitize: bins must increase or decrease monotonically; sort them"
        raise ValueError(msg)
    return edges.shape[0] - find_positions("digitize", edges[::-1], x, side)


def _is_sorted(edges: Array) -> bool:
    """Return whether edges never decrease, with NaN after all numbers as in ``sort``."""
    if kind_of(edges.dtype) != "f":
        return binning.never_decreases(edges)
    later = edges[1:]
    return bool(sk.all((later >= edges[:-1]) | sk.isnan(later)))


def histogram_bin_edges(
    a: Array, bins: Any = 10, range: Any = None, weights: Array | None = None
) -> Array:
    """Compute the bin edges that ``histogram`` uses.

    The minimum and maximum are read from the device unless the range is given.

    Parameters
    ----------
    a : {real or bool}
    bins, range, weights
        See ``histogram``; weights are only checked.

    Returns
    -------
    Array
        1-D array of edges, one more than there are bins.

    Raises
    ------
    ValueError
        See ``histogram``.
    {DeviceMismatchError}

    Examples
    --------
    >>> import skerry as sk
    >>> sk.histogram_bin_edges(sk.asarray([0.0, 3.0, 4.0]), bins=2)
    Array([0., 2., 4.], dtype=float64, device='cpu:0')

    """
    items, _ = binning.items_of("histogram_bin_edges", a, bins, weights)
    return binning.edges_of("histogram_bin_edges", items, bins, range, weights).edges


def histogram(
    a: Array,
    bins: Any = 10,
    range: Any = None,
    density: bool | None = None,
    weights: Array | None = None,
) -> tuple[Array, Array]:
    """Count the elements in each bin.

    Bins include their lower edge; only the last bin also includes its upper edge. Elements outside of the bins, and
    NaN, are not counted. Counts and edges equal NumPy's. The minimum and maximum are read from the device unless the
    range is given. Sums of weights are the same for any number of threads.

    Parameters
    ----------
    a : Array
        Input array of a real dtype or bool, of any shape.
    bins : int, sequence, Array or str, default 10
        Number of bins of equal width; or edges, which must not decrease; or the estimator of their number: 'auto',
        'doane', 'fd', 'rice', 'scott', 'sqrt', 'stone' or 'sturges', as in numpy.histogram_bin_edges.
    range : tuple of two numbers, optional
        The outer edges; by default the minimum and maximum.
    density : bool, optional
        Whether to return the density, whose integral is 1.
    weights : Array, optional
        Weights of the elements, with the shape of ``a``.

    Returns
    -------
    hist : Array
        Counts of int64, sums of weights of their dtype, or a density of float64.
    bin_edges : Array
        The edges of the bins, one more than there are bins.

    Raises
    ------
    ValueError
        If the edges decrease, the range is reversed or not finite, or the weights have another shape.
    TypeError
        If ``bins`` is none of these.
    {DeviceMismatchError}

    Examples
    --------
    >>> import skerry as sk
    >>> sk.histogram(sk.asarray([1.0, 2.0, 1.0, 4.0]), bins=3)[0]
    Array([2, 1, 1], dtype=int64, device='cpu:0')

    """
    items, weights = binning.items_of("histogram", a, bins, weights)
    bin_edges = binning.edges_of("histogram", items, bins, range, weights)
    edges = bin_edges.edges
    if weights is None:
        counts = binning.count(items, bin_edges)
    else:
        counts = binning.sum_weights(binning.bin_numbers(edges, items), weights, len(edges) - 1)
    if density:
        counts = binning.density_of(counts, [edges])
    return counts, edges


def histogramdd(
    sample: Any,
    bins: Any = 10,
    range: Any = None,
    density: bool | None = None,
    weights: Array | None = None,
) -> tuple[Array, tuple[Array, ...]]:
    """Count points in multidimensional bins.

    The minimum and maximum coordinates are read from the device unless the range is given.

    Parameters
    ----------
    sample : Array or sequence of Arrays
        Array of shape (N, D) with N points, or D arrays of N coordinates.
    bins : int or sequence, default 10
        Number of bins along each dimension; or a sequence with a number of bins or edges for each dimension.
    range : sequence, optional
        The outer edges of each dimension, or None.
    density : bool, optional
        Whether to return the density, whose integral is 1.
    weights : Array, optional
        1-D weights of the points.

    Returns
    -------
    hist : Array
        Counts, sums of weights or density, with D axes, of float64.
    edges : tuple of Arrays
        The edges along each dimension.

    Raises
    ------
    ValueError
        If the number of ``bins`` or ranges differs from the number of dimensions, and as for ``histogram``.
    {DeviceMismatchError}

    Examples
    --------
    >>> import skerry as sk
    >>> points = sk.asarray([[0.0, 0.0], [1.0, 1.0], [1.0, 0.9]])
    >>> sk.histogramdd(points, bins=2)[0]
    Array([[1., 0.],
           [0., 2.]], dtype=float64, device='cpu:0')

    """
    return binning.count_points("histogramdd", sample, bins, range, weights, density=bool(density))


def histogram2d(
    x: Array,
    y: Array,
    bins: Any = 10,
    range: Any = None,
    density: bool | None = None,
    weights: Array | None = None,
) -> tuple[Array, Array, Array]:
    """Count points in two-dimensional bins.

    The minimum and maximum coordinates are read from the device unless the range is given.

    Parameters
    ----------
    x, y : Array
        1-D coordinates, of one shape.
    bins : int or sequence, default 10
        Number of bins or edges along both axes, or two of these, one for each axis.
    range, density, weights
        See ``histogramdd``.

    Returns
    -------
    hist : Array
        Array of shape (bins along x, bins along y), of float64.
    x_edges, y_edges : Array
        The edges of the bins.

    Raises
    ------
    ValueError
        See ``histogramdd``.
    {DeviceMismatchError}

    Examples
    --------
    >>> import skerry as sk
    >>> x, y = sk.asarray([0.0, 1.0, 1.0]), sk.asarray([0.0, 1.0, 0.9])
    >>> sk.histogram2d(x, y, bins=2)[0]
    Array([[1., 0.],
           [0., 2.]], dtype=float64, device='cpu:0')

    """
    if x.shape != y.shape:
        msg = f"histogram2d: x and y must have the same shape: {x.shape} and {y.shape}"
        raise ValueError(msg)
    is_sequence = binning.axes_of(bins) > 0
    if is_sequence and len(bins) not in (1, 2):
        bins = [bins, bins]
    elif is_sequence and len(bins) == 1:
        bins = [bins[0], bins[0]]
    hist, edges = histogramdd([x, y], bins, range, density, weights)
    return hist, edges[0], edges[1]
