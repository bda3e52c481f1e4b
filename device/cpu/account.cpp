// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cpu/account.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>

#include <pthread.h>

namespace skerry::cpu {

constinit Account accounts[most_devices];
constinit std::mutex shared;
[[gnu::tls_model("initial-exec")]] constinit thread_local ThreadCaches* mine = nullptr;

std::int64_t total_live(const Account& of) noexcept {
  std::int64_t live = of.counted.live_bytes.get();
  for (const ThreadCache* t = of.threads; t != nullptr; t = t->next) {
    live += t->counted.live_bytes.get();
  }
  return live;
}

std::size_t total_cached(const Account& of) noexcept {
  std::size_t cached = of.cached_bytes;
  for (const ThreadCache* t = of.threads; t != nullptr; t = t->next) {
    for (int bin = 0; bin < small_bins; ++bin) {
      cached += static_cast<std::size_t>(t->bins[bin].length.get()) * small_capacity(bin);
    }
  }
  return cached;
}

bool fits(const Account& of, std::size_t more) noexcept {
  const std::size_t limit = of.limit.load(std::memory_order_relaxed);
  if (limit == SIZE_MAX) return true;
  const std::int64_t live = std::max<std::int64_t>(total_live(of), 0);
  const std::size_t held = static_cast<std::size_t>(live) + total_cached(of) + of.elsewhere;
  return held <= limit && more <= limit - held;
}

void settle(Account& of, ThreadCache* own) noexcept {
  std::int64_t highest = total_live(of);
  if (own != nullptr) {
    const std::int64_t live = own->counted.live_bytes.get();
    highest += std::max<std::int64_t>(own->high.get() - live, 0);
    own->high.set(live);
    own->settle_above = live + unsettled_bytes;
    own->settle_below = live - unsettled_bytes;
  }
  of.peak = std::max(of.peak, highest);
}

void settle_if_higher(Account& of, ThreadCache* own) noexcept {
  if (own != nullptr && own->high.get() > own->counted.live_bytes.get()) settle(of, own);
}

void empty_bins(ThreadCache& cache, DoomedBlocks& doomed) noexcept {
  for (SmallList& bin : cache.bins) {
    while (bin.first != nullptr) doomed.add(std::exchange(bin.first, bin.first->next));
    bin.length.set(0);
  }
}

namespace {

constinit std::atomic<void (*)() noexcept> trim_of_elsewhere{nullptr};

[[gnu::tls_model("initial-exec")]] constinit thread_local bool thread_is_ending = false;

void fold(Counts& into, const Counts& from) noexcept {
  into.live_bytes.add(from.live_bytes.get());
  into.allocations.add(from.allocations.get());
  into.releases.add(from.releases.get());
  into.system_allocations.add(from.system_allocations.get());
}

void retire(ThreadCache* cache) noexcept {
  DoomedBlocks doomed;
  Account& of = accounts[cache->index];
  {
    const std::lock_guard lock(shared);
    settle(of, cache);
    fold(of.counted, cache->counted);
    if (cache->next != nullptr) cache->next->previous = cache->previous;
    (cache->previous != nullptr ? cache->previous->next : of.threads) = cache->next;
  }
  empty_bins(*cache, doomed);
  std::free(cache);
}

void end_thread(void* raw) {
  auto* caches = static_cast<ThreadCaches*>(raw);
  thread_is_ending = true;  // later releases on this thread go the shared way
  mine = nullptr;
  for (ThreadCache* cache : caches->of) {
    if (cache != nullptr) retire(cache);
  }
  std::free(caches);
}

void lock_before_fork() { shared.lock(); }
void unlock_after_fork() { shared.unlock(); }

struct ProcessHooks {
  pthread_key_t at_thread_exit{};
  bool ready = false;
};
ProcessHooks register_hooks() noexcept {
  ProcessHooks hooks;
  hooks.ready = pthread_key_create(&hooks.at_thread_exit, end_thread) == 0;
  // The child keeps the counts and blocks of threads that it does not have: their arrays live on.
  pthread_atfork(lock_before_fork, unlock_after_fork, unlock_after_fork);
  return hooks;
}
// While the library is loaded; a static that allocates before gets no cache.
const ProcessHooks hooks = register_hooks();

ThreadCaches* make_caches() noexcept {
  if (thread_is_ending || !hooks.ready) return nullptr;
  void* memory = std::calloc(1, sizeof(ThreadCaches));
  if (memory == nullptr) return nullptr;
  auto* caches = new (memory) ThreadCaches{};
  if (pthread_setspecific(hooks.at_thread_exit, caches) != 0) {
    std::free(memory);
    return nullptr;
  }
  return mine = caches;
}

}  // namespace

ThreadCache* make_cache(int index) noexcept {
  ThreadCaches* caches = mine != nullptr ? mine : make_caches();
  if (caches == nullptr) return nullptr;
  void* memory = std::aligned_alloc(64, (sizeof(ThreadCache) + 63) / 64 * 64);
  if (memory == nullptr) return nullptr;
  auto* cache = new (memory) ThreadCache;
  cache->index = index;
  const std::lock_guard lock(shared);
  Account& of = accounts[index];
  cache->next = of.threads;
  if (of.threads != nullptr) of.threads->previous = cache;
  of.threads = cache;
  return caches->of[index] = cache;
}

MemoryStatistics statistics(int index) {
  const std::lock_guard lock(shared);
  Account& of = accounts[index];
  settle(of, own_cache(index));
  MemoryStatistics result;
  std::int64_t highest = of.counted.live_bytes.get();
  std::int64_t allocations = of.counted.allocations.get();
  std::int64_t releases = of.counted.releases.get();
  std::int64_t system = of.counted.system_allocations.get();
  for (const ThreadCache* t = of.threads; t != nullptr; t = t->next) {
    highest += std::max(t->high.get(), t->counted.live_bytes.get());
    allocations += t->counted.allocations.get();
    releases += t->counted.releases.get();
    system += t->counted.system_allocations.get();
  }
  const auto at_least_0 = [](std::int64_t n) {
    return static_cast<std::size_t>(std::max<std::int64_t>(n, 0));
  };
  result.live_bytes = at_least_0(total_live(of));
  result.live_blocks = at_least_0(allocations - releases);
  result.peak_bytes = at_least_0(std::max(of.peak, highest));
  result.cached_bytes = total_cached(of);
  result.limit_bytes = of.limit.load(std::memory_order_relaxed);
  result.allocations = at_least_0(allocations);
  result.system_allocations = at_least_0(system);
  return result;
}

void reset_peak(int index) {
  const std::lock_guard lock(shared);
  Account& of = accounts[index];
  for (ThreadCache* t = of.threads; t != nullptr; t = t->next) {
    t->high.set(t->counted.live_bytes.get());
  }
  of.peak = total_live(of);
}

bool charge_elsewhere(int index, std::size_t nbytes) noexcept {
  const std::lock_guard lock(shared);
  if (!fits(accounts[index], nbytes)) return false;
  accounts[index].elsewhere += nbytes;
  return true;
}

void set_trim_elsewhere(void (*trim)() noexcept) noexcept { trim_of_elsewhere.store(trim); }

void trim_elsewhere() noexcept {
  if (const auto trim = trim_of_elsewhere.load()) trim();
}

void discharge_elsewhere(int index, std::size_t nbytes) noexcept {
  const std::lock_guard lock(shared);
  accounts[index].elsewhere -= nbytes;
}

}  // namespace skerry::cpu
