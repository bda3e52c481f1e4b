// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>

#include "device/cpu/blocks.hpp"
#include "device/cpu/memory.hpp"

/// Memory usage of the logical CPU devices: statistics for each device, and for each thread a cache
/// of small blocks. Internal to device/cpu/memory.cpp.
namespace skerry::cpu {

inline constexpr std::int64_t peak_tolerance_bytes = 64 << 10;

/// A counter that one thread writes and others read: no read-modify-write, so as fast as a plain
/// integer.
class OwnedCount {
 public:
  std::int64_t get() const noexcept { return value_.load(std::memory_order_relaxed); }
  void set(std::int64_t value) noexcept { value_.store(value, std::memory_order_relaxed); }
  void add(std::int64_t change) noexcept { set(get() + change); }

 private:
  std::atomic<std::int64_t> value_{0};
};

/// Counts of one device or thread. A thread's counts can be negative: a block may be released on
/// another thread than the one that allocated it.
struct Counts {
  OwnedCount live_bytes;
  OwnedCount allocations;
  OwnedCount releases;
  OwnedCount system_allocations;
};

struct SmallList {
  FreeBlock* first = nullptr;
  OwnedCount length;
};

/// One thread's small blocks on one device.
struct ThreadCache {
  SmallList bins[small_bins];
  Counts counted;
  OwnedCount max_live_bytes;  ///< maximum live bytes since the last update_peak()
  std::int64_t live_upper_bound = peak_tolerance_bytes;
  std::int64_t live_lower_bound = -peak_tolerance_bytes;
  ThreadCache* next = nullptr;
  ThreadCache* previous = nullptr;
  int index = 0;
};

struct DeviceUsage {
  std::atomic<std::size_t> limit{SIZE_MAX};
  /// Counts of ended threads, and of allocations and releases that bypass a thread's cache. Not in
  /// the cache line of the limit, which every allocation reads.
  alignas(64) Counts counted;
  std::int64_t peak = 0;
  std::size_t external_bytes = 0;  ///< charged by charge_external()
  std::size_t cached_bytes = 0;
  std::size_t cached_medium = 0;
  FreeBlock* medium[medium_bins] = {};
  FreeBlock* large = nullptr;  ///< most recently used first
  ThreadCache* threads = nullptr;
};

// Constant-initialized and without destructors, so that arrays in static objects can be created
// before and released after main(). One mutex serves all devices: fork() must lock it, and several
// logical devices exist for tests only.
extern constinit DeviceUsage usages[max_devices];
extern constinit std::mutex usages_mutex;

// One pointer per thread in static TLS: a read takes 1 ns, where dynamic TLS needs a call.
struct ThreadCaches {
  ThreadCache* device_caches[max_devices];
};
[[gnu::tls_model("initial-exec")]] extern constinit thread_local ThreadCaches* thread_caches;

/// Collects blocks while the lock is held; the destructor returns them to the system after the lock
/// is released.
class DoomedBlocks {
 public:
  DoomedBlocks() = default;
  DoomedBlocks(const DoomedBlocks&) = delete;
  DoomedBlocks& operator=(const DoomedBlocks&) = delete;
  ~DoomedBlocks() {
    while (first_ != nullptr) free_system_block(std::exchange(first_, first_->next));
  }
  void add(FreeBlock* block) noexcept {
    block->next = first_;
    first_ = block;
    nbytes_ += block->capacity;
  }
  std::size_t nbytes() const noexcept { return nbytes_; }

 private:
  FreeBlock* first_ = nullptr;
  std::size_t nbytes_ = 0;
};

/// In this header, functions that take a DeviceUsage require the lock.
[[nodiscard]] std::int64_t total_live(const DeviceUsage& usage) noexcept;
[[nodiscard]] std::size_t total_cached(const DeviceUsage& usage) noexcept;
/// Calls the function set by set_external_trim(). The caller must not hold the lock.
void trim_external() noexcept;
/// True if `more` bytes fit within the limit; false if usage already exceeds it, after the limit
/// was lowered. Cached blocks count as used.
[[nodiscard]] bool fits(const DeviceUsage& usage, std::size_t more) noexcept;

/// Updates the peak with the calling thread's maximum since the last update.
void update_peak(DeviceUsage& usage, ThreadCache* cache) noexcept;
/// Updates the peak before live bytes outside the thread's own counts change.
void flush_thread_peak(DeviceUsage& usage, ThreadCache* cache) noexcept;

void empty_bins(ThreadCache& cache, DoomedBlocks& doomed) noexcept;

inline ThreadCache* own_cache(int index) noexcept {
  return thread_caches == nullptr ? nullptr : thread_caches->device_caches[index];
}

[[gnu::noinline]] ThreadCache* make_cache(int index) noexcept;

/// Returns the calling thread's cache, created at first use; null while the thread exits.
inline ThreadCache* find_or_make_cache(int index) noexcept {
  ThreadCache* cache = own_cache(index);
  return cache != nullptr ? cache : make_cache(index);
}

}  // namespace skerry::cpu
