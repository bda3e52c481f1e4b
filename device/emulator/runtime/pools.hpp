// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

namespace skerry::emulation {

/// What a pool gives: memory of its device, or of the host, which is at one address for all.
enum class PoolMemory { device, pinned, managed };

/// A pool of the stream-ordered allocator: a name for a device's memory, and what it was told. All
/// pools of a device give of the same.
struct MemoryPool {
  int ordinal = 0;  ///< 0 for the host's memory
  bool is_default = false;
  PoolMemory memory = PoolMemory::device;
  std::atomic<std::uint64_t> host_bytes{0};  ///< given and not freed
  /// Whether freed memory is used again across streams, in three cases; what is kept at least.
  std::array<std::atomic<std::uint64_t>, 4> settings{1, 1, 1, 0};
  std::atomic<std::uint64_t> peak_used{0};
};

[[nodiscard]] MemoryPool* default_pool(int ordinal) noexcept;
/// For the host's memory.
[[nodiscard]] MemoryPool* default_pool(PoolMemory memory) noexcept;
/// Throws bad_alloc.
[[nodiscard]] MemoryPool* add_pool(int ordinal, PoolMemory memory = PoolMemory::device);
/// False for a default pool, and for what is none.
[[nodiscard]] bool remove_pool(const void* handle) noexcept;
/// Null if there is no such pool.
[[nodiscard]] MemoryPool* find_pool(const void* handle) noexcept;

}  // namespace skerry::emulation
