// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/plan.hpp"
#include "ops/call/kernel.hpp"
#include "ops/kernel/cpu/tuning.hpp"

namespace skerry::inline SKERRY_TARGET::kernels {

/// Computes n elements. Every operand is contiguous, except those that the loop accepts as single
/// elements (bit i of `single` for operand i).
using loop_body = void (*)(char* const* data, unsigned single, int64 n) noexcept;

/// The same for operands at any steps, in bytes, along the one axis.
using strided_body = void (*)(char* const* data, const int64* steps, int64 n) noexcept;

struct Loop {
  loop_body body;
  /// Bit p is set if the body takes the set p of single operands; bit 0 always is.
  unsigned accepts;
  /// Cost of an element in units of an addition, for the decision to go parallel.
  int cost;
  /// The body copies, and its result is too large for the caches: what is stored past them is
  /// fenced by every thread when it is done.
  bool streams = false;
  int64 short_row = tuning::max_merged_row;  ///< elements from which on rows are not merged
  /// Instead of packing operands, if there is one: where steps are longer than two items, or so
  /// many bytes lie between first and last items.
  strided_body strided = nullptr;
  int64 strided_from = 0;
};

/// Runs the loop over the plan: cut into tiles, which are spread over the pool; operands that the
/// body can't take as they lie are packed into a buffer, tile by tile.
void run_tiles(const Plan& plan, const Loop& loop) noexcept;

/// As run_tiles, short for work that is small or one contiguous run.
SKERRY_INLINE void run(const Plan& plan, const Loop& loop) noexcept {
  if (plan.contiguous && plan.size * loop.cost < tuning::parallel_from) {
    return loop.body(plan.data, 0, plan.size);
  }
  run_tiles(plan, loop);
}

template <const Loop& What>
void run_loop(const Plan& plan) {
  run(plan, What);
}

/// Makes a kernel of a loop.
template <const Loop& What>
void fill_loop(Kernel<Plan>& row) {
  row.set_host<run_loop<What>>();
  row.set_body(What.body, What.accepts);
}

}  // namespace skerry::inline SKERRY_TARGET::kernels
