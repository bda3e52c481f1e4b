// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/kernel/cpu/tuning.hpp"
#include "ops/reduce/cpu/loops.hpp"
#include "ops/reduce/cpu/pairwise.hpp"

// How a reduction is split. A block is a number of outputs along one retained axis, with their
// accumulators in L1. With many adjacent outputs, rows of elements are combined into them
// ("columns"); tiles whose rows are not contiguous are packed first, usually by a transpose. With
// few outputs, the elements along the reduced axis are treated as a matrix of many columns, whose
// accumulators are folded at the end ("fold"). Contiguous runs get their own calls ("rows") if they
// are short or if the reduction takes runs of any length. All of them add pairwise beyond 128 rows.
// The split depends on shape and strides only, never on the number of threads, and so does the
// result.

namespace skerry::inline SKERRY_TARGET::kernels {
namespace {

constexpr int64 max_partials = 64;
constexpr int64 max_adjacent_blocks = 8;

enum class ReductionStrategy { columns, fold, rows };
constexpr int64 contiguous_row_from = 64;  ///< minimum length of a contiguous row to fold alone
constexpr int64 max_row_length = 32768;    ///< longer rows are split among threads

/// True if the elements of a row are contiguous and few enough for one run.
inline bool has_short_runs(const ReduceParams& params, const Reducer& reducer) noexcept {
  return params.reduced_rank == 1 && params.reduced_strides[0] == reducer.itemsize &&
         params.reduced_shape[0] <= minimum(reducer.max_run_length, max_row_length);
}

struct Reduction {
  const ReduceParams& params;
  const Reducer& reducer;
  int axis = 0;               ///< retained axis of a block
  int64 block = 1;            ///< outputs per block
  int64 adjacent_blocks = 1;  ///< blocks reduced together: all along retained axis 0
  ReductionStrategy way = ReductionStrategy::columns;
  bool pack = false;
  int64 length;  ///< of reduced axis 0; 0 if any reduced axis is empty
  int64 step;    ///< along it, in bytes; the itemsize if there is no reduced axis
  int64 units = 1;
  int64 chunks = 1;  ///< parts of the reduced range
  int64 chunk;       ///< elements of one chunk
  char* partials = nullptr;
  int64 deciding = max_partials;  ///< of a single output: chunk whose result absorbs later ones
  bool is_out_of_cache;           ///< the elements are read in place from memory, out of cache

  Reduction(const ReduceParams& reduce_params, const Reducer& reducer_loops) noexcept
      : params(reduce_params),
        reducer(reducer_loops),
        length(reduce_params.reduced_size == 0  ? 0
               : reduce_params.reduced_rank > 0 ? reduce_params.reduced_shape[0]
                                                : 1),
        step(reduce_params.reduced_rank > 0 ? reduce_params.reduced_strides[0]
                                            : reducer_loops.itemsize),
        chunk(reduce_params.reduced_size) {
    choose_block();
    is_out_of_cache =
        !pack && reduce_params.feed == nullptr &&
        reduce_params.retained_size * reduce_params.reduced_size * reducer_loops.itemsize >=
            tuning::min_reduced_memory_bytes;
    for (int a = 0; a < params.retained_rank; ++a) units *= block_count(a);
    choose_chunks();
  }

  int64 row_bytes() const { return maximum(length, 1) * reducer.itemsize; }
  int64 columns_within(int64 max_columns) const {
    return minimum(max_columns,
                   minimum(max_block_columns, accumulator_bytes / reducer.accumulator_size));
  }
  int64 block_count(int a) const {
    return ceil_div(params.retained_shape[a], a == axis ? block : a == 0 ? adjacent_blocks : 1);
  }
  int64 width() const { return params.retained_rank > 0 ? params.retained_shape[axis] : 1; }
  /// True if rows are adjacent and have 2 to 4 contiguous items.
  bool has_short_rows() const {
    return way == ReductionStrategy::columns && pack && params.reduced_rank == 1 && length >= 2 &&
           length <= 4 && step == reducer.itemsize && retained_step() == length * step;
  }
  int64 retained_step() const {
    return params.retained_rank > 0 ? params.retained_strides[axis] : reducer.itemsize;
  }

 private:
  void choose_block() noexcept {
    if (params.retained_rank > 0 &&
        (params.retained_shape[0] < 8 || params.retained_strides[0] != reducer.itemsize)) {
      for (int a = 1; a < params.retained_rank; ++a) {
        if (params.retained_shape[a] > params.retained_shape[axis]) axis = a;
      }
    }
    if (choose_adjacent_blocks()) return;
    const bool long_rows = step == reducer.itemsize && length >= contiguous_row_from;
    const bool narrow = width() <= 64 && length >= 16 && axis == 0 &&
                        retained_step() == reducer.itemsize && step == width() * reducer.itemsize;
    if (has_short_runs(params, reducer) &&
        (length >= contiguous_row_from || params.retained_size < 8)) {
      way = ReductionStrategy::rows;
      block = minimum(columns_within(width()), tuning::reduce_parallel_from / maximum(length, 1));
      // How rows are distributed over threads does not change the result.
      if (params.feed != nullptr)
        block = maximum(minimum(block, tuning::reduce_scratch_bytes / row_bytes()), 1);
    } else if (long_rows) {
      way = ReductionStrategy::fold;
    } else if (narrow) {
      way = ReductionStrategy::fold;
      block = width();
    } else if (width() < 8) {
      way = ReductionStrategy::fold;
      pack = true;
    } else {
      block = columns_within(width());
      pack = retained_step() != reducer.itemsize;
      // Limit the block so that short rows are packed whole. Otherwise, the number of elements
      // packed at a time would depend on the block.
      const int64 packed = tuning::reduce_pack_bytes / (reducer.itemsize * maximum(length, 1));
      if (pack && params.reduced_rank == 1 && packed >= 16) block = minimum(block, packed);
    }
  }

  /// Handles a reduced axis that is followed by a short retained one, as in sum(x, axis=1) of shape
  /// (n, 5, 4): transposes adjacent blocks together, so that columns run along the longest other
  /// retained axis. Returns false if that does not apply.
  bool choose_adjacent_blocks() noexcept {
    if (params.retained_rank < 2 || params.reduced_rank != 1 || length < 1) return false;
    const int64 few = params.retained_shape[0];
    const int64 row_bytes = few * length * reducer.itemsize;
    if (few < 2 || few > max_adjacent_blocks || params.retained_strides[0] != reducer.itemsize ||
        step != few * reducer.itemsize || length > reducer.block_rows ||
        row_bytes * 16 > tuning::reduce_pack_bytes) {
      return false;
    }
    int largest_axis = 1;
    for (int a = 2; a < params.retained_rank; ++a) {
      if (params.retained_shape[a] > params.retained_shape[largest_axis]) largest_axis = a;
    }
    if (params.retained_shape[largest_axis] < 16) return false;
    axis = largest_axis;
    adjacent_blocks = few;
    block = minimum(columns_within(width()), tuning::reduce_pack_bytes / row_bytes);
    return true;
  }

  void choose_chunks() noexcept {
    if (way == ReductionStrategy::rows || units * 4 > max_partials ||
        params.reduced_size * block < 2 * tuning::reduce_parallel_from)
      return;
    const int64 max_chunks = minimum(max_partials / units, params.reduced_size * block / 65536);
    chunk = ceil_div(ceil_div(params.reduced_size, max_chunks), 1024) * 1024;
    chunks = ceil_div(params.reduced_size, chunk);
  }
};

}  // namespace
}  // namespace skerry::inline SKERRY_TARGET::kernels
