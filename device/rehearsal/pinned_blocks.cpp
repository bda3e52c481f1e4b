// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/rehearsal/pinned_blocks.hpp"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <new>

#include "device/cuda/api.hpp"
#include "device/page_size.hpp"

namespace skerry::rehearsal {

namespace {

void* pointer(std::uintptr_t address) noexcept { return reinterpret_cast<void*>(address); }
std::uintptr_t address(const void* data) noexcept { return reinterpret_cast<std::uintptr_t>(data); }

}  // namespace

const PinnedBlocks::entry* PinnedBlocks::last_before(const void* data) const noexcept {
  const auto next_block = blocks_.upper_bound(address(data));
  return next_block == blocks_.begin() ? nullptr : &*std::prev(next_block);
}

int PinnedBlocks::allocate(void** data, std::size_t nbytes) noexcept try {
  void* block_data = std::aligned_alloc(page_size(), whole_pages(std::max<std::size_t>(nbytes, 1)));
  if (block_data == nullptr) return cuda::memory_allocation;
  const std::lock_guard lock(mutex_);
  try {
    blocks_.emplace(address(block_data), Block{nbytes, false, {}});
  } catch (...) {
    std::free(block_data);
    throw;
  }
  live_bytes_ += nbytes;
  *data = block_data;
  return cuda::success;
} catch (const std::bad_alloc&) {
  return cuda::memory_allocation;
}

bool PinnedBlocks::erase(void* data, bool is_callers) noexcept {
  const std::lock_guard lock(mutex_);
  const auto block = blocks_.find(address(data));
  if (block == blocks_.end() || block->second.is_callers != is_callers) return false;
  live_bytes_ -= block->second.nbytes;
  blocks_.erase(block);
  return true;
}

bool PinnedBlocks::release(void* data) noexcept {
  if (!erase(data, false)) return false;
  std::free(data);
  return true;
}

int PinnedBlocks::add(void* data, std::size_t nbytes) noexcept try {
  if (data == nullptr || nbytes == 0) return cuda::invalid_value;
  const std::lock_guard lock(mutex_);
  const auto next_block = blocks_.lower_bound(address(data));
  const bool overlaps_next =
      next_block != blocks_.end() && next_block->first - address(data) < nbytes;
  const bool overlaps_last =
      next_block != blocks_.begin() &&
      address(data) - std::prev(next_block)->first < std::prev(next_block)->second.nbytes;
  if (overlaps_next || overlaps_last) return cuda::host_memory_already_registered;
  blocks_.emplace(address(data), Block{nbytes, true, {}});
  live_bytes_ += nbytes;
  return cuda::success;
} catch (const std::bad_alloc&) {
  return cuda::memory_allocation;
}

bool PinnedBlocks::remove(void* data) noexcept { return erase(data, true); }

MemoryBlock PinnedBlocks::find(const void* data) noexcept {
  const std::lock_guard lock(mutex_);
  const auto* const block = last_before(data);
  if (block == nullptr || address(data) - block->first >= block->second.nbytes) return {};
  return {pointer(block->first), block->second.nbytes};
}

MemoryBlock PinnedBlocks::nearest(const void* data) noexcept {
  const std::lock_guard lock(mutex_);
  const auto* const block = last_before(data);
  if (block == nullptr) return {};
  const std::size_t nbytes = block->second.nbytes;
  const std::size_t offset = address(data) - block->first;
  const bool is_in_pages = !block->second.is_callers && offset < whole_pages(nbytes);
  return offset <= nbytes || is_in_pages ? MemoryBlock{pointer(block->first), nbytes}
                                         : MemoryBlock{};
}

void PinnedBlocks::set_use(void* data, const HostUse& use) noexcept {
  const std::lock_guard lock(mutex_);
  const auto block = blocks_.find(address(data));
  if (block != blocks_.end()) block->second.use = use;
}

HostUse PinnedBlocks::use_of(const void* data) noexcept {
  const std::lock_guard lock(mutex_);
  const auto* const block = last_before(data);
  if (block == nullptr || address(data) - block->first >= block->second.nbytes) return {};
  return block->second.use;
}

bool PinnedBlocks::covers(const void* data, std::size_t nbytes) noexcept {
  const std::lock_guard lock(mutex_);
  const auto* const block = last_before(data);
  if (block == nullptr) return false;
  const std::uintptr_t offset = address(data) - block->first;
  return offset < block->second.nbytes && nbytes <= block->second.nbytes - offset;
}

std::size_t PinnedBlocks::live_blocks() noexcept {
  const std::lock_guard lock(mutex_);
  return blocks_.size();
}

std::size_t PinnedBlocks::live_bytes() noexcept {
  const std::lock_guard lock(mutex_);
  return live_bytes_;
}

}  // namespace skerry::rehearsal
