# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""Shapes around the edges of the CUDA kernels' tiles, and operands for them."""

from __future__ import annotations

import pathlib
import re

import numpy as np

from tests.python.kernels.kernel_edges import Shape, numbers

ROOT = pathlib.Path(__file__).resolve().parents[3]


def policy(file: str, name: str) -> int:
    """Returns a constant of the kernels from their source."""
    text = (ROOT / "ops" / file).read_text()
    match = re.search(
        rf"constexpr [\w:]+ {name} = (?:std::int64_t)?{{?(\d+)}}?(?: << (\d+))?;", text
    )
    assert match, f"{file} has no {name}"
    return int(match[1]) << int(match[2] or 0)


def around(*edges: int) -> list[int]:
    return sorted({edge + offset for edge in edges for offset in (-1, 0, 1)})


def vectors(*sizes: int) -> list[Shape]:
    return [(size,) for size in sizes]


THREADS = policy("reduce/cuda/row_split.hpp", "threads")
LOADS = policy("reduce/cuda/rows.cuh", "vector_loads")
CHUNK = policy("select/kernels.hpp", "mask_chunk")
STRIDED = policy("kernel/cuda/strided_traversal.hpp", "block_threads") * policy(
    "kernel/cuda/strided_traversal.hpp", "share"
)
MERGED = policy("kernel/cuda/tile.cuh", "tile_threads")
ALONE = 4 * policy("reduce/cuda/loop_split.hpp", "min_share")
SHARE = policy("reduce/cuda/column_split.hpp", "min_share")
DEEP = THREADS // policy("reduce/cuda/column_split.hpp", "min_lanes")
PRODUCT = policy("linear/cuda/matmul.cu", "tile")
DEPTH = policy("linear/cuda/matmul.cu", "tile_depth")
DOT = policy("linear/cuda/matmul.cu", "dot_part")
SHORT_DOT = policy("linear/cuda/matmul.cu", "short_vector")
COUNTED = policy("bins/cuda/bins.cu", "shared_bins")
COUNTING = policy("bins/cuda/bins.cu", "count_threads") * policy("bins/cuda/bins.cu", "items_each")
# Items of a thread in a merged tile: items of up to 8 bytes, and of 16 bytes.
PER_THREAD = (17, 11)

# CUB's tiles cannot be queried: its loops have 512 elements a block, its transforms multiples of 128 or 256 up to 4,096,
# depending on the bytes in flight, a warp 32. The last sizes are several tiles: more than a wave on 1 and on 4
# multiprocessors of eight blocks of 256 threads each.
LINE = vectors(1, *around(32, 256, 512, STRIDED, 2048, 4096), 3 * 4096 + 1, 70_001)
FEW = vectors(1, *around(512, STRIDED), 20_001)
# Rows that are reduced by a thread, some lanes, a warp and a block, with loads of 16 bytes; then rows in several parts.
ROWS = [(5, n) for n in around(4, 32, 128, THREADS, THREADS * LOADS, 4 * THREADS * LOADS)]
ROWS += [(1025, 3), (THREADS + 1, 33), (2, 3 * 4096 + 1)]
COLUMNS = [(n, m) for n in around(ALONE, 2 * ALONE) for m in (1, 33)] + [(5, 1031), (4099, 7)]
# Columns loaded several at a time, 8 lanes wide: with fewer threads, in one part and in two, and in many.
COLUMNS += [(n, 36) for n in around(SHARE * DEEP // 2, 2 * SHARE * DEEP)] + [
    (3 * SHARE * THREADS, 4)
]
# Sides of tiles in shared memory: 32, and 64 for items of 1 and 2 bytes.
SQUARES = [(n, m) for n in around(16, 32, 64) for m in (31, 65)]
MERGED_ROWS = [(2, n) for per_thread in PER_THREAD for n in around(per_thread * MERGED)]
MERGED_ROWS += [(33, n) for n in around(17)] + [(3, 3 * PER_THREAD[0] * MERGED + 1)]
# Radix sort: a tile is 256 or 384 threads with up to 23 items each.
SORTED = vectors(*around(4096, 8192), 40_001)
MASKS = vectors(1, *around(32, CHUNK // 2, CHUNK, 4 * CHUNK), 70_001)

# More blocks than 132 multiprocessors run at once, eight each: of vectors, of rows of a block each, of columns.
WAVE = (132 * 8 * 2048 + 1,)
WAVE_OF_ROWS = (132 * 8 + 1, 4 * THREADS + 1)
WAVE_OF_COLUMNS = (2 * ALONE + 1, 132 * 64 + 1)
WAVE_SORTED = (132 * 2 * PER_THREAD[0] * MERGED + 1,)

REAL = ("int8", "uint16", "float32", "int64", "float64")
INTEGER = ("int8", "uint16", "int32", "int64", "uint8")
WIDTHS = ("float32", "float64", "float32")
FLOATING = ("float32", "complex128", "float64", "complex64", "float32")


REAL_FLOATING = ("float32", "float64", "float16")


def two(dtype: str, shape: Shape) -> list[np.ndarray]:
    return [numbers(dtype, shape), numbers(dtype, shape, 2)]


def row_and_column(dtype: str, shape: Shape) -> list[np.ndarray]:
    return [numbers(dtype, shape), numbers(dtype, shape[1:], 2), numbers(dtype, (shape[0], 1), 3)]


def crossed(dtype: str, shape: Shape) -> list[np.ndarray]:
    return [numbers(dtype, shape), numbers(dtype, shape[::-1], 2)]


def flags(shape: Shape, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).random(shape) < 0.6


def masked(dtype: str, shape: Shape) -> list[np.ndarray]:
    return [numbers(dtype, shape), flags(shape, 5), numbers(dtype, shape, 2)]


def indexed(dtype: str, shape: Shape) -> list[np.ndarray]:
    """Unique positions along the first axis in random order, and as many items for them."""
    indices = np.random.default_rng(3).permutation(shape[0]) - shape[0] // 2
    return [numbers(dtype, shape), indices, numbers(dtype, shape, 2)]


def counted(dtype: str, shape: Shape) -> list[np.ndarray]:
    return [numbers(dtype, shape), np.random.default_rng(4).integers(0, 4, shape[0])]


def numbered(dtype: str, shape: Shape) -> list[np.ndarray]:
    """Numbers to count, up to those above the bins that a block has room for, and weights."""
    high = min(np.iinfo(dtype).max, COUNTED)
    return [
        np.random.default_rng(9).integers(0, high, shape, endpoint=True).astype(dtype),
        numbers("float64", shape, 2),
    ]


def binned(dtype: str, shape: Shape) -> list[np.ndarray]:
    """Items, some outside all bins, and edges of bins."""
    return [numbers(dtype, shape), np.array([-7, -6, -1, -0.5, 3, 8], dtype)]


def scattered(dtype: str, shape: Shape) -> list[np.ndarray]:
    """Positions, most of them repeated, and items for them."""
    n = shape[0]
    indices = np.random.default_rng(10).integers(-n, n, 2 * n)
    return [numbers(dtype, shape), indices, numbers(dtype, (2 * n,), 2)]


def filtered(dtype: str, shape: Shape) -> list[np.ndarray]:
    """Items and filter taps."""
    return [numbers(dtype, shape[:1]), numbers(dtype, shape[1:], 2)]


def means(dtype: str, shape: Shape) -> list[np.ndarray]:
    return [np.abs(numbers(dtype, shape)) * 3]


def signs(dtype: str, shape: Shape) -> list[np.ndarray]:
    """Ones of both signs, whose products are exact."""
    return [np.where(flags(shape, 6), 1, np.array(-1).astype(dtype)).astype(dtype)]


def varied(dtype: str, shape: Shape) -> list[np.ndarray]:
    """Random integers below 2^15: more distinct values than int8 has, or than a tile has items."""
    values = np.random.default_rng(7).integers(0, 1 << 15, shape)
    return [values.astype(dtype)]


def sought(dtype: str, shape: Shape) -> list[np.ndarray]:
    return [np.sort(varied(dtype, shape)[0]), numbers(dtype, shape, 8)]


def factors(dtype: str, shape: Shape) -> list[np.ndarray]:
    """Rows, depth and columns of a product."""
    rows, depth, columns = shape
    return [numbers(dtype, (rows, depth)), numbers(dtype, (depth, columns), 2)]


def stacked_factors(dtype: str, shape: Shape) -> list[np.ndarray]:
    return [numbers(dtype, shape), numbers(dtype, (*shape[:-2], shape[-1], 5), 2)]


def matrices(dtype: str, shape: Shape) -> list[np.ndarray]:
    """Hermitian positive definite matrices, and right-hand sides."""
    x = numbers(dtype, (*shape, shape[-1]))
    definite = x + np.conj(np.swapaxes(x, -1, -2)) + 40 * shape[-1] * np.eye(shape[-1])
    return [definite.astype(dtype), numbers(dtype, (*shape, 3), 2)]
