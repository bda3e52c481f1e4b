// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/rehearsal/packed_blocks.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>

namespace skerry::rehearsal {

namespace {

constexpr std::size_t cuda_alignment = 256;
constexpr std::size_t red_zone = 64;
constexpr int red_byte = 0xfb;
/// Pages are made accessible in steps of this size: a system call per block would dominate the
/// cost.
constexpr std::size_t step = std::size_t{1} << 20;

constexpr std::size_t span_of(std::size_t nbytes) noexcept {
  return (nbytes + red_zone + cuda_alignment - 1) / cuda_alignment * cuda_alignment;
}

}  // namespace

void PackedBlocks::use(std::uintptr_t first, std::size_t extent) noexcept {
  first_ = next_ = mapped_end_ = first;
  end_ = first + extent;
}

bool PackedBlocks::map_up_to(std::uintptr_t end) noexcept {
  if (end <= mapped_end_) return true;
  const std::uintptr_t new_end =
      std::min(end_, mapped_end_ + (end - mapped_end_ + step - 1) / step * step);
  if (mprotect(reinterpret_cast<void*>(mapped_end_), new_end - mapped_end_,
               PROT_READ | PROT_WRITE) != 0) {
    return false;
  }
  mapped_end_ = new_end;
  return true;
}

void* PackedBlocks::take(std::size_t nbytes) {
  const std::size_t span = span_of(nbytes);
  std::vector<std::uintptr_t>& free_blocks = free_[span];
  std::uintptr_t start = next_;
  if (!free_blocks.empty()) {
    start = free_blocks.back();
    free_blocks.pop_back();
  } else {
    if (span > end_ - next_ || !map_up_to(next_ + span)) return nullptr;
    next_ += span;
  }
  ++out_;
  void* const data = reinterpret_cast<void*>(start);
  std::memset(static_cast<char*>(data) + nbytes, red_byte, red_zone);
  return data;
}

bool PackedBlocks::is_intact(const void* data, std::size_t nbytes) noexcept {
  const auto* const behind = static_cast<const unsigned char*>(data) + nbytes;
  return std::all_of(behind, behind + red_zone,
                     [](unsigned char byte) { return byte == red_byte; });
}

void PackedBlocks::give_back(void* data, std::size_t nbytes) noexcept {
  --out_;
  if (out_ == 0) {
    free_.clear();
    next_ = first_;
    return;
  }
  try {
    free_[span_of(nbytes)].push_back(reinterpret_cast<std::uintptr_t>(data));
  } catch (const std::bad_alloc&) {
    // The addresses leak until all blocks are returned.
  }
}

void PackedBlocks::trim() noexcept {
  if (out_ != 0 || mapped_end_ == first_) return;
  void* const start = reinterpret_cast<void*>(first_);
  if (mmap(start, mapped_end_ - first_, PROT_NONE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == start) {
    mapped_end_ = first_;
  }
}

}  // namespace skerry::rehearsal
