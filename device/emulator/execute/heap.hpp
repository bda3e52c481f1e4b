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

/// What malloc in a kernel takes memory from: a device's, from one launch to the next. Bytes that
/// were freed are given again as late as possible, so that who uses them still is found.
/// Thread-safe.
class DeviceHeap {
 public:
  explicit DeviceHeap(std::size_t nbytes) noexcept : nbytes_(nbytes) {}
  DeviceHeap(const DeviceHeap&) = delete;
  DeviceHeap& operator=(const DeviceHeap&) = delete;
  ~DeviceHeap();

  /// False once it has been used.
  [[nodiscard]] bool resize(std::size_t nbytes);
  /// For poison, 16 bytes aligned; 0 if there is no room.
  [[nodiscard]] std::uint64_t allocate(std::uint64_t nbytes);
  /// What is wrong with it; empty if nothing is.
  [[nodiscard]] std::string release(std::uint64_t address);

  /// Whether it is an address of the heap, be it allocated or not.
  [[nodiscard]] bool contains(std::uint64_t address) const noexcept {
    const std::uint64_t begin = begin_.load(std::memory_order_relaxed);
    return begin != 0 && address - begin < nbytes_;
  }
  /// The block that holds the byte; empty if there is none.
  [[nodiscard]] Allocation find(std::uint64_t address) const;
  /// What is next to an address of the heap, for a report.
  [[nodiscard]] MemoryNear nearest(std::uint64_t address) const;
  [[nodiscard]] std::size_t size() const noexcept { return nbytes_; }
  /// Blocks that nobody has freed.
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

  std::atomic<std::uint64_t> begin_ = 0;  ///< 0 until it is used
  std::uint64_t nbytes_;
  std::uint64_t next_ = 0;  ///< everything behind it was freed longest ago, or never allocated
  std::map<std::uint64_t, BlockState> blocks_;  ///< freed ones stay until their bytes are given
  mutable std::mutex mutex_;
};

}  // namespace skerry::emulation
