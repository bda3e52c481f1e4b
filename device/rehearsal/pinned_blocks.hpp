// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

#include "device/rehearsal/address_range.hpp"

namespace skerry::rehearsal {

/// How a host block was allocated.
struct HostUse {
  unsigned flags = 0;       ///< as passed by the caller
  bool is_managed = false;  ///< managed memory, which migrates between host and devices
  int ordinal = -1;         ///< device of managed memory; -1 for memory of the host
};

/// Pinned host memory and managed memory; both are treated the same here.
class PinnedBlocks {
 public:
  [[nodiscard]] int allocate(void** data, std::size_t nbytes) noexcept;
  [[nodiscard]] bool release(void* data) noexcept;
  /// Registers the caller's memory, which counts as pinned until removed. Returns a status.
  [[nodiscard]] int add(void* data, std::size_t nbytes) noexcept;
  [[nodiscard]] bool remove(void* data) noexcept;
  /// Returns the block that contains `data`.
  [[nodiscard]] MemoryBlock find(const void* data) noexcept;
  /// As find(), but also returns a block that ends at `data`, or in the page of `data` if no other
  /// memory is there.
  [[nodiscard]] MemoryBlock nearest(const void* data) noexcept;
  /// Sets the use of the block at `data`, once.
  void set_use(void* data, const HostUse& use) noexcept;
  /// Returns the use of the block that contains `data`; the default if there is none.
  [[nodiscard]] HostUse use_of(const void* data) noexcept;
  [[nodiscard]] bool contains(const void* data) noexcept { return static_cast<bool>(find(data)); }
  /// True if `nbytes` from `data` are inside one block.
  [[nodiscard]] bool covers(const void* data, std::size_t nbytes) noexcept;
  [[nodiscard]] std::size_t live_blocks() noexcept;
  [[nodiscard]] std::size_t live_bytes() noexcept;

 private:
  struct Block {
    std::size_t nbytes;
    bool is_callers;
    HostUse use{};
  };

  using entry = std::map<std::uintptr_t, Block>::value_type;

  [[nodiscard]] bool erase(void* data, bool is_callers) noexcept;
  /// Returns the last block that begins at or before `data`; null if there is none. Requires the
  /// lock.
  [[nodiscard]] const entry* last_before(const void* data) const noexcept;

  std::mutex mutex_;
  std::map<std::uintptr_t, Block> blocks_;
  std::size_t live_bytes_ = 0;
};

}  // namespace skerry::rehearsal
