// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "core/storage.hpp"

namespace skerry::cuda {

struct DeviceState;

/// The memory that a graph's work allocates: blocks of the devices' pools. During the capture, a
/// freed block is reused by later captured work. Afterwards no block is given to anyone until the
/// graph and all arrays in the block are gone.
class GraphMemory : public std::enable_shared_from_this<GraphMemory> {
 public:
  /// Throws OutOfMemoryError, DeviceError.
  [[nodiscard]] StorageRef allocate(DeviceState& device_state, std::size_t nbytes);
  /// True for memory that allocate() returned.
  [[nodiscard]] bool owns(const Storage& memory) const noexcept;
  /// Ends the reuse of blocks; returns all of them.
  [[nodiscard]] std::vector<StorageRef> end_reuse();

 private:
  class Part;
  void give_back(const StorageRef& block) noexcept;

  mutable std::mutex mutex_;
  bool is_ended_ = false;
  std::vector<StorageRef> blocks_;
  std::vector<StorageRef> free_;  ///< capacity for all blocks
};

}  // namespace skerry::cuda
