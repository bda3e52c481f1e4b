// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/call/run.hpp"

namespace skerry {

void detail::launch_with_uses(Device device, const AnyKernel& kernel, const Plan& plan,
                              const StorageRef& out, std::span<const Operand> operands) {
  MemoryUse used[Plan::max_operands];
  used[0] = writes(out);
  std::size_t count = 1;
  for (const Operand& operand : operands) {
    if (operand.array != nullptr) used[count++] = reads(*operand.array);
  }
  launch(device, kernel, plan, {used, count});
}

}  // namespace skerry
