// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cpu/thread_pool.hpp"
#include "ops/kernel/cpu/stream.hpp"
#include "ops/reduce/cpu/loops.hpp"
#include "ops/reduce/cpu/pairwise.hpp"

// How a reduction is cut up. A block is some outputs along one kept axis, with their accumulators
// in L1. Where there are many outputs side by side, rows of elements are combined into them
// ("columns"); tiles whose rows aren't contiguous are packed, usually by a transpose. Where there
// are few, the elements along the reduced axis are laid out as a matrix of many columns, and its
// accumulators are folded in the end ("fold"); contiguous runs are left to calls of their own
// ("rows") if they are short, or the reduction is as good at long ones. Both add pairwise beyond
// 128 rows. The cut depends on the shape and strides only, never on the number of threads: so does
// the result.

namespace skerry::inline SKERRY_TARGET::kernels {
namespace {

constexpr int64 pack_bytes = 16384;
constexpr int64 reduce_parallel_from = 65536;
constexpr int64 most_partials = 64;
constexpr int64 most_beside = 8;
constexpr int64 most_result_bytes = 16;

enum class Manner { columns, fold, rows };
/// Bytes that are made, or gathered, at a time where there is a choice: the first cache holds them
/// beside what they come from.
constexpr int64 made_bytes = 4096;
constexpr int64 plain_from = 65;      ///< elements of a row that lies in one piece, at least
constexpr int64 longest_row = 32768;  ///< beyond it a row is worth several threads
constexpr int64 in_memory = int64{16} << 20;  ///< bytes that a third cache may not hold

/// Whether the elements of a row lie one after the other, and are few enough for one run.
inline bool has_short_runs(const ReduceParams& work, const Reducer& how) noexcept {
  return work.reduced_rank == 1 && work.reduced_strides[0] == how.itemsize &&
         work.reduced_shape[0] <= least(how.longest_run, longest_row);
}

struct Reduction {
  const ReduceParams& work;
  const Reducer& how;
  int axis = 0;      ///< the kept axis of a block
  int64 block = 1;   ///< outputs per block
  int64 beside = 1;  ///< blocks that are taken together: all along kept axis 0
  Manner way = Manner::columns;
  bool pack = false;
  int64 length;  ///< of reduced axis 0; 0 if there is nothing to reduce, whichever axis is empty
  int64 step;    ///< along it, bytes; the itemsize where there is none
  int64 units = 1;
  int64 chunks = 1;  ///< parts of the reduced range
  int64 chunk;       ///< elements of one
  char* partials = nullptr;
  int64 deciding = most_partials;  ///< of one output: a chunk whose result absorbs the next ones'
  /// The results are more than the caches hold, and go past them. By one thread: two have to wait
  /// for each other's stores.
  bool streams;
  bool is_far;  ///< the elements are in memory, and are read where they are

  Reduction(const ReduceParams& of, const Reducer& with) noexcept
      : work(of),
        how(with),
        length(of.reduced_size == 0  ? 0
               : of.reduced_rank > 0 ? of.reduced_shape[0]
                                     : 1),
        step(of.reduced_rank > 0 ? of.reduced_strides[0] : with.itemsize),
        chunk(of.reduced_size) {
    choose_block();
    const int64 results = of.kept_size * with.result_size;
    const int64 least_streamed = makes_pieces() ? streamed_bytes / 4 : streamed_bytes;
    streams = results >= least_streamed && cpu::thread_count() == 1;
    is_far =
        !pack && of.feed == nullptr && of.kept_size * of.reduced_size * with.itemsize >= in_memory;
    for (int a = 0; a < work.kept_rank; ++a) units *= block_count(a);
    choose_chunks();
  }

  int64 row_bytes() const { return greatest(length, 1) * how.itemsize; }
  int64 columns_within(int64 most) const {
    return least(most, least(widest_block, accumulator_bytes / how.accumulator_size));
  }
  int64 block_count(int a) const {
    return ceil_div(work.kept_shape[a], a == axis ? block : a == 0 ? beside : 1);
  }
  int64 width() const { return work.kept_rank > 0 ? work.kept_shape[axis] : 1; }
  /// Whether rows lie one after the other, each of a few items.
  bool has_short_rows() const {
    return way == Manner::columns && pack && work.reduced_rank == 1 && length >= 2 && length <= 4 &&
           step == how.itemsize && kept_step() == length * step;
  }
  /// Whether there are a few rows, each of many items.
  bool has_few_rows() const {
    return way == Manner::columns && !pack && beside == 1 && work.reduced_rank == 1 &&
           length >= 1 && length <= 16;
  }
  /// Whether results that go past the caches are put together in small pieces.
  bool makes_pieces() const { return has_short_rows() || has_few_rows(); }
  int64 kept_step() const { return work.kept_rank > 0 ? work.kept_strides[axis] : how.itemsize; }

 private:
  void choose_block() noexcept {
    if (work.kept_rank > 0 && (work.kept_shape[0] < 8 || work.kept_strides[0] != how.itemsize)) {
      for (int a = 1; a < work.kept_rank; ++a) {
        if (work.kept_shape[a] > work.kept_shape[axis]) axis = a;
      }
    }
    if (choose_blocks_beside()) return;
    const int64 long_from = transposes_rows() ? plain_from : plain_from - 1;
    const bool long_rows = step == how.itemsize && length >= long_from;
    const bool narrow = width() <= 64 && length >= 16 && axis == 0 && kept_step() == how.itemsize &&
                        step == width() * how.itemsize;
    if (has_short_runs(work, how) && (length >= long_from || work.kept_size < 8)) {
      way = Manner::rows;
      block = least(columns_within(width()), reduce_parallel_from / greatest(length, 1));
      // Which row a thread takes changes no result.
      if (work.feed != nullptr) block = greatest(least(block, made_bytes / row_bytes()), 1);
    } else if (long_rows) {
      way = Manner::fold;
    } else if (narrow) {
      way = Manner::fold;
      block = width();
    } else if (width() < 8) {
      way = Manner::fold;
      pack = true;
    } else {
      block = columns_within(width());
      pack = kept_step() != how.itemsize;
      // Short rows are packed all at once: else it depends on the block how many are.
      const int64 packed = pack_bytes / (how.itemsize * greatest(length, 1));
      if (pack && work.reduced_rank == 1 && packed >= 16) block = least(block, packed);
    }
  }

  /// Extrema of many rows of up to 64 items are found faster along columns.
  bool transposes_rows() const {
    return how.splits_runs && how.absorbing < 0 && how.itemsize >= 4 && work.reduced_rank == 1 &&
           width() >= 64 && pack_bytes / (how.itemsize * greatest(length, 1)) >= 32;
  }

  /// Where items that are reduced lie between few others, as in sum(x, axis=1) of (n, 5, 4), a
  /// transpose of all of them makes as many columns.
  bool choose_blocks_beside() noexcept {
    if (work.kept_rank < 2 || work.reduced_rank != 1 || length < 1) return false;
    const int64 few = work.kept_shape[0];
    const int64 row_bytes = few * length * how.itemsize;
    if (few < 2 || few > most_beside || work.kept_strides[0] != how.itemsize ||
        step != few * how.itemsize || length > how.block_rows || row_bytes * 16 > pack_bytes) {
      return false;
    }
    int longest = 1;
    for (int a = 2; a < work.kept_rank; ++a) {
      if (work.kept_shape[a] > work.kept_shape[longest]) longest = a;
    }
    if (work.kept_shape[longest] < 16) return false;
    axis = longest;
    beside = few;
    block = least(columns_within(width()), pack_bytes / row_bytes);
    return true;
  }

  void choose_chunks() noexcept {
    if (way == Manner::rows || units * 4 > most_partials ||
        work.reduced_size * block < 2 * reduce_parallel_from)
      return;
    const int64 most = least(most_partials / units, work.reduced_size * block / 65536);
    chunk = ceil_div(ceil_div(work.reduced_size, most), 1024) * 1024;
    chunks = ceil_div(work.reduced_size, chunk);
  }
};

}  // namespace
}  // namespace skerry::inline SKERRY_TARGET::kernels
