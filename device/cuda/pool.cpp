// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/pool.hpp"

#include <algorithm>
#include <utility>

#include "device/cuda/runtime.hpp"
#include "device/cuda/streams.hpp"

namespace skerry::cuda {

DeviceStorage::DeviceStorage(Block& block, std::size_t nbytes, StreamState& stream_state) noexcept
    : Storage(block.data, nbytes, block.owner->device_state_.device, false, &attachment_),
      block_(block),
      uses_(stream_state),
      attachment_{.uses = &uses_, .is_managed = block.type == MemoryType::managed} {}

void DeviceStorage::destroy() noexcept {
  Block* const block = &block_;
  if (!uses_.are_only_of(block->owner->device_state_, block->owner_stream))
    block->other_uses = uses_.take();
  this->~DeviceStorage();
  block->owner->give_back(block);
}

Pool::StreamCache* Pool::find_cache(void* stream, MemoryType type) noexcept {
  for (const auto& cache : caches_) {
    if (cache->stream == stream && cache->type == type) return cache.get();
  }
  return nullptr;
}

Block* Pool::take_cached(const SizeClass& size, MemoryType type, void* stream) noexcept {
  // After the limit was lowered, cached blocks go to the driver first.
  if (size.bin == SizeClass::uncached || held_bytes() > counts_.limit_bytes) return nullptr;
  StreamCache* const cache = find_cache(stream, type);
  if (cache == nullptr) return nullptr;
  Block* const item = cache->bins[static_cast<std::size_t>(size.bin)];
  if (item == nullptr) return nullptr;
  unlink_cached(item);
  counts_.live_bytes += item->size.nbytes;
  return item;
}

/// Puts a block first in its bin, since the block freed last may still be in the GPU's cache. The
/// stream's cache exists: try_new created it.
void Pool::put_cached(Block* item) noexcept {
  StreamCache* const cache = find_cache(item->owner_stream, item->type);
  Block*& bin = cache->bins[static_cast<std::size_t>(item->size.bin)];
  item->previous = nullptr;
  item->next = std::exchange(bin, item);
  if (item->next != nullptr) item->next->previous = item;
  item->newer = nullptr;
  item->older = std::exchange(newest_, item);
  (item->older != nullptr ? item->older->newer : oldest_) = item;
  counts_.cached_bytes += item->size.nbytes;
}

void Pool::unlink_cached(Block* item) noexcept {
  if (item->next != nullptr) item->next->previous = item->previous;
  if (item->previous != nullptr) {
    item->previous->next = item->next;
  } else {
    StreamCache* const cache = find_cache(item->owner_stream, item->type);
    cache->bins[static_cast<std::size_t>(item->size.bin)] = item->next;
  }
  (item->older != nullptr ? item->older->newer : oldest_) = item->newer;
  (item->newer != nullptr ? item->newer->older : newest_) = item->older;
  item->next = item->previous = item->older = item->newer = nullptr;
  counts_.cached_bytes -= item->size.nbytes;
}

void Pool::count_live() noexcept {
  ++counts_.allocations;
  ++counts_.live_blocks;
  counts_.peak_bytes = std::max(counts_.peak_bytes, counts_.live_bytes);
}

Block* Pool::take_hit(const SizeClass& size, MemoryType type, void* stream) noexcept {
  OutgoingBlocks outgoing(*this);
  const std::lock_guard lock(mutex_);
  Block* item = take_cached(size, type, stream);
  if (item == nullptr && pending_ != nullptr) {
    reclaim_pending(outgoing);
    item = take_cached(size, type, stream);
  }
  if (item != nullptr) count_live();
  return item;
}

StorageRef Pool::allocate(std::size_t nbytes, StreamState& stream_state) {
  if (has_resource_.load(std::memory_order_relaxed)) [[unlikely]]
    return allocate_from(find_resource(), MemoryType::device, nbytes, stream_state);
  return allocate_own(nbytes, stream_state);
}

/// Memory of the per-thread stream is ordered with the legacy stream, which waits for it.
StorageRef Pool::allocate_from(std::shared_ptr<MemoryResource> resource, MemoryType type,
                               std::size_t nbytes, StreamState& stream_state) {
  const bool is_cacheable = device_state_.keeps_blocks && resource == nullptr;
  const SizeClass size = is_cacheable ? SizeClass::round_up(nbytes) : SizeClass::exactly(nbytes);
  void* const stream = stream_state.handle();
  void* const owner_stream = stream == per_thread_stream ? legacy_stream : stream;
  Block* item = take_hit(size, type, owner_stream);
  if (item == nullptr) {
    Request request{nbytes, size, type, owner_stream, std::move(resource), nullptr};
    item = acquire(request);
  }
  StreamState& owner = owner_stream == stream ? stream_state : device_state_.streams->legacy();
  return StorageRef(new (item->object) DeviceStorage(*item, nbytes, owner));
}

MemoryStatistics Pool::read_statistics() {
  const std::lock_guard lock(mutex_);
  return counts_;
}

void Pool::reset_peak() {
  const std::lock_guard lock(mutex_);
  counts_.peak_bytes = counts_.live_bytes;
}

void Pool::set_limit(std::size_t nbytes) {
  bool is_within_limit = false;
  {
    OutgoingBlocks outgoing(*this);
    const std::lock_guard lock(mutex_);
    counts_.limit_bytes = nbytes;
    keep_to_limit(outgoing);
    is_within_limit = held_bytes() <= nbytes;
  }
  if (!is_within_limit) wait_for_pending();
}

}  // namespace skerry::cuda
