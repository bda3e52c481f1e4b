// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/rehearsal/address_range.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <new>

#include "device/cuda/api.hpp"
#include "device/guard/uninitialized_bytes.hpp"
#include "device/page_size.hpp"

namespace skerry::rehearsal {

namespace {

constexpr std::size_t preferred_extent = AddressRange::wished_stride / 2;
constexpr std::size_t min_extent = std::size_t{64} << 20;

// Unless blocks are guarded, new memory is filled with 0xff (NaN, or -1) and freed memory with 0xfd
// (-4.2e37 as float32, -33686019 as int32): neither looks like a result.
constexpr int uninitialized_byte = 0xff;
constexpr int freed_byte = 0xfd;
/// Unless blocks are guarded, larger new blocks are not filled, so that pages that are never
/// accessed cost nothing.
constexpr std::size_t largest_filled = std::size_t{1} << 20;

/// Returns the maximum number of guard pages of all devices together. A guard page splits a mapping
/// in two, and half of the mappings allowed per process are left to other code.
std::size_t max_guards() noexcept {
  static const std::size_t limit = [] {
    std::size_t mappings = 65530;  // Linux's default
    if (std::FILE* const file = std::fopen("/proc/sys/vm/max_map_count", "re")) {
      if (std::fscanf(file, "%zu", &mappings) != 1) mappings = 65530;
      std::fclose(file);
    }
    return std::min<std::size_t>(mappings, 65530) / 4;
  }();
  return limit;
}
constinit std::atomic<std::size_t> guards{0};

void* pointer(std::uintptr_t address) noexcept { return reinterpret_cast<void*>(address); }
std::uintptr_t address(const void* data) noexcept { return reinterpret_cast<std::uintptr_t>(data); }

/// Returns the first page of a guarded block, whose data may begin anywhere in that page.
std::uintptr_t first_page(const void* data) noexcept {
  return address(data) / page_size() * page_size();
}

/// Makes a range inaccessible. Remaps it, so that the mapping merges with its neighbors.
bool forbid(std::uintptr_t start, std::size_t nbytes) noexcept {
  return mmap(pointer(start), nbytes, PROT_NONE,
              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) != MAP_FAILED;
}

bool may_map(std::size_t nbytes) noexcept {
  void* const got =
      mmap(nullptr, nbytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (got != MAP_FAILED) munmap(got, nbytes);
  return got != MAP_FAILED;
}

bool is_guarded() noexcept { return block_placement.load() != BlockPlacement::aligned; }

void fill_new_block(void* data, std::size_t nbytes, std::size_t span) noexcept {
  if (is_guarded()) {
    guard::fill_uninitialized(data, nbytes);
  } else if (nbytes <= largest_filled) {
    std::memset(data, uninitialized_byte, span == 0 ? nbytes : span - page_size());
  }
}

/// Invalidates a freed block: later uses fault or read the fill pattern.
void end_use(void* data, std::size_t nbytes, std::size_t span) noexcept {
  if (is_guarded() && span != 0 && forbid(first_page(data), span)) {
    guards.fetch_sub(1);
  } else {
    std::memset(data, freed_byte, span == 0 ? nbytes : span - page_size());
  }
}

/// Returns the last block that begins at or before `data`; null if there is none.
template <class Blocks>
const typename Blocks::value_type* last_before(const Blocks& blocks, const void* data) noexcept {
  const auto next_block = blocks.upper_bound(address(data));
  return next_block == blocks.begin() ? nullptr : &*std::prev(next_block);
}

}  // namespace

bool AddressRange::reserve(std::size_t limit) noexcept {
  const std::uintptr_t wish = first_wish + static_cast<std::uintptr_t>(ordinal_) * wished_stride;
  // Reserve 64 GiB, or three times the limit if that is more: two thirds for guarded blocks with
  // guard pages and fragmentation, one third for packed blocks. If the process may map less, halve
  // the extent until as much again stays free for other code.
  for (std::size_t extent = std::max(preferred_extent, 3 * whole_pages(limit));
       extent >= min_extent; extent /= 2) {
    void* got =
        mmap(pointer(wish), extent, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (got == MAP_FAILED) continue;
    if (extent < preferred_extent && !may_map(extent)) {
      munmap(got, extent);
      continue;
    }
    const std::size_t guarded = extent / 3 * 2 / page_size() * page_size();
    try {
      // The first page stays inaccessible, as a guard before the first block.
      free_[address(got) + page_size()] = guarded - page_size();
    } catch (const std::bad_alloc&) {
      munmap(got, extent);
      return false;
    }
    packed_.use(address(got) + guarded, extent - guarded);
    base_ = address(got);
    extent_ = extent;
    return true;
  }
  return false;
}

/// Returns a guarded block; null if no free range or no mapping is left.
void* AddressRange::take_guarded(std::size_t nbytes) {
  if (guards.load() >= max_guards() && stale_guards_ >= max_guards() / 4) trim_guarded();
  if (guards.load() >= max_guards()) return nullptr;
  const std::size_t usable = whole_pages(nbytes);
  const std::size_t span = usable + page_size();
  const auto free_range = std::find_if(free_.begin(), free_.end(),
                                       [&](const auto& range) { return range.second >= span; });
  if (free_range == free_.end()) return nullptr;
  const auto [start, available] = *free_range;
  if (mprotect(pointer(start), usable, PROT_READ | PROT_WRITE) != 0) return nullptr;
  if (mprotect(pointer(start + usable), page_size(), PROT_NONE) != 0) return nullptr;
  if (available > span) free_[start + span] = available - span;
  free_.erase(start);
  guards.fetch_add(1);
  return pointer(block_placement.load() == BlockPlacement::at_end ? start + usable - nbytes
                                                                  : start);
}

int AddressRange::allocate(void** data, std::size_t nbytes, std::size_t limit) noexcept try {
  const std::lock_guard lock(mutex_);
  if (nbytes > limit || live_bytes_ > limit - nbytes) return cuda::memory_allocation;
  if (extent_ == 0 && !reserve(limit)) return cuda::memory_allocation;
  std::size_t span = whole_pages(nbytes) + page_size();
  void* block_data = take_guarded(nbytes);
  if (block_data == nullptr && !waiting_.empty()) {
    end_quarantine(0);
    block_data = take_guarded(nbytes);
  }
  if (block_data == nullptr) {
    span = 0;
    block_data = packed_.take(nbytes);
  }
  if (block_data == nullptr) return cuda::memory_allocation;
  try {
    blocks_.emplace(address(block_data), Block{nbytes, span});
  } catch (...) {
    free_place(block_data, nbytes, span);
    throw;
  }
  live_bytes_ += nbytes;
  discard_freed(block_data, nbytes);
  fill_new_block(block_data, nbytes, span);
  if (const MemoryMonitor* const monitor = memory_watcher.load())
    monitor->allocated(block_data, nbytes);
  if (const auto observe = allocation_observer.load()) observe(block_data, nbytes);
  *data = block_data;
  return cuda::success;
} catch (const std::bad_alloc&) {
  return cuda::memory_allocation;
}

bool AddressRange::retire(void* data) noexcept {
  const std::lock_guard lock(mutex_);
  const auto block = blocks_.find(address(data));
  if (block == blocks_.end() || block->second.retired) return false;
  block->second.retired = true;
  return true;
}

bool AddressRange::share(void* data, int file, std::size_t page_bytes) noexcept {
  const std::lock_guard lock(mutex_);
  const auto block = blocks_.find(address(data));
  if (block == blocks_.end() || block->second.retired || block->second.span == 0 ||
      block->second.pages != Pages::anonymous) {
    return false;
  }
  void* const first = pointer(first_page(data));
  if (mmap(first, page_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) != first)
    return false;
  block->second.pages = Pages::exported;
  return true;
}

int AddressRange::open_shared(void** data, std::size_t nbytes, std::size_t padding, int file,
                              std::size_t limit) noexcept try {
  const std::lock_guard lock(mutex_);
  if (extent_ == 0 && !reserve(limit)) return cuda::memory_allocation;
  const std::size_t page_bytes = whole_pages(padding + nbytes);
  const std::size_t span = page_bytes + page_size();
  // Whole pages begin with the first one, whatever the placement.
  void* const first = take_guarded(page_bytes);
  if (first == nullptr) return cuda::memory_allocation;
  char* const block_data = static_cast<char*>(first) + padding;
  if (mmap(first, page_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) != first) {
    free_place(first, page_bytes, span);
    return cuda::memory_allocation;
  }
  try {
    blocks_.emplace(address(block_data),
                    Block{.nbytes = nbytes, .span = span, .pages = Pages::opened});
  } catch (...) {
    static_cast<void>(forbid(address(first), span));
    free_place(first, page_bytes, span);
    throw;
  }
  discard_freed(block_data, nbytes);
  *data = block_data;
  return cuda::success;
} catch (const std::bad_alloc&) {
  return cuda::memory_allocation;
}

/// Ends the use of a block's pages. Pages of a file are replaced by anonymous ones; those of
/// another process keep their contents.
void AddressRange::end_pages(void* data, const Block& block) noexcept {
  if (block.pages != Pages::opened) end_use(data, block.nbytes, block.span);
  if (block.pages == Pages::anonymous) return;
  static_cast<void>(forbid(first_page(data), block.span));
  if (block.pages == Pages::exported) {
    discard_shared(data);
  } else if (is_guarded()) {
    guards.fetch_sub(1);  // as end_use() does
  }
}

void AddressRange::restore(void* data) noexcept {
  const std::lock_guard lock(mutex_);
  const auto block = blocks_.find(address(data));
  if (block != blocks_.end()) block->second.retired = false;
}

bool AddressRange::reclaim(void* data) noexcept {
  Block old{};
  {
    const std::lock_guard lock(mutex_);
    const auto block = blocks_.find(address(data));
    if (block == blocks_.end() || !block->second.retired) return true;
    old = block->second;
  }
  // Retired blocks have no other user, so the slow part runs without the lock.
  const bool is_intact = old.span != 0 || PackedBlocks::is_intact(data, old.nbytes);
  end_pages(data, old);
  const std::lock_guard lock(mutex_);
  blocks_.erase(address(data));
  if (old.pages != Pages::opened) live_bytes_ -= old.nbytes;
  freed_[next_freed_++ % freed_.size()] = {data, old.nbytes};
  const std::size_t quarantine_bytes = bytes_in_quarantine.load();
  if (quarantine_bytes == 0) {
    free_place(data, old.nbytes, old.span);
    return is_intact;
  }
  try {
    waiting_.push_back({data, old.nbytes, old.span});
    waiting_bytes_ += old.nbytes;
  } catch (const std::bad_alloc&) {
    free_place(data, old.nbytes, old.span);
  }
  end_quarantine(quarantine_bytes);
  return is_intact;
}

void AddressRange::end_quarantine(std::size_t max_bytes) noexcept {
  // Also limits the number of blocks to what find_freed() can report.
  while (!waiting_.empty() && (waiting_bytes_ > max_bytes || waiting_.size() > freed_.size())) {
    const Quarantined oldest = waiting_.front();
    waiting_.pop_front();
    waiting_bytes_ -= oldest.nbytes;
    free_place(oldest.data, oldest.nbytes, oldest.span);
  }
}

void AddressRange::free_place(void* data, std::size_t nbytes, std::size_t span) noexcept {
  if (span == 0) return packed_.give_back(data, nbytes);
  if (!is_guarded()) ++stale_guards_;
  try {
    add_free(first_page(data), span);
  } catch (const std::bad_alloc&) {
    // The addresses leak, which only reduces the usable range.
  }
}

void AddressRange::add_free(std::uintptr_t start, std::size_t span) {
  auto [here, is_inserted] = free_.emplace(start, span);
  static_cast<void>(is_inserted);
  const auto next_range = std::next(here);
  if (next_range != free_.end() && here->first + here->second == next_range->first) {
    here->second += next_range->second;
    free_.erase(next_range);
  }
  if (here == free_.begin()) return;
  const auto previous_range = std::prev(here);
  if (previous_range->first + previous_range->second != here->first) return;
  previous_range->second += here->second;
  free_.erase(here);
}

void AddressRange::release_all() noexcept {
  for (;;) {
    void* first = nullptr;
    {
      const std::lock_guard lock(mutex_);
      if (blocks_.empty()) return;
      blocks_.begin()->second.retired = true;
      first = pointer(blocks_.begin()->first);
    }
    static_cast<void>(reclaim(first));
  }
}

void AddressRange::trim() noexcept {
  const std::lock_guard lock(mutex_);
  end_quarantine(0);
  trim_guarded();
  packed_.trim();
}

void AddressRange::trim_guarded() noexcept {
  for (const auto& [start, span] : free_) {
    // Remaps the range, so that a late access faults at once. mprotect alone would keep the split
    // mappings and their pages.
    static_cast<void>(forbid(start, span));
  }
  guards.fetch_sub(stale_guards_);
  stale_guards_ = 0;
}

bool AddressRange::contains(const void* data) const noexcept {
  const std::size_t extent = extent_.load(std::memory_order_acquire);
  return address(data) - base_.load(std::memory_order_relaxed) < extent;
}

bool AddressRange::covers(const void* data, std::size_t nbytes, bool retired_too) noexcept {
  const std::lock_guard lock(mutex_);
  const auto* const block = last_before(blocks_, data);
  if (block == nullptr || (block->second.retired && !retired_too)) return false;
  const std::uintptr_t offset = address(data) - block->first;
  return offset <= block->second.nbytes && nbytes <= block->second.nbytes - offset;
}

MemoryBlock AddressRange::find(const void* data, bool retired_too) noexcept {
  const std::lock_guard lock(mutex_);
  const auto* const block = last_before(blocks_, data);
  if (block == nullptr || (block->second.retired && !retired_too)) return {};
  if (address(data) - block->first >= block->second.nbytes) return {};
  return {pointer(block->first), block->second.nbytes};
}

MemoryBlock AddressRange::nearest(const void* data) noexcept {
  const std::lock_guard lock(mutex_);
  const auto next_block = blocks_.upper_bound(address(data));
  const bool has_before = next_block != blocks_.begin();
  if (next_block == blocks_.end() && !has_before) return {};
  if (!has_before) return {pointer(next_block->first), next_block->second.nbytes};
  const auto& [start, previous_block] = *std::prev(next_block);
  const std::uintptr_t past = address(data) - (start + previous_block.nbytes);
  if (next_block != blocks_.end() && next_block->first - address(data) < past) {
    return {pointer(next_block->first), next_block->second.nbytes};
  }
  return {pointer(start), previous_block.nbytes};
}

MemoryBlock AddressRange::find_freed(const void* data) noexcept {
  const std::lock_guard lock(mutex_);
  for (const MemoryBlock& one : freed_) {
    if (one && address(data) - address(one.data) < one.nbytes) return one;
  }
  return {};
}

void AddressRange::discard_freed(const void* data, std::size_t nbytes) noexcept {
  for (MemoryBlock& one : freed_) {
    if (!one) continue;
    const std::uintptr_t begin = address(one.data);
    if (begin < address(data) + nbytes && address(data) < begin + one.nbytes) one = {};
  }
}

std::size_t AddressRange::live_blocks() noexcept {
  const std::lock_guard lock(mutex_);
  return blocks_.size();
}

std::size_t AddressRange::live_bytes() noexcept {
  const std::lock_guard lock(mutex_);
  return live_bytes_;
}

}  // namespace skerry::rehearsal
