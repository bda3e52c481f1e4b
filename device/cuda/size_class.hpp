// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>

namespace skerry::cuda {

/// Sizes that blocks are rounded up to: eight steps per doubling, so that at most an eighth is
/// wasted above 4 KiB; multiples of 512 bytes, which keeps cudaMalloc's alignment.
struct size_class {
  static constexpr std::size_t least = 512;
  static constexpr int steps = 8;
  /// Blocks above this go to the driver's pool each time, which splits and joins them; a call of it
  /// (1 to 2 µs) is nothing beside the work on 32 MiB.
  static constexpr std::size_t largest_cached = std::size_t{32} << 20;
  static constexpr int not_cached = -1;

  std::size_t nbytes;
  int bin;

  [[nodiscard]] static constexpr size_class of(std::size_t nbytes) noexcept {
    const std::size_t units = (std::max(nbytes, least) + least - 1) / least;
    if (nbytes > largest_cached) return {units * least, not_cached};
    if (units <= steps) return {units * least, static_cast<int>(units) - 1};
    // units in (2^e, 2^(e+1)], split into eight steps of 2^(e-3)
    const int e = static_cast<int>(std::bit_width(units - 1)) - 1;
    const std::size_t step = std::size_t{1} << (e - 3);
    const std::size_t position = (units - (std::size_t{1} << e) + step - 1) / step;
    const std::size_t rounded = (std::size_t{1} << e) + position * step;
    return {rounded * least, steps * (e - 2) + static_cast<int>(position) - 1};
  }
};

inline constexpr int cached_bins = size_class::of(size_class::largest_cached).bin + 1;

}  // namespace skerry::cuda
