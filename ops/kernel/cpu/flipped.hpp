// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config.hpp"

namespace skerry::inline SKERRY_TARGET::kernels {

/// True if more operands are contiguous backwards along axis 0, as x[::-1] is, than forwards.
/// Reversing the axis then leaves fewer operands to pack.
template <class Plan>
bool is_reversed(const Plan& plan) noexcept {
  int backwards = 0;
  for (int i = 0; i < plan.operand_count; ++i) {
    const int64 step = plan.strides[i][0];
    backwards += (step == -plan.itemsize[i] ? 1 : 0) - (step == plan.itemsize[i] ? 1 : 0);
  }
  return backwards > 0;
}

/// Returns the plan with axis 0 reversed.
template <class Plan>
Plan flip_plan(const Plan& plan) noexcept {
  Plan flipped_plan = plan;
  for (int i = 0; i < plan.operand_count; ++i) {
    const int64 step = plan.strides[i][0];
    if (step != 0) flipped_plan.data[i] += step * (plan.shape[0] - 1);
    flipped_plan.strides[i][0] = -step;
  }
  return flipped_plan;
}

}  // namespace skerry::inline SKERRY_TARGET::kernels
