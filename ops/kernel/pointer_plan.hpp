// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "core/config.hpp"
#include "core/plan.hpp"

namespace skerry {

/// A plan over pointers that it does not record: for kernels, whose launch has already recorded
/// them, and for tests. Front ends must not include it.
class PointerPlan : public Plan {
 public:
  SKERRY_INLINE PointerPlan() noexcept {}
  SKERRY_INLINE explicit PointerPlan(std::int64_t count) noexcept : Plan(count) {}
  using Plan::add;

  [[nodiscard]] static PlanParts parts(const Dims& shape, std::span<const PlanOperand> operands,
                                       std::int64_t index_limit = INT64_MAX) {
    return {shape, operands, index_limit};
  }
};

}  // namespace skerry
