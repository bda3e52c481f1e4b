// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/fed_elements.hpp"
#include "ops/kernel/cpu/copy_2d.hpp"
#include "ops/reduce/cpu/cut.hpp"

namespace skerry::inline SKERRY_TARGET::kernels {
namespace {

/// Makes rows of `n` elements, those that would lie at `at`, `row` bytes apart: densely in `to`.
void feed(const Reduction& what, const char* at, int64 row, int64 rows, int64 n,
          char* to) noexcept {
  const int64 size = what.how.itemsize;
  if (row == n * size) {
    n *= rows;
    rows = 1;
  }
  for (int64 j = 0; j < rows; ++j) {
    const FedElements piece = {.pass = &what.work + 1,
                               .from = (at + j * row - what.work.input) / size,
                               .n = n,
                               .to = to + j * n * size};
    what.work.feed(&piece);
  }
}

/// Reduces one chunk of the range for one block.
class BlockReducer {
 public:
  /// Elements along reduced axis 0 lie `step` bytes apart. Where there is `room`, they are made in
  /// it.
  explicit BlockReducer(const Reduction& what, int64 n, int64 step, char* room) noexcept
      : what_(what),
        how_(what.how),
        n_(n),
        step_(step),
        is_fed_(room != nullptr),
        room_(is_fed_ ? room : buffer_),
        sums_(what.how, n) {}

  void run(const char* base, int64 begin, int64 end, char* acc) noexcept {
    const ReduceParams& work = what_.work;
    int64 position[ReduceParams::max_axes] = {};
    int64 rest = begin;
    for (int a = 0; a < work.reduced_rank && begin < end; ++a) {  // an extent may be 0
      position[a] = rest % work.reduced_shape[a];
      rest /= work.reduced_shape[a];
    }
    while (begin < end && !decided_) {
      const char* at = base;
      for (int a = 0; a < work.reduced_rank; ++a) at += position[a] * work.reduced_strides[a];
      const int64 rows = least(what_.length - position[0], end - begin);
      int64 lines = 1;
      if (what_.pack && what_.way == Manner::fold && work.reduced_rank > 1 && position[0] == 0) {
        lines = least(work.reduced_shape[1] - position[1], (end - begin) / what_.length);
        lines = least(lines, (gathered_ - held_) / what_.length);
      }
      if (lines > 1) {
        gather_lines(at, lines, begin);
        position[1] += lines - 1;
      } else {
        lines = 1;
        add(at, rows, begin);
      }
      begin += rows * lines;
      position[0] += rows;
      for (int a = 0; a + 1 < work.reduced_rank && position[a] == work.reduced_shape[a]; ++a) {
        position[a] = 0;
        ++position[a + 1];
      }
    }
    flush();
    sums_.total(acc);
  }

 private:
  /// `first` is the index of the first row along the reduced axes.
  void add(const char* at, int64 rows, int64 first) noexcept {
    if (what_.way == Manner::columns) {
      add_columns(at, rows, first);
    } else if (what_.pack) {
      gather(at, rows, first);
    } else {
      add_run(at, rows, first, how_.itemsize);
    }
  }

  void add_columns(const char* at, int64 rows, int64 first) noexcept {
    const int64 size = how_.itemsize;
    while (rows > 0) {
      int64 now = least(rows, how_.block_rows - held_);
      ElementRows block = {.x = at,
                           .row = step_,
                           .step = size,
                           .rows = now,
                           .n = n_,
                           .is_fresh = held_ == 0,
                           .first = first,
                           .is_far = what_.is_far};
      if (what_.pack) {
        now = least(now, greatest(pack_bytes / (n_ * size), 1));
        copy_2d({buffer_, size, n_ * size}, {const_cast<char*>(at), what_.kept_step(), step_}, n_,
                now, size);
        block.x = buffer_;
        block.row = n_ * size;
        block.rows = now;
      }
      columns(block);
      held_ += now;
      if (held_ == how_.block_rows) flush();
      rows -= now;
      at += now * step_;
      first += now;
    }
  }

  /// Whole lines along reduced axis 0, for which there is room: short ones are not worth a call.
  void gather_lines(const char* at, int64 lines, int64 first) noexcept {
    const int64 size = how_.itemsize;
    if (held_ == 0) held_first_ = first;
    copy_2d({buffer_ + held_ * size, size, what_.length * size},
            {const_cast<char*>(at), step_, what_.work.reduced_strides[1]}, what_.length, lines,
            size);
    held_ += lines * what_.length;
    if (held_ == gathered_) flush();
  }

  /// As many as buffer_ holds are a run, wherever they lie, and so are more of them where a run may
  /// have any length.
  void gather(const char* at, int64 rows, int64 first) noexcept {
    const int64 size = how_.itemsize;
    while (rows > 0) {
      if (held_ == 0) held_first_ = first;
      int64 now = least(rows, gathered_ - held_);
      if (now == gathered_) {
        if (how_.longest_run == endless) now = rows;
        add_run(at, now, first, step_);
      } else {
        copy_2d({buffer_ + held_ * size, size, 0}, {const_cast<char*>(at), step_, 0}, now, 1, size);
        held_ += now;
        if (held_ == gathered_) flush();
      }
      rows -= now;
      at += now * step_;
      first += now;
    }
  }

  void flush() noexcept {
    if (held_ == 0) return;
    if (what_.way == Manner::fold) {
      add_run(buffer_, held_, held_first_, how_.itemsize);
    } else {
      sums_.push(acc_);
    }
    held_ = 0;
  }

  /// A run of rows of n accumulators, whose elements lie `step` bytes apart: several rows side by
  /// side make a matrix that is wide enough for vectors.
  void add_run(const char* at, int64 rows, int64 first, int64 step) noexcept {
    if (n_ == 1 && (how_.splits_runs || rows <= how_.longest_run)) {
      return add_row(at, rows, first, step);
    }
    const int64 row_bytes = n_ * step;
    const int64 widest = greatest(what_.columns_within(widest_block) / n_, 1);
    int64 beside = least(greatest(rows / 16, 1), widest);
    if (n_ == 1) beside = least(greatest(beside / 16 * 16, 16), widest);
    const int64 most = beside * how_.block_rows;
    while (rows > 0) {
      const int64 now = least(rows, most);
      const int64 whole = now / beside;
      const int64 rest = now % beside;
      ElementRows block = {.x = at,
                           .row = beside * row_bytes,
                           .step = step,
                           .rows = whole,
                           .n = beside * n_,
                           .is_fresh = true,
                           .first = first,
                           .per_row = beside,
                           .width = n_,
                           .is_far = what_.is_far};
      if (whole > 0) {
        columns(block);
      } else {
        how_.clear(acc_, beside * n_);
      }
      if (rest > 0) {
        block.x = at + whole * beside * row_bytes;
        block.rows = 1;
        block.n = rest * n_;
        block.is_fresh = false;
        block.first = first + whole * beside;
        columns(block);
      }
      fold(beside);
      sums_.push(acc_);
      rows -= now;
      at += now * row_bytes;
      first += now;
    }
  }

  void add_row(const char* at, int64 n, int64 first, int64 step) noexcept {
    while (n > 0 && !decided_) {
      int64 now = least(n, how_.longest_run);
      ElementRows block = {
          .x = at, .row = 0, .step = step, .rows = 1, .n = now, .is_fresh = true, .first = first};
      if (is_fed_ || (is_strided(block) && now < how_.strided_rows_from)) {
        if (how_.longest_run == endless) now = least(now, made_bytes / how_.itemsize);
        block.n = now;
        make(block);
      }
      how_.rows(acc_, block);
      sums_.push(acc_);
      decided_ = how_.absorbing >= 0 && acc_[0] == how_.absorbing;
      n -= now;
      at += now * step;
      first += now;
    }
  }

  /// What is made is made for some rows at a time, as many fours of them as there is room for: so
  /// the loops take them.
  void columns(const ElementRows& block) noexcept {
    const bool is_taken = how_.takes_strided_columns || !is_strided(block);
    if (!is_fed_ && is_taken) return how_.columns(acc_, block);
    const int64 most = greatest(made_bytes / (block.n * how_.itemsize) / 4 * 4, 4);
    for (int64 j = 0; j < block.rows; j += most) {
      ElementRows piece = block;
      piece.x += j * block.row;
      piece.rows = least(most, block.rows - j);
      piece.is_fresh = block.is_fresh && j == 0;
      make(piece);
      how_.columns(acc_, piece);
    }
  }

  [[nodiscard]] bool is_strided(const ElementRows& block) const noexcept {
    return block.step != how_.itemsize;
  }
  /// Puts them in `room_`.
  void make(ElementRows& block) noexcept {
    const int64 size = how_.itemsize;
    if (is_fed_) {
      feed(what_, block.x, block.row, block.rows, block.n, room_);
    } else {
      copy_2d({room_, size, block.n * size}, {const_cast<char*>(block.x), block.step, block.row},
              block.n, block.rows, size);
    }
    block.x = room_;
    block.row = block.n * size;
    block.step = size;
  }

  void fold(int64 beside) noexcept {
    while (beside > 1) {
      const int64 half = (beside + 1) / 2;
      how_.merge(acc_, acc_ + half * n_ * how_.accumulator_size, (beside - half) * n_);
      beside = half;
    }
  }

  const Reduction& what_;
  const Reducer& how_;
  int64 n_;
  int64 step_;
  bool is_fed_;
  char* room_;                                         ///< where elements are made, or gathered
  const int64 gathered_ = pack_bytes / how_.itemsize;  ///< elements that buffer_ holds
  int64 held_ = 0;        ///< rows in acc_ (columns) or elements in buffer_ (fold)
  int64 held_first_ = 0;  ///< index of the first element in buffer_
  bool decided_ = false;  ///< no further element can change the result
  alignas(64) char acc_[accumulator_bytes];
  alignas(64) char buffer_[pack_bytes];
  Pairwise sums_;
};

}  // namespace
}  // namespace skerry::inline SKERRY_TARGET::kernels
