// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cpu/thread_pool.hpp"
#include "ops/kernel/cpu/drive.hpp"
#include "ops/kernel/cpu/memory.hpp"
#include "ops/kernel/cpu/stream.hpp"
#include "ops/kernel/cpu/tuning.hpp"

// Splits a plan into tiles. A tile has n by rows elements, along axis 0 and a second axis. An
// operand that is strided along axis 0 is packed into a buffer in L1. If it is contiguous along
// another axis, that axis becomes the second one, and packing is a transpose. If axis 0 is short,
// the rows of a tile are merged into one run, so that the body is called once per tile instead of
// once per row. A fused pass calls many bodies and therefore merges longer rows, too: if its inputs
// have the same small gap between rows, it also computes the elements in the gaps, into buffers,
// and drops them.

namespace skerry::inline SKERRY_TARGET::kernels {

/// Size of an operand's buffer, in bytes.
template <class Plan>
inline constexpr int64 buffer_bytes = tuning::transposed_tile_bytes;

// Properties of plans and loops for the driver; ops/fuse/cpu overloads these functions for passes.
inline constexpr int outputs_of(const Plan&) noexcept { return 1; }
inline bool takes(const Loop& loop, unsigned single) noexcept {
  return ((loop.accepts >> single) & 1u) != 0;
}
/// Returns the number of elements of a tile without packed operands.
inline int64 direct_tile(const Loop& loop) noexcept {
  return maximum(tuning::direct_tile_size / loop.cost, 1024);
}
inline bool streams_of(const Loop& loop) noexcept { return loop.streams; }
/// Returns the body that reads operands in place, or null if packing them is faster.
inline strided_body strided_of(const Plan& plan, const Loop& loop) noexcept {
  if (loop.strided == nullptr || loop.strided_from == 0) return loop.strided;
  int64 spanned = 0;
  for (int i = 0; i < plan.operand_count; ++i) {
    const int64 step = magnitude(plan.strides[i][0]);
    if (i > 0 && step > 2 * plan.itemsize[i]) return loop.strided;
    spanned += plan.size * maximum(step, plan.itemsize[i]);
  }
  return spanned < loop.strided_from ? nullptr : loop.strided;
}
/// Returns the maximum length, in elements, of rows that are merged across gaps.
inline constexpr int64 bridged_row(const Loop&) noexcept { return 0; }
/// Calls the body. Passes also use the third argument: addresses in the operands, not in buffers.
inline void call(const Loop& loop, char* const* data, char* const*, unsigned single,
                 int64 n) noexcept {
  loop.body(data, single, n);
}

template <class Plan, class Loop>
struct Tiling {
  const Plan& plan;
  const Loop& loop;
  int axis = 1;                     ///< second axis of a tile; none if not below the plan's rank
  int64 n = 1;                      ///< along axis 0
  int64 rows = 1;                   ///< along `axis`
  unsigned single = 0;              ///< set of operands passed to the body as single elements
  unsigned packed = 0;              ///< set of operands that are packed into a buffer
  bool merged = false;              ///< the rows of a tile form one run
  int64 pitch = 0;                  ///< from one row to the next, in elements
  bool copies = false;              ///< the result is written with non-temporal stores
  bool transposes = false;          ///< some operand is contiguous along `axis`, not along axis 0
  strided_body strided = nullptr;   ///< reads and writes all operands in place
  int same_as[Plan::max_operands];  ///< the first input that is the same view, as in x * x
  int64 counts[Plan::max_axes];
  int64 units = 1;

  Tiling(const Plan& tiled_plan, const Loop& tiled_loop) noexcept
      : plan(tiled_plan), loop(tiled_loop) {
    choose_axis();
    choose_pitch();
    classify();
    copies = streams_of(loop) && single == 0 && (packed & 1u) == 0;
    choose_extents();
    find_same();
    for (int a = 0; a < plan.rank; ++a) {
      const int64 step = a == 0 ? n : a == axis ? rows : 1;
      counts[a] = ceil_div(plan.shape[a], step);
      units *= counts[a];
    }
  }

 private:
  int64 stride(int operand, int a) const { return plan.strides[operand][a]; }
  bool is_unit(int operand) const { return stride(operand, 0) == plan.itemsize[operand]; }

  void choose_axis() noexcept {
    for (int i = 0; i < plan.operand_count; ++i) {
      if (is_unit(i) || stride(i, 0) == 0) continue;
      for (int a = 1; a < plan.rank; ++a) {
        if (stride(i, a) == plan.itemsize[i]) {
          axis = a;
          transposes = true;
          return;
        }
      }
    }
  }

  void choose_pitch() noexcept {
    const int64 row = plan.shape[0];
    // Merged rows are packed row by row, which is slower than a transpose for longer rows.
    merged = plan.rank > 1 && row < (transposes ? minimum(loop.short_row, 32) : loop.short_row);
    pitch = row;
    if (plan.rank < 2 || transposes || row > bridged_row(loop)) return;
    int inputs = 0;
    int matching_inputs = 0;
    for (int i = outputs_of(plan); i < plan.operand_count; ++i) {
      const int64 step = stride(i, axis);
      if (stride(i, 0) == 0 && step == 0) continue;
      ++inputs;
      if (!is_unit(i)) continue;
      const int64 gap = step - row * plan.itemsize[i];
      if (matching_inputs == 0 && gap > 0 && gap % plan.itemsize[i] == 0 &&
          2 * gap <= row * plan.itemsize[i]) {
        pitch = step / plan.itemsize[i];
      }
      if (pitch > row && step == pitch * plan.itemsize[i]) ++matching_inputs;
    }
    if (2 * matching_inputs < inputs) pitch = row;
    merged = merged || pitch > row;
  }

  void find_same() noexcept {
    for (int i = 0; i < plan.operand_count; ++i) {
      same_as[i] = i;
      for (int other = i - 1; other >= outputs_of(plan); --other) {
        if (is_same(i, other)) same_as[i] = other;
      }
    }
  }

  bool is_same(int i, int other) const {
    bool same = !plan.is_value(i) && plan.data[i] == plan.data[other] &&
                plan.itemsize[i] == plan.itemsize[other];
    for (int a = 0; same && a < plan.rank; ++a) same = stride(i, a) == stride(other, a);
    return same;
  }

  bool has_tile_layout(int operand) const {
    if (!is_unit(operand)) return false;
    if (merged && pitch > plan.shape[0] && operand < outputs_of(plan)) return false;
    return !merged || stride(operand, axis) == pitch * plan.itemsize[operand];
  }

  void classify() noexcept {
    for (int i = 0; i < plan.operand_count; ++i) {
      const bool repeats = stride(i, 0) == 0 && (!merged || stride(i, axis) == 0);
      if (i >= outputs_of(plan) && repeats) {
        single |= 1u << i;
      } else if (!has_tile_layout(i)) {
        packed |= 1u << i;
      }
    }
    while (!takes(loop, single)) {
      packed |= single & -single;
      single &= single - 1;
    }
    if (packed > 1 && !merged) strided = strided_of(plan, loop);
    if (strided != nullptr) {
      packed = 0;
      single = 0;
    }
  }

  void choose_extents() noexcept {
    // A transpose reads and writes 512 bytes at a time. Other tiles extend along rows as much as
    // possible, since short segments of many rows would compete for the same cache sets.
    const bool is_transpose = (packed != 0 || strided != nullptr) && transposes && !merged;
    int64 max_item_bytes = 1;
    for (int i = 0; i < plan.operand_count; ++i) {
      max_item_bytes = maximum(max_item_bytes, plan.itemsize[i]);
      // Count the gaps, too: other operands may read the same lines, as in x[::3] + x[1::3].
      const bool steps = ((packed >> i) & 1u) != 0 && !is_transpose;
      if (steps) max_item_bytes = maximum(max_item_bytes, minimum(magnitude(stride(i, 0)), 64));
    }
    const int64 bytes = is_transpose ? buffer_bytes<Plan> : tuning::packed_tile_bytes;
    const bool is_buffered = packed != 0 || is_transpose;
    const int64 capacity = is_buffered ? bytes / max_item_bytes : direct_tile(loop);
    const int64 max_extent = is_transpose ? maximum(512 / max_item_bytes, 32) : capacity;
    n = minimum(plan.shape[0], max_extent);
    const int64 row = merged ? pitch : n;
    if (axis < plan.rank) rows = minimum(plan.shape[axis], maximum(capacity / row, 1));
  }
};

}  // namespace skerry::inline SKERRY_TARGET::kernels
