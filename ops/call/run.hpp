// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "core/plan.hpp"
#include "core/scalar_conversion.hpp"
#include "core/storage.hpp"
#include "device/stream.hpp"
#include "ops/call/operand_list.hpp"
#include "ops/call/operands.hpp"
#include "ops/call/promotion.hpp"

namespace skerry {

namespace detail {
/// Launches the kernel and records how it uses memory, which only devices other than a CPU need.
/// Not inlined, to keep the CPU's path short.
[[gnu::noinline]] void launch_with_uses(Device device, const AnyKernel& kernel, const Plan& plan,
                                        const StorageRef& out, std::span<const Operand> operands);
}  // namespace detail

/// True if the operands form a run that fits one part of a plan, for any item size.
[[nodiscard]] inline bool is_one_part(const Common& common) noexcept {
  const auto limit = static_cast<std::uint64_t>(index_limit(common.device));
  return common.run_size > 0 &&
         static_cast<std::uint64_t>(common.run_size) < limit / sizeof(Element);
}

/// Launches an elementwise kernel over a run (see common_of()) that fits one part of a plan. The
/// output's elements of `width` bytes begin at byte `offset` of `out`. Always inlined: a function
/// call would be measurable in `a + b`.
[[gnu::always_inline]] inline void launch_run(const Kernel<Plan>& kernel, const Common& common,
                                              const StorageRef& out, std::int64_t offset,
                                              std::int64_t width,
                                              std::span<const Operand> operands) {
  Plan plan = OperandList::make_run(common.run_size);
  OperandList::add_to_run(plan, out->data() + offset, width);
  const std::int64_t input_width = itemsize(common.type);
  for (const Operand& operand : operands) {
    if (operand.array != nullptr) {
      OperandList::add_to_run(plan, operand.array->data(), input_width);
    } else {
      const Element value = to_element(*operand.value, common.type);
      OperandList::add_to_run(plan, PlannedElement{value, input_width});
    }
  }
  // On a CPU, the work is complete when launch returns.
  if (is_host(common.device)) [[likely]]
    return launch(common.device, kernel.untyped(), plan, {});
  detail::launch_with_uses(common.device, kernel.untyped(), plan, out, operands);
}

}  // namespace skerry
