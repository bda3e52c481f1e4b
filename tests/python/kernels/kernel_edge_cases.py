# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Calls of every family of CUDA kernels, with shapes around the edges of their tiles.

As a program it prints a checksum of the bits of each result, which must not depend on the model of the GPU:
    python -m tests.python.kernels.kernel_edge_cases [I/N]     the I-th of N parts of the cases
"""

from __future__ import annotations

import sys

import numpy as np
from skerry.random import default_rng

from tests.python.kernels.kernel_edge_operands import (
    CHUNK,
    COLUMNS,
    COUNTED,
    COUNTING,
    DEPTH,
    DOT,
    FEW,
    FLOATING,
    INTEGER,
    LINE,
    MASKS,
    MERGED_ROWS,
    PRODUCT,
    REAL,
    REAL_FLOATING,
    ROWS,
    SHORT_DOT,
    SORTED,
    SQUARES,
    WAVE,
    WAVE_OF_COLUMNS,
    WAVE_OF_ROWS,
    WAVE_SORTED,
    WIDTHS,
    around,
    binned,
    counted,
    crossed,
    factors,
    filtered,
    indexed,
    masked,
    matrices,
    means,
    numbered,
    row_and_column,
    scattered,
    signs,
    sought,
    stacked_factors,
    two,
    varied,
    vectors,
)
from tests.python.kernels.kernel_edges import DEVICE, EVERY, Case, numbers, one, print_checksums


def add_to(s, target, y):
    target += y


def assign(s, target, y):
    target[...] = y


def assign_across(s, target, y):
    target[...] = y.T


def assign_steps(s, target, y):
    target[::3] = y[::3]
    target[1::3] = y[1::3][::-1]


def fill(s, target):
    target[...] = 3


def fill_steps(s, target):
    target[1::2] = 5


def put(s, target, indices, y):
    target[indices] = y


def put_value(s, target, indices, y):
    target[indices] = 4


def put_masked(s, target, mask, y):
    target[mask] = y[mask]


def put_value_masked(s, target, mask, y):
    target[mask] = 6


def folded(axis):
    """Reductions with exact results. Some of them can't stop early, so that every element is read."""

    def call(s, x):
        results = [f(x, axis=axis) for f in (s.sum, s.max, s.argmax, s.any, s.count_nonzero)]
        return [*results, s.all(s.less(x, 100), axis=axis)]

    return call


def exact_variance(axis):
    """Return NumPy's variance in long double: in float32 it rounds more, as it adds up columns row by row."""
    return lambda s, x: np.var(x.astype(np.longdouble), axis=axis).astype(x.dtype)


def scanned(axis):
    def call(s, x):
        sums = s.cumulative_sum(x, axis=axis)
        return sums, s.cumulative_sum(x, axis=axis, include_initial=True)

    return call


def ranked(s, x):
    """The k-th item and the sorted items below it, which do not depend on the order within a partition."""
    k = x.shape[1] // 2
    parted = s.partition(x, k, axis=1)
    return parted[:, k], s.sort(parted[:, :k], axis=1)


def sorted_along(axis):
    return lambda s, x: (s.sort(x, axis=axis), s.argsort(x, axis=axis, stable=True))


def counts(s, x, w):
    few = x[:1] * 0
    return (
        s.bincount(x),
        s.bincount(x, minlength=COUNTED + 2),
        s.bincount(few, minlength=COUNTED + 1),
        s.bincount(x, weights=w),
    )


def binned_counts(s, x, edges):
    if s is np:  # histogram with edges sorts, and NumPy 2.4 sorts float16 wrongly with AVX-512
        x, edges = x.astype("float64"), edges.astype("float64")
    return s.histogram(x, 7, (-7, 7))[0], s.histogram(x, edges)[0]


def combined_at(*names):
    """``ufunc.at`` of NumPy's ufuncs, which skerry's arrays implement."""

    def call(s, x, indices, y):
        for name in names:
            getattr(np, name).at(x, indices, y)

    return call


def generator(s):
    """Returns a generator on the device, or on the CPU for NumPy."""
    return default_rng(5, DEVICE if s is not np else "cpu:0")


def on_hosts(s, result):
    return result if s is not np else np.asarray(result)


def drawn(method):
    """A call of a generator's method that fills an array."""

    def call(s, x):
        if s is not np:
            getattr(generator(s), method)(out=x, dtype=x.dtype)
        else:
            x[...] = np.asarray(getattr(generator(s), method)(x.shape, dtype=x.dtype))

    return call


def drawn_of(method, *others):
    """A call of a generator's method with an array as parameter."""

    def call(s, x):
        rng = generator(s)
        x = x if s is not np else s.ascontiguousarray(x)
        return on_hosts(s, getattr(rng, method)(x, *others))

    return call


def integers_drawn(s, x):
    rng, n = generator(s), x.shape
    return [
        on_hosts(s, rng.integers(0, 1000, n)),
        on_hosts(s, rng.integers(3, 2**62, n)),
        on_hosts(s, rng.integers(0, 200, n, dtype=np.uint8)),
        on_hosts(s, rng.permutation(n[0])),
    ]


def extremes_of_numbers(axis):
    return lambda s, x: (s.nanmax(x, axis=axis), s.nanmin(x, axis=axis))


def with_nan(dtype, shape):
    x = numbers(dtype, shape)
    x[np.random.default_rng(11).random(shape) < 0.3] = np.nan
    x[0] = x[..., 0] = 1  # a number in each row and column
    return [x]


CASTS = {
    "int8": "float64",
    "int16": "int8",
    "float32": "complex128",
    "float64": "int16",
    "bool": "float32",
}


def cast(s, x):
    return s.astype(x, getattr(s, CASTS[x.dtype.name]))


def assign_cast(s, target, y):
    target[...] = s.astype(y, s.complex128)


def rolled(s, x):
    return s.roll(x, 7), s.roll(x, -1, axis=0), s.flip(x)


CASES = {
    # Elementwise, casts, choices.
    "add": Case(lambda s, x, y: s.add(x, y), LINE, WAVE, inputs=two),
    "add a value": Case(lambda s, x: s.subtract(3, x), LINE, WAVE),
    "less": Case(lambda s, x, y: s.less(x, y), LINE, WAVE, REAL, two),
    "square": Case(lambda s, x: s.square(x), LINE),
    "add in place": Case(add_to, LINE, WAVE, inputs=two),
    "add steps": Case(
        lambda s, x, y: s.add(x[::2], y[1::2][: x[::2].shape[0]][::-1]),
        FEW[1:],
        WAVE,
        inputs=lambda d, n: two(d, (2 * n[0],)),
    ),
    "add a row and a column": Case(
        lambda s, x, y, z: (s.add(x, y), s.add(x, z)),
        [*SQUARES, *ROWS],
        WAVE_OF_ROWS,
        inputs=row_and_column,
    ),
    "add transposed": Case(lambda s, x, y: s.add(x, y.T), SQUARES, (1041, 1039), inputs=crossed),
    "cast": Case(cast, LINE, WAVE, tuple(CASTS), one),
    "cast into": Case(
        assign_cast, LINE, WAVE, EVERY, lambda d, n: [numbers("complex128", n), numbers(d, n, 2)]
    ),
    "where": Case(lambda s, x, c, y: s.where(c, x, y), LINE, WAVE, inputs=masked),
    "where with a value": Case(lambda s, x, c, y: s.where(c, 1, x), FEW, inputs=masked),
    # Fills and copies.
    "fill": Case(fill, LINE, WAVE),
    "fill steps": Case(fill_steps, FEW, WAVE),
    "copy": Case(lambda s, x: s.asarray(x, copy=True), LINE, WAVE),
    "copy into": Case(assign, LINE, WAVE, inputs=two),
    "copy steps": Case(
        lambda s, x: (s.asarray(x[::3], copy=True), s.asarray(x[::-1], copy=True)), FEW, WAVE
    ),
    "copy steps into": Case(assign_steps, FEW, WAVE, inputs=two),
    "copy transposed": Case(lambda s, x: s.reshape(x.T, (-1,)), SQUARES, (1041, 1039)),
    "copy transposed into": Case(assign_across, SQUARES, (1041, 1039), inputs=crossed),
    # Reductions.
    "reduce all": Case(folded(None), LINE, (132 * 8 * 4096 + 1,), REAL),
    "reduce rows": Case(folded(1), ROWS, WAVE_OF_ROWS, REAL),
    "reduce columns": Case(folded(0), COLUMNS, WAVE_OF_COLUMNS, REAL),
    "sum of complex numbers": Case(
        lambda s, x: (s.sum(x), s.mean(x)),
        LINE,
        WAVE,
        ("complex64", "complex128", "float32"),
        tolerance=1e-15,
    ),
    "variance": Case(lambda s, x: s.var(x), LINE, WAVE, WIDTHS, one, exact_variance(None), 1e-14),
    "variance of rows": Case(
        lambda s, x: s.var(x, axis=1), ROWS, WAVE_OF_ROWS, WIDTHS, one, exact_variance(1), 1e-14
    ),
    "variance of columns": Case(
        lambda s, x: s.var(x, axis=0),
        COLUMNS,
        WAVE_OF_COLUMNS,
        WIDTHS,
        one,
        exact_variance(0),
        1e-14,
    ),
    "extremes with NaN": Case(
        extremes_of_numbers(None), LINE, (132 * 8 * 4096 + 1,), REAL_FLOATING, with_nan
    ),
    "extremes of rows with NaN": Case(
        extremes_of_numbers(1), ROWS, WAVE_OF_ROWS, REAL_FLOATING, with_nan
    ),
    "extremes of columns with NaN": Case(
        extremes_of_numbers(0), COLUMNS, WAVE_OF_COLUMNS, REAL_FLOATING, with_nan
    ),
    # Scans.
    "scan all": Case(scanned(0), LINE, WAVE),
    "scan rows": Case(scanned(1), ROWS, WAVE_OF_ROWS),
    "scan columns": Case(scanned(0), COLUMNS, WAVE_OF_COLUMNS),
    "products": Case(lambda s, x: s.cumulative_prod(x), LINE, WAVE, EVERY, signs),
    # Order.
    "sort all": Case(sorted_along(0), SORTED, WAVE_SORTED, REAL, varied),
    "partition rows": Case(ranked, MERGED_ROWS, WAVE_OF_ROWS, REAL, varied),
    "sort rows": Case(sorted_along(1), MERGED_ROWS, WAVE_OF_ROWS, REAL, varied),
    "sort columns": Case(sorted_along(0), COLUMNS, (257, 1041), REAL, varied),
    "distinct items": Case(lambda s, x: s.unique_all(x), FEW, WAVE_SORTED, REAL, varied),
    "distinct complex numbers": Case(
        lambda s, x: s.unique_counts(x), FEW, None, ("complex64", "complex128", "bool")
    ),
    "search": Case(
        lambda s, x, y: (s.searchsorted(x, y), s.searchsorted(x, y, side="right")),
        FEW,
        WAVE_SORTED,
        REAL,
        sought,
    ),
    "members": Case(
        lambda s, x, y: (s.isin(x, y), s.isin(x, y[:3])), FEW, WAVE_SORTED, REAL, sought
    ),
    # Indices and masks.
    "take": Case(lambda s, x, i, y: (s.take(x, i, axis=0), x[i]), FEW, WAVE, inputs=indexed),
    "take rows": Case(
        lambda s, x, i, y: s.take(x, i, axis=0), [*SQUARES, *ROWS], WAVE_OF_ROWS, inputs=indexed
    ),
    "take of columns": Case(
        lambda s, x, i: s.take(x, i, axis=1),
        SQUARES,
        None,
        EVERY,
        lambda d, n: [numbers(d, n), np.arange(3 * n[1]) % n[1]],
    ),
    "take along rows": Case(
        lambda s, x, i: s.take_along_axis(x, i, axis=1),
        ROWS,
        None,
        EVERY,
        lambda d, n: [numbers(d, n), np.broadcast_to(np.arange(n[1])[::-1], n)],
    ),
    "put": Case(put, FEW, WAVE, inputs=indexed),
    "put rows": Case(put, SQUARES, WAVE_OF_ROWS, inputs=indexed),
    "put a value": Case(put_value, FEW, inputs=indexed),
    "select": Case(
        lambda s, x, c, y: (x[c], *s.nonzero(c), *s.nonzero(x)),
        MASKS,
        (132 * 8 * CHUNK + 1,),
        inputs=masked,
    ),
    "select rows": Case(lambda s, x, c, y: (x[c[:, 0]], *s.nonzero(c)), SQUARES, inputs=masked),
    "put masked": Case(put_masked, MASKS, WAVE, inputs=masked),
    "put a value masked": Case(put_value_masked, MASKS, inputs=masked),
    "combine at": Case(
        combined_at("add", "subtract"), vectors(1, *around(256, 512), 5001), None, EVERY, scattered
    ),
    "combine at, ordered": Case(
        combined_at("maximum", "minimum"),
        vectors(1, *around(256, 512), 5001),
        None,
        REAL,
        scattered,
    ),
    # Counts.
    "count numbers": Case(
        counts,
        vectors(1, *around(COUNTING, 2 * COUNTING), 20_001),
        (132 * 8 * COUNTING + 1,),
        ("int64", "int32", "uint16"),
        numbered,
    ),
    "count in bins": Case(
        binned_counts,
        vectors(1, *around(COUNTING, 2 * COUNTING), 20_001),
        (132 * 8 * COUNTING + 1,),
        REAL_FLOATING,
        binned,
    ),
    # Random numbers: those of the CPU.
    "draw uniform numbers": Case(drawn("random"), LINE, WAVE, WIDTHS),
    "draw normal numbers": Case(drawn("standard_normal"), LINE, None, WIDTHS),
    "draw exponential numbers": Case(drawn("standard_exponential"), LINE, None, WIDTHS),
    "draw integers": Case(integers_drawn, FEW, None, ("int8",)),
    "draw Poisson counts": Case(drawn_of("poisson"), FEW, None, ("float64",), means),
    "draw binomial counts": Case(drawn_of("binomial", 0.25), FEW, None, ("int64",), means),
    "draw gamma numbers": Case(drawn_of("standard_gamma"), FEW, None, ("float64",), means),
    # Joining.
    "roll": Case(rolled, FEW, WAVE),
    "roll rows": Case(
        lambda s, x: (s.roll(x, 3, axis=1), s.roll(x, (2, -5), axis=(0, 1))), SQUARES, WAVE_OF_ROWS
    ),
    "repeat": Case(
        lambda s, x, n: (s.repeat(x, n, axis=0), s.repeat(x, 3, axis=0)), FEW, WAVE, inputs=counted
    ),
    "repeat rows": Case(
        lambda s, x, n: s.repeat(x, n, axis=0), SQUARES, WAVE_OF_ROWS, inputs=counted
    ),
    "concat": Case(
        lambda s, x, y: (s.concat((x, y, x[:1])), s.stack((x, y), axis=1)), FEW, WAVE, inputs=two
    ),
    "concat rows": Case(
        lambda s, x, y: (s.concat((x, y), axis=1), s.concat((x, y), axis=0)),
        SQUARES,
        WAVE_OF_ROWS,
        inputs=two,
    ),
    "tile": Case(lambda s, x: (s.tile(x, (3,)), s.tile(x, (2, 1))), FEW, WAVE),
    "triangles": Case(lambda s, x: (s.tril(x, k=1), s.triu(x)), SQUARES, WAVE_OF_ROWS),
    # Products and linear algebra: integers by tiled kernels, floats by a library.
    "matmul of integers": Case(
        lambda s, x, y: x @ y,
        [(n, k, m) for n in around(PRODUCT) for k in around(DEPTH) for m in (1, PRODUCT + 1)]
        + [(5, 3 * DEPTH + 1, 3 * PRODUCT + 1)],
        (2000, 3, 2000),
        INTEGER,
        factors,
    ),
    "matmul of floats": Case(
        lambda s, x, y: (x @ y, x.T @ y.T @ x.T) if x.shape == y.shape else x @ y,
        [(n, k, m) for n in (1, 16, 65) for k in (1, 17, 64) for m in (1, 33)] + [(17, 17, 17)],
        None,
        FLOATING,
        factors,
    ),
    "matmul of stacks": Case(
        lambda s, x, y: x @ y,
        [(3, 5, 7), (2, 3, 17, 65), (67, 1, 4)],
        (132 * 8 + 1, 3, 5),
        (*INTEGER, *FLOATING[:-1]),
        stacked_factors,
    ),
    "convolve": Case(
        lambda s, x, y: [s.convolve(x, y, mode) for mode in ("full", "same", "valid")],
        [(n, m) for n in (1, *around(512)) for m in (1, 2, 33)] + [(20_001, 100)],
        (132 * 8 * 2048 + 1, 3),
        EVERY,
        filtered,
    ),
    "dot": Case(
        lambda s, x, y: s.vecdot(x, y),
        vectors(*around(SHORT_DOT, 256, DOT)),
        (132 * 4 * DOT // 16 + 1,),
        EVERY,
        two,
    ),
    "dots": Case(
        lambda s, x, y: s.vecdot(x, y),
        [(n, m) for n in around(256) for m in around(SHORT_DOT)],
        (132 * 8 + 1, SHORT_DOT + 1),
        EVERY,
        two,
    ),
    "solve": Case(
        lambda s, x, y: s.linalg.solve(x, y),
        [(1,), (2,), (32,), (33,), (3, 5), (9, 17)],
        None,
        FLOATING,
        matrices,
        tolerance=1e-13,
    ),
    "determinants": Case(
        lambda s, x, y: s.linalg.slogdet(x),
        [(1,), (33,), (257, 2), (3, 17)],
        None,
        FLOATING,
        matrices,
        tolerance=1e-13,
    ),
    "inverses and factors": Case(
        lambda s, x, y: (s.linalg.inv(x), s.linalg.cholesky(x)),
        [(1,), (32,), (33,), (5, 7)],
        (132 * 8 + 1, 3),
        FLOATING,
        matrices,
        tolerance=1e-13,
    ),
    "spectra": Case(
        lambda s, x, y: (s.linalg.eigvalsh(x), s.linalg.svdvals(x)),
        [(1,), (31,), (3, 8)],
        None,
        FLOATING,
        matrices,
        tolerance=1e-12,
    ),
    "Fourier transforms": Case(
        lambda s, x: (s.fft.fft(x), s.fft.ifft(x), s.fft.fft(x, axis=0)),
        [(3, 16), (5, 31), (33, 64)],
        WAVE_OF_ROWS,
        ("complex64", "complex128", "complex64"),
        tolerance=1e-13,
    ),
}

if __name__ == "__main__":
    print_checksums(CASES, *(sys.argv[1:] or ["1/1"]))
