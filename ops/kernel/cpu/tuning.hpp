// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

// Thresholds, block sizes and prefetch distances of CPU kernels. All instruction sets share them:
// none was found to need a value of its own. Names or comments state the units. A cost in additions
// is a number of elements times Loop::cost, which is 1 for an addition.
//
// `python -m bench.tune NAME` times the rows above a constant on this machine, with a quarter,
// half, twice and four times its value; `python -m bench.tune` does so for all constants and
// reports stale ones. Earlier reports are in bench/results. A row is "arrays | call" and runs on
// one thread unless it says otherwise; f4(n), f8, i4, i8, u1 and b1 are random arrays, p8 is a
// permutation.
//
// Not here: constants that follow from the registers of a loop, and limits of libraries (OpenBLAS).

namespace skerry::tuning {

using std::int64_t;
inline constexpr int64_t kib = int64_t{1} << 10;
inline constexpr int64_t mib = int64_t{1} << 20;

// --- read at run time: one build can measure them ------------------------------------------------

/// Minimum cost of a loop, in additions, for which waking the thread pool pays: about 10 us of
/// work.
/// Row of all cores: x = f4(40000) | x + x
/// Row of all cores: x = f8(100000) | x * x
/// Row of all cores: x = f8(60000)[::2] | x + x
inline constexpr int64_t parallel_from = 32768;
/// Cost, in additions, of a tile without packed operands; a thread takes one tile at a time.
/// Row of all cores: x = f8(1000, 1000) | x[:, :900] + 1.5
/// Row of all cores: x = f4(1000000) | x + x
inline constexpr int64_t direct_tile_size = 16384;
/// Bytes per operand of a tile with packed operands: it fits L1.
/// Row: x = f4(1000000)[::-1] | x + x
/// Row: x = f4(200000)[::2] | sk.sqrt(x)
/// Row: x = f8(1000, 1000) | x + x.T
inline constexpr int64_t packed_tile_bytes = 8 * kib;
/// Prefetch distance of contiguous copies, in bytes. The hardware prefetcher stops at each 4 KiB
/// page, and whenever other work intervenes.
/// Row: x = f8(8000000) | sk.asarray(x, copy=True)
/// Row: x = f8(8000000) | sk.roll(x, 5)
inline constexpr int64_t copy_prefetch_distance = 4 * kib;

/// Smallest result, in bytes, that is written with non-temporal stores: it would be evicted before
/// it is read, and ordinary stores would first read its lines.
/// Row: x = f8(8000000) | sk.roll(x, 5)
/// Row: x = f8(3000000) | sk.roll(x, 5)
inline constexpr int64_t min_streamed_bytes = 32 * mib;
/// The same for a copy that reads each element once, if source and destination begin at the same
/// offset within a cache line.
/// Row: x = f8(1000000) | sk.asarray(x, copy=True)
/// Row: x = f8(600000) | sk.asarray(x, copy=True)
inline constexpr int64_t min_streamed_copy_bytes = 7 * mib;
/// Shortest run, in bytes, that is written with non-temporal stores. The lines at its ends are
/// shared with other runs.
/// Row: x = f8(80000, 100) | sk.asarray(x[:, :50], copy=True)
inline constexpr int64_t min_streamed_chunk_bytes = 256;

/// Maximum number of items on the two fastest axes for which a copy loops along the third axis,
/// item by item.
/// Row: x = f8(2000, 3) | sk.tile(x, (1, 4))
/// Row: x = f4(50000, 2, 2) | sk.flip(x, axis=-1)
inline constexpr int64_t max_segment_items = 16;
/// Block size of such a copy, in bytes.
/// Row: x = f8(20000, 3) | sk.tile(x, (1, 4))
inline constexpr int64_t segment_block_bytes = 16 * kib;
/// Largest matrix, in bytes, that is copied without tiles.
/// Row: x = f8(100, 100) | sk.asarray(x.T, copy=True)
/// Row: x = f4(200, 200)[::2, ::2] | x + 0
inline constexpr int64_t max_small_matrix_bytes = 256 * kib;
/// Bytes of roll() that a thread takes at a time.
/// Row of all cores: x = f8(1000000) | sk.roll(x, 5)
inline constexpr int64_t rotated_chunk_bytes = 64 * kib;
/// Shortest row, in bytes, for which roll() uses its own kernel.
/// Row: x = f8(10000, 40) | sk.roll(x, 1, axis=1)
/// Row: x = f8(1000, 100) | sk.roll(x, 1, axis=1)
inline constexpr int64_t min_rotated_row_bytes = 512;
/// Block size of concat() and stack(), in bytes, if the joined parts are shorter than a cache line
/// (first value), or than a quarter of one (second value).
/// Row: x = f8(500000, 4) | sk.concat([x, x], axis=1)
inline constexpr int64_t joined_block_bytes = 256 * kib;
/// Row: x = f8(1000000) | sk.stack([x, x], axis=1)
inline constexpr int64_t joined_items_block_bytes = 1 * mib;
/// Largest array of zeros, in bytes, that is filled without a kernel.
/// Row: n = 30000 | sk.zeros(n)
inline constexpr int64_t max_set_bytes = 256 * kib;
/// Elements of arange() that a thread takes at a time.
/// Row of all cores: n = 100000 | sk.arange(n)
inline constexpr int64_t sequence_grain_size = 32768;

/// Elements of a reduction that are worth two threads. Also determines where sums are split, for
/// any number of threads, and therefore how they round.
/// Row of all cores: x = f8(100000) | sk.sum(x)
/// Row of all cores: x = f4(300, 300) | sk.sum(x, axis=1)
inline constexpr int64_t reduce_parallel_from = 65536;
/// Smallest input of a reduction, in bytes, that counts as out of cache: L3 may not hold it.
/// Row: x = f8(2000, 2000) | sk.sum(x, axis=0)
/// Row: x = f4(2000, 2000) | sk.max(x, axis=0)
inline constexpr int64_t min_reduced_memory_bytes = 16 * mib;
/// Maximum number of columns that a reduction converts on the fly. With more columns, that takes as
/// long as reading converted elements from memory.
/// Row: x = f4(20000, 300) | sk.sum(x, axis=0, dtype=sk.float64)
inline constexpr int64_t max_converted_columns = 512;
/// Smallest input, in bytes after conversion, that a reduction converts on the fly, block by block.
/// Row: x = f4(100000) | sk.sum(x, dtype=sk.float64)
/// Row: x = i4(60000) | sk.mean(x)
inline constexpr int64_t min_converted_bytes = 256 * kib;
/// Longest row of a fused function, in bytes, that is reduced as soon as it is computed: only few
/// longer rows fit L2.
/// Row: x = f8(1000, 4000); g = sk.fuse(lambda a: sk.sum(a * a + 1.0, axis=1)) | g(x)
inline constexpr int64_t max_reduced_row_bytes = 64 * kib;

/// Elements of a scan that are worth two threads.
/// Row of all cores: x = f8(100, 1000) | sk.cumulative_sum(x, axis=1)
inline constexpr int64_t scan_parallel_from = 65536;
/// Longest run of a scan, in elements, that shares a call with its neighbors: a separate call would
/// cost as much as the elements.
/// Row: x = f8(10000, 20) | sk.cumulative_sum(x, axis=1)
inline constexpr int64_t max_short_run = 32;
/// Smallest result of a scan, in bytes, that is written with non-temporal stores: it would evict
/// everything from the caches, itself included.
/// Row: x = f8(2000000) | sk.cumulative_sum(x)
inline constexpr int64_t min_uncached_scan_bytes = 8 * mib;

/// Elements along axis 0 that indexing handles in one call.
/// Row: x = f8(100000); i = p8(100000) | sk.take(x, i)
inline constexpr int64_t max_gathered_run = 8192;
/// Elements of an indexing operation that are worth a thread.
/// Row of all cores: x = f8(40000); i = p8(40000) | sk.take(x, i)
inline constexpr int64_t gather_grain_size = 16384;
/// Prefetch distance of a gather, in items.
/// Row: x = f8(8000000); i = p8(8000000) | sk.take(x, i)
inline constexpr int64_t gather_distance = 48;
/// Largest array, in bytes, that a gather reads without prefetches: a core overlaps plain loads,
/// and they return sooner.
/// Row: x = f8(600000); i = p8(600000) | sk.take(x, i)
/// Row: x = f4(4000000); i = p8(4000000) | sk.take(x, i)
inline constexpr int64_t max_gathered_bytes = 8 * mib;

/// Multiplications of small matrix products that are worth a thread.
/// Row of all cores: x = f8(4000, 4, 4) | x @ x
inline constexpr int64_t small_matmul_grain_size = 256 * kib;
/// Multiplications of an integer matrix product that are worth a thread.
/// Row of all cores: x = i8(100, 100) | x @ x
inline constexpr int64_t integer_matmul_grain_size = 128 * kib;
/// Elements of a dot product that are worth a thread.
/// Row of all cores: x = i8(100000) | sk.vecdot(x, x)
inline constexpr int64_t dot_grain_size = 16384;
/// Multiplications of a convolution that are worth a thread.
/// Row of all cores: x = f8(20000); y = f8(20) | sk.convolve(x, y)
inline constexpr int64_t convolution_grain_size = 64 * kib;
/// Side, in elements, of the tiles in which a symmetric product is mirrored: a tile and its mirror
/// image stay in cache.
/// Row: x = f8(500, 20) | x @ x.T
inline constexpr int64_t mirrored_tile_side = 64;
/// Largest extent for which the matrices of a stack are shared out among skerry's threads: larger
/// ones gain more from OpenBLAS's own threads.
/// Row of all cores: x = f8(8, 200, 200) + sk.eye(200) | sk.linalg.inv(x)
inline constexpr int64_t max_serial_extent = 512;
/// Multiplications of a stack of small matrices that are worth a thread.
/// Row of all cores: x = f8(200, 6, 6) + sk.eye(6) | sk.linalg.inv(x)
inline constexpr int64_t lapack_grain_size = 16384;

/// Smallest total of a fused pass's operands, in bytes, that counts as out of cache.
/// Row: x = f8(1000000); g = sk.fuse(lambda a: a * a + a * 2.0) | g(x)
inline constexpr int64_t min_fused_memory_bytes = 12 * mib;
/// Prefetch distance of a fused pass, in bytes.
/// Row: x = f8(4000000); g = sk.fuse(lambda a: a * a + a * 2.0) | g(x)
inline constexpr int64_t fused_prefetch_distance = 2 * kib;
/// Maximum number of bytes that a pass prefetches before a step: a core can't have more in flight.
/// Row: x = f8(4000000); g = sk.fuse(lambda a: a * a + a * 2.0) | g(x)
inline constexpr int64_t max_prefetched_step_bytes = 1536;
/// Distance, in bytes, within which memory that another operand has read or written is still in
/// cache.
/// Row: x = f8(2000, 2000); g = sk.fuse(lambda a: a[1:, 1:] + a[:-1, :-1]) | g(x)
inline constexpr int64_t max_cached_distance = 256 * kib;
/// Bytes that a schedule of passes reads, computes and writes for the rows that it takes at a time.
/// Row: x = f8(2000, 500); g = sk.fuse(lambda a: a - sk.mean(a, axis=1, keepdims=True)) | g(x)
inline constexpr int64_t fused_rows_bytes = 192 * kib;

/// Minimum number of elements for which deriving a simpler function from a scalar operand pays.
/// Row: x = i8(20) | x // 7
/// Row: x = i8(60) | x // 7
inline constexpr int64_t min_scalar_form_size = 32;

/// Minimum number of significant bits of the keys for which argsort() uses a vectorized quicksort
/// of keys and indices; with fewer bits, it uses a radix sort by bytes.
/// Row: x = i8(100000) | sk.argsort(x)
/// Row: x = i8(100000) * 1000 | sk.argsort(x)
inline constexpr int64_t min_quicksorted_bits = 17;
/// Minimum length, in items, of a row that several threads sort with vectors.
/// Row of all cores: x = f4(100000) | sk.sort(x)
inline constexpr int64_t min_split_size = 65536;
/// Items of a run that are worth a thread, without vectors: sorting two runs and merging them takes
/// 1.4 times as long as one sort.
/// Row of all cores: x = sk.astype(f8(300000), sk.complex128) | sk.sort(sk.real(x))
inline constexpr int64_t min_run_size = 131072;
/// Items of a merge that a thread takes at a time.
/// Row of all cores: x = f8(1000000) | sk.sort(x)
inline constexpr int64_t merged_chunk_size = 32768;
/// Items of rows to sort that are worth a thread.
/// Row of all cores: x = f4(200, 50) | sk.sort(x, axis=1)
inline constexpr int64_t sort_grain_size = 8192;
/// Shortest row, in items, in which a median is located by a sample; shorter rows are sorted.
/// Row: x = f4(400) | sk.median(x)
/// Row: x = i8(900) | sk.median(x)
inline constexpr int64_t min_sampled_size = 512;
/// Maximum size of such a sample, in items.
/// Row: x = f4(100000) | sk.median(x)
inline constexpr int64_t max_sample_size = 512;
/// Items of a row that are worth a thread of their own in the search for a rank.
/// Row of all cores: x = f4(200000) | sk.median(x)
inline constexpr int64_t ranked_part_size = 65536;
/// Minimum number of one-byte values for which searchsorted() builds a table of all 256 results.
/// Row: x = sk.sort(u1(1000)); v = u1(300) | sk.searchsorted(x, v)
inline constexpr int64_t min_byte_searches = 512;
/// Values of searchsorted() that are worth a thread.
/// Row of all cores: x = sk.sort(f8(10000)); v = f8(3000) | sk.searchsorted(x, v)
inline constexpr int64_t search_grain_size = 1024;
/// Items of isin() that are worth a thread: first by comparison or table, then by hash.
/// Row of all cores: x = i8(60000); v = i8(3) | sk.isin(x, v)
inline constexpr int64_t compared_grain_size = 32768;
/// Row of all cores: x = i8(20000); v = i8(300) | sk.isin(x, v)
inline constexpr int64_t hashed_grain_size = 8192;
/// Bins of a histogram that are worth a thread when the counts of all threads are added up.
/// Row of all cores: x = f8(1000000) | sk.histogram(x, bins=20000)
inline constexpr int64_t bins_grain_size = 4096;
/// Random numbers that are worth a thread, for distributions that may reject a candidate.
/// Row of all cores: g = sk.random.default_rng(1) | g.standard_normal(5000)
inline constexpr int64_t random_grain_size = 1024;

/// Longest row, in bytes, in which argmax() finds value and index together; in longer rows, it
/// finds the value first.
/// Row: x = f8(1000, 1000) | sk.argmax(x, axis=1)
/// Row: x = f4(20000) | sk.argmax(x)
inline constexpr int64_t max_led_row_bytes = 16 * kib;
/// Items of stack() along the last axis that are worth a thread.
/// Row of all cores: x = f8(200000) | sk.stack([x, x, x], axis=-1)
inline constexpr int64_t interleaved_grain_size = 65536;
/// Elements along an axis, assigned by index, that are worth a thread.
/// Row of all cores: x = f8(100, 2000); i = sk.arange(100); v = f8(100, 2000) | x.__setitem__(i, v)
inline constexpr int64_t scattered_grain_size = 512;
/// Elements of repeat() by an array that are worth a thread.
/// Row of all cores: x = f8(10000); n = i4(10000) // 500 | sk.repeat(x, n)
inline constexpr int64_t repeated_grain_size = 4096;
/// Indices whose bounds check is worth a thread.
/// Row of all cores: import numpy as np; x = f8(90000); i = p8(90000) | np.add.at(x, i, 1.0)
inline constexpr int64_t checked_grain_size = 65536;

// --- compiled in, as they size arrays: one build per value --------------------------------------

/// Bytes per operand of a tile that is transposed: it fits L2.
/// Row: x = f8(1000, 1000) | x + x.T
/// Row: x = f4(1000, 1000) | x + x.T
inline constexpr int64_t transposed_tile_bytes = 64 * kib;
/// The same for a fused pass, which has more operands.
/// Row: x = f8(1000, 1000); g = sk.fuse(lambda a: a * 2.0 + a.T) | g(x)
inline constexpr int64_t fused_tile_bytes = 16 * kib;
/// Elements of a block of float16: three float32 buffers for it leave most of L1 free.
/// Row: x = sk.astype(f4(100000), sk.float16) | x + x
inline constexpr int64_t half_block = 1024;
/// Elements of a block of bools, which are converted to bytes and then to another dtype.
/// Row: x = b1(100000) | sk.astype(x, sk.float64)
inline constexpr int64_t cast_block = 1024;
/// Elements of a block of a floating arange(): indices in a block are int32, which vectors convert
/// to float64.
/// Row: n = 100000 | sk.linspace(0.0, 1.0, n)
inline constexpr int64_t sequence_block = 4096;

/// Maximum number of columns that a reduction processes together.
/// Row: x = f8(1000, 1000) | sk.sum(x, axis=0)
/// Row: x = f4(1000, 1000) | sk.max(x, axis=0)
inline constexpr int64_t max_block_columns = 512;
/// Bytes of the accumulators of these columns.
/// Row: x = f8(1000, 1000) | sk.var(x, axis=0)
inline constexpr int64_t accumulator_bytes = 8 * kib;
/// Bytes of elements that a reduction packs at a time.
/// Row: x = f4(1000, 1000) | sk.sum(x[:, ::2], axis=1)
/// Row: x = f8(100000, 3) | sk.sum(x, axis=1)
inline constexpr int64_t reduce_pack_bytes = 16 * kib;
/// Bytes of elements that a reduction computes or gathers at a time, where it may choose: they and
/// their source fit L1.
/// Row: x = f4(1000, 300) | sk.sum(x, axis=1, dtype=sk.float64)
inline constexpr int64_t reduce_scratch_bytes = 4 * kib;
/// Bytes of elements that are computed for a reduction at a time: they fit L2.
/// Row: x = f4(1000000) | sk.sum(x, dtype=sk.float64)
inline constexpr int64_t feed_bytes = 512 * kib;

/// Blocks of Philox that are generated at a time: they fit L1.
/// Row: g = sk.random.default_rng(1) | g.random(1000000)
inline constexpr int64_t random_chunk_blocks = 256;

/// Bytes of a chunk of a fused pass, in its widest dtype; half as many out of cache.
/// Row: x = f8(100000); g = sk.fuse(lambda a: a * a + a * 2.0) | g(x)
inline constexpr int fused_chunk_bytes = 4 * kib;
/// Maximum number of elements of a chunk, so that no step starts threads.
/// Row: x = u1(100000); g = sk.fuse(lambda a: (a & 7) + (a | 1)) | g(x)
inline constexpr int max_fused_chunk_size = 2048;
/// Scratch of a thread, in bytes, for temporaries between passes over rows.
/// Row: x = f8(2000, 500); g = sk.fuse(lambda a: a - sk.mean(a, axis=1, keepdims=True)) | g(x)
inline constexpr int64_t fused_scratch_bytes = 256 * kib;

/// Elements of a block, which is computed by the fast form if all are in its normal range.
/// Row: x = f4(10000) | sk.sin(x)
/// Row: x = f8(10000) | sk.exp(x)
inline constexpr int64_t fast_form_block = 512;
/// Minimum span of the operands, in bytes, for which strided ones are read in place, not packed.
/// Row: x = f8(1000000)[::-1] | x + x
/// Row: x = f8(100000)[::-1] | x + x
inline constexpr int64_t min_strided_bytes = 4 * mib;
/// Length, in elements, below which rows are merged with the next ones: in general, for expensive
/// functions, and for elements of one byte.
/// Row: x = f8(1000, 20); y = f8(1000, 1) | x + y
inline constexpr int64_t max_merged_row = 32;
/// Row: x = f4(100, 100); y = f4(100, 1) | sk.pow(x, y)
inline constexpr int64_t max_merged_expensive_row = 512;
/// Row: x = b1(100, 100); y = b1(100, 1) | sk.logical_and(x, y)
inline constexpr int64_t max_merged_row_of_bytes = 256;

/// Values whose binary searches advance in lockstep.
/// Row: x = sk.sort(f8(10000)); v = f8(10000) | sk.searchsorted(x, v)
inline constexpr int64_t searched_block = 32;
/// Maximum number of distinct items that unique() finds with a hash table; with more, it sorts.
/// Row: x = i8(10000) | sk.unique_values(x)
inline constexpr int64_t max_distinct_items = 2048;
/// Items of a block in which median() selects those near its rank, and topk() the best ones.
/// Row: x = f4(100000) | sk.median(x)
inline constexpr int64_t collected_block = 64;
/// Items of a partition whose keys are computed together, without vectors.
/// Row: x = u1(100000) | sk.argpartition(x, x.size // 2)
inline constexpr int64_t partitioned_block = 256;
/// Items of a histogram that are put into bins together.
/// Row: x = f8(100000) | sk.histogram(x, bins=20)
inline constexpr int64_t bins_block = 256;

/// Maximum number of rows that a reduction without rounding processes together.
/// Row: x = f8(10000, 100) | sk.max(x, axis=0)
inline constexpr int64_t max_block_rows = 4096;
/// Elements of any() and all() between two tests for an early exit.
/// Row: x = b1(100000) & False | sk.any(x)
inline constexpr int64_t bool_block = 2048;
/// Bytes of a block in which argmax() finds the extremum before its index.
/// Row: x = f8(1000000) | sk.argmax(x)
inline constexpr int64_t extremum_block_bytes = 8 * kib;
/// Elements of float16 that are widened together for a reduction: they fit L1. The second value is
/// for accumulators that are records: they fit L2, since merging the records of a few rows is slow.
/// Row: x = sk.astype(f4(100000), sk.float16) | sk.sum(x)
inline constexpr int64_t half_reduced_block = 4096;
/// Row: x = sk.astype(f4(1000, 100), sk.float16) | sk.var(x, axis=0)
inline constexpr int64_t half_record_block = 16384;
/// Elements at the ends of a convolution that are summed together.
/// Row: x = f8(1000); y = f8(200) | sk.convolve(x, y)
inline constexpr int64_t convolution_block = 256;
/// Largest extent of a stack's matrices that are computed one per vector lane.
/// Row: x = f8(200, 20, 20) + sk.eye(20) | sk.linalg.inv(x)
inline constexpr int64_t max_rows_in_lanes = 32;

}  // namespace skerry::tuning
