// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "core/memory_use.hpp"
#include "core/storage.hpp"

namespace skerry::cuda {

class StreamState;

/// Work that another library captures from a stream into its own graph. The graph keeps the memory
/// that the work accesses. skerry does not see its launches: they count as work of that stream.
class ForeignCapture {
 public:
  explicit ForeignCapture(StreamState& stream_state) noexcept : stream_state_(stream_state) {}

  /// Blocks the host until other streams' uses of the memory are done, since a graph can't wait for
  /// them. Throws ValueError if one of them is captured, too.
  void wait_for_other_streams(std::span<const MemoryUse> uses) const;
  /// Makes the graph own memory that captured work accesses. Throws DeviceError.
  void retain(std::span<const MemoryUse> uses) const;
  void retain(std::vector<StorageRef> memory) const;

  /// Releases memory of graphs that can't run any more. CUDA forbids to do so in its callback.
  static void release_memory_of_ended() noexcept;

 private:
  StreamState& stream_state_;
};

}  // namespace skerry::cuda
