// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace skerry::emulation {

/// Extent of a grid or a block, like dim3; also an index in one.
struct Extent {
  std::uint32_t x = 1;
  std::uint32_t y = 1;
  std::uint32_t z = 1;
  [[nodiscard]] std::uint64_t count() const noexcept { return std::uint64_t{x} * y * z; }
  /// Returns the index of the element with this linear index; x varies fastest.
  [[nodiscard]] Extent unravel_index(std::uint64_t number) const noexcept {
    return {static_cast<std::uint32_t>(number % x), static_cast<std::uint32_t>(number / x % y),
            static_cast<std::uint32_t>(number / x / y)};
  }
};

}  // namespace skerry::emulation
