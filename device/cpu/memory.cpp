// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cpu/memory.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <mutex>
#include <string>
#include <utility>

#include "core/errors.hpp"
#include "device/cpu/blocks.hpp"
#include "device/cpu/device_usage.hpp"
#include "device/cpu/info.hpp"
#include "device/environment.hpp"
#include "device/guard/heap.hpp"
#include "device/host_pages.hpp"
#include "device/page_size.hpp"
#include "device/storage_attachment.hpp"

namespace skerry::cpu {

namespace {

constexpr int max_cached_per_bin = 64;  // per thread: 600 KiB over all bins
constexpr std::size_t max_cached_medium = std::size_t{64} << 20;

constinit std::size_t cached_large = 0;

std::size_t configured_cache() noexcept {
  const char* text = environment_text("SKERRY_HOST_CACHE");
  std::size_t nbytes = 0;
  if (text != nullptr) {
    const auto [end, error_code] = std::from_chars(text, text + std::strlen(text), nbytes);
    const char* units = "KMG";
    const char* unit = *end == '\0' ? nullptr : std::strchr(units, *end);
    const int shift = unit == nullptr ? 0 : 10 * static_cast<int>(unit - units + 1);
    const bool whole = *end == '\0' || (unit != nullptr && end[1] == '\0');
    if (error_code == std::errc{} && whole && nbytes <= max_block_bytes >> shift)
      return nbytes << shift;
  }
  const std::size_t total = total_memory();
  return total == 0 ? std::size_t{1} << 30 : total / 4;
}

std::size_t max_cached_large() noexcept {
  static const std::size_t limit = configured_cache();
  return limit;
}

bool is_limited(int index) noexcept {
  return usages[index].limit.load(std::memory_order_relaxed) != SIZE_MAX;
}

constexpr StorageAttachment locked_pages{.pages = HostPages::locked};

const StorageAttachment* attachment_of(const FreeBlock& block) noexcept {
  return block.page_locked ? &locked_pages : nullptr;
}

class HostStorage final : public Storage {
 public:
  HostStorage(char* data, std::size_t nbytes, int index, std::size_t capacity,
              const StorageAttachment* attachment) noexcept
      : Storage(nbytes == 0 ? nullptr : data, nbytes,
                Device{DeviceKind::cpu, static_cast<std::int16_t>(index)}, false, attachment),
        capacity_(capacity) {}

 protected:
  void destroy() noexcept override;

 private:
  std::size_t capacity_;
};
static_assert(sizeof(HostStorage) <= header_bytes && sizeof(FreeBlock) <= header_bytes);

/// Storage in guarded memory. Never cached, so that freed memory is inaccessible.
class GuardedStorage final : public Storage {
 public:
  GuardedStorage(const FreeBlock& block, int index) noexcept
      : Storage(block.data, block.extent, {DeviceKind::cpu, static_cast<std::int16_t>(index)},
                false, attachment_of(block)),
        capacity_(block.capacity) {}

 private:
  void destroy() noexcept override;

  std::size_t capacity_;
};
static_assert(sizeof(GuardedStorage) <= header_bytes);

StorageRef make_storage(FreeBlock* block, int index, std::size_t nbytes) noexcept {
  char* data = block->data;
  const std::size_t capacity = block->capacity;
  const StorageAttachment* const attachment = attachment_of(*block);
  return StorageRef(new (block) HostStorage(data, nbytes, index, capacity, attachment));
}

// Slow paths are out of line: inlined, they would make the fast paths save and restore registers.
[[gnu::noinline]] void update_peak_slowly(ThreadCache& cache) noexcept {
  const std::lock_guard lock(usages_mutex);
  update_peak(usages[cache.index], &cache);
}

void charge(ThreadCache& cache, std::size_t capacity) noexcept {
  const std::int64_t live = cache.counted.live_bytes.get() + static_cast<std::int64_t>(capacity);
  cache.counted.live_bytes.set(live);
  cache.counted.allocations.add(1);
  if (live > cache.max_live_bytes.get()) {
    cache.max_live_bytes.set(live);
    if (live > cache.live_upper_bound) [[unlikely]]
      update_peak_slowly(cache);
  }
}

/// Returns false if the thread's cache of this size is full.
bool cache_small(SmallList& list, FreeBlock* block) noexcept {
  if (list.length.get() >= max_cached_per_bin) [[unlikely]]
    return false;
  block->next = list.first;
  list.first = block;
  list.length.add(1);
  return true;
}

void give_back_small(ThreadCache& cache, int bin, FreeBlock* block) noexcept {
  cache.counted.releases.add(1);
  const std::int64_t live =
      cache.counted.live_bytes.get() - static_cast<std::int64_t>(block->capacity);
  cache.counted.live_bytes.set(live);
  if (!cache_small(cache.bins[bin], block)) free_system_block(block);
  if (live < cache.live_lower_bound) [[unlikely]]
    update_peak_slowly(cache);
}

/// Frees a small block under the lock. A block changes from live to cached in two steps; without
/// the lock, a sum by another thread between them would count it twice or not at all. With a limit,
/// sums must be exact.
[[gnu::noinline]] void give_back_small_limited(ThreadCache& cache, int bin,
                                               FreeBlock* block) noexcept {
  DoomedBlocks doomed;
  const std::lock_guard lock(usages_mutex);
  cache.counted.releases.add(1);
  cache.counted.live_bytes.add(-static_cast<std::int64_t>(block->capacity));
  if (!fits(usages[cache.index], block->capacity) || !cache_small(cache.bins[bin], block)) {
    doomed.add(block);
  }
  update_peak(usages[cache.index], &cache);
}

/// Puts a block into the shared cache, or into `doomed`. Requires the lock.
void cache_shared(DeviceUsage& usage, FreeBlock* block, DoomedBlocks& doomed) noexcept {
  const std::size_t capacity = block->capacity;
  if (guard::is_on() || capacity <= max_small_bytes || !fits(usage, capacity))
    return doomed.add(block);
  if (capacity <= min_large_bytes) {
    if (usage.cached_medium + capacity > max_cached_medium) return doomed.add(block);
    FreeBlock*& first = usage.medium[medium_bin(capacity)];
    block->next = std::exchange(first, block);
    usage.cached_medium += capacity;
    usage.cached_bytes += capacity;
    return;
  }
  const std::size_t limit = max_cached_large();
  if (capacity > limit) return doomed.add(block);
  block->next = std::exchange(usage.large, block);
  usage.cached_bytes += capacity;
  cached_large += capacity;
  // Evict the least recently used blocks, of this device only.
  while (cached_large > limit) {
    FreeBlock** last = &usage.large;
    while ((*last)->next != nullptr) last = &(*last)->next;
    FreeBlock* oldest = std::exchange(*last, nullptr);
    usage.cached_bytes -= oldest->capacity;
    cached_large -= oldest->capacity;
    doomed.add(oldest);
  }
}

[[gnu::noinline]] void give_back_shared(int index, FreeBlock* block) noexcept {
  DoomedBlocks doomed;
  const std::lock_guard lock(usages_mutex);
  DeviceUsage& usage = usages[index];
  flush_thread_peak(usage, own_cache(index));
  usage.counted.live_bytes.add(-static_cast<std::int64_t>(block->capacity));
  usage.counted.releases.add(1);
  cache_shared(usage, block, doomed);
}

void HostStorage::destroy() noexcept {
  const std::size_t capacity = capacity_;
  const int index = device().index;
  const bool page_locked = attachment() == &locked_pages;
  const bool large = capacity > min_large_bytes;
  char* block_data = large ? data() : reinterpret_cast<char*>(this) + header_bytes;
  this->~HostStorage();
  auto* block = new (static_cast<void*>(this))
      FreeBlock{nullptr, block_data, capacity, capacity, page_locked};
  if (capacity <= max_small_bytes) {
    if (ThreadCache* cache = find_or_make_cache(index)) [[likely]] {
      const int bin = small_bin(capacity);
      return is_limited(index) ? give_back_small_limited(*cache, bin, block)
                               : give_back_small(*cache, bin, block);
    }
  }
  give_back_shared(index, block);
}

void GuardedStorage::destroy() noexcept {
  const FreeBlock old{nullptr, data(), capacity_, nbytes(), attachment() == &locked_pages};
  const int index = device().index;
  this->~GuardedStorage();
  give_back_shared(index, new (static_cast<void*>(this)) FreeBlock(old));
}

std::size_t capacity_for(std::size_t nbytes) noexcept {
  if (nbytes <= max_small_bytes) return small_capacity(small_bin(nbytes));
  if (nbytes < min_large_bytes) return medium_capacity(medium_bin(nbytes));
  return std::max(whole_pages(nbytes), whole_pages(min_large_bytes + 1));
}

FreeBlock* take_small(ThreadCache& cache, std::size_t capacity) noexcept {
  SmallList& bin = cache.bins[small_bin(capacity)];
  if (bin.first == nullptr) return nullptr;
  bin.length.add(-1);
  return std::exchange(bin.first, bin.first->next);
}

/// Returns a cached block that fits, or null. Requires the lock.
FreeBlock* take_cached(DeviceUsage& usage, ThreadCache* cache, std::size_t capacity) noexcept {
  if (!fits(usage, 0)) return nullptr;
  FreeBlock* block = nullptr;
  if (capacity <= max_small_bytes) return cache == nullptr ? nullptr : take_small(*cache, capacity);
  if (capacity <= min_large_bytes) {
    FreeBlock*& first = usage.medium[medium_bin(capacity)];
    if (first == nullptr) return nullptr;
    block = std::exchange(first, first->next);
    usage.cached_medium -= block->capacity;
  } else {
    FreeBlock** best = nullptr;
    for (FreeBlock** link = &usage.large; *link != nullptr; link = &(*link)->next) {
      const std::size_t has = (*link)->capacity;
      if (has < capacity || has - capacity > capacity / 8) continue;
      if (best == nullptr || has < (*best)->capacity) best = link;
    }
    if (best == nullptr) return nullptr;
    block = std::exchange(*best, (*best)->next);
    cached_large -= block->capacity;
  }
  usage.cached_bytes -= block->capacity;
  return block;
}

/// Takes a cached or a new block, charged to the device's shared counts; null if there is not
/// enough memory.
FreeBlock* try_acquire(int index, std::size_t capacity, std::size_t nbytes) noexcept {
  DeviceUsage& usage = usages[index];
  ThreadCache* cache = own_cache(index);
  {
    const std::lock_guard lock(usages_mutex);
    flush_thread_peak(usage, cache);
    if (FreeBlock* block = take_cached(usage, cache, capacity)) {
      usage.counted.live_bytes.add(static_cast<std::int64_t>(block->capacity));
      usage.counted.allocations.add(1);
      update_peak(usage, cache);
      return block;
    }
    if (!fits(usage, capacity)) return nullptr;
    // Charged before the call, so that concurrent threads stay within the limit; the peak is
    // updated after it.
    usage.counted.live_bytes.add(static_cast<std::int64_t>(capacity));
  }
  FreeBlock* block = acquire_block(capacity, nbytes);
  const std::lock_guard lock(usages_mutex);
  if (block == nullptr) {
    usage.counted.live_bytes.add(-static_cast<std::int64_t>(capacity));
    return nullptr;
  }
  update_peak(usage, cache);
  usage.counted.allocations.add(1);
  usage.counted.system_allocations.add(1);
  return block;
}

[[noreturn]] void throw_out_of_memory(
    int index, std::size_t nbytes, const char* tried,
    const char* remedy = "free arrays that are not needed any more") {
  const MemoryStatistics now = statistics(index);
  const Device device{DeviceKind::cpu, static_cast<std::int16_t>(index)};
  throw OutOfMemoryError(
      "cannot allocate " + byte_text(nbytes) + " on " + to_string(device) + ": " +
          byte_text(now.live_bytes) + " live in " + std::to_string(now.live_blocks) +
          (now.live_blocks == 1 ? " array" : " arrays") + ", " + byte_text(now.cached_bytes) +
          " cached, peak " + byte_text(now.peak_bytes) + ", limit " +
          (now.limit_bytes == SIZE_MAX ? "none" : byte_text(now.limit_bytes)) + "; tried " + tried +
          "; " + remedy,
      device, nbytes);
}

void trim_all() noexcept {
  trim_external();
  for (int index = 0; index < max_devices; ++index) trim(index);
}

/// Allocates what the fast path can't: under the lock, from a cache or from the system.
[[gnu::noinline]] StorageRef allocate_slowly(int index, std::size_t nbytes) {
  if (nbytes > max_block_bytes) {
    throw_out_of_memory(index, nbytes, "nothing, since more than 64 TiB is never available",
                        "split the array, or use a smaller dtype");
  }
  const std::size_t capacity = capacity_for(nbytes);
  if (capacity > usages[index].limit.load(std::memory_order_relaxed)) {
    throw_out_of_memory(index, nbytes, "nothing, since it is larger than the limit",
                        "raise the limit by set_memory_limit, or split the array");
  }
  FreeBlock* block = try_acquire(index, capacity, nbytes);
  if (block == nullptr) {
    trim_all();
    block = try_acquire(index, capacity, nbytes);
  }
  if (block == nullptr) {
    collect_garbage();
    trim_all();
    block = try_acquire(index, capacity, nbytes);
  }
  if (block == nullptr) {
    throw_out_of_memory(index, nbytes, "releasing cached blocks, then collecting garbage");
  }
  if (capacity > min_large_bytes && !block->page_locked) {
    block->page_locked = lock_pages(block->data, block->extent);
  }
  if (guard::is_on()) return StorageRef(new (block) GuardedStorage(FreeBlock(*block), index));
  return make_storage(block, index, nbytes);
}

}  // namespace

StorageRef allocate(int index, std::size_t nbytes) {
  // With a limit, all allocations of a device are serialized.
  if (nbytes <= max_small_bytes && !is_limited(index)) [[likely]] {
    if (ThreadCache* cache = find_or_make_cache(index)) [[likely]] {
      if (FreeBlock* block = take_small(*cache, nbytes)) [[likely]] {
        charge(*cache, block->capacity);
        return make_storage(block, index, nbytes);
      }
    }
  }
  return allocate_slowly(index, nbytes);
}

std::size_t trim(int index) {
  DoomedBlocks doomed;
  if (ThreadCache* cache = own_cache(index)) empty_bins(*cache, doomed);
  const std::lock_guard lock(usages_mutex);
  DeviceUsage& usage = usages[index];
  for (FreeBlock*& bin : usage.medium) {
    while (bin != nullptr) doomed.add(std::exchange(bin, bin->next));
  }
  while (usage.large != nullptr) {
    cached_large -= usage.large->capacity;
    doomed.add(std::exchange(usage.large, usage.large->next));
  }
  usage.cached_medium = 0;
  usage.cached_bytes = 0;
  return doomed.nbytes();
}

void set_memory_limit(int index, std::size_t nbytes) {
  bool is_within_limit = false;
  {
    const std::lock_guard lock(usages_mutex);
    usages[index].limit.store(nbytes, std::memory_order_relaxed);
    is_within_limit = fits(usages[index], 0);
  }
  if (is_within_limit) return;
  trim_external();
  trim(index);
}

}  // namespace skerry::cpu
