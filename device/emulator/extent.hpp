// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace skerry::emulation {

/// A grid's or a block's, as dim3.
struct Extent {
  std::uint32_t x = 1;
  std::uint32_t y = 1;
  std::uint32_t z = 1;
  [[nodiscard]] std::uint64_t count() const noexcept { return std::uint64_t{x} * y * z; }
  /// The place with that number among those of this extent: x runs first.
  [[nodiscard]] Extent unravel_index(std::uint64_t number) const noexcept {
    return {static_cast<std::uint32_t>(number % x), static_cast<std::uint32_t>(number / x % y),
            static_cast<std::uint32_t>(number / x / y)};
  }
};

}  // namespace skerry::emulation
