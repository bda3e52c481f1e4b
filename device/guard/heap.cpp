// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/guard/heap.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <new>
#include <thread>

#include <malloc.h>
#include <pthread.h>
#include <sys/mman.h>

#include "device/allocator.hpp"
#include "device/guard/uninitialized_bytes.hpp"
#include "device/page_size.hpp"

namespace skerry::guard {

namespace {

constexpr std::size_t gap = std::size_t{64} << 10;  ///< the largest page size
constexpr std::size_t preferred_extent = std::size_t{64} << 30;
constexpr std::size_t min_extent = std::size_t{256} << 20;
constexpr std::size_t fallback_alignment = 64;
constexpr int slack_byte = 0xfb;

constexpr int reserved = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

std::uintptr_t address(const void* data) noexcept { return reinterpret_cast<std::uintptr_t>(data); }
char* pointer(std::uintptr_t address) noexcept { return reinterpret_cast<char*>(address); }

/// Returns the maximum number of guarded blocks, two mappings each: an eighth of the process's
/// mappings. Half are left to other code, and half of the rest to rehearsed devices.
std::size_t max_guards() noexcept {
  std::size_t mappings = 65530;  // Linux's default
  if (std::FILE* const file = std::fopen("/proc/sys/vm/max_map_count", "re")) {
    if (std::fscanf(file, "%zu", &mappings) != 1) mappings = 65530;
    std::fclose(file);
  }
  return std::min<std::size_t>(mappings, 65530) / 8;
}

struct Block {
  char* data;
  std::size_t nbytes;
  std::size_t usable;  ///< bytes of whole pages, after a gap
  [[nodiscard]] std::size_t span() const noexcept { return gap + usable; }
};

class Heap {
 public:
  static Heap& instance() noexcept {
    // Never destroyed: some arrays live until the process ends.
    static Heap* const created = new Heap;
    return *created;
  }

  [[nodiscard]] void* allocate(std::size_t nbytes) noexcept;
  /// Returns false if `data` is not from this heap.
  [[nodiscard]] bool release(void* data) noexcept;
  [[nodiscard]] std::size_t size_of(const void* data) noexcept;
  [[nodiscard]] bool locate(const void* data, FaultBlock& fault_block) noexcept;
  [[nodiscard]] bool contains(const void* data) const noexcept {
    return address(data) - first_ < extent_;
  }

  std::mutex mutex_;

 private:
  Heap() noexcept;
  [[nodiscard]] std::uintptr_t find_place(std::size_t span) noexcept;

  std::uintptr_t first_ = 0;
  std::size_t extent_ = 0;
  std::uintptr_t cursor_ = 0;
  const std::size_t max_blocks_;
  std::map<std::uintptr_t, Block> live_;  ///< by the start of the gap before the block
  std::array<Block, 4096> freed_{};       ///< the last freed blocks, a ring buffer
  std::size_t next_freed_ = 0;
};

void lock_before_fork() { Heap::instance().mutex_.lock(); }
void unlock_after_fork() { Heap::instance().mutex_.unlock(); }

Heap::Heap() noexcept : max_blocks_(max_guards()) {
  for (std::size_t extent = preferred_extent; extent >= min_extent; extent /= 2) {
    void* const got = mmap(nullptr, extent, PROT_NONE, reserved, -1, 0);
    if (got == MAP_FAILED) continue;
    // Align to the gap, a multiple of every page size.
    first_ = cursor_ = (address(got) + gap - 1) / gap * gap;
    extent_ = extent - gap;
    break;
  }
  pthread_atfork(lock_before_fork, unlock_after_fork, unlock_after_fork);
  add_fault_finder(guard::locate);
  catch_faults();
}

/// Finds a place after the last block, so that freed places are reused as late as possible; 0 if
/// there is none. The last gap of the range is never used.
std::uintptr_t Heap::find_place(std::size_t span) noexcept {
  const std::uintptr_t end = first_ + extent_ - gap;
  if (span > end - first_) return 0;
  std::uintptr_t start = cursor_;
  for (int lap = 0; lap < 2; ++lap, start = first_) {
    for (auto next = live_.lower_bound(start);; ++next) {
      const std::uintptr_t limit = next == live_.end() ? end : next->first;
      if (start <= limit && span <= limit - start) return start;
      if (next == live_.end()) break;
      start = next->first + next->second.span();
    }
  }
  return 0;
}

/// Allocates a block; null if no guards or no memory are left.
void* Heap::allocate(std::size_t nbytes) noexcept try {
  if (extent_ == 0 || nbytes > extent_) return nullptr;
  const std::size_t usable = whole_pages(std::max<std::size_t>(nbytes, 1));
  const std::size_t slack = usable - nbytes;
  const bool at_end = selected_allocator() == Allocator::guard;
  char* data = nullptr;
  {
    const std::lock_guard lock(mutex_);
    if (live_.size() >= max_blocks_) return nullptr;
    const std::uintptr_t start = find_place(gap + usable);
    if (start == 0) return nullptr;
    char* const begin = pointer(start + gap);
    data = at_end ? begin + slack : begin;
    const auto [entry, is_new] = live_.emplace(start, Block{data, nbytes, usable});
    static_cast<void>(is_new);
    // Not mprotect: a range mapped with MAP_NORESERVE would be granted beyond the available memory,
    // while a new mapping fails.
    if (mmap(begin, usable, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
             0) == MAP_FAILED) {
      live_.erase(entry);
      return nullptr;
    }
    cursor_ = start + gap + usable;
  }
  std::memset(at_end ? data - slack : data + nbytes, slack_byte, slack);
  return data;
} catch (const std::bad_alloc&) {
  return nullptr;
}

bool Heap::release(void* data) noexcept {
  if (!contains(data)) return false;
  const std::lock_guard lock(mutex_);
  const auto entry = live_.find(address(data) / page_size() * page_size() - gap);
  if (entry == live_.end() || entry->second.data != data) {
    report_overwritten({static_cast<char*>(data), 0, true}, "freed although it is not in use");
  }
  const Block old = entry->second;
  char* const begin = pointer(entry->first + gap);
  const auto is_intact = [](const char* first, const char* last) {
    return std::all_of(first, last, [](char one) { return one == static_cast<char>(slack_byte); });
  };
  if (!is_intact(begin, old.data)) {
    report_overwritten({old.data, old.nbytes, false}, "written before its beginning");
  }
  if (!is_intact(old.data + old.nbytes, begin + old.usable)) {
    report_overwritten({old.data, old.nbytes, false}, "written beyond its end");
  }
  // Remaps the pages, so that the mapping merges with its neighbors and the memory is released.
  mmap(begin, old.usable, PROT_NONE, reserved | MAP_FIXED, -1, 0);
  live_.erase(entry);
  freed_[next_freed_++ % freed_.size()] = old;
  return true;
}

std::size_t Heap::size_of(const void* data) noexcept {
  const std::lock_guard lock(mutex_);
  const auto entry = live_.find(address(data) / page_size() * page_size() - gap);
  return entry == live_.end() ? 0 : entry->second.nbytes;
}

/// Called in a signal handler. Waits up to 0.1 s for the lock, which another thread may hold; the
/// faulting thread doesn't, since the heap's own code does not fault.
bool Heap::locate(const void* data, FaultBlock& fault_block) noexcept {
  if (!contains(data)) return false;
  std::unique_lock lock(mutex_, std::defer_lock);
  for (int tries = 0; !lock.try_lock(); ++tries) {
    if (tries == 100) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  std::uintptr_t nearest = UINTPTR_MAX;
  const auto consider = [&](const Block& one, bool is_freed) {
    if (one.data == nullptr) return;
    const std::uintptr_t bytes_before = address(one.data) - address(data);
    const std::uintptr_t bytes_after = address(data) - address(one.data);
    const std::uintptr_t distance = address(data) < address(one.data) ? bytes_before
                                    : bytes_after < one.nbytes ? 0
                                                               : bytes_after - one.nbytes + 1;
    if (distance >= nearest) return;
    nearest = distance;
    fault_block = {one.data, one.nbytes, is_freed};
  };
  const auto behind = live_.lower_bound(address(data));
  // Entries begin with the gap, so the block that ends before the address may be the second before
  // it.
  if (behind != live_.end()) consider(behind->second, false);
  auto previous_block = behind;
  for (int i = 0; i < 2 && previous_block != live_.begin(); ++i)
    consider((--previous_block)->second, false);
  for (const Block& one : freed_) consider(one, true);
  return nearest != UINTPTR_MAX;
}

/// Allocates a block and fills it. Falls back to unguarded memory.
void* allocate_filled(std::size_t nbytes, void (*fill)(void* data, std::size_t nbytes)) noexcept {
  void* data = Heap::instance().allocate(nbytes);
  if (data == nullptr && nbytes < SIZE_MAX - fallback_alignment) {
    data = std::aligned_alloc(fallback_alignment,
                              (nbytes / fallback_alignment + 1) * fallback_alignment);
  }
  if (data != nullptr) fill(data, nbytes);
  return data;
}

}  // namespace

bool is_on() noexcept {
  static const bool is_enabled =
      selected_allocator() == Allocator::guard || selected_allocator() == Allocator::guard_front;
  return is_enabled;
}

void prepare() noexcept { static_cast<void>(Heap::instance()); }

void* allocate(std::size_t nbytes) noexcept { return allocate_filled(nbytes, fill_uninitialized); }

void* allocate_zeros(std::size_t nbytes) noexcept {
  return allocate_filled(nbytes, [](void* data, std::size_t n) { std::memset(data, 0, n); });
}

void release(void* data) noexcept {
  if (data == nullptr || Heap::instance().release(data)) return;
  std::free(data);
}

std::size_t size_of(const void* data) noexcept {
  Heap& all = Heap::instance();
  return all.contains(data) ? all.size_of(data) : malloc_usable_size(const_cast<void*>(data));
}

bool locate(const void* address, FaultBlock& fault_block) noexcept {
  return Heap::instance().locate(address, fault_block);
}

}  // namespace skerry::guard
