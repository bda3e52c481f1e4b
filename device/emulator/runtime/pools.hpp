// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

namespace skerry::emulation {

/// Kind of memory that a pool allocates: of its device, or of the host at one address for all
/// devices.
enum class PoolMemory { device, pinned, managed };

/// A pool of the stream-ordered allocator: a handle with settings. All pools of a device allocate
/// from the same memory.
struct MemoryPool {
  int ordinal = 0;  ///< 0 for host memory
  bool is_default = false;
  PoolMemory memory = PoolMemory::device;
  std::atomic<std::uint64_t> host_bytes{0};  ///< host memory in use; 0 for device memory
  /// Attributes 1 to 4 of cudaMemPoolAttr: three kinds of reuse across streams, release threshold.
  std::array<std::atomic<std::uint64_t>, 4> settings{1, 1, 1, 0};
  std::atomic<std::uint64_t> peak_used{0};
};

[[nodiscard]] MemoryPool* default_pool(int ordinal) noexcept;
/// Returns the default pool of pinned or managed memory.
[[nodiscard]] MemoryPool* default_pool(PoolMemory memory) noexcept;
/// Throws bad_alloc.
[[nodiscard]] MemoryPool* add_pool(int ordinal, PoolMemory memory = PoolMemory::device);
/// False for default pools and for unknown handles.
[[nodiscard]] bool remove_pool(const void* handle) noexcept;
/// Returns null if there is no such pool.
[[nodiscard]] MemoryPool* find_pool(const void* handle) noexcept;

}  // namespace skerry::emulation
