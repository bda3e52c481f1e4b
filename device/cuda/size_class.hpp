// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>

namespace skerry::cuda {

/// Sizes that blocks are rounded up to: 32 steps per doubling, so that above 16 KiB at most 1/32 is
/// wasted, 1/64 on average. Rounding loss cannot be recovered later. Multiples of 512 bytes keep
/// cudaMalloc's alignment.
struct SizeClass {
  static constexpr std::size_t min_bytes = 512;
  static constexpr int log2_steps = 5;
  static constexpr int steps = 1 << log2_steps;
  /// More than the memory of any device.
  static constexpr std::size_t largest = std::size_t{1} << 46;
  /// The bin of blocks that are returned to the driver when freed.
  static constexpr int uncached = -1;

  std::size_t nbytes;
  int bin;

  /// Exactly the requested size, so that tools detect accesses past the end; at least 1, since CUB
  /// takes a null pointer as a query for the workspace size.
  [[nodiscard]] static constexpr SizeClass exactly(std::size_t nbytes) noexcept {
    return {std::max<std::size_t>(nbytes, 1), uncached};
  }

  [[nodiscard]] static constexpr SizeClass round_up(std::size_t nbytes) noexcept {
    if (nbytes > largest) return {nbytes, uncached};
    const std::size_t units = (std::max(nbytes, min_bytes) + min_bytes - 1) / min_bytes;
    if (units <= steps) return {units * min_bytes, static_cast<int>(units) - 1};
    // units in (2^e, 2^(e+1)], split into steps of 2^(e - log2_steps)
    const int e = static_cast<int>(std::bit_width(units - 1)) - 1;
    const std::size_t step = std::size_t{1} << (e - log2_steps);
    const std::size_t position = (units - (std::size_t{1} << e) + step - 1) / step;
    const std::size_t rounded = (std::size_t{1} << e) + position * step;
    return {rounded * min_bytes, steps * (e - log2_steps + 1) + static_cast<int>(position) - 1};
  }
};

inline constexpr int cached_bins = SizeClass::round_up(SizeClass::largest).bin + 1;

}  // namespace skerry::cuda
