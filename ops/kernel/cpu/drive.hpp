// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/plan.hpp"
#include "ops/call/kernel.hpp"
#include "ops/kernel/cpu/tuning.hpp"

namespace skerry::inline SKERRY_TARGET::kernels {

/// Computes n elements. Operand i is one element if bit i of `single` is set, otherwise contiguous.
using loop_body = void (*)(char* const* data, unsigned single, int64 n) noexcept;

/// The same for operands with any strides, in bytes, along one axis.
using strided_body = void (*)(char* const* data, const int64* steps, int64 n) noexcept;

struct Loop {
  loop_body body;
  /// Bit p is set if the body accepts p as its argument `single`; bit 0 is always set.
  unsigned accepts;
  /// Cost of an element, relative to an addition; decides how many threads are used.
  int cost;
  /// True if the body copies, and the result is out of cache: non-temporal stores write it, and
  /// each thread ends with a fence.
  bool streams = false;
  int64 short_row = tuning::max_merged_row;  ///< shorter rows, in elements, are merged
  /// If not null, replaces packing where a step exceeds two items or the operands span at least
  /// `strided_from` bytes.
  strided_body strided = nullptr;
  int64 strided_from = 0;
};

/// Runs the loop over the plan: splits it into tiles and spreads them over the thread pool.
/// Operands that the body can't access in place are packed into a buffer, tile by tile.
void run_tiles(const Plan& plan, const Loop& loop) noexcept;

/// Same as run_tiles(), with a fast path for small contiguous work.
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

/// Sets the loop as the host form of a kernel.
template <const Loop& What>
void fill_loop(Kernel<Plan>& row) {
  row.set_host<run_loop<What>>();
  row.set_body(What.body, What.accepts);
}

}  // namespace skerry::inline SKERRY_TARGET::kernels
