// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/call/enqueue.hpp"

#include <string>

#include "core/errors.hpp"
#include "device/backend.hpp"
#include "device/stream.hpp"

namespace skerry {

constinit std::atomic<std::int64_t> detail::max_index_limit{INT64_MAX};

void KernelCall::enqueue(const AnyKernel& kernel) const {
  PlanParts parts(*shape_, {operands_, static_cast<std::size_t>(operand_count_)},
                  index_limit(device_));
  const std::span<const MemoryUse> uses(uses_, static_cast<std::size_t>(use_count_));
  parts.for_each([&](const Plan& plan) { launch(device_, kernel, plan, uses); });
}

const AnyKernel& require_form(const char* op, const AnyKernel& entry, Dtype type, Device device) {
  const bool is_native =
      !is_host(device) && capabilities_of(device).kernel_form == KernelForm::native;
  if (is_native ? entry.native != nullptr : entry.host != nullptr) return entry;
  throw NotImplementedError(std::string(op) + ": this build has no kernel for " + name(type) +
                            " on " + to_string(device) +
                            "; build with SKERRY_DTYPES=all, or convert with astype");
}

void set_index_limit(std::int64_t nbytes) noexcept { detail::max_index_limit.store(nbytes); }

}  // namespace skerry
