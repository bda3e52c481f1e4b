// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/call/host_scratch.hpp"

#include <algorithm>

#include "device/backend.hpp"
#include "device/cpu/thread_pool.hpp"
#include "device/memory.hpp"

namespace skerry {

StorageRef host_scratch(Device device, std::int64_t nbytes) {
  const bool is_native =
      !is_host(device) && capabilities_of(device).kernel_form == KernelForm::native;
  return allocate(device, is_native ? 0 : static_cast<std::size_t>(nbytes));
}

std::int64_t host_slots(std::int64_t count) noexcept {
  // A few for each thread even out rows of unequal cost.
  return std::min<std::int64_t>(count, 4 * std::int64_t{cpu::thread_count()});
}

}  // namespace skerry
