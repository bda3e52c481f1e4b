// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

namespace skerry::guard {

/// The fill of new guarded memory: a NaN of every float width, signaling as float64 and in every
/// other float32 and float16.
inline constexpr std::array<unsigned char, 8> uninitialized_bytes{0x01, 0x7d, 0xa0, 0x7f,
                                                                  0x01, 0x7d, 0xf4, 0x7f};
/// The rest of a larger block is not filled.
inline constexpr std::size_t largest_filled = std::size_t{64} << 20;

inline void fill_uninitialized(void* data, std::size_t nbytes) noexcept {
  auto* const bytes = static_cast<unsigned char*>(data);
  const std::size_t filled = std::min(nbytes, largest_filled);
  std::size_t i = 0;
  for (; i + uninitialized_bytes.size() <= filled; i += uninitialized_bytes.size()) {
    std::memcpy(bytes + i, uninitialized_bytes.data(), uninitialized_bytes.size());
  }
  std::memcpy(bytes + i, uninitialized_bytes.data(), filled - i);
}

}  // namespace skerry::guard
