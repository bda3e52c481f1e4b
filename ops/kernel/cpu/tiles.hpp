// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cpu/thread_pool.hpp"
#include "ops/kernel/cpu/copy_2d.hpp"
#include "ops/kernel/cpu/stream.hpp"
#include "ops/kernel/cpu/tiling.hpp"
#include "ops/kernel/cpu/turned.hpp"

// Runs a loop over a plan, tile by tile.

namespace skerry::inline SKERRY_TARGET::kernels {

/// Runs tiles of one tiling on one thread; remembers what its buffers hold, since a broadcast
/// operand is often the same in every tile.
template <class Plan, class Loop>
class TileRunner {
 public:
  explicit TileRunner(const Tiling<Plan, Loop>& how) noexcept : how_(how), work_(how.work) {}

  void run(int64 begin, int64 end) noexcept {
    int64 position[Plan::max_axes];
    int64 rest = begin;
    for (int a = 0; a < work_.rank; ++a) {
      position[a] = rest % how_.counts[a];
      rest /= how_.counts[a];
    }
    for (int64 unit = begin; unit < end; ++unit) {
      run_tile(position);
      for (int a = 0; a < work_.rank && ++position[a] == how_.counts[a]; ++a) position[a] = 0;
    }
    if (how_.streams || streams_of(how_.what)) {
      lines_.flush();
      fence_stores();
    }
  }

 private:
  bool is_packed(int operand) const { return ((how_.packed >> operand) & 1u) != 0; }
  int64 row_stride(int operand) const {
    return how_.axis < work_.rank ? work_.strides[operand][how_.axis] : 0;
  }

  void run_tile(const int64* position) noexcept {
    const int64 n = least(how_.n, work_.shape[0] - position[0] * how_.n);
    int64 rows = 1;
    if (how_.axis < work_.rank) {
      rows = least(how_.rows, work_.shape[how_.axis] - position[how_.axis] * how_.rows);
    }
    if (how_.stepped != nullptr) return run_stepped(position, n, rows);
    char* base[Plan::max_operands];
    char* data[Plan::max_operands];
    int64 steps[Plan::max_operands];
    const int64 pitch = how_.merged ? how_.pitch : n;
    for (int i = 0; i < work_.operand_count; ++i) {
      base[i] = locate(i, position);
      data[i] = base[i];
      steps[i] = row_stride(i);
      if (!is_packed(i)) continue;
      const int buffer = how_.same_as[i];
      if (i >= outputs_of(work_)) pack(buffer, base[i], n, rows, pitch);
      data[i] = buffers_[buffer];
      steps[i] = n * work_.itemsize[i];
    }
    if (how_.merged) {
      compute(data, base, (rows - 1) * pitch + n);
    } else {
      for (int64 j = 0; j < rows; ++j) {
        compute(data, data, n);
        for (int i = 0; i < work_.operand_count; ++i) data[i] += steps[i];
      }
    }
    for (int i = 0; i < outputs_of(work_); ++i) {
      if (!is_packed(i)) continue;
      const int64 size = work_.itemsize[i];
      copy_2d({base[i], work_.strides[i][0], row_stride(i)}, {buffers_[i], size, pitch * size}, n,
              rows, size);
    }
  }

  /// Along the longer side of the tile.
  void run_stepped(const int64* position, int64 n, int64 rows) noexcept {
    char* data[Plan::max_operands];
    int64 steps[Plan::max_operands];
    int64 across[Plan::max_operands];
    const bool turn = rows > n;
    const int64 longer = greatest(n, rows);
    for (int i = 0; i < work_.operand_count; ++i) {
      data[i] = locate(i, position);
      steps[i] = turn ? row_stride(i) : work_.strides[i][0];
      across[i] = turn ? work_.strides[i][0] : row_stride(i);
    }
    for (int64 j = 0; j < least(n, rows); ++j) {
      how_.stepped(data, steps, longer);
      for (int i = 0; i < work_.operand_count; ++i) data[i] += across[i];
    }
  }

  void compute(char** data, char* const* lies, int64 n) noexcept {
    const int64 nbytes = n * work_.itemsize[0];
    if (how_.copies && nbytes >= streamed_piece) return lines_.put(data[0], data[1], nbytes);
    if (!how_.streams) return call(how_.what, data, lies, how_.single, n);
    char* const to = data[0];
    data[0] = buffers_[0];
    call(how_.what, data, lies, how_.single, n);
    data[0] = to;
    lines_.put(to, buffers_[0], nbytes);
  }

  char* locate(int operand, const int64* position) const noexcept {
    char* at = work_.base(operand);
    for (int a = 0; a < work_.rank; ++a) {
      const int64 step = a == 0 ? how_.n : a == how_.axis ? how_.rows : 1;
      at += position[a] * step * work_.strides[operand][a];
    }
    return at;
  }

  void pack(int operand, char* from, int64 n, int64 rows, int64 pitch) noexcept {
    if (held_[operand] == from && held_n_[operand] == n && held_rows_[operand] == rows) return;
    held_[operand] = from;
    held_rows_[operand] = rows;
    held_n_[operand] = n;
    const int64 size = work_.itemsize[operand];
    copy_2d({buffers_[operand], size, pitch * size},
            {from, work_.strides[operand][0], row_stride(operand)}, n, rows, size);
    if (how_.asks_ahead) ask_ahead(from, n, work_.strides[operand][0]);
  }

  /// For what the next tile packs, while this one is computed: into the second cache, as the first
  /// has room for the buffers only.
  static void ask_ahead(const char* from, int64 n, int64 step) noexcept {
    const int64 span = n * magnitude(step);
    const char* const next = step > 0 ? from + span : from - 2 * span;
    for (int64 byte = 0; byte < span; byte += 64) __builtin_prefetch(next + byte, 0, 2);
  }

  const Tiling<Plan, Loop>& how_;
  const Plan& work_;
  const char* held_[Plan::max_operands] = {};
  int64 held_rows_[Plan::max_operands] = {};
  int64 held_n_[Plan::max_operands] = {};
  StreamedLines lines_;
  alignas(64) char buffers_[Plan::max_operands][buffer_bytes<Plan>];
};

template <class Plan, class Loop>
void run_range(void* how, std::int64_t begin, std::int64_t end) noexcept {
  const auto& tiles = *static_cast<const Tiling<Plan, Loop>*>(how);
  TileRunner<Plan, Loop>(tiles).run(begin, end);
}

template <class Plan, class Loop>
void run_one(const Plan& work, const Loop& what) noexcept {
  char* data[Plan::max_operands];
  for (int i = 0; i < work.operand_count; ++i) data[i] = work.base(i);
  call(what, data, data, 0, 1);
}

/// Work along one axis without anything to pack, on this thread; false if it isn't that.
template <class Plan, class Loop>
bool run_whole(const Plan& work, const Loop& what) noexcept {
  if (work.rank != 1) return false;
  char* data[Plan::max_operands];
  unsigned single = 0;
  for (int i = 0; i < work.operand_count; ++i) {
    const int64 step = work.strides[i][0];
    if (step == 0) {
      single |= 1u << i;
    } else if (step != work.itemsize[i]) {
      return false;
    }
    data[i] = work.base(i);
  }
  if (!takes(what, single)) return false;
  call(what, data, data, single, work.size);
  return true;
}

/// Where operands are read as they lie it is worth it only for a smaller result.
template <class Plan, class Loop>
bool is_turned(const Plan& work, const Loop& what) noexcept {
  const bool is_read = stepped_of(work, what) != nullptr && work.itemsize[0] >= work.itemsize[1];
  return !is_read && lies_backwards(work);
}

/// Runs the loop over the plan on this thread.
template <class Plan, class Loop>
void drive_here(const Plan& work, const Loop& what) noexcept {
  if (work.rank == 0) return run_one(work, what);
  if (run_whole(work, what)) return;
  if (is_turned(work, what)) return drive_here(turned_round(work), what);
  Tiling<Plan, Loop> how(work, what);
  run_range<Plan, Loop>(&how, 0, how.units);
}

/// Runs the loop over the plan: cut into tiles, which are spread over the pool.
template <class Plan, class Loop>
void drive(const Plan& work, const Loop& what) noexcept {
  if (work.size * what.cost < parallel_from) return drive_here(work, what);
  if (is_turned(work, what)) return drive(turned_round(work), what);
  Tiling<Plan, Loop> how(work, what);
  const int64 tile_cost = how.n * how.rows * what.cost;
  cpu::parallel_for(how.units, greatest(parallel_from / 2 / tile_cost, 1), run_range<Plan, Loop>,
                    &how);
}

}  // namespace skerry::inline SKERRY_TARGET::kernels
