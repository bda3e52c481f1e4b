// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/graph_memory.hpp"

#include <algorithm>
#include <utility>

#include "device/cuda/pool.hpp"
#include "device/cuda/runtime.hpp"
#include "device/cuda/size_class.hpp"
#include "device/cuda/streams.hpp"
#include "device/host_action.hpp"

namespace skerry::cuda {

/// An array's memory in a block of a graph, with the block's record of uses.
class GraphMemory::Part final : public Storage {
 public:
  Part(std::shared_ptr<GraphMemory> owner, StorageRef block, std::size_t nbytes) noexcept
      : Storage(block->data(), nbytes, block->device(), false, block->attachment()),
        owner_(std::move(owner)),
        block_(std::move(block)) {}

 private:
  void destroy() noexcept override {
    owner_->give_back(block_);
    delete this;
  }

  std::shared_ptr<GraphMemory> owner_;
  StorageRef block_;
};

StorageRef GraphMemory::allocate(DeviceState& device_state, std::size_t nbytes) {
  const SizeClass size =
      device_state.keeps_blocks ? SizeClass::round_up(nbytes) : SizeClass::exactly(nbytes);
  StorageRef block;
  {
    const std::lock_guard lock(mutex_);
    const auto entry = std::ranges::find_if(free_, [&](const StorageRef& candidate) {
      return candidate->device() == device_state.device && candidate->nbytes() == size.nbytes;
    });
    if (entry != free_.end()) {
      block = std::move(*entry);
      free_.erase(entry);
    }
  }
  if (!block) {
    // The pool may wait for work that is not captured.
    const HostActionAllowance allowance;
    // Of the legacy stream: the block's earlier uses precede the first replay, which is ordered
    // after them.
    block = device_state.memory->allocate(size.nbytes, device_state.streams->legacy());
    const std::lock_guard lock(mutex_);
    free_.reserve(blocks_.size() + 1);
    blocks_.push_back(block);
  }
  return StorageRef(new Part(shared_from_this(), std::move(block), nbytes));
}

bool GraphMemory::owns(const Storage& memory) const noexcept {
  const std::lock_guard lock(mutex_);
  return std::ranges::any_of(
      blocks_, [&](const StorageRef& block) { return block->attachment() == memory.attachment(); });
}

std::vector<StorageRef> GraphMemory::end_reuse() {
  const std::lock_guard lock(mutex_);
  is_ended_ = true;
  free_.clear();
  return std::exchange(blocks_, {});
}

void GraphMemory::give_back(const StorageRef& block) noexcept {
  const std::lock_guard lock(mutex_);
  if (!is_ended_) free_.push_back(block);
}

}  // namespace skerry::cuda
