// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace skerry {

/// Returns the index of item size 1, 2, 4, 8 or 16 in tables of kernels that only move bytes.
[[nodiscard]] constexpr int size_class(std::int64_t itemsize) {
  return itemsize == 1 ? 0 : itemsize == 2 ? 1 : itemsize == 4 ? 2 : itemsize == 8 ? 3 : 4;
}

}  // namespace skerry
