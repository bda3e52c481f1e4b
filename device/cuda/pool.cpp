// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/pool.hpp"

#include <algorithm>
#include <utility>

#include "device/cuda/runtime.hpp"
#include "device/cuda/streams.hpp"

namespace skerry::cuda {

device_storage::device_storage(block& home, std::size_t nbytes, timeline& by) noexcept
    : storage(home.data, nbytes, home.owner->on_.where), block_(home), uses_(by) {}

void device_storage::destroy() noexcept {
  block* const mine = &block_;
  if (!uses_.are_only_of(mine->owner->on_, mine->home)) mine->others = uses_.take();
  this->~device_storage();
  mine->owner->give_back(mine);
}

pool::stream_cache* pool::find_cache(void* stream) noexcept {
  for (const auto& each : caches_) {
    if (each->stream == stream) return each.get();
  }
  return nullptr;
}

block* pool::take_cached(const size_class& size, void* stream) noexcept {
  // Above a limit that was lowered, what is cached goes to the driver first.
  if (size.bin == size_class::uncached || held() > counts_.limit_bytes) return nullptr;
  stream_cache* const cache = find_cache(stream);
  if (cache == nullptr) return nullptr;
  block* const item = cache->bins[static_cast<std::size_t>(size.bin)];
  if (item == nullptr) return nullptr;
  unlink_cached(item);
  counts_.live_bytes += item->size.nbytes;
  return item;
}

/// The last given back comes first: a GPU may still have it in its cache. The cache of the stream
/// exists: try_new made it.
void pool::put_cached(block* item) noexcept {
  block*& bin = find_cache(item->home)->bins[static_cast<std::size_t>(item->size.bin)];
  item->previous = nullptr;
  item->next = std::exchange(bin, item);
  if (item->next != nullptr) item->next->previous = item;
  item->newer = nullptr;
  item->older = std::exchange(newest_, item);
  (item->older != nullptr ? item->older->newer : oldest_) = item;
  counts_.cached_bytes += item->size.nbytes;
}

void pool::unlink_cached(block* item) noexcept {
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

void pool::count_live() noexcept {
  ++counts_.allocations;
  ++counts_.live_blocks;
  counts_.peak_bytes = std::max(counts_.peak_bytes, counts_.live_bytes);
}

block* pool::take_hit(const size_class& size, void* stream) noexcept {
  outgoing_blocks outgoing(*this);
  const std::lock_guard lock(mutex_);
  block* item = take_cached(size, stream);
  if (item == nullptr && pending_ != nullptr) {
    settle_pending(outgoing);
    item = take_cached(size, stream);
  }
  if (item != nullptr) count_live();
  return item;
}

/// With the per-thread stream memory is in order with the legacy one, which waits for it.
storage_ref pool::allocate(std::size_t nbytes, timeline& by) {
  const size_class size = on_.keeps_blocks ? size_class::of(nbytes) : size_class::exactly(nbytes);
  void* const stream = by.handle();
  void* const home = stream == per_thread_stream ? legacy_stream : stream;
  block* item = take_hit(size, home);
  if (item == nullptr) item = acquire(nbytes, size, home);
  timeline& owner = home == stream ? by : on_.streams->legacy();
  return storage_ref(new (item->object) device_storage(*item, nbytes, owner));
}

memory_statistics pool::read_statistics() {
  const std::lock_guard lock(mutex_);
  return counts_;
}

void pool::reset_peak() {
  const std::lock_guard lock(mutex_);
  counts_.peak_bytes = counts_.live_bytes;
}

void pool::set_limit(std::size_t nbytes) {
  bool is_kept = false;
  {
    outgoing_blocks outgoing(*this);
    const std::lock_guard lock(mutex_);
    counts_.limit_bytes = nbytes;
    keep_to_limit(outgoing);
    is_kept = held() <= nbytes;
  }
  if (!is_kept) wait_for_pending();
}

}  // namespace skerry::cuda
