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

/// Device memory that programs map themselves (cuMemCreate, cuMemMap): physical memory by handle,
/// reserved addresses, and mappings. Memory can be mapped several times, and each mapping lists the
/// devices that may access it.
class MappedMemory {
 public:
  /// Sizes and alignments of addresses are multiples of this.
  static constexpr std::size_t granularity = std::size_t{2} << 20;

  // These return a status: invalid_value if the arguments do not match the reservations and
  // mappings.

  [[nodiscard]] int reserve(void** data, std::size_t nbytes, std::size_t alignment) noexcept;
  /// Frees a whole reservation without mappings.
  [[nodiscard]] int free_addresses(void* data, std::size_t nbytes) noexcept;
  /// Creates memory of a device; returns memory_allocation if it would exceed `limit`.
  [[nodiscard]] int create(std::uint64_t* handle, int ordinal, std::size_t nbytes,
                           std::size_t limit) noexcept;
  /// Adds a reference to the handle of the memory mapped at `data`.
  [[nodiscard]] int retain(std::uint64_t* handle, const void* data) noexcept;
  /// Drops a reference to a handle; the memory lives while it is referenced or mapped.
  [[nodiscard]] int release(std::uint64_t handle) noexcept;
  [[nodiscard]] int map(void* data, std::size_t nbytes, std::uint64_t handle) noexcept;
  /// Unmaps whole, adjacent mappings that no work uses.
  [[nodiscard]] int unmap(void* data, std::size_t nbytes) noexcept;
  /// Allows or forbids access by kernels of `reader` to whole, adjacent mappings.
  [[nodiscard]] int set_access(void* data, std::size_t nbytes, int reader, bool may) noexcept;

  /// True if `data` is a reserved address, mapped or not.
  [[nodiscard]] bool contains(const void* data) const noexcept;
  /// Returns the device whose memory is mapped at `data`; -1 if none.
  [[nodiscard]] int owner(const void* data) const noexcept;
  [[nodiscard]] int owner_of(std::uint64_t handle) const noexcept;
  /// True if `nbytes` from `data` are in mappings that some device may access.
  [[nodiscard]] bool covers(const void* data, std::size_t nbytes) const noexcept;
  /// Returns the mapping that contains `data`.
  [[nodiscard]] MemoryBlock find(const void* data) const noexcept;
  [[nodiscard]] bool may_access(int reader, const void* data) const noexcept;
  /// Returns the live bytes of a device's created memory.
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
  /// Returns the mappings that exactly fill [data, data + nbytes), as first and past-the-last; end
  /// twice if they do not.
  [[nodiscard]] std::pair<mappings::iterator, mappings::iterator> filling(
      const void* data, std::size_t nbytes) noexcept;

  mutable std::shared_mutex mutex_;
  std::atomic<bool> is_used_{false};  ///< avoids the lock in programs that map nothing
  std::map<std::uintptr_t, std::size_t> reserved_;
  mappings mapped_;
  std::unordered_map<std::uint64_t, HandleUses> handles_;
  std::uint64_t next_handle_ = 1;
  std::array<std::atomic<std::size_t>, max_devices> live_bytes_{};
};

}  // namespace skerry::rehearsal
