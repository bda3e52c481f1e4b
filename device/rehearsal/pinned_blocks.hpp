// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

#include "device/rehearsal/address_range.hpp"

namespace skerry::rehearsal {

/// What a block of the host's was made for.
struct HostUse {
  unsigned flags = 0;       ///< as it was asked for with
  bool is_managed = false;  ///< the system moves it between host and devices
};

/// Pinned host memory, and managed memory, which is the same here.
class PinnedBlocks {
 public:
  [[nodiscard]] int allocate(void** data, std::size_t nbytes) noexcept;
  [[nodiscard]] bool release(void* data) noexcept;
  /// Memory of the caller's, which counts as pinned until it is removed. A status.
  [[nodiscard]] int add(void* data, std::size_t nbytes) noexcept;
  [[nodiscard]] bool remove(void* data) noexcept;
  /// The block that `data` points into.
  [[nodiscard]] MemoryBlock find(const void* data) noexcept;
  /// Says what the block at `data` is for; nothing was said of it before.
  void set_use(void* data, const HostUse& use) noexcept;
  /// For the block that `data` points into.
  [[nodiscard]] HostUse use_of(const void* data) noexcept;
  [[nodiscard]] bool contains(const void* data) noexcept { return static_cast<bool>(find(data)); }
  /// Whether `nbytes` from `data` lie inside one block.
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
  /// The last of the blocks that begin at `data` or before; null if none does. Lock held.
  [[nodiscard]] const entry* last_before(const void* data) const noexcept;

  std::mutex mutex_;
  std::map<std::uintptr_t, Block> blocks_;
  std::size_t live_bytes_ = 0;
};

}  // namespace skerry::rehearsal
