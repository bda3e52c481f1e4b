// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/call/enqueue.hpp"

#include <string>

#include "core/errors.hpp"
#include "device/backend.hpp"
#include "device/stream.hpp"
#include "ops/call/device_dtypes.hpp"
#include "ops/call/operand_list.hpp"

namespace skerry {

constinit std::atomic<std::int64_t> detail::native_index_limit{index_limit_32bit};

void KernelCall::enqueue(const Kernel<Plan>& kernel) const {
  PlanParts parts = OperandList::make_parts(
      *shape_, {operands_, static_cast<std::size_t>(operand_count_)}, index_limit(device_));
  const std::span<const MemoryUse> uses(uses_, static_cast<std::size_t>(use_count_));
  parts.for_each([&](const Plan& plan) { launch(device_, kernel.untyped(), plan, uses); });
}

const AnyKernel& require_form(const AnyKernel& entry, Dtype type, Device device) {
  require_dtype(device, type);
  if (has_form(entry, device)) return entry;
  throw NotImplementedError(std::string("this build has no kernel for ") + name(type) + " on " +
                            to_string(device) +
                            "; build with SKERRY_DTYPES=all, or convert with astype");
}

void set_index_limit(std::int64_t nbytes) noexcept { detail::native_index_limit.store(nbytes); }

}  // namespace skerry
