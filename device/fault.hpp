// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>

#include "core/device.hpp"

namespace skerry::detail {

/// True from the first call of fail_allocation on, and while allocations are announced or traced.
extern std::atomic<bool> counting_allocations;
[[nodiscard]] bool count_allocation_slow(Device device, std::size_t nbytes);

/// Called once by every allocation on every device; true if it must fail with OutOfMemoryError.
/// Announces the allocation if an observer requests that, and then throws what it throws. One
/// relaxed load in a process without fail_allocation and observers.
[[nodiscard]] inline bool count_allocation(Device device, std::size_t nbytes) {
  if (!counting_allocations.load(std::memory_order_relaxed)) [[likely]]
    return false;
  return count_allocation_slow(device, nbytes);
}

/// Turns announcements of allocations on or off.
void announce_allocations(bool is_on) noexcept;
/// Turns the trace of allocations on or off (device/memory_trace.hpp).
void trace_allocations(bool is_on) noexcept;

}  // namespace skerry::detail
