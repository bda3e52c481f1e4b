// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

// What pools of memory keep account of, and what they do and say when memory runs out.

namespace skerry {

struct MemoryStatistics {
  std::size_t live_bytes = 0;  ///< in arrays now
  std::size_t live_blocks = 0;
  std::size_t peak_bytes = 0;    ///< most that was ever live
  std::size_t cached_bytes = 0;  ///< held by the pool, not in arrays
  std::size_t limit_bytes = SIZE_MAX;
  std::uint64_t allocations = 0;         ///< since start
  std::uint64_t system_allocations = 0;  ///< of them, that went to the driver or the system
};

/// Called when memory runs out, before the last try: collects garbage that may hold arrays.
void set_garbage_collector(void (*collect)() noexcept) noexcept;
/// Calls what set_garbage_collector was given.
void collect_garbage() noexcept;

/// "512 bytes", "8.00 GiB": for messages.
[[nodiscard]] std::string byte_text(std::size_t nbytes);

}  // namespace skerry
