// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/call/block_elements.hpp"
#include "ops/kernel/cpu/copy_2d.hpp"
#include "ops/kernel/cpu/tuning.hpp"
#include "ops/reduce/cpu/cut.hpp"

namespace skerry::inline SKERRY_TARGET::kernels {
namespace {

/// Writes rows of `n` elements contiguously to `destination`. `source` is a placeholder: its
/// distance from `input` is the byte offset of the first row; rows are `row` bytes apart.
void feed(const Reduction& reduction, const char* source, int64 row, int64 rows, int64 n,
          char* destination) noexcept {
  const int64 size = reduction.reducer.itemsize;
  if (row == n * size) {
    n *= rows;
    rows = 1;
  }
  for (int64 j = 0; j < rows; ++j) {
    const BlockElements block_elements = {
        .pass = &reduction.params + 1,
        .start = (source + j * row - reduction.params.input) / size,
        .n = n,
        .destination = destination + j * n * size};
    reduction.params.feed(block_elements);
  }
}

/// Reduces one chunk of the range for one block.
class BlockReducer {
 public:
  /// Elements along reduced axis 0 are `step` bytes apart. With a `workspace`, `feed` writes the
  /// elements there.
  explicit BlockReducer(const Reduction& reduction, int64 n, int64 step, char* workspace) noexcept
      : reduction_(reduction),
        reducer_(reduction.reducer),
        n_(n),
        step_(step),
        has_feed_(workspace != nullptr),
        workspace_(has_feed_ ? workspace : buffer_),
        sums_(reduction.reducer, n) {}

  void run(const char* base, int64 begin, int64 end, char* acc) noexcept {
    const ReduceParams& params = reduction_.params;
    int64 position[ReduceParams::max_axes] = {};
    int64 rest = begin;
    for (int a = 0; a < params.reduced_rank && begin < end; ++a) {  // an extent may be 0
      position[a] = rest % params.reduced_shape[a];
      rest /= params.reduced_shape[a];
    }
    while (begin < end && !decided_) {
      const char* source = base;
      for (int a = 0; a < params.reduced_rank; ++a)
        source += position[a] * params.reduced_strides[a];
      const int64 rows = minimum(reduction_.length - position[0], end - begin);
      int64 lines = 1;
      if (reduction_.pack && reduction_.way == ReductionStrategy::fold && params.reduced_rank > 1 &&
          position[0] == 0) {
        lines = minimum(params.reduced_shape[1] - position[1], (end - begin) / reduction_.length);
        lines = minimum(lines, (gathered_ - held_count_) / reduction_.length);
      }
      if (lines > 1) {
        gather_lines(source, lines, begin);
        position[1] += lines - 1;
      } else {
        lines = 1;
        add(source, rows, begin);
      }
      begin += rows * lines;
      position[0] += rows;
      for (int a = 0; a + 1 < params.reduced_rank && position[a] == params.reduced_shape[a]; ++a) {
        position[a] = 0;
        ++position[a + 1];
      }
    }
    flush();
    sums_.total(acc);
  }

 private:
  /// `first` is the index of the first row along the reduced axes.
  void add(const char* source, int64 rows, int64 first) noexcept {
    if (reduction_.way == ReductionStrategy::columns) {
      add_columns(source, rows, first);
    } else if (reduction_.pack) {
      gather(source, rows, first);
    } else {
      add_run(source, rows, first, reducer_.itemsize);
    }
  }

  void add_columns(const char* source, int64 rows, int64 first) noexcept {
    const int64 size = reducer_.itemsize;
    while (rows > 0) {
      int64 now = minimum(rows, reducer_.block_rows - held_count_);
      ElementRows block = {.x = source,
                           .row = step_,
                           .step = size,
                           .rows = now,
                           .n = n_,
                           .overwrites = held_count_ == 0,
                           .first = first,
                           .is_out_of_cache = reduction_.is_out_of_cache};
      if (reduction_.pack) {
        now = minimum(now, maximum(tuning::reduce_pack_bytes / (n_ * size), 1));
        copy_2d({buffer_, size, n_ * size},
                {const_cast<char*>(source), reduction_.retained_step(), step_}, n_, now, size);
        block.x = buffer_;
        block.row = n_ * size;
        block.rows = now;
      }
      columns(block);
      held_count_ += now;
      if (held_count_ == reducer_.block_rows) flush();
      rows -= now;
      source += now * step_;
      first += now;
    }
  }

  /// Gathers several whole lines along reduced axis 0 into the buffer: a call per short line is too
  /// slow.
  void gather_lines(const char* source, int64 lines, int64 first) noexcept {
    const int64 size = reducer_.itemsize;
    if (held_count_ == 0) held_first_ = first;
    copy_2d({buffer_ + held_count_ * size, size, reduction_.length * size},
            {const_cast<char*>(source), step_, reduction_.params.reduced_strides[1]},
            reduction_.length, lines, size);
    held_count_ += lines * reduction_.length;
    if (held_count_ == gathered_) flush();
  }

  /// Gathers strided elements in buffer_ and reduces them as a run when it is full. Rows that would
  /// fill an empty buffer are reduced in place instead: as many as fit, or all of them if a run may
  /// have any length.
  void gather(const char* source, int64 rows, int64 first) noexcept {
    const int64 size = reducer_.itemsize;
    while (rows > 0) {
      if (held_count_ == 0) held_first_ = first;
      int64 now = minimum(rows, gathered_ - held_count_);
      if (now == gathered_) {
        if (reducer_.max_run_length == endless) now = rows;
        add_run(source, now, first, step_);
      } else {
        copy_2d({buffer_ + held_count_ * size, size, 0}, {const_cast<char*>(source), step_, 0}, now,
                1, size);
        held_count_ += now;
        if (held_count_ == gathered_) flush();
      }
      rows -= now;
      source += now * step_;
      first += now;
    }
  }

  void flush() noexcept {
    if (held_count_ == 0) return;
    if (reduction_.way == ReductionStrategy::fold) {
      add_run(buffer_, held_count_, held_first_, reducer_.itemsize);
    } else {
      sums_.push(acc_);
    }
    held_count_ = 0;
  }

  /// Reduces a run of rows of n accumulators whose elements are `step` bytes apart. Several
  /// adjacent rows form a matrix that is wide enough for vectors.
  void add_run(const char* source, int64 rows, int64 first, int64 step) noexcept {
    if (n_ == 1 && (reducer_.splits_runs || rows <= reducer_.max_run_length)) {
      return add_row(source, rows, first, step);
    }
    const int64 row_bytes = n_ * step;
    const int64 max_adjacent_rows = maximum(reduction_.columns_within(max_block_columns) / n_, 1);
    int64 adjacent_rows = minimum(maximum(rows / 16, 1), max_adjacent_rows);
    if (n_ == 1) adjacent_rows = minimum(maximum(adjacent_rows / 16 * 16, 16), max_adjacent_rows);
    const int64 max_rows = adjacent_rows * reducer_.block_rows;
    while (rows > 0) {
      const int64 now = minimum(rows, max_rows);
      const int64 whole = now / adjacent_rows;
      const int64 rest = now % adjacent_rows;
      ElementRows block = {.x = source,
                           .row = adjacent_rows * row_bytes,
                           .step = step,
                           .rows = whole,
                           .n = adjacent_rows * n_,
                           .overwrites = true,
                           .first = first,
                           .per_row = adjacent_rows,
                           .width = n_,
                           .is_out_of_cache = reduction_.is_out_of_cache};
      if (whole > 0) {
        columns(block);
      } else {
        reducer_.clear(acc_, adjacent_rows * n_);
      }
      if (rest > 0) {
        block.x = source + whole * adjacent_rows * row_bytes;
        block.rows = 1;
        block.n = rest * n_;
        block.overwrites = false;
        block.first = first + whole * adjacent_rows;
        columns(block);
      }
      fold(adjacent_rows);
      sums_.push(acc_);
      rows -= now;
      source += now * row_bytes;
      first += now;
    }
  }

  void add_row(const char* source, int64 n, int64 first, int64 step) noexcept {
    while (n > 0 && !decided_) {
      int64 now = minimum(n, reducer_.max_run_length);
      ElementRows block = {.x = source,
                           .row = 0,
                           .step = step,
                           .rows = 1,
                           .n = now,
                           .overwrites = true,
                           .first = first};
      if (has_feed_ || (is_strided(block) && !reducer_.takes_strided_rows)) {
        if (reducer_.max_run_length == endless)
          now = minimum(now, tuning::reduce_scratch_bytes / reducer_.itemsize);
        block.n = now;
        make(block);
      }
      reducer_.rows(acc_, block);
      sums_.push(acc_);
      decided_ = reducer_.absorbing >= 0 && acc_[0] == reducer_.absorbing;
      n -= now;
      source += now * step;
      first += now;
    }
  }

  /// Reduces columns. Elements that are fed or strided are first written to the workspace, a
  /// multiple of four rows at a time: the loops combine four rows at once.
  void columns(const ElementRows& block) noexcept {
    if (!has_feed_ && !is_strided(block)) return reducer_.columns(acc_, block);
    const int64 max_rows =
        maximum(tuning::reduce_scratch_bytes / (block.n * reducer_.itemsize) / 4 * 4, 4);
    for (int64 j = 0; j < block.rows; j += max_rows) {
      ElementRows chunk = block;
      chunk.x += j * block.row;
      chunk.rows = minimum(max_rows, block.rows - j);
      chunk.overwrites = block.overwrites && j == 0;
      make(chunk);
      reducer_.columns(acc_, chunk);
    }
  }

  [[nodiscard]] bool is_strided(const ElementRows& block) const noexcept {
    return block.step != reducer_.itemsize;
  }
  /// Writes the block's elements to `workspace_` and points `block` there.
  void make(ElementRows& block) noexcept {
    const int64 size = reducer_.itemsize;
    if (has_feed_) {
      feed(reduction_, block.x, block.row, block.rows, block.n, workspace_);
    } else {
      copy_2d({workspace_, size, block.n * size},
              {const_cast<char*>(block.x), block.step, block.row}, block.n, block.rows, size);
    }
    block.x = workspace_;
    block.row = block.n * size;
    block.step = size;
  }

  void fold(int64 adjacent_rows) noexcept {
    while (adjacent_rows > 1) {
      const int64 half = (adjacent_rows + 1) / 2;
      reducer_.merge(acc_, acc_ + half * n_ * reducer_.accumulator_size,
                     (adjacent_rows - half) * n_);
      adjacent_rows = half;
    }
  }

  const Reduction& reduction_;
  const Reducer& reducer_;
  int64 n_;
  int64 step_;
  bool has_feed_;
  char* workspace_;  ///< where elements are fed or gathered
  const int64 gathered_ =
      tuning::reduce_pack_bytes / reducer_.itemsize;  ///< capacity of buffer_ in elements
  int64 held_count_ = 0;  ///< rows in acc_ (columns) or elements in buffer_ (fold)
  int64 held_first_ = 0;  ///< index of the first element in buffer_
  bool decided_ = false;  ///< no further element can change the result
  alignas(64) char acc_[accumulator_bytes];
  alignas(64) char buffer_[tuning::reduce_pack_bytes];
  Pairwise sums_;
};

}  // namespace
}  // namespace skerry::inline SKERRY_TARGET::kernels
