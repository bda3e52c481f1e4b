// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/call/host_scratch.hpp"

#include <algorithm>

#include "device/cpu/thread_pool.hpp"
#include "device/memory.hpp"
#include "device/registry.hpp"

namespace skerry {

storage_ref host_scratch(device where, std::int64_t nbytes) {
  const bool native = where.kind == device_kind::cuda && !is_rehearsing();
  return allocate(where, native ? 0 : static_cast<std::size_t>(nbytes));
}

std::int64_t host_slots(std::int64_t count) noexcept {
  // A few for each thread even out rows of unequal cost.
  return std::min<std::int64_t>(count, 4 * std::int64_t{cpu::thread_count()});
}

}  // namespace skerry
