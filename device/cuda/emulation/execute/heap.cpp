// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/emulation/execute/heap.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "device/cuda/emulation/execute/block.hpp"

namespace skerry::emulation {
namespace {

constexpr std::uint64_t unit = 16;
/// Between two blocks: bytes that nobody may access.
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

/// False if there are no addresses for it.
bool DeviceHeap::map() {
  if (begin_.load() != 0) return true;
  void* const data = mmap(nullptr, nbytes_, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (data == MAP_FAILED) return false;
  begin_.store(reinterpret_cast<std::uint64_t>(data));
  return true;
}

/// The first place from `from` on; forgets blocks that were freed there.
std::optional<std::uint64_t> DeviceHeap::take(std::uint64_t from, std::uint64_t nbytes) {
  std::uint64_t place = from;
  const auto end_of = [](const auto& one) { return one.first + rounded(one.second.asked) + gap; };
  auto next = blocks_.lower_bound(from);
  if (next != blocks_.begin()) {
    const auto& last = *std::prev(next);
    if (!last.second.is_free) place = std::max(place, end_of(last));
  }
  for (; next != blocks_.end() && next->first < place + nbytes + gap; ++next) {
    if (!next->second.is_free) place = std::max(place, end_of(*next));
  }
  if (place + nbytes > begin_ + nbytes_) return std::nullopt;
  const auto first = blocks_.lower_bound(place);
  const auto is_over = [&](const auto& one) {
    return one.second.is_free && one.first < place + nbytes;
  };
  auto last = first;
  while (last != blocks_.end() && is_over(*last)) ++last;
  auto begin = first;
  if (begin != blocks_.begin()) {
    const auto& reaching = *std::prev(begin);
    if (reaching.second.is_free && end_of(reaching) > place) --begin;
  }
  blocks_.erase(begin, last);
  return place;
}

std::uint64_t DeviceHeap::allocate(std::uint64_t nbytes) {
  const std::lock_guard lock(mutex_);
  if (nbytes > nbytes_ || !map()) return 0;
  const std::uint64_t wanted = rounded(nbytes);
  std::optional<std::uint64_t> place = take(begin_ + next_, wanted);
  if (!place) place = take(begin_, wanted);
  if (!place) return 0;
  blocks_[*place] = {nbytes, false};
  next_ = *place + wanted + gap - begin_;
  std::memset(reinterpret_cast<void*>(*place), poison, wanted);
  return *place;
}

std::string DeviceHeap::release(std::uint64_t address) {
  const std::lock_guard lock(mutex_);
  const auto found = blocks_.find(address);
  if (found == blocks_.end()) return "free of an address that malloc did not give";
  if (found->second.is_free) return "free of memory that was freed before";
  found->second.is_free = true;
  return {};
}

const std::pair<const std::uint64_t, DeviceHeap::BlockState>* DeviceHeap::before(
    std::uint64_t address) const {
  const auto after = blocks_.upper_bound(address);
  return after == blocks_.begin() ? nullptr : &*std::prev(after);
}

Allocation DeviceHeap::find(std::uint64_t address) const {
  const std::lock_guard lock(mutex_);
  const auto* const near = before(address);
  if (near == nullptr || near->second.is_free) return {};
  const std::uint64_t end = near->first + near->second.asked;
  return address < end ? Allocation{near->first, end} : Allocation{};
}

MemoryNear DeviceHeap::nearest(std::uint64_t address) const {
  const std::lock_guard lock(mutex_);
  MemoryNear found{.state = MemoryState::live, .address = address, .is_of_malloc = true};
  if (const auto* const near = before(address)) {
    found.begin = near->first;
    found.nbytes = near->second.asked;
    if (near->second.is_free && found.beyond() == 0) found.state = MemoryState::freed;
  }
  return found;
}

std::size_t DeviceHeap::blocks() const {
  const std::lock_guard lock(mutex_);
  return static_cast<std::size_t>(
      std::ranges::count_if(blocks_, [](const auto& one) { return !one.second.is_free; }));
}

}  // namespace skerry::emulation
