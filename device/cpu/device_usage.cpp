// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cpu/device_usage.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>

#include <pthread.h>

namespace skerry::cpu {

constinit DeviceUsage usages[max_devices];
constinit std::mutex usages_mutex;
[[gnu::tls_model("initial-exec")]] constinit thread_local ThreadCaches* thread_caches = nullptr;

std::int64_t total_live(const DeviceUsage& usage) noexcept {
  std::int64_t live = usage.counted.live_bytes.get();
  for (const ThreadCache* t = usage.threads; t != nullptr; t = t->next) {
    live += t->counted.live_bytes.get();
  }
  return live;
}

std::size_t total_cached(const DeviceUsage& usage) noexcept {
  std::size_t cached = usage.cached_bytes;
  for (const ThreadCache* t = usage.threads; t != nullptr; t = t->next) {
    for (int bin = 0; bin < small_bins; ++bin) {
      cached += static_cast<std::size_t>(t->bins[bin].length.get()) * small_capacity(bin);
    }
  }
  return cached;
}

bool fits(const DeviceUsage& usage, std::size_t more) noexcept {
  const std::size_t limit = usage.limit.load(std::memory_order_relaxed);
  if (limit == SIZE_MAX) return true;
  const std::int64_t live = std::max<std::int64_t>(total_live(usage), 0);
  const std::size_t used_bytes =
      static_cast<std::size_t>(live) + total_cached(usage) + usage.external_bytes;
  return used_bytes <= limit && more <= limit - used_bytes;
}

void update_peak(DeviceUsage& usage, ThreadCache* cache) noexcept {
  std::int64_t highest = total_live(usage);
  if (cache != nullptr) {
    const std::int64_t live = cache->counted.live_bytes.get();
    highest += std::max<std::int64_t>(cache->max_live_bytes.get() - live, 0);
    cache->max_live_bytes.set(live);
    cache->live_upper_bound = live + peak_tolerance_bytes;
    cache->live_lower_bound = live - peak_tolerance_bytes;
  }
  usage.peak = std::max(usage.peak, highest);
}

void flush_thread_peak(DeviceUsage& usage, ThreadCache* cache) noexcept {
  if (cache != nullptr && cache->max_live_bytes.get() > cache->counted.live_bytes.get())
    update_peak(usage, cache);
}

void empty_bins(ThreadCache& cache, DoomedBlocks& doomed) noexcept {
  for (SmallList& bin : cache.bins) {
    while (bin.first != nullptr) doomed.add(std::exchange(bin.first, bin.first->next));
    bin.length.set(0);
  }
}

namespace {

constinit std::atomic<void (*)() noexcept> external_trim{nullptr};

[[gnu::tls_model("initial-exec")]] constinit thread_local bool thread_is_ending = false;

void fold(Counts& totals, const Counts& counts) noexcept {
  totals.live_bytes.add(counts.live_bytes.get());
  totals.allocations.add(counts.allocations.get());
  totals.releases.add(counts.releases.get());
  totals.system_allocations.add(counts.system_allocations.get());
}

void retire(ThreadCache* cache) noexcept {
  DoomedBlocks doomed;
  DeviceUsage& usage = usages[cache->index];
  {
    const std::lock_guard lock(usages_mutex);
    update_peak(usage, cache);
    fold(usage.counted, cache->counted);
    if (cache->next != nullptr) cache->next->previous = cache->previous;
    (cache->previous != nullptr ? cache->previous->next : usage.threads) = cache->next;
  }
  empty_bins(*cache, doomed);
  std::free(cache);
}

void end_thread(void* raw) {
  auto* caches = static_cast<ThreadCaches*>(raw);
  thread_is_ending = true;  // later releases on this thread use the shared cache
  thread_caches = nullptr;
  for (ThreadCache* cache : caches->device_caches) {
    if (cache != nullptr) retire(cache);
  }
  std::free(caches);
}

void lock_before_fork() { usages_mutex.lock(); }
void unlock_after_fork() { usages_mutex.unlock(); }

struct ProcessHooks {
  pthread_key_t at_thread_exit{};
  bool is_registered = false;
};
ProcessHooks register_hooks() noexcept {
  ProcessHooks hooks;
  hooks.is_registered = pthread_key_create(&hooks.at_thread_exit, end_thread) == 0;
  // The child keeps the counts and blocks of the parent's threads, whose arrays it may still use.
  pthread_atfork(lock_before_fork, unlock_after_fork, unlock_after_fork);
  return hooks;
}
// Registered when the library is loaded. Static initializers that run earlier allocate without a
// thread cache.
const ProcessHooks hooks = register_hooks();

ThreadCaches* make_caches() noexcept {
  if (thread_is_ending || !hooks.is_registered) return nullptr;
  void* memory = std::calloc(1, sizeof(ThreadCaches));
  if (memory == nullptr) return nullptr;
  auto* caches = new (memory) ThreadCaches{};
  if (pthread_setspecific(hooks.at_thread_exit, caches) != 0) {
    std::free(memory);
    return nullptr;
  }
  return thread_caches = caches;
}

}  // namespace

ThreadCache* make_cache(int index) noexcept {
  ThreadCaches* caches = thread_caches != nullptr ? thread_caches : make_caches();
  if (caches == nullptr) return nullptr;
  void* memory = std::aligned_alloc(64, (sizeof(ThreadCache) + 63) / 64 * 64);
  if (memory == nullptr) return nullptr;
  auto* cache = new (memory) ThreadCache;
  cache->index = index;
  const std::lock_guard lock(usages_mutex);
  DeviceUsage& usage = usages[index];
  cache->next = usage.threads;
  if (usage.threads != nullptr) usage.threads->previous = cache;
  usage.threads = cache;
  return caches->device_caches[index] = cache;
}

MemoryStatistics statistics(int index) {
  const std::lock_guard lock(usages_mutex);
  DeviceUsage& usage = usages[index];
  update_peak(usage, own_cache(index));
  MemoryStatistics result;
  std::int64_t highest = usage.counted.live_bytes.get();
  std::int64_t allocations = usage.counted.allocations.get();
  std::int64_t releases = usage.counted.releases.get();
  std::int64_t system = usage.counted.system_allocations.get();
  for (const ThreadCache* t = usage.threads; t != nullptr; t = t->next) {
    highest += std::max(t->max_live_bytes.get(), t->counted.live_bytes.get());
    allocations += t->counted.allocations.get();
    releases += t->counted.releases.get();
    system += t->counted.system_allocations.get();
  }
  const auto clamp_to_zero = [](std::int64_t n) {
    return static_cast<std::size_t>(std::max<std::int64_t>(n, 0));
  };
  result.live_bytes = clamp_to_zero(total_live(usage));
  result.live_blocks = clamp_to_zero(allocations - releases);
  result.peak_bytes = clamp_to_zero(std::max(usage.peak, highest));
  result.cached_bytes = total_cached(usage);
  result.limit_bytes = usage.limit.load(std::memory_order_relaxed);
  result.allocations = clamp_to_zero(allocations);
  result.system_allocations = clamp_to_zero(system);
  return result;
}

void reset_peak(int index) {
  const std::lock_guard lock(usages_mutex);
  DeviceUsage& usage = usages[index];
  for (ThreadCache* t = usage.threads; t != nullptr; t = t->next) {
    t->max_live_bytes.set(t->counted.live_bytes.get());
  }
  usage.peak = total_live(usage);
}

bool charge_external(int index, std::size_t nbytes) noexcept {
  const std::lock_guard lock(usages_mutex);
  if (!fits(usages[index], nbytes)) return false;
  usages[index].external_bytes += nbytes;
  return true;
}

void set_external_trim(void (*trim)() noexcept) noexcept { external_trim.store(trim); }

void trim_external() noexcept {
  if (const auto trim = external_trim.load()) trim();
}

void discharge_external(int index, std::size_t nbytes) noexcept {
  const std::lock_guard lock(usages_mutex);
  usages[index].external_bytes -= nbytes;
}

}  // namespace skerry::cpu
