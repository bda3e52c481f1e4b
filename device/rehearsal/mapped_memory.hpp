// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <shared_mutex>
#include <unordered_map>
#include <utility>

#include "device/rehearsal/address_range.hpp"
#include "device/rehearsal/settings.hpp"

namespace skerry::rehearsal {

/// Memory of devices that programs put at addresses themselves (cuMemCreate, cuMemMap): physical
/// memory by handles, reserved addresses, and what is mapped where. One piece of memory can be
/// mapped several times, and each mapping says which devices may access it.
class MappedMemory {
 public:
  /// What sizes, and alignments of addresses, are multiples of.
  static constexpr std::size_t granularity = std::size_t{2} << 20;

  // All give a status: invalid_value where the arguments don't fit what there is.

  [[nodiscard]] int reserve(void** data, std::size_t nbytes, std::size_t alignment) noexcept;
  /// For a whole reservation, in which nothing is mapped.
  [[nodiscard]] int free_addresses(void* data, std::size_t nbytes) noexcept;
  /// Memory of a device; memory_allocation beyond `limit`.
  [[nodiscard]] int create(std::uint64_t* handle, int ordinal, std::size_t nbytes,
                           std::size_t limit) noexcept;
  /// One more use of the handle of what is mapped at `data`.
  [[nodiscard]] int retain(std::uint64_t* handle, const void* data) noexcept;
  /// Ends one use of a handle; the memory lives as long as it has one, or is mapped.
  [[nodiscard]] int release(std::uint64_t handle) noexcept;
  [[nodiscard]] int map(void* data, std::size_t nbytes, std::uint64_t handle) noexcept;
  /// For whole mappings, one after the other; no work uses them.
  [[nodiscard]] int unmap(void* data, std::size_t nbytes) noexcept;
  /// Whether kernels of `reader` may access whole mappings, one after the other.
  [[nodiscard]] int set_access(void* data, std::size_t nbytes, int reader, bool may) noexcept;

  /// Whether `data` is a reserved address, mapped or not.
  [[nodiscard]] bool contains(const void* data) const noexcept;
  /// Whose memory is mapped at `data`; -1 if none is.
  [[nodiscard]] int owner(const void* data) const noexcept;
  [[nodiscard]] int owner_of(std::uint64_t handle) const noexcept;
  /// Whether `nbytes` from `data` lie in mappings that a device may access.
  [[nodiscard]] bool covers(const void* data, std::size_t nbytes) const noexcept;
  /// The mapping that `data` points into.
  [[nodiscard]] MemoryBlock find(const void* data) const noexcept;
  [[nodiscard]] bool may_access(int reader, const void* data) const noexcept;
  /// What was created of a device's memory and is not gone.
  [[nodiscard]] std::size_t live_bytes(int ordinal) const noexcept {
    return live_bytes_[static_cast<std::size_t>(ordinal)].load();
  }

 private:
  struct Physical;
  struct Mapping {
    std::size_t nbytes;
    std::shared_ptr<Physical> memory;
    std::bitset<max_devices> readers;
  };
  struct HandleUses {
    std::shared_ptr<Physical> memory;
    std::size_t count;
  };
  using mappings = std::map<std::uintptr_t, Mapping>;

  [[nodiscard]] const Mapping* find_mapping(const void* data,
                                            std::uintptr_t* begin = nullptr) const noexcept;
  [[nodiscard]] bool is_reserved(std::uintptr_t begin, std::size_t nbytes) const noexcept;
  /// For the mappings that fill [data, data + nbytes), the first and what follows the last; the end
  /// twice if none do.
  [[nodiscard]] std::pair<mappings::iterator, mappings::iterator> filling(
      const void* data, std::size_t nbytes) noexcept;

  mutable std::shared_mutex mutex_;
  std::atomic<bool> is_used_{false};  ///< most programs ask, and have none
  std::map<std::uintptr_t, std::size_t> reserved_;
  mappings mapped_;
  std::unordered_map<std::uint64_t, HandleUses> handles_;
  std::uint64_t next_handle_ = 1;
  std::array<std::atomic<std::size_t>, max_devices> live_bytes_{};
};

}  // namespace skerry::rehearsal
