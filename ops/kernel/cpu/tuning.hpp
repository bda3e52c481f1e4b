// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

// Thresholds and sizes of blocks on a CPU: where one way to compute becomes another, how much is
// taken at a time, what is worth a thread. All levels of kernels have the same: none of these was
// found to be worth a value of its own for one of them. Units stand in the names or comments;
// elements are additions, of which other operations are some (Loop::cost).
//
// `python -m bench.tune NAME` times the rows beside a constant with a quarter, half, twice and four
// times its value, on the machine where it runs, and `python -m bench.tune` those of all: it says
// what is stale there. bench/results has what the last machines said. A row is "arrays | call", by
// one thread unless it says so; f4(n), f8, i4, i8, u1, b1 are random arrays, p8 a permutation.
//
// Not here: registers that a loop has, which are its shape; and what others fix, such as OpenBLAS.

namespace skerry::tuning {

using std::int64_t;
inline constexpr int64_t kib = int64_t{1} << 10;
inline constexpr int64_t mib = int64_t{1} << 20;

// --- read in each call: one build measures them --------------------------------------------------

/// Fewest elements for which waking the pool pays: about 10 us of work.
/// Row of all cores: x = f4(40000) | x + x
/// Row of all cores: x = f8(100000) | x * x
/// Row of all cores: x = f8(60000)[::2] | x + x
inline constexpr int64_t parallel_from = 32768;
/// Elements of a tile that goes through no buffer: what a thread takes at a time.
/// Row of all cores: x = f8(1000, 1000) | x[:, :900] + 1.5
/// Row of all cores: x = f4(1000000) | x + x
inline constexpr int64_t direct_tile_size = 16384;
/// Bytes per operand of a tile that is packed: it stays in the first cache.
/// Row: x = f4(1000000)[::-1] | x + x
/// Row: x = f4(200000)[::2] | sk.sqrt(x)
/// Row: x = f8(1000, 1000) | x + x.T
inline constexpr int64_t packed_tile_bytes = 8 * kib;
/// How many bytes ahead of what it works on a loop over contiguous items asks for memory. The core
/// does so by itself, but stops at each page of 4 KiB, and where other work comes between.
/// Row: x = f8(8000000) | sk.asarray(x, copy=True)
/// Row: x = f8(8000000) | sk.roll(x, 5)
inline constexpr int64_t copy_prefetch_distance = 4 * kib;

/// Least bytes of a result that is stored past the caches: it would be gone from them when it is
/// read, and an ordinary store reads its line first.
/// Row: x = f8(8000000) | sk.roll(x, 5)
/// Row: x = f8(3000000) | sk.roll(x, 5)
inline constexpr int64_t min_streamed_bytes = 32 * mib;
/// The same of a copy, which does nothing else meanwhile.
/// Row: x = f8(1000000) | sk.asarray(x, copy=True)
/// Row: x = f8(600000) | sk.asarray(x, copy=True)
inline constexpr int64_t min_streamed_copy_bytes = 7 * mib;
/// Least bytes of a run that is stored so: its ends share lines with others.
/// Row: x = f8(80000, 100) | sk.asarray(x[:, :50], copy=True)
inline constexpr int64_t min_streamed_chunk_bytes = 256;

/// Most items of the two fastest axes that are copied item by item along the third.
/// Row: x = f8(2000, 3) | sk.tile(x, (1, 4))
/// Row: x = f4(50000, 2, 2) | sk.flip(x, axis=-1)
inline constexpr int64_t max_segment_items = 16;
/// Bytes of a block of such a copy.
/// Row: x = f8(20000, 3) | sk.tile(x, (1, 4))
inline constexpr int64_t segment_block_bytes = 16 * kib;
/// Most bytes of a matrix that is copied without tiles.
/// Row: x = f8(100, 100) | sk.asarray(x.T, copy=True)
/// Row: x = f4(200, 200)[::2, ::2] | x + 0
inline constexpr int64_t max_small_matrix_bytes = 256 * kib;
/// Bytes of roll() that a thread takes at a time.
/// Row of all cores: x = f8(1000000) | sk.roll(x, 5)
inline constexpr int64_t rotated_chunk_bytes = 64 * kib;
/// Least bytes of a row that roll() moves by a kernel of its own.
/// Row: x = f8(10000, 40) | sk.roll(x, 1, axis=1)
/// Row: x = f8(1000, 100) | sk.roll(x, 1, axis=1)
inline constexpr int64_t min_rotated_row_bytes = 512;
/// Bytes of a block of concat() or stack() whose parts are shorter than a line of the caches, and
/// where they are shorter than a quarter of one.
/// Row: x = f8(500000, 4) | sk.concat([x, x], axis=1)
inline constexpr int64_t joined_block_bytes = 256 * kib;
/// Row: x = f8(1000000) | sk.stack([x, x], axis=1)
inline constexpr int64_t joined_items_block_bytes = 1 * mib;
/// Most bytes of zeros that are set without a kernel.
/// Row: n = 30000 | sk.zeros(n)
inline constexpr int64_t max_set_bytes = 256 * kib;
/// Elements of arange() that a thread takes at a time.
/// Row of all cores: n = 100000 | sk.arange(n)
inline constexpr int64_t sequence_grain_size = 32768;

/// Elements of a reduction that are worth two threads. Sums are cut by it, at any number of them,
/// so it decides how they are rounded.
/// Row of all cores: x = f8(100000) | sk.sum(x)
/// Row of all cores: x = f4(300, 300) | sk.sum(x, axis=1)
inline constexpr int64_t reduce_parallel_from = 65536;
/// Bytes of elements that a reduction finds in memory, as a third cache may not hold them.
/// Row: x = f8(2000, 2000) | sk.sum(x, axis=0)
/// Row: x = f4(2000, 2000) | sk.max(x, axis=0)
inline constexpr int64_t min_reduced_memory_bytes = 16 * mib;
/// Most columns of elements that are made when they are reduced: of more it takes as long to make
/// as to read them.
/// Row: x = f4(20000, 300) | sk.sum(x, axis=0, dtype=sk.float64)
inline constexpr int64_t max_converted_columns = 512;
/// Least bytes of elements that are converted piece by piece when they are reduced.
/// Row: x = f4(100000) | sk.sum(x, dtype=sk.float64)
/// Row: x = i4(60000) | sk.mean(x)
inline constexpr int64_t min_converted_bytes = 256 * kib;
/// Most bytes of a row of a fused function that is reduced as soon as it is made: of longer ones
/// the second cache has room for few.
/// Row: x = f8(1000, 4000); g = sk.fuse(lambda a: sk.sum(a * a + 1.0, axis=1)) | g(x)
inline constexpr int64_t max_reduced_row_bytes = 64 * kib;

/// Elements of a scan that are worth two threads.
/// Row of all cores: x = f8(100, 1000) | sk.cumulative_sum(x, axis=1)
inline constexpr int64_t scan_parallel_from = 65536;
/// Longest run of a scan that is taken with its neighbours: a call of its own costs as much.
/// Row: x = f8(10000, 20) | sk.cumulative_sum(x, axis=1)
inline constexpr int64_t max_short_run = 32;
/// Bytes of a scan's results that leave no room in a cache for anything, themselves least.
/// Row: x = f8(2000000) | sk.cumulative_sum(x)
inline constexpr int64_t min_uncached_scan_bytes = 8 * mib;

/// Elements along axis 0 that indexing handles at once.
/// Row: x = f8(100000); i = p8(100000) | sk.take(x, i)
inline constexpr int64_t max_gathered_run = 8192;
/// Fewest that are worth a thread.
/// Row of all cores: x = f8(40000); i = p8(40000) | sk.take(x, i)
inline constexpr int64_t gather_grain_size = 16384;
/// Items under way from memory.
/// Row: x = f8(8000000); i = p8(8000000) | sk.take(x, i)
inline constexpr int64_t gather_distance = 48;
/// Bytes of an array whose items a core has sooner if it overlaps plain loads than if it is asked
/// to fetch each ahead.
/// Row: x = f8(600000); i = p8(600000) | sk.take(x, i)
/// Row: x = f4(4000000); i = p8(4000000) | sk.take(x, i)
inline constexpr int64_t max_gathered_bytes = 8 * mib;

/// Multiplications of small matrices that are worth a thread.
/// Row of all cores: x = f8(4000, 4, 4) | x @ x
inline constexpr int64_t small_matmul_grain_size = 256 * kib;
/// Multiplications of integers that are worth a thread.
/// Row of all cores: x = i8(100, 100) | x @ x
inline constexpr int64_t integer_matmul_grain_size = 128 * kib;
/// Elements of a dot product that are worth a thread.
/// Row of all cores: x = i8(100000) | sk.vecdot(x, x)
inline constexpr int64_t dot_grain_size = 16384;
/// Products of a convolution that are worth a thread.
/// Row of all cores: x = f8(20000); y = f8(20) | sk.convolve(x, y)
inline constexpr int64_t convolution_grain_size = 64 * kib;
/// Side of the tiles in which a symmetric product is mirrored: both sides of the diagonal stay in
/// the cache.
/// Row: x = f8(500, 20) | x @ x.T
inline constexpr int64_t mirrored_tile_side = 64;
/// Largest extent of a stack's matrices that are shared out among threads of ours: of larger ones
/// OpenBLAS's threads give each more.
/// Row of all cores: x = f8(8, 200, 200) + sk.eye(200) | sk.linalg.inv(x)
inline constexpr int64_t max_serial_extent = 512;
/// Products of a stack of small matrices that are worth a thread.
/// Row of all cores: x = f8(200, 6, 6) + sk.eye(6) | sk.linalg.inv(x)
inline constexpr int64_t lapack_grain_size = 16384;

/// Bytes that a pass finds in memory.
/// Row: x = f8(1000000); g = sk.fuse(lambda a: a * a + a * 2.0) | g(x)
inline constexpr int64_t min_fused_memory_bytes = 12 * mib;
/// How many bytes ahead a pass asks for memory.
/// Row: x = f8(4000000); g = sk.fuse(lambda a: a * a + a * 2.0) | g(x)
inline constexpr int64_t fused_prefetch_distance = 2 * kib;
/// Most bytes that it asks for before a step: more than the core waits for at a time is no gain.
/// Row: x = f8(4000000); g = sk.fuse(lambda a: a * a + a * 2.0) | g(x)
inline constexpr int64_t max_prefetched_step_bytes = 1536;
/// What another operand has read or written so many bytes ago is in a cache still.
/// Row: x = f8(2000, 2000); g = sk.fuse(lambda a: a[1:, 1:] + a[:-1, :-1]) | g(x)
inline constexpr int64_t max_cached_distance = 256 * kib;
/// Bytes that are read, made and written of the rows that a schedule of passes takes together.
/// Row: x = f8(2000, 500); g = sk.fuse(lambda a: a - sk.mean(a, axis=1, keepdims=True)) | g(x)
inline constexpr int64_t fused_rows_bytes = 192 * kib;

/// Items from which on a function that a scalar makes is worth being made.
/// Row: x = i8(20) | x // 7
/// Row: x = i8(60) | x // 7
inline constexpr int64_t min_scalar_form_size = 32;

/// Bits of keys from which on indices are sorted by vectors, with these keys; fewer by bytes.
/// Row: x = i8(100000) | sk.argsort(x)
/// Row: x = i8(100000) * 1000 | sk.argsort(x)
inline constexpr int64_t min_quicksorted_bits = 17;
/// Items of a row that are worth being split for several threads, by vectors.
/// Row of all cores: x = f4(100000) | sk.sort(x)
inline constexpr int64_t min_split_size = 65536;
/// Items of a run that are worth a thread, without vectors: two and their merge are 1.4 x the work.
/// Row of all cores: x = sk.astype(f8(300000), sk.complex128) | sk.sort(sk.real(x))
inline constexpr int64_t min_run_size = 131072;
/// Items of a merge that a thread takes at a time.
/// Row of all cores: x = f8(1000000) | sk.sort(x)
inline constexpr int64_t merged_chunk_size = 32768;
/// Items of rows that are worth a thread.
/// Row of all cores: x = f4(200, 50) | sk.sort(x, axis=1)
inline constexpr int64_t sort_grain_size = 8192;
/// Items of a row of which a sample tells where a rank is; fewer are sorted.
/// Row: x = f4(400) | sk.median(x)
/// Row: x = i8(900) | sk.median(x)
inline constexpr int64_t min_sampled_size = 512;
/// Items of a sample.
/// Row: x = f4(100000) | sk.median(x)
inline constexpr int64_t max_sample_size = 512;
/// Items of a row whose ranks are looked for by a thread of its own.
/// Row of all cores: x = f4(200000) | sk.median(x)
inline constexpr int64_t ranked_part_size = 65536;
/// Values of a byte that are worth a table of all places, in searchsorted().
/// Row: x = sk.sort(u1(1000)); v = u1(300) | sk.searchsorted(x, v)
inline constexpr int64_t min_byte_searches = 512;
/// Values of searchsorted() that are worth a thread.
/// Row of all cores: x = sk.sort(f8(10000)); v = f8(3000) | sk.searchsorted(x, v)
inline constexpr int64_t search_grain_size = 1024;
/// Items of isin() that are worth a thread: compared, or looked up in a table, and by a hash.
/// Row of all cores: x = i8(60000); v = i8(3) | sk.isin(x, v)
inline constexpr int64_t compared_grain_size = 32768;
/// Row of all cores: x = i8(20000); v = i8(300) | sk.isin(x, v)
inline constexpr int64_t hashed_grain_size = 8192;
/// Bins of a histogram that are worth a thread where threads' counts are added up.
/// Row of all cores: x = f8(1000000) | sk.histogram(x, bins=20000)
inline constexpr int64_t bins_grain_size = 4096;
/// Random numbers that are worth a thread, where each takes some attempts.
/// Row of all cores: g = sk.random.default_rng(1) | g.standard_normal(5000)
inline constexpr int64_t random_grain_size = 1024;

/// Bytes of a row of which argmax() finds value and place at once; of longer ones the value first.
/// Row: x = f8(1000, 1000) | sk.argmax(x, axis=1)
/// Row: x = f4(20000) | sk.argmax(x)
inline constexpr int64_t max_led_row_bytes = 16 * kib;
/// Items of stack() along the last axis that are worth a thread.
/// Row of all cores: x = f8(200000) | sk.stack([x, x, x], axis=-1)
inline constexpr int64_t interleaved_grain_size = 65536;
/// Elements along an axis that are assigned by index and worth a thread.
/// Row of all cores: x = f8(100, 2000); i = sk.arange(100); v = f8(100, 2000) | x.__setitem__(i, v)
inline constexpr int64_t scattered_grain_size = 512;
/// Elements of repeat() by an array that are worth a thread.
/// Row of all cores: x = f8(10000); n = i4(10000) // 500 | sk.repeat(x, n)
inline constexpr int64_t repeated_grain_size = 4096;
/// Indices that are checked by a thread.
/// Row of all cores: import numpy as np; x = f8(90000); i = p8(90000) | np.add.at(x, i, 1.0)
inline constexpr int64_t checked_grain_size = 65536;

// --- compiled in, as they size arrays: a build for each value ------------------------------------

/// Bytes per operand of a tile that is transposed: it stays in the second cache.
/// Row: x = f8(1000, 1000) | x + x.T
/// Row: x = f4(1000, 1000) | x + x.T
inline constexpr int64_t transposed_tile_bytes = 64 * kib;
/// The same of a pass, which has more of them.
/// Row: x = f8(1000, 1000); g = sk.fuse(lambda a: a * 2.0 + a.T) | g(x)
inline constexpr int64_t fused_tile_bytes = 16 * kib;
/// Elements of a block of float16: three of them as float32 leave most of the first cache free.
/// Row: x = sk.astype(f4(100000), sk.float16) | x + x
inline constexpr int64_t half_block = 1024;
/// Elements that are converted by way of a block of bytes.
/// Row: x = b1(100000) | sk.astype(x, sk.float64)
inline constexpr int64_t cast_block = 1024;
/// Elements of arange() of floats: int32, which counts them, has a vector conversion to double.
/// Row: n = 100000 | sk.linspace(0.0, 1.0, n)
inline constexpr int64_t sequence_block = 4096;

/// Columns that a reduction takes together.
/// Row: x = f8(1000, 1000) | sk.sum(x, axis=0)
/// Row: x = f4(1000, 1000) | sk.max(x, axis=0)
inline constexpr int64_t max_block_columns = 512;
/// Bytes of their accumulators.
/// Row: x = f8(1000, 1000) | sk.var(x, axis=0)
inline constexpr int64_t accumulator_bytes = 8 * kib;
/// Bytes of elements that are packed for a reduction.
/// Row: x = f4(1000, 1000) | sk.sum(x[:, ::2], axis=1)
/// Row: x = f8(100000, 3) | sk.sum(x, axis=1)
inline constexpr int64_t reduce_pack_bytes = 16 * kib;
/// Bytes that are made, or gathered, at a time where there is a choice: the first cache holds them
/// beside what they come from.
/// Row: x = f4(1000, 300) | sk.sum(x, axis=1, dtype=sk.float64)
inline constexpr int64_t reduce_scratch_bytes = 4 * kib;
/// Bytes of elements that are made for a reduction at a time: in the second cache.
/// Row: x = f4(1000000) | sk.sum(x, dtype=sk.float64)
inline constexpr int64_t feed_bytes = 512 * kib;

/// Blocks of random bits that are made at a time: they stay in the nearest cache.
/// Row: g = sk.random.default_rng(1) | g.random(1000000)
inline constexpr int64_t random_chunk_blocks = 256;

/// Bytes of a pass's widest items in a piece; half of it where much is read.
/// Row: x = f8(100000); g = sk.fuse(lambda a: a * a + a * 2.0) | g(x)
inline constexpr int fused_chunk_bytes = 4 * kib;
/// Most elements of a piece: so that no step of it starts threads.
/// Row: x = u1(100000); g = sk.fuse(lambda a: (a & 7) + (a | 1)) | g(x)
inline constexpr int max_fused_chunk_size = 2048;
/// Bytes of a thread for what is made between passes over rows.
/// Row: x = f8(2000, 500); g = sk.fuse(lambda a: a - sk.mean(a, axis=1, keepdims=True)) | g(x)
inline constexpr int64_t fused_scratch_bytes = 256 * kib;

/// Elements of a block that is computed by a fast form, if all are ordinary.
/// Row: x = f4(10000) | sk.sin(x)
/// Row: x = f8(10000) | sk.exp(x)
inline constexpr int64_t fast_form_block = 512;
/// Bytes between first and last items from which on operands are read where they lie, not packed.
/// Row: x = f8(1000000)[::-1] | x + x
/// Row: x = f8(100000)[::-1] | x + x
inline constexpr int64_t min_strided_bytes = 4 * mib;
/// Longest row that is merged with the next ones; of an expensive function, and of bytes.
/// Row: x = f8(1000, 20); y = f8(1000, 1) | x + y
inline constexpr int64_t max_merged_row = 32;
/// Row: x = f4(100, 100); y = f4(100, 1) | sk.pow(x, y)
inline constexpr int64_t max_merged_expensive_row = 512;
/// Row: x = b1(100, 100); y = b1(100, 1) | sk.logical_and(x, y)
inline constexpr int64_t max_merged_row_of_bytes = 256;

/// Values whose searches take their steps together.
/// Row: x = sk.sort(f8(10000)); v = f8(10000) | sk.searchsorted(x, v)
inline constexpr int64_t searched_block = 32;
/// Distinct items that a hash table finds; of more, items are sorted.
/// Row: x = i8(10000) | sk.unique_values(x)
inline constexpr int64_t max_distinct_items = 2048;
/// Items of which those near a rank are kept, or those of the best, before the next ones are read.
/// Row: x = f4(100000) | sk.median(x)
inline constexpr int64_t collected_block = 64;
/// Items of a partition that become keys together, without vectors.
/// Row: x = u1(100000) | sk.argpartition(x, x.size // 2)
inline constexpr int64_t partitioned_block = 256;
/// Items of a histogram that are put into bins together.
/// Row: x = f8(100000) | sk.histogram(x, bins=20)
inline constexpr int64_t bins_block = 256;

/// Rows that a reduction takes together where that does not round.
/// Row: x = f8(10000, 100) | sk.max(x, axis=0)
inline constexpr int64_t max_block_rows = 4096;
/// Elements of any() and all() that are looked at before one decides.
/// Row: x = b1(100000) & False | sk.any(x)
inline constexpr int64_t bool_block = 2048;
/// Bytes of a block whose extremum argmax() finds before its place.
/// Row: x = f8(1000000) | sk.argmax(x)
inline constexpr int64_t extremum_block_bytes = 8 * kib;
/// Elements of float16 that are widened together for a reduction: in the first cache. Where
/// accumulators are records, in the second: it takes long to put those of some rows together.
/// Row: x = sk.astype(f4(100000), sk.float16) | sk.sum(x)
inline constexpr int64_t half_reduced_block = 4096;
/// Row: x = sk.astype(f4(1000, 100), sk.float16) | sk.var(x, axis=0)
inline constexpr int64_t half_record_block = 16384;
/// Elements of a convolution's ends that are summed together.
/// Row: x = f8(1000); y = f8(200) | sk.convolve(x, y)
inline constexpr int64_t convolution_block = 256;
/// Largest matrices of a stack that lie in the lanes of vectors, one each.
/// Row: x = f8(200, 20, 20) + sk.eye(20) | sk.linalg.inv(x)
inline constexpr int64_t max_rows_in_lanes = 32;

}  // namespace skerry::tuning
