// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "device/emulator/execute/launch.hpp"

namespace skerry::emulation {

/// The heap of malloc in kernels, one per device, kept between launches. Freed memory is reused as
/// late as possible, so that uses after free are found. Thread-safe.
class DeviceHeap {
 public:
  explicit DeviceHeap(std::size_t nbytes) noexcept : nbytes_(nbytes) {}
  DeviceHeap(const DeviceHeap&) = delete;
  DeviceHeap& operator=(const DeviceHeap&) = delete;
  ~DeviceHeap();

  /// Sets the size; returns false if the heap is already in use.
  [[nodiscard]] bool resize(std::size_t nbytes);
  /// Returns memory filled with poison and aligned to 16 bytes; 0 if there is no room.
  [[nodiscard]] std::uint64_t allocate(std::uint64_t nbytes);
  /// Returns an error text; empty on success.
  [[nodiscard]] std::string release(std::uint64_t address);

  /// True for any address of the heap, allocated or not.
  [[nodiscard]] bool contains(std::uint64_t address) const noexcept {
    const std::uint64_t begin = begin_.load(std::memory_order_relaxed);
    return begin != 0 && address - begin < nbytes_;
  }
  /// Returns the live block that contains `address`, or an empty allocation.
  [[nodiscard]] Allocation find(std::uint64_t address) const;
  /// Describes an address of the heap, for a report.
  [[nodiscard]] MemoryNear nearest(std::uint64_t address) const;
  [[nodiscard]] std::size_t size() const noexcept { return nbytes_; }
  /// Returns the number of live blocks.
  [[nodiscard]] std::size_t blocks() const;

 private:
  struct BlockState {
    std::uint64_t requested_nbytes = 0;
    bool is_free = false;
  };
  [[nodiscard]] std::optional<std::uint64_t> take(std::uint64_t start, std::uint64_t nbytes);
  [[nodiscard]] const std::pair<const std::uint64_t, BlockState>* preceding_block(
      std::uint64_t address) const;

  [[nodiscard]] bool map();

  std::atomic<std::uint64_t> begin_ = 0;  ///< 0 before the first allocation
  std::uint64_t nbytes_;
  std::uint64_t next_ = 0;  ///< offset where the next search for free memory begins
  std::map<std::uint64_t, BlockState> blocks_;  ///< freed blocks stay until their bytes are reused
  mutable std::mutex mutex_;
};

}  // namespace skerry::emulation
