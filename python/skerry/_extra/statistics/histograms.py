# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Histograms, and how often numbers occur."""

from __future__ import annotations

from typing import Any

from skerry import _core
from skerry._core import Array
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
    """Count how often each of the numbers 0, 1, 2 … occurs.

    Sums of weights are the same for any number of threads. The greatest number is read from the device, since the
    result's size depends on it: the call waits.

    Parameters
    ----------
    x : Array
        1-D, of an integer dtype or bool, without negative numbers.
    weights : Array, optional
        Of the shape of x, of a real dtype: what each occurrence counts.
    minlength : int, default 0
        The least size of the result.

    Returns
    -------
    Array
        1-D: int64, or float64 where there are weights. Its size is one more than the greatest number.

    Raises
    ------
    TypeError
        For an x of another dtype.
    ValueError
        For negative numbers, an x that is not 1-D, weights of another shape.
    MemoryError
        Where the greatest number asks for more bins than the device has memory.
    {DeviceMismatchError}

    Examples
    --------
    >>> import skerry as sk
    >>> sk.bincount(sk.asarray([0, 1, 1, 3]))
    Array([1, 2, 0, 1], dtype=int64, device='cpu:0')

    """
    counts: Array = _core.count_occurrences(x, weights, minlength)
    return counts


def digitize(x: Array, bins: Any, right: bool = False) -> Array:
    """Find the bin that each element is in.

    Bin i begins at bins[i - 1] and ends before bins[i]; 0 is before the first edge, len(bins) behind the last. Whether
    the edges increase or decrease is read from the device.

    Parameters
    ----------
    x : Array
        Of a real dtype.
    bins : Array or sequence of numbers
        1-D: edges that never decrease, or never increase.
    right : bool, default False
        Whether a bin has its right edge instead of the left one.

    Returns
    -------
    Array
        int64, of the shape of x.

    Raises
    ------
    ValueError
        For edges that are not monotonic, or not 1-D.
    {DeviceMismatchError}

    Examples
    --------
    >>> import skerry as sk
    >>> sk.digitize(sk.asarray([0.2, 6.4, 3.0]), [0.0, 1.0, 2.5, 4.0])
    Array([1, 4, 3], dtype=int64, device='cpu:0')

    """
    edges = binning.as_array(bins, x.device)
    check_alike("digitize", edges, x)
    if edges.ndim != 1:
        msg = f"digitize: bins must be 1-D: {edges.shape}"
        raise ValueError(msg)
    side: Side = "left" if right else "right"
    if binning.never_decreases(edges):
        return find_positions("digitize", edges, x, side)
    if not binning.never_decreases(edges[::-1]):
        msg = "digitize: bins must increase or decrease monotonically; sort them"
        raise ValueError(msg)
    return edges.shape[0] - find_positions("digitize", edges[::-1], x, side)


def histogram_bin_edges(
    a: Array, bins: Any = 10, range: Any = None, weights: Array | None = None
) -> Array:
    """Compute the edges of the bins that ``histogram`` would count in.

    The least and the greatest element are read from the device unless the range is given.

    Parameters
    ----------
    a : {real or bool}
    bins, range, weights
        As of ``histogram``; weights are checked only.

    Returns
    -------
    Array
        1-D, one more than there are bins.

    Raises
    ------
    ValueError
        As of ``histogram``.
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

    The last bin has its upper edge, the others don't; elements outside of all, and NaN, are not counted. Counts and
    edges are NumPy's. The least and the greatest element are read from the device unless the range is given; sums of
    weights are the same for any number of threads.

    Parameters
    ----------
    a : Array
        Of a real dtype or bool, of any shape.
    bins : int, sequence, Array or str, default 10
        How many bins of equal width; or their edges, which never decrease; or how their number is estimated: 'auto',
        'doane', 'fd', 'rice', 'scott', 'sqrt', 'stone' or 'sturges', as in numpy.histogram_bin_edges.
    range : tuple of two numbers, optional
        The outer edges; the least and the greatest element by default.
    density : bool, optional
        Whether to return the density, whose integral is 1.
    weights : Array, optional
        Of the shape of a: what each element counts.

    Returns
    -------
    hist : Array
        int64; of the dtype of weights; of float64 as a density.
    bin_edges : Array
        The edges of the bins, one more than there are bins.

    Raises
    ------
    ValueError
        For edges that decrease, a range that is not finite or reversed, weights of another shape.
    TypeError
        For bins that are none of these.
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
    """Count points in bins of several dimensions.

    The least and the greatest coordinates are read from the device unless the range is given.

    Parameters
    ----------
    sample : Array or sequence of Arrays
        Of shape (N, D): N points; or D arrays of N coordinates.
    bins : int or sequence, default 10
        How many bins along each dimension; or for each how many, or their edges.
    range : sequence, optional
        For each dimension the outer edges, or None.
    density : bool, optional
        Whether to return the density, whose integral is 1.
    weights : Array, optional
        1-D: what each point counts.

    Returns
    -------
    hist : Array
        Of D axes, float64.
    edges : tuple of Arrays
        The edges along each dimension.

    Raises
    ------
    ValueError
        For bins or ranges that don't fit the number of dimensions, or as of ``histogram``.
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
    """Count points of a plane in bins.

    The least and the greatest coordinates are read from the device unless the range is given.

    Parameters
    ----------
    x, y : Array
        1-D, of one shape: the coordinates.
    bins : int or sequence, default 10
        How many bins along both axes, or their edges; or two of these, one for each axis.
    range, density, weights
        As of ``histogramdd``.

    Returns
    -------
    hist : Array
        Of shape (bins along x, bins along y), float64.
    x_edges, y_edges : Array
        The edges of the bins.

    Raises
    ------
    ValueError
        As of ``histogramdd``.
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
        msg = f"histogram2d: x and y must be of one shape: {x.shape} and {y.shape}"
        raise ValueError(msg)
    is_sequence = binning.axes_of(bins) > 0
    if is_sequence and len(bins) not in (1, 2):
        bins = [bins, bins]
    elif is_sequence and len(bins) == 1:
        bins = [bins[0], bins[0]]
    hist, edges = histogramdd([x, y], bins, range, density, weights)
    return hist, edges[0], edges[1]
