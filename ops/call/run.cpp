// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/call/run.hpp"

#include <cstdint>

#include "core/layout.hpp"
#include "core/ndarray.hpp"

namespace skerry {

void detail::launch_with_uses(Device device, const AnyKernel& kernel, const Plan& plan,
                              const StorageRef& out, std::span<const Operand> operands) {
  // The output is one run of bytes. A simulation that checks accesses needs to know which.
  const std::int64_t nbytes = plan.size * plan.itemsize[0];
  const NdArray written(
      out, Layout{.shape = {nbytes}, .strides = {1}, .offset = plan.data[0] - out->data()},
      Dtype::uint8);
  MemoryUse used[Plan::max_operands];
  used[0] = writes(written);
  std::size_t count = 1;
  for (const Operand& operand : operands) {
    if (operand.array != nullptr) used[count++] = reads(*operand.array);
  }
  launch(device, kernel, plan, {used, count});
}

}  // namespace skerry
