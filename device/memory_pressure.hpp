// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

// Statistics of memory pools, and their common actions and texts when memory runs out.

namespace skerry {

struct MemoryStatistics {
  std::size_t live_bytes = 0;  ///< in arrays now
  std::size_t live_blocks = 0;
  std::size_t peak_bytes = 0;    ///< maximum of live_bytes
  std::size_t cached_bytes = 0;  ///< in the pool, not in arrays
  std::size_t limit_bytes = SIZE_MAX;
  std::uint64_t allocations = 0;         ///< since start
  std::uint64_t system_allocations = 0;  ///< those that called the driver or the system
};

/// Sets the function that collects garbage that may hold arrays; called when memory runs out,
/// before the last attempt.
void set_garbage_collector(void (*collect)() noexcept) noexcept;
/// Calls the function set by set_garbage_collector().
void collect_garbage() noexcept;

/// Formats a size for messages: "512 bytes", "8.00 GiB".
[[nodiscard]] std::string byte_text(std::size_t nbytes);

}  // namespace skerry
