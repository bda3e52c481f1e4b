// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

namespace skerry::detail {

/// True from the first call of fail_allocation on.
extern std::atomic<bool> counting_allocations;
[[nodiscard]] bool count_allocation_slow() noexcept;

/// Called once by every allocation on every device; true if it must fail with OutOfMemoryError. One
/// relaxed load in a process that never called fail_allocation.
[[nodiscard]] inline bool count_allocation() noexcept {
  if (!counting_allocations.load(std::memory_order_relaxed)) [[likely]]
    return false;
  return count_allocation_slow();
}

}  // namespace skerry::detail
