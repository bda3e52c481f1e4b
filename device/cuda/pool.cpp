// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/pool.hpp"

#include <algorithm>
#include <utility>

#include "device/cuda/runtime.hpp"
#include "device/cuda/streams.hpp"

namespace skerry::cuda {

DeviceStorage::DeviceStorage(Block& home, std::size_t nbytes, Timeline& by) noexcept
    : Storage(home.data, nbytes, home.owner->on_.where), block_(home), uses_(by) {}

void DeviceStorage::destroy() noexcept {
  Block* const mine = &block_;
  if (!uses_.are_only_of(mine->owner->on_, mine->home)) mine->others = uses_.take();
  this->~DeviceStorage();
  mine->owner->give_back(mine);
}

Pool::StreamCache* Pool::find_cache(void* stream) noexcept {
  for (const auto& each : caches_) {
    if (each->stream == stream) return each.get();
  }
  return nullptr;
}

Block* Pool::take_cached(const SizeClass& size, void* stream) noexcept {
  // Above a limit that was lowered, what is cached goes to the driver first.
  if (size.bin == SizeClass::uncached || held() > counts_.limit_bytes) return nullptr;
  StreamCache* const cache = find_cache(stream);
  if (cache == nullptr) return nullptr;
  Block* const item = cache->bins[static_cast<std::size_t>(size.bin)];
  if (item == nullptr) return nullptr;
  unlink_cached(item);
  counts_.live_bytes += item->size.nbytes;
  return item;
}

/// The last given back comes first: a GPU may still have it in its cache. The cache of the stream
/// exists: try_new made it.
void Pool::put_cached(Block* item) noexcept {
  Block*& bin = find_cache(item->home)->bins[static_cast<std::size_t>(item->size.bin)];
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
    find_cache(item->home)->bins[static_cast<std::size_t>(item->size.bin)] = item->next;
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

Block* Pool::take_hit(const SizeClass& size, void* stream) noexcept {
  OutgoingBlocks outgoing(*this);
  const std::lock_guard lock(mutex_);
  Block* item = take_cached(size, stream);
  if (item == nullptr && pending_ != nullptr) {
    settle_pending(outgoing);
    item = take_cached(size, stream);
  }
  if (item != nullptr) count_live();
  return item;
}

/// With the per-thread stream memory is in order with the legacy one, which waits for it.
StorageRef Pool::allocate(std::size_t nbytes, Timeline& by) {
  const SizeClass size = on_.keeps_blocks ? SizeClass::of(nbytes) : SizeClass::exactly(nbytes);
  void* const stream = by.handle();
  void* const home = stream == per_thread_stream ? legacy_stream : stream;
  Block* item = take_hit(size, home);
  if (item == nullptr) item = acquire(nbytes, size, home);
  Timeline& owner = home == stream ? by : on_.streams->legacy();
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
  bool is_kept = false;
  {
    OutgoingBlocks outgoing(*this);
    const std::lock_guard lock(mutex_);
    counts_.limit_bytes = nbytes;
    keep_to_limit(outgoing);
    is_kept = held() <= nbytes;
  }
  if (!is_kept) wait_for_pending();
}

}  // namespace skerry::cuda
