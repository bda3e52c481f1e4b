// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/call/host_scratch.hpp"

#include <algorithm>

#include "device/backend.hpp"
#include "device/cpu/thread_pool.hpp"
#include "device/memory.hpp"

namespace skerry {

StorageRef host_scratch(Device device, std::int64_t nbytes) {
  return allocate(device, runs_on_host(device) ? static_cast<std::size_t>(nbytes) : 0);
}

std::int64_t host_slots(std::int64_t count) noexcept {
  // Several parts per thread balance rows of unequal cost.
  return std::min<std::int64_t>(count, 4 * std::int64_t{cpu::thread_count()});
}

bool keeps_threads_busy(std::int64_t count) noexcept {
  return count >= 2 * std::int64_t{cpu::thread_count()};
}

std::int64_t cache_block_bytes(Device device, std::int64_t nbytes) noexcept {
  return capabilities_of(device).runs_later ? INT64_MAX : nbytes;
}

}  // namespace skerry
