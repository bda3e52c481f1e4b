// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config.hpp"

namespace skerry::inline SKERRY_TARGET::kernels {

/// Whether more operands lie backwards along axis 0, as x[::-1] does, than forwards: turned round,
/// the others are packed instead of them.
template <class Plan>
bool lies_backwards(const Plan& work) noexcept {
  int backwards = 0;
  for (int i = 0; i < work.operand_count; ++i) {
    const int64 step = work.strides[i][0];
    backwards += (step == -work.itemsize[i] ? 1 : 0) - (step == work.itemsize[i] ? 1 : 0);
  }
  return backwards > 0;
}

/// Where axis 0 begins at its other end.
template <class Plan>
Plan turned_round(const Plan& work) noexcept {
  Plan turned = work;
  for (int i = 0; i < work.operand_count; ++i) {
    const int64 step = work.strides[i][0];
    if (step != 0) turned.data[i] += step * (work.shape[0] - 1);
    turned.strides[i][0] = -step;
  }
  return turned;
}

}  // namespace skerry::inline SKERRY_TARGET::kernels
