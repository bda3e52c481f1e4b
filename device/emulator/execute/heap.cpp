// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/execute/heap.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "device/emulator/execute/block.hpp"

namespace skerry::emulation {
namespace {

constexpr std::uint64_t unit = 16;
/// Inaccessible bytes between two blocks, which detect overruns.
constexpr std::uint64_t gap = 16;

[[nodiscard]] std::uint64_t rounded(std::uint64_t nbytes) {
  return (std::max<std::uint64_t>(nbytes, 1) + unit - 1) / unit * unit;
}

}  // namespace

DeviceHeap::~DeviceHeap() {
  if (const std::uint64_t begin = begin_.load(); begin != 0) {
    munmap(reinterpret_cast<void*>(begin), nbytes_);
  }
}

bool DeviceHeap::resize(std::size_t nbytes) {
  const std::lock_guard lock(mutex_);
  if (begin_.load() != 0) return false;
  nbytes_ = nbytes;
  return true;
}

/// Reserves the heap's address range on first use; false if that fails.
bool DeviceHeap::map() {
  if (begin_.load() != 0) return true;
  void* const data = mmap(nullptr, nbytes_, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (data == MAP_FAILED) return false;
  begin_.store(reinterpret_cast<std::uint64_t>(data));
  return true;
}

/// Returns the start of the first free range from `start` on, if there is one, and removes the
/// freed blocks that overlap it.
std::optional<std::uint64_t> DeviceHeap::take(std::uint64_t start, std::uint64_t nbytes) {
  std::uint64_t address = start;
  const auto end_of = [](const auto& one) {
    return one.first + rounded(one.second.requested_nbytes) + gap;
  };
  auto next = blocks_.lower_bound(start);
  if (next != blocks_.begin()) {
    const auto& last = *std::prev(next);
    if (!last.second.is_free) address = std::max(address, end_of(last));
  }
  for (; next != blocks_.end() && next->first < address + nbytes + gap; ++next) {
    if (!next->second.is_free) address = std::max(address, end_of(*next));
  }
  if (address + nbytes > begin_ + nbytes_) return std::nullopt;
  const auto first = blocks_.lower_bound(address);
  const auto is_over = [&](const auto& one) {
    return one.second.is_free && one.first < address + nbytes;
  };
  auto last = first;
  while (last != blocks_.end() && is_over(*last)) ++last;
  auto begin = first;
  if (begin != blocks_.begin()) {
    const auto& reaching = *std::prev(begin);
    if (reaching.second.is_free && end_of(reaching) > address) --begin;
  }
  blocks_.erase(begin, last);
  return address;
}

std::uint64_t DeviceHeap::allocate(std::uint64_t nbytes) {
  const std::lock_guard lock(mutex_);
  if (nbytes > nbytes_ || !map()) return 0;
  const std::uint64_t rounded_nbytes = rounded(nbytes);
  std::optional<std::uint64_t> address = take(begin_ + next_, rounded_nbytes);
  if (!address) address = take(begin_, rounded_nbytes);
  if (!address) return 0;
  blocks_[*address] = {nbytes, false};
  next_ = *address + rounded_nbytes + gap - begin_;
  std::memset(reinterpret_cast<void*>(*address), poison, rounded_nbytes);
  return *address;
}

std::string DeviceHeap::release(std::uint64_t address) {
  const std::lock_guard lock(mutex_);
  const auto block = blocks_.find(address);
  if (block == blocks_.end()) return "free of an address that malloc did not return";
  if (block->second.is_free) return "double free: this memory is already free";
  block->second.is_free = true;
  return {};
}

const std::pair<const std::uint64_t, DeviceHeap::BlockState>* DeviceHeap::preceding_block(
    std::uint64_t address) const {
  const auto next_block = blocks_.upper_bound(address);
  return next_block == blocks_.begin() ? nullptr : &*std::prev(next_block);
}

Allocation DeviceHeap::find(std::uint64_t address) const {
  const std::lock_guard lock(mutex_);
  const auto* const block = preceding_block(address);
  if (block == nullptr || block->second.is_free) return {};
  const std::uint64_t end = block->first + block->second.requested_nbytes;
  return address < end ? Allocation{block->first, end} : Allocation{};
}

MemoryNear DeviceHeap::nearest(std::uint64_t address) const {
  const std::lock_guard lock(mutex_);
  MemoryNear nearest_memory{.state = MemoryState::live, .address = address, .is_of_malloc = true};
  if (const auto* const block = preceding_block(address)) {
    nearest_memory.begin = block->first;
    nearest_memory.nbytes = block->second.requested_nbytes;
    if (block->second.is_free && nearest_memory.distance() == 0)
      nearest_memory.state = MemoryState::freed;
  }
  return nearest_memory;
}

std::size_t DeviceHeap::blocks() const {
  const std::lock_guard lock(mutex_);
  return static_cast<std::size_t>(
      std::ranges::count_if(blocks_, [](const auto& one) { return !one.second.is_free; }));
}

}  // namespace skerry::emulation
