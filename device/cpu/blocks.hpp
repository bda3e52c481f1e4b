// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace skerry::cpu {

inline constexpr std::size_t alignment = 64;
/// Size of a block's header, which precedes the data of a small or medium block; a large block's
/// header is a separate allocation.
inline constexpr std::size_t header_bytes = 64;
inline constexpr std::size_t max_small_bytes = 1024;
inline constexpr std::size_t min_large_bytes = std::size_t{1} << 20;
inline constexpr std::size_t huge_page = std::size_t{2} << 20;
/// Larger requests (above 64 TiB) fail at once, since reclaiming memory cannot help.
inline constexpr std::size_t max_block_bytes = std::size_t{1} << 46;

/// The header of a block that no array uses: new, cached, or about to be released.
struct FreeBlock {
  FreeBlock* next;
  char* data;
  std::size_t capacity;      ///< bytes counted in statistics
  std::size_t extent;        ///< bytes at `data`: the capacity, or less in guarded memory
  bool page_locked = false;  ///< for copies to and from CUDA devices
};

inline constexpr int small_bins = static_cast<int>(max_small_bytes / alignment) + 1;

/// Bin 0 is for headers without data.
constexpr int small_bin(std::size_t nbytes) noexcept {
  return static_cast<int>((nbytes + alignment - 1) / alignment);
}
constexpr std::size_t small_capacity(int bin) noexcept {
  return static_cast<std::size_t>(bin) * alignment;
}

/// Eight sizes per doubling from 1 KiB to 1 MiB.
inline constexpr int medium_bins = 80;

constexpr int medium_bin(std::size_t nbytes) noexcept {
  const std::size_t last = nbytes - 1;
  const int log2 = 63 - __builtin_clzll(last);
  return (log2 - 10) * 8 + static_cast<int>((last >> (log2 - 3)) & 7);
}
constexpr std::size_t medium_capacity(int bin) noexcept {
  return (std::size_t{9} + static_cast<std::size_t>(bin % 8)) << (bin / 8 + 7);
}
static_assert(medium_bin(1025) == 0 && medium_capacity(0) == 1152);
static_assert(medium_bin(1152) == 0 && medium_bin(1153) == 1);
static_assert(medium_bin(2048) == 7 && medium_capacity(7) == 2048 && medium_bin(2049) == 8);
static_assert(medium_capacity(medium_bins - 1) == min_large_bytes);

/// Allocates a block's header and data from the system; null on failure. `capacity` is a result of
/// small_capacity() or medium_capacity(), or a multiple of the page size. Guarded memory ignores it
/// and has exactly `nbytes`.
[[nodiscard]] FreeBlock* acquire_block(std::size_t capacity, std::size_t nbytes) noexcept;
void free_system_block(FreeBlock* block) noexcept;

}  // namespace skerry::cpu
