// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cpu/thread_pool.hpp"
#include "ops/kernel/cpu/copy_2d.hpp"
#include "ops/kernel/cpu/flipped.hpp"
#include "ops/kernel/cpu/stream.hpp"
#include "ops/kernel/cpu/tiling.hpp"
#include "ops/kernel/cpu/tuning.hpp"

// Runs a loop over a plan, tile by tile.

namespace skerry::inline SKERRY_TARGET::kernels {

/// Runs tiles of a tiling on one thread. Remembers the contents of its buffers, since a broadcast
/// operand is often the same in every tile and need not be packed again.
template <class Plan, class Loop>
class TileRunner {
 public:
  explicit TileRunner(const Tiling<Plan, Loop>& tiling) noexcept
      : tiling_(tiling), plan_(tiling.plan) {}

  void run(int64 begin, int64 end) noexcept {
    int64 position[Plan::max_axes];
    int64 rest = begin;
    for (int a = 0; a < plan_.rank; ++a) {
      position[a] = rest % tiling_.counts[a];
      rest /= tiling_.counts[a];
    }
    for (int64 unit = begin; unit < end; ++unit) {
      run_tile(position);
      for (int a = 0; a < plan_.rank && ++position[a] == tiling_.counts[a]; ++a) position[a] = 0;
    }
    if (streams_of(tiling_.loop)) {
      lines_.flush();
      fence_stores();
    }
  }

 private:
  bool is_packed(int operand) const { return ((tiling_.packed >> operand) & 1u) != 0; }
  int64 row_stride(int operand) const {
    return tiling_.axis < plan_.rank ? plan_.strides[operand][tiling_.axis] : 0;
  }

  void run_tile(const int64* position) noexcept {
    const int64 n = minimum(tiling_.n, plan_.shape[0] - position[0] * tiling_.n);
    int64 rows = 1;
    if (tiling_.axis < plan_.rank) {
      rows =
          minimum(tiling_.rows, plan_.shape[tiling_.axis] - position[tiling_.axis] * tiling_.rows);
    }
    if (tiling_.strided != nullptr) return run_strided(position, n, rows);
    char* base[Plan::max_operands];
    char* data[Plan::max_operands];
    int64 steps[Plan::max_operands];
    const int64 pitch = tiling_.merged ? tiling_.pitch : n;
    for (int i = 0; i < plan_.operand_count; ++i) {
      base[i] = locate(i, position);
      data[i] = base[i];
      steps[i] = row_stride(i);
      if (!is_packed(i)) continue;
      const int buffer = tiling_.same_as[i];
      if (i >= outputs_of(plan_)) pack(buffer, base[i], n, rows, pitch);
      data[i] = buffers_[buffer];
      steps[i] = n * plan_.itemsize[i];
    }
    if (tiling_.merged) {
      compute(data, base, (rows - 1) * pitch + n);
    } else {
      for (int64 j = 0; j < rows; ++j) {
        compute(data, data, n);
        for (int i = 0; i < plan_.operand_count; ++i) data[i] += steps[i];
      }
    }
    for (int i = 0; i < outputs_of(plan_); ++i) {
      if (!is_packed(i)) continue;
      const int64 size = plan_.itemsize[i];
      copy_2d({base[i], plan_.strides[i][0], row_stride(i)}, {buffers_[i], size, pitch * size}, n,
              rows, size);
    }
  }

  void run_strided(const int64* position, int64 n, int64 rows) noexcept {
    char* data[Plan::max_operands];
    int64 steps[Plan::max_operands];
    for (int i = 0; i < plan_.operand_count; ++i) {
      data[i] = locate(i, position);
      steps[i] = plan_.strides[i][0];
    }
    for (int64 j = 0; j < rows; ++j) {
      tiling_.strided(data, steps, n);
      for (int i = 0; i < plan_.operand_count; ++i) data[i] += row_stride(i);
    }
  }

  void compute(char** data, char* const* in_place_data, int64 n) noexcept {
    const int64 nbytes = n * plan_.itemsize[0];
    if (tiling_.copies && nbytes >= tuning::min_streamed_chunk_bytes)
      return lines_.put(data[0], data[1], nbytes);
    call(tiling_.loop, data, in_place_data, tiling_.single, n);
  }

  char* locate(int operand, const int64* position) const noexcept {
    char* address = plan_.base(operand);
    for (int a = 0; a < plan_.rank; ++a) {
      const int64 step = a == 0 ? tiling_.n : a == tiling_.axis ? tiling_.rows : 1;
      address += position[a] * step * plan_.strides[operand][a];
    }
    return address;
  }

  void pack(int operand, char* source, int64 n, int64 rows, int64 pitch) noexcept {
    if (held_sources_[operand] == source && held_n_[operand] == n && held_rows_[operand] == rows)
      return;
    held_sources_[operand] = source;
    held_rows_[operand] = rows;
    held_n_[operand] = n;
    const int64 size = plan_.itemsize[operand];
    copy_2d({buffers_[operand], size, pitch * size},
            {source, plan_.strides[operand][0], row_stride(operand)}, n, rows, size);
  }

  const Tiling<Plan, Loop>& tiling_;
  const Plan& plan_;
  const char* held_sources_[Plan::max_operands] = {};
  int64 held_rows_[Plan::max_operands] = {};
  int64 held_n_[Plan::max_operands] = {};
  StreamedLines lines_;
  alignas(64) char buffers_[Plan::max_operands][buffer_bytes<Plan>];
};

template <class Plan, class Loop>
void run_range(void* context, std::int64_t begin, std::int64_t end) noexcept {
  const auto& tiles = *static_cast<const Tiling<Plan, Loop>*>(context);
  TileRunner<Plan, Loop>(tiles).run(begin, end);
}

template <class Plan, class Loop>
void run_one(const Plan& plan, const Loop& loop) noexcept {
  char* data[Plan::max_operands];
  for (int i = 0; i < plan.operand_count; ++i) data[i] = plan.base(i);
  call(loop, data, data, 0, 1);
}

/// Runs a plan of one axis without packed operands on this thread. Returns false for other plans.
template <class Plan, class Loop>
bool run_whole(const Plan& plan, const Loop& loop) noexcept {
  if (plan.rank != 1) return false;
  char* data[Plan::max_operands];
  unsigned single = 0;
  for (int i = 0; i < plan.operand_count; ++i) {
    const int64 step = plan.strides[i][0];
    if (step == 0) {
      single |= 1u << i;
    } else if (step != plan.itemsize[i]) {
      return false;
    }
    data[i] = plan.base(i);
  }
  if (!takes(loop, single)) return false;
  call(loop, data, data, single, plan.size);
  return true;
}

/// True if reversing axis 0 pays. If operands are read in place, it does only if the result has
/// smaller items than the input.
template <class Plan, class Loop>
bool needs_flip(const Plan& plan, const Loop& loop) noexcept {
  const bool is_read = strided_of(plan, loop) != nullptr && plan.itemsize[0] >= plan.itemsize[1];
  return !is_read && is_reversed(plan);
}

/// Runs the loop over the plan on this thread.
template <class Plan, class Loop>
void drive_here(const Plan& plan, const Loop& loop) noexcept {
  if (plan.rank == 0) return run_one(plan, loop);
  if (run_whole(plan, loop)) return;
  if (needs_flip(plan, loop)) return drive_here(flip_plan(plan), loop);
  Tiling<Plan, Loop> tiling(plan, loop);
  run_range<Plan, Loop>(&tiling, 0, tiling.units);
}

/// Runs the loop over the plan: splits it into tiles and spreads them over the thread pool.
template <class Plan, class Loop>
void drive(const Plan& plan, const Loop& loop) noexcept {
  if (plan.size * loop.cost < tuning::parallel_from) return drive_here(plan, loop);
  if (needs_flip(plan, loop)) return drive(flip_plan(plan), loop);
  Tiling<Plan, Loop> tiling(plan, loop);
  const int64 tile_cost = tiling.n * tiling.rows * loop.cost;
  cpu::parallel_for(tiling.units, maximum(tuning::parallel_from / 2 / tile_cost, 1),
                    run_range<Plan, Loop>, &tiling);
}

}  // namespace skerry::inline SKERRY_TARGET::kernels
