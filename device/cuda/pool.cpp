// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/pool.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "device/byte_text.hpp"
#include "device/cuda/page_lock.hpp"
#include "device/cuda/runtime.hpp"

namespace skerry::cuda {

namespace {

class spin_guard {
 public:
  explicit spin_guard(std::atomic_flag& flag) noexcept : flag_(flag) {
    while (flag_.test_and_set(std::memory_order_acquire)) {
    }
  }
  spin_guard(const spin_guard&) = delete;
  spin_guard& operator=(const spin_guard&) = delete;
  ~spin_guard() { flag_.clear(std::memory_order_release); }

 private:
  std::atomic_flag& flag_;
};

}  // namespace

device_storage::device_storage(block& home, std::size_t nbytes) noexcept
    : storage(home.data, nbytes, home.owner->on_.where), block_(home) {}

void device_storage::used_on(void* stream) noexcept {
  if (stream == block_.home) return;
  const spin_guard guard(block_.busy);
  auto& others = block_.others;
  if (std::find(others.begin(), others.end(), stream) != others.end()) return;
  try {
    // Room for the events too: giving memory back must not need any.
    block_.events.reserve(others.size() + 1);
    others.push_back(stream);
  } catch (const std::bad_alloc&) {
    block_.used_elsewhere = true;
  }
}

std::vector<void*> device_storage::streams_in_use() {
  std::vector<void*> streams;
  if (block_.home != legacy_stream) streams.push_back(block_.home);
  const spin_guard guard(block_.busy);
  for (void* stream : block_.others) {
    if (stream != legacy_stream) streams.push_back(stream);
  }
  return streams;
}

void device_storage::destroy() noexcept {
  block* const mine = &block_;
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
  if (size.bin == size_class::too_large) return nullptr;
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

std::size_t pool::most_without_growth() const noexcept {
  constexpr std::size_t share = 8;
  return std::min(std::max(most_held_, on_.properties.total_bytes / share), counts_.limit_bytes);
}

/// Before the pool grows: waits for other streams if more than a small part of it waits for them.
/// Null if what has come back is of no use.
block* pool::take_pending(const size_class& size, void* stream) noexcept {
  constexpr std::size_t small_part = 32;
  const std::lock_guard lock(mutex_);
  if (pending_bytes_ <= held() / small_part || fits(size, most_without_growth())) return nullptr;
  settle_pending(true);
  block* const item = take_cached(size, stream);
  if (item != nullptr) count_live();
  return item;
}

/// Gives the longest unused blocks to the driver until one more of `size` leaves the pool with no
/// more than it may hold. False if that is over the limit all the same. With the lock held.
bool pool::make_room(const size_class& size) noexcept {
  const std::size_t enough = most_without_growth();
  while (!fits(size, enough) && oldest_ != nullptr) {
    block* const item = oldest_;
    unlink_cached(item);
    release_block(item);
  }
  return fits(size, counts_.limit_bytes);
}

void pool::count_live() noexcept {
  ++counts_.allocations;
  ++counts_.live_blocks;
  counts_.peak_bytes = std::max(counts_.peak_bytes, counts_.live_bytes);
}

block* pool::take_hit(const size_class& size, void* stream) noexcept {
  const std::lock_guard lock(mutex_);
  block* item = take_cached(size, stream);
  if (item == nullptr && pending_ != nullptr) {
    settle_pending(false);
    item = take_cached(size, stream);
  }
  if (item != nullptr) count_live();
  return item;
}

storage_ref pool::allocate(std::size_t nbytes, void* stream) {
  const size_class size = size_class::of(nbytes);
  block* item = take_hit(size, stream);
  if (item == nullptr) item = acquire(nbytes, size, stream);
  return storage_ref(new (item->object) device_storage(*item, nbytes));
}

block* pool::acquire(std::size_t nbytes, const size_class& size, void* stream) {
  // No cache is thrown away for what can't ever fit.
  if (nbytes > on_.properties.total_bytes) {
    throw_out_of_memory(nbytes, size, "nothing, it is larger than the device");
  }
  if (size.nbytes > read_statistics().limit_bytes) {
    throw_out_of_memory(nbytes, size, "nothing, it is larger than the limit");
  }
  if (block* item = take_pending(size, stream)) return item;
  if (block* item = try_new(size, stream)) return item;
  release_cached();
  if (block* item = try_new(size, stream)) return item;
  {
    const std::lock_guard lock(mutex_);
    settle_pending(true);
  }
  release_cached();
  wait_for_device();
  if (block* item = try_new(size, stream)) return item;
  release_all_and_trim();
  if (block* item = try_new(size, stream)) return item;
  collect_garbage();
  release_all_and_trim();
  if (block* item = try_new(size, stream)) return item;
  throw_out_of_memory(nbytes, size,
                      "own cached blocks, then waiting for pending frees, then trimming the "
                      "driver's pool, then collecting garbage");
}

/// Null if there is not enough memory.
block* pool::try_new(const size_class& size, void* stream) {
  auto item = std::make_unique<block>();
  item->owner = this;
  item->size = size;
  item->home = stream;
  {
    const std::lock_guard lock(mutex_);
    if (find_cache(stream) == nullptr) {
      caches_.push_back(std::make_unique<stream_cache>(stream_cache{stream, {}}));
    }
    if (!make_room(size)) return nullptr;
    // Taken before the call, so that threads together keep the limit.
    counts_.live_bytes += size.nbytes;
  }
  const auto take_back = [&] {
    const std::lock_guard lock(mutex_);
    counts_.live_bytes -= size.nbytes;
  };
  try {
    const device_guard guard(on_);
    const int code = call_allocate(*item);
    if (code == memory_allocation) {
      check_silently(code, on_, "allocate");
      take_back();
      return nullptr;
    }
    check(code, on_, "allocate");
  } catch (...) {
    take_back();
    throw;
  }
  note_use(on_);
  const std::lock_guard lock(mutex_);
  ++counts_.system_allocations;
  most_held_ = std::max(most_held_, held());
  count_live();
  return item.release();
}

int pool::call_allocate(block& item) {
  if (on_.properties.supports_pools == 0) return calls().allocate(&item.data, item.size.nbytes);
  if (!keeps_memory_.load(std::memory_order_relaxed)) keep_memory_in_driver_pool();
  return calls().allocate_async(&item.data, item.size.nbytes, item.home);
}

/// By default each synchronisation gives the driver's free memory to the system, and the next large
/// block pays for mapping it again. trim() and running out of memory still give it back.
void pool::keep_memory_in_driver_pool() noexcept {
  keeps_memory_.store(true);
  check_silently(calls().pool_set_release_threshold(on_.ordinal, UINT64_MAX), on_, "allocate");
}

void pool::throw_out_of_memory(std::size_t nbytes, const size_class& size,
                               const std::string& tried) {
  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
  bool known = false;
  {
    const device_guard guard(on_, std::nothrow);
    known = guard.ok() && check_silently(calls().memory_info(&free_bytes, &total_bytes), on_,
                                         "asking for free memory");
  }
  const memory_statistics now = read_statistics();
  std::string text =
      "allocate: cannot allocate " + byte_text(nbytes) + " on " + to_string(on_.where) +
      ": device " +
      (known ? byte_text(free_bytes) + " free of " + byte_text(total_bytes)
             : std::string("free bytes unknown")) +
      "; pool " + byte_text(now.live_bytes) + " live in " + std::to_string(now.live_blocks) +
      (now.live_blocks == 1 ? " array" : " arrays") + ", " + byte_text(now.cached_bytes) +
      " cached, peak " + byte_text(now.peak_bytes) + ", limit " +
      (now.limit_bytes == SIZE_MAX ? "none" : byte_text(now.limit_bytes)) + "; tried " + tried +
      "; free arrays that are not needed any more";
  if (size.nbytes != nbytes && size.nbytes > now.limit_bytes && nbytes <= now.limit_bytes) {
    text += " (blocks are rounded up, this one to " + byte_text(size.nbytes) + ")";
  }
  throw out_of_memory_error(std::move(text), on_.where, nbytes);
}

void pool::give_back(block* item) noexcept {
  // In a forked child another thread may have held the lock for ever; at exit the driver takes the
  // memory. Only the host's part is returned.
  if (!alive()) {
    delete item;
    return;
  }
  if (item->used_elsewhere) {
    wait_for_device();
    item->used_elsewhere = false;
    item->others.clear();
  }
  const bool pending = !item->others.empty() && record_events(*item);
  const std::lock_guard lock(mutex_);
  --counts_.live_blocks;
  counts_.live_bytes -= item->size.nbytes;
  if (on_.lost()) {
    delete item;
  } else if (pending) {
    counts_.cached_bytes += item->size.nbytes;
    pending_bytes_ += item->size.nbytes;
    item->next = std::exchange(pending_, item);
  } else {
    put_cached(item);
  }
}

/// An event on each other stream of the block. False if there is nothing to wait for any more: the
/// host has waited.
bool pool::record_events(block& item) noexcept {
  const device_guard guard(on_, std::nothrow);
  bool complete = guard.ok();
  for (void* stream : item.others) {
    void* event = complete ? take_event() : nullptr;
    if (event == nullptr) {
      complete = false;
      break;
    }
    item.events.push_back(event);  // has room, see used_on
    complete = check_silently(calls().event_record(event, stream), on_, "freeing");
  }
  item.others.clear();
  if (complete) return true;
  wait_for_device();
  const std::lock_guard lock(mutex_);
  for (void* event : item.events) {
    try {
      spare_events_.push_back(event);
    } catch (const std::bad_alloc&) {
      check_silently(calls().event_destroy(event), on_, "freeing");
    }
  }
  item.events.clear();
  return false;
}

/// With the device current; null if there is none to be had.
void* pool::take_event() noexcept {
  {
    const std::lock_guard lock(mutex_);
    if (!spare_events_.empty()) {
      void* event = spare_events_.back();
      spare_events_.pop_back();
      return event;
    }
  }
  void* event = nullptr;
  return check_silently(calls().event_create(&event), on_, "making an event") ? event : nullptr;
}

void pool::join(std::span<void* const> streams, void* target) noexcept {
  const device_guard guard(on_, std::nothrow);
  bool complete = guard.ok();
  for (void* stream : streams) {
    if (!complete) break;
    void* event = take_event();
    complete = event != nullptr &&
               check_silently(calls().event_record(event, stream), on_, "joining streams") &&
               check_silently(calls().stream_wait_event(target, event), on_, "joining streams");
    if (event == nullptr) continue;
    // The wait has taken its copy of the recorded point, so the event is free again.
    const std::lock_guard lock(mutex_);
    try {
      spare_events_.push_back(event);
    } catch (const std::bad_alloc&) {
      check_silently(calls().event_destroy(event), on_, "joining streams");
    }
  }
  if (!complete) wait_for_device();
}

/// Moves pending blocks whose events have passed into their cache. With the lock held.
void pool::settle_pending(bool wait) noexcept {
  block* rest = nullptr;
  while (pending_ != nullptr) {
    block* const item = std::exchange(pending_, pending_->next);
    while (!item->events.empty()) {
      void* const event = item->events.back();
      const int code = wait ? calls().event_synchronize(event) : calls().event_query(event);
      if (!check_silently(code, on_, "waiting for pending frees")) break;
      item->events.pop_back();
      try {
        spare_events_.push_back(event);
      } catch (const std::bad_alloc&) {
        check_silently(calls().event_destroy(event), on_, "waiting for pending frees");
      }
    }
    if (item->events.empty()) {
      counts_.cached_bytes -= item->size.nbytes;
      pending_bytes_ -= item->size.nbytes;
      put_cached(item);
    } else {
      item->next = std::exchange(rest, item);
    }
  }
  pending_ = rest;
}

/// Gives all cached blocks to the driver's pool.
std::size_t pool::release_cached() noexcept {
  const std::lock_guard lock(mutex_);
  std::size_t released = 0;
  while (oldest_ != nullptr) {
    block* const item = oldest_;
    released += item->size.nbytes;
    unlink_cached(item);
    release_block(item);
  }
  most_held_ = held();
  return released;
}

void pool::release_block(block* item) noexcept {
  const device_guard guard(on_, std::nothrow);
  const bool pooled =
      guard.ok() && on_.properties.supports_pools != 0 &&
      check_silently(calls().deallocate_async(item->data, item->home), on_, "freeing");
  // Also where the owner of a foreign stream has destroyed it: the plain call waits for all, and
  // does not ask which device is current.
  if (!pooled) check_silently(calls().deallocate(item->data), on_, "freeing");
  delete item;
}

void pool::wait_for_device() noexcept {
  const device_guard guard(on_, std::nothrow);
  if (guard.ok()) check_silently(calls().device_synchronize(), on_, "waiting for the device");
}

void pool::release_all_and_trim() noexcept {
  {
    const std::lock_guard lock(mutex_);
    settle_pending(true);
  }
  release_cached();
  wait_for_device();
  if (on_.properties.supports_pools == 0) return;
  check_silently(calls().pool_trim(on_.ordinal, 0), on_, "trimming");
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
  const std::lock_guard lock(mutex_);
  counts_.limit_bytes = nbytes;
}

std::size_t pool::trim() {
  const std::size_t before = read_statistics().cached_bytes;
  release_all_and_trim();
  const std::size_t after = read_statistics().cached_bytes;
  return before - std::min(before, after);
}

}  // namespace skerry::cuda
